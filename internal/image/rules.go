package image

import (
	"math/rand/v2"
)

// Rules say when a write becomes visible to other handles: when it gets into the image, and
// when a reader looks there. The zero Rules give exactly what the standard guarantees.
type Rules struct {
	Early bool // a write is in the image when it returns
	Fresh bool // a read sees the newest image, not the adopted one

	// Chaos lets unpublished writes appear early, late, in part or mixed, as far as the
	// standard allows. Seed decides.
	Chaos bool
	Seed  uint64
}

// direct reports whether every access is one access to the image, as in atomic mode.
func (m Rules) direct() bool { return m.Early && m.Fresh }

// OpenAs does the same as [Image.Open] for a handle that follows m. Handles of different
// rules may be open at the same time; each sees the bytes of others as its own rules allow,
// as soon as their rules put them into the image.
func (im *Image) OpenAs(m Rules) *Handle {
	h := new(Handle)
	h.OpenAs(m, im)
	return h
}

// OpenAs makes h, which is closed or zero, a handle of im; see [Image.OpenAs].
func (h *Handle) OpenAs(m Rules, im *Image) {
	*h = Handle{im: im, rules: m}
	if m.Chaos {
		h.chaos = &chaos{dice: rand.New(rand.NewPCG(m.Seed, uint64(im.opens.Add(1))))}
	}
	h.applyRules(false)
}

// applyRules puts h into the state that its rules and atomic mode require.
func (h *Handle) applyRules(atomic bool) {
	h.atomic = atomic
	h.direct = atomic || h.rules.direct()
	h.live = h.direct || h.rules.Fresh
	switch {
	case h.live && h.mark != nil:
		h.release()
		h.log.dropPublished()
	case !h.live && h.mark == nil && !h.retired:
		h.im.mu.Lock()
		h.im.join(h)
		h.im.mu.Unlock()
		h.size = max(h.base, h.log.end())
	}
}

// wrote does what the rules require after a write.
func (h *Handle) wrote() {
	if h.chaos != nil {
		h.surface()
	}
}

// surface makes a random part of an unpublished write appear in the image, or nothing. The
// write is published again later, in order, so the end result does not change. If the
// backing fails, nothing has appeared.
func (h *Handle) surface() {
	l := &h.log
	for range h.chaos.dice.IntN(3) {
		r := *l.recs.at(l.published + h.chaos.dice.IntN(l.recs.n-l.published))
		n := int64(len(r.data))
		a := h.chaos.dice.Int64N(n)
		b := a + 1 + h.chaos.dice.Int64N(n-a)
		if h.chaos.dice.IntN(2) == 0 {
			a, b = 0, n
		}
		p := h.im.begin(h)
		part := r.part(a, b)
		err := p.put(&part)
		if p.commit(-1); err != nil {
			return
		}
	}
}

// part returns packed bytes [a, b) of r, counted from its first.
func (r *record) part(a, b int64) record {
	p := record{at: r.at, from: r.from + a, data: r.data[a:b:b]}
	if r.flat() {
		p.lo, p.hi = r.lo+a, r.lo+b
	} else {
		p.lo, p.hi = r.at.At(p.from), r.at.At(p.from+b-a-1)+1
	}
	return p
}

// peek does what the rules require before a read.
func (h *Handle) peek() {
	if h.chaos != nil && !h.direct && h.chaos.dice.IntN(2) == 0 {
		h.Adopt()
	}
}

// Waits reports whether bytes written through h may wait for a sync of the image before they
// are in the backing.
func (h *Handle) Waits() bool { return !h.direct }

// Direct reports whether writes through h are in the image at once.
func (h *Handle) Direct() bool { return h.direct || h.rules.Early }

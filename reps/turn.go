package reps

import "github.com/commworld/commworld/types"

// A turn is a conversion that moves every byte within its own item and cannot
// fail: the items have the same sizes on both sides and at most another order
// of bytes. It is made of one stretch that repeats.
type turn struct {
	size   int64 // packed bytes of the stretch
	width  int64 // of all items, if they are turned alike; 0: see parts
	parts  [maxParts]part
	nparts int
}

// A part is n adjacent items of width bytes.
type part struct{ width, n int64 }

const (
	maxParts   = 16
	maxStretch = 1 << 10
)

// turnOf returns the turn that converts items of sig from form g to form f, if
// that is all there is to do.
func turnOf(sig types.Signature, f, g form) (turn, bool) {
	if k := sig.Only(); k != types.KindNone {
		w, ok := turned(k, f, g)
		return turn{size: w, width: w}, ok
	}
	var t turn
	for k, n := range sig.Unit().Runs() {
		w, ok := turned(k, f, g)
		if !ok || t.nparts == maxParts {
			return turn{}, false
		}
		size := f.sizes.Sizeof(k)
		t.parts[t.nparts] = part{w, n * (size / w)}
		t.nparts++
		t.size += n * size
	}
	return t, t.nparts > 0 && t.size <= maxStretch
}

// turned returns the width of what is turned round in an item of kind k, 1 if
// it only moves; ok is false if more has to be done.
func turned(k types.Kind, f, g form) (width int64, ok bool) {
	width = f.sizes.Sizeof(k)
	same := f.order == g.order
	switch k.Family() {
	case types.FamilyOpaque:
		return 1, true
	case types.FamilyBool:
		return 0, false
	case types.FamilyComplex:
		width /= 2
	}
	if f.sizes.Sizeof(k) != g.sizes.Sizeof(k) || isWide(k) && f.wide != g.wide {
		return 0, false
	}
	if same || isWide(k) && f.wide.x87() {
		return 1, true
	}
	return width, width <= 16
}

// step is how many packed bytes to turn at a time: whole stretches.
func (t *turn) step() int64 { return piece / t.size * t.size }

// run turns packed bytes that begin with a stretch.
func (t *turn) run(dst, src []byte) {
	if t.nparts == 0 {
		reorder(dst, src, t.width, t.width == 1)
		return
	}
	for len(src) > 0 {
		for _, p := range t.parts[:t.nparts] {
			n := min(p.width*p.n, int64(len(src)))
			reorder(dst[:n], src[:n], p.width, p.width == 1)
			dst, src = dst[n:], src[n:]
		}
	}
}

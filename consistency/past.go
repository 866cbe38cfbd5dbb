package consistency

import (
	"slices"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/image"
)

// A Past is all that was written to a file in one run of a world that explores:
// with it that world can choose what those see who race, as scene.go has it. It
// belongs to the detector of the file and, as only one rank of such a world runs
// at a time, needs no lock.
type Past struct {
	base   []byte // of the file, before it was written
	based  bool
	poison byte
	deeds  []*Deed // in the order in which they lie on each other
	begun  []*Deed // which have no place yet
	all    []*Deed // in the order in which they were begun
	mixed  bool    // some of them race with each other: what lies on what is not for the image to say
	spoilt bool    // it is not known what was done
}

// A Deed is a write, or a change of size by all handles of an open.
type Deed struct {
	Step
	by     []*sequence // of the handles that took part
	of     int         // how many take part
	rank   int
	time   uint64
	atomic bool
	under  *Pending // nil: it was complete when the call returned
	done   bool     // else it has only begun

	handle  any  // as the ledger knows it
	entered bool // there
}

// Spoil gives p up: from here on, what is read is what the model has.
func (p *Past) Spoil() { p.spoilt = true }

// Spoilt reports that p was given up.
func (p *Past) Spoilt() bool { return p.spoilt }

// Remembers makes the detector keep a [Past], for a world that explores.
func (d *Detector) Remembers() *Past {
	d.deeds = &Past{}
	return d.deeds
}

// Past returns what [Detector.Remembers] made.
func (d *Detector) Past() *Past { return d.deeds }

// From says what is in the file before the first deed, of which p keeps a copy.
// im is asked for it if p does not know. Errors: those of the backing.
func (p *Past) From(im *image.Image) error {
	if p.based {
		return nil
	}
	p.based, p.poison = true, im.Poison()
	if im.Size() > mostBytes {
		p.Spoil()
		return nil
	}
	p.base = make([]byte, im.Size())
	_, err := im.ReadAt(p.base, 0)
	return err
}

// Deed returns what is about to be done through t: it has its place in the past
// when [Past.Do] has been called. under is nil for an access that blocks, of is
// how many handles make a change of size together.
func (t *Tracker) Deed(x Step, atomic bool, under *Pending, of int) *Deed {
	e := &Deed{Step: x, by: []*sequence{t.seq}, of: of, rank: t.rank, atomic: atomic, under: under}
	t.d.deeds.all = append(t.d.deeds.all, e)
	return e
}

// Entered says that the ledger has an entry for e, of that handle.
func (e *Deed) Entered(handle any) { e.handle, e.entered = handle, true }

// Joins says that the handle takes part in a change of size.
func (t *Tracker) Joins(e *Deed) {
	if !slices.Contains(e.by, t.seq) {
		e.by = append(e.by, t.seq)
	}
}

// Places returns in how many places e may come to lie that is about to be done:
// more than one if it races with others. all is false if there are more than that.
func (p *Past) Places(t *Tracker, e *Deed, now uint64, clock Clock) (n int, all bool) {
	m := moment{t.rank, now, clock}
	switch {
	case p.spoilt:
		return 1, !p.meets(t, e.Do, e.Runs, e.nonatomic(), m)
	case !p.racy(t, e.Do, e.nonatomic(), m):
		return 1, true
	}
	marked, all := places(p.layers(t, e.Do, e.nonatomic(), m), &e.Step)
	return len(marked), all
}

// Do puts e, which need not be new, into one of its places; 0 is on top.
func (p *Past) Do(t *Tracker, e *Deed, now uint64, clock Clock, place int) {
	p.begun = slices.DeleteFunc(p.begun, func(o *Deed) bool { return o == e })
	e.done, e.time = true, now
	on := make([]bool, len(p.deeds))
	if m := (moment{t.rank, now, clock}); !p.spoilt && p.racy(t, e.Do, e.nonatomic(), m) {
		marked, _ := places(p.layers(t, e.Do, e.nonatomic(), m), &e.Step)
		p.mixed = p.mixed || len(marked) > 1
		on = marked[place]
	}
	p.deeds = lift(p.deeds, on, e)
	p.spoilt = p.spoilt || e.top() > mostBytes
}

// racy reports that there is something with which an access may race that is
// made now and does do, which there hardly ever is.
func (p *Past) racy(t *Tracker, do Do, nonatomic bool, now moment) bool {
	races := func(e *Deed) bool { return e.races(t, do, nonatomic, &now) }
	return slices.ContainsFunc(p.deeds, races) || slices.ContainsFunc(p.begun, races)
}

// meets is racy for an access of runs, or of the size if there are none, of a file
// of which no more is known than who wrote where.
func (p *Past) meets(t *Tracker, do Do, runs []Run, nonatomic bool, now moment) bool {
	_, hi := spanOf(runs)
	races := func(e *Deed) bool {
		return (len(runs) == 0 || e.Do == DoSetSize && e.Bytes < hi || slices.ContainsFunc(runs, e.hits)) && e.races(t, do, nonatomic, &now)
	}
	return slices.ContainsFunc(p.deeds, races) || slices.ContainsFunc(p.begun, races)
}

// Announce says that e may be seen from now on, but has no place yet.
func (p *Past) Announce(e *Deed) { p.begun = append(p.begun, e) }

// nonatomic reports that e is not atomic, or no longer. (CONS-ATOM-03)
func (e *Deed) nonatomic() bool {
	if e.under != nil {
		return !e.under.atomic
	}
	return !e.atomic
}

// layers is what has its place in the past as an access through t has it that is
// made now.
func (p *Past) layers(t *Tracker, do Do, nonatomic bool, now moment) []layer {
	layers := make([]layer, len(p.deeds))
	for i, e := range p.deeds {
		layers[i] = layer{&e.Step, e.races(t, do, nonatomic, &now)}
	}
	return layers
}

// races reports whether an access through t that does do, conflicts with e, and is
// made now, races with it. Through one handle accesses lie in the order in which
// they move their bytes, and all handles of an open order a change of size.
func (e *Deed) races(t *Tracker, do Do, nonatomic bool, now *moment) bool {
	h := e.by[0].h
	switch {
	case h == t, slices.Contains(e.by, t.seq):
		return false
	case h.open == t.open && (!nonatomic && !e.nonatomic() || e.Do.resizes() || do.resizes()):
		return false
	case t.d.profile.visible && e.done && now.covers(e.rank, e.time):
		return false
	}
	after := func(t *Tracker) bool {
		return !slices.ContainsFunc(e.by, func(s *sequence) bool { return s.end == 0 || !t.seq.start.covers(s.h.rank, s.end) })
	}
	if len(e.by) < e.of || !after(t) {
		return true
	}
	if do.resizes() { // each rank's call has to come after e
		for o := range t.d.handles {
			if o.open == t.open && !after(o) {
				return true
			}
		}
	}
	return false
}

// A Glance is what a read may find, or one who asks for the size.
type Glance struct {
	found  []sight
	poison byte
	All    bool // it is all
}

// Ways is how many there are; 0: it finds what it has found.
func (g *Glance) Ways() int { return len(g.found) }

// Size is the size of the file in way i.
func (g *Glance) Size(i int) int64 { return g.found[i].size }

// Take puts the bytes of way i into mem and returns how many there are before the
// end of the file.
func (g *Glance) Take(i int, mem []byte) int64 {
	for k, v := range g.found[i].bytes {
		mem[k] = g.poison
		if v >= 0 {
			mem[k] = byte(v)
		}
	}
	return int64(len(g.found[i].bytes))
}

// See returns what an access of runs through t, or of the size if there are none,
// may find.
func (p *Past) See(t *Tracker, runs []Run, under *Pending, atomic bool, now uint64, clock Clock) (g Glance) {
	g.All, g.poison = true, p.poison
	m := moment{t.rank, now, clock}
	nonatomic := !atomic || under != nil && !under.atomic
	if lo, hi := spanOf(runs); p.spoilt || hi-lo > mostBytes {
		g.All = !p.meets(t, DoRead, runs, nonatomic, m)
		return g
	}
	if !p.mixed && !p.racy(t, DoRead, nonatomic, m) {
		return g
	}
	layers := p.layers(t, DoRead, nonatomic, m)
	for _, e := range p.begun {
		if e.races(t, DoRead, nonatomic, &m) {
			layers = append(layers, layer{&e.Step, true})
		}
	}
	if !p.mixed && len(matter(p.base, layers, runs)) == 0 {
		return g
	}
	g.found, g.All = sights(p.base, layers, runs)
	return g
}

// Sure returns how long the file is for an access through t by what comes before
// it for sure: what lies behind may depend on more than the bytes there.
func (p *Past) Sure(im *image.Image, t *Tracker, atomic bool, now uint64, clock Clock) int64 {
	if !p.based {
		return im.Size()
	}
	s, m := newScene(p.base, 0, 0), moment{t.rank, now, clock}
	for _, e := range p.deeds {
		if !e.races(t, DoRead, !atomic, &m) {
			s.lay(&e.Step)
		}
	}
	return s.size
}

// Settle gives the file the content that p says, when all its handles are closed;
// who, which may be nil, learns of the order of its writes. Errors: those of the
// backing.
func (p *Past) Settle(im *image.Image, who *Ledger) error {
	if p.spoilt || !p.mixed {
		return nil
	}
	if who != nil {
		who.settle(p.all, p.deeds)
	}
	size := int64(len(p.base))
	for _, e := range p.deeds {
		size = max(size, e.top())
	}
	s := newScene(p.base, 0, size)
	for _, e := range p.deeds {
		s.lay(&e.Step)
	}
	if s.size != im.Size() {
		if err := im.SetSize(s.size); err != nil {
			return err
		}
	}
	for lo := int64(0); lo < s.size; {
		if s.mem[lo] < 0 {
			lo++
			continue
		}
		var data []byte
		for hi := lo; hi < s.size && s.mem[hi] >= 0; hi++ {
			data = append(data, byte(s.mem[hi]))
		}
		h := im.Open()
		err := h.Write(extent.Flat(), lo, data)
		if closed := h.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
		lo += int64(len(data))
	}
	return nil
}

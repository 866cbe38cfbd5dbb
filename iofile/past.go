package iofile

import (
	"math"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/sched"
)

// In a world that explores, what a race leaves undefined is chosen: see
// [consistency.Past], which is kept up to date here. What is chosen takes the
// place of what the handle has read; writing and publishing go on as ever.

// past is what was done to the file, nil if nothing is chosen of it.
func (f *File) past() *consistency.Past {
	if f.track == nil || f.strong {
		return nil
	}
	return f.set.file.past
}

// A choice is what a world that explores keeps of an access.
type choice struct {
	deed  *consistency.Deed    // of a write
	under *consistency.Pending // of an access that does not block
}

// moment is now, for this rank.
func (f *File) moment() (uint64, consistency.Clock) { return f.thread.Tick(), knowledge{f.thread} }

// sure is how long the file is for this handle, whatever else was done to it.
func (f *File) sure() int64 {
	if f.past() == nil {
		return f.bytes.Size()
	}
	now, clock := f.moment()
	return f.past().Sure(f.set.file.image, f.track, f.atomic, now, clock)
}

// runs are the bytes of an access, in the order of its view.
func (f *File) runs(a *access) (runs []consistency.Run) {
	for off, n := range f.view.tiles.Runs(f.view.packed(a.off), a.etypes*f.view.esize()) {
		runs = append(runs, consistency.Run{Off: off, Len: n})
	}
	return runs
}

// deed is the write a. What is converted on its way is known only when it is
// there.
func (f *File) deed(a *access) *consistency.Deed {
	if a.choice == nil {
		a.choice = &choice{}
	}
	if a.choice.deed != nil {
		return a.choice.deed
	}
	if err := f.past().From(f.set.file.image); err != nil || f.inPieces(a) && !f.bytesOnly() {
		f.past().Spoil()
	}
	x := consistency.Step{Do: consistency.DoWrite, Runs: f.runs(a)}
	if f.bytesOnly() && !f.past().Spoilt() {
		x.Data = make([]byte, a.etypes*f.view.esize())
		a.buf.Pack(x.Data, 0, f.c.Arch())
	}
	e := f.track.Deed(x, f.atomic, a.choice.under, 1)
	e.Entered(f)
	a.choice.deed = e
	return e
}

// holdPlace holds a write, or a change of size, and gives it its place among
// those before it.
func (f *File) holdPlace(a *access, e *consistency.Deed, h sched.Held) error {
	p := f.past()
	now, clock := f.moment()
	all := true
	at, err := f.thread.HoldWays(a, h, func() (n int) {
		n, all = p.Places(f.track, e, now, clock)
		return n
	})
	if err == nil {
		f.bounded(a.op, all)
		p.Do(f.track, e, now, clock, at)
	}
	return err
}

// announce lets others see a write that has only begun.
func (f *File) announce(a *access, under *consistency.Pending) error {
	if !f.thread.Exploring() || a.etypes == 0 || f.past() == nil {
		return nil
	}
	a.choice = &choice{under: under}
	if !a.write {
		return nil
	}
	e := f.deed(a)
	if f.atomic || !f.bytesOnly() {
		return nil
	}
	lo, hi := f.span(a)
	if err := f.thread.Hold(a, sched.Held{Object: object("file", f.name), Lo: lo, Hi: hi, Write: true}); err != nil {
		return err
	}
	f.past().Announce(e)
	return nil
}

// holdSize is holdWhole for a change of size, which all ranks make and this one
// carries out; the others join it.
func (f *File) holdSize(op string, x consistency.Step) (*consistency.Deed, error) {
	p := f.past()
	if p == nil || !f.thread.Exploring() {
		return nil, f.holdWhole(op, true)
	}
	if err := p.From(f.set.file.image); err != nil {
		p.Spoil()
	}
	e := f.track.Deed(x, f.atomic, nil, f.c.Size())
	return e, f.holdPlace(&access{call: call{op: op}}, e, sched.Held{Object: object("file", f.name), Hi: math.MaxInt64, Write: true})
}

// coded says how the file will have a write that is converted on its way.
func (f *File) coded(a *access, packed []byte) {
	if a.choice != nil && a.choice.deed != nil && !f.past().Spoilt() {
		a.choice.deed.Data = slices.Clone(packed)
	}
}

// glance puts into mem, of which the first n bytes have been read, what the
// access is chosen to see, and returns how much that is.
func (f *File) glance(a *access, mem []byte, n int64) (int64, error) {
	p := f.past()
	if p == nil || !f.thread.Exploring() {
		return n, nil
	}
	var under *consistency.Pending
	if a.choice != nil {
		under = a.choice.under
	}
	now, clock := f.moment()
	g := p.See(f.track, f.runs(a), under, f.atomic, now, clock)
	i, err := f.chosen(a.op, &g)
	if err != nil || g.Ways() == 0 {
		return n, err
	}
	return g.Take(i, mem), nil
}

// glanceSize is glance for the size of the file, which is n for the handle.
func (f *File) glanceSize(op string, n int64) (int64, error) {
	p := f.past()
	if p == nil || !f.thread.Exploring() {
		return n, nil
	}
	now, clock := f.moment()
	g := p.See(f.track, nil, nil, f.atomic, now, clock)
	i, err := f.chosen(op, &g)
	if err != nil || g.Ways() == 0 {
		return n, err
	}
	return g.Size(i), nil
}

// chosen chooses between what can be seen.
func (f *File) chosen(op string, g *consistency.Glance) (int, error) {
	f.bounded(op, g.All)
	if g.Ways() < 2 {
		return 0, nil
	}
	return f.thread.Choose(g.Ways(), &access{call: call{op: op}})
}

// bounded says so if not all is tried.
func (f *File) bounded(op string, all bool) {
	switch {
	case all:
	case f.past().Spoilt():
		f.thread.Untried("file " + f.name + ": what " + op + " may find or leave where it races, because it is not known what is in the file")
	default:
		f.thread.Untried("file " + f.name + ": " + op + " races with more than is tried in all combinations")
	}
}

package iofile

import (
	"math"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/overlay"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/internal/sched"
)

// In an exploring world, the explorer chooses what a race leaves undefined: see
// [race.WriteHistory], which this file keeps up to date. The chosen bytes replace those
// that the handle has read; writing and publishing do not change.

// writeHistory returns the history of all writes to the file, nil if the explorer chooses
// nothing.
func (f *File) writeHistory() *race.WriteHistory {
	if f.track == nil || f.strongModel {
		return nil
	}
	return f.set.file.writes
}

// chaotic reports whether chance decides what the handle finds where accesses race.
func (f *File) chaotic() bool {
	_, chaos := f.model().Seed()
	return chaos
}

// noteUnwatched records with the explorer that nothing reports all races of a file that this
// handle may change, although their outcomes depend on more than the order of operations.
func (f *File) noteUnwatched() {
	if f.amode.has(ReadOnly) || !f.thread.Exploring() || f.thread.Sched().Len() == 1 {
		return
	}
	file := f.set.file
	file.strong, file.weak = file.strong || f.strongModel, file.weak || !f.strongModel
	switch chaos := f.chaotic(); {
	case f.track == nil && (!f.strongModel || chaos):
		f.thread.Sched().NoteUntried("file " + f.name + ": what a race leaves open, because WithRaceDetector(consistency.Off) turns the detector off")
	case chaos && f.fsys.opts.profile.Visible():
		f.thread.Sched().NoteUntried("file " + f.name + ": under the model " + f.model().String() + ", what a race leaves open that the profile " +
			f.fsys.opts.profile.String() + " does not report")
	}
}

// moment returns the present time and clock of this rank.
func (f *File) moment() (uint64, consistency.Clock) { return f.thread.Tick(), clockSnapshot{f.thread} }

// minSize returns a lower bound of the file size: what writes ordered before this access
// imply.
func (f *File) minSize() int64 {
	if f.writeHistory() == nil {
		return f.bytes.Size()
	}
	now, clock := f.moment()
	return f.writeHistory().MinSize(f.set.file.image, f.track, f.atomic, now, clock)
}

// runs returns the bytes of an access, in the order of its view.
func (f *File) runs(a *access) (runs []extent.Run) {
	for off, n := range f.view.Tiles.Runs(f.view.packed(a.off), a.etypes*f.view.Unit.Size) {
		runs = append(runs, extent.Run{Off: off, Len: n})
	}
	return runs
}

// exploredWrite returns the write of a. Converted data are filled in after the conversion.
func (f *File) exploredWrite(a *access) *race.Write {
	if a.explored != nil {
		return a.explored
	}
	if err := f.writeHistory().From(f.set.file.image); err != nil || f.inPieces(a) && !f.view.plain {
		f.writeHistory().StopTracking()
	}
	x := overlay.Write{Runs: f.runs(a)}
	if f.view.plain && !f.writeHistory().Untracked() {
		x.Data = make([]byte, a.etypes*f.view.Unit.Size)
		a.buf.Pack(x.Data, 0, f.view.memory)
	}
	e := f.track.Write(x, f.atomic, a.under, 1)
	e.Enter(a.entry)
	a.explored = e
	return e
}

// holdPosition holds a write, or a change of size, and gives it its position in the write
// order.
func (f *File) holdPosition(a *access, e *race.Write, h sched.Held) error {
	ways, place := f.positionsOf(a, e, h)
	at, err := f.thread.Ask(ways, nil)
	if err == nil {
		place(int(at))
	}
	return err
}

// positions returns the ways in which an access may take place, and a function that chooses one:
// a write takes a position in the write order.
func (f *File) positions(a *access, h sched.Held) (ways sched.Ways, place func(at int)) {
	if !a.write || f.writeHistory() == nil {
		return sched.Ways{Stringer: a, On: h, Count: func() int { return 1 }}, func(int) { f.adopt(a) }
	}
	return f.positionsOf(a, f.exploredWrite(a), h)
}

func (f *File) positionsOf(a *access, e *race.Write, h sched.Held) (ways sched.Ways, place func(at int)) {
	p := f.writeHistory()
	now, clock := f.moment()
	all := true
	ways = sched.Ways{Stringer: a, On: h, Count: func() (n int) {
		n, all = p.Positions(f.track, e, now, clock)
		return n
	}}
	return ways, func(at int) {
		f.noteUntried(a.op, all)
		p.Add(f.track, e, now, clock, at)
	}
}

// announce makes a write that has only begun visible to others.
func (f *File) announce(a *access) error {
	if !f.thread.Exploring() || a.etypes == 0 || f.writeHistory() == nil {
		return nil
	}
	if !a.write {
		return nil
	}
	e := f.exploredWrite(a)
	if f.atomic || !f.view.plain {
		return nil
	}
	lo, hi := f.span(a)
	if err := f.thread.Hold(a, sched.Held{Object: object("file", f.name), Lo: lo, Hi: hi, Write: true, Result: sched.Chosen}); err != nil {
		return err
	}
	f.writeHistory().Announce(e)
	return nil
}

// holdSize is holdAccess for a change of size, which all ranks make and this one carries out;
// the others join it.
func (f *File) holdSize(op string, x overlay.Write) (*race.Write, error) {
	p := f.writeHistory()
	if p == nil || !f.thread.Exploring() {
		return nil, f.holdResize(op, x)
	}
	if err := p.From(f.set.file.image); err != nil {
		p.StopTracking()
	}
	e := f.track.Write(x, f.atomic, nil, f.c.Size())
	return e, f.holdPosition(&access{call: call{op: op}}, e, sched.Held{Object: object("file", f.name), Hi: math.MaxInt64, Write: true})
}

// exploreConverted sets the bytes of a write that has just been converted.
func (f *File) exploreConverted(a *access, packed []byte) {
	if a.explored != nil && !f.writeHistory().Untracked() {
		a.explored.Data = slices.Clone(packed)
	}
}

// chooseRead stores in mem, of which the first n bytes have been read, the bytes that the
// explorer chooses for the access, and returns how many there are.
func (f *File) chooseRead(a *access, mem []byte, n int64) (int64, error) {
	p := f.writeHistory()
	if p == nil || !f.thread.Exploring() {
		return n, nil
	}
	now, clock := f.moment()
	g := p.Choices(f.track, f.runs(a), a.under, f.atomic, now, clock)
	i, err := f.chosen(a.op, &g)
	if err != nil || g.Ways() == 0 {
		return n, err
	}
	found := g.Take(i, mem)
	f.follow(a, found)
	return found, nil
}

// follow moves the individual pointer to the end of what a read has found. An access that was begun
// earlier moved it then, by what the file had.
func (f *File) follow(a *access, found int64) {
	unit := f.view.Unit.Size
	switch {
	case a.at != individual:
	case a == &f.now:
		f.pos = a.off + Offset((found+unit-1)/unit)
	case found < a.etypes*unit:
		f.thread.Sched().NoteUntried("file " + f.name + ": where " + a.op + " leaves the individual pointer, because others may move the end of the file")
	}
}

// chooseSize is chooseRead for the size of the file; the handle's own answer is n.
func (f *File) chooseSize(op string, n int64) (int64, error) {
	p := f.writeHistory()
	if p == nil || !f.thread.Exploring() {
		return n, nil
	}
	now, clock := f.moment()
	g := p.Choices(f.track, nil, nil, f.atomic, now, clock)
	i, err := f.chosen(op, &g)
	if err != nil || g.Ways() == 0 {
		return n, err
	}
	return g.Size(i), nil
}

// chosen lets the explorer choose between the outcomes of a read.
func (f *File) chosen(op string, g *race.ReadChoices) (int, error) {
	f.noteUntried(op, g.All)
	if g.Ways() < 2 {
		return 0, nil
	}
	pick, err := f.thread.Ask(sched.Ways{Stringer: &access{call: call{op: op}}, Count: g.Ways}, nil)
	return int(pick), err
}

// noteUntried records with the explorer that not all outcomes are tried.
func (f *File) noteUntried(op string, all bool) {
	switch {
	case all:
	case f.writeHistory().Untracked():
		f.thread.Sched().NoteUntried("file " + f.name + ": what " + op + " may find or leave where it races, because the contents of the file are not known")
	default:
		f.thread.Sched().NoteUntried("file " + f.name + ": " + op + " races with more than is tried in all combinations")
	}
}

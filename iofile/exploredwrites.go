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

// ready records with the explorer that nothing reports all races of a file that this handle
// may change, although their outcomes depend on more than the order of operations.
func (f exploring) ready() {
	if f.amode.has(ReadOnly) || f.thread.Sched().Len() == 1 {
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

// holdWrite holds a write, or a change of size, and adds it to the history.
func (f *File) holdWrite(a *access, e *race.Write, h sched.Held) error {
	if err := f.thread.Hold(a, h); err != nil {
		return err
	}
	return f.addWrite(a, e)
}

// addWrite adds a write that takes place now to the history. What reads find, and what the file has
// in the end, then shows in which order racing writes were; if there may be too many orders, the
// explorer chooses one.
func (f *File) addWrite(a *access, e *race.Write) error {
	p := f.writeHistory()
	now, clock := f.moment()
	f.noteUntried(a.op, p.Add(f.track, e, now, clock))
	n := p.Crowded()
	if n == 0 {
		return nil
	}
	i, err := sched.Choose(f.thread, a, n)
	if err == nil {
		p.Choose(i)
	}
	return err
}

// announce makes a write that has only begun visible to others.
func (f exploring) announce(a *access) error {
	if a.etypes == 0 || f.writeHistory() == nil {
		return nil
	}
	if !f.atomic {
		f.serial()
	}
	if cause := f.thread.Sched().Cause(); cause != nil || !a.write {
		return cause
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

func (f exploring) changeSize(op string, x overlay.Write) (*race.Write, error) {
	f.noteEarlyResize(op, x)
	p := f.writeHistory()
	if p == nil {
		return nil, f.holdResize(op, x)
	}
	if err := p.From(f.set.file.image); err != nil {
		p.StopTracking()
	}
	if f.serial(); f.thread.Sched().Cause() != nil {
		return nil, f.thread.Sched().Cause()
	}
	e := f.track.Write(x, f.atomic, nil, f.c.Size())
	return e, f.holdWrite(&access{call: call{op: op}}, e, sched.Held{Object: object("file", f.name), Hi: math.MaxInt64, Write: true})
}

// exploreConverted sets the bytes of a write that has just been converted.
func (f *File) exploreConverted(a *access, packed []byte) {
	if a.explored != nil && !f.writeHistory().Untracked() {
		a.explored.Data = slices.Clone(packed)
	}
}

// chooseRead stores in mem the bytes that the explorer chooses for the access, and returns how many
// there are.
func (f exploring) chooseRead(a *access, mem []byte, n int64) (int64, error) {
	p := f.writeHistory()
	if p == nil {
		return n, nil
	}
	now, clock := f.moment()
	g := p.Choices(f.track, f.runs(a), a.under, f.atomic, now, clock)
	i, err := f.chosen(a.op, &g)
	if err != nil || g.Ways() == 0 {
		return n, err
	}
	p.Found(&g, i)
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

func (f exploring) choosesReads() bool { return true }

func (f exploring) chooseSize(op string, n int64) (int64, error) {
	p := f.writeHistory()
	if p == nil {
		return n, nil
	}
	now, clock := f.moment()
	g := p.Choices(f.track, nil, nil, f.atomic, now, clock)
	i, err := f.chosen(op, &g)
	if err != nil || g.Ways() == 0 {
		return n, err
	}
	p.Found(&g, i)
	return g.Size(i), nil
}

// chooseContent lets the explorer choose what the file contains when it is closed now.
func (f *File) chooseContent(op string) error {
	n := f.set.file.contents()
	if n < 2 {
		return nil
	}
	i, err := sched.Choose(f.thread, &access{call: call{op: op}}, n)
	if err == nil {
		f.set.file.writes.End(i)
	}
	return err
}

// chosen lets the explorer choose between the outcomes of a read.
func (f *File) chosen(op string, g *race.ReadChoices) (int, error) {
	f.noteUntried(op, g.All)
	if g.Ways() < 2 {
		return 0, nil
	}
	return sched.Choose(f.thread, &access{call: call{op: op}}, g.Ways())
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

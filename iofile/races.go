package iofile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// WithoutRaceDetector makes the files of a file system go unwatched: nobody
// tells when two accesses conflict and the standard does not say which of them
// comes first. The package world has an option for a whole run.
func WithoutRaceDetector() Option { return func(o *options) { o.unwatched = true } }

// WithProfile says whose promises the race detector takes for granted; the
// default is [consistency.Strict], the standard's own. What races by that and not
// by the profile works there and is not guaranteed: the report of a run tells of it
// among what is legal and suspicious.
func WithProfile(p consistency.Profile) Option { return func(o *options) { o.profile = p } }

// A watched file is one name in one world. Clocks of two worlds cannot be
// compared, and a file that is closed and opened again is the same file.
type watched struct {
	world *sched.Sched
	name  string
}

// detector returns what watches file in the world of f, nil if nothing does.
// It tells at the end of the world.
func (f *File) detector(file *openFile) *consistency.Detector {
	s, c := f.fsys, f.c
	world := c.Sched().Sched()
	if s.opts.unwatched || c.Sched().Tick() == 0 { // clocks are off
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := watched{world, file.names[0]}
	if d := s.watch[key]; d != nil {
		return d
	}
	log, name := c.Log(), file.names[0]
	d := consistency.NewDetector(consistency.DetectorOptions{
		File: name, Profile: s.opts.profile, Ranks: world.Len(), Hindsight: log != nil,
		Record: f.unrecorded() == "",
	})
	d.StartsWith(file.image.Size())
	if f.thread.Exploring() {
		d.Remembers()
	}
	if s.watch == nil {
		s.watch = map[watched]*consistency.Detector{}
	}
	s.watch[key] = d
	var opened *trace.Lint // if old bytes may be left behind
	if log != nil && f.amode.has(Create) && !f.amode.has(DeleteOnClose) {
		opened = &trace.Lint{Op: "Open", File: name, Place: f.line.Place().Base(), At: f.line.Place(), Rule: "IO-AMODE-04"}
	}
	none := f.unrecorded()
	c.AtEnd(new(comm.Leftover), comm.EndFunc(func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		there := s.watch[key] == d
		if there {
			delete(s.watch, key)
		}
		if log != nil && world.Cause() == nil {
			hint(log, name, d)
			if opened != nil && there {
				hintLeftover(log, *opened, d)
			}
		}
		d.Advise(consistency.Recording{Marks: world.Marks, Over: world.Over, None: none})
		if races := d.Races(); len(races) > 0 {
			return consistency.Races(races)
		}
		return nil
	}))
	return d
}

// unrecorded says why the run is not recorded, so that fixes of races can be tried in
// it; empty if it is.
func (f *File) unrecorded() string {
	ranks := f.thread.Sched().Len()
	_, told := f.thread.Placed()
	switch {
	case told:
		return "the interpreter tries fixes of its own"
	case f.thread.Exploring():
		return "world.Replay of it tries fixes, an exploration does not"
	case f.far != nil:
		return "fixes are tried in worlds of one process"
	case consistency.MostMarks(ranks) == 0:
		return fmt.Sprintf("the world has %d ranks, and fixes are tried with up to %d", ranks, consistency.MostRecorded)
	}
	return ""
}

// begins marks the beginning of a call in the record of the rank.
func (f *File) begins(op string) {
	if f.thread == nil || !f.thread.Recording() || f.set == nil || f.track == nil {
		return
	}
	if collective(op) {
		f.rounds++
		f.thread.Begins(op, f.set, f.rounds, f.set.ranks)
		return
	}
	f.thread.Begins(op, nil, 0, 0)
}

// collective reports whether all ranks of a file make a call together.
func collective(op string) bool {
	switch op {
	case "SetView", "Sync", "Close", "SetSize", "Preallocate", "SetAtomicity", "SeekShared", "SetInfo":
		return true
	}
	return strings.Contains(op, "All") || strings.Contains(op, "Ordered")
}

// forgetWatch lets a file that takes the place of a deleted one have a past of
// its own. Called with s.mu held.
func (s *FS) forgetWatch(name string) {
	for key := range s.watch {
		if key.name == name {
			delete(s.watch, key)
		}
	}
}

// knowledge is the clock of a rank as it is when it is asked.
type knowledge struct{ *sched.Rank }

func (k knowledge) Covers(rank int, time uint64) bool { return k.Look().Covers(rank, time) }

// note tells the detector of an access. skip counts the frames from here to
// the method that the program called.
func (f *File) note(a *consistency.Access, skip int) {
	f.stamp(a, skip+1)
	f.found(f.track.Access(a))
}

// stamp says when and where an access is made; skip is as in note.
func (f *File) stamp(a *consistency.Access, skip int) {
	a.Told = f.thread.Told()
	a.Time, a.Clock, a.Atomic = f.thread.Tick(), knowledge{f.thread}, f.atomic
	if p, ok := f.thread.Placed(); ok {
		a.Line = p
	} else {
		f.thread.Frames(skip+2, a.Where[:])
	}
}

// here notes the line of the program that called the method which called run.
// It is looked for from run itself: walking up the stack
// costs more than the rest of the access, unless the place is known.
//
//go:noinline
func (f *File) here() {
	if p, ok := f.thread.Placed(); ok {
		f.seen.Line, f.seen.Where = p, consistency.PCs{}
		return
	}
	if f.seen.Line.Line > 0 {
		f.seen.Line = sched.Place{}
	}
	if f.sites == nil {
		f.sites = f.thread.Sites()
	}
	f.seen.Where = consistency.PCs(*f.sites.Caller(4))
}

// watched reports whether somebody wants to know of accesses.
func (f *File) watched() bool { return f.track != nil || f.set.ledger != nil }

// noteData tells the detector of a data access that has moved n bytes.
func (f *File) noteData(a *access, n int64) {
	if a.with == all {
		f.joined++
	}
	if a.etypes == 0 {
		return
	}
	e := &f.seen // a rank makes one call at a time, so this one need not be allocated
	f.describe(e, a, n)
	e.Told = f.thread.Told()
	e.Time, e.Atomic = f.thread.Tick(), f.atomic
	f.enter(e)
	if f.track == nil {
		return
	}
	if a.at == shared {
		f.track.Pointer(e, a.with == all, true)
	}
	f.found(f.track.Access(e))
}

// found takes note of a race.
func (f *File) found(race *consistency.RaceError) {
	if race != nil && f.thread.Exploring() {
		f.set.file.raced = true
	}
}

// notePointer tells the detector of a call that is about the shared pointer and
// no bytes.
func (f *File) notePointer(op string, together, moves bool) {
	if f.track != nil {
		a := consistency.Access{Op: op}
		f.stamp(&a, 2)
		f.track.Pointer(&a, together, moves)
	}
}

// noteBegun tells the detector of an access that is under way from now on.
func (f *File) noteBegun(a *access) *consistency.Pending {
	if a.with == all {
		f.joined++
	}
	if f.track == nil && f.set.ledger == nil || a.etypes == 0 {
		return nil
	}
	var e consistency.Access
	f.describe(&e, a, f.accessibleBytes(a))
	f.stamp(&e, 2)
	f.enter(&e)
	if f.track == nil {
		return nil
	}
	if a.at == shared {
		f.track.Pointer(&e, a.with == all, true)
	}
	p, race := f.track.Begin(&e)
	f.found(race)
	return p
}

// noteEnded tells it that the access is complete, or has failed and moved bytes
// or none.
func (f *File) noteEnded(p *consistency.Pending, err error, moved int64) {
	switch {
	case p == nil:
	case err != nil && moved == 0:
		p.Cancel()
	default:
		p.End(f.thread.Tick())
	}
}

// describe fills in e what the detector needs to know of an access of n bytes,
// but for when and where it is made.
func (f *File) describe(e *consistency.Access, a *access, n int64) {
	e.Op, e.Write, e.View = a.op, a.write, f.view
	e.Bytes = extent.Stretch{At: f.view.tiles, From: f.view.packed(a.off), N: n}
	if e.Call = 0; a.with == all {
		e.Call = f.joined
	}
	e.Clock = knowledge{f.thread}
	if e.Short = !a.write && (a.short || n < a.etypes*f.view.esize()); e.Short {
		e.EndsAt = f.bytes.Size()
		if n < a.etypes*f.view.esize() { // what ends before the first byte it missed could not have given it more
			e.EndsAt = max(e.EndsAt, f.view.tiles.At(e.Bytes.From+n))
		}
	}
}

// noteSize tells the detector of a call that asks for the size of the file:
// it reads all bytes (CONS-D08).
func (f *File) noteSize(op string, together bool, skip int) {
	if f.track != nil {
		f.note(&consistency.Access{Op: op, Resize: together, Bytes: extent.Between(0, extent.MaxSize)}, skip+1)
	}
}

// noteResize tells the detector of a change of size, by a handle that saw the
// file before bytes long, when it was image bytes long: it writes the bytes
// between the old and the new size (CONS-D08). Whoever writes behind the new
// end, and is not ordered with a SetSize, changes what the old one was; so it
// writes all that is behind. One that changes nothing only looks. Where the file
// was so long only because of an access that nothing orders before the call, the
// call might have come first, and made the file longer.
func (f *File) noteResize(op string, before sizes, image, to int64) {
	if f.track == nil {
		return
	}
	from := min(before.seen, before.least, image)
	lo, hi, write := min(from, to), int64(extent.MaxSize), before.seen != to || image != to || from < to
	if op == "Preallocate" {
		if hi, write = to, from < to; !write { // of interest only for those who cut the file
			lo, hi = extent.MaxSize-1, extent.MaxSize
		}
	}
	f.note(&consistency.Access{Op: op, Write: write, Resize: true, EndsAt: to, Bytes: extent.Between(lo, hi)}, 2)
}

// tellCut says that the file now ends at size. What other opens have written and
// not published is not in it, and stays theirs.
func (f *File) tellCut(size int64) {
	if f.set.ledger != nil {
		f.set.ledger.Resize(size, func(handle any) bool { return handle.(*File).set == f.set })
	}
	if f.track != nil {
		f.set.watch.Cut(size)
	}
}

// noteSync tells the detector that one of the handle's sequences has ended.
func (f *File) noteSync() {
	if f.set.ledger != nil {
		f.set.ledger.Sync(f, f.bytes.Kept()...)
	}
	if f.track != nil {
		var a consistency.Access
		f.stamp(&a, 2)
		f.track.Sync(a.Time, f.thread.Now(), consistency.Where{PCs: a.Where, Line: a.Line})
	}
}

// String is the view in a report.
func (v *view) String() string {
	if v.Disp == 0 && v.plain && v.etype.Size == 1 && isDense(v.tiles.L) {
		return ""
	}
	text := "view disp " + strconv.FormatInt(v.Disp, 10) + ", etype " + v.Etype.Brief() + ", filetype " + v.Filetype.Brief()
	if v.Rep != "native" {
		text += ", " + v.Rep
	}
	return text
}

// Parts is the view in a command line.
func (v *view) Parts() (disp int64, etype, filetype, rep string) {
	return v.Disp, v.Etype.String(), v.Filetype.String(), v.Rep
}

// SyncUses tells of every line of the program that syncs the file, in this
// world, how often it did and how often that was needed: without those calls
// two accesses made so far would have raced. The others ordered nothing. all
// is false if the run was so long that it had to forget; it is also false, and
// the list empty, if nobody looks for races. Local.
func (f *File) SyncUses() (uses []consistency.SyncUse, all bool) {
	if f == nil || f.set == nil || f.set.watch == nil {
		return nil, false
	}
	return f.set.watch.Syncs()
}

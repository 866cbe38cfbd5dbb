package iofile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// WithRaceDetector selects whose guarantees the race detector assumes for the files of a file
// system; the default is [consistency.Strict], the standard. Accesses that race by the
// standard and not by the profile work there and are not guaranteed: the report of a run lists
// them among its lints, which are legal, but probably not what you meant. [consistency.Off]
// turns the detector off; world.Unchecked does so for a whole run.
func WithRaceDetector(p consistency.Profile) Option {
	return option(func(o *options) { o.profile = p })
}

// A watched file is one name in one world. Clocks of two worlds cannot be compared, and a
// file that is closed and opened again is the same file.
type watched struct {
	world *sched.Sched
	name  string
}

// detector returns the race detector for file in the world of f, nil if there is none. It
// reports at the end of the world.
func (f *File) detector(file *openFile) *race.Detector {
	s, c := f.fsys, f.c
	world := port.Thread(c).Sched()
	if s.opts.profile == consistency.Off || port.Thread(c).Tick() == 0 { // clocks are off
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := watched{world, file.names[0]}
	if d := s.watch[key]; d != nil {
		return d
	}
	log, name := port.Log(c), file.names[0]
	d := race.NewDetector(race.DetectorOptions{
		File: name, Profile: s.opts.profile, Ranks: world.Len(), KeepForgotten: log != nil,
		Record: f.unrecorded() == "",
	})
	d.StartsWith(file.image.Size())
	if f.thread.Exploring() {
		d.KeepWrites()
	}
	if s.watch == nil {
		s.watch = map[watched]*race.Detector{}
	}
	s.watch[key] = d
	opened, none := f.leftoverLint(log, name), f.unrecorded()
	port.AtEnd(c, new(commport.Leftover), commport.EndFunc(func() error {
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
		if triesFixes {
			d.Advise(race.Recording{Marks: world.Marks, Over: world.Over, None: none})
		}
		if races := d.Races(); len(races) > 0 {
			return consistency.Races(races)
		}
		return nil
	}))
	return d
}

// leftoverLint returns the lint for an Open that may leave old bytes after the written
// ones; nil if this one cannot.
func (f *File) leftoverLint(log *trace.Log, name string) *trace.Lint {
	if log == nil || !f.amode.has(Create) || f.amode.has(DeleteOnClose) {
		return nil
	}
	return &trace.Lint{Op: "Open", File: name, Place: f.line.Place().Base(), At: f.line.Place(), Rule: "IO-AMODE-04"}
}

// unrecorded returns why the run is not recorded, so that no fixes of races can be tried in
// it; empty if it is recorded.
func (f *File) unrecorded() string {
	ranks := f.thread.Sched().Len()
	_, named := f.thread.Placed() // named by an interpreter, or of a C program
	switch {
	case named:
		return "fixes are tried for Go programs and rank scripts"
	case f.thread.Sched().Searching():
		return "the exploration ended first; world.Replay of this run tries fixes"
	case race.MostMarks(ranks) == 0:
		return fmt.Sprintf("the world has %d ranks, and fixes are tried with up to %d", ranks, race.MostRecorded)
	}
	return ""
}

// begins marks the beginning of a call in the record of the rank.
func (f *File) begins(op string) {
	if f.set == nil || f.track == nil {
		return
	}
	if trace.FileCollective(op) {
		f.rounds++
		f.thread.MarkCall(op, f.set.group, int(f.rounds), f.set.ranks)
		return
	}
	f.thread.MarkCall(op, nil, 0, 0)
}

// forgetWatch makes a file that takes the place of a deleted one start without a history.
// Called with s.mu held.
func (s *FS) forgetWatch(name string) {
	for key := range s.watch {
		if key.name == name {
			delete(s.watch, key)
		}
	}
}

// clockSnapshot is the clock of a rank as it is when it is asked.
type clockSnapshot struct{ *sched.Rank }

func (k clockSnapshot) Covers(rank int, time uint64) bool { return k.Clock().Covers(rank, time) }

// stamp fills in the time and the place of an access. skip counts the frames from here to
// the method that the program called.
func (f *File) stamp(a *race.Access, skip int) {
	a.LastKnown = f.thread.FirstUnpublished()
	a.Time, a.Clock, a.Atomic = f.thread.Tick(), clockSnapshot{f.thread}, f.atomic
	if p, ok := f.thread.Placed(); ok {
		a.Line = p
	} else {
		sched.Frames(skip+2, a.Where[:])
	}
}

// here records the line of the program that called the method which called run, and the
// time. It is looked up from run itself: walking up the stack costs more than the rest of
// the access, unless the place is known.
//
//go:noinline
func (f *File) here(e *race.Access) {
	e.LastKnown = f.thread.FirstUnpublished()
	e.Time, e.Atomic = f.thread.Tick(), f.atomic
	if p, ok := f.thread.Placed(); ok {
		e.Line, e.Where = p, race.PCs{}
		return
	}
	if e.Line.Line > 0 {
		e.Line = sched.Place{}
	}
	if f.sites == nil {
		f.sites = f.thread.Sched().CallSites(f.thread.ID())
	}
	e.Where = race.PCs(*f.sites.Caller(4))
}

// done returns the event of a blocking access that has moved bytes, nil if no event is
// needed.
//
//go:noinline
func (f *File) done(a *access) *journal.Event {
	if a.with == all {
		f.joined++
	}
	if a.etypes == 0 {
		return nil
	}
	n := a.moved
	if a.spread { // it failed, and it is unknown which bytes it moved
		n = a.etypes * f.view.Unit.Size
	}
	e := &f.latest
	if e.Kind == journal.Done && f.inside == "" { // then describe and here fill in all fields but these
		e.Under, e.Entry, e.Err = nil, nil, nil
	} else {
		e = f.event(journal.Done, a.op)
	}
	f.describe(e, a, n)
	return e
}

// notePointer notifies the listeners of a call at the shared pointer without bytes.
func (f *File) notePointer(op string, together, moves bool) {
	if !f.wanted(journal.Pointer) {
		return
	}
	e := f.event(journal.Pointer, op)
	e.All, e.Moves, e.Begins, e.Round = together, moves, together, f.round
	f.stamp(&e.Access, 3)
	f.notify(e)
}

// noteBegun notifies the listeners of an access that is under way from now on.
func (f *File) noteBegun(a *access) {
	if a.with == all {
		f.joined++
	}
	if !f.wanted(journal.Begun) || a.etypes == 0 {
		return
	}
	e := f.event(journal.Begun, a.op)
	f.describe(e, a, f.accessibleBytes(a))
	f.stamp(&e.Access, 3)
	e.Buffer = &a.buf
	r := f.notify(e)
	a.under, a.entry = r.Under, r.Entry
}

// noteEnded notifies the listeners of the end of an access that was begun: it is complete,
// or has failed with err.
func (f *File) noteEnded(a *access, err error) {
	if a.under != nil {
		e := f.event(journal.Ended, a.op)
		e.Under, e.Moved, e.Err = a.under, a.moved, err
		f.notify(e)
	}
}

// describe fills in e for an access of n bytes, except its time and place.
func (f *File) describe(e *journal.Event, a *access, n int64) {
	e.Op, e.Write, e.View = a.op, a.write, f.view
	e.All, e.Shared, e.Moves = a.with == all, a.at == shared, true
	if e.Shared {
		e.Begins, e.Round = e.All && f.order.begins, f.round
		if e.All {
			e.Round = f.order.round
		}
	}
	e.Asked = a.etypes * f.view.Unit.Size
	e.Bytes = f.view.part(a)
	e.Bytes.N = n
	if e.Call = 0; a.with == all {
		e.Call = f.joined
	}
	e.Clock = clockSnapshot{f.thread}
	if e.Short = !a.write && (a.short || n < a.etypes*f.view.Unit.Size); e.Short {
		e.EndsAt = f.bytes.Size()
		if n < a.etypes*f.view.Unit.Size { // with an end before the first missed byte it could not have read more
			e.EndsAt = max(e.EndsAt, f.view.Tiles.At(e.Bytes.From+n))
		}
	}
}

// noteSize notifies the listeners of a call that queries the size of the file: it reads all
// bytes (CONS-D08). skip is as in stamp, counted from the caller.
func (f *File) noteSize(op string, together bool, skip int) {
	if f.wanted(journal.Sized) {
		f.sized(&race.Access{Op: op, Resize: together, Bytes: extent.Between(0, extent.MaxSize)}, skip+1)
	}
}

// sized notifies the listeners of a change or a query of the size.
func (f *File) sized(a *race.Access, skip int) {
	e := f.event(journal.Sized, a.Op)
	e.Access = *a
	f.stamp(&e.Access, skip+1)
	f.notify(e)
}

// noteResize notifies the listeners of a change of size, by a handle that saw the file
// before bytes long, when it was image bytes long. The call writes the bytes between the
// old and the new size (CONS-D08). A rank that writes behind the new end, unordered with a
// SetSize, changes the old size; so SetSize counts as a write of everything behind. A call
// that changes nothing is only a read. If the file was so long only because of an access
// that nothing orders before the call, the call might have come first and made the file
// longer.
func (f *File) noteResize(op string, before sizes, image, to int64) {
	if !f.wanted(journal.Sized) {
		return
	}
	from := min(before.seen, before.least, image)
	lo, hi, write := min(from, to), int64(extent.MaxSize), before.seen != to || image != to || from < to
	if op == "Preallocate" {
		if hi, write = to, from < to; !write { // matters only to calls that cut the file
			lo, hi = extent.MaxSize-1, extent.MaxSize
		}
	}
	f.sized(&race.Access{Op: op, Write: write, Resize: true, EndsAt: to, Bytes: extent.Between(lo, hi)}, 3)
}

// noteCut notifies the listeners that the file now ends at size. Unpublished writes of
// other opens are not in the file, and remain with them.
func (f *File) noteCut(size int64) *race.Entry {
	if !f.wanted(journal.Cut) {
		return nil
	}
	e := f.event(journal.Cut, "")
	e.EndsAt = size
	return f.notify(e).Entry
}

// noteSync notifies the listeners that a sequence of the handle has ended.
func (f *File) noteSync() {
	if f.wanted(journal.Synced) {
		e := f.event(journal.Synced, "Sync")
		f.stamp(&e.Access, 3)
		f.notify(e)
	}
}

// noteCall notifies the listeners of a call without data, described by its kind alone.
func (f *File) noteCall(k journal.Kind, op string, err error) {
	if f.wanted(k) {
		e := f.event(k, op)
		e.Err = err
		f.notify(e)
	}
}

// noteMode notifies the listeners that the program sets the atomic mode, perhaps to what it is.
func (f *File) noteMode(op string, atomic bool) {
	if f.wanted(journal.Switched) {
		e := f.event(journal.Switched, op)
		e.Atomic = atomic
		f.notify(e)
	}
}

// races is the listener that passes the events of handles to the race detector.
type races struct{}

func (races) Wants(handle any) journal.Kind {
	if handle.(*File).track == nil {
		return 0
	}
	return journal.Begun | journal.Done | journal.Ended | journal.Sized | journal.Cut | journal.Pointer |
		journal.Viewed | journal.Switched | journal.Synced | journal.Closed
}

func (races) Record(e *journal.Event) {
	f := e.Handle.(*File)
	t := f.track
	if e.Shared || e.Kind == journal.Pointer {
		f.chooser.untriedOrders(t.Pointer(&e.Access, race.PointerCall{Together: e.All, Moves: e.Moves, Begins: e.Begins, Round: e.Round}))
	}
	switch e.Kind {
	case journal.Done, journal.Sized:
		if race := t.Access(&e.Access); race != nil {
			f.chooser.found(race)
		}
	case journal.Begun:
		p, race := t.Begin(&e.Access)
		e.Under = p
		if race != nil {
			f.chooser.found(race)
		}
	case journal.Ended:
		if e.Err != nil && e.Moved == 0 {
			e.Under.Cancel()
		} else {
			e.Under.End(f.thread.Tick())
		}
	case journal.Cut:
		t.Cut(e.EndsAt)
	case journal.Viewed:
		if v := f.view; f.log.Careful() && v.Unit.Extent > v.Unit.Size {
			f.set.watch.Padded(v.Unit.Extent - v.Unit.Size)
		}
	case journal.Switched:
		t.Atomicity(e.Atomic != f.atomic, f.thread.Tick(), f.thread.Clock().Known())
	case journal.Synced:
		t.Sync(e.Time, f.thread.Clock().Known(), race.Where{PCs: e.Where, Line: e.Line})
	case journal.Closed:
		t.Close(f.thread.Tick(), f.thread.Clock().Known())
	}
}

// untriedOrders records with the explorer that collective calls at the shared pointer need not
// come after calls of one rank alone that nothing orders before them: they meet here, so that
// order alone is tried. (IO-SHP-07)
func (f exploring) untriedOrders(pairs []*consistency.RaceError, known bool) {
	if !known {
		f.thread.Sched().NoteUntried("file " + f.name + ": orders of calls at the shared pointer, because too many lines of the program use it")
	}
	for _, e := range pairs {
		a, b := &e.A, &e.B
		if !trace.FileCollective(a.Op) {
			a, b = b, a
		}
		tried := (a.Op == "SeekShared" || a.Op == "SetView") && f.thread.Sched().LeavesEarly(sched.Call{At: sched.LineAt(a.Place)})
		if !tried {
			f.thread.Sched().NoteUntried(fmt.Sprintf("file %s: %s (%v) before %s (%v) of another rank; a collective call need not wait for all ranks",
				f.name, a.Op, a.Place, b.Op, b.Place))
		}
	}
}

// found records with the explorer what a race leaves open that is not tried.
func (f exploring) found(race *consistency.RaceError) {
	name := "file " + f.name + ": "
	atomic := race.A.Atomic && race.B.Atomic
	// What the weakest model leaves open depends on no order of these calls.
	if op := f.set.file.stayed; op != "" && op != race.A.Op && op != race.B.Op && (atomic || f.writeHistory() == nil) {
		f.thread.Sched().NoteUntried(name + "what may happen when " + op + " returns on one rank before others have come to it")
	}
	switch file := f.set.file; {
	case atomic:
	case f.chaotic():
		f.thread.Sched().NoteUntried(name + "under the model " + f.model().String() + ", a race also depends on chance")
	case file.strong && file.weak:
		f.thread.Sched().NoteUntried(name + "what a race leaves open between handles of different models")
	case f.amode.has(Sequential):
		f.thread.Sched().NoteUntried(name + "where reads of a stream end that another rank makes longer")
	}
	for _, op := range []string{race.A.Op, race.B.Op} {
		if slices.Contains(f.set.file.sized, op) {
			f.thread.Sched().NoteUntried(name + "where " + op + " leaves the individual pointer, because others may move the end of the file")
		}
		switch {
		case !trace.FileCollective(op):
		case f.exchanges() && (f.strongModel || f.atomic) && takesTwoCalls(op):
			f.thread.Sched().NoteUntried(name + "what may happen when " + op + ", which races, takes place before its rank completes it, because its ranks exchange bytes")
		case f.anyConverts || f.set.mayFail:
			f.thread.Sched().NoteUntried(name + "what may happen when " + op + ", which races, returns on one rank before another has moved its bytes, " +
				"because the ranks first ask each other whether it failed (world.Buffers, a store, fault, strategy or conversion may fail it)")
		}
	}
}

// takesTwoCalls reports whether a call only begins an access, or completes it.
func takesTwoCalls(op string) bool {
	return strings.HasPrefix(op, "I") || strings.HasSuffix(op, "Begin") || strings.HasSuffix(op, "End")
}

// String returns the view as text for a report.
func (v *fileView) String() string {
	if v.Disp == 0 && v.plain && v.Unit.Size == 1 && v.Tiles.L.Gapless() {
		return ""
	}
	text := "view disp " + strconv.FormatInt(v.Disp, 10) + ", etype " + v.Etype.Brief() + ", filetype " + v.Filetype.Brief()
	if v.Rep != "native" {
		text += ", " + v.Rep
	}
	return text
}

// Parts returns the view as parts of a command line.
func (v *fileView) Parts() (disp int64, etype, filetype, rep string) {
	return v.Disp, v.Etype.String(), v.Filetype.String(), v.Rep
}

// SyncUses returns, for every line of the program that syncs the file, how often it did in
// this world and how often that was needed: without those calls two accesses made so far
// would have raced. The other calls ordered nothing. all is false if the run was so long
// that the detector had to forget; without a race detector it is false, too, and the list
// is empty. Local.
func (f *File) SyncUses() (uses []consistency.SyncUse, all bool) {
	if f == nil || f.set == nil || f.set.watch == nil {
		return nil, false
	}
	return f.set.watch.Syncs()
}

// ElementSize returns the size of the etype in bytes.
func (v *fileView) ElementSize() int64 { return v.Unit.Size }

// TileExtent returns the extent of the filetype in the file, in bytes.
func (v *fileView) TileExtent() int64 { return v.Tiles.L.Extent }

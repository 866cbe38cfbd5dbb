package iofile

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/callsite"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// port has the functions that package comm gives to packages of this module.
var port = comm.Internal(commport.Key{})

// A File is one rank's handle of a file that the ranks of a communicator opened together.
// Only that rank calls its methods.
type File struct {
	name    string
	amode   Mode
	fsys    *FS
	how     *opening
	hints   *comm.Info // hints in use; nil if none was given
	handler *Errhandler
	line    *sched.Line // line of the open
	far     *far        // carries out the calls of a file that an engine has opened; else nil
	chooser chooser     // asked before what depends on the order of calls

	c      *comm.Comm // own, once it exists, before that the program's
	own    comm.Comm  // the handle's duplicate: its calls match no others
	rank   int
	thread *sched.Rank
	log    *trace.Log        // nil: the run has no report
	left   commport.Leftover // with it the world closes the handle if the program does not
	meet   *sched.Rendezvous // where the ranks of the file meet
	turns  [2]turn           // of this rank at the last meetings
	met    uint              // number of calls of consult so far
	rounds int32             // number of collective calls so far

	// What the next call may do.
	closed   bool
	handling bool     // the handler is running
	inside   string   // the function of the user that is running as part of a call
	split    *started // the split collective under way

	// The file, and how the handle sees it.
	set         *handleSet
	bytes       image.Handle
	view        *fileView
	unlike      int // a rank whose view differs from rank 0's, or -1
	atomic      bool
	strongModel bool   // its model shows more than the weakest model
	anyConverts bool   // some rank's view converts, so a collective access may fail on one rank
	asked       bool   // TypeExtent was called
	pos         Offset // individual file pointer
	moves       int64  // number of its moves so far
	round       int    // number of collective moves of the shared pointer that this rank took part in
	*traffic           // nil: there was no access

	// Who is notified.
	track     *race.Tracker // nil: accesses are not checked for races
	faults    *injector     // nil: no fault is injected
	listening uint32        // the listeners that want events of the handle, by bit
	wants     journal.Kind  // the kinds of events that they want
	rewound   *rewound      // nil: no view has set pointers back that Append had set
}

// A traffic is the state that a handle needs for accesses, made at the first. Many handles
// of a collective open are never used.
type traffic struct {
	now    access     // the present call
	begun  trace.Mark // its beginning, for the log
	latest journal.Event
	joined uint64          // number of collective accesses so far
	cached cachedPlan      // of the last access that passed all checks
	order  order           // of the last ordered access
	sites  *callsite.Cache // places it was used from lately; nil: not needed
	recent *access         // that Plan describes
	sums   strategy.Counts // sum of the plans that were carried out
	poll   poll            // in a careful world
	forms  formLints

	adopted   *footprint           // what it found in the state that it adopted, in an exploring world; nil: it sees the newest
	under     []*started           // accesses under way
	settled   int64                // in an exploring world: the size when the first of them began
	abandoned []sched.Arrival[any] // see File.abandon
}

// used makes the traffic of the handle, before its first access.
func (f *File) used() {
	if f.traffic == nil {
		f.traffic = new(traffic)
		f.recent = &f.now
	}
}

// underWay returns the nonblocking accesses that are under way.
func (f *File) underWay() []*started {
	if f.traffic == nil {
		return nil
	}
	return f.under
}

// A handleSet is what the handles of one collective open share.
type handleSet struct {
	*group
	file    *openFile
	view    *fileView  // the first view of a handle, for architectures like that of rank 0
	arch    *reps.Arch // that architecture
	watch   *race.Detector
	ledger  *race.Ledger // nil: provenance is not recorded
	mayFail bool         // accesses may fail because of the store or of a plan of faults
	pointer sharedPointer
	left    atomic.Int32 // handles that have not been closed
	apart   bool         // its ranks leave collective calls before others have come, in a world that explores
	closing int          // ranks that have come to Close, in such a world
	nodes   int          // number of nodes of these ranks; 0: unknown
	perNode int          // ranks of each node, if they are in order; else 0
	lints   lintBook
	unlike  unlikeRanks
}

// A group stands for one collective open in the records of a run, so that they do not keep
// the file alive.
type group struct {
	ranks   int   // number of handles
	appends bool  // opened with Append
	members []int // the ranks, of the world; nil: all
}

func (f *File) newGroup() *group {
	g := &group{ranks: f.c.Size(), appends: f.amode.has(Append)}
	if g.ranks < f.thread.Sched().Len() {
		for rank := range g.ranks {
			g.members = append(g.members, port.InWorld(f.c, rank))
		}
	}
	return g
}

// Ranks returns how many ranks opened the file together.
func (g *group) Ranks() int { return g.ranks }

// Has reports whether a rank of the world opened the file with the others.
func (g *group) Has(rank int) bool { return g.members == nil || slices.Contains(g.members, rank) }

// Appends reports whether the file was opened with Append.
func (g *group) Appends() bool { return g.appends }

// Open opens the file called name for all ranks of c and returns this rank's handle. The
// handle has a view of bytes from the first, pointers at 0 (with Append: at the end of the
// file), and nonatomic mode. Collective: amode, name and options are the same on all ranks,
// unless an option says otherwise. c is duplicated, so other calls on it never interfere
// with the file's. Errors: ErrComm, ErrAmode, ErrNotSame, ErrBadFile, ErrNoSuchFile,
// ErrFileExists, ErrFileInUse, ErrAccess, ErrReadOnly, ErrNoSpace, ErrQuota, ErrIO. An
// error of one rank is an error of every rank; the default file handler of the rank handles
// it, see [SetDefaultErrhandler].
//
// MPI_File_open
func Open(c *comm.Comm, fsys *FS, name string, amode Mode, opts ...OpenOption) (*File, error) {
	const op = "Open"
	if port.Thread(c) == nil {
		return nil, report(op, errclass.NoRank, name, broken(ErrComm, "IO-OPEN-01", "the communicator is nil"))
	}
	began, how := port.Log(c).Begin(), openingOf(opts).in(c, fsys)
	f := newFile(c)
	f.name, f.amode, f.fsys, f.how, f.hints = clean(name), amode, fsys, how, how.hints
	f.c, f.rank, f.thread, f.log, f.line = c, c.Rank(), port.Thread(c), port.Log(c), port.Thread(c).NoteLine(2)
	if f.chooser = (ordinary{f}); f.thread.Exploring() {
		f.chooser = exploring{f}
	}
	defer f.opened(began)
	if err := f.to().open(op); err != nil {
		return nil, raiseDefault(c, err)
	}
	f.handler, _ = DefaultErrhandler(c)
	return f, nil
}

// newFile returns a handle with its carrier, in one allocation.
func newFile(c *comm.Comm) *File {
	if engine.Possible && port.Engine(c) != nil {
		h := new(struct {
			handle File
			far    far
		})
		h.handle.far, h.far.File = &h.far, &h.handle
		return &h.handle
	}
	return &File{unlike: -1}
}

// clean returns a name in the form that all ranks must agree on. An empty name stays empty.
func clean(name string) string {
	if name == "" {
		return name
	}
	return path.Clean(name)
}

// sameTerms checks that all ranks open the same file in the same way.
func sameTerms(args []any) error {
	first := args[0].(*File)
	for r, a := range args {
		switch f := a.(*File); {
		case f.amode != first.amode:
			return broken(ErrNotSame, "IO-OPEN-02", "modes differ: %v on rank 0, %v on rank %d", first.amode, f.amode, r)
		case f.name != first.name:
			return broken(ErrNotSame, "IO-OPEN-03", "names differ: %q on rank 0, %q on rank %d; all ranks of the communicator open one file together: for a file of its own, a rank opens it with c.Self()", first.name, f.name, r)
		case f.fsys != first.fsys:
			return broken(ErrNotSame, "IO-OPEN-03", "ranks 0 and %d gave different file systems", r)
		case f.how.openOptions != first.how.openOptions:
			return broken(ErrNotSame, "GEN-05", "options differ: %v on rank 0, %v on rank %d", first.how, f.how, r)
		}
	}
	return sameHints(func(r int) *comm.Info { return args[r].(*File).hints }, len(args))
}

// open makes f a handle of its file. The ranks meet once: while they make their duplicate
// of the communicator, one of them checks that they agree, and opens the file for all.
func (f *File) open(op string) error {
	f.faults = injectorOf(f.c, f.fsys, f.name)
	wrong := f.checkOpen()
	if wrong == nil {
		wrong = classified(f.inject(faults.Open), ErrIO, "IO-NAME-01")
	}
	if dead := f.endIfKilled(op, wrong); dead != nil {
		return dead
	}
	t := &f.turns[0]
	*t = turn{f: f, op: op, args: f, err: wrong, resolve: openAll, line: unknownLine}
	err := port.Dup(f.c, &f.own, op, t, resolveTurns)
	if err != nil {
		return f.errorOf(op, classified(err, ErrComm, "IO-OPEN-01"))
	}
	f.c = &f.own
	if err = f.attach(op, t.args); err == nil {
		err = f.begin()
	}
	if err != nil {
		f.c.Free()
		return err
	}
	f.beginKinds()
	f.chooseStrategy()
	f.lintHints(op, f.how.given)
	return nil
}

// checkOpen returns an error if the arguments of Open are wrong.
func (f *File) checkOpen() error {
	err := f.amode.check()
	if err == nil {
		err = f.how.check()
	}
	if err == nil && f.how.cuts && !f.amode.has(Sequential) {
		err = broken(ErrArg, "IO-SEQ-05", "writes cut only on a Sequential file; the mode is %v", f.amode)
	}
	if err == nil && f.fsys == nil {
		err = broken(ErrArg, "IO-OPEN-03", "the file system is nil; give iofile.NewMem() or iofile.NewDir(path)")
	}
	if err == nil && f.fsys.opts.layoutsOnly {
		err = f.checkLayoutsOnly()
	}
	return err
}

// openAll is the resolve function of Open: all ranks get the *handleSet.
func openAll(args []any) (any, error) {
	first := args[0].(*File)
	if err := sameTerms(args); err != nil || first.thread.Exploring() {
		return nil, err // an exploration is asked first; see attach
	}
	return first.openFile()
}

// openFile opens the file for all ranks; f is the handle of rank 0.
func (f *File) openFile() (any, error) {
	file, err := f.fsys.openFile(f.name, f.amode, permOf(f.hints))
	if err != nil {
		return nil, classified(err, ErrIO, "IO-NAME-01")
	}
	// A callback fails an access only if it panics. For those of the file system that does not
	// count when exploring: the extra meeting would make ranks wait for each other and hide
	// results of races.
	set := &handleSet{
		group: f.newGroup(), file: file, watch: f.detector(file), ledger: f.fsys.ledgerOf(file, f.log.KeepsFiles()),
		mayFail: file.fallible || f.faults != nil || f.how.followed || f.fsys.opts.calls.given() && !f.thread.Exploring() || port.Guards(f.c),
		arch:    f.c.Arch(),
	}
	if set.view, err = f.firstView(set); err != nil {
		return nil, errors.Join(err, file.release(false))
	}
	set.left.Store(int32(set.ranks))
	if m := f.cluster(); m.RanksPerNode > 0 {
		set.nodes, set.perNode = m.Nodes(set.ranks, func(rank int) int { return port.InWorld(f.c, rank) })
	}
	return set, nil
}

// firstView returns the first view of a handle of set: bytes, from the first.
func (f *File) firstView(set *handleSet) (*fileView, error) {
	v, err := f.compile(View{Disp: f.firstDisp(), Etype: types.Byte, Filetype: types.Byte})
	if err == nil {
		v.tag = f.tagOf(v, set)
	}
	return v, err
}

// attach takes the result of the meeting.
func (f *File) attach(op string, resolved any) error {
	f.meet = port.Rendezvous(f.c)
	v, err := f.chooser.take(op, resolved)
	if err != nil {
		return err
	}
	f.set = v.(*handleSet)
	return nil
}

// take lets rank 0 open the file now, when it is its turn: the explorer chooses the order of
// opens and deletions, and nothing can be asked while ranks meet.
func (f exploring) take(op string, resolved any) (any, error) {
	v, err := f.learn(op, resolved)
	if err != nil {
		return nil, err
	}
	f.stays(op)
	if f.rank == 0 {
		if err = holdName(f.thread, op, f.name, &nameUse{opens: true, amode: f.amode}); err != nil {
			return nil, f.stopped(op, err)
		}
		if v, err = f.openFile(); err == nil {
			set := v.(*handleSet)
			if set.apart = true; set.watch != nil { // else several ranks that open it alone come here at the same time
				if set.file.writes = set.watch.Writes(); set.ledger != nil {
					set.ledger.Apart()
				}
			}
		}
	}
	all, err := f.consult(op, v, err, ofRankZero)
	if err != nil && v != nil { // the world ended before the other ranks learned of it
		_ = v.(*handleSet).file.release(false)
	}
	return all, err
}

// rulesOf returns the rules of the image for a model.
func rulesOf(m consistency.Model) image.Rules {
	r := image.Rules{Early: m.PublishesEarly(), Fresh: m.ReadsFresh()}
	r.Seed, r.Chaos = m.Seed()
	return r
}

// model returns the consistency model of the handle.
func (f *File) model() consistency.Model {
	return cmp.Or(f.how.model, f.fsys.opts.model)
}

// begin gives a new handle its bytes, view and pointers.
func (f *File) begin() error {
	model := f.model()
	if f.set.watch != nil {
		if f.set.watch.Records() {
			f.thread.Sched().RecordMarks(f.thread.ID(), race.MostMarks(f.thread.Sched().Len()))
			f.thread.MarkCall("Open", f.set.group, 0, f.set.ranks)
		}
		f.track = f.set.watch.Open(f.set.group, f.thread.ID(), f.thread.Tick(), f.thread.Clock().Known())
	}
	f.strongModel = forgives(model) || f.chaotic()
	if err := f.chooser.publish("Open", !model.ReadsFresh()); err != nil {
		f.leave()
		return f.stopped("Open", err)
	}
	f.bytes.OpenAs(rulesOf(model), f.set.file.image)
	if f.faults != nil {
		f.bytes.Via(&faultyFile{f.set.file.backing, f.faults})
	}
	port.AtEnd(f.c, &f.left, (*unclosed)(f))
	f.chooser.ready()
	f.listen()
	if f.view = f.set.view; f.c.Arch() != f.set.arch {
		v, err := f.firstView(f.set)
		if err != nil {
			return f.errorOf("Open", err)
		}
		f.view = v
	}
	if f.strongModel && f.set.file.writes != nil {
		f.set.file.writes.StopTracking()
	}
	if f.amode.has(Append) {
		const op = "Open"
		size, err := f.length(op, true, 3)
		v, err := f.consult(op, size, err, func(args []any) (any, error) { // the same end for all ranks, even if one continues at once and writes
			return latest(args, func(a any) int64 { return a.(int64) }), nil
		})
		if err != nil {
			return err
		}
		f.moveTo(Offset(f.view.End(v.(int64))))
		f.moveShared(f.pos)
	}
	return nil
}

// firstDisp returns the displacement that means the first byte of the file.
func (f *File) firstDisp() int64 {
	if f.amode.has(Sequential) {
		return DisplacementCurrent
	}
	return 0
}

// Close publishes the writes of the handle, as [File.Sync] does, and closes it; with
// DeleteOnClose the file is then deleted. Collective. If Close is refused, because another
// rank is in another call or an access is under way, the handle stays open; after any other
// error it is closed, and unpublished writes are lost. Errors: ErrFile on a closed handle,
// ErrNotSame, ErrOther, those of the store.
//
// MPI_File_close
func (f *File) Close() error { return f.to().close() }

func (f *File) close() error {
	const op = "Close"
	if err := f.alive(op); err != nil {
		return err
	}
	defer f.returns(op, f.log.Begin())
	f.publishRaw()
	v, err := f.chooser.depart(op, f, f.idle("IO-CLOSE-02"), closeAll, nil, nil)
	if err = f.raise(err); err != nil {
		return err
	}
	if v == nil {
		if err = f.chooser.publish(op, false); err != nil {
			return f.stopped(op, err)
		}
	}
	f.closed = true
	f.left.Closed()
	if v == nil {
		err = f.publishLast()
	}
	f.noteCall(journal.Closed, op, err)
	f.bytes.Abandon() // with the writes that could not be published
	if v == nil {
		if v, err = f.consultLast(op, err); err != nil { // the world has ended
			f.leave()
		}
	}
	f.c.Free()
	if end, ok := v.(*returned); ok {
		_, err = f.learn(op, &end.outcome)
		if end.last != nil {
			err = fault.Join(err, f.errorOf(op, end.last))
		}
	}
	return f.raise(err)
}

// publishLast publishes the writes of a handle that closes.
func (f *File) publishLast() error {
	err := f.flushed(f.bytes.Flush())
	f.published()
	return fault.Join(err, f.inject(faults.Close))
}

// consultLast is the meeting of ranks that have published their writes, or failed to.
func (f *File) consultLast(op string, err error) (any, error) {
	if dead := f.endIfKilled(op, err); dead != nil {
		return nil, dead
	}
	err = classified(err, ErrIO, "IO-CLOSE-01")
	return f.chooser.last(op, err)
}

// last lets each rank come when it is its turn, because others may open or delete the file. The
// last to come closes the file for all.
func (f exploring) last(op string, err error) (any, error) {
	use := &nameUse{closes: f.set.group, amode: f.amode, deletes: f.amode.has(DeleteOnClose), strict: f.fsys.opts.strictDelete}
	if stop := holdName(f.thread, op, f.name, use); stop != nil {
		return nil, f.stopped(op, stop)
	}
	f.line = f.thread.NoteLine(sched.AnyDepth)
	if f.set.closing++; f.set.closing == f.c.Size() {
		if stop := f.chooseContent(op); stop != nil {
			return nil, f.stopped(op, stop)
		}
	}
	if err != nil {
		return f.consult(op, err, nil, f.closeOnce)
	}
	v, err := f.chooser.depart(op, err, nil, f.closeOnce, nil, func(val any) bool {
		end := val.(*returned)
		return end.err == nil && end.last == nil
	})
	if v == nil && err == nil { // others close the file, or the end of the world does
		f.set.left.Add(-1)
	}
	return v, err
}

// A returned holds the errors of closing a file: those before it was given back to its
// store, and those of giving it back.
type returned struct {
	outcome
	last error
}

// closeAll retires the handles of all ranks while they meet. No rank will read through them
// again, so overwritten bytes need not be kept for them. If there is nothing to publish the
// file is closed at once; the result is then a *returned.
func closeAll(args []any) (any, error) {
	quiet := true
	for _, a := range args {
		f := a.(*File)
		f.bytes.Retire()
		quiet = quiet && f.quiet()
	}
	if !quiet {
		return nil, nil
	}
	return args[0].(*File).closeOnce(nil)
}

// quiet reports whether the rank of f has no part in closing the file: it has nothing to
// publish, no listener wants the event, and no fault is injected.
func (f *File) quiet() bool {
	return !f.bytes.Pending() && f.faults == nil && f.set.ledger == nil && f.set.file.cache == nil && !f.set.apart
}

// closeOnce closes the file for all ranks, on the last rank to come to a meeting of Close:
// it syncs the store and gives the file back. If that, or one of the ranks, whose errors
// are given, has failed, the file is kept, even if it was to be deleted.
func (f *File) closeOnce(failed []any) (any, error) {
	end := &returned{outcome: outcome{rank: -1}}
	for r, a := range failed {
		if err, ok := a.(error); ok {
			end.outcome = outcome{err: err, rank: r}
			break
		}
	}
	if end.err == nil {
		end.err = classified(f.set.file.image.Sync(), ErrIO, "IO-CLOSE-01")
	}
	f.set.left.Store(-1) // for ranks that learn only of the end of the world
	remove := f.amode.has(DeleteOnClose) && end.err == nil
	end.last = classified(f.set.file.release(remove), ErrIO, "IO-CLOSE-01")
	if remove && end.last == nil {
		at := f.thread.Place()
		if f.set.apart { // the rank may have gone on
			at = f.line.Place()
		}
		f.fsys.deletedAt(f.set.file.name, at)
	}
	return end, nil
}

// leave counts a handle that the end of the world has closed. The last one gives the file
// back.
func (f *File) leave() {
	if f.set.left.Add(-1) == 0 {
		_ = f.set.file.release(false)
	}
}

// An unclosed is a handle that the program did not close before the world ended.
type unclosed File

// End gives up the handle. Its unpublished writes are lost.
func (u *unclosed) End() error {
	f := (*File)(u)
	f.closed = true
	f.bytes.Abandon()
	f.published()
	if p := f.writeHistory(); p != nil {
		p.StopTracking() // some writes are not in the file
	}
	f.noteCall(journal.Lost, "", nil)
	f.leave()
	return f.neverClosed(f.line.Place())
}

// neverClosed returns the error at the end of the world for a handle that was never closed.
func (f *File) neverClosed(opened sched.Place) error {
	return &Error{Pkg: "iofile", Rank: f.rank, Class: ErrOther, Rule: "IO-OPEN-08", Place: opened, Err: fmt.Errorf(
		"file %q, opened at %v, was never closed; what was written since the last Sync is lost", f.name, opened)}
}

// Delete deletes the file called name. Not collective. An open file loses its name at once
// and its bytes at the last close. Errors: ErrNoSuchFile, ErrBadFile, ErrAccess. They are
// only returned: Delete may be called outside of a world; see [DeleteFor].
//
// MPI_File_delete
func Delete(fsys *FS, name string) error {
	return discard("Delete", errclass.NoRank, fsys, name)
}

// DeleteFor is [Delete] by the calling rank of c, whose default file handler gets the
// error. No hints about deleting are known; info may be nil. Not collective. Errors: as
// Delete, ErrComm. (IO-INFO-01, ERR-03)
//
// MPI_File_delete
func DeleteFor(c *comm.Comm, fsys *FS, name string, info *comm.Info) error {
	const op = "DeleteFor"
	if c == nil || port.Thread(c) == nil {
		return report(op, errclass.NoRank, name, broken(ErrComm, "IO-DEL-01", "the communicator is nil"))
	}
	if port.Engine(c) != nil && fsys != nil && fsys.made() == nil {
		if err := deleteFar(c, fsys, clean(name), info); err != nil {
			return raiseDefault(c, report(op, c.Rank(), name, err))
		}
		return nil
	}
	if err := holdName(port.Thread(c), op, clean(name), &nameUse{deletes: true, strict: fsys != nil && fsys.opts.strictDelete}); err != nil {
		return report(op, c.Rank(), name, err)
	}
	return raiseDefault(c, discard(op, c.Rank(), fsys, name))
}

func discard(op string, rank int, fsys *FS, name string) error {
	err := broken(ErrArg, "IO-DEL-01", "the file system is nil")
	if fsys != nil {
		if err = fsys.injectDelete(clean(name)); err == nil {
			err = fsys.remove(clean(name))
		}
	}
	if err != nil {
		return report(op, rank, name, classified(err, ErrIO, "IO-DEL-01"))
	}
	return nil
}

// Amode returns the mode that the file was opened with. Local. Errors: ErrFile.
//
// MPI_File_get_amode
func (f *File) Amode() (Mode, error) {
	if err := f.to().alive("Amode"); err != nil {
		return 0, err
	}
	return f.amode, nil
}

// Group returns the group of the communicator that the file was opened with.
// Local. Errors: ErrFile.
//
// MPI_File_get_group
func (f *File) Group() (*comm.Group, error) {
	if err := f.to().alive("Group"); err != nil {
		return nil, err
	}
	return f.c.Group()
}

// Name returns the name by which the file was opened.
func (f *File) Name() string {
	if f == nil {
		return ""
	}
	return f.name
}

// alive returns an error for a nil, closed or busy handle, and marks the beginning of the
// call in the record of the run.
func (f *File) alive(op string) error {
	if f == nil || f.c == nil || f.closed || f.inside != "" || sched.Stores.Any() {
		if err := f.unusable(op); err != nil {
			return err
		}
	}
	f.begins(op)
	return nil
}

// unusable returns why a call can not be made on the handle; nil if it can.
func (f *File) unusable(op string) error {
	if f == nil || f.c == nil {
		return report(op, errclass.NoRank, "", broken(ErrFile, "IO-CLOSE-04", "the handle is nil: files come from Open, which returns none if it fails; look at its error"))
	}
	if f.closed {
		return raiseDefault(f.c, f.errorOf(op, broken(ErrFile, "IO-CLOSE-04", "the handle is closed")))
	}
	if f.inside != "" && !(f.inside == inObserver && harmless(op)) {
		return f.fail(op, broken(ErrOther, "REP-USR-10", "called from %s that is part of a call on the same handle", f.inside))
	}
	if err := insideStore(); err != nil {
		return f.errorOf(op, err) // the error handler may use the file, too
	}
	return nil
}

// notSequential returns an error for a call on a stream that needs positions.
func (f *File) notSequential(rule string) error {
	if f.amode.has(Sequential) {
		return broken(ErrUnsupportedOperation, rule, "the file is Sequential: only shared-pointer accesses are allowed")
	}
	return nil
}

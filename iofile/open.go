package iofile

import (
	"errors"
	"fmt"
	"path"
	"sync/atomic"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/faults"
	"github.com/commworld/commworld/internal/callsite"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A File is one rank's handle of a file that the ranks of a communicator
// opened together. Its methods are called by that rank only.
type File struct {
	name  string
	amode Mode
	fsys  *FS

	c      *comm.Comm // own, until there is one that of the program
	own    comm.Comm  // the handle's duplicate: its calls match no others
	rank   int
	thread *sched.Rank
	log    *trace.Log // nil: nobody wants to know
	meet   *sched.Rendezvous
	turns  [2]turn
	met    uint // calls of consult so far

	set      *handleSet
	bytes    image.Handle
	track    *consistency.Tracker // nil: nobody looks for races
	rounds   int                  // collective calls so far, where the run is recorded
	faults   *misfortune          // nil: nothing goes wrong
	view     *view
	pos      Offset // individual file pointer
	moves    int64  // of it so far
	round    int    // collective moves of the shared pointer this rank took part in
	unlike   int    // a rank whose view differs from rank 0's, or -1
	how      *opening
	hints    *comm.Info // in use; nil if none was given
	handler  *Errhandler
	line     *sched.Line   // where it was opened
	left     comm.Leftover // so that the world closes this handle, if nobody does
	*traffic               // nil: there was no access

	atomic, closed bool
	strong         bool    // its model shows more than the weakest
	calm           bool    // see isCalm
	mixed          bool    // some rank's view converts, so an access of all may fail
	odd            bool    // bytes of another form were met through this view, and that was said
	asked          bool    // TypeExtent was called
	handling       bool    // the handler runs
	inside         string  // the function of the user that runs as part of a call
	visits         *visits // of a store of the user's own, or nil

	under []*started // accesses begun that are not complete
	split *split     // the split collective under way

	disowned []sched.Arrival[any] // see File.disown

	far *far // nil: this process carries the file out
}

// A traffic is what a handle keeps of its accesses, from the first on. Many handles
// of a collective open are never used.
type traffic struct {
	now    access     // the call under way
	begun  trace.Mark // of it, for the log
	seen   consistency.Access
	joined uint64          // collective accesses so far
	fits   fitting         // what was last found to fit
	habit  habit           // and needs no look
	order  order           // of the last ordered access
	raw    rawRun          // bytes written whose form the file has not been told
	sites  *callsite.Cache // from where it was used lately; nil: nobody asked
	recent last            // the access that Plan tells of
	counts Counts          // of the plans that were carried out
	poll   poll            // of a careful world
}

// used makes room for what is kept of accesses, before one.
func (f *File) used() {
	if f.traffic == nil {
		f.traffic = new(traffic)
	}
}

// A handleSet is what the handles of one collective open share.
type handleSet struct {
	file    *openFile
	view    *view      // that a handle begins with, on machines like that of rank 0
	arch    *reps.Arch // which are these
	watch   *consistency.Detector
	ledger  *consistency.Ledger // nil: nobody asks who wrote
	mishap  bool                // accesses may fail for reasons of the store or of a plan
	pointer sharedPointer
	left    atomic.Int32 // handles that have not been closed
	ranks   int          // handles that there were
	lints   lintBook
}

// Ranks is how many ranks opened the file together.
func (s *handleSet) Ranks() int { return s.ranks }

// Open opens the file called name for all ranks of c and returns this rank's
// handle: view of bytes from the first, pointers at 0 (at the end of the file
// with Append), nonatomic. Collective: amode, name and options are the same on
// all ranks, but for what options say. c is duplicated, so later calls on it never meddle with the file's.
// Errors: ErrComm, ErrAmode, ErrNotSame, ErrBadFile, ErrNoSuchFile,
// ErrFileExists, ErrFileInUse, ErrAccess, ErrReadOnly, ErrNoSpace, ErrQuota,
// ErrIO; every rank gets the error of one, and has it handled by its default file
// handler, which the handle begins with; see [SetDefaultErrhandler].
//
// MPI_File_open
func Open(c *comm.Comm, fsys *FS, name string, amode Mode, opts ...OpenOption) (*File, error) {
	const op = "Open"
	if c.Sched() == nil {
		return nil, report(op, -1, name, broken(ErrComm, "IO-OPEN-01", "the communicator is nil"))
	}
	began, how := c.Log().Begin(), openingOf(opts)
	f := &File{
		name: clean(name), amode: amode, fsys: fsys, how: how, hints: how.hints,
		c: c, rank: c.Rank(), thread: c.Sched(), log: c.Log(), unlike: -1, line: c.Sched().NoteNear(1),
	}
	f.faults = misfortuneOf(c, fsys, f.name)
	defer f.opened(began)
	if err := f.open(op); err != nil {
		return nil, raiseDefault(c, err)
	}
	f.handler, _ = DefaultErrhandler(c)
	if f.far == nil {
		f.lintHints(op, how.given)
	}
	return f, nil
}

// clean brings a name into the one form that all ranks must agree on. An empty
// name stays one.
func clean(name string) string {
	if name == "" {
		return name
	}
	return path.Clean(name)
}

// sameTerms settles that the handles of all ranks are to be of one file, opened
// in one way.
func sameTerms(args []any) error {
	first := args[0].(*File)
	for r, a := range args {
		switch f := a.(*File); {
		case f.amode != first.amode:
			return broken(ErrNotSame, "IO-OPEN-02", "modes differ: %v on rank 0, %v on rank %d", first.amode, f.amode, r)
		case f.name != first.name:
			return broken(ErrNotSame, "IO-OPEN-03", "names differ: %q on rank 0, %q on rank %d", first.name, f.name, r)
		case f.fsys != first.fsys:
			return broken(ErrNotSame, "IO-OPEN-03", "ranks 0 and %d gave different file systems", r)
		case f.how.openOptions != first.how.openOptions:
			return broken(ErrNotSame, "GEN-05", "options differ: %v on rank 0, %v on rank %d", first.how, f.how, r)
		}
	}
	return sameHints(func(r int) *comm.Info { return args[r].(*File).hints }, len(args))
}

// open makes f a handle of its file. The ranks meet once: while they make their
// duplicate of the communicator, one of them sees that they agree, and opens the
// file for all.
func (f *File) open(op string) error {
	wrong := f.checkOpen()
	if dead := f.dies(op, wrong); dead != nil {
		return dead
	}
	t := &f.turns[0]
	*t = turn{f: f, op: op, args: f, err: wrong, settle: openAll, line: unknownLine}
	err := f.c.DupFor(&f.own, op, t, settleTurns)
	if err != nil {
		return f.errorOf(op, classified(err, ErrComm, "IO-OPEN-01"))
	}
	f.c = &f.own
	if f.c.Engine() != nil {
		err = f.openFar(op, wrong)
	} else if err = f.attach(op, t.args); err == nil {
		err = f.begin()
	}
	if err != nil {
		f.c.Free()
	}
	return err
}

// checkOpen finds what is wrong with the arguments of Open.
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
	if err == nil {
		err = classified(f.strikes(faults.Open), ErrIO, "IO-NAME-01")
	}
	return err
}

// openAll is the settle of Open: what all ranks get is the *handleSet.
func openAll(args []any) (any, error) {
	first := args[0].(*File)
	if err := sameTerms(args); err != nil || first.thread.Exploring() {
		return nil, err // an exploration is asked first; see attach
	}
	return first.openFile()
}

// openFile opens the file for all ranks, of which f is that of rank 0.
func (f *File) openFile() (any, error) {
	file, err := f.fsys.openFile(f.name, f.amode, permOf(f.hints))
	if err != nil {
		return nil, classified(err, ErrIO, "IO-NAME-01")
	}
	set := &handleSet{
		file: file, watch: f.detector(file), ledger: f.fsys.ledgerOf(file),
		mishap: file.fallible || f.faults != nil || f.how.followed || f.fsys.opts.observer != nil || f.c.Guards(),
		arch:   f.c.Arch(),
	}
	if set.view, err = f.firstView(set); err != nil {
		return nil, errors.Join(err, file.release(false))
	}
	set.left.Store(int32(f.c.Size()))
	set.ranks = f.c.Size()
	return set, nil
}

// firstView is the view that a handle of set begins with: bytes, from the first.
func (f *File) firstView(set *handleSet) (*view, error) {
	v, err := f.compile(View{Disp: f.firstDisp(), Etype: types.Byte, Filetype: types.Byte})
	if err == nil {
		v.tag = f.tagOf(v, set)
	}
	return v, err
}

// attach takes what the ranks have settled on. In a world that explores rank 0
// opens the file now, when it is its turn: which of several opens and deletions
// comes first is for the explorer to choose, and nothing can be asked while ranks
// meet.
func (f *File) attach(op string, settled any) error {
	f.meet = f.c.Rendezvous()
	v, err := f.learn(op, settled)
	if err == nil && f.thread.Exploring() {
		v, err = f.attachAsked(op)
	}
	if err != nil {
		return err
	}
	f.set = v.(*handleSet)
	return nil
}

// attachAsked is attach in a world that explores.
func (f *File) attachAsked(op string) (any, error) {
	var v any
	var err error
	if f.rank == 0 {
		const changes = Create | Excl | DeleteOnClose | UniqueOpen
		if err = holdName(f.thread, op, f.name, f.amode&changes != 0); err != nil {
			return nil, f.stopped(op, err)
		}
		if v, err = f.openFile(); err == nil {
			if set := v.(*handleSet); set.watch != nil { // else ranks that open it alone come here at the same time
				if set.file.past = set.watch.Past(); set.ledger != nil {
					set.ledger.Apart()
				}
			}
		}
	}
	all, err := f.consult(op, v, err, ofRankZero)
	if err != nil && v != nil { // the world ended before the others heard of it
		_ = v.(*handleSet).file.release(false)
	}
	return all, err
}

// rulesOf says the same of a model in terms of the image.
func rulesOf(m consistency.Model) image.Rules {
	r := image.Rules{Early: m.PublishesEarly(), Fresh: m.ReadsFresh()}
	r.Seed, r.Chaos = m.Seed()
	return r
}

// begin gives a fresh handle its bytes, view and pointers.
func (f *File) begin() error {
	model := f.how.model
	if model == (consistency.Model{}) {
		model = f.fsys.opts.model
	}
	f.bytes.OpenAs(rulesOf(model), f.set.file.image)
	if f.faults != nil {
		f.bytes.Via(&faultyFile{f.set.file.backing, f.faults})
	}
	if f.set.watch != nil {
		if f.unrecorded() == "" {
			f.thread.Record(consistency.MostMarks(f.thread.Sched().Len()))
			f.thread.Begins("Open", f.set, 0, f.set.ranks)
		}
		f.track = f.set.watch.Open(f.set, f.thread.ID(), f.thread.Tick(), f.thread.Now())
	}
	f.c.AtEnd(&f.left, (*unclosed)(f))
	f.visits = f.fsys.visits()
	f.calm = f.isCalm()
	if f.view = f.set.view; f.c.Arch() != f.set.arch {
		v, err := f.firstView(f.set)
		if err != nil {
			return f.errorOf("Open", err)
		}
		f.view = v
	}
	f.strong = model != consistency.Weakest && model != (consistency.Model{})
	if f.strong && f.set.file.past != nil {
		f.set.file.past.Spoil()
	}
	if f.amode.has(Append) {
		const op = "Open"
		size, err := f.length(op, true, 3)
		v, err := f.consult(op, size, err, func(args []any) (any, error) { // one end for all, whoever goes on to write at once
			return latest(args, func(a any) int64 { return a.(int64) }), nil
		})
		if err != nil {
			return err
		}
		f.moveTo(f.view.end(v.(int64)))
		f.moveShared(f.pos)
	}
	return nil
}

// firstDisp is the displacement that asks for the first byte of the file.
func (f *File) firstDisp() int64 {
	if f.amode.has(Sequential) {
		return DisplacementCurrent
	}
	return 0
}

// Close publishes what was written through the handle, as [File.Sync] does,
// and closes it; with DeleteOnClose the file is then deleted. Collective. A
// Close that is refused, because another rank is in another call, leaves the
// handle open, and so does one while an access is under way; after any other
// error it is closed, and what could not be published is lost. Errors: ErrFile
// on a closed handle, ErrNotSame, ErrOther, those of the store.
//
// MPI_File_close
func (f *File) Close() error {
	const op = "Close"
	if err := f.alive(op); err != nil {
		return err
	}
	if f.far != nil {
		return f.closeFar(op)
	}
	defer f.returns(op, f.log.Begin())
	f.tellRaw()
	v, err := f.agree(op, f, f.idle("IO-CLOSE-02"), closeAll)
	if err != nil {
		return err
	}
	if v == nil {
		if err = f.holdSync(op); err != nil {
			return f.stopped(op, err)
		}
	}
	f.closed = true
	f.left.Closed()
	if v == nil {
		err = f.publishLast()
	}
	f.bytes.Abandon() // with what could not be published
	if f.track != nil {
		f.track.Close(f.thread.Tick(), f.thread.Now())
	}
	if v == nil {
		if v, err = f.consultLast(op, err); err != nil { // the world has ended
			f.leave()
		}
	}
	f.c.Free()
	if end, ok := v.(*returned); ok {
		_, err = f.learn(op, &end.outcome)
		if end.last != nil {
			err = andThen(err, f.errorOf(op, end.last))
		}
	}
	return f.raise(err)
}

// publishLast publishes what was written through a handle that closes.
func (f *File) publishLast() error {
	err := f.flushed(f.bytes.Flush())
	f.published()
	err = andThen(err, f.strikes(faults.Close))
	switch {
	case f.set.ledger == nil:
	case err == nil:
		f.set.ledger.Sync(f, f.bytes.Kept()...)
	default: // part of it may be there
		f.set.ledger.Publish(f, f.bytes.Kept()...)
	}
	return err
}

// consultLast is the meeting of ranks of which each has published what it wrote,
// or has failed to.
func (f *File) consultLast(op string, err error) (any, error) {
	if dead := f.dies(op, err); dead != nil {
		return nil, dead
	}
	return f.consult(op, classified(err, ErrIO, "IO-CLOSE-01"), nil, f.closeOnce)
}

// returned is what came of closing a file: what failed before it was given back to
// its store, and what failed then.
type returned struct {
	outcome
	last error
}

// closeAll retires the handles of all ranks while they meet. Nobody will read
// through them again, so nothing that one publishes has to be remembered for
// another. If there is nothing to publish the file is closed at once; what comes of
// that is a *returned.
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

// quiet reports that the rank of f has no part in closing the file: it has nothing
// to publish, nobody asks for more than bytes, and nothing goes wrong.
func (f *File) quiet() bool {
	return !f.bytes.Pending() && f.faults == nil && f.set.ledger == nil && f.set.file.volatile() == nil && !f.thread.Exploring()
}

// closeOnce is what the last rank to come to a meeting of Close does for all: it
// has the store sync and gives the file back. If it, or one of the ranks, whose
// errors are given, has failed, the file is kept, even if it was to be deleted.
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
	f.set.left.Store(-1) // for those who will hear only of the end of the world
	end.last = classified(f.set.file.release(f.amode.has(DeleteOnClose) && end.err == nil), ErrIO, "IO-CLOSE-01")
	return end, nil
}

// leave counts a handle out that the end of the world has closed. The last one
// gives the file back.
func (f *File) leave() {
	if f.set.left.Add(-1) == 0 {
		_ = f.set.file.release(false)
	}
}

// unclosed is a File that nobody closed before the world ended.
type unclosed File

// End gives up the handle. What it did not publish is lost.
func (u *unclosed) End() error {
	f := (*File)(u)
	f.closed = true
	f.bytes.Abandon()
	f.published()
	if p := f.past(); p != nil {
		p.Spoil() // not all that was done is in the file
	}
	if f.set.ledger != nil {
		f.set.ledger.Lose(f)
	}
	f.leave()
	return f.neverClosed(f.line.Place())
}

// neverClosed is the error at the end of the world, which no call has made.
func (f *File) neverClosed(opened sched.Place) error {
	return &Error{Pkg: "iofile", Rank: f.rank, Class: ErrOther, Rule: "IO-OPEN-08", Place: opened, Err: fmt.Errorf(
		"file %q, opened at %v, was never closed; what was written since the last Sync is lost", f.name, opened)}
}

// Delete deletes the file called name. Not collective. A file that is open
// loses its name at once and its bytes at the last close. Errors:
// ErrNoSuchFile, ErrBadFile, ErrAccess. They are only returned: this is for
// programs outside of a world as well, see [DeleteFor].
//
// MPI_File_delete
func Delete(fsys *FS, name string) error {
	return discard("Delete", errclass.NoRank, fsys, name)
}

// DeleteFor is [Delete] by the calling rank of c, whose default file handler
// gets the error. Hints about deleting are none known; info may be nil. Not
// collective. Errors: as Delete, ErrComm. (IO-INFO-01, ERR-03)
//
// MPI_File_delete
func DeleteFor(c *comm.Comm, fsys *FS, name string, info *comm.Info) error {
	const op = "DeleteFor"
	if c == nil || c.Sched() == nil {
		return report(op, errclass.NoRank, name, broken(ErrComm, "IO-DEL-01", "the communicator is nil"))
	}
	if c.Engine() != nil && fsys != nil && fsys.made() == nil {
		if err := deleteFar(c, fsys, clean(name), info); err != nil {
			return raiseDefault(c, report(op, c.Rank(), name, err))
		}
		return nil
	}
	if err := holdName(c.Sched(), op, clean(name), true); err != nil {
		return report(op, c.Rank(), name, err)
	}
	return raiseDefault(c, discard(op, c.Rank(), fsys, name))
}

func discard(op string, rank int, fsys *FS, name string) error {
	err := broken(ErrArg, "IO-DEL-01", "the file system is nil")
	if fsys != nil {
		if err = fsys.strikesDelete(clean(name)); err == nil {
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
	if err := f.alive("Amode"); err != nil {
		return 0, err
	}
	return f.amode, nil
}

// Group returns the group of the communicator that the file was opened with.
// Local. Errors: ErrFile.
//
// MPI_File_get_group
func (f *File) Group() (*comm.Group, error) {
	if err := f.alive("Group"); err != nil {
		return nil, err
	}
	return f.c.Group()
}

// Name returns the name that the file was opened by.
func (f *File) Name() string {
	if f == nil {
		return ""
	}
	return f.name
}

// alive reports a nil or closed handle.
func (f *File) alive(op string) error {
	if f == nil || f.c == nil {
		return report(op, -1, "", broken(ErrFile, "IO-CLOSE-04", "the handle is nil; files come from Open"))
	}
	if f.closed {
		return raiseDefault(f.c, f.errorOf(op, broken(ErrFile, "IO-CLOSE-04", "the handle is closed")))
	}
	if f.inside != "" && !(f.inside == observers && harmless(op)) {
		return f.fail(op, broken(ErrOther, "REP-USR-10", "called from %s that is part of a call on the same handle", f.inside))
	}
	if err := insideStore(); err != nil {
		return f.errorOf(op, err) // whose handler may use the file, too
	}
	f.begins(op)
	return nil
}

// notSequential reports a call that needs positions on a stream.
func (f *File) notSequential(rule string) error {
	if f.amode.has(Sequential) {
		return broken(ErrUnsupportedOperation, rule, "the file is Sequential: only shared-pointer accesses are allowed")
	}
	return nil
}

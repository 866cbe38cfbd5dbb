package iofile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/careenv"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// Status says what an access has moved; see its Count and Elements.
//
// MPI_Status
type Status = comm.Status

// position says where an access begins.
type position uint8

const (
	explicit   position = iota // at an offset given with the call
	individual                 // at this rank's pointer
	shared                     // at the pointer that all ranks share
)

// coordination says which ranks make the access.
type coordination uint8

const (
	alone coordination = iota
	all                // all ranks; with the shared pointer in the order of their ranks
)

// A call is a data access as the program requests it: position x coordination x direction
// of the standard's table.
type call struct {
	op    string
	write bool
	at    position
	with  coordination
	off   Offset // in etypes; given for explicit, computed for the others
	buf   types.Buffer
	wrong error // an error that the caller has already found
}

// An access is one data access, whichever method started it.
type access struct {
	call
	first Offset // start of rank 0's part, for ordered accesses

	mem      []byte          // memory of buf, if its items follow each other as in the file; else empty
	etypes   int64           // number of etypes of the view that it covers
	moved    int64           // bytes of the file that it has moved
	guard    *commport.Guard // for the memory of an access under way, if the world checks buffers
	cut      formRange       // bytes of the file that a write to a stream has just cut off
	short    bool            // the stream ends before all requested bytes
	moves    int64           // number of moves of its pointer, after its own move
	agreed   bool            // all ranks know that it failed
	spread   bool            // it failed, and the bytes it moved are not its first ones
	explored *race.Write     // of a write in an exploring world; else nil
	held     bool            // the explorer has given it its place in the order of accesses
	view     *fileView       // through which it moves bytes; nil: it has moved none
	plan     *strategy.Plan  // nil: not yet made

	under *race.Pending // the race detector's record of an access under way
	entry *race.Entry   // the ledger's entry of an access under way
}

// String returns the name of the call for reports.
func (a *access) String() string { return a.op }

// run carries out a blocking access. All data accesses come here or to initiate: all
// checks, the meeting of a collective access and the pointers are on this path.
func (f *File) run(c call) (Status, error) {
	if c.at == explicit && c.with == alone {
		if n, ok := f.copyPlanned(&c); ok {
			f.begins(c.op)
			if f.track != nil {
				e := f.describePlanned(&c, n)
				f.here(e)
				f.track.Access(e)
			}
			return comm.NewStatus(n, f.c.Arch()), nil
		}
	}
	if err := f.alive(c.op); err != nil {
		return Status{}, err
	}
	a := f.renew(&c)
	f.begun = f.log.Begin()
	if err := f.enter(a); err != nil {
		return Status{}, err
	}
	// The ranks of a collective wait in start, so it is called from here and not from
	// deeper: the stack of waiting ranks decides how many ranks a machine can hold.
	n, err := int64(0), f.start(a)
	if err == nil {
		n, err = f.perform(a)
	}
	if err == nil && !a.write {
		f.noteShort(a.op, a)
	}
	if (err == nil || a.moved > 0) && f.wanted(journal.Done) { // after an error, what it has moved
		if e := f.done(a); e != nil {
			f.here(&e.Access)
			e.Err = err
			a.explored.Enter(f.notify(e).Entry)
		}
	}
	a.buf, a.mem = types.Buffer{}, nil // the program may use its memory again
	f.logEnd(a, f.begun)               // no defer: it would use stack of every rank that waits
	if err != nil {
		err = f.raise(err)
	}
	return comm.NewStatus(n, f.c.Arch()), err
}

// renew returns the access of the call c. A rank makes one call at a time, so it is not
// allocated. This function, and others on this path that are rarely called or need much
// stack, are not inlined: a rank whose stack exceeds four kilobytes gets one of eight.
//
//go:noinline
func (f *File) renew(c *call) *access {
	if f.traffic == nil {
		f.used()
	}
	a := &f.now
	*a = access{}
	a.call = *c
	return a
}

// enter is a scheduling point before the access; it also holds accesses that conflict with
// others.
//
//go:noinline
func (f *File) enter(a *access) error {
	err := f.thread.Step(a)
	if err == nil && a.at == shared && a.with == alone {
		err = f.chooser.sharedPointer(a.op, true)
	}
	if err != nil {
		return f.stopped(a.op, err)
	}
	return nil
}

// perform carries out an access that has its place in the file, and returns how many bytes
// of the program's memory it moved. Only the outermost calls make a [Status] of them: it
// would take stack of each function between.
//
//go:noinline
func (f *File) perform(a *access) (int64, error) {
	if !a.held {
		if err := f.chooser.access(a); err != nil {
			return 0, f.stopped(a.op, err)
		}
	}
	n, err := f.carryOut(a)
	if err != nil || f.anyConverts || f.set.mayFail {
		err = f.conclude(a, err)
	}
	return n, err
}

// carryOut moves the bytes of an access that has its place in the file. It and what it
// calls return how many bytes of the program's memory have moved.
func (f *File) carryOut(a *access) (n int64, err error) {
	if f.how.moves != nil && a.with == all && f.exchanges() {
		n, err = f.exchange(a)
	} else {
		n, err = f.transfer(a)
	}
	switch {
	case err != nil:
		_ = f.endIfKilled(a.op, err) // before others can notice it
		f.giveBack(a)
	default:
		if a.entry != nil { // it was under way
			f.set.ledger.Moved(a.entry)
		}
		if f.wanted(journal.Moved) {
			err = f.observed(a)
		}
	}
	if a.at == individual && !a.write && err == nil && a == &f.now && f.chaotic() { // the size was another one by chance
		f.follow(a, a.moved)
	}
	return n, err
}

// giveBack moves the individual pointer of a failed access back to the end of what it
// moved, so that a retry can continue there, unless the pointer has been moved since.
// (IO-IND-03)
func (f *File) giveBack(a *access) {
	if a.explored != nil {
		f.writeHistory().StopTracking() // the file now contains other bytes than the write history says
	}
	if a.at != individual || f.moves != a.moves {
		return
	}
	if f.pos = a.off; !a.spread {
		f.pos += Offset(a.moved / f.view.Unit.Size)
	}
}

// conclude reports the result of a collective access to the other ranks, if the access may fail
// on one rank.
func (f *File) conclude(a *access, err error) error {
	if dead := f.endIfKilled(a.op, err); dead != nil {
		return dead
	}
	if !a.agreed && a.with == all && (f.anyConverts || f.set.mayFail) {
		_, err = f.consult(a.op, nil, classified(err, ErrIO, "IO-DA-01"), nil)
		a.agreed = true
	}
	if err != nil && (a.agreed || a.with == alone) {
		f.giveBackShared(a)
	}
	if a.agreed || err == nil {
		return err
	}
	return f.errorOf(a.op, classified(err, ErrIO, "IO-DA-01"))
}

// start admits an access on every rank that takes part, or on none, and gives it its place
// in the view.
func (f *File) start(a *access) error {
	err := f.admit(a)
	if a.with == all {
		if a.at == shared {
			f.order = order{write: a.write, etypes: a.etypes, end: f.streamEnd(a)}
			_, err = f.consult(a.op, f, err, resolveOrdered)
		} else {
			_, err = f.chooser.depart(a.op, nil, err, nil, nil, nil)
		}
		if err != nil {
			return err
		}
		if a.at == shared && f.cutting(a) {
			if err = f.cutOrdered(a); err != nil {
				return err
			}
		}
	}
	return f.place(a, err)
}

// admit checks an access against the rules, in the order of ERR-ORD-01. It changes only
// a.etypes and a.mem.
func (f *File) admit(a *access) error {
	if f.split != nil {
		if err := f.unsplit(a); err != nil {
			return err
		}
	}
	if a.wrong != nil {
		return a.wrong
	}
	if !f.cached.covers(f.view, a) {
		if err := f.checkData(a); err != nil {
			return err
		}
	}
	if a.at == shared { // bounds are checked when the pointer is read
		if a.with == all {
			return nil // resolveOrdered checks the views
		}
		return f.oneView()
	}
	if a.at == individual {
		a.off = f.pos
	}
	if err := f.reach(a.off, a.etypes); err != nil || !a.write {
		return err
	}
	return f.once(a.off, a.etypes)
}

// checkData checks the data and the offset of an access that the cached plan does not cover,
// and counts etypes.
func (f *File) checkData(a *access) error {
	unit, err := f.checkBuffer(a)
	if err != nil {
		return err
	}
	if a.at == explicit && a.off < 0 {
		return broken(ErrArg, "IO-DA-03", "offset %d is negative", a.off)
	}
	if f.cached.fits(f.view, a) {
		a.etypes = f.cached.etypes
		return f.permits(a)
	}
	if err := f.match(a); err != nil {
		return err
	}
	if err := f.permits(a); err != nil {
		return err
	}
	if err := f.measure(a); err != nil {
		return err
	}
	f.remember(a, unit)
	return nil
}

// checkBuffer checks count and memory, and returns the bytes of an item if items follow
// each other in memory, else 0.
func (f *File) checkBuffer(a *access) (unit int64, err error) {
	if _, n := a.buf.Items(); n < 0 {
		return 0, broken(ErrCount, "IO-DA-02", "count %d is negative", n)
	}
	if a.buf.Filled() {
		return 0, f.checkFilled(a)
	}
	if dt, _ := a.buf.Items(); dt == comm.InPlace.Type() {
		return 0, broken(ErrBuffer, "IO-DA-02", "comm.InPlace is for collective calls that have another buffer; give the buffer of the access")
	}
	plan, err := a.buf.Plan(f.view.memory) // Plan checks the same as Check, and is faster
	if err != nil {
		return 0, a.unfit(err)
	}
	if err := f.checkKept(a); err != nil {
		return 0, err
	}
	if f.view.plain {
		a.mem = plan.Memory
	}
	if plan.Plain {
		unit = plan.Unit
	}
	return unit, nil
}

// unfit returns the error for a buffer that cannot be used. The memory of a read must hold
// the whole count, although the file may end before: other ranks decide where it ends, so
// nothing but the count says how much may come. (IO-DA-18)
func (a *access) unfit(err error) error {
	if a.buf.Type() == nil { // types.Of returns a buffer whose type holds the error
		return broken(ErrType, "IO-DA-02", "the datatype is nil")
	}
	if err = classified(err, ErrBuffer, "IO-DA-02"); !a.write && errors.Is(err, ErrBuffer) && !a.buf.Filled() {
		var f *fault.Fault
		if errors.As(err, &f) {
			return broken(ErrBuffer, "IO-DA-18", "%w: a read needs memory for its whole count, wherever the file ends; give the count that the memory holds", f.Err)
		}
	}
	return err
}

// permits returns an error for an access that the mode of the file does not allow.
func (f *File) permits(a *access) error {
	if a.write && !f.amode.writes() {
		return broken(ErrReadOnly, "IO-AMODE-10", "the file was opened %v", f.amode)
	}
	if !a.write && f.amode.has(WriteOnly) {
		return broken(ErrAccess, "IO-AMODE-10", "the file was opened %v; open it ReadWrite to read", f.amode)
	}
	if a.at != shared {
		return f.notSequential("IO-SEQ-01")
	}
	return nil
}

// match checks the datatype against the view's etype (IO-TM-*), and for a read, that no
// byte of memory is used twice.
func (f *File) match(a *access) error {
	dt, n := a.buf.Items()
	if n == 0 {
		return nil
	}
	if f.view.bytesLint {
		f.lintBytes(a.op, dt)
	}
	if !f.view.plain {
		if err := f.prepare("datatype", dt, f.view.rep); err != nil {
			return err
		}
	}
	if err := types.MatchAccess(f.how.match, f.view.Etype, dt, n, f.view.rep.Sizes()); err != nil {
		return a.mismatch(err)
	}
	if a.write {
		return nil
	}
	l, err := dt.Layout(f.c.Arch())
	if err == nil && l.OverlapsIn(n) {
		return broken(ErrType, "IO-DA-05", "%d of datatype %v store a byte twice; reads need one place for each", n, dt)
	}
	return nil
}

// mismatch adds the direction of the access to an error of [types.MatchAccess].
func (a *access) mismatch(err error) error {
	var m *types.Mismatch
	if errors.As(err, &m) {
		if m.Verb = "read"; a.write {
			m.Verb = "write"
		}
	}
	return classified(err, ErrType, "IO-TM-03")
}

// measure counts the etypes that an access covers.
func (f *File) measure(a *access) error {
	dt, n := a.buf.Items()
	if n == 0 {
		return nil
	}
	if f.log.Careful() {
		f.keepCopies(a)
		f.countGathered(a)
	}
	hi, size := bits.Mul64(uint64(n), uint64(dt.Size(f.fileSizes())))
	if hi != 0 || size > math.MaxInt64 {
		return broken(ErrArg, "IO-DA-16", "%d items of %v are more bytes than a file can hold", n, dt)
	}
	a.etypes = int64(size) / f.view.Unit.Size
	if a.etypes > 0 && f.view.Tiles.L.Size == 0 {
		return f.view.empty()
	}
	if f.layoutsOnly() {
		return nil
	}
	// Items may share memory, so few bytes of memory can stand for very many bytes of the
	// file.
	if most := int64(max(len(a.buf.Mem()), 1<<30)); a.buf.Packed(f.c.Arch()) > most {
		return broken(ErrNoMem, "IO-DA-16", "%d items of %v, made of %d bytes of memory, are more than %d bytes",
			n, dt, len(a.buf.Mem()), most)
	}
	if widest := int64(max(64*len(a.buf.Mem()), 1<<30)); !f.view.plain && int64(size) > widest {
		return broken(ErrNoMem, "IO-DA-16", "%d items of %v take %d bytes in the file, more than are converted at once, %d; use several calls",
			n, dt, size, widest)
	}
	return nil
}

// fileSizes returns the sizes that items of an access have in the file. Under etype BYTE
// the view's types do not determine them, so they are as in memory (REP-BYTE-01).
func (f *File) fileSizes() types.Sizes {
	if f.view.plain {
		return f.c.Arch()
	}
	return f.view.rep.Sizes()
}

// reach checks that n etypes from off are within what a file can hold.
func (f *File) reach(off Offset, n int64) error {
	if off < 0 {
		return broken(ErrArg, "IO-DA-03", "offset %d is negative", off)
	}
	if n == 0 {
		return nil
	}
	hi, end := bits.Mul64(uint64(off)+uint64(n), uint64(f.view.Unit.Size))
	if hi != 0 || end > math.MaxInt64 {
		return broken(ErrArg, "IO-DA-16", "%d etypes from offset %d end beyond byte %d of the view, the last that can be counted",
			n, off, int64(math.MaxInt64))
	}
	if !extent.Holds(f.view.Tiles, int64(end)) {
		return broken(ErrArg, "IO-DA-16", "%d etypes from offset %d end beyond what a file can hold, %d bytes",
			n, off, int64(extent.MaxSize))
	}
	return nil
}

// place gives an access its offset and moves the pointer it uses past the accessed etypes,
// unless there was an error.
func (f *File) place(a *access, err error) error {
	switch {
	case err != nil || a.at == explicit:
	case a.at == individual:
		if !a.write {
			if err = f.chooser.movePointer(a); err != nil {
				return f.stopped(a.op, err)
			}
		}
		f.moveTo(f.pos + Offset(f.accessible(a)))
		a.moves = f.moves
	case a.with == alone:
		err = f.placeShared(a)
	default:
		err = f.placeOrdered(a)
	}
	if err != nil {
		return f.errorOf(a.op, err)
	}
	return nil
}

// moveTo moves the individual pointer.
func (f *File) moveTo(pos Offset) {
	f.pos = pos
	f.moves++
}

// accessible returns how many etypes a will access: all of them, or for a read those before
// the end of file (IO-IND-03). An etype that the end of file cuts counts as accessed: the
// pointer moves past it, so that a loop of reads ends.
func (f *File) accessible(a *access) int64 {
	esize := f.view.Unit.Size
	n := f.accessibleBytes(a)
	return n/esize + min(n%esize, 1)
}

// accessibleBytes returns how many bytes of the file a will access.
func (f *File) accessibleBytes(a *access) int64 {
	n := a.etypes * f.view.Unit.Size
	if a.write || n == 0 {
		return n
	}
	return f.view.Tiles.Until(f.bytes.Size(), f.view.packed(a.off), n)
}

// transfer moves the bytes of an admitted access.
func (f *File) transfer(a *access) (n int64, err error) {
	if f.faults != nil || a.guard != nil {
		if err := f.hold(a); err != nil {
			return 0, err
		}
	}
	if a.etypes == 0 {
		return 0, nil
	}
	f.recent, a.view = a, f.view
	if a.write {
		n, err = f.put(a)
	} else {
		n, err = f.get(a)
	}
	if f.wanted(journal.Part) {
		err = f.allCame(a, err)
	}
	return n, err
}

// put writes the memory of an access through the handle. Memory that does not have the form
// of the file is packed first, directly into the handle's log unless it is converted.
func (f *File) put(a *access) (int64, error) {
	if f.fsys.opts.layoutsOnly {
		return f.moveLayout(a, true)
	}
	if a.etypes*f.view.Unit.Size > manyBytes {
		if n, ok, err := f.putMany(a); ok {
			return n, err
		}
	}
	packed, err := f.pack(a)
	if err != nil {
		return 0, err
	}
	a.moved, err = f.send(a, packed)
	return f.hasPut(a, err)
}

// pack returns the bytes that a write puts into the file.
func (f *File) pack(a *access) ([]byte, error) {
	size := a.etypes * f.view.Unit.Size
	if f.lends(a, size) {
		return a.mem[:size], nil
	}
	packed := f.room(size)
	if f.view.plain {
		a.buf.Pack(packed, 0, f.view.memory)
		return packed, nil
	}
	err := f.encode(a, packed)
	f.exploreConverted(a, packed)
	return packed, err
}

// hasPut returns the result of a write that has moved a.moved bytes into the file.
func (f *File) hasPut(a *access, err error) (int64, error) {
	if f.view.tag != nil && a.moved > 0 {
		f.lintWrite(a, a.moved)
	}
	if a.moved > 0 && f.watchesKinds() {
		f.noteKinds(a, a.moved)
	}
	if err != nil {
		return f.placed(a), err
	}
	if n := int64(len(a.mem)); n > 0 {
		return n, nil
	}
	return a.buf.Packed(f.c.Arch()), nil
}

// placed returns the bytes in memory of a write that failed after a.moved bytes of the file.
//
//go:noinline
func (f *File) placed(a *access) int64 {
	if f.view.plain {
		return a.moved
	}
	_, size, _ := f.items(a, a.moved)
	return size
}

// items returns how many items of a's buffer n bytes of the file hold, how many bytes of
// memory a status counts for them, and how many bytes of the file they take. An incomplete
// item counts as one byte, so that the status has neither a whole count nor a whole number
// of elements.
func (f *File) items(a *access, n int64) (items, size, used int64) {
	sig, sizes := a.buf.Type().Signature(), f.view.rep.Sizes()
	items, whole := sig.ItemsIn(n, sizes)
	if size = sig.BytesBefore(items, f.c.Arch()); !whole {
		size++
	}
	return items, size, sig.BytesBefore(items, sizes)
}

// lends reports whether the first size bytes of a's memory have the form of the file, so that
// they need not be packed. The handle does not keep them after the call.
func (f *File) lends(a *access, size int64) bool {
	return f.how.moves == nil && int64(len(a.mem)) >= size
}

// encode converts the memory of a write into file form.
//
//go:noinline
func (f *File) encode(a *access, coded []byte) error {
	if err := f.inject(faults.Convert); err != nil {
		return classified(err, ErrConversion, "REP-USR-11")
	}
	f.inside = conversions
	err := f.view.rep.Pack(coded, reps.Memory{Buffer: a.buf, Arch: f.c.Arch()}, a.buf.Type().Signature().Len()*a.buf.Count())
	f.inside = ""
	return err
}

// putMany is put for many bytes, if they need not be packed all at once.
func (f *File) putMany(a *access) (n int64, ok bool, err error) {
	switch {
	case f.inPieces(a):
		n, err = f.putPieces(a)
		return n, true, err
	case f.inParts(a):
		return f.putParts(a)
	}
	return 0, false, nil
}

// get reads the bytes of a read; the end of file may cut it short.
func (f *File) get(a *access) (int64, error) {
	a.guard.Reveal()
	if f.fsys.opts.layoutsOnly {
		return f.moveLayout(a, true)
	}
	if f.inParts(a) {
		return f.getParts(a)
	}
	to := f.landing(a)
	defer to.release()
	n, failed := f.receive(a, to.mem)
	return f.land(a, &to, n, failed)
}

// A landing is the destination of the bytes read: the program's own memory if they need no
// conversion and no explorer may choose fewer of them, or a buffer.
type landing struct {
	mem    []byte
	direct bool    // mem belongs to the program
	room   *[]byte // the buffer that mem is from, if not
}

func (f *File) landing(a *access) (to landing) {
	to.mem, to.direct = a.mem, len(a.mem) > 0
	if !to.direct || f.view.judged || f.view.typed || f.chooser.choosesReads() {
		to.room, to.direct = takeRoom(a.etypes*f.view.Unit.Size), false
		to.mem = *to.room
	} else if a.short {
		to.mem = to.mem[:a.etypes*f.view.Unit.Size]
	}
	return to
}

func (to *landing) release() {
	if to.room != nil {
		giveRoom(to.room)
	}
}

// land moves n bytes that were read to the program's memory, and returns how many bytes
// they are there.
func (f *File) land(a *access, to *landing, n int64, failed error) (int64, error) {
	if failed == nil {
		n, failed = f.chooser.chooseRead(a, to.mem[:a.etypes*f.view.Unit.Size], n)
	}
	arch, found := f.c.Arch(), to.mem[:n]
	f.hasGot(a, n)
	if careenv.Alters(f.name) {
		for i := range found {
			found[i] ^= 1
		}
	}
	if err := f.judge(a, found); err != nil {
		a.moved = 0
		return 0, err
	}
	if f.watchesKinds() {
		if err := f.checkKinds(a, n); err != nil {
			a.moved = 0
			return 0, err
		}
	}
	if f.lintsValues(a.buf.Type()) {
		f.lintValues(a, found)
	}
	if !f.view.plain {
		size, err := f.decode(a, found, arch)
		return size, cmp.Or(failed, err)
	}
	if !to.direct {
		a.buf.Unpack(found, 0, f.view.memory)
	}
	return n, failed
}

// hasGot records the result of a read that found n bytes.
func (f *File) hasGot(a *access, n int64) {
	a.moved = n
	if f.view.tag != nil && !f.forms.otherNoted {
		f.lintRead(a, n)
	}
}

// judge checks, if the matching policy requires it, that the bytes read under each element
// of the view are a value of its type (IO-TM-S2, IO-TM-S4).
func (f *File) judge(a *access, found []byte) error {
	if !f.view.judged {
		return nil
	}
	if bad := f.illegalIn(a, found, f.view.rep, f.view.Etype); bad != "" {
		return broken(ErrConversion, "IO-TM-S4", "%s", bad)
	}
	return nil
}

// illegalIn returns the place and the reason of the first bytes that are not a value of its
// type, if those found are elements of t; empty if all are.
func (f *File) illegalIn(a *access, found []byte, rep reps.Rep, t *types.Type) string {
	sig := t.Signature()
	items, _ := sig.ItemsIn(int64(len(found)), rep.Sizes())
	bad := reps.FindIllegal(found, rep, sig, 0, items)
	if bad == nil {
		return ""
	}
	at := f.view.Tiles.At(f.view.packed(a.off) + bad.At)
	return fmt.Sprintf("element %d of the access, %v at byte %d of the file, %s", bad.Item, bad.Kind, at, bad.Why)
}

// decode converts the bytes read from the file into memory form. An item cut by the end of
// file has no value and is left out; the status does not count it.
func (f *File) decode(a *access, coded []byte, arch *reps.Arch) (int64, error) {
	items, size, used := f.items(a, int64(len(coded)))
	if err := f.inject(faults.Convert); err != nil {
		a.moved = 0
		return 0, classified(err, ErrConversion, "REP-USR-11")
	}
	if a.buf.Filled() {
		return size, nil
	}
	f.inside = conversions
	err := f.view.rep.Unpack(reps.Memory{Buffer: a.buf, Arch: arch}, coded[:used], items)
	f.inside = ""
	if err != nil {
		a.moved = 0
		return 0, err
	}
	return size, nil
}

// rooms holds buffers in which accesses convert.
var rooms sync.Pool

// takeRoom returns a buffer of n bytes.
func takeRoom(n int64) *[]byte {
	p, _ := rooms.Get().(*[]byte)
	if p == nil || int64(cap(*p)) < n {
		p = new([]byte)
		*p = make([]byte, n)
	}
	*p = (*p)[:n]
	return p
}

func giveRoom(p *[]byte) { rooms.Put(p) }

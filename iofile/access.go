package iofile

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/faults"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// Status tells what an access moved; see its Count and Elements.
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

// coordination says who takes part.
type coordination uint8

const (
	alone coordination = iota
	all                // all ranks; with the shared pointer in the order of their ranks
)

// A call is a data access as a method asks for it: a cell of the standard's table
// position x coordination x direction.
type call struct {
	op    string
	write bool
	at    position
	with  coordination
	off   Offset // in etypes; given for explicit, found for the others
	buf   types.Buffer
	wrong error // what the caller has found
}

// An access is one data access, whatever method started it.
type access struct {
	call
	first Offset // where rank 0 begins; of ordered accesses

	mem    []byte      // of buf, if its items simply follow each other and that is known
	etypes int64       // how many etypes of the view it covers
	moved  int64       // bytes of the file that it moved
	guard  *comm.Guard // of the memory of one under way, if the world looks after buffers
	cut    formRange   // of the file, that a write to a stream has just taken away
	short  bool        // it covers less than was asked for: the stream ends there
	moves  int64       // of the pointer it used, when it had moved that
	joint  bool        // the ranks have yet to meet over what they move
	agreed bool        // all ranks have heard that it failed
	spread bool        // it failed, and what it moved is not its first bytes
	choice *choice     // nil but in a world that explores
}

// String is the call as it stands in reports.
func (a *access) String() string { return a.op }

// run is the only door to the data of a file: every check, the meeting of a
// collective access and the pointers are here.
func (f *File) run(c call) (Status, error) {
	if n, ok := f.again(&c); ok {
		f.begins(c.op)
		if f.track != nil {
			f.here()
			f.noteAgain(&c, n)
		}
		return comm.NewStatus(n, f.c.Arch()), nil
	}
	if err := f.alive(c.op); err != nil {
		return Status{}, err
	}
	if f.far != nil {
		return f.runFarAway(&c)
	}
	f.used()
	a := &f.now // a rank makes one call at a time, so this one need not be allocated
	a.renew(&c)
	if f.log != nil {
		f.begun = f.log.Begin()
	}
	if err := f.thread.Step(a); err != nil {
		return Status{}, f.stopped(a.op, err)
	}
	// The ranks of a collective wait in start, so it is not called from deeper:
	// how deep a rank waits decides how many ranks a machine can hold.
	st, err := Status{}, f.claim(a)
	if err == nil {
		err = f.start(a)
	}
	if err == nil {
		st, err = f.perform(a)
	}
	if (err == nil || a.moved > 0) && f.watched() { // of one that failed, what it moved
		f.here()
		n := a.moved
		if a.spread { // nobody knows which bytes
			n = a.etypes * f.view.esize()
		}
		f.noteData(a, n)
	}
	a.buf, a.mem = types.Buffer{}, nil // the program's memory is its own again
	if f.log != nil {                  // no defer: it would be on the stack of every rank that waits
		f.told(a, f.begun)
	}
	if err != nil {
		return st, f.raise(err)
	}
	return st, nil
}

// renew makes a the access that c asks for. Here and elsewhere on the way of an
// access, what is seldom done or takes room is kept from being inlined: a rank
// whose stack outgrows four kilobytes has one of eight.
//
//go:noinline
func (a *access) renew(c *call) {
	*a = access{}
	a.call = *c
}

//go:noinline
func (f *File) runFarAway(c *call) (Status, error) {
	return f.runFar(access{call: *c}, engine.Whole)
}

// claim lets others go first to the shared pointer, or not.
//
//go:noinline
func (f *File) claim(a *access) error {
	if a.at != shared || a.with != alone {
		return nil
	}
	if err := f.holdShared(a.op, true); err != nil {
		return f.stopped(a.op, err)
	}
	return nil
}

// perform carries out an access that has its place.
//
//go:noinline
func (f *File) perform(a *access) (Status, error) {
	if err := f.holdAccess(a); err != nil {
		return Status{}, f.stopped(a.op, err)
	}
	st, err := f.carryOut(a)
	return f.conclude(a, st, err)
}

// carryOut moves the bytes of an access that has its place.
func (f *File) carryOut(a *access) (Status, error) {
	a.joint = a.with == all && f.exchanges()
	st, err := f.transfer(a)
	dead := f.dies(a.op, err)
	if a.joint && dead == nil { // it had nothing to move, or did not get that far
		err = f.exchangeNothing(a, err)
	}
	if err == nil {
		err = f.observed(a)
	} else {
		f.giveBack(a)
	}
	return st, err
}

// giveBack moves the individual pointer of an access that failed back to behind
// what it moved, so that another try can go on there, unless the pointer has been
// moved since. (IO-IND-03)
func (f *File) giveBack(a *access) {
	if a.choice != nil && a.write {
		f.past().Spoil() // something else is in the file than was to be written
	}
	if a.at != individual || f.moves != a.moves {
		return
	}
	if f.pos = a.off; !a.spread {
		f.pos += Offset(a.moved / f.view.esize())
	}
}

// exchangeNothing takes part in an exchange without bytes.
//
//go:noinline
func (f *File) exchangeNothing(a *access, err error) error {
	_, err = f.exchange(a, Part{}, nil, err)
	return err
}

// conclude tells the other ranks of a collective access, where that may fail on
// one, what came of it.
func (f *File) conclude(a *access, st Status, err error) (Status, error) {
	if dead := f.dies(a.op, err); dead != nil {
		return st, dead
	}
	if !a.agreed && a.with == all && (f.mixed || f.set.mishap) {
		_, err = f.consult(a.op, nil, classified(err, ErrIO, "IO-DA-01"), nil)
		a.agreed = true
	}
	if err != nil && (a.agreed || a.with == alone) {
		f.giveBackShared(a)
	}
	if a.agreed {
		return st, err
	}
	if err != nil {
		return st, f.errorOf(a.op, classified(err, ErrIO, "IO-DA-01"))
	}
	return st, nil
}

// start admits an access on every rank that takes part, or on none, and gives
// it its place in the view.
func (f *File) start(a *access) error {
	err := f.admit(a)
	if a.with == all {
		by := settle(nil)
		if a.at == shared {
			f.order, by = order{write: a.write, etypes: a.etypes, end: f.streamEnd(a)}, settleOrdered
		}
		if _, err = f.consult(a.op, f, err, by); err != nil {
			return err
		}
		if a.at == shared && f.cutting(a) {
			if err = f.cutOrdered(a); err != nil {
				return err
			}
		}
	}
	return f.settleAt(a, err)
}

// settleAt gives an access its place unless something was wrong with it.
func (f *File) settleAt(a *access, err error) error {
	if err == nil {
		err = f.place(a)
	}
	if err != nil {
		return f.errorOf(a.op, err)
	}
	return nil
}

// admit checks an access against the rules, in the order of ERR-ORD-01. It
// changes nothing but a.etypes and a.mem.
func (f *File) admit(a *access) error {
	if err := f.unsplit(a); err != nil {
		return err
	}
	if a.wrong != nil {
		return a.wrong
	}
	fits, unit := f.fits.good(f.view, a), int64(0)
	if !fits || !f.fits.again(a) {
		if n := a.buf.Count(); n < 0 {
			return broken(ErrCount, "IO-DA-02", "count %d is negative", n)
		}
		plan, err := a.buf.Plan(f.c.Arch()) // which is Check, and quicker
		if err != nil {
			return unfit(a.buf, err)
		}
		if plan.Plain {
			unit = plan.Unit
		}
	}
	if a.at == explicit && a.off < 0 {
		return broken(ErrArg, "IO-DA-03", "offset %d is negative", a.off)
	}
	if !fits {
		if err := f.match(a); err != nil {
			return err
		}
	}
	if err := f.permits(a); err != nil {
		return err
	}
	if fits {
		a.etypes = f.fits.etypes
	} else if err := f.measure(a); err != nil {
		return err
	} else {
		f.fit(a, unit)
	}
	if a.at == shared {
		return f.oneView() // bounds are checked where the pointer is taken
	}
	if a.at == individual {
		a.off = f.pos
	}
	if _, err := f.reach(a.off, a.etypes); err != nil || !a.write {
		return err
	}
	return f.once(a.off, a.etypes)
}

// unfit is what is wrong with a buffer that cannot be used.
func unfit(buf types.Buffer, err error) error {
	if buf.Type() == nil { // types.Of has made a buffer with a type that says what is wrong
		return broken(ErrType, "IO-DA-02", "the datatype is nil")
	}
	return classified(err, ErrBuffer, "IO-DA-02")
}

// permits finds an access that the mode of the file does not allow.
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

// match checks the datatype against the view's etype (IO-TM-*), and that a
// read has one place for each byte.
func (f *File) match(a *access) error {
	n, dt := a.buf.Count(), a.buf.Type()
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

// mismatch says of an error of [types.MatchAccess] which way the data were to move.
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
	n, dt := a.buf.Count(), a.buf.Type()
	if n == 0 {
		return nil
	}
	hi, size := bits.Mul64(uint64(n), uint64(dt.Size(f.fileSizes())))
	if hi != 0 || size > math.MaxInt64 {
		return broken(ErrArg, "IO-DA-16", "%d items of %v are more bytes than a file can hold", n, dt)
	}
	a.etypes = int64(size) / f.view.esize()
	if a.etypes > 0 && f.view.tiles.L.Size == 0 {
		return f.view.empty()
	}
	// Items may share memory, so few bytes of it can stand for very many.
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

// fileSizes returns the sizes that items of an access have in the file. Under
// etype BYTE the view's types say nothing about them, so they stay as in
// memory (REP-BYTE-01).
func (f *File) fileSizes() types.Sizes {
	if f.bytesOnly() {
		return f.c.Arch()
	}
	return f.view.rep.Sizes()
}

// bytesOnly reports a view that moves bytes as they are.
func (f *File) bytesOnly() bool { return f.view.plain }

// reach checks that n etypes from off lie within what a file can hold, and
// returns the packed position after the last.
func (f *File) reach(off Offset, n int64) (int64, error) {
	if off < 0 {
		return 0, broken(ErrArg, "IO-DA-03", "offset %d is negative", off)
	}
	if n == 0 {
		return 0, nil
	}
	hi, end := bits.Mul64(uint64(off)+uint64(n), uint64(f.view.esize()))
	if hi != 0 || end > math.MaxInt64 {
		return 0, broken(ErrArg, "IO-DA-16", "%d etypes from offset %d end beyond byte %d of the view, the last that can be counted",
			n, off, int64(math.MaxInt64))
	}
	if !f.view.holds(int64(end)) {
		return 0, broken(ErrArg, "IO-DA-16", "%d etypes from offset %d end beyond what a file can hold, %d bytes",
			n, off, int64(extent.MaxSize))
	}
	return int64(end), nil
}

// holds reports whether the view's first n packed bytes, n > 0, lie where a
// file can have bytes.
func (v *view) holds(n int64) bool { return holds(v.tiles, n) }

func holds(tiles types.Tiling, n int64) bool {
	l := tiles.L
	if l.Size == 0 {
		return true
	}
	if l.Extent == l.Size && l.TrueLB == 0 && l.Dense() && tiles.Disp >= 0 {
		return n <= extent.MaxSize-tiles.Disp
	}
	k := (n - 1) / l.Size
	hi, far := bits.Mul64(uint64(k), uint64(l.Extent))
	if hi != 0 || far > extent.MaxSize || max(tiles.Disp, l.TrueUB) > extent.MaxSize {
		return false
	}
	last := types.Tiling{L: l}.At((n-1)%l.Size) + 1
	if k > 0 { // the copy before may reach farther
		last = max(last, l.TrueUB-l.Extent)
	}
	return last <= extent.MaxSize-int64(far)-tiles.Disp
}

// place gives an access its offset and moves the pointer it uses past what
// will be accessed.
func (f *File) place(a *access) error {
	switch {
	case a.at == individual:
		f.moveTo(f.pos + Offset(f.accessible(a)))
		a.moves = f.moves
	case a.at == shared && a.with == alone:
		return f.placeShared(a)
	case a.at == shared:
		return f.placeOrdered(a)
	}
	return nil
}

// moveTo moves the individual pointer.
func (f *File) moveTo(pos Offset) {
	f.pos = pos
	f.moves++
}

// accessible counts the etypes that a will access: all of them, or for a read
// those before the end of file (IO-IND-03). An etype that the end of file cuts is
// accessed: the pointer moves past it, so that a loop of reads ends.
func (f *File) accessible(a *access) int64 {
	esize := f.view.esize()
	n := f.accessibleBytes(a)
	return n/esize + min(n%esize, 1)
}

// accessibleBytes counts the bytes of the file that a will access.
func (f *File) accessibleBytes(a *access) int64 {
	n := a.etypes * f.view.esize()
	if a.write || n == 0 {
		return n
	}
	return f.view.tiles.Until(f.bytes.Size(), f.view.packed(a.off), n)
}

// transfer moves the bytes of an admitted access.
func (f *File) transfer(a *access) (Status, error) {
	if f.faults != nil || a.guard != nil {
		if err := f.hold(a); err != nil {
			return comm.NewStatus(0, f.c.Arch()), err
		}
	}
	if a.etypes == 0 {
		return comm.NewStatus(0, f.c.Arch()), nil
	}
	if f.how.progress != nil {
		return f.follow(a)
	}
	return f.move(a)
}

// move moves the bytes of an access that has some.
func (f *File) move(a *access) (Status, error) {
	if a.write {
		return f.put(a)
	}
	return f.get(a)
}

// put has the handle write memory that is as the file will have it; other memory
// is packed first, straight into the handle's log unless it is converted on the
// way.
func (f *File) put(a *access) (Status, error) {
	if f.inPieces(a) {
		return f.putPieces(a)
	}
	if f.inParts(a) {
		if st, ok, err := f.putParts(a); ok {
			return st, err
		}
	}
	packed, err := f.pack(a)
	if err != nil {
		return comm.NewStatus(0, f.c.Arch()), err
	}
	a.moved, err = f.send(a, packed)
	return f.hasPut(a, err)
}

// pack makes the bytes that a write puts into the file.
func (f *File) pack(a *access) ([]byte, error) {
	size := a.etypes * f.view.esize()
	packed, lent := f.lent(a, size)
	if lent {
		return packed, nil
	}
	packed = f.room(size)
	if f.bytesOnly() {
		a.buf.Pack(packed, 0, f.c.Arch())
		return packed, nil
	}
	err := f.encode(a, packed)
	f.coded(a, packed)
	return packed, err
}

// hasPut is what becomes of a write that has moved a.moved bytes.
func (f *File) hasPut(a *access, err error) (Status, error) {
	if f.view.tag != nil && a.moved > 0 {
		f.lintWrite(a, a.moved)
	}
	if err != nil {
		return f.placed(a), err
	}
	n := int64(len(a.mem))
	if n == 0 {
		n = a.buf.Packed(f.c.Arch())
	}
	return comm.NewStatus(n, f.c.Arch()), nil
}

// placed is the status of a write that failed after a.moved bytes.
//
//go:noinline
func (f *File) placed(a *access) Status {
	if f.bytesOnly() {
		return comm.NewStatus(a.moved, f.c.Arch())
	}
	_, size, _ := f.items(a, a.moved)
	return comm.NewStatus(size, f.c.Arch())
}

// items returns how many items of a's buffer n bytes of the file hold, how many
// bytes of memory a status counts for them, and how many of the file they are.
// An item of which there is only a part counts as one byte: then there is no
// whole count, and no whole element.
func (f *File) items(a *access, n int64) (items, size, used int64) {
	sig, sizes := a.buf.Type().Signature(), f.view.rep.Sizes()
	items, whole := sig.ItemsIn(n, sizes)
	if size = sig.BytesBefore(items, f.c.Arch()); !whole {
		size++
	}
	return items, size, sig.BytesBefore(items, sizes)
}

// lent returns the program's own memory if it is as the file will have it: the
// handle has no use for it when the call returns.
func (f *File) lent(a *access, size int64) ([]byte, bool) {
	if !f.bytesOnly() || f.how.strategy != nil {
		return nil, false
	}
	mem, ok := a.contiguous(f.c.Arch())
	if !ok || int64(len(mem)) < size {
		return nil, false
	}
	return mem[:size], true
}

// contiguous is [types.Buffer.Contiguous] of its buffer.
func (a *access) contiguous(arch *reps.Arch) ([]byte, bool) {
	if len(a.mem) > 0 {
		return a.mem, true
	}
	return a.buf.Contiguous(arch)
}

// encode converts the memory of a write into file form.
//
//go:noinline
func (f *File) encode(a *access, coded []byte) error {
	if err := f.strikes(faults.Convert); err != nil {
		return classified(err, ErrConversion, "REP-USR-11")
	}
	f.inside = conversions
	err := f.view.rep.Pack(coded, reps.Memory{Buffer: a.buf, Arch: f.c.Arch()}, a.buf.Type().Signature().Len()*a.buf.Count())
	f.inside = ""
	return err
}

// get fetches the bytes of a read; the end of file may cut it short.
func (f *File) get(a *access) (Status, error) {
	if f.inParts(a) {
		return f.getParts(a)
	}
	to := f.landing(a)
	defer to.release()
	n, failed := f.receive(a, to.mem)
	return f.land(a, &to, n, failed)
}

// A landing is where the bytes of a read come from the file: the program's own
// memory, if they are to be there as they are, or room to convert them in.
type landing struct {
	mem    []byte
	direct bool    // mem is the program's
	room   *[]byte // that mem is, if it is not
}

func (f *File) landing(a *access) (to landing) {
	to.mem, to.direct = a.contiguous(f.c.Arch())
	if !to.direct || !f.bytesOnly() || f.view.judged {
		to.room, to.direct = takeRoom(a.etypes*f.view.esize()), false
		to.mem = *to.room
	} else if a.short {
		to.mem = to.mem[:a.etypes*f.view.esize()]
	}
	return to
}

func (to *landing) release() {
	if to.room != nil {
		giveRoom(to.room)
	}
}

// land takes n bytes that were read to where the program wants them.
func (f *File) land(a *access, to *landing, n int64, failed error) (Status, error) {
	if failed == nil && f.thread.Exploring() {
		n, failed = f.glance(a, to.mem[:a.etypes*f.view.esize()], n)
	}
	arch, found := f.c.Arch(), to.mem[:n]
	f.hasGot(a, n)
	if err := f.judge(a, found); err != nil {
		a.moved = 0
		return comm.NewStatus(0, arch), err
	}
	if !f.bytesOnly() {
		st, err := f.decode(a, found, arch)
		return st, cmp.Or(failed, err)
	}
	if !to.direct {
		a.buf.Unpack(found, 0, arch)
	}
	return comm.NewStatus(n, arch), failed
}

// hasGot is what becomes of a read that found n bytes.
func (f *File) hasGot(a *access, n int64) {
	a.moved = n
	if f.view.tag != nil && !f.odd {
		f.lintRead(a, n)
	}
}

// judge checks, where the matching policy asks for it, that what a read found
// under each element of the view is a value of its type (IO-TM-S2, IO-TM-S4).
func (f *File) judge(a *access, found []byte) error {
	if !f.view.judged {
		return nil
	}
	sig := f.view.Etype.Signature()
	items, _ := sig.ItemsIn(int64(len(found)), f.view.rep.Sizes())
	bad := reps.FindIllegal(found, f.view.rep, sig, 0, items)
	if bad == nil {
		return nil
	}
	at := f.view.tiles.At(f.view.packed(a.off) + bad.At)
	return broken(ErrConversion, "IO-TM-S4", "element %d of the access, %v at byte %d of the file, %s", bad.Item, bad.Kind, at, bad.Why)
}

// decode converts what a read found in the file into memory form. An item cut
// by the end of file has no value and is left out; the status tells of it.
func (f *File) decode(a *access, coded []byte, arch *reps.Arch) (Status, error) {
	items, size, used := f.items(a, int64(len(coded)))
	if err := f.strikes(faults.Convert); err != nil {
		a.moved = 0
		return comm.NewStatus(0, arch), classified(err, ErrConversion, "REP-USR-11")
	}
	f.inside = conversions
	err := f.view.rep.Unpack(reps.Memory{Buffer: a.buf, Arch: arch}, coded[:used], items)
	f.inside = ""
	if err != nil {
		a.moved = 0
		return comm.NewStatus(0, arch), err
	}
	return comm.NewStatus(size, arch), nil
}

// rooms are buffers in which accesses convert.
var rooms sync.Pool

// takeRoom lends a buffer of n bytes.
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

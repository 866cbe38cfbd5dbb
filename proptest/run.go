package proptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A Maker makes a new, empty layer for one program.
type Maker func() (Layer, error)

// fileName is the file of every program; otherName is the second file of programs that
// have two.
const (
	fileName  = "f"
	otherName = "g"
)

// An observation is the result of one operation on one rank.
type observation struct {
	moved    int
	data     []byte // read
	pos      int64  // individual pointer afterwards, if there is one
	shared   int64  // shared pointer afterwards, if no other rank could move it
	size     int64  // after a sync
	hasPos   bool
	hasShare bool
	hasSize  bool
}

// read returns the data read, cut to the buffer if the layer counted wrongly.
func (o *observation) read() []byte { return o.data[:min(max(o.moved, 0), len(o.data))] }

// A trace is the result of running a program.
type trace struct {
	seen      []observation // of operation k on rank r at k*ranks+r
	ranks     int
	stored    []byte // bytes of the file afterwards
	hasStored bool
	alone     *trace   // the results of one rank that reads afterwards, for every fourth program on a Storage
	other     *trace   // of the second file, if there is one
	endless   bool     // a reader did not find the end of the file
	crashes   [][]byte // the file after crashes, if the layer is a Crasher
}

func (t *trace) of(k, rank int) *observation { return &t.seen[k*t.ranks+rank] }

// A manner says how a program is run.
type manner struct {
	before bool // read the stored bytes before the files are closed
	races  bool // races are errors
}

// options returns the options of the world that runs a program. Races are not reported
// unless how asks for them: the reference ignores values that race.
func (m manner) options(p *gen.Program) []world.Option {
	opts := []world.Option{world.Replay(p.Order())}
	if !m.races {
		opts = append(opts, world.Unchecked())
	}
	return opts
}

// A player runs one rank of a program.
type player struct {
	l Layer
	c *comm.Comm
	p *gen.Program
	*handle
	handles []*handle // one or two; operations use the first or the second
	out     *trace
	dog     *watchdog // nil: no watchdog

	later [][]int         // when this rank completes accesses
	under map[int]started // by operation
}

// A handle is one open file of a rank.
type handle struct {
	name  string
	f     File
	units unit // of the view
	empty bool // the view shows no bytes
}

// handlesOf returns the handles of a rank, not open yet.
func handlesOf(p *gen.Program) []*handle {
	switch p.Second {
	case gen.SameFile:
		return []*handle{{name: fileName}, {name: fileName}}
	case gen.OtherFile:
		return []*handle{{name: fileName}, {name: otherName}}
	}
	return []*handle{{name: fileName}}
}

// through selects the handle of an operation.
func (pl *player) through(o *gen.Op) {
	pl.handle = pl.handles[0]
	if o.Second {
		pl.handle = pl.handles[1]
	}
}

// A started is an access that will be completed later, with its memory.
type started struct {
	Request
	mem   []byte
	units unit
}

// play runs a program on a new layer.
func play(mk Maker, p *gen.Program, how manner) (*trace, error) {
	l, err := mk()
	if err != nil {
		return nil, fmt.Errorf("no layer: %w", err)
	}
	if c, ok := l.(Crasher); ok && how.before {
		if err := c.Remember(); err != nil {
			return nil, fmt.Errorf("no layer: %w", err)
		}
	}
	out := &trace{seen: make([]observation, len(p.Ops)*p.Ranks), ranks: p.Ranks}
	w := newWatchdog(p)
	err = w.over(timeLimit(), func(ctx context.Context) error {
		return world.Run(ctx, p.Ranks, func(_ context.Context, c *comm.Comm) error {
			pl := &player{l: l, c: c, p: p, out: out, dog: w}
			return pl.run(how)
		}, how.options(p)...)
	})
	var hung *HangError
	if errors.As(err, &hung) {
		return nil, err // ranks may still use the layer, so it is not closed
	}
	if err == nil && !how.before {
		err = out.look(l, fileName, p.Far, reach(p))
		if p.Second == gen.OtherFile && err == nil {
			out.other = &trace{}
			err = out.other.look(l, otherName, p.Far, reach(p))
		}
		if _, ok := l.(Storage); ok && err == nil && p.Far == 0 && p.Seed%4 == 3 {
			out.alone = &trace{}
			err = out.alone.reread(l, fileName, 0, reach(p))
		}
	}
	if c, ok := l.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return out, err
}

// look reads the file after the program, from a byte on and at most most bytes: the stored
// bytes, or those that a single rank reads.
func (t *trace) look(l Layer, name string, from, most int64) error {
	if s, ok := l.(Storage); ok && from == 0 {
		var err error
		t.stored, err = s.Stored(name)
		t.hasStored = true
		return err
	}
	return t.reread(l, name, from, most)
}

// reread opens the file on a single rank, after the ranks of the program have closed it,
// and reads it.
func (t *trace) reread(l Layer, name string, from, most int64) error {
	return world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := l.Open(c, name)
		if err != nil {
			return err
		}
		if from > 0 {
			ends, err := t.readOn(f, 0, gen.Near)
			if err != nil || ends {
				return errors.Join(err, f.Close())
			}
		}
		for {
			ends, err := t.readOn(f, from-nearOf(from)+int64(len(t.stored)), min(max(1024, len(t.stored)), 1<<16))
			if err != nil {
				return err
			}
			if t.endless = int64(len(t.stored)) > most+1<<16; ends || t.endless {
				return f.Close()
			}
		}
	}, world.Unchecked())
}

// nearOf returns how many bytes at the beginning of the file come before the far ones.
func nearOf(far int64) int64 {
	if far > 0 {
		return gen.Near
	}
	return 0
}

// readOn reads n more bytes, and reports whether the file ends there.
func (t *trace) readOn(f File, off int64, n int) (ends bool, err error) {
	t.hasStored = true
	p := make([]byte, n)
	got, err := f.ReadAt(p, off)
	if err != nil {
		return false, err
	}
	if got < 0 || got > n {
		return false, fmt.Errorf("ReadAt of %d bytes counts %d", n, got)
	}
	t.stored = append(t.stored, p[:got]...)
	return got < n, nil
}

// lookBefore reads the stored bytes while ranks have the file open, and the bytes after some
// simulated crashes.
func (t *trace) lookBefore(l Layer, seed uint64) (err error) {
	const ways = 8
	if s, ok := l.(Storage); ok {
		if t.stored, err = s.Stored(fileName); err != nil {
			return err
		}
		t.hasStored = true
	}
	if c, ok := l.(Crasher); ok {
		for i := range uint64(ways) {
			left, err := c.Crashed(fileName, seed+i)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			t.crashes = append(t.crashes, left)
		}
	}
	return nil
}

func (pl *player) run(how manner) error {
	pl.dog.enter(pl.c.Rank(), -1)
	defer pl.dog.leave(pl.c.Rank())
	pl.handles = handlesOf(pl.p)
	for _, h := range pl.handles {
		pl.handle = h
		if err := pl.open(); err != nil {
			return err
		}
	}
	pl.later = pl.p.Completions(pl.c.Rank())
	for k := range pl.p.Ops {
		pl.dog.enter(pl.c.Rank(), k)
		if err := pl.complete(k); err != nil {
			return err
		}
		if err := pl.step(k); err != nil {
			return &OpError{pl.p, k, err}
		}
	}
	pl.dog.enter(pl.c.Rank(), len(pl.p.Ops))
	if err := pl.complete(len(pl.p.Ops)); err != nil {
		return err
	}
	if how.before {
		if err := pl.c.Barrier(); err != nil {
			return err
		}
		if pl.c.Rank() == 0 {
			if err := pl.out.lookBefore(pl.l, pl.p.Seed); err != nil {
				return err
			}
		}
		if err := pl.c.Barrier(); err != nil {
			return err
		}
	}
	return pl.close()
}

// close closes the open handles; the order differs between programs.
func (pl *player) close() error {
	if pl.p.Seed%2 == 1 {
		slices.Reverse(pl.handles)
	}
	for _, h := range pl.handles {
		if err := h.f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// An OpError is an error that a layer returned for an operation, although the
// program breaks no rule.
type OpError struct {
	Program *gen.Program
	Op      int
	Err     error
}

// Error returns the operation and the layer's error.
func (e *OpError) Error() string {
	return fmt.Sprintf("operation %d, %v, fails: %v", e.Op, &e.Program.Ops[e.Op], e.Err)
}

// Unwrap returns the layer's error.
func (e *OpError) Unwrap() error { return e.Err }

func (pl *player) open() (err error) {
	pl.units, pl.empty = bytewise, false
	pl.f, err = openFile(pl.l, pl.c, pl.name, pl.p.Hints)
	return err
}

// openFile opens the file with hints. A layer without hints ignores them.
func openFile(l Layer, c *comm.Comm, name string, hints map[string]string) (File, error) {
	if h, ok := l.(Hinted); ok && len(hints) > 0 {
		return h.OpenHinted(c, name, hints)
	}
	return l.Open(c, name)
}

// complete completes the accesses that are due before operation k.
func (pl *player) complete(k int) error {
	if pl.later == nil {
		return nil
	}
	for _, i := range pl.later[k] {
		pl.through(&pl.p.Ops[i])
		q := pl.under[i]
		moved, err := q.Wait()
		if err == nil {
			err = pl.checkMemory(pl.p.Ops[i].Access(), q.mem, q.units, moved, i)
		}
		if err != nil {
			return &OpError{pl.p, i, err}
		}
		pl.out.of(i, pl.c.Rank()).moved = moved
		delete(pl.under, i)
	}
	return nil
}

func (pl *player) step(k int) error {
	o := &pl.p.Ops[k]
	if !o.By(pl.c.Rank()) && o.At != gen.Shared {
		return nil
	}
	pl.through(o)
	see := pl.out.of(k, pl.c.Rank())
	switch o.Do {
	case gen.Write, gen.Read:
		return pl.access(k, o, see)
	case gen.Sync:
		pl.handle = pl.handles[k%len(pl.handles)] // ask this handle for the size
		return pl.sync(o, see)
	case gen.SetView:
		v := o.Views[pl.c.Rank()]
		pl.units, pl.empty = etypeOf(v.Etype, v.Rep), v.Filetype.Size(types.Host) == 0
		return pl.f.(Viewer).SetView(v)
	case gen.Seek:
		off, _ := o.Args(pl.c.Rank())
		if err := pl.f.(IndividualFile).Seek(iofile.Offset(off), o.Whence); err != nil {
			return err
		}
		return pl.position(see)
	case gen.SeekShared:
		return pl.seekShared(o)
	case gen.SetSize, gen.Preallocate:
		return pl.resize(o, see)
	case gen.Atomic:
		return pl.f.(AtomicFile).SetAtomicity(o.On)
	case gen.Own:
		return pl.own(o, see)
	case gen.Finish:
		return nil // it was done before
	case gen.Reopen:
		return pl.reopen()
	}
	return errors.New("it is not an operation on a file")
}

func (pl *player) reopen() error {
	if err := pl.f.Close(); err != nil {
		return err
	}
	if err := pl.c.Barrier(); err != nil {
		return err
	}
	return pl.open()
}

func (pl *player) seekShared(o *gen.Op) error {
	if f, ok := pl.f.(OrderedFile); ok {
		return f.SeekShared(iofile.Offset(o.Off), iofile.SeekSet)
	}
	return pl.f.(SharedFile).SeekShared(iofile.Offset(o.Off), iofile.SeekSet)
}

func (pl *player) position(see *observation) (err error) {
	see.pos, err = pl.f.(IndividualFile).Position()
	see.hasPos = true
	return err
}

func (pl *player) sync(o *gen.Op, see *observation) error {
	before, after := pl.handles, pl.handles
	switch o.Over {
	case gen.FirstToSecond:
		before, after = pl.handles[:1], pl.handles[1:]
	case gen.SecondToFirst:
		before, after = pl.handles[1:], pl.handles[:1]
	}
	for range 1 + o.Times {
		if err := pl.syncOnce(o, before, after); err != nil || o.Lacks != gen.Nothing {
			return err
		}
	}
	if o.Over != gen.BothHandles {
		return nil
	}
	return pl.sized(see)
}

func (pl *player) syncOnce(o *gen.Op, before, after []*handle) error {
	if _, ok := pl.f.(SyncAllFile); !ok || !o.One {
		return pl.syncParts(o.Lacks, before, after)
	}
	if len(before)+len(after) > 2 {
		after = after[:1] // it must see the bytes written through the other
	} else if len(pl.handles) == 1 {
		after = nil
	}
	for _, h := range slices.Concat(before, after) {
		if err := h.f.(SyncAllFile).SyncAll(); err != nil {
			return err
		}
	}
	return nil
}

// syncParts syncs some handles, calls a barrier and syncs some handles, without the parts
// in lacks.
func (pl *player) syncParts(lacks gen.Lack, before, after []*handle) error {
	each := func(all []*handle) func() error {
		return func() error {
			for _, h := range all {
				if err := h.f.Sync(); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for _, part := range []struct {
		lack gen.Lack
		call func() error
	}{
		{gen.WriterSync, each(before)},
		{gen.Order, pl.c.Barrier},
		{gen.ReaderSync, each(after)},
	} {
		if lacks == part.lack {
			continue
		}
		if err := part.call(); err != nil {
			return err
		}
	}
	return nil
}

// sized records the size, if the layer has one.
func (pl *player) sized(see *observation) error {
	f, ok := pl.f.(SizedFile)
	if !ok || pl.p.ConflictFree { // asking for the size is a read of it
		return nil
	}
	var err error
	see.size, err = f.Size()
	see.hasSize = true
	return err
}

func (pl *player) resize(o *gen.Op, see *observation) error {
	if err := pl.sync(&gen.Op{}, see); err != nil {
		return err
	}
	// A barrier: a change of size counts as a write of every byte, so no rank may still be
	// reading.
	if err := pl.c.Barrier(); err != nil {
		return err
	}
	f, set := pl.f.(SizedFile), pl.f.(SizedFile).SetSize
	if o.Do == gen.Preallocate {
		set = f.Preallocate
	}
	if err := set(o.Size); err != nil {
		return err
	}
	if err := pl.checkSize(f, o); err != nil {
		return err
	}
	return pl.sync(&gen.Op{}, see)
}

// checkSize compares the size right behind a change of it, before ranks meet: no rank writes in
// between.
func (pl *player) checkSize(f SizedFile, o *gen.Op) error {
	if pl.p.ConflictFree { // asking for the size is a read of it
		return nil
	}
	n, err := f.Size()
	if err == nil && (n < o.Size || n > o.Size && o.Do == gen.SetSize) {
		err = fmt.Errorf("the size behind it is %d, before the ranks meet again", n)
	}
	return err
}

// access runs one rank's part of a read or write. Barriers put noncollective accesses by
// the shared pointer into an order. There is none between a seek of that pointer and the first
// access, because the seek is a collective call that all ranks make before.
func (pl *player) access(k int, o *gen.Op, see *observation) error {
	turns := o.At == gen.Shared && !o.All
	if turns && barrierBefore(pl.p, k) {
		if err := pl.c.Barrier(); err != nil {
			return err
		}
	}
	if o.By(pl.c.Rank()) {
		if err := pl.move(k, o, see); err != nil {
			return err
		}
	}
	if turns {
		return pl.c.Barrier()
	}
	return nil
}

// barrierBefore reports whether ranks meet before operation k, a noncollective access by the
// shared pointer.
func barrierBefore(p *gen.Program, k int) bool { return k == 0 || p.Ops[k-1].Do != gen.SeekShared }

func (pl *player) move(k int, o *gen.Op, see *observation) error {
	rank := pl.c.Rank()
	off, n := o.Args(rank)
	if pl.empty { // there is nothing to move
		n = 0
	}
	p := make([]byte, n*pl.units.mem)
	if o.Do == gen.Write {
		pl.units.fill(pl.p.Values, p, rank, k)
	}
	if o.Do == gen.Read {
		fillBytes(p, untouched)
		see.data = p
	}
	a := o.Access()
	if o.Late && a.Form != gen.Blocking {
		return pl.begin(k, a, p, off, see)
	}
	moved, err := pl.call(a, p, off, see)
	if err == nil {
		err = pl.checkMemory(a, p, pl.units, moved, k)
	}
	if err != nil {
		return err
	}
	see.moved = moved
	if o.Do == gen.Write && a.Form == gen.Blocking {
		if err := pl.sized(see); err != nil {
			return err
		}
	}
	if a.Form != gen.Blocking {
		return nil // the access is not complete yet
	}
	return pl.pointers(a, see)
}

// checkMemory checks the memory of a complete access. A write has not changed it, and a read
// only where it moved bytes. An item that the end of the file cuts is not counted, and its
// bytes may have changed. (IO-DA-07, IO-DA-10)
func (pl *player) checkMemory(a gen.Access, mem []byte, units unit, moved, k int) error {
	if a.Write {
		return pl.reuse(mem, k)
	}
	counted := max(moved, 0)
	if item := int(units.items[0].mem); item > 1 {
		counted += item
	}
	for i := counted; i < len(mem); i++ {
		if mem[i] != untouched {
			return fmt.Errorf("the read changed byte %d of its memory, but it moved %d bytes; it must leave the rest of the buffer alone (IO-DA-07)", i, moved)
		}
	}
	return nil
}

// fillBytes sets all bytes of p to b.
func fillBytes(p []byte, b byte) {
	if len(p) > 0 {
		p[0] = b
	}
	for done := 1; done < len(p); done *= 2 {
		copy(p[done:], p[:done])
	}
}

// reuse checks that a write has not changed its memory, and then overwrites it, as a
// program may when the write is complete.
func (pl *player) reuse(mem []byte, k int) error {
	want := mem
	if pl.units.plain() {
		want = pl.p.Values.Data(pl.c.Rank(), k, int64(len(mem)))
	} else {
		want = make([]byte, len(mem))
		pl.units.fill(pl.p.Values, want, pl.c.Rank(), k)
	}
	if !bytes.Equal(mem, want) {
		return errors.New("the write changed the memory that it writes from")
	}
	fillBytes(mem, 0xa5)
	return nil
}

// begin starts an access that is completed later.
func (pl *player) begin(k int, a gen.Access, p []byte, off int64, see *observation) error {
	q, err := pl.f.(StartingFile).Start(a, p, off)
	if err != nil {
		return err
	}
	if pl.under == nil {
		pl.under = map[int]started{}
	}
	pl.under[k] = started{q, p, pl.units}
	return pl.pointers(a, see)
}

func (pl *player) pointers(a gen.Access, see *observation) (err error) {
	switch {
	case a.At == gen.Individual:
		return pl.position(see)
	case a.At == gen.Shared && !a.All:
		see.shared, err = pl.f.(SharedFile).PositionShared()
		see.hasShare = true
	}
	return err
}

func (pl *player) call(a gen.Access, p []byte, off int64, see *observation) (int, error) {
	if a.Form != gen.Blocking {
		q, err := pl.f.(StartingFile).Start(a, p, off)
		if err != nil {
			return 0, err
		}
		if err := pl.pointers(a, see); err != nil {
			return 0, err
		}
		return q.Wait()
	}
	switch {
	case a.At == gen.Explicit && a.All:
		f := pl.f.(CollectiveFile)
		return either(a, f.ReadAtAll, f.WriteAtAll)(p, off)
	case a.At == gen.Explicit:
		return either(a, pl.f.ReadAt, pl.f.WriteAt)(p, off)
	case a.At == gen.Individual && a.All:
		f := pl.f.(IndividualCollectiveFile)
		return either(a, f.ReadAll, f.WriteAll)(p)
	case a.At == gen.Individual:
		f := pl.f.(IndividualFile)
		return either(a, f.Read, f.Write)(p)
	case a.All:
		f := pl.f.(OrderedFile)
		return either(a, f.ReadOrdered, f.WriteOrdered)(p)
	}
	f := pl.f.(SharedFile)
	return either(a, f.ReadShared, f.WriteShared)(p)
}

func either[F any](a gen.Access, read, write F) F {
	if a.Write {
		return write
	}
	return read
}

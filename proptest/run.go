package proptest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A Maker makes a new, empty layer for one program.
type Maker func() (Layer, error)

// fileName is the file of every program.
const fileName = "f"

// An observation is what one rank saw of one operation.
type observation struct {
	moved    int
	data     []byte // read
	pos      int64  // individual pointer afterwards, if there is one
	shared   int64  // shared pointer afterwards, if the rank was alone with it
	size     int64  // after a sync
	hasPos   bool
	hasShare bool
	hasSize  bool
}

// read returns what is there of what was read, whatever a layer counted.
func (o *observation) read() []byte { return o.data[:min(max(o.moved, 0), len(o.data))] }

// A trace is what became of a program.
type trace struct {
	seen      []observation // of operation k on rank r at k*ranks+r
	ranks     int
	stored    []byte // bytes of the file afterwards
	hasStored bool
	crashes   [][]byte // what crashes leave of it, if the layer is a Crasher
}

func (t *trace) of(k, rank int) *observation { return &t.seen[k*t.ranks+rank] }

// How a program is run.
type manner struct {
	before bool // look at what is stored before the files are closed
}

// A player is one rank that runs a program.
type player struct {
	l     Layer
	c     *comm.Comm
	p     *gen.Program
	f     File
	units unit // of the view
	empty bool // the view shows nothing
	out   *trace

	later [][]int         // when this rank completes accesses
	under map[int]Request // by operation
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
	err = world.Run(context.Background(), p.Ranks, func(_ context.Context, c *comm.Comm) error {
		pl := &player{l: l, c: c, p: p, out: out}
		return pl.run(how)
	}, world.Seed(p.Seed), world.Unchecked()) // what races is not determined and not looked at
	if err == nil && !how.before {
		err = out.look(l)
	}
	if c, ok := l.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return out, err
}

// look reads the file after the program: what is stored, or what a single rank
// reads.
func (t *trace) look(l Layer) error {
	if s, ok := l.(Storage); ok {
		var err error
		t.stored, err = s.Stored(fileName)
		t.hasStored = true
		return err
	}
	return world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := l.Open(c, fileName)
		if err != nil {
			return err
		}
		for {
			p := make([]byte, 1024)
			n, err := f.ReadAt(p, int64(len(t.stored)))
			if err != nil {
				return err
			}
			t.stored = append(t.stored, p[:n]...)
			if n < len(p) {
				t.hasStored = true
				return f.Close()
			}
		}
	}, world.Unchecked())
}

// lookBefore looks at the file while ranks have it open: at what is stored, and at
// what some crashes would leave.
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
	if err := pl.open(); err != nil {
		return err
	}
	pl.later = pl.p.Completions(pl.c.Rank())
	for k := range pl.p.Ops {
		if err := pl.complete(k); err != nil {
			return err
		}
		if err := pl.step(k); err != nil {
			return &OpError{pl.p, k, err}
		}
	}
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
	return pl.f.Close()
}

// An OpError is an error that a layer returned for an operation, although the
// program breaks no rule.
type OpError struct {
	Program *gen.Program
	Op      int
	Err     error
}

// Error names the operation.
func (e *OpError) Error() string {
	return fmt.Sprintf("operation %d, %v, fails: %v", e.Op, &e.Program.Ops[e.Op], e.Err)
}

// Unwrap returns what the layer returned.
func (e *OpError) Unwrap() error { return e.Err }

func (pl *player) open() (err error) {
	pl.units, pl.empty = bytewise, false
	pl.f, err = openFile(pl.l, pl.c, pl.p.Hints)
	return err
}

// openFile opens the file with hints. A layer that takes none has ignored them.
func openFile(l Layer, c *comm.Comm, hints map[string]string) (File, error) {
	if h, ok := l.(Hinted); ok && len(hints) > 0 {
		return h.OpenHinted(c, fileName, hints)
	}
	return l.Open(c, fileName)
}

// complete completes the accesses that are to be before operation k.
func (pl *player) complete(k int) error {
	if pl.later == nil {
		return nil
	}
	for _, i := range pl.later[k] {
		moved, err := pl.under[i].Wait()
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
	see := pl.out.of(k, pl.c.Rank())
	switch o.Do {
	case gen.Write, gen.Read:
		return pl.access(k, o, see)
	case gen.Sync:
		return pl.sync(o.Lacks, see)
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
	case gen.Finish:
		return nil // it was done before
	}
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

func (pl *player) sync(lacks gen.Lack, see *observation) error {
	for _, part := range []struct {
		lack gen.Lack
		call func() error
	}{
		{gen.WriterSync, pl.f.Sync},
		{gen.Order, pl.c.Barrier},
		{gen.ReaderSync, pl.f.Sync},
	} {
		if lacks == part.lack {
			continue
		}
		if err := part.call(); err != nil {
			return err
		}
	}
	f, ok := pl.f.(SizedFile)
	if !ok || lacks != gen.Nothing {
		return nil
	}
	var err error
	see.size, err = f.Size()
	see.hasSize = true
	return err
}

func (pl *player) resize(o *gen.Op, see *observation) error {
	if err := pl.sync(gen.Nothing, see); err != nil {
		return err
	}
	// A barrier: a size changes as if every byte were written, and nobody may be
	// looking at it still.
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
	return pl.sync(gen.Nothing, see)
}

// access does one rank's part in a read or write. Noncollective accesses by the
// shared pointer are put in order by barriers.
func (pl *player) access(k int, o *gen.Op, see *observation) error {
	turns := o.At == gen.Shared && !o.All
	if turns {
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

func (pl *player) move(k int, o *gen.Op, see *observation) error {
	rank := pl.c.Rank()
	off, n := o.Args(rank)
	if pl.empty { // nothing can be moved
		n = 0
	}
	p := make([]byte, n*pl.units.mem)
	if o.Do == gen.Write {
		pl.units.mark(p, rank, k)
	}
	if o.Do == gen.Read {
		see.data = p
	}
	a := o.Access()
	if o.Late && a.Form != gen.Blocking {
		return pl.begin(k, a, p, off, see)
	}
	moved, err := pl.call(a, p, off, see)
	if err != nil {
		return err
	}
	see.moved = moved
	if a.Form != gen.Blocking {
		return nil // looked at before it was complete
	}
	return pl.pointers(a, see)
}

// begin starts an access that is completed later.
func (pl *player) begin(k int, a gen.Access, p []byte, off int64, see *observation) error {
	q, err := pl.f.(StartingFile).Start(a, p, off)
	if err != nil {
		return err
	}
	if pl.under == nil {
		pl.under = map[int]Request{}
	}
	pl.under[k] = q
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

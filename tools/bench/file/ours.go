package file

import (
	"context"
	"fmt"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/tools/internal/measure"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A variant is one way to run a row here.
type variant struct {
	name  string
	model consistency.Model
	bare  bool // without the race detector
	plain bool // not atomic, even if the row asks for it
	copy  bool // no file, but memory that all ranks share
}

// The variants, by the name of their column.
var (
	posix   = &variant{name: "POSIX", model: consistency.POSIX}
	weakest = &variant{name: "default", model: consistency.Weakest}
	posixX  = &variant{name: "POSIX unwatched", model: consistency.POSIX, bare: true}
	weakX   = &variant{name: "default unwatched", model: consistency.Weakest, bare: true}
	plain   = &variant{name: "POSIX not atomic", model: consistency.POSIX, plain: true}
	floor   = &variant{name: "copy", copy: true}
)

// opening is the verb of the row that opens and closes.
const opening = "open"

// A bench is the state of one rank for the calls of a row.
type bench struct {
	c       *comm.Comm
	fsys    *iofile.FS
	f       *iofile.File
	arg     int64
	mine    int64
	out, in []float64
	shared  []byte       // in place of a file
	a, b    types.Buffer // halves of the memory, for rows of one call
}

// A verb is the calls of a row; c/peer.c has the same in C.
type verb struct {
	set         func(*bench) error
	before      func(*bench) error
	write, read func(*bench) error
}

var verbs = map[string]verb{
	"contiguous":  {write: each((*iofile.File).WriteAt, true), read: each((*iofile.File).ReadAt, false)},
	"segmented":   {write: each((*iofile.File).WriteAtAll, true), read: each((*iofile.File).ReadAtAll, false)},
	"atomic":      {set: func(b *bench) error { return b.f.SetAtomicity(true) }, write: each((*iofile.File).WriteAt, true), read: each((*iofile.File).ReadAt, false)},
	"cyclic":      {set: (*bench).cyclic, write: whole((*iofile.File).WriteAtAll, true), read: whole((*iofile.File).ReadAtAll, false)},
	"holes":       {set: (*bench).holes, write: whole((*iofile.File).WriteAtAll, true), read: whole((*iofile.File).ReadAtAll, false)},
	"holes alone": {set: (*bench).holes, write: whole((*iofile.File).WriteAt, true), read: whole((*iofile.File).ReadAt, false)},
	"block":       {set: (*bench).block, write: whole((*iofile.File).WriteAtAll, true), read: whole((*iofile.File).ReadAtAll, false)},
	"shared":      {before: (*bench).rewind, write: pointed((*iofile.File).WriteShared)},
	"ordered":     {before: (*bench).rewind, write: pointed((*iofile.File).WriteOrdered)},
}

type (
	explicit func(*iofile.File, types.Buffer, iofile.Offset) (iofile.Status, error)
	implicit func(*iofile.File, types.Buffer) (iofile.Status, error)
)

// each makes one call for every piece of a rank's stretch of the file.
func each(call explicit, out bool) func(*bench) error {
	return func(b *bench) error {
		mem, side := types.Of(b.in).Mem(), int64(b.c.Rank())*b.mine
		if out {
			mem = types.Of(b.out).Mem()
		}
		for at := int64(0); at < b.mine; at += b.arg {
			if _, err := call(b.f, types.Of(mem[at:at+b.arg]), iofile.Offset(side+at)); err != nil {
				return err
			}
		}
		return nil
	}
}

// pointed is each with the shared pointer.
func pointed(call implicit) func(*bench) error {
	return func(b *bench) error {
		mem := types.Of(b.out).Mem()
		for at := int64(0); at < b.mine; at += b.arg {
			if _, err := call(b.f, types.Of(mem[at:at+b.arg])); err != nil {
				return err
			}
		}
		return nil
	}
}

// whole makes one call for all data.
func whole(call explicit, out bool) func(*bench) error {
	return func(b *bench) error {
		buf := b.b
		if out {
			buf = b.a
		}
		_, err := call(b.f, buf, 0)
		return err
	}
}

func (b *bench) every(doubles int64) error {
	n := int64(b.c.Size())
	ft := types.Resized(types.Contiguous(doubles, types.Double), 0, doubles*8*n)
	b.a, b.b = types.Of(b.out[:b.mine/8]), types.Of(b.in[:b.mine/8])
	return b.f.SetView(iofile.View{Disp: int64(b.c.Rank()) * doubles * 8, Etype: types.Double, Filetype: ft})
}

func (b *bench) cyclic() error { return b.every(b.arg / 8) }

func (b *bench) holes() error {
	err := b.every(8)
	mt := types.Vector(b.mine/64, 8, 16, types.Double)
	b.a, b.b = types.Of(b.out).As(mt).Times(1), types.Of(b.in).As(mt).Times(1)
	return err
}

func (b *bench) block() error {
	n := b.c.Size()
	grid := []int{256, 256, int(b.mine * int64(n) >> 19)}
	dims, err := comm.DimsCreate(n, []int{0, 0, 0})
	if err != nil {
		return err
	}
	slabs, r := make([]types.Slab, 3), b.c.Rank()
	for i := 2; i >= 0; i-- {
		sub := grid[i] / dims[i]
		slabs[i] = types.Slab{Size: int64(grid[i]), Sub: int64(sub), Start: int64(r % dims[i] * sub)}
		r /= dims[i]
	}
	n3 := slabs[0].Sub * slabs[1].Sub * slabs[2].Sub
	b.a, b.b = types.Of(b.out[:n3]), types.Of(b.in[:n3])
	return b.f.SetView(iofile.View{Etype: types.Double, Filetype: types.Subarray(types.OrderC, slabs, types.Double)})
}

// rewind moves the shared pointer to the beginning, where other ranks have written, so
// the bytes change owner each time.
func (b *bench) rewind() error {
	if err := then(b.f.Sync, b.c.Barrier, b.f.Sync)(); err != nil {
		return err
	}
	return b.f.SeekShared(0, iofile.SeekSet)
}

func (b *bench) open() (err error) {
	b.f, err = iofile.Open(b.c, b.fsys, "bench", iofile.Create|iofile.ReadWrite)
	return err
}

func (b *bench) opens() error {
	for range b.arg {
		if err := b.open(); err != nil {
			return err
		}
		if err := b.f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// ours runs a job and returns the times of its repetitions in seconds, by phase.
func ours(j *job, v *variant, reps int) (map[string][]float64, error) {
	t := &times{measure.NewLaps(reps+uncounted, j.ranks), map[string][]float64{}}
	fsys := iofile.NewMem(iofile.WithModel(v.model))
	var opts []world.Option
	if v.bare {
		opts = append(opts, world.Unchecked())
	}
	var memory []byte
	if v.copy {
		memory = make([]byte, j.bytes)
	}
	err := world.Run(context.Background(), j.ranks, func(_ context.Context, c *comm.Comm) error {
		b := &bench{c: c, fsys: fsys, arg: j.arg, mine: j.bytes / int64(j.ranks), shared: memory}
		return b.run(j, v, t)
	}, opts...)
	return t.took, err
}

func (b *bench) run(j *job, v *variant, t *times) error {
	if j.verb == opening {
		return b.phase(t, "call", nil, b.opens)
	}
	b.fill()
	if v.copy {
		return b.copies(t)
	}
	if err := b.open(); err != nil {
		return err
	}
	do := verbs[j.verb]
	if do.set != nil && (!v.plain || j.verb != "atomic") {
		if err := do.set(b); err != nil {
			return err
		}
	}
	bind := func(f func(*bench) error) func() error {
		if f == nil {
			return nil
		}
		return func() error { return f(b) }
	}
	write, read := bind(do.write), bind(do.read)
	if v.model == consistency.Weakest { // writers and readers must sync
		write, read = then(write, b.f.Sync), then(b.f.Sync, read)
	}
	if err := b.phase(t, "write", bind(do.before), write); err != nil {
		return err
	}
	if do.read != nil {
		if err := b.phase(t, "read", bind(do.before), read); err != nil {
			return err
		}
		if !slices.Equal(b.in[:8], b.out[:8]) {
			return fmt.Errorf("rank %d read %v, wrote %v", b.c.Rank(), b.in[:8], b.out[:8])
		}
	}
	return b.f.Close()
}

// copies only copies the bytes of a contiguous row.
func (b *bench) copies(t *times) error {
	mine := b.shared[int64(b.c.Rank())*b.mine:][:b.mine]
	pass := func(to, from []byte) func() error {
		return func() error {
			for at := int64(0); at < b.mine; at += b.arg {
				copy(to[at:at+b.arg], from[at:at+b.arg])
			}
			return nil
		}
	}
	if err := b.phase(t, "write", nil, pass(mine, types.Of(b.out).Mem())); err != nil {
		return err
	}
	return b.phase(t, "read", nil, pass(types.Of(b.in).Mem(), mine))
}

// then returns a function that runs the steps in order.
func then(steps ...func() error) func() error {
	return func() error {
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	}
}

// fill allocates and fills the memory of a rank.
func (b *bench) fill() {
	b.out, b.in = make([]float64, b.mine/4), make([]float64, b.mine/4) // twice the data, for rows with holes
	for i := range b.out {
		b.out[i], b.in[i] = float64(b.c.Rank()*1000+i), 1 // memory that was never written is one shared page of zeros
	}
}

// uncounted repetitions come first: one touches new memory, the next is the first to
// overwrite something, and two more pass until all pages that a log and an image exchange
// have been used.
const uncounted = 4

// A times holds the laps of a phase, and the times of those that count.
type times struct {
	laps *measure.Laps
	took map[string][]float64 // by phase
}

// phase runs the repetitions of one phase.
func (b *bench) phase(t *times, name string, before, step func() error) error {
	for k := range t.laps.Len() {
		if before != nil {
			if err := before(); err != nil {
				return err
			}
		}
		if err := b.c.Barrier(); err != nil {
			return err
		}
		if err := t.laps.Do(k, b.c.Rank(), step); err != nil {
			return err
		}
	}
	if err := b.c.Barrier(); err != nil {
		return err
	}
	if b.c.Rank() == 0 {
		for k := uncounted; k < t.laps.Len(); k++ {
			t.took[name] = append(t.took[name], t.laps.Seconds(k))
		}
	}
	return b.c.Barrier()
}

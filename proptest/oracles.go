package proptest

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// Reference runs a program on a new layer and compares all results with the definition of
// MPI-IO: bytes read, counts, pointers, sizes, and the file at the end. It ignores values
// that the standard leaves undefined, so programs may race. The error is a
// *[Disagreement] or an *[OpError] if it concerns one rank and operation; a layer whose
// ranks wait for each other forever gives a *world.DeadlockError.
func Reference(mk Maker, p *gen.Program) error {
	t, err := play(mk, p, manner{})
	if err == nil {
		err = judge(p, t)
	}
	return explain(p, err)
}

// explain adds the program to an error.
func explain(p *gen.Program, err error) error {
	if err == nil {
		return nil
	}
	return &programError{p, err}
}

// NoHang runs a program and reports ranks that wait for each other forever, each with
// what it waits for and where. It ignores other faults. A layer that waits by other means
// than its communicator hangs. (CONS-PROG-01)
func NoHang(mk Maker, p *gen.Program) error {
	_, err := play(mk, p, manner{})
	var stuck *world.DeadlockError
	if errors.As(err, &stuck) {
		return explain(p, stuck)
	}
	return nil
}

// NothingLost runs a program and checks the stored bytes just before the files are closed,
// as if all ranks died then, and after several simulated crashes of the machine: bytes that
// all ranks synced and none has written since must be there. The layer must be a [Storage]
// and may be a [Crasher]. (CONS-SYNC-01)
func NothingLost(mk Maker, p *gen.Program) error {
	t, err := play(mk, p, manner{before: true})
	if err != nil {
		return explain(p, err)
	}
	if !t.hasStored {
		return errors.New("the layer does not implement Storage, so its stored bytes cannot be read")
	}
	ref := newReference(p, t)
	if err := ref.run(); err != nil {
		return explain(p, err)
	}
	ref.bytes.publish(true)
	if err = ref.kept(); err != nil {
		return explain(p, err)
	}
	for _, left := range t.crashes {
		t.stored = left
		if err := ref.kept(); err != nil {
			return explain(p, fmt.Errorf("after a crash: %w", err))
		}
	}
	return nil
}

// RoundTrip makes every rank write marks through its view, close the file, open it again
// and read them back. It needs no model of the file's content. n counts etypes. The views
// must not share bytes.
func RoundTrip(mk Maker, views []iofile.View, n int64, seed uint64) error {
	p := &gen.Program{Ranks: len(views), Seed: seed}
	look := gen.Op{Do: gen.SetView, All: true, Views: views}
	p.Ops = append(p.Ops, look)
	for r := range views {
		p.Ops = append(p.Ops, gen.Op{Do: gen.Write, Rank: r, N: n})
	}
	p.Ops = append(p.Ops, gen.Op{Do: gen.Reopen, All: true}, look)
	reads := len(p.Ops)
	for r := range views {
		p.Ops = append(p.Ops, gen.Op{Do: gen.Read, Rank: r, N: n})
	}
	t, err := play(mk, p, manner{})
	if err != nil {
		return explain(p, err)
	}
	for r, v := range views {
		see := t.of(reads+r, r)
		m := newMove(v, n)
		m.op, m.rank = reads+r, r
		wrote := make([]byte, len(see.data))
		m.v.unit.mark(wrote, r, 1+r)
		want, _ := m.v.unit.encode(wrote)
		got, whole := m.v.unit.encode(see.data[:m.v.unit.wholeItems(m.v.unit.fileBytes(int64(len(see.read()))))])
		if err := m.compare(p, want, got, writtenBy(p, 1+r, r)); err != nil {
			return explain(p, err)
		}
		if see.moved != len(wrote) {
			return explain(p, fmt.Errorf("rank %d reads %d bytes of memory, and counts %d", r, len(wrote), see.moved))
		}
		if !whole {
			return explain(p, fmt.Errorf("rank %d read integers whose high bytes are not those that it wrote\n%s", r, dump(0, see.data)))
		}
	}
	return nil
}

// ViewInverse compares both directions of views with their definition as lists of bytes.
// Bytes that ranks write through their views must be at the listed places of the file;
// bytes that are written there without a view must be read through the views. n counts
// etypes. The views must not share bytes.
func ViewInverse(mk Maker, views []iofile.View, n int64, seed uint64) error {
	look := gen.Op{Do: gen.SetView, All: true, Views: views}
	through := &gen.Program{Ranks: len(views), Seed: seed, Ops: []gen.Op{look}}
	back := &gen.Program{Ranks: len(views), Seed: seed}
	var end int64
	for r, v := range views {
		m := newMove(v, n)
		if m.bytes() > 0 {
			end = max(end, m.byteAt(m.bytes()-1)+1)
		}
		through.Ops = append(through.Ops, gen.Op{Do: gen.Write, Rank: r, N: n})
	}
	back.Ops = append(back.Ops, gen.Op{Do: gen.Write, N: end}, gen.Op{Do: gen.Sync, All: true}, look)
	for r := range views {
		back.Ops = append(back.Ops, gen.Op{Do: gen.Read, Rank: r, N: n})
	}
	t, err := play(mk, through, manner{})
	if err != nil {
		return explain(through, err)
	}
	if err := foundAt(through, views, n, t.stored); err != nil {
		return explain(through, err)
	}
	if t, err = play(mk, back, manner{}); err != nil {
		return explain(back, err)
	}
	return explain(back, readFrom(back, views, n, t))
}

func newMove(v iofile.View, n int64) *move {
	ref := reference{p: &gen.Program{Ranks: 1}, users: make([]user, 1)}
	ref.views([]iofile.View{v}, 0)
	m := &move{v: ref.users[0].view, n: n}
	if len(m.v.tile) == 0 {
		m.n = 0
	}
	return m
}

// foundAt checks that the marks of each rank are where its view says.
func foundAt(p *gen.Program, views []iofile.View, n int64, file []byte) error {
	for r, v := range views {
		m := newMove(v, n)
		m.op, m.rank = 1+r, r
		mem := make([]byte, m.n*m.v.unit.mem)
		m.v.unit.mark(mem, r, 1+r)
		want, _ := m.v.unit.encode(mem)
		var got []byte
		for i := range want {
			at := m.byteAt(int64(i))
			if at >= int64(len(file)) {
				break
			}
			got = append(got, file[at])
		}
		if err := m.compare(p, want, got, writtenBy(p, 1+r, r)); err != nil {
			return err
		}
	}
	return nil
}

// readFrom checks that each rank read the bytes that its view shows.
func readFrom(p *gen.Program, views []iofile.View, n int64, t *trace) error {
	for r, v := range views {
		m := newMove(v, n)
		m.op, m.rank = 3+r, r
		got, _ := m.v.unit.encode(t.of(3+r, r).data)
		want := make([]byte, len(got))
		for i := range want {
			want[i] = gen.Mark(0, 0, m.byteAt(int64(i)))
		}
		if err := m.compare(p, want, got, writtenBy(p, 0, 0)); err != nil {
			return err
		}
	}
	return nil
}

// ModelIndependent runs a program on this module's files under each consistency model.
// Values that the standard determines must be the same under all.
func ModelIndependent(p *gen.Program, open ...iofile.OpenOption) error {
	for _, m := range gen.Models(p.Seed) {
		if err := Reference(Ours([]iofile.Option{iofile.WithModel(m)}, open...), p); err != nil {
			return fmt.Errorf("under the model %v: %w", m, err)
		}
	}
	return nil
}

// strategies lists this module's strategies, with buffers so small that accesses take
// several pieces.
var strategies = []strategy.Strategy{
	strategy.Direct{},
	strategy.List{Most: 2},
	strategy.Sieve{ReadBuffer: 16, WriteBuffer: 8},
	strategy.TwoPhase{Nodes: 2, Buffer: 16, Read: strategy.Enable, Write: strategy.Enable},
	strategy.TwoPhase{},
}

// StrategyIndependent runs a program on this module's files under each I/O strategy. The
// results must be the same.
func StrategyIndependent(p *gen.Program, opts ...iofile.Option) error {
	for _, s := range strategies {
		if err := Reference(Ours(opts, iofile.WithStrategy(s)), p); err != nil {
			return fmt.Errorf("under the strategy %v: %w", s, err)
		}
	}
	return nil
}

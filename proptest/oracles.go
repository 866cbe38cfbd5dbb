package proptest

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// Reference runs a program on a new layer and compares everything that it saw
// with the definition of MPI-IO: bytes read, amounts, pointers, sizes, and the
// file in the end. What the standard leaves open, it does not look at, so
// programs may race. The error is a *[Disagreement] or *[OpError] where one
// rank and operation are to blame; a layer that lets ranks wait for each other
// for ever gives a *world.DeadlockError.
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
	return fmt.Errorf("%w\nprogram: %v", err, p)
}

// NoHang runs a program and reports ranks that wait for each other for ever,
// each with what it waits for and where. Whatever else goes wrong, it does not
// look at. A layer that waits by other means than its communicator hangs.
// (CONS-PROG-01)
func NoHang(mk Maker, p *gen.Program) error {
	_, err := play(mk, p, manner{})
	var stuck *world.DeadlockError
	if errors.As(err, &stuck) {
		return explain(p, stuck)
	}
	return nil
}

// NothingLost runs a program and looks at what is stored just before the files
// are closed, as if all ranks died then, and at what several crashes of the
// machine would leave: bytes that were synced by all and not written since must be
// there. The layer must be a [Storage] and may be a [Crasher]. (CONS-SYNC-01)
func NothingLost(mk Maker, p *gen.Program) error {
	t, err := play(mk, p, manner{before: true})
	if err != nil {
		return explain(p, err)
	}
	if !t.hasStored {
		return errors.New("the layer is no Storage: what it has stored cannot be seen")
	}
	ref := newReference(p, t)
	if err := ref.run(); err != nil {
		return explain(p, err)
	}
	for at, who := range ref.by {
		if who != nobody && at < len(ref.cells) {
			ref.cells[at].known = false
		}
	}
	ref.by = nil
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

// RoundTrip has every rank write marks through its view, close the file, open
// it again and read them back. No model of what is in the file is needed. n
// counts etypes. The views must not share bytes.
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
			return explain(p, fmt.Errorf("rank %d read integers larger than what it wrote\n%s", r, dump(0, see.data)))
		}
	}
	return nil
}

// ViewInverse compares both directions of views with their definition as lists
// of bytes. What ranks write through their views must be found at those bytes
// of the file, and what is written there flat must be read through the views.
// n counts etypes. The views must not share bytes.
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
	ref := reference{ranks: make([]refRank, 1)}
	ref.views([]iofile.View{v})
	m := &move{v: ref.ranks[0].view, n: n}
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

// ModelIndependent runs a program on this module's files under each model of
// visibility. What the standard determines must be the same under all.
func ModelIndependent(p *gen.Program, open ...iofile.OpenOption) error {
	for _, m := range gen.Models(p.Seed) {
		if err := Reference(Ours([]iofile.Option{iofile.WithModel(m)}, open...), p); err != nil {
			return fmt.Errorf("under the model %v: %w", m, err)
		}
	}
	return nil
}

// strategies are those of this module, with buffers so small that accesses go
// in several pieces.
var strategies = []iofile.Strategy{
	iofile.Direct{},
	iofile.List{Most: 2},
	iofile.Sieve{ReadBuffer: 16, WriteBuffer: 8},
	iofile.TwoPhase{Nodes: 2, Buffer: 16, Read: iofile.Enable, Write: iofile.Enable},
	iofile.TwoPhase{},
}

// StrategyIndependent runs a program on this module's files under each strategy
// of moving bytes, which must not show.
func StrategyIndependent(p *gen.Program, opts ...iofile.Option) error {
	for _, s := range strategies {
		if err := Reference(Ours(opts, iofile.WithStrategy(s)), p); err != nil {
			return fmt.Errorf("under the strategy %v: %w", s, err)
		}
	}
	return nil
}

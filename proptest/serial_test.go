package proptest

import (
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/proptest/gen"
)

// history converts a program with blocking accesses at explicit offsets in bytes, and its trace,
// to a history of package consistency, which tries all orders.
func history(p *gen.Program, t *trace) (consistency.History, consistency.Outcome) {
	h := consistency.History{Ranks: make([][]consistency.Step, p.Ranks)}
	seen := consistency.Outcome{Vars: map[string]string{}, File: hex.EncodeToString(t.stored)}
	for r := range h.Ranks {
		steps := []consistency.Step{{Do: consistency.DoOpen, ID: 1}}
		for k := range p.Ops {
			o := &p.Ops[k]
			if !o.By(r) {
				continue
			}
			off, n := o.Args(r)
			run := []consistency.Run{{Off: off, Len: n}}
			switch o.Do {
			case gen.Sync:
				steps = append(steps, consistency.Step{Do: consistency.DoSync}, consistency.Step{Do: consistency.DoBarrier, ID: k + 1}, consistency.Step{Do: consistency.DoSync})
			case gen.Atomic:
				steps = append(steps, consistency.Step{Do: consistency.DoAtomic, On: o.On})
			case gen.Write:
				steps = append(steps, consistency.Step{Do: consistency.DoWrite, Runs: run, Data: p.Values.Data(r, k, n)})
			case gen.Read:
				name := fmt.Sprintf("k%d", k)
				seen.Vars[fmt.Sprintf("%d.%s", r, name)] = hex.EncodeToString(t.of(k, r).read())
				steps = append(steps, consistency.Step{Do: consistency.DoRead, Runs: run, Name: name})
			}
		}
		h.Ranks[r] = append(steps, consistency.Step{Do: consistency.DoClose})
	}
	return h, seen
}

// smallAtomic draws programs so small that all orders can be tried. In most of them, all bytes are
// written first, so that the file has no holes.
var smallAtomic = rapid.Custom(func(t *rapid.T) *gen.Program {
	p := &gen.Program{Ranks: rapid.IntRange(2, 3).Draw(t, "ranks"), Ops: []gen.Op{
		{Do: gen.Atomic, All: true, On: true}, {Do: gen.Write, N: rapid.SampledFrom([]int64{12, 12, 12, 0, 3}).Draw(t, "first")}, {Do: gen.Sync, All: true},
	}}
	p.Values = rapid.SampledFrom([]gen.Values{gen.Marks, gen.Zeros, gen.Repeated}).Draw(t, "values")
	p.Ops = append(p.Ops, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) gen.Op {
		return gen.Op{
			Do: []gen.Do{gen.Write, gen.Read}[rapid.IntRange(0, 1).Draw(t, "read")], Rank: rapid.IntRange(0, p.Ranks-1).Draw(t, "rank"),
			Off: rapid.Int64Range(0, 4).Draw(t, "off"), N: rapid.Int64Range(1, 6).Draw(t, "n"),
		}
	}), 1, 7).Draw(t, "accesses")...)
	p.Seed = rapid.Uint64().Draw(t, "schedule")
	return p
})

// tear makes a read shorter, or gives a part of a read, or of the file, the bytes of another write.
func tear(t *rapid.T, p *gen.Program, tr *trace) {
	k := rapid.IntRange(1, len(p.Ops)-1).Draw(t, "access")
	w := p.Ops[k]
	if w.Do == gen.Read {
		see := tr.of(k, w.Rank)
		see.moved = rapid.IntRange(0, see.moved).Draw(t, "moved")
	}
	if w.Do != gen.Write || w.N == 0 {
		return
	}
	data := w.N
	bytes := p.Values.Data(w.Rank, k, data)
	to, at := tr.stored, int64(0)
	if i := rapid.IntRange(0, len(p.Ops)-1).Draw(t, "read"); p.Ops[i].Do == gen.Read {
		o := p.Ops[i]
		to, at = tr.of(i, o.Rank).read(), o.Off
	}
	from, n := rapid.Int64Range(0, data-1).Draw(t, "from"), rapid.Int64Range(1, data).Draw(t, "n")
	for i := from; i < min(data, from+n); i++ {
		if off := w.Off + i - at; off >= 0 && off < int64(len(to)) {
			to[off] = bytes[i]
		}
	}
}

// TestSerial: if it fails, the judge of atomic accesses allows results that no order of the
// accesses gives, or reports results that one gives.
func TestSerial(t *testing.T) {
	t.Run("CONS-C5 as if all orders were tried", func(t *testing.T) {
		torn, whole := 0, 0
		rapid.Check(t, func(t *rapid.T) {
			p := smallAtomic.Draw(t, "program")
			tr, err := play(Ours(nil), p, manner{})
			require.NoError(t, err)
			require.NoError(t, judge(p, tr))
			for range 3 {
				tear(t, p, tr)
				want, err := consistency.Explains(history(p, tr))
				require.NoError(t, err)
				got := judge(p, tr)
				require.Equal(t, want, got == nil, "%v%v", p, got)
				if want {
					whole++
				} else {
					torn++
				}
			}
		})
		assert.NotZero(t, torn)
		assert.NotZero(t, whole)
	})
	t.Run("CONS-ATOM-01 long histories are decided", func(t *testing.T) {
		before := undecided.Load()
		for _, use := range []gen.Use{0, gen.Everything | gen.AnyValues | gen.Irregular} {
			programs := gen.AtomicPrograms(gen.Limits{Ranks: 6, Ops: 60, Exact: true, Use: use})
			for seed := range 30 {
				require.NoError(t, AtomicSerialisable(Ours(nil), programs.Example(seed)))
			}
		}
		assert.Equal(t, before, undecided.Load())
	})
}

// TestTornRead: if it fails, the message about a read that finds one half of each of two writes does not say which.
func TestTornRead(t *testing.T) {
	p := gen.MustParse(`ranks 2, schedule random:0
		0: write_at at 0 n 8
		all: sync
		all: atomic true
		0: write_at at 0 n 8
		1: write_at at 0 n 8
		0: read_at at 0 n 8`)
	tr, err := play(Ours(nil), p, manner{})
	require.NoError(t, err)
	require.NoError(t, judge(p, tr))
	read := tr.of(5, 0).data
	copy(read, p.Values.Data(0, 3, 8)[:3])
	copy(read[3:], p.Values.Data(1, 4, 8)[3:])
	read[5] = 0
	assert.ErrorContains(t, judge(p, tr), `bytes [0, 8): of no write as a whole
    [0, 3): of rank 0 in operation 3, write_at at 0 n 8
    [3, 5): of rank 1 in operation 4, write_at at 0 n 8
    [5, 6): of no write
    [6, 8): of rank 1 in operation 4, write_at at 0 n 8`)
	writers := []slice{{2, []byte("bbbbbbbb")}, {1, []byte("aaaaaaaa")}, {0, []byte("ccccbbbb")}}
	assert.Equal(t, []part{{4, []int{1}}, {2, nil}, {2, []int{2, 0}}}, partsOf([]byte("aaaa??bb"), writers))
}

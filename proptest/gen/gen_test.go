package gen_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
)

// TestTypes: if it fails, a property that asks for well-behaved types gets other ones,
// and reports faults of a correct layer.
func TestTypes(t *testing.T) {
	t.Run("every type can be laid out", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			c := gen.Class(rapid.IntRange(0, int(gen.Tiling)).Draw(rt, "class"))
			typ := gen.Types(c).Draw(rt, "type")
			if err := typ.Err(); err != nil {
				rt.Fatalf("%v: %v", typ, err)
			}
		})
	})
	t.Run("classes keep their promises", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			c := gen.Class(rapid.IntRange(int(gen.Monotone), int(gen.Tiling)).Draw(rt, "class"))
			typ := gen.Types(c).Draw(rt, "type")
			m := naive.Of(typ, types.Host)
			if !m.Monotone() {
				rt.Fatalf("%v goes back", typ)
			}
			if c == gen.Monotone {
				return
			}
			all := m.Bytes(3)
			slices.Sort(all)
			if len(slices.Compact(slices.Clone(all))) != len(all) {
				rt.Fatalf("%v overlaps", typ)
			}
			if c == gen.Tiling && int64(len(all)) != 3*m.Extent() {
				rt.Fatalf("%v has holes", typ)
			}
		})
	})
	t.Run("portable types scale", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			typ := gen.Types(gen.Portable).Draw(rt, "type")
			if usesBytes(typ) {
				rt.Fatalf("%v counts bytes", typ)
			}
		})
	})
}

func usesBytes(t *types.Type) bool {
	_, err := t.Contents()
	if err != nil { // predefined
		return false
	}
	switch t.Envelope().Combiner {
	case types.CombinerHVector, types.CombinerHIndexed, types.CombinerHIndexedBlock, types.CombinerStruct, types.CombinerResized:
		return true
	}
	c, _ := t.Contents()
	return slices.ContainsFunc(c.Types, usesBytes)
}

// TestPartition: if it fails, complementary views overlap or leave gaps, and properties
// about them ask for the impossible.
func TestPartition(t *testing.T) {
	t.Run("IO-VIEW-20 complementary views show each byte once", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			n := gen.Ranks(5).Draw(rt, "ranks")
			rep := rapid.SampledFrom([]string{"native", "external32"}).Draw(rt, "rep")
			views := gen.Partition(n, rep).Draw(rt, "views")
			seen := map[int64]int{}
			var extent int64
			for r, v := range views {
				m := naive.Of(v.Filetype, gen.SizesOf(rep))
				if r > 0 && m.Extent() != extent {
					rt.Fatalf("extents %d and %d", extent, m.Extent())
				}
				extent = m.Extent()
				for _, at := range m.Bytes(1) {
					seen[at]++
				}
			}
			for at := range extent {
				if seen[at] != 1 {
					rt.Fatalf("byte %d of %d is shown %d times by %v", at, extent, seen[at], views)
				}
			}
			if int64(len(seen)) != extent {
				rt.Fatalf("%d bytes shown of %d", len(seen), extent)
			}
		})
	})
	t.Run("cuts deal every element once", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			n, ranks := rapid.Int64Range(0, 40).Draw(rt, "n"), gen.Ranks(9).Draw(rt, "ranks")
			cut := gen.Cuts().Draw(rt, "cut")
			seen := make([]int, n)
			for r := range ranks {
				for _, b := range cut.Part(n, r, ranks) {
					for i := range b.Len {
						seen[b.Disp+i]++
					}
				}
			}
			for i, times := range seen {
				if times != 1 {
					rt.Fatalf("%v deals element %d %d times", cut, i, times)
				}
			}
		})
	})
}

// TestPrograms: if it fails, programs use features that were not asked for, or lack those
// that were.
func TestPrograms(t *testing.T) {
	t.Run("programs use what they may, and all of it", func(t *testing.T) {
		routines := map[string]bool{}
		everything := gen.Programs(gen.Limits{Ranks: 4, Ops: 20, Exact: true, Use: gen.Everything})
		for seed := range 500 { // fixed seeds, because the test counts features
			p := everything.Example(seed)
			assert.Len(t, p.Ops, 20)
			for k := range p.Ops {
				if o := &p.Ops[k]; o.Do <= gen.Read {
					routines[o.Access().String()] = true
				}
			}
		}
		rapid.Check(t, func(rt *rapid.T) {
			p := gen.Programs(gen.Limits{Ranks: 3, Ops: 9}).Draw(rt, "plain")
			for k := range p.Ops {
				o := &p.Ops[k]
				if o.Do > gen.Sync || o.Do < gen.Sync && (o.All || o.At != gen.Explicit || o.Form != gen.Blocking) || o.Lacks != gen.Nothing {
					rt.Fatalf("%v was not asked for", o)
				}
			}
		})
		assert.Len(t, routines, 28, "the 34 routines, without the second halves of 6 split ones")
	})
	t.Run("second handles are used, and only where ranks have them", func(t *testing.T) {
		for use, second := range map[gen.Use]gen.Second{0: gen.NoSecond, gen.TwoHandles: gen.SameFile, gen.TwoFiles: gen.OtherFile} {
			programs := gen.Programs(gen.Limits{Ranks: 3, Ops: 20, Use: gen.Everything | gen.Shapes | use})
			seconds, overs := 0, 0
			for seed := range 200 {
				p := programs.Example(seed)
				assert.Equal(t, second, p.Second)
				for k := range p.Ops {
					o := &p.Ops[k]
					assert.False(t, o.Do == gen.Atomic && second != gen.NoSecond)
					if o.Second {
						seconds++
					}
					if o.Over != gen.BothHandles {
						overs++
					}
				}
			}
			assert.Equal(t, second != gen.NoSecond, seconds > 0)
			assert.Equal(t, second == gen.SameFile, overs > 0)
		}
	})
	t.Run("faults are rules that mean something", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			r := gen.Faults(3, true).Draw(rt, "rule")
			if _, err := faults.NewPlan(r); err != nil {
				rt.Fatal(err)
			}
		})
	})
	t.Run("marks differ between neighbours and writers", func(t *testing.T) {
		same := 0
		for i := range int64(1000) {
			if gen.Mark(0, 0, i) == gen.Mark(0, 0, i+1) || gen.Mark(0, 0, i) == gen.Mark(1, 0, i) || gen.Mark(0, 0, i) == gen.Mark(0, 1, i) {
				same++
			}
			assert.NotZero(t, gen.Mark(1, 2, i))
		}
		assert.Less(t, same, 100)
		assert.Equal(t, "B000B001", string([]byte{
			gen.TellOffset(11, 0), gen.TellOffset(11, 1), gen.TellOffset(11, 2), gen.TellOffset(11, 3),
			gen.TellOffset(11, 4), gen.TellOffset(11, 5), gen.TellOffset(11, 6), gen.TellOffset(11, 7),
		}))
	})
}

// TestCompletions: if it fails, programs complete an access twice or never, or disturb
// one that is under way, and correct layers are reported.
func TestCompletions(t *testing.T) {
	programs := gen.Programs(gen.Limits{Ranks: 4, Ops: 20, Use: gen.Everything})
	t.Run("CONS-PROG-01 each rank completes what it begins once, before all must be complete", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			p := programs.Draw(rt, "program")
			ends := endsOf(rt, p)
			for k := range p.Ops {
				o := &p.Ops[k]
				late := (o.Do == gen.Read || o.Do == gen.Write) && o.Late && o.Form != gen.Blocking
				for r, end := range ends {
					at, ok := end[k]
					switch {
					case ok != (late && o.By(r)):
						rt.Fatalf("rank %d completes operation %d, %v: %v", r, k, o, ok)
					case !ok:
						continue
					case o.Form == gen.Split && at != ends[0][k]:
						rt.Fatalf("the second half of operation %d comes at %d on rank 0 and at %d on rank %d", k, ends[0][k], at, r)
					}
					for i := k + 1; i < at; i++ {
						if needsAll(p.Ops[i].Do) {
							rt.Fatalf("rank %d has operation %d under way in operation %d, %v", r, k, i, &p.Ops[i])
						}
					}
				}
			}
		})
	})
	t.Run("IO-NBC-04 ranks complete a collective access at different places", func(t *testing.T) {
		p := &gen.Program{Ranks: 2, Ops: []gen.Op{
			{Do: gen.Write, All: true, Form: gen.Nonblocking, Late: true},
			{Do: gen.Write, Rank: 1, Form: gen.Nonblocking, Late: true},
			{Do: gen.Finish, All: true},
			{Do: gen.Sync, All: true},
		}}
		assert.Equal(t, [][]int{nil, nil, {0}, nil, nil}, p.Completions(0))
		assert.Equal(t, [][]int{nil, nil, nil, {0, 1}, nil}, p.Completions(1))
	})
}

// needsAll reports whether all accesses must be complete before an operation.
func needsAll(do gen.Do) bool {
	return slices.Contains([]gen.Do{gen.Sync, gen.SetView, gen.SetSize, gen.Preallocate, gen.Atomic, gen.Reopen}, do)
}

// endsOf returns, for each rank, the operation before which each access is completed.
func endsOf(t *rapid.T, p *gen.Program) []map[int]int {
	all := make([]map[int]int, p.Ranks)
	for r := range all {
		all[r] = map[int]int{}
		for k, list := range p.Completions(r) {
			for _, u := range list {
				if before, twice := all[r][u]; twice || u >= k {
					t.Fatalf("rank %d completes operation %d before %d and %d", r, u, before, k)
				}
				all[r][u] = k
			}
		}
	}
	return all
}

// TestExactStores: programs for stores and arrays have exactly as many ranks as was said, and those for stores
// as many operations; of arrays, operations that are not legal are left out.
func TestExactStores(t *testing.T) {
	l := gen.Limits{Ranks: 3, Many: 9, Ops: 7, Exact: true}
	stores, arrays := gen.StorePrograms(l, gen.StoreUse{Lists: true}), gen.ArrayPrograms(l, gen.ArrayUse{Elems: []*types.Type{types.Int}})
	rapid.Check(t, func(t *rapid.T) {
		p, q := stores.Draw(t, "store"), arrays.Draw(t, "arrays")
		if p.Ranks != 3 || len(p.Ops) != 7 || q.Ranks != 3 || len(q.Ops) > 7 {
			t.Fatalf("%v\n%v", p, q)
		}
	})
}

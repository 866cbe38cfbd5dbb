package gen_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
)

// TestParse: if it fails, a program that a report shows cannot be run again from its text.
func TestParse(t *testing.T) {
	const rest = gen.Shapes | gen.SyncAlls | gen.AnyValues | gen.Irregular | gen.Long
	for name, programs := range map[string]*rapid.Generator[*gen.Program]{
		"everything":   gen.Programs(gen.Limits{Ranks: 4, Ops: 20, Use: gen.Everything | rest}),
		"far":          gen.Programs(gen.Limits{Ranks: 3, Ops: 20, Use: gen.Everything | rest | gen.FarOffsets}),
		"no conflicts": gen.Programs(gen.Limits{Ranks: 3, Ops: 20, Use: gen.Collectives | rest | gen.NoConflict}),
		"two handles":  gen.Programs(gen.Limits{Ranks: 3, Ops: 20, Use: gen.Everything&^gen.AtomicMode | rest | gen.TwoHandles}),
		"two files":    gen.Programs(gen.Limits{Ranks: 3, Ops: 20, Use: gen.Everything&^gen.AtomicMode | rest | gen.TwoFiles}),
		"faults":       gen.FaultPrograms(gen.Limits{Ranks: 3, Ops: 20, Use: gen.Everything}),
		"crashes":      gen.CrashPrograms(gen.Limits{Ranks: 3, Ops: 20, Use: gen.Everything | rest}),
		"own": gen.OwnPrograms(gen.Limits{Ranks: 3, Ops: 20, Use: gen.Everything, Own: []gen.OwnOp{
			{Name: "refresh", Effect: gen.Syncs}, {Name: "label", Alone: true}, {Name: "recreate", Effect: gen.Empties},
		}}),
		"stores": gen.StorePrograms(gen.Limits{Ranks: 3, Ops: 20}, gen.StoreUse{Lists: true, Together: true, Two: true, Cuts: true}),
		"arrays": gen.ArrayPrograms(gen.Limits{Ranks: 3, Ops: 20}, gen.ArrayUse{
			Elems: []*types.Type{types.Byte, types.Short, types.Double, types.UInt64}, Together: true, Grows: true, Two: true, Cuts: true,
		}),
		"large arrays": gen.ArrayPrograms(gen.Limits{Ranks: 3, Ops: 20}, gen.ArrayUse{
			Elems: []*types.Type{types.Int}, Large: true, Own: []gen.OwnOp{{Name: "redefine"}, {Name: "clear", Effect: gen.Empties}},
		}),
		"atomic": gen.AtomicPrograms(gen.Limits{Ranks: 3, Ops: 20, Use: gen.Everything | gen.AnyValues | gen.Irregular}),
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				p := programs.Draw(rt, "program")
				q, err := gen.Parse(strings.ReplaceAll(p.String(), "\n", "\n\t"))
				if err != nil {
					rt.Fatal(err)
				}
				if q.String() != p.String() {
					rt.Fatalf("read as\n%v", q)
				}
				if q.Seed != p.Seed || q.Schedule != p.Schedule || q.Reach != p.Reach || q.Far != p.Far {
					rt.Fatalf("read with seed %d, schedule %q, reach %d, far %d", q.Seed, q.Schedule, q.Reach, q.Far)
				}
			})
		})
	}
}

// TestParseErrors: each error names the line and what is wrong there.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                            "does not begin with",
		"0: read_at at 0 n 1":                         `want "ranks N" first`,
		"ranks 0, schedule free":                      "at least one rank",
		"ranks 2, schedule free, eh":                  `line 1, "ranks 2, schedule free, eh": "eh" is not a part of a first line`,
		"ranks 2\n2: read_at at 0 n":                  "line 2",
		"ranks 2\n2: read_at at 0 n 1":                `"2" is not a rank of 2`,
		"ranks 2\n1: read_at_all at 0 n 1":            `there is no call "read_at_all" for these ranks`,
		"ranks 2\nall: view 0 byte bite native":       "the types of the view",
		"ranks 2\nall: view":                          "the first rank has no view",
		"ranks 2\n0: read_at at 0 n -1":               "negative",
		"ranks 2\n0: read_at at 0 n 1, second handle": "illegal here",
		"ranks 2\nall: sync without":                  "unknown kind of sync",
	} {
		_, err := gen.Parse(text)
		assert.ErrorContains(t, err, want, text)
	}
	assert.Panics(t, func() { gen.MustParse("") })
}

// TestParseView: ranks that a text does not name have the view of the rank before them.
func TestParseView(t *testing.T) {
	p := gen.MustParse(`ranks 3, schedule roundrobin
		all: view
			rank 0 4 int vector(2, 1, 2, int) native
			rank 2 0 byte byte native
		1: write n 2`)
	require.Len(t, p.Ops[0].Views, 3)
	assert.Same(t, p.Ops[0].Views[0].Filetype, p.Ops[0].Views[1].Filetype)
	assert.EqualValues(t, 0, p.Ops[0].Views[2].Disp)
}

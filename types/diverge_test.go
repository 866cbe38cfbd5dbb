package types_test

import (
	"testing"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
)

// bounds are a lower and an upper bound.
type bounds struct{ lb, ub int64 }

func boundsOf(a peers.Answer) bounds { return bounds{a.LB, a.LB + a.Extent} }

// If a library was fixed, this table would be wrong, and
// programs could not be compared by it any more. Where a library is missing,
// only our side is tested.
func TestPeersDiverge(t *testing.T) {
	labs := map[*peers.Library]*lab{}
	for _, lib := range peers.All() {
		t.Run(lib.Name, func(here *testing.T) { labs[lib] = newLab(here, t, lib) }) // skipped, it sets nothing
	}
	in, ch, d := types.Int, types.Char, types.Double
	for _, c := range []struct {
		name        string
		typ         *types.Type
		ours        bounds
		mpich, ompi bounds
	}{
		{
			"DIV-01 bounds that were set stick", types.Struct(field(2, 0, resized(in, 0, 16)), field(1, 100, in)),
			bounds{0, 32},
			bounds{0, 104},
			bounds{0, 32},
		},
		{"DIV-02 padding outside structs", hvector(2, 1, 5, in), bounds{0, 12}, bounds{0, 9}, bounds{0, 12}},
		{
			"DIV-02 padding of a struct of one kind", types.Struct(field(1, 5, in), field(1, 0, in)),
			bounds{0, 12},
			bounds{0, 9},
			bounds{0, 12},
		},
		{
			"DIV-29 padding of a nested struct",
			types.Struct(field(1, 0, d), field(1, 17, types.Struct(field(1, 0, d), field(1, 8, ch)))),
			bounds{0, 32},
			bounds{0, 40},
			bounds{0, 40},
		},
		{
			"DIV-30 bounds set on an empty type", types.Contiguous(3, resized(types.Struct(), -7, 20)),
			bounds{-7, 53},
			bounds{0, 0},
			bounds{0, 0},
		},
		{
			"DIV-31 an empty member of a struct", types.Struct(field(1, 3, types.Contiguous(0, ch)), field(1, 6, ch)),
			bounds{6, 7},
			bounds{3, 7},
			bounds{3, 7},
		},
		{
			"DIV-32 padding at each level", hvector(2, 1, 17, hvector(2, 2, 9, types.Short)),
			bounds{0, 30},
			bounds{0, 30},
			bounds{0, 32},
		},
		{
			"DIV-32 padding after each block", types.HIndexed([]types.Block{block(1, 0), block(1, 5), block(1, -1)}, in),
			bounds{-1, 11},
			bounds{-1, 9},
			bounds{-1, 15},
		},
		// MPICH 4.0.2: blocks of length 0 hold no data, and so have no bounds
		// (DT-DEF-07); it keeps to that in contiguous, indexed, hindexed only.
		{"blocks of length 0 in vector", vector(4, 0, 3, in), bounds{0, 0}, bounds{0, 36}, bounds{0, 0}},
		{"blocks of length 0 in hindexed_block", types.HIndexedBlock(0, []int64{1, 25}, d), bounds{0, 0}, bounds{1, 25}, bounds{0, 0}},
		// Open MPI 4.1.4: -1 byte is a stride like any other (DT-HVEC-01), and
		// an empty type has no place (DT-DEF-07).
		{"a stride of -1 byte", hvector(2, 1, -1, in), bounds{-1, 7}, bounds{-1, 4}, bounds{0, 8}},
		{"empty parts of hvector", hvector(2, 1, -9, types.Struct()), bounds{0, 0}, bounds{0, 0}, bounds{-9, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := specimen{typ: c.typ, count: 1, lo: -64, hi: 128}
			ours, err := s.ours()
			assert.NoError(t, err)
			assert.Equal(t, c.ours, boundsOf(ours), c.typ)
			for lib, l := range labs {
				theirs, err := l.ask(s)
				assert.NoError(t, err)
				assert.Equal(t, map[*peers.Library]bounds{peers.MPICH: c.mpich, peers.OpenMPI: c.ompi}[lib], boundsOf(theirs), "%s: %s", lib.Name, c.typ)
			}
		})
	}
	t.Run("DIV-23 bad arguments of subarray", func(t *testing.T) {
		for recipe, slab := range map[string]types.Slab{
			"MPI_INT 111 5 0 1 1 4 0 0 0": {Size: 4, Sub: 0, Start: 0},
			"MPI_INT 111 5 0 1 1 4 2 3 0": {Size: 4, Sub: 2, Start: 3},
		} {
			assert.ErrorIs(t, types.Subarray(types.OrderC, []types.Slab{slab}, in).Err(), types.ErrArg)
			if l := labs[peers.MPICH]; l != nil {
				assert.NoError(t, l.peer.BuildRecipe(recipe))
			}
			if l := labs[peers.OpenMPI]; l != nil {
				var no *peers.Refusal
				assert.ErrorAs(t, l.peer.BuildRecipe(recipe), &no)
			}
		}
	})
	// Open MPI 4.1.4: any type may be dealt out, an empty one too.
	t.Run("darray of an empty type", func(t *testing.T) {
		nothing := types.Darray(types.Grid{Size: 1, Dims: []types.GridDim{{Size: 2, Dist: types.DistBlock, Arg: types.DefaultArg, Procs: 1}}}, types.Struct())
		assert.NoError(t, nothing.Err())
		for lib, l := range labs {
			_, err := l.ask(specimen{typ: nothing, count: 1})
			assert.Equal(t, lib == peers.OpenMPI, err != nil, lib.Name)
		}
	})
}

package peers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
)

// If a recipe said another type, libraries would be blamed for answers about
// something else.
func TestRecipe(t *testing.T) {
	grid := types.Grid{Size: 2, Rank: 1, Dims: []types.GridDim{{Size: 5, Dist: types.DistCyclic, Arg: 2, Procs: 2}}}
	for want, typ := range map[string]*types.Type{
		"MPI_DOUBLE":               types.Double.WithName("x"),
		"MPI_DOUBLE_INT":           types.DoubleInt.WithName("x"),
		"MPI_INT 105 2 1 1 2 3 -4": types.HVector(2, 3, -4, types.Int),
		"MPI_INT MPI_CHAR 110 3 2 2 2 1 3 0 8": types.Struct(
			types.Field{Count: 1, Type: types.Int}, types.Field{Count: 3, Disp: 8, Type: types.Char}),
		"MPI_INT 102 0 0 1 116 0 2 1 -1 9":     types.Resized(types.Dup(types.Int), -1, 9),
		"MPI_BYTE 112 8 0 1 2 1 1 5 18 2 2 12": types.Darray(grid, types.Byte),
	} {
		got, err := peers.Recipe(typ)
		assert.NoError(t, err)
		assert.Equal(t, want, got, typ)
	}
	_, err := peers.Recipe(types.Contiguous(-1, types.Int))
	assert.ErrorIs(t, err, types.ErrCount)
}

// If errors and ends of a library were taken for answers, or one was taken for
// the other, a test would blame the wrong side.
func TestPeer(t *testing.T) {
	for _, lib := range peers.All() {
		t.Run(lib.Name, func(t *testing.T) {
			if err := lib.Missing(); err != nil {
				t.Skip(err)
			}
			p, err := lib.Start()
			if !assert.NoError(t, err) {
				return
			}
			defer p.Close()
			assert.Contains(t, strings.ReplaceAll(p.Version(), " ", ""), strings.ReplaceAll(lib.Name, " ", ""))

			var no *peers.Refusal
			assert.ErrorAs(t, p.BuildRecipe("MPI_INT 103 1 0 1 -1"), &no, "a negative count")
			assert.ErrorAs(t, p.BuildRecipe("MPI_NO_SUCH_TYPE"), &no)

			for _, n := range []int{3, 30000} { // the second is too long for a line
				assert.NoError(t, p.Build(types.IndexedBlock(1, slices.Repeat([]int64{1, 3}, n), types.Char)))
				a, err := p.Describe(1, 0, 4)
				assert.NoError(t, err)
				mem := make([]byte, 4)
				peers.Pattern(mem, 0)
				want := peers.Hash(slices.Repeat([]byte{mem[1], mem[3]}, n))
				mem[0], mem[2] = 0, 0
				assert.Equal(t, peers.Answer{
					Size: int64(2 * n), LB: 1, Extent: 3, TrueLB: 1, TrueExtent: 3,
					Packed: int64(2 * n), Bytes: want, Memory: peers.Hash(mem),
				}, a)
			}
			a, err := p.Describe(1, 0, 3)
			assert.NoError(t, err)
			assert.True(t, a.Outside)

			assert.NoError(t, p.Window(1, 0, 4))
			d, err := p.Pack(10)
			assert.NoError(t, err)
			assert.Positive(t, d)
			d, err = p.Unpack(10)
			assert.NoError(t, err)
			assert.Positive(t, d)

			assert.NoError(t, p.Close())
			assert.ErrorContains(t, p.Build(types.Int), "closed")
		})
	}
}

package export

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
)

// If memory counted as packed whose data begin above 0 or have gaps, exported programs would
// compare other bytes than a read has filled, and accuse correct libraries.
func TestPackedMemory(t *testing.T) {
	check := func(t require.TestingT, typ *types.Type, count int64) {
		m, err := memoryOf(typ, count)
		require.NoError(t, err)
		if !m.packed {
			return
		}
		assert.Equal(t, m.items, m.len, "elements of %d times %v", count, typ)
		for i, at := range m.places() {
			require.Equal(t, int64(i), at, "place of item %d of %d times %v", i, count, typ)
		}
	}
	for _, typ := range []*types.Type{
		types.HIndexed([]types.Block{{Len: 1, Disp: 4}}, types.Byte),
		types.Indexed([]types.Block{{Len: 2, Disp: 1}}, types.Int32),
		types.Subarray(types.OrderC, []types.Slab{{Size: 4, Sub: 2, Start: 2}}, types.Byte),
		types.Resized(types.Byte, -1, 1),
	} {
		check(t, typ, 1)
		check(t, typ, 2)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, gen.Types(gen.Any).Draw(t, "type"), rapid.Int64Range(1, 4).Draw(t, "count"))
	})
}

package types_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/types"
)

// TestCombinerNumbers pins the numbers of the standard ABI (MPI-5.0, chapter 20), which C
// programs and the engine of MPI libraries depend on.
func TestCombinerNumbers(t *testing.T) {
	for number, c := range map[types.Combiner]types.Combiner{
		101: types.CombinerNamed, 102: types.CombinerDup, 103: types.CombinerContiguous, 104: types.CombinerVector, 105: types.CombinerHVector,
		106: types.CombinerIndexed, 107: types.CombinerHIndexed, 108: types.CombinerIndexedBlock, 109: types.CombinerHIndexedBlock,
		110: types.CombinerStruct, 111: types.CombinerSubarray, 112: types.CombinerDarray, 113: types.CombinerF90Real, 114: types.CombinerF90Complex,
		115: types.CombinerF90Integer, 116: types.CombinerResized, 117: types.CombinerValueIndex,
	} {
		assert.Equal(t, number, c, "DT-ENV-01 %v", c)
	}
}

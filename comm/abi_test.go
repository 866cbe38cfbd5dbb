package comm_test

import (
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
)

// A binding to another language passes these numbers through as they are.
func TestABI(t *testing.T) {
	for name, n := range map[string][2]int64{
		"MPI_ANY_SOURCE": {-1, comm.AnySource}, "MPI_ANY_TAG": {-2, comm.AnyTag},
		"MPI_PROC_NULL": {-3, comm.ProcNull}, "MPI_ROOT": {-4, comm.Root}, "MPI_UNDEFINED": {-32766, comm.Undefined},

		"MPI_ORDER_C": {12, int64(types.OrderC)}, "MPI_ORDER_FORTRAN": {15, int64(types.OrderFortran)},
		"MPI_DISTRIBUTE_NONE": {16, int64(types.DistNone)}, "MPI_DISTRIBUTE_BLOCK": {17, int64(types.DistBlock)},
		"MPI_DISTRIBUTE_CYCLIC": {18, int64(types.DistCyclic)},
		"MPI_COMBINER_NAMED":    {101, int64(types.CombinerNamed)}, "MPI_COMBINER_DARRAY": {112, int64(types.CombinerDarray)},
		"MPI_COMBINER_F90_REAL": {113, int64(types.CombinerF90Real)}, "MPI_COMBINER_F90_COMPLEX": {114, int64(types.CombinerF90Complex)},
		"MPI_COMBINER_F90_INTEGER": {115, int64(types.CombinerF90Integer)}, "MPI_COMBINER_VALUE_INDEX": {117, int64(types.CombinerValueIndex)},
		"MPI_TYPECLASS_INTEGER": {192, int64(types.ClassInteger)}, "MPI_TYPECLASS_REAL": {193, int64(types.ClassReal)},
		"MPI_TYPECLASS_COMPLEX": {194, int64(types.ClassComplex)},

		"MPI_IDENT": {201, int64(comm.Ident)}, "MPI_CONGRUENT": {202, int64(comm.Congruent)},
		"MPI_SIMILAR": {203, int64(comm.Similar)}, "MPI_UNEQUAL": {204, int64(comm.Unequal)},
		"MPI_CART": {211, int64(comm.Cart)}, "MPI_GRAPH": {212, int64(comm.Graph)}, "MPI_DIST_GRAPH": {213, int64(comm.DistGraph)},
		"MPI_COMM_TYPE_SHARED": {221, int64(comm.Shared)}, "MPI_COMM_TYPE_HW_UNGUIDED": {222, int64(comm.HWUnguided)},
		"MPI_COMM_TYPE_HW_GUIDED": {223, int64(comm.HWGuided)}, "MPI_COMM_TYPE_RESOURCE_GUIDED": {224, int64(comm.ResourceGuided)},
	} {
		assert.Equal(t, n[0], n[1], name)
	}
	assert.Equal(t, "MPI_SIMILAR MPI_GRAPH MPI_UNDEFINED", comm.Similar.String()+" "+comm.Graph.String()+" "+comm.NoTopology.String())
}

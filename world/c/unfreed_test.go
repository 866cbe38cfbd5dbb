//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnfreed: each kind of object that is never freed is a finding with the line that made it.
// Predefined objects and objects freed through another handle are none. A call that failed before
// is named, because the program may have left out what frees.
func TestUnfreed(t *testing.T) {
	so := compile(t, "unfreed")
	for _, mode := range []string{"--seed=1", "--free"} {
		r := play(t, so, "-n", "2", mode, "PROGRAM", "leaks")
		require.Equal(t, 1, r.status, r.errs)
		for _, want := range []string{
			"MPI_Group_free: at unfreed.c:20: invalid group: the group made here was never freed: call MPI_Group_free before MPI_Finalize (GRP-01)",
			"MPI_Type_free: at unfreed.c:23: invalid datatype: the datatype made here was never freed",
			"MPI_Type_free: at unfreed.c:25: invalid datatype: 3 datatypes made here were never freed: call MPI_Type_free for each before MPI_Finalize",
			"MPI_Op_free: at unfreed.c:27: invalid reduction operation: the operation made here was never freed",
			"MPI_Info_free: at unfreed.c:28: invalid info object: the info made here was never freed",
			"MPI_Errhandler_free: at unfreed.c:29: invalid error handler: the error handler made here was never freed",
			"MPI_Comm_free \"dup of COMM_WORLD\": at unfreed.c:32: invalid communicator: the communicator made here was never freed",
		} {
			require.Contains(t, r.errs, want)
		}
		require.Equal(t, 7, strings.Count(r.errs, "ranks 0-1: "), r.errs)
	}
	require.Equal(t, result{}, play(t, so, "-n", "2", "PROGRAM", "frees"))
	r := play(t, so, "-n", "2", "PROGRAM", "fails")
	require.Equal(t, 1, r.status, r.errs)
	require.Contains(t, r.errs, "MPI_Type_free: at unfreed.c:25: invalid datatype: the datatype made here was never freed: "+
		"call MPI_Type_free before MPI_Finalize; MPI_Send had failed at unfreed.c:44 (DT-FREE-01)")
	require.Contains(t, r.errs, "MPI_Comm_free \"dup of COMM_WORLD\": at unfreed.c:32:")
	require.Equal(t, 0, play(t, so, "-n", "2", "--tolerant", "PROGRAM", "leaks").status)
	r = play(t, so, "-n", "2", "--careful", "PROGRAM", "leaks")
	require.Equal(t, 1, strings.Count(r.errs, "the communicator made here"), r.errs)
}

//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMisusedThreads: calls that a thread must not make, or not while another one is in a call, are
// findings with the lines of both.
func TestMisusedThreads(t *testing.T) {
	so := compile(t, "misused", "-pthread")
	run := func(how string) result { return play(t, so, "-n", "2", "--processes", "--free", "PROGRAM", how) }
	for how, want := range map[string]string{
		"collectives": "rank 0: MPI_Barrier: operation not possible now: it began while another thread was in MPI_Barrier at misused.c:17, on the same communicator",
		"request":     "rank 0: MPI_Wait: operation not possible now: it began while another thread was in MPI_Wait at misused.c:24, and both would complete the same request",
		"funneled":    "MPI_Comm_size: at misused.c:30: operation not possible now: it was called by another thread than MPI_Init, and the level of threads is MPI_THREAD_FUNNELED",
		"at once":     "it began while another thread was in MPI_Recv at misused.c:42, and the level of threads is MPI_THREAD_SERIALIZED",
		"finalize":    "MPI_Finalize: at misused.c:36: operation not possible now: it was called by another thread than MPI_Init: only the main thread may end MPI",
	} {
		r := run(how)
		require.Equal(t, 1, r.status, "%s: %s", how, r.errs)
		require.Contains(t, r.errs, want, how)
	}
	require.Equal(t, result{}, run("single"), "only a careful run reports threads that call nothing")
	r := play(t, so, "-n", "2", "--processes", "--careful", "PROGRAM", "single")
	require.Equal(t, 1, r.status, r.errs)
	require.Contains(t, r.errs, "the process has 2 threads, and the level of threads is MPI_THREAD_SINGLE: ask for MPI_THREAD_FUNNELED")
	require.Equal(t, result{}, run("apart"), "a communicator for each thread")
}

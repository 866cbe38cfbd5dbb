//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTouched: buffers of nonblocking collectives that the program writes into, and messages
// under way that share memory, are findings without a flag. Buffers that may be used are none.
func TestTouched(t *testing.T) {
	so := compile(t, "touched")
	for how, want := range map[string]string{
		"send":     "the program wrote into a buffer of MPI_Iallreduce (1st collective) on COMM_WORLD, called at touched.c:20, while it was under way (COLL-02)",
		"receive":  "the program wrote into a buffer of MPI_Ibcast (1st collective) on COMM_WORLD, called at touched.c:25, while it was under way (COLL-02)",
		"receives": "at touched.c:31: invalid buffer: the buffer of MPI_Irecv from",
		"sent":     "at touched.c:34: invalid buffer: the buffer of MPI_Recv from",
		"columns":  "at touched.c:37: invalid buffer: the buffer of MPI_Irecv from",
	} {
		for way, flags := range ways {
			for _, mode := range []string{"--seed=1", "--free", "--careful"} {
				r := play(t, so, append(flags, "-n", "2", mode, "PROGRAM", how)...)
				require.Equal(t, 1, r.status, "%s %s %s: %s", how, way, mode, r.errs)
				require.Contains(t, r.errs, want, mode)
			}
		}
	}
	for way, flags := range ways {
		for _, mode := range []string{"--seed=1", "--free", "--careful", "--explore"} {
			r := play(t, so, append(flags, "-n", "2", mode, "PROGRAM", "right")...)
			require.Equal(t, 0, r.status, "%s %s: %s", way, mode, r.errs)
		}
	}
}

//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// ways are the ways in which ranks run.
var ways = map[string][]string{"in one process": nil, "as processes": {"--processes"}}

// TestPending: what a careful run finds of buffers of messages under way, it finds in both ways,
// and buffers that two operations use are findings without a flag.
func TestPending(t *testing.T) {
	so := compile(t, "pending")
	for way, flags := range ways {
		run := func(mode, how string) result {
			return play(t, so, append(append([]string{"-n", "2"}, flags...), mode, "PROGRAM", how)...)
		}
		for how, want := range map[string]string{
			"irecv.write":  "pending.c:28: invalid buffer: the program wrote into the buffer of MPI_Irecv",
			"imrecv.write": "pending.c:37: invalid buffer: the program wrote into the buffer of MPI_Imrecv",
			"psend.write":  "the program wrote into partition 0 of the buffer of MPI_Psend_init",
			"precv.write":  "the program wrote into partition 2 of the buffer of MPI_Precv_init",
		} {
			r := run("--careful", how)
			require.Equal(t, 1, r.status, "%s %s: %s", way, how, r.errs)
			require.Contains(t, r.errs, want, way)
		}
		for how, want := range map[string]string{
			"shared":      "the buffer of MPI_Irecv from",
			"collective":  "the buffer of MPI_Allreduce",
			"collectives": "the buffer of MPI_Iallreduce",
		} {
			for _, mode := range []string{"--seed=1", "--free", "--careful"} {
				r := run(mode, how)
				require.Equal(t, 1, r.status, "%s %s %s: %s", way, mode, how, r.errs)
				require.Contains(t, r.errs, want, way)
				require.Contains(t, r.errs, "shares memory with that of", way)
			}
		}
		for _, how := range []string{"irecv", "imrecv", "psend", "precv"} {
			for _, mode := range []string{"--seed=1", "--free", "--careful"} {
				require.Equal(t, result{}, run(mode, how), "%s %s %s", way, mode, how)
			}
		}
		for _, how := range []string{"irecv.read", "imrecv.read", "precv.read"} {
			r := run("--careful", how)
			require.Contains(t, []string{"-1515870811\n0\n", "0\n-1515870811\n"}, r.out, "%s %s: what conceals the buffer shows", way, how)
		}
	}
}

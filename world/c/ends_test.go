//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChildren: a process that a rank forks ends as it does without commworld, also by
// returning from main, and a thread that still runs when main has returned is not a failure.
func TestChildren(t *testing.T) {
	so := compile(t, "children")
	for how, want := range map[string]string{
		"return": "destructor\nstatus 5\ndestructor\n", "terminate": "signal 15\ndestructor\n", "crash": "signal 11\ndestructor\n",
	} {
		require.Equal(t, result{out: want}, play(t, so, "PROGRAM", how), how)
	}
	r := play(t, so, "PROGRAM", "operation")
	require.Equal(t, "operation: status 1\ndestructor\n", r.out)
	require.Contains(t, r.errs, "by a process that a rank has forked: only ranks call MPI")
	for range 10 {
		r := play(t, so, "-n", "3", "PROGRAM", "thread")
		require.Equal(t, 0, r.status, r.errs)
		require.Equal(t, strings.Repeat("atexit\n", 3)+strings.Repeat("destructor\n", 3), r.out)
		require.Empty(t, r.errs)
	}
}

// TestStuck: a run that stands still after a crash ends with the signal and its line.
func TestStuck(t *testing.T) {
	r := play(t, compile(t, "heap"), "-n", "2", "--free", "PROGRAM")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "the process of all ranks stood still for 5 seconds after a crash, or")
	require.Contains(t, r.errs, "rank 0: after MPI_Barrier at heap.c:26\nrank 1: got signal 11 (segmentation fault) at heap.c:32\n")
	t.Run("blocked signals", func(t *testing.T) {
		r := play(t, compile(t, "blocked"), "--timeout", "1s", "PROGRAM")
		require.Equal(t, 1, r.status)
		require.Contains(t, r.errs, "after a rank that had to stop did not, and was ended")
		require.Contains(t, r.errs, "rank 0: after MPI_Init at blocked.c:11\n")
	})
	t.Run("in a later run", func(t *testing.T) {
		t.Setenv("TMPDIR", t.TempDir())
		so := compile(t, "later")
		for _, many := range [][]string{{"--seeds", "1..3"}, {"--explore"}} {
			r := play(t, so, append(many, "--dir", t.TempDir(), "PROGRAM")...)
			require.Equal(t, 1, r.status)
			require.Contains(t, r.errs, "stood still for 5 seconds after a crash")
			require.Contains(t, r.errs, "at later.c:1")
		}
		left, err := filepath.Glob(filepath.Join(os.TempDir(), "commworldrun-*"))
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

// TestClock: where time is counted in calls, the run says so.
func TestClock(t *testing.T) {
	so := compile(t, "clock")
	r := play(t, so, "PROGRAM")
	require.Equal(t, 0, r.status)
	require.Contains(t, r.errs, "note: MPI_Wtime counted its calls")
	require.Equal(t, result{}, play(t, so, "--free", "PROGRAM"))
	require.NotContains(t, play(t, compile(t, "private"), "PROGRAM").errs, "MPI_Wtime")
}

// TestStatics: in C++, statics of inline functions and of templates are each rank's own.
func TestStatics(t *testing.T) {
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("no C++ compiler (c++) here")
	}
	for _, flags := range []string{"-O0", "-O2"} {
		so := filepath.Join(t.TempDir(), "statics.so")
		out, err := combined(exec.Command(filepath.Join(tools, "commworldcxx"), "-Wall", "-Werror", flags, "testdata/statics.cpp", "-o", so))
		require.NoError(t, err, "%s", out)
		r := play(t, so, "-n", "3", "PROGRAM")
		require.Equal(t, 0, r.status, r.errs)
		for _, rank := range []string{"0", "1", "2"} {
			require.Contains(t, r.out, "rank "+rank+": 1 call, counter 5, made 1, caught\n")
		}
		require.Equal(t, 3, strings.Count(r.out, "destroyed\n"))
	}
}

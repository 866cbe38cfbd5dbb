//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// modes are the ways to run a program whose findings do not depend on the order of ranks.
var modes = [][]string{{"PROGRAM", "ids"}, {"--free", "PROGRAM", "ids"}, {"--seeds", "1..3", "PROGRAM"}, {"--explore", "PROGRAM"}}

// TestThreads: a program that can tell on which thread it runs finds each rank on one of its
// own, with its variables, errno, keys and rounding mode, however the ranks are ordered.
func TestThreads(t *testing.T) {
	so := compile(t, "threads", "-lm")
	for _, mode := range modes {
		r := play(t, so, append([]string{"-n", "5"}, mode...)...)
		require.Equal(t, 0, r.status, "%v: %s%s", mode, r.out, r.errs)
		text := r.out + r.errs
		require.Regexp(t, "0 wrong|no findings", text)
		require.NotRegexp(t, "[1-9][0-9]* wrong|destructor of a key", text, mode)
	}
}

// TestOpenMP: teams of threads stay with their ranks, and are no failure when main returns.
func TestOpenMP(t *testing.T) {
	so := compile(t, "openmp", "-fopenmp")
	for range 5 {
		for _, mode := range modes {
			r := play(t, so, append([]string{"-n", "3"}, mode...)...)
			require.Equal(t, 0, r.status, "%v: %s%s", mode, r.out, r.errs)
			require.Regexp(t, "right|no findings", r.out+r.errs)
			require.NotContains(t, r.out+r.errs, "wrong")
		}
	}
}

// TestThreadsOfCxx: exceptions and thread_local variables.
func TestThreadsOfCxx(t *testing.T) {
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("no C++ compiler (c++) here")
	}
	so := filepath.Join(t.TempDir(), "threads.so")
	out, err := combined(exec.Command(filepath.Join(tools, "commworldcxx"), "-Wall", "-Werror", "testdata/threads.cpp", "-o", so))
	require.NoError(t, err, out)
	for _, mode := range []string{"--seed=1", "--free"} {
		r := play(t, so, "-n", "3", mode, "PROGRAM")
		require.Equal(t, 0, r.status, r.errs)
		require.Empty(t, r.errs)
		require.Equal(t, 3, strings.Count(r.out, "right\n"), r.out)
		for _, ends := range []string{"\n0 ends\n", "\n1 ends\n", "\n2 ends\n"} {
			require.Equal(t, 1, strings.Count(r.out, ends), r.out)
		}
		require.Equal(t, 3, strings.Count(r.out, "-1 ends\n"), r.out)
	}
}

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLabels: headers of the MPI Bugs Initiative and MPI-BugBench, and folders of MPI-CorrBench.
func TestLabels(t *testing.T) {
	const program = "\nint main(void) { return 0; }\n"
	initiative := func(test string) string {
		return "/* BEGIN_MBI_TESTS\n  $ mpirun -np 3 ${EXE}\n  | " + test + "\nEND_MBI_TESTS */" + program
	}
	for name, tc := range map[string]struct {
		path, source string
		want         label
		ok           bool
	}{
		"wrong":     {"a.c", initiative("ERROR: CallMatching\n  | A matches B: OK"), label{wrong: true, kind: "CallMatching", ranks: "3"}, true},
		"right":     {"a.c", initiative("OK\n  |"), label{ranks: "3"}, true},
		"bench":     {"a.c", "/* BEGIN_MBB_TESTS\n  $ mpirun -np 2 ${EXE}\n  | ERROR LocalConcurrency\n  | x\nEND_MBB_TESTS */", label{wrong: true, kind: "LocalConcurrency", ranks: "2"}, true},
		"neither":   {"a.c", initiative("TODO"), label{ranks: "3"}, false},
		"windows":   {"a.c", initiative("OK") + "MPI_Win_fence (0, w);", label{ranks: "3", refused: "windows"}, true},
		"folder":    {"coll/ArgError-MPIBcast-Tag-1.c", program, label{wrong: true, kind: "coll/ArgError", ranks: "2"}, true},
		"correct":   {"openmp/correct/x-1.c", "#include <omp.h>" + program, label{ranks: "2", refused: "OpenMP"}, true},
		"incorrect": {"incorrect/correct-1.c", program, label{wrong: true, kind: "incorrect/correct", ranks: "2"}, true},
		"no main":   {"correct/mtest.c", "void f(void);", label{ranks: "2"}, false},
	} {
		got, ok := labelOf(filepath.FromSlash(tc.path), tc.source)
		require.Equal(t, tc.ok, ok, name)
		require.Equal(t, tc.want, got, name)
	}
}

// TestCodes: programs are found below the directories asked for, each by its path in the suite.
func TestCodes(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/x-1.c", "a/correct/y.c", "b/z.c", "a/note.txt"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("int main(void) { return 0; }"), 0o600))
	}
	for _, tc := range []struct{ only, want []string }{
		{nil, []string{"a/correct/y.c", "a/x-1.c", "b/z.c"}},
		{[]string{"b"}, []string{"b/z.c"}},
	} {
		all, err := codes(dir, tc.only)
		require.NoError(t, err)
		var got []string
		for _, c := range all {
			got = append(got, filepath.ToSlash(c.path))
		}
		require.Equal(t, tc.want, got)
	}
	_, err := codes(dir, []string{"c"})
	require.Error(t, err)
}

//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lineOf returns the number of the first line of a source that contains a text after another.
func lineOf(t *testing.T, source, after, text string) string {
	t.Helper()
	all, err := os.ReadFile(source)
	require.NoError(t, err)
	from := strings.Index(string(all), after)
	require.GreaterOrEqual(t, from, 0, after)
	at := strings.Index(string(all)[from:], text)
	require.GreaterOrEqual(t, at, 0, text)
	return strconv.Itoa(1 + strings.Count(string(all)[:from+at], "\n"))
}

// TestDropped: a call that fails and whose result the source drops is a finding, one whose
// result the program may know is a note, and neither if the program's handler has seen it.
func TestDropped(t *testing.T) {
	const source = "testdata/dropped.c"
	compilers := map[string][]string{"commworldcc": {"-O0"}, "commworldcxx": {"-x", "c++", "-O0"}, "commworldcc ": {"-O2"}}
	for name, flags := range compilers {
		if _, err := exec.LookPath("c++"); err != nil && name == "commworldcxx" {
			continue
		}
		dir := t.TempDir()
		so, object := filepath.Join(dir, "dropped.so"), filepath.Join(dir, "dropped.o")
		compiler := filepath.Join(tools, strings.TrimSpace(name))
		out, err := combined(exec.Command(compiler, append(flags, "-Wno-unused", "-c", source, "-o", object)...))
		require.NoError(t, err, "%s", out)
		require.Empty(t, out, "no warnings for the program")
		out, err = combined(exec.Command(compiler, object, "-o", so))
		require.NoError(t, err, "%s", out)
		at := func(how, text string) string { return "dropped.c:" + lineOf(t, source, `"`+how+`"`, text) }
		dropped := " failed, and the program drops its result"
		for how, want := range map[string]string{
			"open":    "ranks 0-1: MPI_File_open at " + at("open", "MPI_File_open") + dropped + ": no such file: \"nothing\": ",
			"macro":   "MPI_File_sync at " + at("macro", "DROP") + dropped,
			"inline":  "MPI_File_sync at dropped.c:12",
			"loop":    "MPI_File_seek at " + at("loop", "MPI_File_seek") + dropped + " (3 times): invalid file handle: the file is MPI_FILE_NULL",
			"line":    "MPI_File_sync at " + at("line", "MPI_File_sync") + dropped,
			"delete":  "MPI_File_delete at " + at("delete", "MPI_File_delete") + dropped,
			"message": "MPI_Send at " + at("message", "MPI_Send") + dropped + ": invalid rank",
			"large":   "MPI_File_write_at_c at " + at("large", "PMPI_File_write_at_c") + dropped,
		} {
			r := play(t, so, "-n", "2", "PROGRAM", how)
			require.Equal(t, 1, r.status, "%s %s: %s", name, how, r.errs)
			require.Contains(t, r.errs, want, "%s %s", name, how)
			require.Equal(t, 1, strings.Count(r.errs, dropped), "%s %s: %s", name, how, r.errs)
			if how == "line" { // its other calls are looked at
				require.Contains(t, r.errs, "note: ranks 0-1: MPI_File_sync at", name)
			}
			advice := "call MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL) before the first MPI_File_open"
			if how == "message" {
				advice = "leave MPI_ERRORS_ARE_FATAL the handler of the communicators"
			}
			require.Contains(t, r.errs, advice, "%s %s", name, how)
		}
		for how, text := range map[string]string{"checked": "note: ranks 0-1: MPI_File_sync at", "cast": "note: ranks 0-1: MPI_File_sync at", "missing": "note: ranks 0-1: MPI_File_delete at"} {
			r := play(t, so, "-n", "2", "PROGRAM", how)
			require.Equal(t, 0, r.status, "%s %s: %s", name, how, r.errs)
			require.Contains(t, r.errs, text, "%s %s", name, how)
			require.NotContains(t, r.errs, "drops", "%s %s", name, how)
		}
		require.Equal(t, result{out: "handled\nhandled\n"}, play(t, so, "-n", "2", "PROGRAM", "handler"), name)
	}
}

// TestDroppedByConditions: so are calls after && and || whose value the source drops.
func TestDroppedByConditions(t *testing.T) {
	const source = "testdata/conditions.c"
	for _, level := range []string{"-O0", "-O2"} {
		so := filepath.Join(t.TempDir(), "conditions.so")
		out, err := combined(exec.Command(filepath.Join(tools, "commworldcc"), level, source, "-o", so))
		require.NoError(t, err, "%s", out)
		for how, rank := range map[string]string{"and": "0", "or": "1"} {
			r := play(t, so, "-n", "2", "PROGRAM", how)
			require.Equal(t, 1, r.status, "%s %s: %s", level, how, r.errs)
			at := lineOf(t, source, `"`+how+`"`, "MPI_File_sync")
			require.Contains(t, r.errs, "rank "+rank+": MPI_File_sync at conditions.c:"+at+" failed, and the program drops its result")
		}
		r := play(t, so, "-n", "2", "PROGRAM", "used")
		require.Equal(t, 0, r.status, "%s: %s", level, r.errs)
		require.Equal(t, 3, strings.Count(r.errs, "note: ranks 0-1: MPI_File_sync at"), r.errs)
	}
}

// TestAdviceForWait: the error of an access that MPI_Wait returns is one of files, and with their
// handler as advised the run ends there.
func TestAdviceForWait(t *testing.T) {
	r := play(t, compile(t, "dropped"), "-n", "2", "--careful", "PROGRAM", "wait")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "MPI_Wait at dropped.c:")
	require.Contains(t, r.errs, "call MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL)")
	require.NotContains(t, r.errs, "communicators")
}

// TestNotBlamed: a race or a deadlock after a call that failed names that call, and what would
// be advised without it is not advised.
func TestNotBlamed(t *testing.T) {
	so := compile(t, "dropped")
	r := play(t, so, "-n", "2", "PROGRAM", "view")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "race on \"f\"")
	require.Contains(t, strings.Join(strings.Fields(r.errs), " "), " after MPI_File_set_view of ranks 0-1 had failed at dropped.c:")
	require.Contains(t, r.errs, "call MPI_Type_commit first")
	require.NotContains(t, r.errs, "has set a view")
	require.NotContains(t, r.errs, "MPI_Barrier and MPI_File_sync")
	r = play(t, so, "-n", "2", "PROGRAM", "uneven")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "deadlock")
	require.Contains(t, r.errs, "MPI_File_write_all of rank 0 had failed at dropped.c:")
	r = play(t, so, "-n", "2", "PROGRAM", "later")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "race on \"f\"")
	require.NotContains(t, r.errs, "after    MPI_File_seek", "it failed after the race")
	require.NotContains(t, play(t, compile(t, "stale"), "-n", "2", "PROGRAM").errs, "after    ")
}

// TestErrorString: the text of a code is that of its error, with the rule; the class keeps its
// own, and so do codes that the program adds.
func TestErrorString(t *testing.T) {
	r := play(t, compile(t, "dropped"), "PROGRAM", "string")
	require.Equal(t, 0, r.status, r.errs)
	one := "MPI_ERR_NO_SUCH_FILE: no such file: \"nothing\": openat nothing: no such file or directory (IO-NAME-01)\n1 1 1 1\nMPI_ERR_NO_SUCH_FILE: no such file\n"
	require.Equal(t, strings.Repeat(one, 3)+"mine 1 1\nhandled\n", r.out)
}

//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// posixLine returns the line of posix.c that calls a function after another text.
func posixLine(t *testing.T, after, text string) string {
	return "posix.c:" + lineOf(t, "testdata/posix.c", after, text)
}

const (
	posixLost = "bytes written in one of the two ways may be lost, or replace those of the other"
	posixDo   = "Make calls of POSIX and stdio on a file before MPI_File_open or after MPI_File_close, with MPI_Barrier of all ranks between the two"
)

// TestPosix: calls of POSIX and stdio on a file that is open through MPI are seen, by every
// function that opens, changes or removes files, also as programs call it that are compiled
// for large files or with checks.
func TestPosix(t *testing.T) {
	sources := map[string][]string{
		"plain": {"-O0"}, "large": {"-D_FILE_OFFSET_BITS=64", "-O1"}, "checked": {"-O2", "-D_FORTIFY_SOURCE=2"}, "gnu": {"-D_GNU_SOURCE"},
		"checked, large": {"-O2", "-D_FORTIFY_SOURCE=2", "-D_FILE_OFFSET_BITS=64"},
	}
	writes, sizes, removes, renames := `opens "f" for writing`, `sets the size of "f"`, `removes "f"`, `renames or replaces "f"`
	for name, flags := range sources {
		so := filepath.Join(t.TempDir(), "posix.so")
		out, err := combined(exec.Command(filepath.Join(tools, "commworldcc"), append(flags, "-Wall", "-Werror", "testdata/posix.c", "-o", so)...))
		require.NoError(t, err, "%s", out)
		opened := ", which ranks 0-1 had opened by MPI_File_open at " + posixLine(t, "int main", "MPI_File_open") + " and not closed: "
		actions := map[string][2]string{
			"open": {"open", writes}, "open2": {"open", writes}, "openat": {"openat", writes}, "openat2": {"openat", writes}, "openin": {"openat", writes}, "creat": {"creat", writes},
			"fopen": {"fopen", writes}, "freopen": {"freopen", writes}, "truncate": {"truncate", sizes},
			"unlink": {"unlink", removes}, "unlinkat": {"unlinkat", removes}, "remove": {"remove", removes},
			"rename": {"rename", renames}, "renameat": {"renameat", renames}, "replace": {"rename", renames},
		}
		if name == "gnu" {
			actions = map[string][2]string{
				"open64": {"open", writes}, "openat64": {"openat", writes}, "creat64": {"creat", writes},
				"fopen64": {"fopen", writes}, "freopen64": {"freopen", writes}, "truncate64": {"truncate", sizes},
			}
		}
		for how, want := range actions {
			if (want[1] == removes || want[1] == renames) && name != "plain" {
				continue // compiled for large files or with checks, these are the same functions
			}
			r := play(t, so, "-n", "2", "PROGRAM", how, "during barrier")
			require.Regexp(t, fmt.Sprintf(`rank 0: %s at .*posix\.c:`, want[0]), r.errs, "%s %s", name, how)
			require.Contains(t, r.errs, want[1]+opened, "%s %s", name, how)
			require.Contains(t, r.errs, posixDo, "%s %s", name, how)
			if want[1] == writes || want[1] == sizes {
				require.Equal(t, 1, r.status, "%s %s: %s", name, how, r.errs)
				require.Contains(t, r.errs, posixLost, "%s %s", name, how)
			} else {
				require.Equal(t, 0, r.status, "%s %s: %s", name, how, r.errs)
				require.Contains(t, r.errs, "note: rank 0: ", "%s %s", name, how)
			}
			if name == "plain" {
				require.Contains(t, r.errs, posixLine(t, `"`+how+`"`, want[0]+"("), how)
			}
		}
	}
}

// TestPosixOrder: a call before the open or after the close needs a barrier, and no more; the
// advice, carried out to the letter, is right. What was synced may be read.
func TestPosixOrder(t *testing.T) {
	so := compile(t, "posix")
	open, write, closed := posixLine(t, "int main", "MPI_File_open"), posixLine(t, "int main", "MPI_File_write_at"), posixLine(t, "int main", "MPI_File_close")
	for _, tc := range []struct {
		how, when, mode string
		status          int
		says            string // nothing if it is empty
	}{
		{"fopen", "before", "w", 0, `opens "f" for writing, and nothing orders that before MPI_File_open of rank 1 at ` + open + ": " + posixLost},
		{"fopen", "before barrier", "w", 0, ""},
		{"truncate", "before barrier", "w", 1, ""}, // no such file
		{"creat", "before barrier", "w", 0, ""},
		{"open", "before", "r+", 0, "and nothing orders that before MPI_File_open"},
		{"keep", "before barrier", "w", 0, `opens "f" for writing and had not closed it before MPI_File_open of ranks 0-1 at ` + open},
		{"fopen", "before alone", "w", 1, ""},
		{"fopen", "before barrier alone", "w", 0, ""},
		{"fopen", "during", "a", 1, "had opened by MPI_File_open at " + open + " and not closed"},
		{"fopen", "during alone barrier", "r+", 1, ""},
		{"fopen", "during barrier", "r", 0, `opens "f" for reading, and nothing orders that after MPI_File_sync or MPI_File_close of ranks 0-1, which wrote by MPI_File_write_at at ` + write},
		{"open", "during synced", "r", 0, `and nothing orders that after MPI_File_sync or MPI_File_close of rank 1`},
		{"open", "during synced barrier", "r", 0, ""},
		{"open", "during synced barrier", "w", 1, posixLost},
		{"open", "during synced barrier after", "r", 0, ""},
		{"fopen", "after", "r", 0, `opens "f" for reading, and nothing orders that after MPI_File_sync or MPI_File_close of rank 1, which wrote by MPI_File_write_at at ` + write + ": the bytes may not be there"},
		{"fopen", "after barrier", "r", 0, ""},
		{"fopen", "after", "w", 0, `opens "f" for writing, and nothing orders that after MPI_File_close of rank 1 at ` + closed},
		{"fopen", "after alone", "w", 1, ""},
		{"fopen", "after barrier", "w", 0, ""},
		{"truncate", "after barrier", "w", 0, ""},
		{"fopen", "after barrier alone", "a", 0, ""},
		{"unlink", "after", "w", 0, ""},
		{"unlink", "during barrier", "w", 0, "what was written is no longer found by that name"},
		{"replace", "after barrier", "w", 0, ""},
	} {
		for _, seed := range []int{1, 3} {
			args := []string{"-n", "2", "--seed", fmt.Sprint(seed), "PROGRAM", tc.how, tc.when, tc.mode}
			r := play(t, so, args...)
			if tc.how == "truncate" && strings.HasPrefix(tc.when, "before") {
				require.Contains(t, r.errs, "No such file") // a call that fails changes nothing
				require.NotContains(t, r.errs, "truncate at")
				continue
			}
			if tc.status == 1 && strings.Contains(tc.when, "alone") { // before or after, as the ranks take turns
				require.Equal(t, 1, r.status, "%q: %s", args, r.errs)
				require.Regexp(t, "nothing orders that (before|after)|and not closed", r.errs, "%q", args)
				continue
			}
			require.Equal(t, tc.status, r.status, "%q: %s", args, r.errs)
			if tc.says == "" {
				require.Empty(t, r.errs, "%q", args)
				continue
			}
			require.Contains(t, r.errs, tc.says, "%q", args)
			require.Equal(t, 1, strings.Count(r.errs, posixDo), "%q: %s", args, r.errs)
		}
		r := play(t, so, "-n", "2", "--free", "PROGRAM", tc.how, tc.when, tc.mode)
		if tc.says == "" && tc.status == 0 {
			require.Equal(t, 0, r.status, "%q: %s", tc, r.errs)
			require.Empty(t, r.errs, "%q", tc)
		}
	}
}

// TestPosixMany: calls that were not compared are not passed over in silence.
func TestPosixMany(t *testing.T) {
	r := play(t, compile(t, "posix"), "-n", "2", "PROGRAM", "many", "before barrier")
	require.Equal(t, 0, r.status, r.errs)
	require.Contains(t, r.errs, "note: the program made more than 65536 calls of POSIX and stdio between two calls of MPI")
}

// TestPosixNames: a file is the same by a link, from another directory, and with --dir; other
// files are of no interest.
func TestPosixNames(t *testing.T) {
	so := compile(t, "posix")
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("../link/f", filepath.Join(dir, "real", "g")))
	for _, tc := range []struct {
		flags  []string
		name   string
		status int
	}{
		{[]string{"--dir", filepath.Join(dir, "link")}, filepath.Join(dir, "real", "f"), 1},
		{[]string{"--dir", filepath.Join(dir, "real")}, filepath.Join(dir, "link", "..", "real", "f"), 1},
		{[]string{"--dir", filepath.Join(dir, "real")}, filepath.Join(dir, "link", "g"), 1},
		{[]string{"--dir", filepath.Join(dir, "real")}, "f", 0},
		{nil, "./f", 1},
		{nil, "text", 0},
		{nil, "/dev/null", 0},
	} {
		r := play(t, so, append(append([]string{"-n", "2"}, tc.flags...), "PROGRAM", "fopen", "during", "w", tc.name)...)
		require.Equal(t, tc.status, r.status, "%q: %s", tc, r.errs)
		require.Equal(t, tc.status == 1, strings.Contains(r.errs, posixLost), "%q: %s", tc, r.errs)
	}
	r := play(t, so, "-n", "2", "--dir", filepath.Join(dir, "real"), "PROGRAM", "remove", "during barrier", "w", filepath.Join(dir, "link", "f"))
	require.Equal(t, 0, r.status, r.errs)
	require.Contains(t, r.errs, `removes "f", which ranks 0-1 had opened`)
}

// TestPosixStreams: a library that the program calls is seen with the line that calls it.
func TestPosixStreams(t *testing.T) {
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("no C++ compiler (c++) here")
	}
	so := filepath.Join(t.TempDir(), "posix.so")
	out, err := combined(exec.Command(filepath.Join(tools, "commworldcxx"), "-std=c++17", "testdata/posix.cpp", "-o", so))
	require.NoError(t, err, "%s", out)
	r := play(t, so, "-n", "2", "PROGRAM", "stream")
	require.Equal(t, 1, r.status, r.errs)
	require.Regexp(t, `rank 0: fopen at .*posix\.cpp:`+lineOf(t, "testdata/posix.cpp", "int main", "ofstream")+`\b.* opens "f" for writing`, r.errs)
	r = play(t, so, "-n", "2", "PROGRAM", "remove")
	require.Equal(t, 0, r.status, r.errs)
	require.Regexp(t, `note: rank 0: \w+ at posix\.cpp:`+lineOf(t, "testdata/posix.cpp", "int main", "filesystem::remove")+`\b.* removes "f"`, r.errs)
}

//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// python returns the interpreter to test, which COMMWORLD_PYTHON names if it is not python3.
func python(t *testing.T) string {
	t.Helper()
	name := os.Getenv("COMMWORLD_PYTHON")
	if name == "" {
		name = "python3"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("no Python (python3) here: no rank in Python was run")
	}
	out, err := exec.Command(path, "-c", "import ctypes, sys; print(sys.version_info >= (3, 9), sys.executable)").Output()
	if err != nil || !strings.HasPrefix(string(out), "True") {
		t.Skipf("%s is older than Python 3.9 or has no ctypes: its lines are unknown", path)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(out), "True "))
}

// TestPython: reports have lines of Python, also of calls that run without the interpreter's lock;
// threads of the interpreter take turns, and functions of Python are operations.
func TestPython(t *testing.T) {
	interpreter := python(t)
	script, err := filepath.Abs("testdata/lines.py")
	require.NoError(t, err)
	r := play(t, "", "-n", "2", interpreter, script, "stale")
	require.Equal(t, 3, r.status, r.errs)
	line := func(text string) string { return "lines.py:" + lineOf(t, "testdata/lines.py", "import", text) }
	require.Contains(t, r.errs, "rank 0   writes  File.Write_at  "+line("mpi.MPI_File_write_at")+" < "+line("write(file)\n")+"\n")
	require.Contains(t, r.errs, "rank 1   reads   File.Read_at   "+line("mpi.MPI_File_read_at")+"\n")
	require.Equal(t, result{out: "[2, 2, 2]\n[2, 2, 2]\n"}, play(t, "", "-n", "2", interpreter, script, "threads"))
	require.Equal(t, result{out: "sum 3\nsum 3\nsum 3\n"}, play(t, "", "-n", "3", interpreter, script, "operation"))
	r = play(t, "", "-n", "2", interpreter, script, "raise")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "rank 1: main returned with status 4 before MPI.Finalize")
}

// TestPythonLeaks: what a program in Python never frees has lines of Python, also after a call that
// failed. A failure that the program handles is neither a finding nor a note.
func TestPythonLeaks(t *testing.T) {
	interpreter := python(t)
	script, err := filepath.Abs("testdata/lines.py")
	require.NoError(t, err)
	r := play(t, "", "-n", "2", interpreter, script, "leaks")
	require.Equal(t, 1, r.status, r.errs)
	line := func(text string) string { return "lines.py:" + lineOf(t, "testdata/lines.py", "import", text) }
	for _, want := range []string{
		"Comm.Free \"dup of COMM_WORLD\": at " + line("mpi.MPI_Comm_dup") + ": invalid communicator: the communicator made here was never freed",
		"Group.Free: at " + line("mpi.MPI_Comm_group") + ": invalid group: the group made here was never freed: call Group.Free before MPI.Finalize; File.Open had failed at " + line("b\"nothing\""),
		"Info.Free: at " + line("mpi.MPI_Info_create") + ": invalid info object",
		"file \"kept.dat\", opened at " + line("b\"kept.dat\"") + ", was never closed",
		"Comm.Irecv \"COMM_WORLD\": at " + line("mpi.MPI_Irecv") + ": still pending",
		"note: ranks 0-1: File.Open at " + line("b\"nothing\"") + " failed: no such file",
	} {
		require.Contains(t, r.errs, want)
	}
	require.Equal(t, result{}, play(t, "", "-n", "2", interpreter, script, "handled"))
}

// TestPythonExplored: lines name the user's file, not its copy that each run gets.
func TestPythonExplored(t *testing.T) {
	interpreter := python(t)
	dir := t.TempDir()
	text, err := os.ReadFile("testdata/lines.py")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "lines.py"), text, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.py"), []byte("import sub.lines\n"), 0o600))
	for _, mode := range []string{"--explore", "--seeds=1..2"} {
		for _, main := range []string{"main.py", "sub/lines.py"} {
			cmd := exec.Command(filepath.Join(tools, "commworldrun"), "-n", "2", mode, interpreter, main, "stale")
			cmd.Dir = dir
			out, err := combined(cmd)
			require.Error(t, err)
			require.Contains(t, out, "File.Read_at   sub/lines.py:"+lineOf(t, "testdata/lines.py", "import", "mpi.MPI_File_read_at"), mode)
			require.NotContains(t, out, "commworldrun-", mode)
		}
		cmd := exec.Command(filepath.Join(tools, "commworldrun"), "-n", "2", mode, interpreter, "sub/lines.py", "raise")
		cmd.Dir = dir
		out, err := combined(cmd)
		require.Error(t, err)
		require.NotContains(t, out, "/commworldrun-", mode)
	}
}

// TestMPI4Py runs the example of docs/python.md where mpi4py is built for the standard ABI, and the
// same with its fix.
func TestMPI4Py(t *testing.T) {
	interpreter := python(t)
	find := exec.Command(interpreter, "-c", "import importlib.util as u; print(u.find_spec('mpi4py.MPI').origin)")
	out, err := find.Output()
	if err != nil {
		t.Skip("no mpi4py here: set PYTHONPATH as docs/python.md says")
	}
	module, err := elf.Open(strings.TrimSpace(string(out)))
	require.NoError(t, err)
	defer module.Close()
	if needed, _ := module.ImportedLibraries(); !slices.Contains(needed, "libmpi_abi.so.1") {
		t.Skipf("mpi4py here needs %v, not libmpi_abi.so.1: build it as docs/python.md says", needed)
	}
	script, err := filepath.Abs("examples/python/stale.py")
	require.NoError(t, err)
	r := play(t, "", "-n", "2", interpreter, script)
	require.Equal(t, 3, r.status, r.errs)
	require.Contains(t, r.out, "read 0")
	doc, err := os.ReadFile("../../docs/python.md")
	require.NoError(t, err)
	report, _, _ := strings.Cut(strings.ReplaceAll(r.errs, filepath.Dir(script)+"/", "world/c/examples/python/"), "  fix")
	require.Contains(t, string(doc), report)
	require.Equal(t, result{out: "read 7\n"}, play(t, "", "-n", "2", interpreter, script, "--sync"))
}

// unlike lists the tests of mpi4py 3.1.6 that fail, by the beginnings of their names; RESULTS.md
// says why.
var unlike = []string{
	"test_comm_topo.TestTopo", "test_exceptions.TestExcErrhandlerNull", "test_msgspec.TestMessageRMA",
	"test_util_dtlib.TestUtilDTLib.testF90", "test_util_dtlib.TestUtilDTLib.testHVector",
}

// TestMPI4PySuite runs mpi4py's own tests on 1 to 5 ranks. COMMWORLD_MPI4PY names a clone of its
// repository at the tag 3.1.6 that is built as docs/python.md says.
func TestMPI4PySuite(t *testing.T) {
	dir := os.Getenv("COMMWORLD_MPI4PY")
	if dir == "" {
		t.Skip("COMMWORLD_MPI4PY names no clone of mpi4py: its tests were not run")
	}
	interpreter := python(t)
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		t.Run(n, func(t *testing.T) {
			out := t.TempDir()
			cmd := exec.Command(filepath.Join(tools, "commworldrun"), "--tolerant", "--model", "posix", "-n", n, "--output", out,
				interpreter, "test/runtests.py", "-e", "spawn", "-e", "dynproc", "-e", "rma", "-e", "win", "-e", "dtlib")
			cmd.Dir = dir
			report, err := cmd.CombinedOutput() // it takes longer than other commands may
			require.Error(t, err, "some tests fail")
			ended := false // the end of the first rank ends the others
			for rank := range n[0] - '0' {
				text, err := os.ReadFile(filepath.Join(out, fmt.Sprintf("rank.%d.err", rank)))
				require.NoError(t, err)
				ended = ended || allTests.Match(text)
				for _, m := range failedTest.FindAllStringSubmatch(string(text), -1) {
					known := slices.ContainsFunc(unlike, func(u string) bool { return strings.HasPrefix(m[1], u) })
					assert.True(t, known, "%s on rank %d", m[1], rank)
				}
			}
			require.True(t, ended, "%s", report)
		})
	}
}

// allTests matches the line of a report of unittest that says how many tests ran.
var allTests = regexp.MustCompile(`\nRan 1[0-9]{3} tests in `)

// failedTest matches the line of a test that fails in a report of unittest.
var failedTest = regexp.MustCompile(`(?m)^(?:ERROR|FAIL): \S+ \((\S+)\)`)

//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/show/mpinames"
)

// tools is the directory of the two commands.
var tools string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if _, err := exec.LookPath("cc"); err != nil {
		fmt.Println("SKIPPED: no C compiler (cc) here: no C program was run")
		return 0
	}
	dir, err := os.MkdirTemp("", "commworld-c-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	tools = dir
	for _, name := range []string{"commworldcc", "commworldcxx", "commworldfort", "commworldrun"} {
		out, err := exec.Command("go", "build", "-o", filepath.Join(dir, name), "./cmd/"+name).CombinedOutput()
		if err != nil {
			fmt.Printf("%s\n%v\n", out, err)
			return 1
		}
	}
	return m.Run()
}

// A result is the result of a run of a program. Reports name the sources of testdata
// without their directory there.
type result struct {
	out, errs string
	status    int
}

// compile compiles a program of testdata.
func compile(t *testing.T, name string, flags ...string) string {
	t.Helper()
	so := filepath.Join(t.TempDir(), name+".so")
	line := append([]string{"-Wall", "-Werror", filepath.Join("testdata", name+".c"), "-o", so}, flags...)
	out, err := combined(exec.Command(filepath.Join(tools, "commworldcc"), line...))
	require.NoError(t, err, "%s", out)
	return so
}

// play runs a program in a new directory.
func play(t *testing.T, so string, args ...string) result {
	t.Helper()
	return execute(t, exec.Command(filepath.Join(tools, "commworldrun"), args...), so)
}

// playLimited runs a program in a new directory under a limit that a command of the shell sets.
func playLimited(t *testing.T, limit, so string, args ...string) result {
	t.Helper()
	line := append([]string{"-c", limit + ` && exec "$0" "$@"`, filepath.Join(tools, "commworldrun")}, args...)
	return execute(t, exec.Command("sh", line...), so)
}

func execute(t *testing.T, cmd *exec.Cmd, so string) result {
	t.Helper()
	var out, errs bytes.Buffer
	for i, a := range cmd.Args {
		if a == "PROGRAM" {
			cmd.Args[i] = so
		}
	}
	cmd.Dir = t.TempDir()
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := finish(cmd, longestRun, lastWords)
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	testdata, err := filepath.Abs("testdata")
	require.NoError(t, err)
	if text := errs.String(); !strings.Contains(text, ".go:") {
		assert.Equal(t, mpinames.OfText(text, mpinames.C).Text(text), text, "a report of %v has names of Go", cmd.Args)
		assert.NotRegexp(t, `\b(world|iofile|comm|types)\.[A-Z]`, text)
	}
	return result{out.String(), strings.ReplaceAll(errs.String(), testdata+"/", ""), cmd.ProcessState.ExitCode()}
}

func TestHello(t *testing.T) {
	so := compile(t, "hello")
	for _, mode := range []string{"--seed=7", "--free"} {
		r := play(t, so, "-n", "3", mode, "PROGRAM", "-x", "y")
		require.Equal(t, 0, r.status, r.errs)
		require.Empty(t, r.errs)
		for rank := range 3 {
			require.Contains(t, r.out, fmt.Sprintf("rank %d of 3, counter %d, sum 6, last argument y\n", rank, rank+1))
		}
		require.Contains(t, r.out, "received 1 from 0 with tag 7, 1 item\n")
	}
}

func TestPingPong(t *testing.T) {
	r := play(t, compile(t, "pingpong"), "-n", "2", "PROGRAM", "200")
	require.Equal(t, "200 round trips\n", r.out)
	require.Equal(t, 0, r.status, r.errs)
}

// TestForgive: a model decides what is read, and not what is a race; races that it forgives are
// left out where that is asked for.
func TestForgive(t *testing.T) {
	so := compile(t, "stale")
	for _, c := range []struct {
		flags  []string
		reads  string
		status int
	}{
		{nil, "-1", 3},
		{[]string{"--model", "posix"}, "7", 3},
		{[]string{"--forgive", "posix"}, "-1", 0},
		{[]string{"--forgive=posix", "--model=posix"}, "7", 0},
		{[]string{"--forgive", "commit"}, "-1", 3},
		{[]string{"--forgive", "weakest"}, "-1", 3},
	} {
		r := play(t, so, append(append(c.flags, "-n", "2"), "PROGRAM")...)
		require.Equal(t, c.status, r.status, "%v: %s", c.flags, r.errs)
		require.Equal(t, "read "+c.reads+"\n", r.out, "%v", c.flags)
		require.Equal(t, c.status == 3, strings.Contains(r.errs, "race on"), r.errs)
	}
	r := play(t, compile(t, "dropped"), "-n", "2", "--forgive", "posix", "PROGRAM", "later")
	require.Contains(t, r.errs, "race on \"f\"", "nothing orders its writes")
	require.Equal(t, 2, play(t, so, "--forgive", "nothing", "PROGRAM").status)
}

func TestStale(t *testing.T) {
	so := compile(t, "stale")
	r := play(t, so, "-n", "2", "PROGRAM")
	require.Equal(t, 3, r.status)
	require.Contains(t, r.errs, `race on "stale.dat", bytes 0 to 3`)
	require.Contains(t, r.errs, "stale.c:5 < stale.c:15", "the line that writes, and the one that led to it")
	require.Contains(t, r.errs, "stale.c:18", "the line that reads")
	require.Contains(t, r.errs, "CONS-C2")
	require.NotEqual(t, "read 7\n", r.out, "the weakest model hides what was not synced")
	r = play(t, so, "-n", "2", "--model", "posix", "PROGRAM")
	require.Equal(t, 3, r.status)
	require.Equal(t, "read 7\n", r.out)
}

func TestDeadlock(t *testing.T) {
	so := compile(t, "deadlock")
	for _, mode := range []string{"--seed=1", "--free"} {
		r := play(t, so, "-n", "2", mode, "PROGRAM")
		require.Equal(t, 1, r.status)
		require.Contains(t, r.errs, "deadlock: no rank can continue")
		require.Contains(t, r.errs, "rank 1: waits in MPI_Recv from 0 tag 0 on COMM_WORLD at deadlock.c:9")
	}
}

func TestEarly(t *testing.T) {
	so := compile(t, "early")
	r := play(t, so, "-n", "2", "PROGRAM")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "rank 1: early.c:11: the rank called exit with status 4 before MPI_Finalize")
	r = play(t, so, "-n", "2", "PROGRAM", "0")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "rank 1: early.c:11: the rank called exit with status 0 before MPI_Finalize")
}

// TestGroups makes communicators from groups and a text.
func TestGroups(t *testing.T) {
	so := compile(t, "groups")
	for _, n := range []int{2, 3, 8} {
		r := play(t, so, "-n", fmt.Sprint(n), "PROGRAM")
		require.Equal(t, 0, r.status, r.out+r.errs)
		for rank := range n {
			lo, hi := 0, (n+1)/2
			if rank >= hi {
				lo, hi = hi, n
			}
			require.Contains(t, r.out, fmt.Sprintf("rank %d: sum %d of both %d none returned\n", rank, (lo+hi-1)*(hi-lo)/2, n*(n-1)/2))
		}
	}
}

func TestCrash(t *testing.T) {
	so := compile(t, "crash")
	for kind, want := range []string{
		"rank 1: crash.c:5 < crash.c:22: signal 11 (segmentation fault) at address 0x8",
		"rank 1: crash.c:8 < crash.c:11",
		"rank 1: crash.c:26: signal 6 (aborted)",
		"rank 1: crash.c:28: signal 6 (aborted)",
		"at crash.c:30: the world ends with code 5",
		"rank 1: MPI_Bcast: at crash.c:32: invalid buffer: there is no memory at address 0x1000",
	} {
		for _, mode := range []string{"--seed=1", "--free"} {
			r := play(t, so, "-n", "2", mode, "PROGRAM", fmt.Sprint(kind))
			require.Equal(t, 1, r.status, r.errs)
			require.Contains(t, r.errs, want, "kind %d", kind)
			require.NotContains(t, r.errs, ".go:", "kind %d", kind)
		}
	}
}

// TestShortMemory: the count of a receive may exceed the memory, which ends where no page is
// mapped. (P2P-09)
func TestShortMemory(t *testing.T) {
	r := play(t, compile(t, "short"), "-n", "2", "PROGRAM")
	want := ""
	for how := range 4 {
		want += fmt.Sprintf("%d: right xx, MPI_ERR_BUFFER --\n", how)
	}
	require.Equal(t, want+"no memory at all: MPI_ERR_BUFFER\n", r.out, r.errs)
	require.Equal(t, 0, r.status, r.errs)
}

func TestHandles(t *testing.T) {
	r := play(t, compile(t, "handles"), "-n", "1", "PROGRAM")
	require.Equal(t, strings.TrimSpace(`
freed communicator: MPI_ERR_COMM: invalid communicator
null communicator: MPI_ERR_COMM: invalid communicator
datatype for communicator: MPI_ERR_COMM: invalid communicator
datatype not committed: MPI_ERR_TYPE: invalid datatype
freed datatype: MPI_ERR_TYPE: invalid datatype
null datatype: MPI_ERR_TYPE: invalid datatype
negative count: MPI_ERR_COUNT: invalid count
enormous count: MPI_ERR_COUNT: invalid count
null buffer: MPI_ERR_BUFFER: invalid buffer
negative array: MPI_ERR_COUNT: invalid count
null array: MPI_ERR_ARG: invalid argument
wild request: MPI_ERR_REQUEST: invalid request
null file: MPI_ERR_FILE: invalid file handle
null result: MPI_ERR_ARG: invalid argument
one-sided: MPI_ERR_UNSUPPORTED_OPERATION: operation not supported
`), strings.TrimSpace(r.out))
	require.Equal(t, 0, r.status, r.errs)
}

func TestFatal(t *testing.T) {
	r := play(t, compile(t, "fatal"), "-n", "2", "PROGRAM")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "fatal.c:8")
	require.Contains(t, r.errs, "invalid rank")
}

func TestFiles(t *testing.T) {
	so := compile(t, "io")
	for _, flags := range [][]string{{"--seed=3"}, {"--free"}, {"--model=posix"}, {"--strategy=romio"}} {
		r := play(t, so, append(append([]string{"-n", "3"}, flags...), "PROGRAM")...)
		require.Equal(t, 0, r.status, "%v: %s%s", flags, r.out, r.errs)
		for rank := range 3 {
			require.Contains(t, r.out, fmt.Sprintf("rank %d: all as it should be\n", rank))
		}
	}
}

// TestMatch: without it C programs could not be tried under the rules of the three-phase
// proposal.
func TestMatch(t *testing.T) {
	so := compile(t, "truth")
	for _, tc := range []struct {
		args            []string
		status          int
		out, errs, none string
	}{
		{nil, 0, "read", "", "IO-TM"},
		{[]string{"--match=final"}, 0, "read", "", "IO-TM"},
		{[]string{"--match=size"}, 0, "read", "", "IO-TM"},
		{[]string{"--careful"}, 1, "read", "bytes 02: a truth value in a native file is 0 or 1", ""},
		{[]string{"--match=source000"}, 0, "refused", "note: rank 0: MPI_File_read_at at truth.c:14 failed: data conversion failed", ""},
		{[]string{"--match=all"}, 2, "", "--match all: there are final, source000, size and written", ""},
		{[]string{"--match=final", "--tolerant"}, 2, "", "--tolerant matches by size: it contradicts --match final", ""},
	} {
		r := play(t, so, append(tc.args, "PROGRAM")...)
		require.Contains(t, r.out, tc.out, "%v", tc.args)
		require.Contains(t, r.errs, tc.errs, "%v", tc.args)
		if tc.none != "" {
			require.NotContains(t, r.errs, tc.none, "%v", tc.args)
		}
		require.Equal(t, tc.status, r.status, "%v: %s", tc.args, r.errs)
	}
}

// TestMarkers (DT-RESIZE-02): without it no C program would show that --markers reaches the
// datatypes of its ranks. With weak markers the int at offset 8 after a char of extent 17
// ends at 20, the next multiple of its alignment after the bounds of both.
func TestMarkers(t *testing.T) {
	so := compile(t, "markers")
	for _, tc := range []struct {
		args   []string
		status int
		extent int
		errs   string
	}{
		{nil, 0, 17, ""},
		{[]string{"--markers=sticky"}, 0, 17, ""},
		{[]string{"--markers", "weak"}, 0, 20, ""},
		{[]string{"--markers=loose"}, 2, 0, "--markers loose: there are sticky and weak"},
	} {
		r := play(t, so, append(append([]string{"-n", "2"}, tc.args...), "PROGRAM")...)
		require.Equal(t, tc.status, r.status, "%v: %s", tc.args, r.errs)
		require.Contains(t, r.errs, tc.errs, "%v", tc.args)
		if tc.status == 0 {
			require.Equal(t, strings.Repeat(fmt.Sprintf("lower bound 0, extent %d\n", tc.extent), 2), r.out, "%v", tc.args)
		}
	}
}

func TestCallbacks(t *testing.T) {
	so := compile(t, "callbacks")
	for _, mode := range []string{"--seed=3", "--free"} {
		r := play(t, so, "-n", "3", mode, "PROGRAM")
		require.Equal(t, 0, r.status, "%s%s", r.out, r.errs)
		require.Equal(t, 3, strings.Count(r.out, "all as it should be\n"), r.out)
		r = play(t, so, "-n", "3", mode, "PROGRAM", "1")
		require.Equal(t, 1, r.status)
		require.Contains(t, r.errs, "the rank called exit with status 3 before MPI_Finalize")
		r = play(t, so, "-n", "3", mode, "PROGRAM", "2")
		require.Equal(t, 1, r.status)
		require.Contains(t, r.errs, "left a function that MPI had called by longjmp")
	}
}

// TestArguments: arguments after the program are passed to the program unchanged.
func TestArguments(t *testing.T) {
	r := play(t, compile(t, "hello"), "-n", "1", "PROGRAM", "--seed", "-a=b", "--model=posix")
	require.Equal(t, 0, r.status, r.errs)
	require.Contains(t, r.out, "last argument --model=posix\n")
	r = play(t, "nothing.so", "PROGRAM")
	require.Equal(t, 2, r.status)
	require.Contains(t, r.errs, "nothing.so")
	r = play(t, "../programs_test.go", "-n", "0", "PROGRAM")
	require.Equal(t, 2, r.status)
}

// TestABI compares the numbers that a program of the header has with those of the standard
// ABI, and tries the constants that are not the numbers of package types.
func TestABI(t *testing.T) {
	list, err := os.ReadFile("testdata/abi.txt")
	require.NoError(t, err)
	var source, want strings.Builder
	source.WriteString("#include <mpi.h>\n#include <stdio.h>\nint main(void)\n{\n\tMPI_Init(0, 0);\n")
	for line := range strings.Lines(string(list)) {
		name, _, ok := strings.Cut(line, " ")
		if !ok || name == "#" {
			continue
		}
		fmt.Fprintf(&source, "\tprintf(\"%s %%lld\\n\", (long long)%s);\n", name, name)
		want.WriteString(line)
	}
	source.WriteString("\tMPI_Finalize();\n\treturn 0;\n}\n")
	dir := t.TempDir()
	program, so := filepath.Join(dir, "abi.c"), filepath.Join(dir, "abi.so")
	require.NoError(t, os.WriteFile(program, []byte(source.String()), 0o600))
	out, err := combined(exec.Command(filepath.Join(tools, "commworldcc"), program, "-o", so))
	require.NoError(t, err, "%s", out)
	r := play(t, so, "PROGRAM")
	require.Equal(t, 0, r.status, r.errs)
	require.Equal(t, want.String(), r.out)
	require.Equal(t, result{out: "5.0, ABI 1.0\n32 bytes: 0 4 8\n"}, play(t, compile(t, "abi"), "PROGRAM"))
}

// TestReturned compares the numbers that calls return with those of the standard ABI, so that a
// library whose constants are right and whose results are not is found. (DT-ENV-01)
func TestReturned(t *testing.T) {
	list, err := os.ReadFile("testdata/abi.txt")
	require.NoError(t, err)
	r := play(t, compile(t, "returned"), "-n", "2", "PROGRAM")
	require.NotEmpty(t, r.out, r.errs)
	returned := map[string]bool{}
	for line := range strings.Lines(r.out) {
		name, _, _ := strings.Cut(line, " ")
		returned[name] = true
		require.Contains(t, string(list), "\n"+line, "the standard's number of what a call returned is another")
	}
	// Every number of these families is returned by some call of a program.
	families := regexp.MustCompile(`(?m)^(MPI_COMBINER_\w+|MPI_(IDENT|CONGRUENT|SIMILAR|UNEQUAL)|MPI_(DIST_GRAPH|GRAPH|CART)|MPI_ORDER_\w+|MPI_DISTRIBUTE_\w+|` +
		`MPI_THREAD_(SINGLE|FUNNELED)|MPI_SEEK_\w+|MPI_MODE_(APPEND|CREATE|DELETE_ON_CLOSE|EXCL|RDONLY|RDWR|SEQUENTIAL|UNIQUE_OPEN|WRONLY)|` +
		`MPI_(COMM|GROUP|FILE|MESSAGE|INFO|ERRHANDLER|REQUEST|DATATYPE|OP)_NULL|MPI_(PROC_NULL|UNDEFINED|ANY_SOURCE|ANY_TAG)) `)
	for _, m := range families.FindAllStringSubmatch(string(list), -1) {
		require.True(t, returned[m[1]], "no call of testdata/returned.c returns %s", m[1])
	}
}

func TestPrivate(t *testing.T) {
	so := compile(t, "private")
	alone := play(t, so, "PROGRAM", "-a", "-b", "x", "rest")
	require.Equal(t, 0, alone.status, alone.errs)
	require.Contains(t, alone.out, "2 options, rest follows, ")
	r := play(t, so, "-n", "3", "PROGRAM", "-a", "-b", "x", "rest")
	require.Equal(t, 0, r.status, r.errs)
	require.Equal(t, strings.Repeat(alone.out, 3), r.out)
}

func TestHostile(t *testing.T) {
	so := compile(t, "hostile")
	for kind, want := range []string{
		0: "hostile.c:17: a function of MPI was called outside of a rank",
		1: "rank 1: hostile.c:53: signal 15 (terminated)",
		2: "rank 1: hostile.c:57: signal",
		3: "rank 1: hostile.c:60: signal 11 (segmentation fault) at address 0x10",
		4: "rank 1: hostile.c:66: the program left a function that MPI had called by longjmp",
		5: "rank 1: hostile.c:71: signal 6 (aborted)",
		6: "rank 1: hostile.c:74: signal 11",
		7: "at hostile.c:28: operation not possible now: the function of an operation called it, which must not communicate",
		8: "rank 1: hostile.c:84: signal 6 (aborted)",
	} {
		r := play(t, so, "-n", "2", "PROGRAM", fmt.Sprint(kind))
		require.Equal(t, 1, r.status, r.errs)
		require.Contains(t, r.errs, want, "kind %d", kind)
		require.NotContains(t, r.errs, "goroutine", "kind %d", kind)
	}
	r := play(t, so, "-n", "2", "--timeout=10ms", "PROGRAM", "9")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "the program ran for 10ms, longer than --timeout")
	require.Equal(t, result{out: "bye\nbye\n"}, play(t, so, "-n", "2", "PROGRAM", "10"), "functions of atexit call MPI")
	require.Equal(t, result{out: "the child ended with 3\nthe child ended with 3\n"}, play(t, so, "-n", "2", "PROGRAM", "11"))
}

// TestEnds ends a rank, or all, in ways that leave no trace in MPI.
func TestEnds(t *testing.T) {
	so := compile(t, "ends")
	full := ": signal 11 (segmentation fault): the stack of 8 MiB is full"
	for how, want := range map[string]string{
		"deep":       "rank 1: ends.c:9 < ends.c:9 < ends.c:9 < ends.c:9 < ends.c:9 < ends.c:9" + full,
		"wide":       "rank 1: ends.c:11 < ends.c:32" + full,
		"callback":   "rank 1: ends.c:11 < ends.c:13" + full,
		"quick_exit": "rank 1: ends.c:34: the rank called exit with status 0 before MPI_Finalize",
		"syscall":    "commworldrun: exit status 0 ended the process of all ranks without their report",
		"place":      "rank 1: MPI_Send: at ends.c:38: invalid buffer: argument 1 is MPI_IN_PLACE",
		"handler":    "rank 1: MPI_Comm_create_errhandler: at ends.c:40: invalid argument: argument 1 is NULL, where a function goes",
	} {
		r := playLimited(t, "ulimit -s 8192", so, "-n", "2", "PROGRAM", how)
		require.Equal(t, 1, r.status, how)
		require.Contains(t, r.errs, want)
		require.NotContains(t, r.errs, "goroutine", how)
	}
	require.Equal(t, result{out: "1\n"}, playLimited(t, "ulimit -s 204800", so, "-n", "2", "PROGRAM", "wide"))
}

// Common libraries reduce MPI_AINT and MPI_OFFSET by logical operations, match messages by size, and set the error handler
// of a communicator that MPI_Comm_idup has not made yet.
func TestTolerantOperations(t *testing.T) {
	so := compile(t, "tolerant")
	r := play(t, so, "-n", "2", "PROGRAM")
	require.Equal(t, 2, strings.Count(r.out, "no MPI_LAND on MPI_AINT\nno MPI_LOR on MPI_OFFSET\n0 7\n"))
	require.Contains(t, r.out, "no handler\n")
	require.Contains(t, r.errs, "the communicator is used before the request of its MPI_Comm_idup is complete: wait for the request first (COMM-01)")
	r = play(t, so, "-n", "2", "--tolerant", "PROGRAM")
	require.Equal(t, 2, strings.Count(r.out, "4 0\n"))
	require.Contains(t, r.out, "\n1\n")
	require.NotContains(t, r.out, "no handler\n")
	require.Contains(t, r.out, "text four\n")
}

// TestDebugger stops the program at a line of one of its functions.
func TestDebugger(t *testing.T) {
	gdb, err := exec.LookPath("gdb")
	if err != nil {
		t.Skip("no gdb here")
	}
	so := compile(t, "deadlock")
	cmd := exec.Command(gdb, "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex", "break deadlock.c:9", "-ex", "run", "-ex", "backtrace", "-ex", "kill",
		"--args", filepath.Join(tools, "commworldrun"), "-n", "2", so)
	cmd.Dir = t.TempDir()
	out, err := combined(cmd)
	if strings.Contains(out, "ptrace") {
		t.Skipf("no process may be traced here:\n%s", out)
	}
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `#0 +main .* at .*deadlock\.c:9`, out)
}

// TestWhere runs programs from directories near their sources and far from them: reports
// name a file relative to the working directory, or by its path if that is shorter.
func TestWhere(t *testing.T) {
	root := t.TempDir()
	source := filepath.Join(root, "a project", "src", "layer", "main.c")
	deep := filepath.Join(root, "a project", "run", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32", "33", "34", "35", "36", "37", "38", "39", "40")
	for _, dir := range []string{filepath.Dir(source), deep} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	text, err := os.ReadFile("testdata/stale.c")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(source, text, 0o600))
	so := filepath.Join(root, "stale.so")
	compiler := exec.Command(filepath.Join(tools, "commworldcc"), "src/layer/main.c", "-o", so)
	compiler.Dir = filepath.Join(root, "a project")
	out, err := combined(compiler)
	require.NoError(t, err, "%s", out)
	for dir, name := range map[string]string{
		filepath.Dir(source):                    "main.c",
		filepath.Join(root, "a project"):        "src/layer/main.c",
		filepath.Join(root, "a project", "src"): "layer/main.c",
		root:                                    "a project/src/layer/main.c",
		filepath.Join(root, "a project", "run"): "../src/layer/main.c",
		deep:                                    source,
	} {
		cmd := exec.Command(filepath.Join(tools, "commworldrun"), "-n", "2", so)
		cmd.Dir = dir
		out, err := combined(cmd)
		require.Error(t, err)
		require.Contains(t, out, "MPI_File_write_at  "+name+":5 < "+name+":15\n", dir)
		require.Contains(t, out, " "+name+":18\n", dir)
	}
}

// TestKilled ends the process of the ranks: its parent reports that, and where each rank
// was. A program that a rank wants in its place is not started.
func TestKilled(t *testing.T) {
	so := compile(t, "killed")
	r := play(t, so, "-n", "3", "PROGRAM", "kill")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "commworldrun: signal 9 (killed) ended the process of all ranks without their report")
	require.Regexp(t, `rank 0: in MPI_Barrier at killed.c:35|rank 0: in MPI_Bcast at killed.c:15`, r.errs)
	require.Contains(t, r.errs, "rank 1: after MPI_Bcast at killed.c:15")
	require.Contains(t, r.errs, "rank 2: ")
	r = play(t, so, "-n", "2", "PROGRAM", "self")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "rank 1: killed.c:20: signal 9 (killed)")
	r = play(t, so, "-n", "2", "PROGRAM", "exec")
	require.Equal(t, 1, r.status)
	require.Empty(t, r.out)
	require.Contains(t, r.errs, `rank 1: killed.c:22: the rank called exec for "echo"`)
	require.Equal(t, result{out: "the child ended with 5\n"}, play(t, so, "-n", "2", "PROGRAM", "fork"))
}

// TestSignals sends signals to the process that waits for the ranks.
func TestSignals(t *testing.T) {
	so := compile(t, "killed")
	for _, sent := range []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP} {
		var errs bytes.Buffer
		cmd := exec.Command(filepath.Join(tools, "commworldrun"), "-n", "2", so, "loop")
		cmd.Dir, cmd.Stderr = t.TempDir(), &errs
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		wait, err := start(cmd, longestRun, lastWords)
		require.NoError(t, err)
		_, err = out.Read(make([]byte, 1))
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Signal(sent))
		require.NoError(t, cmd.Process.Signal(sent), "timeout sends its signal twice")
		require.Error(t, wait())
		require.Equal(t, 1, cmd.ProcessState.ExitCode(), errs.String())
		require.Contains(t, errs.String(), "the process got signal "+sent.String())
	}
}

func TestLabel(t *testing.T) {
	so := compile(t, "private")
	alone := play(t, so, "PROGRAM")
	require.Equal(t, 0, alone.status, alone.errs)
	r := play(t, so, "-n", "2", "--label", "PROGRAM")
	require.Equal(t, 0, r.status, r.errs)
	require.ElementsMatch(t, []string{"rank 0: " + alone.out, "rank 1: " + alone.out}, slices.Collect(strings.Lines(r.out)))
	dir := t.TempDir()
	require.Equal(t, result{}, play(t, so, "-n", "2", "--output", dir, "PROGRAM"))
	for rank := range 2 {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("rank.%d.out", rank)))
		require.NoError(t, err)
		require.Equal(t, alone.out, string(text))
	}
	r = play(t, so, "-n", "2", "--free", "--label", "PROGRAM")
	require.Equal(t, 2, r.status)
}

func TestTools(t *testing.T) {
	so := compile(t, "tools")
	require.Equal(t, result{out: "tolerant is 0\n0 wrong\n"}, play(t, so, "PROGRAM"))
	require.Equal(t, result{out: "tolerant is 1\n0 wrong\n"}, play(t, so, "--tolerant", "PROGRAM"))
}

// TestLanguage compiles a program whose language -x names, which is not that of the files that
// commworldcc links it with.
func TestLanguage(t *testing.T) {
	so := filepath.Join(t.TempDir(), "hello.so")
	out, err := combined(exec.Command(filepath.Join(tools, "commworldcc"), "-x", "c", "testdata/hello.c", "-o", so))
	require.NoError(t, err, "%s", out)
	require.Equal(t, 0, play(t, so, "PROGRAM", "x").status)
}

// TestName tries that a program runs by its name, as configure and make run it.
func TestName(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "hello")
	compiler := filepath.Join(tools, "commworldcc")
	out, err := combined(exec.Command(compiler, "testdata/hello.c", "-o", program))
	require.NoError(t, err, "%s", out)
	cmd := exec.Command(program, "the last")
	cmd.Env = append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH"), "COMMWORLD_FLAGS=-n 2")
	out, err = combined(cmd)
	require.NoError(t, err, "%s", out)
	require.Contains(t, out, "rank 1 of 2, counter 2, sum 3, last argument the last\n")

	source := filepath.Join(dir, "nothing.c")
	require.NoError(t, os.WriteFile(source, []byte("int MPI_Nothing(void);\nint main(void) { return MPI_Nothing(); }\n"), 0o644))
	out, err = combined(exec.Command(compiler, source, "-o", program))
	require.Error(t, err)
	require.Contains(t, out, "nothing.c:2: undefined reference to `MPI_Nothing'")
	out, err = combined(exec.Command(compiler, "-shared", source, "-o", program))
	require.NoError(t, err, "a library may leave names to others: %s", out)
}

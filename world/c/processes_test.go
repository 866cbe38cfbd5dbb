//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"bufio"
	"bytes"
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
	"golang.org/x/sys/unix"
)

// mapped matches addresses that the system has chosen.
var mapped = regexp.MustCompile(`0x7[0-9a-f]{11}`)

// TestProcesses runs programs in one process and as a process for each rank: both print the same,
// report the same with the same lines, and end with the same status.
func TestProcesses(t *testing.T) {
	for _, tc := range []struct {
		name  string
		ranks int
		flags string
		args  string
	}{
		{"hello", 3, "--seed=7", "-x y"},
		{"pingpong", 2, "", "200"},
		{"stale", 2, "", ""},
		{"stale", 2, "--model posix", ""},
		{"deadlock", 2, "", ""},
		{"early", 2, "", ""},
		{"early", 2, "", "0"},
		{"groups", 5, "", ""},
		{"crash", 2, "", "0"},
		{"crash", 2, "", "1"},
		{"crash", 2, "", "2"},
		{"crash", 2, "", "3"},
		{"crash", 2, "", "4"},
		{"crash", 2, "", "5"},
		{"short", 2, "", ""},
		{"handles", 1, "", ""},
		{"fatal", 2, "", ""},
		{"io", 3, "--seed=3", ""},
		{"io", 3, "--model=posix", ""},
		{"io", 3, "--strategy=romio", ""},
		{"io", 3, "--careful", ""},
		{"truth", 1, "", ""},
		{"truth", 1, "--careful", ""},
		{"truth", 1, "--match=source000", ""},
		{"markers", 2, "--markers weak", ""},
		{"callbacks", 3, "--seed=3", ""},
		{"callbacks", 3, "--seed=3", "1"},
		{"callbacks", 3, "--seed=3", "2"},
		{"abi", 1, "", ""},
		{"returned", 2, "", ""},
		{"private", 1, "", "-a -b x rest"},
		{"hostile", 2, "", "1"},
		{"hostile", 2, "", "2"},
		{"hostile", 2, "", "3"},
		{"hostile", 2, "", "4"},
		{"hostile", 2, "", "5"},
		{"hostile", 2, "", "7"},
		{"hostile", 2, "", "10"},
		{"hostile", 2, "", "11"},
		{"ends", 2, "", "deep"},
		{"ends", 2, "", "wide"},
		{"ends", 2, "", "callback"},
		{"ends", 2, "", "quick_exit"},
		{"ends", 2, "", "place"},
		{"ends", 2, "", "handler"},
		{"tolerant", 2, "", ""},
		{"tolerant", 2, "--tolerant", ""},
		{"tools", 2, "", ""},
		{"order", 3, "", ""},
		{"order", 3, "--label", ""},
		{"clock", 2, "", ""},
		{"processes", 2, "", "all"},
		{"children", 1, "", "return"},
		{"children", 1, "", "terminate"},
		{"children", 1, "", "crash"},
		{"children", 1, "", "operation"},
		{"dropped", 2, "", ""},
		{"stale", 2, "--report", ""},
		{"oncrash", 3, "--seeds 1..20", ""},
		{"order", 3, "--seeds 1..20", ""},
		{"order", 3, "--explore", ""},
	} {
		t.Run(strings.Join(strings.Fields(tc.name+" "+tc.flags+" "+tc.args), " "), func(t *testing.T) {
			so := compile(t, tc.name)
			run := func(more ...string) result {
				args := append([]string{"-n", fmt.Sprint(tc.ranks)}, append(more, strings.Fields(tc.flags)...)...)
				r := play(t, so, append(append(args, "PROGRAM"), strings.Fields(tc.args)...)...)
				r.errs = mapped.ReplaceAllString(strings.ReplaceAll(r.errs, "commworld-host: ", ""), "ADDRESS")
				return r
			}
			one, many := run(), run("--processes")
			assert.Equal(t, one.status, many.status)
			assert.Equal(t, one.out, many.out)
			assert.Equal(t, one.errs, many.errs)
		})
	}
}

// TestProcessFlags: flags that change a run have the effect that they have in one process. The
// traces have the same events.
func TestProcessFlags(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
	}{
		{"stale", []string{"-n", "2", "--explore"}},
		{"stale", []string{"-n", "2", "--replay", "random:4"}},
		{"stale", []string{"-n", "2", "--eager", "0", "--seed", "9"}},
		{"order", []string{"-n", "3", "--explore", "--runs", "3"}},
		{"order", []string{"-n", "3", "--replay", "choices:0.1"}},
		{"io", []string{"-n", "3", "--model", "chaos:3"}},
		{"io", []string{"-n", "3", "--model", "session", "--seed", "5"}},
		{"io", []string{"-n", "3", "--faults", "write error=io rank=1"}},
		{"io", []string{"-n", "3", "--faults", "WriteAtAll error=nospace"}},
		{"io", []string{"-n", "3", "--faults", "sync kill rank=2"}},
		{"io", []string{"-n", "3", "--trace", "trace.json"}},
	} {
		t.Run(tc.name+" "+strings.Join(tc.args, " "), func(t *testing.T) {
			so := compile(t, tc.name)
			run := func(more ...string) (result, string) {
				args, dir := slices.Clone(tc.args), t.TempDir()
				if i := slices.Index(args, "trace.json"); i >= 0 {
					args[i] = filepath.Join(dir, "trace.json")
				}
				r := play(t, so, append(append(args, more...), "PROGRAM")...)
				text, _ := os.ReadFile(filepath.Join(dir, "trace.json")) // only some write it
				return r, traceTimes.ReplaceAllString(string(text), "")
			}
			one, first := run()
			many, second := run("--processes")
			assert.Equal(t, one, many)
			assert.Equal(t, first, second)
			if slices.Contains(tc.args, "trace.json") {
				assert.Contains(t, first, "WriteAt")
			}
			if slices.Contains(tc.args, "--faults") {
				assert.NotEqual(t, 0, one.status)
			}
		})
	}
}

// traceTimes matches the times of events.
var traceTimes = regexp.MustCompile(`"(ts|dur)":[0-9.]+,?`)

// TestProcessThreads: below MPI_THREAD_MULTIPLE, the threads of a process may call MPI one after the
// other, and calls at one time wait for each other.
func TestProcessThreads(t *testing.T) {
	so := compile(t, "processes")
	require.Equal(t, result{out: "serialized: sum 3\nserialized: sum 3\n"}, play(t, so, "-n", "2", "--processes", "PROGRAM", "threads"))
	r := play(t, so, "-n", "2", "--processes", "PROGRAM", "both")
	require.Equal(t, "0 bad\n0 bad\n", r.out)
	if r.errs != "" { // if they did come at one time
		require.Contains(t, r.errs, "and the level of threads is MPI_THREAD_SERIALIZED: one thread at a time may call MPI")
	}
	r = play(t, so, "-n", "2", "--processes", "--free", "PROGRAM", "stuck") // two threads of one rank would have to be in calls at one time
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "deadlock: no rank can continue\n  rank 0: waits in ")
	require.Regexp(t, `note: rank 0 had a thread that waited to call MPI_\w+ until MPI_\w+ of another thread returned: ask for MPI_THREAD_MULTIPLE`, r.errs)
}

// TestProcessThreadsMultiple: with MPI_THREAD_MULTIPLE a call that waits for another rank keeps no
// other thread of its process from making calls, and a deadlock of all threads is found.
func TestProcessThreadsMultiple(t *testing.T) {
	so := compile(t, "multiple", "-pthread")
	lines := func(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
	for _, mode := range []string{"--seed=1", "--seed=2", "--free"} {
		for _, tc := range []struct {
			how  string
			want []string
		}{
			{"messages", []string{"6", "5"}},
			{"probe", []string{"6", "5"}},
			{"later", []string{"6", "5"}},
			{"waits", []string{"0 6 6 6", "0 5 5 5"}},
			{"collectives", []string{"0 1 6", "0 1 -1"}},
			{"sums", []string{"3 6", "3 6"}},
		} {
			r := play(t, so, "-n", "2", "--processes", mode, "PROGRAM", tc.how)
			require.Equal(t, 0, r.status, "%s %s: %s", mode, tc.how, r.errs)
			require.ElementsMatch(t, tc.want, lines(r.out), "%s %s", mode, tc.how)
		}
		r := play(t, so, "-n", "2", "--processes", mode, "PROGRAM", "lonely")
		require.Equal(t, 1, r.status)
		require.Contains(t, r.errs, "deadlock: no rank can continue\n  rank 0: waits in MPI_Waitany for any of 2 of 2 requests: MPI_Irecv from 1 tag 7 on dup of COMM_WORLD")
		r = play(t, so, "-n", "2", "--processes", mode, "PROGRAM", "one")
		require.Contains(t, r.errs, "deadlock: no rank can continue\n  rank 0: waits in MPI_Recv from 1 tag 7 on dup of COMM_WORLD")
		r = play(t, so, "-n", "2", "--processes", mode, "PROGRAM", "seeks")
		require.Contains(t, r.errs, "deadlock: no rank can continue\n  ranks 0-1: wait in MPI_Mprobe from any source tag 7 on dup of COMM_WORLD")
		r = play(t, so, "-n", "2", "--processes", mode, "PROGRAM", "both seek")
		require.Regexp(t, `deadlock: no rank can continue\n  rank 0: waits in MPI_Waitany for any of 2 of 2 requests: .*MPI_Mprobe from any source tag 7 on dup of COMM_WORLD`, r.errs)
	}
}

// TestProcessEnds: what ends one process ends the world with a report of its rank, and nothing is
// left of the others.
func TestProcessEnds(t *testing.T) {
	so := compile(t, "processes")
	begin := func(t *testing.T) (cmd *exec.Cmd, ranks []int, errs *bytes.Buffer) {
		cmd = exec.Command(filepath.Join(tools, "commworldrun"), "-n", "2", "--free", "--processes", so, "loop")
		errs = &bytes.Buffer{}
		cmd.Dir, cmd.Stderr = t.TempDir(), errs
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		for lines := bufio.NewScanner(out); len(ranks) < 2 && lines.Scan(); {
			var pid int
			_, err := fmt.Sscanf(lines.Text(), "process %d", &pid)
			require.NoError(t, err)
			ranks = append(ranks, pid)
		}
		return cmd, ranks, errs
	}
	t.Run("rank", func(t *testing.T) {
		cmd, ranks, errs := begin(t)
		require.NoError(t, unix.Kill(ranks[0], unix.SIGKILL))
		require.Error(t, cmd.Wait())
		require.Regexp(t, `rank \d: .*processes\.c:\d+: signal 9 \(killed\)`, errs.String())
		require.Regexp(t, `rank \d: .*processes\.c:\d+: the rank ran on without a call of MPI when the world had ended, and was stopped`, errs.String())
	})
	t.Run("launcher", func(t *testing.T) {
		cmd, ranks, _ := begin(t)
		var ends []unix.PollFd
		for _, pid := range ranks {
			fd, err := unix.PidfdOpen(pid, 0)
			require.NoError(t, err)
			defer unix.Close(fd)
			ends = append(ends, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		}
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		for i := range ends {
			for ends[i].Revents == 0 {
				_, err := unix.Poll(ends[i:i+1], -1)
				require.True(t, err == nil || err == unix.EINTR, err)
			}
		}
	})
	r := play(t, so, "-n", "2", "--processes", "PROGRAM", "child")
	require.Contains(t, r.errs, "by a process that a rank has forked: only ranks call MPI")
	require.Contains(t, r.out, "child 1\n")
	r = play(t, compile(t, "ends"), "-n", "2", "--processes", "PROGRAM", "syscall")
	require.Equal(t, 1, r.status, r.errs)
	require.Contains(t, r.errs, "rank 1: main returned with status 0 before MPI_Finalize")
}

// TestProcessPrograms: an executable that needs the library of the standard ABI runs by itself, from a script,
// and in a directory that it changes to; others are refused with what to do.
func TestProcessPrograms(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "stale")
	out, err := combined(exec.Command(filepath.Join(tools, "commworldcc"), "--processes", "testdata/stale.c", "-o", program))
	require.NoError(t, err, "%s", out)
	script := filepath.Join(dir, "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n"+program+"\necho done >&2\n"), 0o700))
	for _, args := range [][]string{{program}, {"sh", "-c", program}, {script}} {
		r := play(t, "", append([]string{"-n", "2"}, args...)...)
		require.Equal(t, 3, r.status, "%v: %s", args, r.errs)
		require.Equal(t, "read -1\n", r.out)
		require.Contains(t, r.errs, "rank 0   writes  MPI_File_write_at  stale.c:5 < stale.c:15\n  rank 1   reads   MPI_File_read_at   stale.c:18\n")
	}
	below := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(below, "below"), 0o700))
	cmd := exec.Command(filepath.Join(tools, "commworldrun"), "-n", "2", "--processes", compile(t, "processes"), "chdir")
	cmd.Dir = below
	out, err = combined(cmd)
	require.NoError(t, err, "%s", out)
	require.FileExists(t, filepath.Join(below, "below", "file"))

	out, err = combined(exec.Command(program))
	require.Error(t, err)
	require.Contains(t, out, "by a program that commworldrun did not start: run\n  commworldrun -n 4 "+program)
	cmd = exec.Command(program)
	cmd.Env = append(os.Environ(), "COMMWORLD_PROCESS=0123456789ab:/dev/null")
	out, err = combined(cmd)
	require.Error(t, err)
	require.Contains(t, out, "and commworldrun of version 0123456789ab")
	r := play(t, "", "-n", "2", "true")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "true ended and had not loaded libmpi_abi.so.1, the library of MPI's standard ABI")
}

// TestProcessLimits: more processes than the system allows are refused before one starts, with the
// limit and what to do.
func TestProcessLimits(t *testing.T) {
	so := compile(t, "hello")
	r := playLimited(t, "ulimit -n 512", so, "-n", "1000", "--processes", "PROGRAM")
	require.Equal(t, 1, r.status)
	require.Empty(t, r.out)
	require.Contains(t, r.errs, "1000 processes need 4064 open files, and ulimit -n allows 512: raise it, or run the program in one process (commworldcc)")
}

// TestProcessOutput: each rank's output has its label, or goes to its file.
func TestProcessOutput(t *testing.T) {
	so, dir := compile(t, "hello"), t.TempDir()
	one := play(t, so, "-n", "3", "--label", "PROGRAM")
	require.Equal(t, one, play(t, so, "-n", "3", "--label", "--processes", "PROGRAM"))
	r := play(t, so, "-n", "3", "--output", dir, "--processes", "PROGRAM")
	require.Equal(t, result{}, r)
	text, err := os.ReadFile(filepath.Join(dir, "rank.2.out"))
	require.NoError(t, err)
	require.Contains(t, string(text), "rank 2 of 3, counter 3, sum 6")
}

// TestProcessPosix: calls of POSIX and stdio on files that are open through MPI are reported as in
// one process.
func TestProcessPosix(t *testing.T) {
	so := compile(t, "posix")
	for _, args := range [][]string{
		{"open", "during barrier"},
		{"openin", "during barrier"},
		{"freopen", "during barrier"},
		{"truncate", "during barrier"},
		{"unlink", "during barrier"},
		{"renameat", "during barrier"},
		{"fopen", "before"},
		{"keep", "before barrier"},
		{"fopen", "before barrier"},
		{"open", "during synced", "r"},
		{"open", "during synced barrier", "r"},
		{"fopen", "after"},
		{"fopen", "after", "r"},
		{"fopen", "after barrier", "r"},
		{"many", "before barrier"},
	} {
		args = append([]string{"PROGRAM"}, args...)
		one := play(t, so, append([]string{"-n", "2"}, args...)...)
		assert.Equal(t, one, play(t, so, append([]string{"-n", "2", "--processes"}, args...)...), "%q", args)
	}
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("no C++ compiler (c++) here")
	}
	program := filepath.Join(t.TempDir(), "posix")
	out, err := combined(exec.Command(filepath.Join(tools, "commworldcxx"), "--processes", "-std=c++17", "testdata/posix.cpp", "-o", program))
	require.NoError(t, err, "%s", out)
	r := play(t, "", "-n", "2", program, "stream")
	require.Equal(t, 1, r.status, r.errs)
	require.Regexp(t, `rank 0: fopen at posix\.cpp:`+lineOf(t, "testdata/posix.cpp", "int main", "ofstream")+`\b.* opens "f" for writing`, r.errs)
}

// TestMissing: what a program and its libraries want of MPI is known before it runs.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	build := func(name string, args ...string) string {
		path := filepath.Join(dir, name)
		out, err := combined(exec.Command(filepath.Join(tools, "commworldcc"), append(append([]string{"--processes"}, args...), "-o", path)...))
		require.NoError(t, err, "%s", out)
		return path
	}
	build("libpart.so", "-shared", "-fPIC", write("part.c", "int MPI_Nonsense(void); int part(void) { return MPI_Nonsense(); }"))
	program := build("program", write("program.c", "#include <mpi.h>\nint part(void); int main(void) { MPI_Init(0, 0); return MPI_Win_free(0) + part(); }"),
		"-L"+dir, "-lpart", "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined")
	r := play(t, "", "--missing", program)
	require.Equal(t, result{out: "MPI_Nonsense: commworld does not have it\nMPI_Win_free: returns MPI_ERR_UNSUPPORTED_OPERATION\n", status: 1}, r)
	r = play(t, "", "-n", "2", program)
	require.Equal(t, 2, r.status)
	require.Contains(t, r.errs, "wants MPI_Nonsense, which commworld does not have: commworldrun --missing "+program+" lists all")
	require.Equal(t, result{}, play(t, "", "--missing", build("right", "testdata/stale.c")))
	require.Equal(t, 2, play(t, "", "--missing", filepath.Join(dir, "part.c")).status)

	// A library by the name that Open MPI's has.
	other := build("libmpi.so.40", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.40", write("other.c", "int ompi_init(void) { return 0; }"))
	program = build("another", write("another.c", "int ompi_init(void); int main(void) { return ompi_init(); }"), other)
	r = play(t, "", "-n", "2", program)
	require.Equal(t, 2, r.status)
	require.Contains(t, r.errs, "needs libmpi.so.40, which has another binary interface than the standard ABI of MPI: compile the program with commworldcc")
}

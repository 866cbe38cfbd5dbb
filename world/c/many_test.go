//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSeeds: a deadlock that some orders have is found with its seed, and shown once more; each
// run has the files and variables that the program began with.
func TestSeeds(t *testing.T) {
	so := compile(t, "order")
	r := play(t, so, "-n", "3", "--seeds", "1..20", "PROGRAM", "wait")
	require.Equal(t, 1, r.status, r.errs)
	require.Contains(t, r.errs, "20 of 20 seeds: 1 finding\n")
	seed := regexp.MustCompile(`finding 1, in \d+ runs, first with --seed (\d+)\n  deadlock`).FindStringSubmatch(r.errs)
	require.NotNil(t, seed, r.errs)
	require.Contains(t, r.errs, "--seed "+seed[1]+" once more, with what its ranks print:\ndeadlock")
	require.Equal(t, "first 2, run 1\nfinding: none\n", r.out, "of the last run only")

	r = play(t, so, "-n", "3", "--seed", seed[1], "PROGRAM", "wait")
	require.Equal(t, 1, r.status, r.errs)
	require.Contains(t, r.errs, "deadlock")

	r = play(t, so, "-n", "3", "--seeds", "1..20", "PROGRAM")
	require.Equal(t, 0, r.status, r.errs)
	require.Equal(t, "20 of 20 seeds: no findings\n", r.errs)
	require.Empty(t, r.out)
}

// TestExploreProgram: an exploration has each outcome with a schedule that repeats it.
func TestExploreProgram(t *testing.T) {
	so := compile(t, "order")
	r := play(t, so, "-n", "3", "--explore", "PROGRAM")
	require.Equal(t, 0, r.status, r.errs)
	require.Contains(t, r.errs, "2 runs; 2 outcomes; complete\n")
	require.Contains(t, r.errs, "\n  rank 0: first 1, run 1\n  rank 0: finding: none\n  file new.dat: 4 bytes 01000000\n")
	require.Contains(t, r.errs, "\n  rank 0: first 2, run 1\n  rank 0: finding: none\n  file new.dat: 4 bytes 02000000\n")

	r = play(t, so, "-n", "3", "--explore", "PROGRAM", "wait")
	require.Equal(t, 1, r.status, r.errs)
	require.Contains(t, r.errs, "\nfinding 1, in outcome 2\n  deadlock: no rank can continue")
	stuck := regexp.MustCompile(`outcome 2, in 1 run, first with --replay (\S+)\n  rank 0: first 2, run 1\n`).FindStringSubmatch(r.errs)
	require.NotNil(t, stuck, r.errs)
	r = play(t, so, "-n", "3", "--replay", stuck[1], "PROGRAM", "wait")
	require.Equal(t, "first 2, run 1\nfinding: none\n", r.out)
	require.Contains(t, r.errs, "deadlock")

	r = play(t, so, "-n", "3", "--explore", "--runs", "1", "PROGRAM")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "1 run; 1 outcome; incomplete: schedule limit reached: 1\n")

	r = play(t, compile(t, "stale"), "-n", "2", "--explore", "PROGRAM")
	require.Equal(t, 3, r.status, r.errs)
	require.Contains(t, r.errs, "rank 1: read -1\n")
	require.Contains(t, r.errs, "rank 1: read 7\n")
	require.Contains(t, r.errs, "finding 1, in outcomes 1, 2\n  race on \"stale.dat\", bytes 0 to 3")
	require.Contains(t, r.errs, "stale.c:5 < stale.c:15", "lines of the program")
}

// TestManyRelative: lines of the program are found although the runs have other working
// directories than the command.
func TestManyRelative(t *testing.T) {
	so := compile(t, "stale")
	for _, mode := range []string{"--explore", "--seeds=1..2"} {
		cmd := exec.Command(filepath.Join(tools, "commworldrun"), "-n", "2", mode, filepath.Join("..", filepath.Base(so)))
		cmd.Dir = filepath.Join(filepath.Dir(so), "empty"+mode)
		require.NoError(t, os.Mkdir(cmd.Dir, 0o755))
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "stale.c:18", mode)
		require.NotContains(t, string(out), "world.Replay", mode)
	}
}

// TestExploreUncontrolled: a program whose data depend on the clock is not explored, and the
// report says why.
func TestExploreUncontrolled(t *testing.T) {
	r := play(t, compile(t, "order"), "-n", "3", "--explore", "PROGRAM", "clock")
	require.Equal(t, 1, r.status, r.errs)
	require.Contains(t, r.errs, "uncontrolled nondeterminism: ")
	require.Contains(t, r.errs, "at order.c:34 with different arguments or data\na C program can be explored if its ranks do not use clocks")
	require.Contains(t, r.errs, "--seeds 1..200")
}

// TestManyCrashes: a crash in one run does not end the runs after it, although they take longer
// than the report of a single run may.
func TestManyCrashes(t *testing.T) {
	so := compile(t, "oncrash")
	r := play(t, so, "-n", "3", "--seeds", "1..400", "PROGRAM")
	require.Equal(t, 1, r.status, r.errs)
	require.Contains(t, r.errs, "400 of 400 seeds: 1 finding\n")
	require.Contains(t, r.errs, "oncrash.c:13: signal 11 (segmentation fault) at address 0x0")
	r = play(t, so, "-n", "3", "--explore", "PROGRAM")
	require.Equal(t, 1, r.status, r.errs)
	require.Contains(t, r.errs, "2 runs; 2 outcomes; complete\n")
	require.Contains(t, r.errs, "first with --replay choices:0.0\n  no output, no files\n")
}

// TestManyLeaveNothing: runs leave nothing in the directory of the program's files, nor copies
// of it, and see what it holds.
func TestManyLeaveNothing(t *testing.T) {
	so, dir, tmp := compile(t, "order"), t.TempDir(), t.TempDir()
	for _, mode := range []string{"--seeds=1..3", "--explore"} {
		for _, named := range []bool{false, true} {
			cmd := exec.Command(filepath.Join(tools, "commworldrun"), "-n", "3", mode)
			cmd.Dir = dir
			if named {
				cmd.Args, cmd.Dir = append(cmd.Args, "--dir", dir), t.TempDir()
			}
			cmd.Args = append(cmd.Args, so)
			cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			for _, d := range []string{dir, tmp, cmd.Dir} {
				left, err := os.ReadDir(d)
				require.NoError(t, err)
				assert.Empty(t, left, "%s in %s", mode, d)
			}
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new.dat"), nil, 0o600))
	r := play(t, so, "-n", "3", "--explore", "--dir", dir, "PROGRAM")
	require.Equal(t, 0, r.status, r.errs)
	require.NotContains(t, r.errs, "file new.dat", "it is there, so it is not made")
}

// TestManyKilled: what a killed process leaves is removed by a process that outlives it, and else
// by the next run.
func TestManyKilled(t *testing.T) {
	so, tmp := compile(t, "order"), t.TempDir()
	left := func(of ...string) int {
		all, err := filepath.Glob(filepath.Join(append([]string{tmp, "*"}, of...)...))
		require.NoError(t, err)
		return len(all)
	}
	cmd := exec.Command(filepath.Join(tools, "commworldrun"), "-n", "3", "--seeds", "1..1000000", so)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "TMPDIR="+tmp)
	require.NoError(t, cmd.Start())
	for left("files") == 0 { // the first run has its copy
		runtime.Gosched()
	}
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	for left() > 0 { // ends as soon as the remover has seen the end
		runtime.Gosched()
	}

	orphan, used := filepath.Join(tmp, "commworldrun-1-orphan", "files"), filepath.Join(tmp, "commworldrun-1-used")
	require.NoError(t, os.MkdirAll(orphan, 0o700))
	require.NoError(t, os.Mkdir(used, 0o700))
	f, err := os.Open(used)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	cmd = exec.Command(filepath.Join(tools, "commworldrun"), "-n", "3", "--seeds", "1..2", so)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "TMPDIR="+tmp)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, 1, left())
	require.DirExists(t, used)
}

// TestManyFlags: flags that are for one run are refused with the reason.
func TestManyFlags(t *testing.T) {
	so := compile(t, "order")
	for _, flags := range [][]string{
		{"--seeds", "3"},
		{"--seeds", "3..1"},
		{"--seeds", "a..b"},
		{"--seeds", "1..2", "--explore"},
		{"--seeds", "1..2", "--free"},
		{"--explore", "--replay", "random:1"},
		{"--explore", "--report"},
		{"--explore", "--runs", "-1"},
	} {
		r := play(t, so, append(append([]string{"-n", "3"}, flags...), "PROGRAM")...)
		assert.Equal(t, 2, r.status, "%v: %s", flags, r.errs)
		assert.Contains(t, r.errs, "commworldrun: --", "%v", flags)
	}
}

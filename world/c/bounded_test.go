//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Longest time of one run of a program, and how long it may take to end after each signal.
const (
	longestRun = 2 * time.Minute
	lastWords  = 5 * time.Second
)

// start starts a command that is ended with its whole process group if it is stuck: by SIGTERM,
// so that commworldrun prints its report, SIGQUIT, so that Go prints its stacks, and SIGKILL.
// wait waits for the command as [exec.Cmd.Wait] does; its error says so if it was stuck.
func start(cmd *exec.Cmd, limit, grace time.Duration) (wait func() error, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = grace // a process that has left the group may hold the output open
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stuck := false
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		next := limit
		for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGKILL} {
			select {
			case <-done:
				return
			case <-time.After(next):
			}
			stuck = true
			_ = syscall.Kill(-cmd.Process.Pid, s)
			next = grace
		}
	}()
	return func() error {
		err := cmd.Wait()
		close(done)
		<-ended
		if stuck {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what the command has left behind
			return fmt.Errorf("%s ran longer than %v", strings.Join(cmd.Args, " "), limit)
		}
		return err
	}, nil
}

// finish runs a command as [exec.Cmd.Run] does, with the bounds of start.
func finish(cmd *exec.Cmd, limit, grace time.Duration) error {
	wait, err := start(cmd, limit, grace)
	if err != nil {
		return err
	}
	return wait()
}

// combined returns what a command prints, as [exec.Cmd.CombinedOutput] does.
func combined(cmd *exec.Cmd) (string, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := finish(cmd, longestRun, lastWords)
	return out.String(), err
}

// TestBounded: a test cannot hang. A command that is stuck ends with the processes that it has
// started, also if it ignores signals or its output stays open, and its output is kept.
func TestBounded(t *testing.T) {
	for how, script := range map[string]string{
		"alone":   `echo begun; exec sleep 1000`,
		"group":   `echo begun; sleep 1000 & wait`,
		"ignores": `trap '' TERM QUIT; echo begun; while :; do sleep 1000; done`,
		"orphan":  `trap '' TERM QUIT; echo begun; (trap '' TERM QUIT; sleep 1000) & sleep 1000`,
	} {
		var out bytes.Buffer
		cmd := exec.Command("sh", "-c", script)
		cmd.Stdout, cmd.Stderr = &out, &out
		err := finish(cmd, 300*time.Millisecond, 100*time.Millisecond)
		require.ErrorContains(t, err, "ran longer than 300ms", how)
		require.Contains(t, out.String(), "begun\n", how)
		require.Eventually(t, func() bool { return syscall.Kill(-cmd.Process.Pid, 0) == syscall.ESRCH }, time.Minute, time.Millisecond, "%s: a process of the group is left", how)
	}
	require.NoError(t, finish(exec.Command("true"), time.Minute, time.Second))
	var failed *exec.ExitError
	require.ErrorAs(t, finish(exec.Command("false"), time.Minute, time.Second), &failed)
}

// TestStuckProgram: what a stuck program of MPI prints is kept, and commworldrun has time for its report.
func TestStuckProgram(t *testing.T) {
	var out bytes.Buffer
	cmd := exec.Command(filepath.Join(tools, "commworldrun"), "-n", "2", compile(t, "killed"), "loop")
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &out
	require.ErrorContains(t, finish(cmd, 2*time.Second, 30*time.Second), "ran longer than 2s")
	require.Contains(t, out.String(), "the process got signal terminated")
}

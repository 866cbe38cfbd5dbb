//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slowGo is a go command that is still building, with temporary files where the real one has
// them, when its caller is told to end: it writes to the pipe $STARTED and waits.
const slowGo = `#!/bin/sh
case $1 in
list) echo main example.org/x ;;
*) mkdir "${GOTMPDIR:-$TMPDIR}/go-build1" && echo > "$STARTED" && exec sleep 600 ;;
esac
`

// TestSignals: a command that CI, a terminal or a user ends leaves nothing among the
// temporary files, neither of its own nor of the go command.
func TestSignals(t *testing.T) {
	// Programs that a process starts ignore what it ignores, as under nohup, and not what it catches.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(caught)
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(slowGo), 0o700))
	program := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(program, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600))
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		for _, args := range [][]string{{"check", program}, {"course", "mark", "04", program}, {"lab", "--static", filepath.Join(t.TempDir(), "page")}} {
			t.Run(fmt.Sprint(sent, " ", args[0]), func(t *testing.T) {
				temp, started := t.TempDir(), filepath.Join(t.TempDir(), "started")
				require.NoError(t, syscall.Mkfifo(started, 0o600))
				var errs bytes.Buffer
				cmd := exec.Command("commworld", args...)
				cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "TMPDIR="+temp, "STARTED="+started)
				cmd.Stderr = &errs
				require.NoError(t, cmd.Start())
				_, err := os.ReadFile(started) // returns when the go command is at work
				require.NoError(t, err)
				require.NoError(t, cmd.Process.Signal(sent))
				_ = cmd.Wait()
				assert.Equal(t, exitUsage, cmd.ProcessState.ExitCode(), errs.String())
				left, err := os.ReadDir(temp)
				require.NoError(t, err)
				assert.Empty(t, left)
			})
		}
	}
	t.Run("an ignored signal stays ignored, as under nohup", func(t *testing.T) {
		pipe := filepath.Join(t.TempDir(), "pipe")
		require.NoError(t, syscall.Mkfifo(pipe, 0o600))
		cmd := exec.Command("sh", "-c", `trap "" HUP; exec commworld run "$0"`, pipe)
		require.NoError(t, cmd.Start())
		in, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the command reads
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
		_, err = in.WriteString("ranks 1\nall:\n  barrier\n")
		require.NoError(t, err)
		require.NoError(t, in.Close())
		assert.NoError(t, cmd.Wait())
	})
}

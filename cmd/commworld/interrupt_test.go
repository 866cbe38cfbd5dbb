//go:build unix

package main

import (
	"bytes"
	"context"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInterruptWhileReading: a file may be a pipe without a writer, and an
// interrupt ends the command that waits for it.
func TestInterruptWhileReading(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, args := range [][]string{
		{"run", pipe},
		{"run", "--explore", pipe},
		{"verify", pipe},
		{"dump", "--type", "int", pipe},
		{"dump", "--who", pipe + ".mpio"},
		{"convert", "--type", "int", "--from", "native", "--to", "native", pipe, pipe + ".out"},
		{"convert", "--type", "int", "--from", "native", "--to", "native", "interrupt_test.go", pipe},
		{"check", pipe + ".mpio"},
	} {
		if filepath.Ext(args[len(args)-1]) == ".mpio" {
			_ = syscall.Mkfifo(pipe+".mpio", 0o600)
		}
		ctx, interrupt := context.WithCancelCause(t.Context())
		interrupt(errInterrupted)
		var out, errs bytes.Buffer
		assert.Equal(t, exitUsage, run(ctx, args, &out, &errs), args)
		assert.Contains(t, errs.String(), "commworld: ", args)
		assert.NoFileExists(t, pipe+".out")
	}
	assert.Empty(t, leftovers.names)
}

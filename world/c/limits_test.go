//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLimits: processes are bounded by the memory and by what ulimit allows, and errors say which.
func TestLimits(t *testing.T) {
	l := limits{files: 4064, tasks: 1000, memory: 1000 << 20}
	require.NoError(t, l.enough(1000))
	require.ErrorContains(t, l.enough(1001), "1001 processes need 4068 open files, and ulimit -n allows 4064")
	l.files = unlimited
	require.ErrorContains(t, l.enough(1001), "1001 processes are more than the 1000 that ulimit -u allows")
	l.tasks = unlimited
	require.EqualError(t, l.enough(1001), "1001 processes need at least 1001 MiB of memory, and 1000 MiB are available: start fewer, or run the program in one process (commworldcc)")

	l.memory = available("MemTotal:  8000000 kB\nMemFree: 5 kB\nMemAvailable:     512000 kB\nBuffers: 7 kB\n")
	require.NoError(t, l.enough(500))
	require.ErrorContains(t, l.enough(501), "501 processes need at least 501 MiB of memory, and 500 MiB are available")
	require.NoError(t, limitsHere().enough(1))
	require.NotEqual(t, uint64(unlimited), limitsHere().memory, "Linux says what is available")
}

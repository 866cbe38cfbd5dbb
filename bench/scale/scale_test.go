package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The figures are quoted in the documentation; they are only worth that if the
// calls did what they are said to do.
func TestRun(t *testing.T) {
	for _, checked := range []bool{false, true} {
		var out strings.Builder
		seen, err := run(&out, 50, "", checked)
		require.NoError(t, err)
		assert.Len(t, seen, 1+len(steps))
		for _, s := range steps {
			assert.Contains(t, out.String(), "\n"+s.name+" ")
		}
	}
	seen, err := run(new(strings.Builder), 3, "open,barrier", true) // and is closed at the end
	require.NoError(t, err)
	assert.Equal(t, "start barrier open", strings.Join([]string{seen[0].step, seen[1].step, seen[2].step}, " "))
	for _, bad := range []string{"opne", "sync", "close", "write_at_all"} {
		_, err := run(new(strings.Builder), 2, bad, false)
		assert.Error(t, err, bad)
	}
	_, err = run(new(strings.Builder), 0, "", false)
	assert.Error(t, err)
}

// A million ranks fit into a machine because each is small. What an open file
// and a write cost a rank, bytes written and detector included, stays below 4 KiB.
func TestMemoryPerRank(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector of Go makes everything larger")
	}
	const ranks = 2000
	seen, err := run(new(strings.Builder), ranks, "barrier,open,write_at_all", true)
	require.NoError(t, err)
	assert.Less(t, (seen[2].more.heap+seen[3].more.heap)/ranks, int64(4<<10))
}

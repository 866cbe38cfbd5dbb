package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/thorough"
)

// Without a limit on the search for fixes, cost would not end for a script with very many
// races.
func TestCostOfRaces(t *testing.T) {
	thorough.Only(t) // the search for fixes takes all its time
	defer func(most time.Duration) { mostFixing = most }(mostFixing)
	mostFixing = 5 * time.Second
	name := filepath.Join(t.TempDir(), "races.mpio")
	require.NoError(t, os.WriteFile(name, []byte("ranks 1000\nall:\n  open h f rdwr|create\n  write_at h 0 int {r}\n  close h\n"), 0o600))
	var out, errs strings.Builder
	assert.Equal(t, exitRace, run(context.Background(), []string{"cost", name}, &out, &errs))
	assert.Contains(t, errs.String(), "nothing to cost")
}

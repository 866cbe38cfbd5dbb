package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/darshanlog"
)

// TestReplayBinary: a binary log, one compressed by gzip, and one on standard input give the same
// report.
func TestReplayBinary(t *testing.T) {
	log := &darshanlog.Log{
		Minor: 41, Exe: "./solver", Ranks: 1, Mounts: []string{"gpfs\t/g"}, Names: []string{"/g/out"},
		Modules: map[int]darshanlog.Module{10: {Version: 2, Records: []any{1, 0, 0, "n0", 1, 0, 0, 1 << 20, 0.5, 0.75, 0}}},
	}
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "job.darshan"), filepath.Join(dir, "job.darshan.gz")
	require.NoError(t, os.WriteFile(plain, log.Bytes(), 0o600))
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(log.Bytes())
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(packed, b.Bytes(), 0o600))
	var reports []string
	for _, name := range []string{plain, packed} {
		var out, stderr bytes.Buffer
		assert.Zero(t, run(t.Context(), []string{"replay", name, "--way", "as-it-was"}, &out, &stderr), stderr.String())
		reports = append(reports, out.String())
		out.Reset()
		assert.Zero(t, run(t.Context(), []string{"cost", name}, &out, &stderr), stderr.String())
		assert.Contains(t, out.String(), "machine gpfs")
	}
	assert.Contains(t, reports[0], "machine gpfs, stripes of 8388608 bytes on 64 of 64 servers")
	assert.Contains(t, reports[0], "an access under way for 0.25 s")
	assert.Equal(t, reports[0], reports[1])
}

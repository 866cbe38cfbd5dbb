package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/recording"
	"github.com/commworld/commworld/types"
)

// staleTrace writes the recording of a job in which rank 1 reads what rank 0 wrote, ordered by a
// barrier, without a sync.
func staleTrace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "lines"), []byte("cwlines 1\n\"p\"\t1\t\"p.c\"\t5\t\"main\"\n"), 0o644))
	for rank := range 2 {
		w, err := recording.Create(dir, recording.Head{Rank: rank, Ranks: 2, Job: 3, Library: "a library"})
		require.NoError(t, err)
		do := func(name, fields string, args ...int64) {
			s, err := w.Site(name, fields, recording.Frame{Module: 0, Address: 2})
			require.NoError(t, err)
			require.NoError(t, w.Call(s, args...))
		}
		w.Module(recording.Module{Path: "p"})
		do("File_open", "csmin>Fe", 0, w.Text("f"), 1<<1|1<<3, -1, -1, 0, 0)
		if rank == 0 {
			do("File_write_at", "fnnt>e", 0, 0, 1, w.Type(types.Int), 0)
		}
		do("Barrier", "c>e", 0, 0)
		if rank == 1 {
			do("File_read_at", "fnnt>e", 0, 0, 1, w.Type(types.Int), 0)
		}
		do("File_close", "f>e", 0, 0)
		do("Finalize", ">e", 0)
		require.NoError(t, w.Close())
	}
	return dir
}

func TestCheckTrace(t *testing.T) {
	dir := staleTrace(t)
	check := func(c checkCommand) (code int, out string, err error) {
		c.Target, c.Memory, c.Timeout = dir, "256MB", 1e9
		var b bytes.Buffer
		code, err = c.run(context.Background(), &b, &b)
		return code, b.String(), err
	}
	code, out, err := check(checkCommand{})
	require.NoError(t, err)
	assert.Equal(t, exitRace, code)
	assert.Contains(t, out, "2 ranks    10 calls, recorded with a library\n")
	assert.Contains(t, out, "finding 1: race (CONS-C2) on ranks 0, 1 at p.c:5\n")
	code, out, err = check(checkCommand{Forgive: "posix"})
	require.NoError(t, err)
	assert.Equal(t, 0, code, out)
	code, out, err = check(checkCommand{formatFlags: formatFlags{Format: "json"}})
	require.NoError(t, err)
	assert.Equal(t, exitRace, code)
	assert.Contains(t, out, `"kind":"race"`)
	_, _, err = check(checkCommand{Ranks: []int{2}})
	assert.ErrorContains(t, err, "--ranks: a recording has the number of ranks of its job")
	_, _, err = check(checkCommand{Forgive: "nfs"})
	assert.ErrorContains(t, err, `there is no model "nfs"`)
	require.NoError(t, os.Truncate(filepath.Join(dir, "rank.1"), 40))
	_, _, err = check(checkCommand{})
	assert.ErrorContains(t, err, "rank.1: at byte ")
	dir = "."
	_, _, err = check(checkCommand{Forgive: "posix"})
	assert.ErrorContains(t, err, "--forgive is for recordings")
}

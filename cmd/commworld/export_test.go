package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If export lost an option or the line of an error, its help would be wrong.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "stale.mpio")
	require.NoError(t, os.WriteFile(stale, []byte("# A stale read\nranks 2\nall: open h f rdwr|create\n0: write_at h 0 byte 5\nall: barrier\n1: read_at h 0 byte*1 -> x\nall: close h\n"), 0o600))
	odd := filepath.Join(dir, "odd.mpio")
	require.NoError(t, os.WriteFile(odd, []byte("ranks 1\nall: open h f rdwr|create\n  write_at h 0 integer16 1\n  close h\n"), 0o600))
	for _, c := range []struct {
		args       []string
		code       int
		out, errs  string
		writesFile string
	}{
		{args: []string{"--c", stale}, out: "MPI_File_write_at(h, 0, data4, 1, MPI_BYTE, MPI_STATUS_IGNORE)"},
		{args: []string{"--go", stale}, out: "h.WriteAt(types.Of([]byte{5}), 0); err != nil { // line 4"},
		{args: []string{"--c", stale, "-o", filepath.Join(dir, "stale.c")}, writesFile: filepath.Join(dir, "stale.c")},
		{args: []string{stale}, code: exitUsage, errs: "give --c or --go"},
		{args: []string{"--c", odd}, code: exitUsage, errs: "line 3: MPI_INTEGER16 has no C type"},
		{args: []string{"--c", filepath.Join(dir, "none.mpio")}, code: exitUsage, errs: "none.mpio"},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"export"}, c.args...), &out, &errs)
		assert.Equal(t, c.code, code, "%v: %s", c.args, &errs)
		assert.Contains(t, out.String(), c.out)
		assert.Contains(t, errs.String(), c.errs)
		if c.writesFile != "" {
			assert.FileExists(t, c.writesFile)
		}
	}
}

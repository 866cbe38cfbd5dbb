package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// TestDumpWho: a program records who wrote its file, and the command shows it
// later; if the file has changed since, it must not be believed.
func TestDumpWho(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "grid.dat")
	require.NoError(t, os.WriteFile(name, []byte("old, and longer than the new content"), 0o600))
	fsys, err := iofile.NewDir(dir, iofile.WithTracking(iofile.Provenance))
	require.NoError(t, err)
	require.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "grid.dat", iofile.ReadWrite)
		if err != nil {
			return err
		}
		every := types.Resized(types.Double, 0, 16)
		err = f.SetView(iofile.View{Disp: int64(8 * c.Rank()), Etype: types.Double, Filetype: every, Rep: "external32"})
		_, e := f.WriteAtAll(types.Of([]float64{1, 2}), 0)
		return errors.Join(err, e, f.Close())
	}))
	beside, err := os.Create(name + ".who")
	require.NoError(t, err)
	require.NoError(t, errors.Join(fsys.ExportProvenance("grid.dat", beside), beside.Close(), fsys.Close()))

	dump := func() (int, string) {
		var out strings.Builder
		code := run(t.Context(), []string{"dump", "--who", name}, &out, &out)
		return code, out.String()
	}
	code, text := dump()
	assert.Zero(t, code)
	for _, want := range []string{
		"file grid.dat, 36 bytes\n",
		"  0-7       8  0     WriteAtAll  dumpwho_test.go:", "double  external32  synced\n",
		" 8-15       8  1     WriteAtAll", "32-35       4", "left over from before the first open",
		"rank 0 wrote 16, rank 1 wrote 16, 4 left over",
	} {
		assert.Contains(t, text, want)
	}

	record, err := os.ReadFile(name + ".who")
	require.NoError(t, err)
	for what, c := range map[string]struct{ file, who, want string }{
		"changed": {strings.Repeat("x", 36), string(record), "has other bytes than when grid.dat.who was written"},
		"longer":  {strings.Repeat("x", 37), string(record), "has 37 bytes and had 36"},
		"cut":     {"", string(record[:len(record)-60]), "grid.dat.who"},
		"no who":  {"", "{]", "the first line"},
		"gap":     {"", strings.Replace(string(record), `"bytes":[8,16]`, `"bytes":[9,16]`, 1), "is about bytes 9 to 15 and not about byte 8 of 36"},
	} {
		t.Run(what, func(t *testing.T) {
			bytes, err := os.ReadFile(name)
			require.NoError(t, err)
			defer func() { require.NoError(t, os.WriteFile(name, bytes, 0o600)) }()
			if c.file != "" {
				require.NoError(t, os.WriteFile(name, []byte(c.file), 0o600))
			}
			require.NoError(t, os.WriteFile(name+".who", []byte(c.who), 0o600))
			code, text := dump()
			assert.Equal(t, exitUsage, code)
			assert.Contains(t, text, c.want)
		})
	}
}

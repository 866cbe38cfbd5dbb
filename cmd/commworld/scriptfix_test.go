package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If this fails, the fix that run prints, in text and in JSON, is another one than --fix makes, or
// --fix orders two writes although one of them then is lost.
func TestFixAgreesWithRun(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		code int
		fix  string
	}{
		"displacements in elements": {
			"ranks 3\nall: open h f rdwr|create\nall: view h r int int native\nall: write_at_all h 0 int {r}\nall: close h\n", 0,
			"multiply the displacement of each view by 4, the bytes of int: line 3: view h r*4 int int native",
		},
		"header": {
			"ranks 2\nall: open h f rdwr|create\n0: write_at h 0 byte 72*16\nall: view h 0 int int native\n0: write_at h 0 int 1 2\n1: write_at h 2 int 3 4\nall: close h\n", 0,
			"add 16 to the displacement of the view of write_at (line 6): line 4: view h 16 int int native",
		},
		"Self": {
			"ranks 2\nall: self open h f rdwr|create\nall: write_at h 0 int {r}\nall: close h\n", 1,
			"open the file with the communicator of all ranks, and give each rank an offset or a displacement of its own " +
				"(--fix leaves that to you: it has no such change that keeps every byte); only if both ranks mean to write the same bytes, " +
				"and one value is to win: after line 2 add, on rank 0: barrier; sync h; and after line 3 add, on rank 1: sync h; barrier",
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.mpio")
			require.NoError(t, os.WriteFile(file, []byte(c.text), 0o666))
			_, out, _ := cli("run", "--json", file)
			var ran struct{ Races []struct{ Fix string } }
			require.NoError(t, json.Unmarshal([]byte(out), &ran))
			require.Len(t, ran.Races, 1)
			assert.Equal(t, c.fix, ran.Races[0].Fix)
			code, out, _ := cli("run", "--fix", "--json", file)
			assert.Equal(t, c.code, code)
			var fixed struct {
				Fixes         []struct{ Fix string }
				Script, Error string
			}
			require.NoError(t, json.Unmarshal([]byte(out), &fixed))
			if c.code != 0 {
				assert.Empty(t, fixed.Script)
				assert.Contains(t, fixed.Error, c.fix)
				return
			}
			require.Len(t, fixed.Fixes, 1)
			assert.Equal(t, c.fix, fixed.Fixes[0].Fix)
		})
	}
}

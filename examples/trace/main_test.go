package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If the same seed did not give the same numbers, no one could compare his run
// with this one.
func Example() {
	_ = run(nil)
	// Output:
	// 3 ranks, schedule random:1
	//
	//   rank  sent  bytes  received  bytes  collectives  accesses  bytes  waits
	//   0        2     16         0      0            1         1      8      4
	//   1        0      0         1      8            1         1      8      5
	//   2        0      0         1      8            1         1      8      3
	//
	//   from  to  messages  bytes
	//   0      1         1      8
	//   0      2         1      8
	//
	//   collective  calls  bytes
	//   Scan            3     24
	//
	//   file       opens  reads  bytes  writes  bytes  syncs
	//   "squares"      3      0      0       3     24      0
	//
	//   requests   reads  bytes  writes  bytes  sent  rounds  locks  useful  of moved
	//   "squares"      0      0       3     24     0       0      0      24   100.0 %
	// These requests are planned, by Direct: a request for each run of bytes; hints, iofile.WithStrategy or COMMWORLD_STRATEGY=romio choose another way.
	//
	// requests of "squares", as Darshan counts them
	//   writes       0-100: 3; 0 consecutive, 0 sequential
	//   alignment    2 begin at no multiple of 4096; 0 switches between reading and writing
	//   ranks        3: calls 1 each, bytes 8 each, variance 0
	//   requesters   3: requests 1 each, bytes 8 each, variance 0
	//   time         fastest and slowest rank need a machine's model: world.On, or commworld cost for a rank script
}

// If the files were not what the viewers open, the example would show nothing.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, run([]string{dir}))
	chrome, err := os.ReadFile(filepath.Join(dir, "trace.json"))
	require.NoError(t, err)
	assert.True(t, json.Valid(chrome))
	shiviz, err := os.ReadFile(filepath.Join(dir, "shiviz.log"))
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(shiviz), "(?<host>"))
}

// If this fails, other values of the flags do not work, or wrong ones are not refused.
func TestFlags(t *testing.T) {
	assert.EqualError(t, run([]string{"-ranks", "0"}), `-ranks 0: 1 to 1000`)
	assert.EqualError(t, run([]string{"a", "b"}), `"b": one directory at most`)
	assert.NoError(t, run([]string{"-ranks", "2"}))
}

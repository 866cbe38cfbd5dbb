package iofile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Jobs that are killed would fill the disk of temporary files, or a job would
// remove the files of another one that runs.
func TestSweepLent(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	self, err := os.Executable()
	require.NoError(t, err)
	dead := exec.Command(self, "-test.run=^$")
	require.NoError(t, dead.Run())
	put := func(name string) string {
		dir := filepath.Join(os.TempDir(), name)
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o600))
		return dir
	}
	gone := put(lentPrefix() + strconv.Itoa(dead.Process.Pid) + "-123")
	kept := []string{
		put(lentPrefix() + strconv.Itoa(os.Getpid()) + "-123"),
		put("commworld-elsewhere-" + strconv.Itoa(dead.Process.Pid) + "-123"),
		put(lentPrefix() + "unlike"),
	}
	sweepLent()
	assert.NoDirExists(t, gone)
	for _, dir := range kept {
		assert.DirExists(t, dir)
	}
}

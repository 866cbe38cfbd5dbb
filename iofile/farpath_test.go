package iofile

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/iofile/store"
)

// If this fails, killed jobs fill the disk with temporary files, or a job removes the files
// of another job that runs.
func TestSweepLent(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dead := exec.Command("go", "version") // a native program: this one may run under an emulator
	require.NoError(t, dead.Run())
	put := func(name string) string {
		dir := filepath.Join(os.TempDir(), name)
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o600))
		return dir
	}
	prefix, certain := lentPrefix()
	assert.Equal(t, runtime.GOOS == "linux", certain)
	id, host := strconv.Itoa(dead.Process.Pid), "host"
	if name, err := os.Hostname(); err == nil {
		host = name
	}
	gone := put(prefix + id + "-123")
	kept := []string{
		put(prefix + strconv.Itoa(os.Getpid()) + "-123"),
		put("commworld-elsewhere-" + id + "-123"),
		put("commworld-" + host + "-" + id + "-4711-5"), // of a host whose name goes on
		put("commworld-" + host + "-" + id + "-123"),    // of a container of the same name
		put(prefix + "0" + id + "-123"),
		put(prefix + "+" + id + "-123"),
		put(prefix + id + "-4711-5"),
		put(prefix + id),
		put(prefix + "unlike"),
	}
	sweepLent()
	if certain {
		assert.NoDirExists(t, gone)
	} else {
		assert.DirExists(t, gone)
	}
	for _, dir := range kept {
		assert.DirExists(t, dir)
	}
}

// If this fails, a file in memory reaches the library of an engine with other bytes, or not at all.
func TestLentRead(t *testing.T) {
	m := store.NewMem(store.MemSettings{})
	for name, text := range map[string]string{"empty": "", "short": "abc"} {
		b, err := m.Open(name, FlagWrite|FlagCreate)
		require.NoError(t, err)
		_, err = b.WriteAt([]byte(text), 0)
		require.NoError(t, err)
		require.NoError(t, b.Close())
		data, err := (&lent{store: m, name: name}).read()
		assert.NoError(t, err)
		assert.Equal(t, text, string(data))
	}
	_, err := (&lent{store: m, name: "none"}).read()
	assert.True(t, missing(err), "%v", err)
}

package iofile_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commworld/commworld/iofile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A miscounter writes what it is given and returns another number.
type miscounter struct {
	strings.Builder
	count func(n int) int
}

func (w *miscounter) Write(p []byte) (int, error) {
	n, err := w.Builder.Write(p)
	return w.count(n), err
}

// If this fails, a copy of a file that lacks a part looks like a whole one, or is
// never finished.
func TestExportToShortWriters(t *testing.T) {
	for name, count := range map[string]func(n int) int{
		"nothing": func(int) int { return 0 }, "less": func(n int) int { return n - 1 },
		"more": func(n int) int { return n + 1 }, "a negative number": func(n int) int { return -n },
	} {
		t.Run("REP-INT-02 a writer that counts "+name, func(t *testing.T) {
			fsys := theatre(t, iofile.WithTracking(iofile.Provenance))
			n, err := fsys.Export("f", &miscounter{count: count})
			assert.Error(t, err)
			assert.True(t, n >= 0 && n < int64(len(letters)), n)
			put(t, fsys, "g", "text")
			assert.Error(t, fsys.ExportProvenance("g", &miscounter{count: count}))
			assert.NoError(t, fsys.Close(), "no rank uses a file")
		})
	}
}

// If this fails, a name that was never meant to be a directory hangs the program.
func TestNotADirectory(t *testing.T) {
	for _, path := range []string{"", "a\x00b", "none", "file"} {
		t.Run(fmt.Sprintf("IO-NAME-01 %q", path), func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("file", nil, 0o666))
			_, err := iofile.NewDir(path)
			refusedDir(t, err, path)
			_, err = iofile.NewDirStore(path)
			refusedDir(t, err, path)
		})
	}
}

func refusedDir(t *testing.T, err error, path string) {
	t.Helper()
	if path == "" || path == "none" {
		assert.ErrorIs(t, err, iofile.ErrNoSuchFile)
	} else {
		assert.ErrorIs(t, err, iofile.ErrBadFile)
	}
}

// If this fails, a copy of a directory with circular links never ends, and keeps the
// directory locked.
func TestCircularLinks(t *testing.T) {
	t.Run("IO-NAME-01 REP-INT-02 links to directories are not followed", func(t *testing.T) {
		root := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(root, "d"), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(root, "d", "f"), []byte("text"), 0o666))
		for _, name := range []string{"a", "b", "d/up", "d/here"} {
			to := "."
			if name == "d/up" {
				to = ".."
			}
			if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
				t.Skip("gap IO-NAME-01: this system makes no links: ", err)
			}
		}
		require.NoError(t, os.Symlink("d/f", filepath.Join(root, "link")))
		fsys, err := iofile.NewDir(root)
		require.NoError(t, err)
		defer fsys.Close()
		copied, err := fsys.Snapshot()
		require.NoError(t, err)
		var names []string
		require.NoError(t, fs.WalkDir(copied, ".", func(name string, d fs.DirEntry, err error) error {
			if !d.IsDir() {
				names = append(names, name)
			}
			return err
		}))
		assert.Equal(t, []string{"d/f", "link"}, names)
		assert.Equal(t, "text", get(t, fsys, "a/d/f"), "a name may lead through a link")
	})
}

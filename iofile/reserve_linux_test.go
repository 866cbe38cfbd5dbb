package iofile_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/commworld/commworld/iofile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If this fails, a program that preallocated space for its results finds the disk full
// hours later; or a pipe in place of a directory hangs it.
func TestPreallocateReservesBlocks(t *testing.T) {
	t.Run("IO-SIZE-04 what is preallocated has its place on the disk", func(t *testing.T) {
		root := t.TempDir()
		fsys, err := iofile.NewDir(root)
		require.NoError(t, err)
		with(t, 2, fsys, "f", create, func(f *iofile.File, _ int) error {
			if err := f.SetSize(1 << 20); err != nil {
				return err
			}
			if err := f.Preallocate(1 << 19); err != nil { // of a file that is longer, and has none
				return err
			}
			info, err := os.Stat(filepath.Join(root, "f"))
			if err != nil {
				return err
			}
			assert.GreaterOrEqual(t, info.Sys().(*syscall.Stat_t).Blocks*512, int64(1<<19))
			refusedAt(t, f.Preallocate(1<<61), "IO-SIZE-04")
			size, err := f.Size()
			assert.EqualValues(t, 1<<20, size, "what was refused changed nothing")
			return err
		})
		require.NoError(t, fsys.Close())
	})
	t.Run("IO-NAME-01 a pipe is not a directory", func(t *testing.T) {
		pipe := filepath.Join(t.TempDir(), "pipe")
		require.NoError(t, syscall.Mkfifo(pipe, 0o666))
		_, err := iofile.NewDir(pipe)
		assert.ErrorIs(t, err, iofile.ErrBadFile)
	})
}

func refusedAt(t *testing.T, err error, rule string) {
	t.Helper()
	var e *iofile.Error
	if assert.ErrorAs(t, err, &e) {
		assert.Equal(t, rule, e.Rule, "%v", err)
	}
}

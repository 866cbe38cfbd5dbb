package iofile_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onStores runs body on an empty file system of each kind.
func onStores(t *testing.T, body func(t *testing.T, fsys *iofile.FS)) {
	t.Run("memory", func(t *testing.T) { body(t, iofile.NewMem()) })
	t.Run("directory", func(t *testing.T) {
		fsys, err := iofile.NewDir(t.TempDir())
		require.NoError(t, err)
		body(t, fsys)
		assert.NoError(t, fsys.Close())
	})
}

// full is a writer with room for n bytes.
type full struct{ n int }

var errFull = errors.New("no more")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.n {
		return f.n, errFull
	}
	f.n -= len(p)
	return len(p), nil
}

// If this fails, an import or export changes bytes, moves them or loses some.
func TestImportExport(t *testing.T) {
	text := strings.Repeat("0123456789", 300_000)
	t.Run("REP-INT-02 import and export keep every offset", func(t *testing.T) {
		onStores(t, func(t *testing.T, fsys *iofile.FS) {
			assert.NoError(t, fsys.Mkdir("d"))
			assert.NoError(t, fsys.Import("d/f", iotest.HalfReader(strings.NewReader(text))))
			with(t, 1, fsys, "d/f", iofile.ReadWrite, func(f *iofile.File, r int) error {
				p := make([]byte, 10)
				_, err := f.ReadAt(types.Of(p), 102)
				assert.Equal(t, "2345678901", string(p), "byte 102 is byte 102")
				if r == 0 {
					_, err = f.WriteAt(types.Of([]byte("AB")), 102)
				}
				return err
			})
			var out bytes.Buffer
			n, err := fsys.Export("d/f", &out)
			assert.NoError(t, err)
			assert.EqualValues(t, len(text), n)
			want := text[:102] + "AB" + text[104:]
			assert.True(t, out.String() == want)
			real := filepath.Join(t.TempDir(), "out")
			assert.NoError(t, os.WriteFile(real, []byte("an older and different file"), 0o600))
			assert.NoError(t, fsys.ExportFile("d/f", real))
			b, err := os.ReadFile(real)
			assert.NoError(t, err)
			assert.True(t, string(b) == want)
			assert.NoError(t, fsys.Import("d/f", strings.NewReader("short")))
			assert.Equal(t, "short", get(t, fsys, "d/f"), "the old one is gone as a whole")
			list, err := fsys.ReadDir("d")
			assert.NoError(t, err)
			assert.Len(t, list, 1, "nothing is left over")
		})
	})
	t.Run("REP-INT-02 all or nothing", func(t *testing.T) {
		onStores(t, func(t *testing.T, fsys *iofile.FS) {
			put(t, fsys, "f", "old")
			assert.ErrorIs(t, fsys.Import("f", io.MultiReader(strings.NewReader("new"), iotest.ErrReader(errFull))), errFull)
			assert.ErrorIs(t, fsys.Import("x/f", strings.NewReader("new")), iofile.ErrNoSuchFile)
			assert.ErrorIs(t, fsys.Import("../f", strings.NewReader("new")), iofile.ErrBadFile)
			assert.ErrorIs(t, fsys.Import("f", nil), iofile.ErrArg)
			in, err := fsys.Open("f")
			assert.NoError(t, err)
			assert.ErrorIs(t, fsys.Import("f", strings.NewReader("new")), iofile.ErrFileInUse)
			assert.NoError(t, in.Close())
			assert.Equal(t, "old", get(t, fsys, "f"))
			n, err := fsys.Export("f", &full{2})
			assert.ErrorIs(t, err, errFull)
			assert.EqualValues(t, 2, n)
			_, err = fsys.Export("nothing", io.Discard)
			assert.ErrorIs(t, err, fs.ErrNotExist)
			dir := t.TempDir()
			assert.ErrorIs(t, fsys.ExportFile("f", filepath.Join(dir, "no", "f")), fs.ErrNotExist)
			assert.NoError(t, os.Mkdir(filepath.Join(dir, "is"), 0o700))
			assert.Error(t, fsys.ExportFile("f", filepath.Join(dir, "is")))
			list, err := os.ReadDir(dir)
			assert.NoError(t, err)
			assert.Len(t, list, 1, "nothing is left over")
			infos, err := fsys.ReadDir(".")
			assert.NoError(t, err)
			assert.Len(t, infos, 1, "nothing is left over")
		})
	})
	t.Run("IO-SIZE-08 a sparse file stays sparse", func(t *testing.T) {
		onStores(t, func(t *testing.T, fsys *iofile.FS) {
			const far, size = 1 << 40, 1<<40 + 1<<20
			with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
				_, err := f.WriteAt(types.Of([]byte("far")), far)
				return errors.Join(err, f.SetSize(size))
			})
			_, err := fs.ReadFile(fsys, "f")
			assert.ErrorIs(t, err, iofile.ErrNoMem)
			snap, err := fsys.Snapshot()
			require.NoError(t, err)
			real := filepath.Join(t.TempDir(), "out")
			assert.NoError(t, snap.ExportFile("f", real))
			f, err := os.Open(real)
			require.NoError(t, err)
			defer f.Close()
			p := make([]byte, 3)
			_, err = f.ReadAt(p, far)
			assert.NoError(t, err)
			assert.Equal(t, "far", string(p))
			info, err := f.Stat()
			assert.NoError(t, err)
			assert.EqualValues(t, int64(size), info.Size(), "it ends with a hole")
			assert.EqualValues(t, 0o444, info.Mode()&0o444, "others may read it")
		})
	})
}

// If this fails, a snapshot shows later changes, misses earlier ones, or changes the file
// system that it was made from.
func TestSnapshot(t *testing.T) {
	onStores(t, func(t *testing.T, fsys *iofile.FS) {
		assert.NoError(t, fsys.Mkdir("d"))
		assert.NoError(t, fsys.Mkdir("d/e"))
		long := strings.Repeat("x", 3*image.PageSize+1)
		put(t, fsys, "d/e/g", long)
		ranks(t, 2, func(w *comm.Comm) error {
			f, err := iofile.Open(w, fsys, "f", create)
			if err != nil {
				return err
			}
			if _, err = f.WriteAt(types.Of([]byte{'a', 'b'}), iofile.Offset(2*w.Rank())); err != nil {
				return err
			}
			if err := f.Sync(); err != nil {
				return err
			}
			if w.Rank() == 0 {
				snap, err := fsys.Snapshot()
				if err != nil {
					return err
				}
				assert.Equal(t, "abab", get(t, snap, "f"), "what was published")
				assert.Equal(t, long, get(t, snap, "d/e/g"))
				put(t, snap, "f", "changed")
				put(t, snap, "d/e/new", "new")
				assert.NoError(t, snap.Close())
				if _, err = f.WriteAt(types.Of([]byte("later")), 0); err != nil {
					return err
				}
			}
			return f.Close()
		}, world.Unchecked())
		assert.Equal(t, "later", get(t, fsys, "f"))
		_, err := fsys.Stat("d/e/new")
		assert.ErrorIs(t, err, fs.ErrNotExist)
	})
	_, err := (*iofile.FS)(nil).Snapshot()
	assert.ErrorIs(t, err, iofile.ErrArg)
}

// counting counts the syncs of a store.
type counting struct {
	iofile.Store
	syncs *int
}

func (c counting) Open(name string, flag iofile.OpenFlag) (iofile.Backing, error) {
	b, err := c.Store.Open(name, flag)
	return countingFile{b, c.syncs}, err
}

type countingFile struct {
	iofile.Backing
	syncs *int
}

func (c countingFile) Sync() error {
	*c.syncs++
	return c.Backing.Sync()
}

// If this fails, a collective sync makes one device sync for each rank, or none.
func TestOneSyncForAll(t *testing.T) {
	t.Run("CONS-SYNC-01 IO-CLOSE-01 the store syncs once", func(t *testing.T) {
		syncs := 0
		fsys := iofile.NewFS(counting{iofile.NewMemStore(), &syncs})
		with(t, 9, fsys, "f", create, func(f *iofile.File, r int) error {
			for range 3 {
				if _, err := f.WriteAt(types.Of([]byte{1}), iofile.Offset(r)); err != nil {
					return err
				}
				if err := f.Sync(); err != nil {
					return err
				}
			}
			_, err := f.WriteAt(types.Of([]byte{2}), iofile.Offset(r))
			return err
		})
		assert.Equal(t, 4, syncs)
	})
}

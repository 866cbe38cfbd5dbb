package iofile_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// open opens a file on n ranks and hands each rank what Open returned.
func open(t *testing.T, n int, fsys *iofile.FS, name string, amode func(rank int) iofile.Mode, check func(f *iofile.File, err error)) {
	t.Helper()
	ranks(t, n, func(c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, name, amode(c.Rank()))
		check(f, err)
		if err != nil {
			assert.Nil(t, f)
			return nil
		}
		return f.Close()
	})
}

func every(m iofile.Mode) func(int) iofile.Mode { return func(int) iofile.Mode { return m } }

// TestModeErrors: a mode that makes no sense is refused on every rank and
// makes no file.
func TestModeErrors(t *testing.T) {
	for _, tc := range []struct {
		name  string
		amode iofile.Mode
		rule  string
	}{
		{"IO-AMODE-01 no direction", iofile.Create, "IO-AMODE-01"},
		{"IO-AMODE-01 two directions", iofile.ReadOnly | iofile.ReadWrite, "IO-AMODE-01"},
		{"IO-AMODE-01 three directions", iofile.ReadOnly | iofile.ReadWrite | iofile.WriteOnly, "IO-AMODE-01"},
		{"IO-AMODE-02 create read-only", iofile.ReadOnly | iofile.Create, "IO-AMODE-02"},
		{"IO-AMODE-02 exclusive read-only", iofile.ReadOnly | iofile.Excl, "IO-AMODE-02"},
		{"IO-AMODE-03 a stream in both directions", iofile.ReadWrite | iofile.Sequential | iofile.Create, "IO-AMODE-03"},
		{"IO-AMODE-11 unknown bits", iofile.ReadWrite | 1<<12, "IO-AMODE-11"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fsys := iofile.NewMem()
			open(t, 3, fsys, "f", every(tc.amode), func(_ *iofile.File, err error) {
				refused(t, err, iofile.ErrAmode, tc.rule)
			})
			_, err := fs.Stat(fsys, "f")
			assert.ErrorIs(t, err, fs.ErrNotExist)
		})
	}
}

// TestModes holds what each access mode does.
func TestModes(t *testing.T) {
	t.Run("IO-AMODE-04 IO-SIZE-10 create makes an empty file and truncates none", func(t *testing.T) {
		fsys := iofile.NewMem()
		open(t, 2, fsys, "f", every(iofile.ReadWrite), func(_ *iofile.File, err error) {
			refused(t, err, iofile.ErrNoSuchFile, "IO-AMODE-04")
			assert.ErrorIs(t, err, fs.ErrNotExist)
		})
		with(t, 2, fsys, "f", create, func(f *iofile.File, _ int) error {
			size, err := f.Size()
			assert.Zero(t, size)
			return err
		})
		put(t, fsys, "f", "abc")
		with(t, 2, fsys, "f", create, func(*iofile.File, int) error { return nil })
		assert.Equal(t, "abc", get(t, fsys, "f"))
	})
	t.Run("IO-AMODE-05 exclusive creation", func(t *testing.T) {
		fsys := iofile.NewMem()
		open(t, 2, fsys, "f", every(create|iofile.Excl), func(_ *iofile.File, err error) { assert.NoError(t, err) })
		open(t, 2, fsys, "f", every(create|iofile.Excl), func(_ *iofile.File, err error) {
			refused(t, err, iofile.ErrFileExists, "IO-AMODE-05")
		})
		open(t, 2, fsys, "f", every(iofile.ReadWrite|iofile.Excl), func(_ *iofile.File, err error) { assert.NoError(t, err) })
	})
	t.Run("IO-AMODE-06 IO-CLOSE-01 delete on close", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 2, fsys, "f", create|iofile.DeleteOnClose, func(f *iofile.File, _ int) error {
			_, err := fs.Stat(fsys, "f")
			assert.NoError(t, err, "there while it is open")
			return nil
		})
		_, err := fs.Stat(fsys, "f")
		assert.ErrorIs(t, err, fs.ErrNotExist)
	})
	t.Run("IO-AMODE-07 unique open", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 2, fsys, "f", create|iofile.UniqueOpen, func(*iofile.File, int) error {
			return nil
		})
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create|iofile.UniqueOpen)
			require.NoError(t, err)
			_, err = iofile.Open(c, fsys, "f", iofile.ReadOnly)
			refused(t, err, iofile.ErrFileInUse, "IO-AMODE-07")
			if err := f.Close(); err != nil {
				return err
			}
			f, err = iofile.Open(c, fsys, "f", iofile.ReadOnly)
			if err != nil {
				return err
			}
			_, err = iofile.Open(c, fsys, "f", iofile.ReadOnly|iofile.UniqueOpen)
			refused(t, err, iofile.ErrFileInUse, "IO-AMODE-07")
			return f.Close()
		})
	})
	t.Run("IO-AMODE-08 a stream is written in order", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 3, fsys, "f", iofile.Create|iofile.WriteOnly|iofile.Sequential, func(f *iofile.File, rank int) error {
			for range 2 {
				if _, err := f.WriteOrdered(types.Of([]byte(strings.Repeat(string(rune('a'+rank)), rank+1)))); err != nil {
					return err
				}
			}
			return nil
		})
		assert.Equal(t, "abbcccabbccc", get(t, fsys, "f"))
	})
	t.Run("IO-AMODE-09 append starts at the end, once", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "0123456789")
		with(t, 2, fsys, "f", iofile.ReadWrite|iofile.Append, func(f *iofile.File, rank int) error {
			pos, err := f.Position()
			assert.NoError(t, err)
			shared, err := f.PositionShared()
			assert.NoError(t, err)
			assert.EqualValues(t, 10, pos)
			assert.EqualValues(t, 10, shared)
			_, err = f.WriteAt(types.Of([]byte{"ab"[rank]}), iofile.Offset(rank))
			assert.NoError(t, err)
			if err := f.SetView(v(0, types.Byte, types.Byte)); err != nil {
				return err
			}
			pos, err = f.Position()
			assert.Zero(t, pos)
			return err
		})
		assert.Equal(t, "ab23456789", get(t, fsys, "f"))
	})
	t.Run("IO-AMODE-10 GEN-02 one direction only", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", iofile.Create|iofile.WriteOnly, func(f *iofile.File, _ int) error {
			got := []byte("xx")
			_, err := f.ReadAt(types.Of(got), 0)
			refused(t, err, iofile.ErrAccess, "IO-AMODE-10")
			assert.Equal(t, "xx", string(got))
			return nil
		})
		with(t, 1, fsys, "f", iofile.ReadOnly, func(f *iofile.File, _ int) error {
			_, err := f.WriteAt(types.Of([]byte("xx")), 0)
			refused(t, err, iofile.ErrReadOnly, "IO-AMODE-10")
			assert.ErrorIs(t, err, fs.ErrPermission)
			return nil
		})
		assert.Empty(t, get(t, fsys, "f"))
	})
	t.Run("IO-AMD-01 IO-AMODE-01 the mode is remembered", func(t *testing.T) {
		m := create | iofile.Append | iofile.UniqueOpen
		with(t, 1, iofile.NewMem(), "f", m, func(f *iofile.File, _ int) error {
			got, err := f.Amode()
			assert.Equal(t, m, got)
			assert.Equal(t, "append|create|rdwr|unique_open", got.String())
			return err
		})
	})
}

// TestOpen holds the rules of opening that are not about modes.
func TestOpen(t *testing.T) {
	t.Run("IO-OPEN-01 a communicator is needed", func(t *testing.T) {
		_, err := iofile.Open(nil, iofile.NewMem(), "f", create)
		refused(t, err, iofile.ErrComm, "IO-OPEN-01")
	})
	t.Run("IO-OPEN-02 GEN-05 DIV-26 modes differ", func(t *testing.T) {
		fsys := iofile.NewMem()
		modes := []iofile.Mode{iofile.ReadWrite | iofile.Create, iofile.WriteOnly | iofile.Create}
		open(t, 2, fsys, "f", func(r int) iofile.Mode { return modes[r] }, func(_ *iofile.File, err error) {
			refused(t, err, iofile.ErrNotSame, "IO-OPEN-02")
		})
	})
	t.Run("IO-OPEN-03 names are compared after cleaning", func(t *testing.T) {
		fsys := iofile.NewMem()
		names := []string{"a.dat", "./a.dat", "b.dat"}
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, names[c.Rank()], create)
			if err != nil {
				return err
			}
			return f.Close()
		})
		ranks(t, 3, func(c *comm.Comm) error {
			_, err := iofile.Open(c, fsys, names[c.Rank()], create)
			refused(t, err, iofile.ErrNotSame, "IO-OPEN-03")
			return nil
		})
	})
	t.Run("IO-OPEN-05 the communicator stays free for messages", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			// a file system of its own on each rank cannot be one file
			_, err := iofile.Open(c, iofile.NewMem(), "own", create)
			refused(t, err, iofile.ErrNotSame, "IO-OPEN-03")
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			sum := []int64{0}
			if err := c.AllReduce(types.Of([]int64{1}), types.Of(sum), comm.Sum); err != nil {
				return err
			}
			assert.EqualValues(t, 2, sum[0])
			return f.Close()
		})
	})
	t.Run("IO-OPEN-05 one rank opens alone", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 3, func(c *comm.Comm) error {
			f, err := iofile.Open(c.Self(), fsys, string(rune('a'+c.Rank())), create)
			if err != nil {
				return err
			}
			return f.Close()
		})
		names, err := fs.Glob(fsys, "*")
		assert.NoError(t, err)
		assert.Equal(t, []string{"a", "b", "c"}, names)
	})
	t.Run("IO-GRP-01 the group of the opening communicator", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 3, func(c *comm.Comm) error {
			part, err := c.Split(c.Rank()%2, -c.Rank())
			if err != nil {
				return err
			}
			f, err := iofile.Open(part, fsys, string(rune('a'+c.Rank()%2)), create)
			if err != nil {
				return err
			}
			want, err := part.Group()
			assert.NoError(t, err)
			got, err := f.Group()
			assert.NoError(t, err)
			assert.Equal(t, comm.Ident, got.Compare(want))
			return f.Close()
		})
	})
	t.Run("IO-OPEN-07 two handles on one file have their own state", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			g, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			assert.NoError(t, f.SetView(v(4, types.Int, types.Int)))
			assert.NoError(t, f.SetAtomicity(true))
			assert.NoError(t, f.Seek(3, iofile.SeekSet))
			got, err := g.View()
			assert.NoError(t, err)
			assert.Equal(t, v(0, types.Byte, types.Byte), got)
			atomic, err := g.Atomicity()
			assert.NoError(t, err)
			assert.False(t, atomic)
			pos, err := g.Position()
			assert.NoError(t, err)
			assert.Zero(t, pos)
			assert.NoError(t, g.Close())
			return f.Close()
		})
	})
	t.Run("IO-OPEN-10 ERR-09 a failure of one rank is a failure of all", func(t *testing.T) {
		fsys := iofile.NewMem()
		open(t, 3, fsys, "f", func(r int) iofile.Mode {
			if r == 1 {
				return iofile.Create
			}
			return create
		}, func(_ *iofile.File, err error) {
			refused(t, err, iofile.ErrAmode, "IO-AMODE-01")
			assert.ErrorContains(t, err, "mode create")
		})
		_, err := fs.Stat(fsys, "f")
		assert.ErrorIs(t, err, fs.ErrNotExist)
		// If any argument is wrong on one rank only, no rank gets a file and none is made.
		for _, row := range []struct {
			what  string
			class errclass.Class
			on1   func(c *comm.Comm) (*iofile.File, error)
		}{
			{"no file system", iofile.ErrArg, func(c *comm.Comm) (*iofile.File, error) { return iofile.Open(c, nil, "f", create) }},
			{"another mode", iofile.ErrNotSame, func(c *comm.Comm) (*iofile.File, error) { return iofile.Open(c, fsys, "f", iofile.ReadWrite) }},
			{"another name", iofile.ErrNotSame, func(c *comm.Comm) (*iofile.File, error) { return iofile.Open(c, fsys, "../f", create) }},
			{"another file system", iofile.ErrNotSame, func(c *comm.Comm) (*iofile.File, error) {
				return iofile.Open(c, iofile.NewMem(), "f", create)
			}},
		} {
			ranks(t, 3, func(c *comm.Comm) error {
				call := func(c *comm.Comm) (*iofile.File, error) { return iofile.Open(c, fsys, "f", create) }
				if c.Rank() == 1 {
					call = row.on1
				}
				f, err := call(c)
				assert.Nil(t, f, row.what)
				assert.ErrorIs(t, err, row.class, "%s, on rank %d", row.what, c.Rank())
				return nil
			})
			_, err := fs.Stat(fsys, "f")
			assert.ErrorIs(t, err, fs.ErrNotExist, row.what)
		}
	})
	t.Run("IO-OPEN-11 LIT-21 closing and opening sync", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				f, err := iofile.Open(c.Self(), fsys, "f", create)
				if err != nil {
					return err
				}
				if _, err := f.WriteAt(types.Of([]byte{5}), 0); err != nil {
					return err
				}
				if err := f.Close(); err != nil {
					return err
				}
			}
			if err := c.Barrier(); err != nil {
				return err
			}
			if c.Rank() == 1 {
				f, err := iofile.Open(c.Self(), fsys, "f", iofile.ReadOnly)
				if err != nil {
					return err
				}
				got := []byte{0}
				if _, err := f.ReadAt(types.Of(got), 0); err != nil {
					return err
				}
				assert.EqualValues(t, 5, got[0])
				return f.Close()
			}
			return nil
		})
	})
	t.Run("IO-NAME-01 names that cannot be", func(t *testing.T) {
		dir, err := iofile.NewDir(t.TempDir())
		require.NoError(t, err)
		defer dir.Close()
		for _, fsys := range []*iofile.FS{iofile.NewMem(), dir} {
			for _, name := range []string{"", ".", "..", "../x", "/x", strings.Repeat("n", 5000), "a\x00b"} {
				open(t, 2, fsys, name, every(create), func(_ *iofile.File, err error) {
					refused(t, err, iofile.ErrBadFile, "IO-NAME-01")
				})
			}
		}
	})
}

// TestLeftOpen: a file that no rank closed must be reported, and must not stay
// open in its file system for ever.
func TestLeftOpen(t *testing.T) {
	t.Run("IO-OPEN-08 a handle that was never closed", func(t *testing.T) {
		fsys := iofile.NewMem()
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			_, err := iofile.Open(c, fsys, "f", create)
			return err
		})
		refused(t, err, iofile.ErrOther, "IO-OPEN-08")
		assert.Regexp(t, `^ranks 0-1: iofile: file "f", opened at [^ ]*open_test.go:\d+, was never closed; what was written since the last Sync is lost \(IO-OPEN-08\)$`, err.Error())
		with(t, 1, fsys, "f", create|iofile.UniqueOpen, func(*iofile.File, int) error { return nil })
	})
	t.Run("IO-OPEN-08 LIT-X3 a world that fails with files open", func(t *testing.T) {
		dir, err := iofile.NewDir(t.TempDir())
		require.NoError(t, err)
		boom := errors.New("boom")
		for place := range 4 {
			var mine *iofile.File
			err = world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 1 && place == 0 {
					return boom
				}
				f, err := iofile.Open(c, dir, "f", create)
				if err != nil {
					return err
				}
				if c.Rank() == 1 {
					mine = f
				}
				for at := 1; at < 4; at++ {
					if c.Rank() == 1 && place == at {
						return boom
					}
					if at == 3 {
						return f.Close()
					}
					if _, err := f.WriteAtAll(types.Of([]byte("x")), iofile.Offset(c.Rank())); err != nil {
						return err
					}
				}
				return nil
			})
			assert.ErrorIs(t, err, boom)
			assert.NotContains(t, err.Error(), "IO-OPEN-08", "they had no chance")
			if place > 0 {
				refused(t, mine.Sync(), iofile.ErrFile, "IO-CLOSE-04")
			}
		}
		assert.NoError(t, dir.Close())
	})
	t.Run("IO-OPEN-09 a failed open gives no handle, and returns its error", func(t *testing.T) {
		open(t, 2, iofile.NewMem(), "f", every(iofile.ReadOnly), func(f *iofile.File, err error) {
			assert.Nil(t, f)
			refused(t, err, iofile.ErrNoSuchFile, "IO-AMODE-04")
		})
	})
}

// TestClose holds closing and deleting.
func TestClose(t *testing.T) {
	t.Run("IO-CLOSE-04 a closed handle", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
			for _, err := range []error{
				f.Close(), f.Sync(), f.SetSize(0), f.SetView(iofile.View{}), f.SetAtomicity(true), f.Seek(0, iofile.SeekSet),
				second(f.Size()), second(f.View()), second(f.Position()), second(f.Read(types.Buffer{})), second(f.WriteAtAll(types.Buffer{}, 0)),
				second(f.Amode()), second(f.TypeExtent(types.Int)), second(f.ByteOffset(0)), second(f.Atomicity()),
			} {
				refused(t, err, iofile.ErrFile, "IO-CLOSE-04")
			}
			return nil
		})
		var none *iofile.File
		refused(t, none.Close(), iofile.ErrFile, "IO-CLOSE-04")
		refused(t, second(none.Read(types.Of([]byte{1}))), iofile.ErrFile, "IO-CLOSE-04")
	})
	t.Run("IO-DEL-01 deleting what is not there", func(t *testing.T) {
		refused(t, iofile.Delete(iofile.NewMem(), "f"), iofile.ErrNoSuchFile, "IO-DEL-01")
	})
	t.Run("IO-DEL-02 IO-CLOSE-03 deleting an open file", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			if _, err := f.WriteAt(types.Of([]byte("abc")), 0); err != nil {
				return err
			}
			assert.NoError(t, f.Sync())
			assert.NoError(t, iofile.Delete(fsys, "f"))
			_, err := fs.Stat(fsys, "f")
			assert.ErrorIs(t, err, fs.ErrNotExist)
			got := make([]byte, 3)
			_, err = f.ReadAt(types.Of(got), 0)
			assert.Equal(t, "abc", string(got))
			return err
		})
	})
	t.Run("IO-CLOSE-01 LIT-X3 closing publishes to the directory", func(t *testing.T) {
		path := t.TempDir()
		dir, err := iofile.NewDir(path)
		require.NoError(t, err)
		with(t, 3, dir, "f", create, func(f *iofile.File, rank int) error {
			_, err := f.WriteAtAll(types.Of([]byte{byte('a' + rank)}), iofile.Offset(rank))
			return err
		})
		require.NoError(t, dir.Close())
		again, err := iofile.NewDir(path)
		require.NoError(t, err)
		defer again.Close()
		assert.Equal(t, "abc", get(t, again, "f"))
		assert.FileExists(t, filepath.Join(path, "f"))
	})
}

func second[T any](_ T, err error) error { return err }

// TestOrderOfChecks: if a call breaks several rules, the first one in the order of checks
// decides the class of the error, so that programs can rely on it.
func TestOrderOfChecks(t *testing.T) {
	t.Run("ERR-ORD-03 open", func(t *testing.T) {
		fsys := iofile.NewMem()
		modes := []iofile.Mode{iofile.Create, create} // wrong in itself, and unequal, and for a bad name
		open(t, 2, fsys, "../f", func(r int) iofile.Mode { return modes[r] }, func(_ *iofile.File, err error) {
			refused(t, err, iofile.ErrAmode, "IO-AMODE-01")
		})
		modes[0] = create | iofile.Append
		open(t, 2, fsys, "../f", func(r int) iofile.Mode { return modes[r] }, func(_ *iofile.File, err error) {
			refused(t, err, iofile.ErrNotSame, "IO-OPEN-02")
		})
		open(t, 2, fsys, "../f", every(iofile.ReadOnly), func(_ *iofile.File, err error) {
			refused(t, err, iofile.ErrBadFile, "IO-NAME-01")
		})
	})
	t.Run("ERR-ORD-02 set_view", func(t *testing.T) {
		back := types.HIndexedBlock(1, []int64{4, 0}, types.Int)
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			for _, tc := range []struct {
				view iofile.View
				rule string
			}{
				{iofile.View{Disp: -9, Filetype: back, Rep: "foo"}, "IO-VIEW-12"},
				{iofile.View{Filetype: back, Rep: "foo"}, "IO-VIEW-09"},
				{iofile.View{Etype: types.Int, Rep: "foo"}, "IO-VIEW-09"},
				{iofile.View{Etype: types.Double, Filetype: back, Rep: "foo"}, "IO-VIEW-14"},
				{iofile.View{Etype: types.Double, Filetype: types.Contiguous(3, types.Int)}, "IO-VIEW-06"},
				{iofile.View{Etype: types.Int, Filetype: back}, "IO-VIEW-05"},
			} {
				var e *iofile.Error
				assert.ErrorAs(t, f.SetView(tc.view), &e)
				assert.Equal(t, tc.rule, e.Rule, "%v", e)
			}
			return nil
		})
	})
}

// TestCollectiveOrder: ranks that call different things get an error.
func TestCollectiveOrder(t *testing.T) {
	t.Run("GEN-06 CONS-ORD-01 different calls", func(t *testing.T) {
		with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			var err error
			if rank == 0 {
				err = f.Sync()
			} else {
				_, err = f.ReadAll(types.Of([]byte{1}))
			}
			refused(t, err, iofile.ErrNotSame, "GEN-06")
			return nil
		})
	})
	t.Run("LIT-X3 a rank that never comes", func(t *testing.T) {
		fsys := iofile.NewMem()
		err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil || c.Rank() == 1 {
				return err
			}
			return f.Sync()
		})
		assert.ErrorContains(t, err, "deadlock")
		assert.ErrorContains(t, err, `Sync on file "f"`)
	})
	t.Run("IO-SIZE-01 GEN-05 DIV-20 sizes differ", func(t *testing.T) {
		with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			refused(t, f.SetSize(int64(rank)), iofile.ErrNotSame, "IO-SIZE-01")
			refused(t, f.SetAtomicity(rank == 0), iofile.ErrNotSame, "CONS-ATOM-01")
			return nil
		})
	})
}

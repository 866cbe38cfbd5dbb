package iofile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// hints makes an Info of key, value, key, value...
func hints(pairs ...string) *comm.Info {
	in := comm.NewInfo()
	for i := 0; i < len(pairs); i += 2 {
		if err := in.Set(pairs[i], pairs[i+1]); err != nil {
			panic(err)
		}
	}
	return in
}

// inUse returns the value that a handle reports, "-" for none.
func inUse(f *iofile.File, key string) string {
	info, err := f.Info()
	if err != nil {
		return err.Error()
	}
	value, ok := info.Get(key)
	if !ok {
		return "-"
	}
	return value
}

// A program that tunes by hints reads the values in use; a reported value that is not in
// use would mislead its author.
func TestReservedHints(t *testing.T) {
	for _, tc := range []struct {
		id, key    string
		none       string   // in use if no one gives one
		good, used []string // given, and in use then
		bad        []string // as if not given
	}{
		{
			"IO-HINT-01", "access_style", "-",
			[]string{"read_once", "read_mostly, random", " write_once,write_mostly,sequential,reverse_sequential "},
			[]string{"read_once", "read_mostly,random", "write_once,write_mostly,sequential,reverse_sequential"},
			[]string{"", "often", "random,", "RANDOM", "random;read_once"},
		},
		{"IO-HINT-02", "collective_buffering", "false", []string{"true", "false"}, []string{"true", "false"}, []string{"yes", "1", "True", ""}},
		{"IO-HINT-03", "cb_block_size", "-", []string{"512", " 007 "}, []string{"512", "7"}, []string{"0", "-1", "1k", "", "9223372036854775808"}},
		{"IO-HINT-04", "cb_buffer_size", "16777216", []string{"65536"}, []string{"65536"}, []string{"0", "-4", "4 M", "0x10"}},
		{"IO-HINT-05", "cb_nodes", "1", []string{"2", "3", "4000"}, []string{"2", "3", "3"}, []string{"0", "-2", "all", "1.5"}},
		{"IO-HINT-06", "chunked", "-", []string{"100, 200,300", "8"}, []string{"100,200,300", "8"}, []string{"", "8,,8", "8,0", "8 8"}},
		{"IO-HINT-07", "chunked_item", "-", []string{"8", "4,8"}, []string{"8", "4,8"}, []string{"x", "0"}},
		{"IO-HINT-08", "chunked_size", "-", []string{"10,20"}, []string{"10,20"}, []string{"10,-20"}},
		{"IO-HINT-09", "filename", "dir/f", []string{"other"}, []string{"dir/f"}, nil},
		{"IO-HINT-10", "file_perm", "0644", []string{"0600", "640", "0777"}, []string{"0600", "0640", "0777"}, []string{"rw", "0888", "07777", "0", ""}},
		{"IO-HINT-11", "io_node_list", "-", []string{"a,b"}, []string{"-"}, nil},
		{"IO-HINT-12", "nb_proc", "3", []string{"64"}, []string{"64"}, []string{"0", "many"}},
		{"IO-HINT-13", "num_io_nodes", "1", []string{"16"}, []string{"1"}, []string{"x"}},
		{"IO-HINT-14", "striping_factor", "1", []string{"16"}, []string{"1"}, []string{"x"}},
		{"IO-HINT-15", "striping_unit", "-", []string{"65536"}, []string{"65536"}, []string{"64K", "0"}},
	} {
		t.Run(tc.id+" "+tc.key, func(t *testing.T) {
			check := func(info *comm.Info, want string) {
				t.Helper()
				fsys := iofile.NewMem()
				require.NoError(t, fsys.Mkdir("dir"))
				ranks(t, 3, func(c *comm.Comm) error {
					f, err := iofile.Open(c, fsys, "dir/f", create, iofile.WithInfo(info))
					if err != nil {
						return err
					}
					assert.Equal(t, want, inUse(f, tc.key), "%v", info)
					return f.Close()
				})
			}
			check(nil, tc.none)
			for i, good := range tc.good {
				check(hints(tc.key, good), tc.used[i])
			}
			for _, bad := range tc.bad {
				t.Run("IO-INFO-08 malformed", func(t *testing.T) { check(hints(tc.key, bad), tc.none) })
			}
		})
	}
	for _, tc := range []struct{ key, none, given, used string }{
		{"cb_config_list", "-", "*:2", "*:2"},
		{"romio_cb_read", "automatic", "enable", "enable"},
		{"romio_cb_write", "automatic", "disable", "disable"},
		{"romio_ds_read", "automatic", "disable", "disable"},
		{"romio_ds_write", "automatic", "maybe", "automatic"},
		{"ind_rd_buffer_size", "4194304", "100", "100"},
		{"ind_wr_buffer_size", "524288", "0", "524288"},
	} {
		t.Run("IO-INFO-05 ROMIO's "+tc.key, func(t *testing.T) {
			with(t, 3, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
				assert.Equal(t, tc.none, inUse(f, tc.key))
				err := f.SetInfo(hints(tc.key, tc.given))
				assert.Equal(t, tc.used, inUse(f, tc.key))
				return err
			})
		})
	}
}

// Hints reach a file in four ways; a hint that is lost, or that reaches another handle,
// would tune the wrong file.
func TestInfo(t *testing.T) {
	t.Run("IO-INFO-01 IO-INFO-02 IO-INFO-04 by open, view, info and delete", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create, iofile.WithInfo(hints("cb_nodes", "2", "nb_proc", "7", "my_key", "x")))
			g, err2 := iofile.Open(c, fsys, "f", create)
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			assert.Equal(t, "-", inUse(f, "my_key"))
			view := v(0, types.Byte, types.Byte)
			view.Info = hints("cb_buffer_size", "100", "access_style", "random")
			err = f.SetView(view)
			assert.Equal(t, "2 100 random", strings.Join([]string{inUse(f, "cb_nodes"), inUse(f, "cb_buffer_size"), inUse(f, "access_style")}, " "))
			now, err2 := f.View()
			assert.Nil(t, now.Info)
			err3 := f.SetInfo(hints("cb_nodes", "1", "cb_block_size", "no", "nb_proc", "9", "file_perm", "0600"))
			assert.Equal(t, "1 100 - 7 0644", strings.Join([]string{
				inUse(f, "cb_nodes"), inUse(f, "cb_buffer_size"), inUse(f, "cb_block_size"), inUse(f, "nb_proc"), inUse(f, "file_perm"),
			}, " "), "what counts at the opening only stays")
			err4 := f.SetInfo(nil)
			assert.Equal(t, "1", inUse(f, "cb_nodes"))
			assert.Equal(t, "16777216", inUse(g, "cb_buffer_size"), "another handle set")
			err = errors.Join(err, err2, err3, err4, f.Close(), g.Close(), c.Barrier())
			if c.Rank() == 0 {
				err = errors.Join(err, iofile.DeleteFor(c, fsys, "f", hints("any", "thing")))
			}
			return err
		})
		_, err := fs.Stat(fsys, "f")
		assert.ErrorIs(t, err, fs.ErrNotExist)
	})
	t.Run("IO-INFO-05 a copy on both sides", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 1, func(c *comm.Comm) error {
			in := hints("cb_block_size", "100")
			opt := iofile.WithInfo(in)
			err := in.Set("cb_block_size", "200")
			f, err2 := iofile.Open(c, fsys, "f", create, opt)
			if err2 != nil {
				return err2
			}
			out, err3 := f.Info()
			err4 := out.Set("cb_block_size", "300")
			assert.Equal(t, "100", inUse(f, "cb_block_size"))
			return errors.Join(err, err3, err4, f.Close())
		})
	})
	t.Run("IO-OPEN-04 IO-INFO-03 IO-INFO-07 what must agree and what need not", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "abc")
		ranks(t, 3, func(c *comm.Comm) error {
			style := []string{"random", "sequential", "read_once"}[c.Rank()]
			different := fmt.Sprint(c.Rank() + 1)
			for _, bad := range []*comm.Info{
				hints("cb_block_size", different),
				hints("file_perm", "060"+fmt.Sprint(c.Rank()/2)),
				[]*comm.Info{hints("cb_nodes", "1"), nil, hints("cb_nodes", "1")}[c.Rank()],
				[]*comm.Info{nil, nil, hints("collective_buffering", "true")}[c.Rank()],
				hints("chunked", []string{"8,8", "8,8", "8"}[c.Rank()]),
				hints("romio_cb_read", []string{"enable", "disable", "enable"}[c.Rank()]),
			} {
				refused(t, second(iofile.Open(c, fsys, "f", create, iofile.WithInfo(bad))), iofile.ErrNotSame, "IO-INFO-07")
			}
			in := []*comm.Info{
				hints("access_style", style, "cb_nodes", "+2", "unknown", style, "ind_rd_buffer_size", different),
				hints("cb_nodes", "02", "romio_ds_read", "disable", "filename", "x"), hints("access_style", style, "cb_nodes", "2", "cb_block_size", "bad"),
			}[c.Rank()]
			f, err := iofile.Open(c, fsys, "f", create, iofile.WithInfo(in))
			if err != nil {
				return err
			}
			assert.Equal(t, []string{"random", "-", "read_once"}[c.Rank()], inUse(f, "access_style"))
			assert.Equal(t, "2", inUse(f, "cb_nodes"))
			refused(t, f.SetInfo(hints("cb_nodes", different, "access_style", style)), iofile.ErrNotSame, "IO-INFO-07")
			refused(t, f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte, Disp: 1, Info: hints("cb_nodes", different)}), iofile.ErrNotSame, "IO-INFO-07")
			assert.Equal(t, "2", inUse(f, "cb_nodes"), "a refused call changes nothing")
			now, _ := f.View()
			assert.Zero(t, now.Disp)
			return f.Close()
		})
	})
	t.Run("IO-INFO-03 collective", func(t *testing.T) {
		with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			if rank == 0 {
				refused(t, f.SetInfo(nil), iofile.ErrNotSame, "GEN-06")
			} else {
				refused(t, f.Sync(), iofile.ErrNotSame, "GEN-06")
			}
			return nil
		})
	})
	t.Run("IO-HINT-10 permissions of a real file", func(t *testing.T) {
		dir := t.TempDir()
		fsys, err := iofile.NewDir(dir)
		require.NoError(t, err)
		for _, perm := range []string{"0600", "0640"} { // the second finds a file
			ranks(t, 2, func(c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", create, iofile.WithInfo(hints("file_perm", perm)))
				if err != nil {
					return err
				}
				assert.Equal(t, "0600", inUse(f, "file_perm"))
				return f.Close()
			})
		}
		info, err := fs.Stat(fsys, "f")
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
		require.NoError(t, fsys.Close())
	})
	t.Run("IO-INFO-05 a file without a name has no permissions to report", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			err := iofile.Delete(fsys, "f")
			assert.Equal(t, "-", inUse(f, "file_perm"))
			return err
		})
		var none *iofile.File
		refused(t, second(none.Info()), iofile.ErrFile, "IO-CLOSE-04")
		refused(t, none.SetInfo(nil), iofile.ErrFile, "IO-CLOSE-04")
	})
}

// If a hint could change what a program means, tuning would be a way to lose
// data.
func TestHintsChangeNothing(t *testing.T) {
	t.Run("IO-INFO-06 random hints, the same file", func(t *testing.T) {
		keys := []string{
			"access_style", "collective_buffering", "cb_block_size", "cb_buffer_size", "cb_nodes", "chunked", "chunked_item",
			"chunked_size", "filename", "file_perm", "io_node_list", "nb_proc", "num_io_nodes", "striping_factor", "striping_unit",
			"cb_config_list", "romio_cb_read", "romio_cb_write", "romio_ds_read", "romio_ds_write", "ind_rd_buffer_size", "ind_wr_buffer_size",
		}
		values := []string{"true", "false", "1", "2", "3", "7", "100", "enable", "disable", "random", "read_once", "4,4", "0600", "*:2", "*", "", "?"}
		rapid.Check(t, func(rt *rapid.T) {
			n := rapid.IntRange(1, 4).Draw(rt, "ranks")
			given := rapid.MapOf(rapid.SampledFrom(keys), rapid.SampledFrom(values)).Draw(rt, "hints")
			stride := rapid.IntRange(1, 5).Draw(rt, "block")
			info := comm.NewInfo()
			for k, val := range given {
				_ = info.Set(k, val)
			}
			text := make([]string, 2)
			for i, in := range []*comm.Info{nil, info} {
				fsys := iofile.NewMem()
				ranks(t, n, func(c *comm.Comm) error {
					f, err := iofile.Open(c, fsys, "f", create, iofile.WithInfo(in))
					if err != nil {
						return err
					}
					ft := types.Resized(types.Contiguous(int64(stride), types.Byte), 0, int64(n*stride))
					err = f.SetView(iofile.View{Disp: int64(c.Rank() * stride), Etype: types.Byte, Filetype: ft, Info: in})
					mine := []byte(strings.Repeat(string(rune('a'+c.Rank())), 3*stride))
					_, err2 := f.WriteAtAll(types.Of(mine), 0)
					got := make([]byte, len(mine))
					_, err3 := f.ReadAtAll(types.Of(got), 0)
					assert.Equal(t, string(mine), string(got))
					return errors.Join(err, err2, err3, f.Close())
				})
				text[i] = get(t, fsys, "f")
			}
			if text[0] != text[1] {
				rt.Fatalf("with %v the file is\n%s\nand without hints\n%s", info, text[1], text[0])
			}
		})
	})
}

package iofile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A recorder is the state of a representation for tests, in which each number is a text of
// 40 bytes. It records the calls of its functions.
type recorder struct {
	asked []types.Kind
	calls []string
	user  []*byte // first byte of the user's memory in each call
	fail  int64   // item at which to fail, if positive
	panic bool
}

func asText(p []byte) string {
	switch len(p) {
	case 8:
		return strconv.FormatUint(binary.NativeEndian.Uint64(p), 10)
	case 4:
		return strconv.FormatUint(uint64(binary.NativeEndian.Uint32(p)), 10)
	case 2:
		return strconv.FormatUint(uint64(binary.NativeEndian.Uint16(p)), 10)
	}
	return strconv.FormatUint(uint64(p[0]), 10)
}

func fromText(p []byte, s string) error {
	x, err := strconv.ParseUint(s, 10, 8*len(p))
	switch len(p) {
	case 8:
		binary.NativeEndian.PutUint64(p, x)
	case 4:
		binary.NativeEndian.PutUint32(p, uint32(x))
	case 2:
		binary.NativeEndian.PutUint16(p, uint16(x))
	default:
		p[0] = byte(x)
	}
	return err
}

const wide = 40

func (r *recorder) note(what string, user reps.Memory, t *types.Type, count, position int64) error {
	r.calls = append(r.calls, fmt.Sprintf("%s %v %d at %d", what, t, count, position))
	r.user = append(r.user, &user.Mem()[0])
	if r.fail > 0 && position+count > r.fail {
		if r.panic {
			panic("out of ink")
		}
		return errors.New("out of paper")
	}
	return nil
}

// text is the representation; every kind takes 40 bytes.
func (r *recorder) text() reps.Conversion {
	return reps.Conversion{
		State: r,
		Extent: func(t *types.Type, state any) (int64, error) {
			state.(*recorder).asked = append(state.(*recorder).asked, t.Kind())
			return wide, nil
		},
		Write: func(user reps.Memory, t *types.Type, count int64, file []byte, position int64, state any) error {
			for _, item := range user.Items(position, count) {
				copy(file[:wide], fmt.Sprintf("%39s\n", asText(item)))
				file = file[wide:]
			}
			if len(file) != 0 {
				return fmt.Errorf("%d bytes are left over", len(file))
			}
			return state.(*recorder).note("write", user, t, count, position)
		},
		Read: func(user reps.Memory, t *types.Type, count int64, file []byte, position int64, state any) error {
			for _, item := range user.Items(position, count) {
				if err := fromText(item, strings.TrimSpace(string(file[:wide]))); err != nil {
					return err
				}
				file = file[wide:]
			}
			if len(file) != 0 {
				return fmt.Errorf("%d bytes are left over", len(file))
			}
			return state.(*recorder).note("read", user, t, count, position)
		},
	}
}

// own runs body with a file that is viewed as etypes in a representation of
// its own, whose functions get up to chunk bytes.
func own(t *testing.T, fsys *iofile.FS, conv reps.Conversion, chunk int64, etype *types.Type, body func(f *iofile.File) error) {
	t.Helper()
	ranks(t, 1, func(c *comm.Comm) error {
		if err := iofile.RegisterDatarep(c, "own", conv); err != nil {
			return err
		}
		f, err := iofile.Open(c, fsys, "f", create, iofile.WithConversionBuffer(chunk))
		if err != nil {
			return err
		}
		if err := f.SetView(iofile.View{Etype: etype, Filetype: etype, Rep: "own"}); err != nil {
			return errors.Join(err, f.Close())
		}
		return errors.Join(body(f), f.Close())
	})
}

func lines(xs ...any) (s string) {
	for _, x := range xs {
		s += fmt.Sprintf("%39v\n", x)
	}
	return s
}

// TestUserDatarep: programs bring converters for the files of others; if a call
// differs from the contract, they convert the wrong items.
func TestUserDatarep(t *testing.T) {
	t.Run("REP-USR-01 REP-USR-02 DIV-14 names", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			conv := new(recorder).text()
			long := strings.Repeat("n", reps.MaxName)
			for _, name := range []string{"own", long, "Native", "native "} {
				assert.NoError(t, iofile.RegisterDatarep(c, name, conv), name)
			}
			for _, name := range []string{"own", long, "native", "internal", "external32"} {
				refused(t, iofile.RegisterDatarep(c, name, conv), iofile.ErrDupDatarep, "REP-USR-01")
			}
			refused(t, iofile.RegisterDatarep(c, "", conv), iofile.ErrArg, "REP-USR-02")
			refused(t, iofile.RegisterDatarep(c, long+"n", conv), iofile.ErrArg, "REP-USR-02")
			refused(t, iofile.RegisterDatarep(c, "none", reps.Conversion{}), iofile.ErrArg, "REP-USR-04")
			refused(t, iofile.RegisterDatarep(nil, "none", conv), iofile.ErrComm, "REP-USR-01")
			return nil
		})
	})
	t.Run("REP-USR-01 local to the rank", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			if c.Rank() == 1 {
				assert.NoError(t, iofile.RegisterDatarep(c, "own", new(recorder).text()))
			}
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			err = f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: "own"})
			refused(t, err, iofile.ErrUnsupportedDatarep, "IO-VIEW-14")
			return f.Close()
		})
	})
	t.Run("REP-USR-04 REP-EXT-02 DIV-12 DIV-13 extents of predefined kinds only, each asked once", func(t *testing.T) {
		r := new(recorder)
		pair := types.Struct(types.Field{Count: 2, Disp: 0, Type: types.Short}, types.Field{Count: 1, Disp: 80, Type: types.Double})
		own(t, iofile.NewMem(), r.text(), 1000, pair, func(f *iofile.File) error {
			assert.Equal(t, []types.Kind{types.KindShort, types.KindDouble}, r.asked)
			for want, ty := range map[int64]*types.Type{120: pair, 80: types.Contiguous(2, types.Int), 200: types.Vector(2, 1, 4, types.Short)} {
				n, err := f.TypeExtent(ty)
				assert.NoError(t, err)
				assert.Equal(t, want, n, ty)
			}
			assert.Len(t, r.asked, 3, "int came in with TypeExtent")
			return nil
		})
	})
	t.Run("REP-USR-03 REP-USR-05 REP-USR-06 REP-USR-07 REP-USR-08 REP-USR-09 any size of a call", func(t *testing.T) {
		every := types.Resized(types.Int, 0, 8)
		for chunk, want := range map[int64][]string{
			1:   {"0 1", "1 1", "2 1", "3 1", "4 1"},
			80:  {"0 2", "2 2", "4 1"},
			130: {"0 3", "3 2"},
			999: {"0 5"},
		} {
			r, fsys := new(recorder), iofile.NewMem()
			mem := make([]int32, 10)
			for i := range mem {
				mem[i] = int32(i)
			}
			own(t, fsys, r.text(), chunk, types.Int, func(f *iofile.File) error {
				if _, err := f.WriteAt(types.Raw(types.Of(mem).Mem(), 5, every), 0); err != nil {
					return err
				}
				back := make([]int32, 10)
				st, err := f.ReadAt(types.Raw(types.Of(back).Mem(), 5, every), 0)
				assert.Equal(t, []int32{0, 0, 2, 0, 4, 0, 6, 0, 8, 0}, back)
				n, _ := st.Count(every)
				assert.EqualValues(t, 5, n)
				return err
			})
			assert.Equal(t, lines(0, 2, 4, 6, 8), get(t, fsys, "f"))
			var calls []string
			for _, what := range []string{"write", "read"} {
				for _, w := range want {
					at, n, _ := strings.Cut(w, " ")
					calls = append(calls, fmt.Sprintf("%s %v %s at %s", what, every, n, at))
				}
			}
			assert.Equal(t, calls, r.calls)
			for _, p := range r.user[:len(want)] {
				assert.Same(t, &types.Of(mem).Mem()[0], p, "the same user buffer on every call")
			}
		}
	})
	t.Run("REP-USR-05 the end of file cuts a read at an item", func(t *testing.T) {
		r, fsys := new(recorder), iofile.NewMem()
		put(t, fsys, "f", lines(1, 2)+"   ")
		own(t, fsys, r.text(), 1000, types.Int, func(f *iofile.File) error {
			xs := []int32{9, 9, 9, 9}
			st, err := f.ReadAt(types.Of(xs).As(types.Int), 0)
			assert.Equal(t, []int32{1, 2, 9, 9}, xs)
			_, ok := st.Count(types.Int)
			assert.False(t, ok, "part of an item came, too")
			assert.Equal(t, []string{"read int 2 at 0"}, r.calls)
			return err
		})
	})
	t.Run("REP-USR-11 errors and panics of a function", func(t *testing.T) {
		for _, panics := range []bool{false, true} {
			r, fsys := &recorder{panic: panics}, iofile.NewMem()
			own(t, fsys, r.text(), 80, types.Int, func(f *iofile.File) error {
				if _, err := f.WriteAt(ints(1, 2, 3), 0); err != nil {
					return err
				}
				r.fail = 2
				for _, access := range []func() (iofile.Status, error){
					func() (iofile.Status, error) { return f.WriteAtAll(ints(7, 8, 9), 0) },
					func() (iofile.Status, error) { return f.ReadAtAll(ints(7, 8, 9), 0) },
					func() (iofile.Status, error) { return f.ReadAt(ints(7, 8, 9), 0) },
					func() (iofile.Status, error) { return f.ReadOrdered(ints(7, 8, 9)) },
					func() (iofile.Status, error) { return f.WriteShared(ints(7, 8, 9)) },
				} {
					_, err := access()
					refused(t, err, iofile.ErrConversion, "REP-USR-11")
					assert.ErrorContains(t, err, map[bool]string{false: "out of paper", true: "it panicked: out of ink"}[panics])
				}
				r.fail = 0
				xs := make([]int32, 3)
				_, err := f.ReadAt(types.Of(xs).As(types.Int), 0)
				assert.Equal(t, []int32{1, 2, 3}, xs, "nothing was written")
				return err
			})
		}
	})
	t.Run("REP-USR-11 one rank fails, all do", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 3, func(c *comm.Comm) error {
			r := &recorder{}
			if c.Rank() == 1 {
				r.fail = 1
			}
			assert.NoError(t, iofile.RegisterDatarep(c, "own", r.text()))
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			assert.NoError(t, f.SetView(iofile.View{Disp: int64(c.Rank()) * 80, Etype: types.Int, Filetype: types.Int, Rep: "own"}))
			_, err = f.WriteAtAll(ints(1, 2), 0)
			refused(t, err, iofile.ErrConversion, "REP-USR-11")
			return f.Close()
		})
	})
	t.Run("REP-USR-04 an extent function that fails", func(t *testing.T) {
		for want, extent := range map[string]reps.ExtentFunc{
			"no idea":           func(*types.Type, any) (int64, error) { return 4, errors.New("no idea") },
			"it panicked: ouch": func(*types.Type, any) (int64, error) { panic("ouch") },
			"int takes 0 bytes": func(*types.Type, any) (int64, error) { return 0, nil },
			"int takes -4":      func(*types.Type, any) (int64, error) { return -4, nil },
			"bytes; it must be": func(*types.Type, any) (int64, error) { return math.MaxInt64, nil },
		} {
			fsys := iofile.NewMem()
			ranks(t, 2, func(c *comm.Comm) error {
				assert.NoError(t, iofile.RegisterDatarep(c, "own", reps.Conversion{Extent: extent}))
				f, err := iofile.Open(c, fsys, "f", create)
				if err != nil {
					return err
				}
				for range 2 {
					err = f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: "own"})
					refused(t, err, iofile.ErrConversion, "REP-USR-04")
					if c.Rank() == 0 {
						assert.ErrorContains(t, err, want)
					}
				}
				return f.Close()
			})
		}
	})
	t.Run("REP-USR-10 functions must not use the file", func(t *testing.T) {
		var f *iofile.File
		conv := new(recorder).text()
		inner := conv.Write
		conv.Write = func(user reps.Memory, ty *types.Type, count int64, file []byte, position int64, state any) error {
			_, err := f.WriteAt(ints(1), 0)
			refused(t, err, iofile.ErrOther, "REP-USR-10")
			return inner(user, ty, count, file, position, state)
		}
		fsys := iofile.NewMem()
		own(t, fsys, conv, 1000, types.Int, func(h *iofile.File) error {
			f = h
			_, err := f.WriteAt(ints(5), 0)
			return err
		})
		assert.Equal(t, lines(5), get(t, fsys, "f"))
	})
	t.Run("REP-USR-12 no conversion function", func(t *testing.T) {
		for extent, want := range map[int64]string{4: "\x01\x02\x03\x04\x00\x00\x00\x05", 6: "\x01\x02\x03\x04\x00\x00\x00\x00\x00\x05\x00\x00", 3: ""} {
			fsys := iofile.NewMem()
			ranks(t, 1, func(c *comm.Comm) error {
				conv := reps.Conversion{Extent: func(*types.Type, any) (int64, error) { return extent, nil }}
				assert.NoError(t, iofile.RegisterDatarep(c, "own", conv))
				f, err := iofile.Open(c, fsys, "f", create)
				if err != nil {
					return err
				}
				assert.NoError(t, f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: "own"}))
				if _, err = f.WriteAt(ints(0x01020304, 5), 0); want == "" {
					refused(t, err, iofile.ErrConversion, "REP-USR-12")
					return f.Close()
				}
				assert.NoError(t, err)
				back := make([]int32, 2)
				_, err = f.ReadAt(types.Of(back).As(types.Int), 0)
				assert.NoError(t, err)
				assert.Equal(t, []int32{0x01020304, 5}, back)
				return f.Close()
			}, world.Arch(0, reps.LP64BE))
			assert.Equal(t, want, get(t, fsys, "f"))
		}
	})
	t.Run("REP-USR-14 in the rank's own goroutine", func(t *testing.T) {
		r := new(recorder)
		conv := r.text()
		var c *comm.Comm
		write := conv.Write
		conv.Write = func(user reps.Memory, ty *types.Type, count int64, file []byte, position int64, state any) error {
			c.Self().Barrier() // only that goroutine may call this while the rank runs
			return write(user, ty, count, file, position, state)
		}
		ranks(t, 1, func(w *comm.Comm) error {
			c = w
			assert.NoError(t, iofile.RegisterDatarep(c, "own", conv))
			f, err := iofile.Open(c, iofile.NewMem(), "f", create)
			if err != nil {
				return err
			}
			assert.NoError(t, f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: "own"}))
			_, err = f.WriteAt(ints(1), 0)
			return errors.Join(err, f.Close())
		})
	})
	t.Run("REP-USR-05 a Go bool stays one", func(t *testing.T) {
		conv := reps.Conversion{
			Extent: func(*types.Type, any) (int64, error) { return 1, nil },
			Read: func(user reps.Memory, _ *types.Type, count int64, _ []byte, position int64, _ any) error {
				for _, item := range user.Items(position, count) {
					item[0] = 77
				}
				return nil
			},
		}
		fsys := iofile.NewMem()
		put(t, fsys, "f", "abc")
		own(t, fsys, conv, 2, types.Bool, func(f *iofile.File) error {
			xs := make([]bool, 3)
			_, err := f.ReadAt(types.Of(xs), 0)
			assert.Equal(t, []byte{1, 1, 1}, types.Of(xs).Mem())
			return err
		})
	})
	t.Run("IO-DA-16 more bytes in the file than there is room for", func(t *testing.T) {
		conv := reps.Conversion{Extent: func(*types.Type, any) (int64, error) { return 1 << 20, nil }}
		own(t, iofile.NewMem(), conv, 1, types.Byte, func(*iofile.File) error { return nil })
		own(t, iofile.NewMem(), conv, 1, types.Char, func(f *iofile.File) error {
			_, err := f.WriteAt(chars(strings.Repeat("x", 2000)), 0)
			refused(t, err, iofile.ErrNoMem, "IO-DA-16")
			return nil
		})
	})
	t.Run("REP-USR-08 a bad size of the buffer", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			_, err := iofile.Open(c, iofile.NewMem(), "f", create, iofile.WithConversionBuffer(0))
			refused(t, err, iofile.ErrArg, "REP-USR-08")
			return nil
		})
	})
}

// TestUserDatarepViews: a representation of the user's own works through any
// view as one that comes with the package.
func TestUserDatarepViews(t *testing.T) {
	t.Run("REP-USR-05 REP-USR-09 REP-EXT-02 any view, any memory", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			etype := rapid.SampledFrom([]*types.Type{types.Char, types.Short, types.Long, types.Contiguous(2, types.Int)}).Draw(rt, "etype")
			view := drawView(rt, etype, "native")
			if !view.Filetype.Portable() {
				view.Filetype = types.Vector(2, 1, 2, etype)
			}
			view.Rep = "own"
			n := rapid.Int64Range(0, 9).Draw(rt, "etypes")
			if view.Filetype.Size(types.Host) == 0 {
				n = 0
			}
			chunk := rapid.Int64Range(1, 200).Draw(rt, "chunk")
			apart := types.Resized(etype, 0, 24)
			mem := rapid.SliceOfN(rapid.Byte(), int(24*n), int(24*n)).Draw(rt, "memory")
			fsys := iofile.NewMem()
			own(t, fsys, new(recorder).text(), chunk, types.Byte, func(f *iofile.File) error {
				if err := f.SetView(view); err != nil {
					return err
				}
				if _, err := f.WriteAt(types.Raw(mem, n, apart), 1); err != nil {
					return err
				}
				back := make([]byte, len(mem))
				if _, err := f.ReadAt(types.Raw(back, n, apart), 1); err != nil {
					return err
				}
				a, b := make([]byte, n*etype.Size(types.Host)), make([]byte, n*etype.Size(types.Host))
				types.Raw(mem, n, apart).Pack(a, 0, types.Host)
				types.Raw(back, n, apart).Pack(b, 0, types.Host)
				if !bytes.Equal(a, b) {
					return fmt.Errorf("read % x, wrote % x through %v", b, a, view)
				}
				return f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte})
			})
			file, err := fs.ReadFile(fsys, "f")
			require.NoError(t, err)
			words := strings.Fields(strings.Map(func(r rune) rune {
				if r > 127 || r == 0xfffd {
					return ' '
				}
				return r
			}, string(file)))
			if int64(len(words)) != n*etype.Signature().Len() {
				rt.Fatalf("the file has %d numbers, want %d: %q", len(words), n*etype.Signature().Len(), file)
			}
		})
	})
	t.Run("PK-X32-01 PK-X32-05 packing in a representation of one's own", func(t *testing.T) {
		g := reps.NewRegistry(reps.LP64LE)
		require.NoError(t, g.Register("own", new(recorder).text()))
		n, err := g.PackExternalSize("own", 2, types.Int)
		require.NoError(t, err)
		assert.EqualValues(t, 80, n)
		out := make([]byte, 81)
		pos, err := g.PackExternal("own", ints(7, 8), out, 1)
		require.NoError(t, err)
		assert.EqualValues(t, 81, pos)
		assert.Equal(t, lines(7, 8), string(out[1:]))
		xs := make([]int32, 2)
		_, err = g.UnpackExternal("own", out, 1, types.Of(xs).As(types.Int))
		require.NoError(t, err)
		assert.Equal(t, []int32{7, 8}, xs)
		_, err = reps.PackExternal("own", reps.LP64LE, ints(7), out, 0)
		assert.ErrorIs(t, err, reps.ErrArg)
	})
	t.Run("REP-USR-05 packed items", func(t *testing.T) {
		g := reps.NewRegistry(reps.LP64LE)
		require.NoError(t, g.Register("own", new(recorder).text()))
		rep, err := g.Lookup("own")
		require.NoError(t, err)
		sig := types.DoubleInt.Signature().Repeat(2)
		require.NoError(t, rep.Prepare(sig))
		mem, err := binary.Append(nil, binary.NativeEndian, struct {
			A uint64
			B uint32
			C uint64
			D uint32
		}{1, 2, 3, 4})
		require.NoError(t, err)
		file, back := make([]byte, 160), make([]byte, 24)
		require.NoError(t, rep.Encode(file, mem, reps.LP64LE, sig, 0, 4))
		assert.Equal(t, lines(1, 2, 3, 4), string(file))
		require.NoError(t, rep.Decode(back, file, reps.LP64LE, sig, 0, 4))
		assert.Equal(t, mem, back)
	})
}

package iofile_test

import (
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Packages of the standard library read and write through these; one byte off,
// or an EOF that is missing, and they corrupt a file or never stop.
func TestBytes(t *testing.T) {
	t.Run("IO-AT-01 the bytes of a view", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 2, fsys, "f", create, func(f *iofile.File, rank int) error {
			ft := types.Resized(types.Contiguous(1, types.Int), 0, 8)
			err := f.SetView(iofile.View{Disp: int64(4 * rank), Etype: types.Int, Filetype: ft, Rep: "external32"})
			n, err2 := f.Bytes().WriteAt([]byte{"ab"[rank], 'x', 'y', "AB"[rank], 'z', '.'}, 0)
			assert.Equal(t, 6, n)
			n, err3 := f.Bytes().WriteAt([]byte("--"), 6) // not at an etype
			assert.Equal(t, 2, n)
			now, _ := f.View()
			assert.Equal(t, types.Int, now.Etype)
			pos, _ := f.Position()
			assert.Zero(t, pos)
			xs := make([]int32, 1)
			_, err4 := f.ReadAt(types.Of(xs).As(types.Int), 0)
			assert.Equal(t, int32("ab"[rank])<<24|'x'<<16|'y'<<8|int32("AB"[rank]), xs[0])
			text, err5 := io.ReadAll(io.NewSectionReader(f.Bytes(), 1, 5))
			assert.Equal(t, "xy"+string("AB"[rank])+"z.", string(text))
			return errors.Join(err, err2, err3, err4, err5)
		})
		assert.Equal(t, "axyAbxyBz.--z.--", get(t, fsys, "f"))
		ranks(t, 1, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
			if err != nil {
				return err
			}
			err = iotest.TestReader(io.NewSectionReader(f.Bytes(), 0, 16), []byte("axyAbxyBz.--z.--"))
			return errors.Join(err, f.Close())
		})
	})
	t.Run("IO-AMODE-10 IO-SEQ-01 IO-DA-03 errors, handled once, with the view as it was", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "abc")
		with(t, 1, fsys, "f", iofile.ReadOnly, func(f *iofile.File, _ int) error {
			err := f.SetView(v(1, types.Char, types.Char))
			var seen []iofile.View
			err2 := f.SetErrhandler(iofile.NewErrhandler(func(f *iofile.File, _ error) {
				now, _ := f.View()
				seen = append(seen, now)
			}))
			refused(t, second(f.Bytes().WriteAt([]byte("x"), 0)), iofile.ErrReadOnly, "IO-AMODE-10")
			refused(t, second(f.Bytes().ReadAt(nil, -1)), iofile.ErrArg, "IO-DA-03")
			assert.Len(t, seen, 2)
			assert.Equal(t, types.Char, seen[0].Etype)
			got := make([]byte, 9)
			n, eof := f.Bytes().ReadAt(got, 0)
			assert.Equal(t, "bc", string(got[:n]))
			assert.Equal(t, io.EOF, eof)
			n, eof = f.Bytes().ReadAt(got, 50)
			assert.Zero(t, n)
			assert.Equal(t, io.EOF, eof)
			return errors.Join(err, err2)
		})
		with(t, 1, fsys, "f", streamIn, func(f *iofile.File, _ int) error {
			refused(t, second(f.Bytes().ReadAt(make([]byte, 1), 0)), iofile.ErrUnsupportedOperation, "IO-SEQ-01")
			return nil
		})
		var none *iofile.File
		refused(t, second(none.Bytes().ReadAt(nil, 0)), iofile.ErrFile, "IO-CLOSE-04")
	})
	t.Run("IO-AT-01 as through a view of bytes", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			blocks := rapid.Int64Range(1, 4).Draw(rt, "count")
			stride := rapid.Int64Range(1, 4).Draw(rt, "stride")
			disp := rapid.Int64Range(0, 9).Draw(rt, "disp")
			off := rapid.Int64Range(0, 40).Draw(rt, "offset")
			data := rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(rt, "data")
			ft := types.Vector(blocks, 1, stride, types.Int)
			out := make([]string, 2)
			for i := range out {
				fsys := iofile.NewMem()
				with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
					if i == 0 {
						err := f.SetView(v(disp, types.Int, ft))
						_, err2 := f.Bytes().WriteAt(data, off)
						back := make([]byte, len(data))
						n, err3 := f.Bytes().ReadAt(back, off)
						assert.Equal(t, data, back[:n])
						return errors.Join(err, err2, err3)
					}
					err := f.SetView(v(disp, types.Byte, types.HVector(blocks, 4, 4*stride, types.Byte)))
					_, err2 := f.WriteAt(types.Of(data), iofile.Offset(off))
					return errors.Join(err, err2)
				})
				out[i] = get(t, fsys, "f")
			}
			require.Equal(rt, out[1], out[0])
		})
	})
}

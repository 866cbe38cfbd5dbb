package iofile_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// A likeAccesses is a view through which a program accesses two items again and again.
type likeAccesses struct {
	name   string
	view   iofile.View
	opts   []iofile.OpenOption
	buffer func() types.Buffer // two items
	more   []iofile.Offset
}

// do makes accesses that differ only in the offset and in the memory, and returns all their
// visible results. The file contains small numbers, each in a byte.
func (l likeAccesses) do(t *testing.T, model consistency.Model, opts ...iofile.OpenOption) (seen []string) {
	fsys := iofile.NewMem(iofile.WithModel(model))
	assert.NoError(t, fsys.Import("f", bytes.NewReader([]byte{0, 1, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9})))
	_ = world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite, append(opts, l.opts...)...)
		if err != nil {
			return err
		}
		if err := f.SetView(l.view); err != nil {
			return err
		}
		access := func(write bool, off iofile.Offset, buf types.Buffer) {
			var st iofile.Status
			if write {
				st, err = f.WriteAt(buf, off)
			} else {
				st, err = f.ReadAt(buf, off)
			}
			n, _ := st.Count(types.Byte)
			size, _ := f.Size()
			seen = append(seen, fmt.Sprintf("write %v at %d: %d bytes, %x, size %d, %s", write, off, n, buf.Mem(), size, unplaced(err)))
		}
		short := func() types.Buffer { // one item has no memory
			b := l.buffer()
			return types.Raw(b.Mem()[:len(b.Mem())/2], 2, b.Type())
		}
		for phase, write := range []bool{false, true, false} {
			if phase == 2 && l.name == "data of another type" {
				assert.NoError(t, f.SetView(iofile.ViewOf[int32](0)))
				_, err := f.WriteAt(types.Of(make([]int32, 8)), 8)
				assert.NoError(t, err)
				assert.NoError(t, f.SetView(l.view))
			}
			for step := range 4 {
				buf := l.buffer()
				for i := range buf.Mem() {
					if write {
						buf.Mem()[i] = byte(1 + 16*step + i)
					}
				}
				access(write, iofile.Offset(2*step), buf)
			}
			for _, off := range append([]iofile.Offset{-1, 1 << 62}, l.more...) {
				access(write, off, l.buffer())
			}
			access(write, 8, short())
			access(write, 8, l.buffer())
		}
		if err := f.Close(); err != nil {
			return err
		}
		access(false, 0, l.buffer())
		access(true, 0, l.buffer())
		return nil
	})
	b, _ := fsys.ReadFile("f")
	return append(seen, fmt.Sprintf("%x", b))
}

// An access may skip only the checks and steps that an earlier one like it has made: else
// programs break in loops. With a listener to progress, each access takes all steps.
func TestLikeAccesses(t *testing.T) {
	doubles := func() types.Buffer { return types.Of(make([]float64, 2)) }
	apart := types.Resized(types.Double, 0, 16)
	above := types.Resized(types.HIndexed([]types.Block{{Len: 1, Disp: 8}}, types.Double), 8, 8)
	view := func(disp int64, etype, filetype *types.Type, rep string) iofile.View {
		return iofile.View{Disp: disp, Etype: etype, Filetype: filetype, Rep: rep}
	}
	match := func(p types.Policy) []iofile.OpenOption { return []iofile.OpenOption{iofile.WithMatch(p)} }
	const far = 1 << 61
	for _, l := range []likeAccesses{
		{"contiguous", view(0, types.Double, types.Double, ""), nil, doubles, nil},
		{"contiguous, from a byte on", view(3, types.Double, types.Double, ""), nil, doubles, nil},
		{"holes in the file", view(0, types.Double, apart, ""), nil, doubles, nil},
		{"data above the displacement", view(0, types.Double, above, ""), nil, doubles, nil},
		{"holes in memory", view(0, types.Double, types.Double, ""), nil, func() types.Buffer { return types.Raw(make([]byte, 32), 2, apart) }, nil},
		{"another form in the file", view(0, types.Double, types.Double, "external32"), nil, doubles, nil},
		{"bytes", view(0, types.Byte, types.Byte, "external32"), nil, doubles, nil},
		{"truth values that may be illegal", view(0, types.Bool, types.Bool, ""), match(types.MatchSource000), func() types.Buffer { return types.Raw(make([]byte, 2), 2, types.Bool) }, nil},
		{"data of another type", view(0, types.Double, types.Double, ""), match(types.MatchWritten), doubles, nil},
		// far + 8 * (1<<61 - far/8) is 1 << 64
		{"a view that ends where files do", view(far, types.Double, types.Double, ""), nil, doubles, []iofile.Offset{1<<61 - far/8, 1<<60 - far/8}},
		{"a view that no file reaches", view(1<<62-9, types.Double, types.Double, ""), nil, doubles, []iofile.Offset{0, 1<<61 - 1<<59, 1<<61 - 1<<59 + 2}},
	} {
		for _, model := range []consistency.Model{consistency.POSIX, consistency.Weakest, consistency.Session} {
			t.Run("IO-DA-01 "+l.name+" "+model.String(), func(t *testing.T) {
				progress := iofile.WithCallbacks(iofile.Callbacks{Progress: func(iofile.Progress) {}})
				want := l.do(t, model, progress)
				assert.Greater(t, len(want), 20)
				assert.Equal(t, want, l.do(t, model))
			})
		}
	}
}

package iofile_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// If large accesses to scattered memory moved bytes to other places than small ones, or
// stored invalid bools, the result of a program would depend on the size of its calls.
// With a listener to progress the bytes are packed.
func TestScatteredMemory(t *testing.T) {
	type flagged struct {
		On bool
		V  int64
	}
	rapid.Check(t, func(t *rapid.T) {
		model := rapid.SampledFrom([]consistency.Model{consistency.POSIX, consistency.Weakest, consistency.Commit}).Draw(t, "model")
		n := rapid.Int64Range(17000, 40000).Draw(t, "n")
		block := rapid.Int64Range(1, 100).Draw(t, "block")
		stride := block + rapid.Int64Range(0, 100).Draw(t, "hole")
		off := iofile.Offset(rapid.Int64Range(0, 1000).Draw(t, "offset"))
		cut := rapid.Int64Range(0, n*8).Draw(t, "size")
		run := func(opts ...iofile.OpenOption) (seen string) {
			fsys := iofile.NewMem(iofile.WithModel(model))
			err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", create, opts...)
				if err != nil {
					return err
				}
				ft := types.Resized(types.Contiguous(block, types.Double), 0, 8*stride)
				if err := f.SetView(iofile.View{Disp: 3, Etype: types.Double, Filetype: ft}); err != nil {
					return err
				}
				in, out := make([]float64, 2*n), make([]float64, 3*n)
				for i := range in {
					in[i] = float64(i)
				}
				call := func(st iofile.Status, err error) {
					bytes, whole := st.Count(types.Byte)
					seen += fmt.Sprintln(bytes, whole, err)
				}
				call(f.WriteAt(types.Of(in).As(types.Vector(n, 1, 2, types.Double)).Times(1), off))
				call(f.ReadAt(types.Of(out).As(types.Vector(n, 1, 3, types.Double)).Times(1), off))
				seen += sum(out)
				if err := f.SetSize(cut); err != nil {
					return err
				}
				call(f.ReadAt(types.Of(in).As(types.Vector(n, 1, 2, types.Double)).Times(1), off))
				seen += sum(in)
				if err := f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte}); err != nil {
					return err
				}
				flags := make([]flagged, n)
				call(f.ReadAt(types.Of(flags), 0))
				seen += sum(flags) // with its bools as they lie in memory: 0 or 1
				call(f.WriteAt(types.Of(flags), 5))
				return f.Close()
			})
			require.NoError(t, err)
			b, err := fsys.ReadFile("f")
			require.NoError(t, err)
			return seen + sum(b)
		}
		require.Equal(t, run(iofile.WithCallbacks(iofile.Callbacks{Progress: func(iofile.Progress) {}})), run())
	})
}

// sum is short for the contents of memory.
func sum[T any](s []T) string { return fmt.Sprintf("%x\n", sha256.Sum256(types.Of(s).Mem())) }

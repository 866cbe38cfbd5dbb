package world_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// If weak bounds were a matter of layouts alone, a program could not be run under the rule of
// MPICH.
func TestMarkers(t *testing.T) {
	// A character with bound 3, and one at 4: extent 3 where bounds stick, 5 where they are weak.
	tile := types.Struct(types.Field{Count: 1, Type: types.Resized(types.Char, 0, 3)}, types.Field{Count: 1, Disp: 4, Type: types.Char})
	places := map[types.Markers][]int64{types.Sticky: {0, 4, 3, 7, 6, 10}, types.Weak: {0, 4, 5, 9, 10, 14}}
	for _, m := range []types.Markers{types.Sticky, types.Weak} {
		for _, rep := range []string{"native", "internal", "external32"} {
			t.Run("DT-RESIZE-03 EX-V12 "+m.String()+" files, "+rep, func(t *testing.T) {
				fsys := iofile.NewMem()
				err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
					assert.Equal(t, m, c.Arch().Markers())
					f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
					if err != nil {
						return err
					}
					err = f.SetView(iofile.View{Etype: types.Char, Filetype: tile, Rep: rep})
					extent, e := f.TypeExtent(tile)
					assert.EqualValues(t, places[m][2]-places[m][0], extent)
					err = errors.Join(err, e)
					for i, at := range places[m] {
						got, e := f.ByteOffset(iofile.Offset(i))
						assert.Equal(t, at, got)
						err = errors.Join(err, e)
					}
					return errors.Join(err, f.Close())
				}, world.Arch(world.AllRanks, reps.LP64LE.WithMarkers(m)), world.Arch(1, reps.LP64BE.WithMarkers(m)))
				require.NoError(t, err)
			})
		}
		t.Run("DT-RESIZE-03 EX-V12 "+m.String()+" messages", func(t *testing.T) {
			err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 0 {
					return c.Send(types.Of([]byte("abcdef")).As(types.Char), 1, 0)
				}
				mem := make([]byte, 16)
				_, err := c.Recv(types.Raw(mem, 3, tile), 0, 0)
				for i, at := range places[m] {
					assert.Equal(t, "abcdef"[i], mem[at])
				}
				return err
			}, world.Arch(world.AllRanks, reps.LP64LE.WithMarkers(m)))
			require.NoError(t, err)
		})
	}
	t.Run("REP-NAT-03 machines stay what they are", func(t *testing.T) {
		for _, a := range reps.Archs() {
			w := a.WithMarkers(types.Weak)
			assert.Same(t, a, w.WithMarkers(types.Sticky))
			assert.Same(t, w, a.WithMarkers(types.Weak))
			assert.True(t, reps.SameMemory(a, w))
			assert.Equal(t, a.String(), w.String())
		}
	})
	t.Run("WORLD-01 ranks with different bounds", func(t *testing.T) {
		nothing := func(context.Context, *comm.Comm) error { return nil }
		weak := reps.LP64BE.WithMarkers(types.Weak)
		err := world.Run(t.Context(), 3, nothing, world.Arch(2, reps.ILP32LE), world.Arch(1, weak))
		assert.ErrorIs(t, err, world.ErrArg)
		assert.ErrorContains(t, err, "Arch for rank 1: its bounds of datatypes are weak, those of other ranks sticky")
		assert.NoError(t, world.Run(t.Context(), 3, nothing, world.Arch(world.AllRanks, weak), world.Arch(1, weak)))
		assert.ErrorContains(t, world.Run(t.Context(), 3, nothing, world.Arch(-2, weak)), "the ranks are 0 to 2")
	})
}

package iofile_test

import (
	"context"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// If this fails, a race between views, or a lint about one, prints megabytes.
func TestLongViewsInReports(t *testing.T) {
	long := func(step int64) *types.Type { return types.HIndexed(manyBlocks(step), types.Int32) }
	t.Run("CONS-C2 ERR-01 a race and a lint", func(t *testing.T) {
		fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
		rep, err := world.RunReport(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			if err := f.SetView(iofile.View{Etype: types.Byte, Filetype: long(8)}); err != nil {
				return err
			}
			if _, err := f.WriteAt(types.Of(make([]int32, 1000)), 0); err != nil {
				return err
			}
			return f.Close()
		})
		var race *consistency.RaceError
		if assert.ErrorAs(t, err, &race) {
			assert.Contains(t, race.A.View+race.B.View, "2000 in all")
			assert.Less(t, len(race.Error()), longestText)
		}
		assert.Less(t, len(err.Error()), 2*longestText)
		assert.Less(t, len(rep.String()), 4*longestText)
	})
	t.Run("IO-VIEW-05 ERR-01 an error of all ranks", func(t *testing.T) {
		fsys := iofile.NewMem()
		err := world.Run(t.Context(), 4, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			return f.SetView(iofile.View{Etype: types.Int32, Filetype: long(-8)})
		})
		assert.ErrorIs(t, err, iofile.ErrArg)
		assert.ErrorContains(t, err, "[0, -8, -16, -24, ... 2000 in all]")
		assert.ErrorContains(t, err, "String of a datatype returns all of it")
		assert.Less(t, len(err.Error()), longestText)
	})
	t.Run("IO-VIEW-05 two long views that begin alike are two", func(t *testing.T) {
		fsys := iofile.NewMem()
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			blocks := manyBlocks(8)
			blocks[1000].Disp += int64(c.Rank())
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			if err := f.SetView(iofile.View{Etype: types.Byte, Filetype: types.HIndexed(blocks, types.Byte)}); err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of(make([]byte, 100)), 0)
			return err
		})
		var race *consistency.RaceError
		if assert.ErrorAs(t, err, &race) {
			assert.Equal(t, race.A.View, race.B.View)
			text, _ := race.Views()
			assert.False(t, strings.Contains(text, "the same filetype"), text)
		}
	})
}

package view_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/view"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// lay lays out a view of a file of 64-bit little-endian machines.
func lay(t require.TestingT, disp int64, etype, filetype *types.Type) *view.Layout {
	unit, err := etype.Layout(reps.LP64LE)
	require.NoError(t, err)
	l, err := filetype.Layout(reps.LP64LE)
	require.NoError(t, err)
	return &view.Layout{Sizes: reps.LP64LE, Unit: unit, Tiles: types.Tiling{L: l, Disp: disp}}
}

// If an offence had the wrong place, a drawing would mark bytes that are right.
func TestOffences(t *testing.T) {
	all := view.Rules{Match: true, Disjoint: true}
	for _, c := range []struct {
		name            string
		etype, filetype string
		rules           view.Rules
		rule, text      string
		place           string // "" if there is none
		lo, hi          int64
	}{
		{"IO-VIEW-04 no data", "contiguous(0, int)", "int", all, "IO-VIEW-04", "holds no data", "", 0, 0},
		{"IO-VIEW-04 an etype that goes back", "indexed([1, 1], [1, 0], int)", "indexed([1, 1], [1, 0], int)", all, "IO-VIEW-04", "must not decrease", "item 1, int, at byte 0 goes back behind item 0 at byte 4", 0, 4},
		{"IO-VIEW-05 below 0", "int", "hindexed([1], [-8], int)", all, "IO-VIEW-05", "displacement -8 is negative", "item 0, int, is at byte -8, below 0", -8, -4},
		{"IO-VIEW-06 not a whole number", "double", "int", all, "IO-VIEW-06", "not a whole number of copies of etype double", "item 0 is int, where the etype has double", 0, 4},
		{"IO-VIEW-06 other items", "int", "float", all, "IO-VIEW-06", "not a whole number of copies", "item 0 is float, where the etype has int", 0, 4},
		{"IO-VIEW-07 a hole of half an etype", "int", "hindexed([1, 1], [0, 6], int)", all, "IO-VIEW-07", "displacement 6 is not a multiple", "etype 1 begins 6 bytes behind the first, no multiple of the extent 4", 6, 10},
		{"IO-VIEW-07 an extent of half an etype", "int", "resized(int, 0, 6)", all, "IO-VIEW-07", "extent 6 is not a multiple", "a copy ends at byte 6: its extent 6 is not a multiple of the extent 4 of the etype", 4, 6},
		{"IO-VIEW-08 a byte twice", "int", "hindexed([1, 1], [0, 0], int)", all, "IO-VIEW-08", "shows a byte twice", "byte 0 is in item 0 and in item 1", 0, 4},
		{"IO-SEQ-02 holes in a stream", "int", "resized(int, 0, 8)", view.Rules{Dense: true}, "IO-SEQ-02", "without holes", "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			etype, err := types.Parse(c.etype)
			require.NoError(t, err)
			filetype, err := types.Parse(c.filetype)
			require.NoError(t, err)
			o := lay(t, 0, etype, filetype).Check(etype, filetype, c.rules)
			require.NotNil(t, o)
			assert.Equal(t, c.rule, o.Rule)
			assert.ErrorContains(t, o, c.text)
			p := o.Place()
			if c.place == "" {
				assert.Nil(t, p)
				return
			}
			require.NotNil(t, p)
			assert.Equal(t, c.place, p.Text)
			assert.Equal(t, []int64{c.lo, c.hi}, []int64{p.Lo, p.Hi})
		})
	}
}

// The end of a view is where a count of etypes from the first on finds it.
func TestEnd(t *testing.T) {
	t.Run("IO-SEEK-03 the first etype behind the last byte", rapid.MakeCheck(func(t *rapid.T) {
		etype := types.Contiguous(rapid.Int64Range(1, 3).Draw(t, "bytes"), types.Byte)
		block := rapid.Int64Range(1, 3).Draw(t, "block")
		filetype := types.Vector(rapid.Int64Range(1, 3).Draw(t, "blocks"), block, block+rapid.Int64Range(0, 3).Draw(t, "hole"), etype)
		v := lay(t, rapid.Int64Range(0, 20).Draw(t, "disp"), etype, filetype)
		require.Nil(t, v.Check(etype, filetype, view.Rules{Match: true, Disjoint: true}))
		size := rapid.Int64Range(0, 60).Draw(t, "size")
		want := int64(0)
		for v.Tiles.At(want*v.Unit.Size) < size {
			want++
		}
		assert.Equal(t, want, v.End(size))
	}))
}

package iofile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// If this fails, whoever looks for the writer of a wrong byte is sent to the
// wrong line.
func TestProvenance(t *testing.T) {
	fsys := iofile.NewMem(iofile.WithProvenance())
	with(t, 2, fsys, "f", create, func(f *iofile.File, rank int) error {
		if err := f.SetView(iofile.View{Disp: int64(rank), Etype: types.Byte, Filetype: types.Resized(types.Byte, 0, 2)}); err != nil {
			return err
		}
		if _, err := f.WriteAt(types.Of([]byte{1, 1}), 0); err != nil {
			return err
		}
		all, err := f.Provenance(int64(rank), int64(rank)+1)
		if assert.NoError(t, err) && assert.Len(t, all, 1) {
			assert.False(t, all[0].Synced)
			assert.Contains(t, all[0].String(), "not synced")
		}
		return f.Sync()
	})
	with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
		if err := f.SetSize(3); err != nil {
			return err
		}
		_, err := f.WriteAt(types.Of([]int32{7}), 4)
		return err
	})
	all, err := fsys.Provenance("f", 0, 9)
	require.NoError(t, err)
	type row struct {
		lo, hi int64
		rank   int
		op     string
		line   bool
	}
	var got []row
	for _, o := range all {
		got = append(got, row{o.Lo, o.Hi, o.Rank, o.Op, o.Place.Line > 0})
		assert.Equal(t, o.Op != "", o.Synced)
	}
	assert.Equal(t, []row{
		{0, 1, 0, "WriteAt", true},
		{1, 2, 1, "WriteAt", true},
		{2, 3, 0, "WriteAt", true},
		{3, 4, 0, "", false},
		{4, 8, 0, "WriteAt", true},
		{8, 9, 0, "", false},
	}, got)
	_, err = fsys.Provenance("g", 0, 1)
	assert.ErrorIs(t, err, iofile.ErrNoSuchFile)
	_, err = fsys.Provenance("f", 3, 1)
	assert.ErrorIs(t, err, iofile.ErrArg)
	_, err = iofile.NewMem().Provenance("f", 0, 1)
	assert.ErrorIs(t, err, iofile.ErrUnsupportedOperation)
}

// If this fails, what a file was cut down from is taken for what is in it.
func TestProvenanceAfterCut(t *testing.T) {
	fsys := iofile.NewMem(iofile.WithProvenance())
	with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
		if _, err := f.WriteAt(types.Of(make([]byte, 50)), 0); err != nil {
			return err
		}
		if err := f.SetSize(10); err != nil {
			return err
		}
		_, err := f.WriteAt(types.Of([]byte{1}), 20)
		return err
	})
	origins, err := fsys.Provenance("f", 0, 21)
	assert.NoError(t, err)
	if assert.Len(t, origins, 3) {
		assert.Equal(t, []consistency.From{consistency.FromWrite, consistency.FromHole, consistency.FromWrite},
			[]consistency.From{origins[0].From, origins[1].From, origins[2].From})
		assert.EqualValues(t, 10, origins[1].Lo)
		assert.EqualValues(t, 20, origins[1].Hi)
	}
}

package iofile_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If this fails, a user who looks for the writer of a wrong byte is sent to the
// wrong line.
func TestProvenance(t *testing.T) {
	fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
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

// If this fails, bytes that were cut off a file are taken for its contents.
func TestProvenanceAfterTruncation(t *testing.T) {
	fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
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

// If this fails, a wrong writer is reported for a byte, because the file has other bytes
// than the ledger assumes.
func TestProvenanceOfPartialWrites(t *testing.T) {
	first := func(t *testing.T, fsys *iofile.FS) consistency.Origin {
		all, err := fsys.Provenance("f", 0, 1)
		require.NoError(t, err)
		require.Len(t, all, 1)
		return all[0]
	}
	t.Run("turning atomic mode on puts what was written into the file", func(t *testing.T) {
		fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance), iofile.WithRaceDetector(consistency.Off))
		with(t, 2, fsys, "f", create, func(f *iofile.File, rank int) error {
			var err error
			if rank == 0 {
				_, err = f.WriteAt(types.Of([]byte{1}), 0)
			}
			if err = errors.Join(err, f.SetAtomicity(true)); rank == 1 {
				_, e := f.WriteAt(types.Of([]byte{2}), 0)
				err = errors.Join(err, e)
			}
			return err
		})
		got, err := fsys.ReadFile("f")
		require.NoError(t, err)
		assert.EqualValues(t, first(t, fsys).Rank+1, got[0])
	})
	t.Run("what was never closed is lost", func(t *testing.T) {
		fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
		assert.Error(t, world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]byte{1}), 0)
			return err
		}))
		assert.Equal(t, consistency.FromHole, first(t, fsys).From)
	})
	t.Run("an import takes the place of what was there", func(t *testing.T) {
		fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
		one := func(f *iofile.File, _ int) error { _, err := f.WriteAt(types.Of([]byte{1}), 0); return err }
		with(t, 1, fsys, "f", create, one)
		require.NoError(t, fsys.Import("f", strings.NewReader("xyz")))
		with(t, 1, fsys, "f", create, func(*iofile.File, int) error { return nil })
		assert.Equal(t, consistency.FromBefore, first(t, fsys).From)
	})
}

// If this fails, commworld dump --who names the wrong writer.
func TestExportProvenance(t *testing.T) {
	fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
	with(t, 2, fsys, "f", create, func(f *iofile.File, rank int) error {
		_, err := f.WriteAt(ints(1, 2), iofile.Offset(10*rank))
		return errors.Join(err, f.Sync())
	})
	var b bytes.Buffer
	require.NoError(t, fsys.ExportProvenance("f", &b))
	lines := json.NewDecoder(&b)
	var head iofile.ProvenanceHead
	require.NoError(t, lines.Decode(&head))
	file, err := fsys.ReadFile("f")
	require.NoError(t, err)
	assert.Equal(t, iofile.ProvenanceHead{File: "f", Size: 18, SHA256: fmt.Sprintf("%x", sha256.Sum256(file))}, head)
	want, err := fsys.Provenance("f", 0, 18)
	require.NoError(t, err)
	require.Len(t, want, 3)
	for _, o := range want {
		var got consistency.Origin
		require.NoError(t, lines.Decode(&got))
		o.Place.Func = "" // not kept
		assert.Equal(t, o, got)
	}
	assert.ErrorIs(t, fsys.ExportProvenance("g", &b), iofile.ErrNoSuchFile)
	assert.ErrorIs(t, iofile.NewMem().ExportProvenance("g", &b), iofile.ErrNoSuchFile)
	assert.ErrorIs(t, fsys.ExportProvenance("f", nil), iofile.ErrArg)
	with(t, 1, fsys, "f", create, func(*iofile.File, int) error {
		assert.ErrorIs(t, fsys.ExportProvenance("f", &b), iofile.ErrFileInUse)
		return nil
	})
}

func ExampleFS_Provenance() {
	fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
	_ = fsys.Import("grid", strings.NewReader("................"))
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "grid", iofile.ReadWrite)
		if err != nil {
			return err
		}
		cell := types.Resized(types.Int16, 0, 4)
		err = f.SetView(iofile.View{Disp: int64(2 * c.Rank()), Etype: types.Int16, Filetype: cell, Rep: "external32"})
		_, e := f.WriteAt(types.Of([]int16{7}), 0)
		if c.Rank() == 1 {
			_, e = f.WriteAt(types.Of([]int16{8}), 4)
		}
		return errors.Join(err, e, f.Close())
	})
	from, _ := fsys.Provenance("grid", 0, 20)
	for _, o := range from {
		fmt.Println(o)
	}
	fmt.Println(err)
	// Output:
	// bytes 0 to 1: WriteAt at provenance_test.go:190 on rank 0, external32 int16
	// bytes 2 to 3: WriteAt at provenance_test.go:190 on rank 1, external32 int16
	// bytes 4 to 15: left over from before the file was opened
	// bytes 16 to 17: hole, never written
	// bytes 18 to 19: WriteAt at provenance_test.go:192 on rank 1, external32 int16
	// <nil>
}

// If this fails, a byte that is in the file is reported as never written in some
// schedules, namely if its writer returns from SetSize before rank 0.
func TestProvenanceBehindTruncation(t *testing.T) {
	for seed := range uint64(50) {
		fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
		err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]byte{1}), iofile.Offset(c.Rank()))
			err = errors.Join(err, f.SetSize(3))
			_, e := f.WriteAt(types.Of([]byte{2}), iofile.Offset(3+c.Rank()))
			return errors.Join(err, e, f.Close())
		}, world.Seed(seed))
		require.NoError(t, err)
		origins, err := fsys.Provenance("f", 0, 6)
		require.NoError(t, err)
		var ranks []int
		for _, o := range origins {
			require.Equal(t, consistency.FromWrite, o.From, "seed %d: %v", seed, o)
			ranks = append(ranks, o.Rank)
		}
		require.Equal(t, []int{0, 1, 2, 0, 1, 2}, ranks, "seed %d", seed)
	}
}

// If this fails, bytes that are in the file are reported as a hole, because a rank changed
// the size before they were written.
func TestProvenanceOfTruncation(t *testing.T) {
	t.Run("CONS-D08 a change of size cuts what its own open has not published, and no other", func(t *testing.T) {
		for name, m := range map[string]consistency.Model{"weakest": consistency.Weakest, "POSIX": consistency.POSIX} {
			fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance), iofile.WithRaceDetector(consistency.Off), iofile.WithModel(m))
			require.NoError(t, world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", create)
				if err != nil {
					return err
				}
				g, err := iofile.Open(c, fsys, "f", create)
				if err != nil {
					return err
				}
				_, err = f.WriteAt(types.Of([]byte{1}), 50)
				_, e := g.WriteAt(types.Of([]byte{2}), 60)
				return errors.Join(err, e, g.SetSize(40), f.Close(), g.Close())
			}))
			file, err := fsys.ReadFile("f")
			require.NoError(t, err)
			if m == consistency.POSIX { // all of it was in the file, and is cut
				assert.Len(t, file, 40, name)
				continue
			}
			require.Len(t, file, 51, name)
			all, err := fsys.Provenance("f", 0, 61)
			require.NoError(t, err)
			require.Len(t, all, 3, name)
			assert.Equal(t, consistency.FromHole, all[0].From)
			assert.Equal(t, [2]int64{50, 51}, [2]int64{all[1].Lo, all[1].Hi})
			assert.Equal(t, consistency.FromWrite, all[1].From)
			assert.Equal(t, consistency.FromHole, all[2].From)
		}
	})
}

// If this fails, a write is reported for bytes that a later cut removed, in an exploration
// whose cutting handle made no other access.
func TestProvenanceOfExploredTruncation(t *testing.T) {
	all, err := world.Explore(t.Context(), 2, func() (func(context.Context, *comm.Comm) error, func() any) {
		fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
		return func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c.Self(), fsys, "f", create)
				if err != nil {
					return err
				}
				if c.Rank() == 0 {
					_, err = f.WriteAt(types.Of([]byte{1, 1, 1, 1}), 0)
				} else {
					err = f.SetSize(2)
				}
				return errors.Join(err, f.Close())
			}, func() any {
				b, err := fsys.ReadFile("f")
				who, e := fsys.Provenance("f", 0, 4)
				if err = errors.Join(err, e); err != nil {
					return err
				}
				written := int64(0)
				for _, o := range who {
					if o.From == consistency.FromWrite {
						written = max(written, o.Hi)
					}
				}
				return [2]int64{int64(len(b)), written}
			}
	})
	require.NoError(t, err)
	var got []any
	for _, o := range all.Outcomes {
		got = append(got, o.Value)
	}
	assert.ElementsMatch(t, []any{[2]int64{2, 2}, [2]int64{4, 4}}, got, "the file's size, and how far it is written")
}

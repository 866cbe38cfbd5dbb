package iofile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// TestExtentsOfRanks: a program that computes displacements from extents that differ between
// ranks reads other bytes than were written.
func TestExtentsOfRanks(t *testing.T) {
	// texts returns the lints about extents, of all ranks.
	texts := func(t *testing.T, n int, body func(f *iofile.File, rank int) error, opts ...world.Option) (all []string) {
		with(t, n, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			err := errors.Join(body(f, rank), f.Sync())
			if rank == 0 {
				for _, l := range f.Lints() {
					if l.Rule == "REP-EXT-01" {
						all = append(all, fmt.Sprint(l.Rank, " ", l.Op, " ", strings.Split(l.Place.String(), ":")[0], " ", l.Text))
					}
				}
			}
			return err
		}, opts...)
		return all
	}
	record := types.Resized(types.Struct(types.Field{Count: 1, Type: types.Long}), 0, 8)
	const remedy = `set the view with Rep: "external32" or "internal" on all ranks, where it is the same`
	t.Run("REP-EXT-01 a view of longs on unlike machines", func(t *testing.T) {
		view := func(rep string) func(f *iofile.File, _ int) error {
			return func(f *iofile.File, _ int) error { return f.SetView(as(rep, 0, record, record)) }
		}
		assert.Equal(t, []string{
			`0 SetView extents_test.go under "native" the extent of long is 8 on this rank (LP64LE), but 4 on rank 1 (ILP32LE); ` + remedy,
			`1 SetView extents_test.go under "native" the extent of long is 4 on this rank (ILP32LE), but 8 on rank 0 (LP64LE); ` + remedy,
		}, texts(t, 2, view("native"), world.Arch(1, reps.ILP32LE)))
		for _, rep := range []string{"external32", "internal"} { // the remedy
			assert.Empty(t, texts(t, 2, view(rep), world.Arch(1, reps.ILP32LE)), rep)
		}
		assert.Empty(t, texts(t, 2, view("native")))
		assert.Empty(t, texts(t, 2, view("native"), world.Arch(1, reps.LP64BE)), "only the order of bytes differs")
	})
	t.Run("REP-EXT-01 a filetype that is padded elsewhere", func(t *testing.T) {
		padded := types.Struct(types.Field{Count: 1, Type: types.Double}, types.Field{Count: 1, Disp: 8, Type: types.Double}, types.Field{Count: 2, Disp: 16, Type: types.Char})
		all := texts(t, 2, func(f *iofile.File, _ int) error { return f.SetView(as("native", 0, types.Byte, padded)) }, world.Arch(1, reps.ILP32LE))
		assert.Len(t, all, 2)
		assert.Contains(t, all[0], "is 24 on this rank (LP64LE), but 20 on rank 1 (ILP32LE)")
	})
	t.Run("REP-EXT-01 TypeExtent through the first view", func(t *testing.T) {
		all := texts(t, 3, func(f *iofile.File, rank int) error {
			n, err := f.TypeExtent(types.Long)
			assert.Equal(t, []int64{8, 8, 4}[rank], n)
			_, err2 := f.TypeExtent(types.Int)
			return errors.Join(err, err2)
		}, world.Arch(2, reps.ILP32BE))
		assert.Equal(t, []string{
			`0 TypeExtent extents_test.go under "native" the extent of long is 8 on this rank (LP64LE), but 4 on rank 2 (ILP32BE); ` + remedy,
			`1 TypeExtent extents_test.go under "native" the extent of long is 8 on this rank (LP64LE), but 4 on rank 2 (ILP32BE); ` + remedy,
			`2 TypeExtent extents_test.go under "native" the extent of long is 4 on this rank (ILP32BE), but 8 on rank 0 (LP64LE); ` + remedy,
		}, all)
	})
	t.Run("REP-EXT-01 a lint if and only if extents differ", rapid.MakeCheck(func(rt *rapid.T) {
		a, b := rapid.SampledFrom(reps.Archs()).Draw(rt, "a"), rapid.SampledFrom(reps.Archs()).Draw(rt, "b")
		asked := viewType{rt, pairLeaves}.draw(rapid.IntRange(0, 2).Draw(rt, "depth"))
		rep := rapid.SampledFrom([]string{"native", "native", "internal", "external32"}).Draw(rt, "rep")
		var got [2]int64
		all := texts(t, 2, func(f *iofile.File, rank int) (err error) {
			err = f.SetView(as(rep, 0, types.Byte, types.Byte))
			n, err2 := f.TypeExtent(asked)
			got[rank] = n
			return errors.Join(err, err2)
		}, world.Arch(0, a), world.Arch(1, b))
		assert.Equal(rt, got[0] != got[1], len(all) == 2, "%v on %v and %v: %v", asked, a, b, all)
	}))
}

package mutants_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/proptest/mutants"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// withFault makes layers with the fault of that name.
func withFault(t *testing.T, name string) proptest.Maker {
	t.Helper()
	for _, m := range mutants.All() {
		if m.Bug == name {
			return m.Maker(t.TempDir())
		}
	}
	t.Fatalf("no mutant is called %q", name)
	return nil
}

// TestOraclesCalledDirectly: if it fails, an oracle that a program calls directly accepts every
// layer.
func TestOraclesCalledDirectly(t *testing.T) {
	write := gen.Op{Do: gen.Write, Off: 1, N: 40}
	sync := gen.Op{Do: gen.Sync, All: true}
	halves := []iofile.View{
		{Etype: types.Int, Filetype: types.Subarray(types.OrderC, []types.Slab{{Size: 4, Sub: 2}}, types.Int), Rep: "external32"},
		{Etype: types.Int, Filetype: types.Subarray(types.OrderC, []types.Slab{{Size: 4, Sub: 2, Start: 2}}, types.Int), Rep: "external32"},
	}
	t.Run("Reference names rank, operation and bytes", func(t *testing.T) {
		p := &gen.Program{Ranks: 1, Ops: []gen.Op{{Do: gen.Write, N: 4}, {Do: gen.Write, Off: 4, N: 1}, {Do: gen.Read, N: 6}}}
		err := proptest.Reference(withFault(t, "the last byte of long writes is lost"), p)
		var d *proptest.Disagreement
		require.ErrorAs(t, err, &d)
		assert.Equal(t, []int64{0, 2, 3, 4}, []int64{int64(d.Rank), int64(d.Op), d.Lo, d.Hi})
		assert.NotEqual(t, d.Want, d.Got)
		assert.NoError(t, proptest.Reference(proptest.Ours(nil), p))
	})
	t.Run("Reference passes errors of the layer on", func(t *testing.T) {
		err := proptest.Reference(withFault(t, "the end of the file is an error"), &gen.Program{Ranks: 1, Ops: []gen.Op{{Do: gen.Read, N: 1}}})
		var op *proptest.OpError
		require.ErrorAs(t, err, &op)
		assert.ErrorIs(t, err, io.EOF)
		assert.Equal(t, 0, op.Op)
	})
	t.Run("NoHang", func(t *testing.T) {
		p := &gen.Program{Ranks: 2, Ops: []gen.Op{{Do: gen.Read, All: true, More: 1}}}
		err := proptest.NoHang(withFault(t, "collective reads of nothing stay away"), p)
		var stuck *world.DeadlockError
		assert.ErrorAs(t, err, &stuck)
		assert.NoError(t, proptest.NoHang(proptest.Ours(nil), p))
	})
	t.Run("NothingLost", func(t *testing.T) {
		p := &gen.Program{Ranks: 1, Ops: []gen.Op{write, sync}}
		assert.ErrorContains(t, proptest.NothingLost(withFault(t, "sync does nothing"), p), "is lost")
		assert.NoError(t, proptest.NothingLost(proptest.Ours(nil), p))
	})
	t.Run("NothingLost leaves alone what was not synced", func(t *testing.T) {
		p := &gen.Program{Ranks: 1, Ops: []gen.Op{write, sync, write, {Do: gen.Write, Off: 90, N: 9}}}
		assert.NoError(t, proptest.NothingLost(proptest.Ours(nil), p))
	})
	t.Run("RoundTrip", func(t *testing.T) {
		err := proptest.RoundTrip(withFault(t, "the last byte of long writes is lost"), []iofile.View{{Etype: types.Byte, Filetype: types.Byte}}, 9, 1)
		assert.ErrorContains(t, err, "there are 8 bytes, want 9: byte 8 of the file is the first that is not there")
		err = proptest.RoundTrip(withFault(t, "external32 is written as native"), halves[1:], 1, 1)
		assert.NoError(t, err, "the same error in both directions cancels out")
		assert.NoError(t, proptest.RoundTrip(proptest.Ours(nil), halves, 9, 1))
	})
	t.Run("ViewInverse", func(t *testing.T) {
		for _, name := range []string{"views with holes begin a byte late", "external32 is written as native"} {
			var d *proptest.Disagreement
			if assert.ErrorAs(t, proptest.ViewInverse(withFault(t, name), halves, 5, 1), &d) {
				assert.Equal(t, [4]any{0, 1, int64(0), int64(8)}, [4]any{d.Rank, d.Op, d.Lo, d.Hi}, name)
				assert.Contains(t, d.Error(), "view of rank 0: 0 int subarray([4], [2], [0], c, int) external32")
				assert.Contains(t, d.Origin, "byte 0 was written by rank 0 in operation 1")
			}
		}
		assert.NoError(t, proptest.ViewInverse(proptest.Ours(nil), halves, 5, 1))
	})
	t.Run("AtomicSerialisable", func(t *testing.T) {
		caught := false
		for seed := range uint64(50) { // a torn write shows under some schedules only
			p := &gen.Program{Ranks: 2, Seed: seed, Ops: []gen.Op{{Do: gen.Atomic, All: true, On: true}, {Do: gen.Write, N: 8}, {Do: gen.Write, Rank: 1, N: 8}, {Do: gen.Read, Rank: 1, N: 8}}}
			assert.NoError(t, proptest.AtomicSerialisable(proptest.Ours(nil), p))
			if err := proptest.AtomicSerialisable(withFault(t, "atomic writes go in two halves"), p); err != nil {
				caught = true
				assert.Regexp(t, `(?s)(rank 1, operation 3, read_at.*no order|no order of the accesses.*the file).*00000000  `, err.Error())
			}
		}
		assert.True(t, caught)
	})
}

// TestExcusedCapabilityIsNotTested: if it fails, a layer is tested for a capability that it is excused from.
func TestExcusedCapabilityIsNotTested(t *testing.T) {
	mk := withFault(t, "external32 is written as native")
	groups, err := proptest.Groups(mk, proptest.Without(proptest.Representations), proptest.AtMost(2, 6))
	require.NoError(t, err)
	skipped := 0
	for _, g := range groups {
		if g.Skipped != "" {
			skipped++
			continue
		}
		rapid.Check(t, g.Prop)
	}
	assert.Equal(t, 3, skipped, "representations, operations and crashes")
}

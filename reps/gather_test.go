package reps_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// TestPackAgainstItems compares packing of whole buffers, which works on many
// items at once, with converting item by item. If it fails, files depend on how
// the memory was laid out.
func TestPackAgainstItems(t *testing.T) {
	kinds := []*types.Type{
		types.Char, types.Short, types.Int, types.Long, types.ULong, types.Double, types.FloatComplex, types.DoubleComplex, types.LongDouble,
		types.Bool, types.Real16, types.WChar, types.Byte, types.LongDoubleComplex,
	}
	t.Run("REP-X32-08 PK-X32-02 REP-DT-04 any memory", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a := rapid.SampledFrom(archs).Draw(t, "arch")
			name := rapid.SampledFrom([]string{"native", "external32"}).Draw(t, "rep")
			var fields []types.Field
			var at int64
			for range rapid.IntRange(1, 4).Draw(t, "fields") {
				k := rapid.SampledFrom(kinds).Draw(t, "kind")
				n := rapid.Int64Range(1, 3).Draw(t, "items")
				at += rapid.Int64Range(0, 5).Draw(t, "gap")
				fields = append(fields, types.Field{Count: n, Disp: at, Type: types.Resized(k, 0, k.Size(a))})
				at += n * k.Size(a)
			}
			ty := types.Resized(types.Struct(fields...), 0, at)
			if rapid.Bool().Draw(t, "vector") {
				ty = types.Vector(3, 1, 2, ty)
			}
			count := rapid.SampledFrom([]int64{0, 1, 2, 5, 300}).Draw(t, "count")
			sig := ty.Signature()
			items := sig.Len() * count
			l, err := ty.Layout(a)
			require.NoError(t, err)
			var unit []byte
			for k, n := range sig.Runs() {
				unit = append(unit, drawItems(t, k, n, a)...)
			}
			packed := slices.Repeat(unit, int(count))
			mem := make([]byte, count*l.Extent+l.TrueUB)
			buf := types.Raw(mem, count, ty)
			buf.Unpack(packed, 0, a)

			rep, err := reps.Lookup(name, a)
			require.NoError(t, err)
			var want []byte
			from := int64(0)
			for i := range items {
				k := sig.At(i % sig.Len())
				item := packed[from:][:a.Sizeof(k)]
				out := make([]byte, rep.Sizes().Sizeof(k))
				require.NoError(t, rep.Encode(out, item, a, types.OfKind(k).Signature(), 0, 1))
				want, from = append(want, out...), from+a.Sizeof(k)
			}
			got := make([]byte, len(want))
			require.NoError(t, rep.Pack(got, reps.Memory{Buffer: buf, Arch: a}, items))
			if !bytes.Equal(got, want) {
				t.Fatalf("%d of %v on %v as %s:\n%x, want\n%x", count, ty, a, name, got, want)
			}
			back := make([]byte, len(mem))
			require.NoError(t, rep.Unpack(reps.Memory{Buffer: types.Raw(back, count, ty), Arch: a}, got, items))
			if !bytes.Equal(back, mem) {
				t.Fatalf("%d of %v on %v from %s:\n%x, want\n%x", count, ty, a, name, back, mem)
			}
		})
	})
}

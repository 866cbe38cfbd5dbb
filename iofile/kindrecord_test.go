package iofile

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/types"
)

// list returns the ranges of a record, in order.
func (w *kindRecord) list() (all []kindRange) {
	w.overlaps(math.MinInt64, math.MaxInt64, func(x kindRange) bool {
		all = append(all, x)
		return true
	})
	return all
}

// TestKindRecord: if the record kept more than one range for a stretch of equal items, or
// ranges of bytes without a kind, it would grow with the number of writes.
func TestKindRecord(t *testing.T) {
	ints := func(lo, hi int64) kindRange {
		return kindRange{lo: lo, hi: hi, origin: lo, kind: types.KindInt, size: 4}
	}
	t.Run("IO-TM-04 writes in any order become one range", func(t *testing.T) {
		for _, step := range []int64{1, 7, 999} { // prime to 1000
			var w kindRecord
			for i := range int64(1000) {
				at := i * step % 1000 * 4
				w.put(ints(at, at+4))
			}
			assert.Equal(t, []kindRange{{0, 4000, w.list()[0].origin, types.KindInt, 4}}, w.list())
			w.put(kindRange{lo: 8, hi: 16})
			assert.Len(t, w.list(), 2)
			w.put(kindRange{lo: 0, hi: math.MaxInt64})
			assert.Empty(t, w.list())
		}
	})
	t.Run("IO-TM-04 the ranges against bytes", rapid.MakeCheck(func(t *rapid.T) {
		var w kindRecord
		type mark struct {
			kind        types.Kind
			size, begin int64
		}
		want := map[int64]mark{}
		for range rapid.IntRange(0, 60).Draw(t, "writes") {
			r := kindRange{lo: rapid.Int64Range(0, 60).Draw(t, "lo")}
			r.hi = r.lo + rapid.Int64Range(1, 20).Draw(t, "bytes")
			if k := rapid.SampledFrom([]types.Kind{types.KindNone, types.KindInt, types.KindFloat, types.KindShort}).Draw(t, "kind"); k != types.KindNone {
				r.kind, r.size, r.origin = k, types.Host.Sizeof(k), r.lo-rapid.Int64Range(0, 3).Draw(t, "begun")
			}
			w.put(r)
			for at := r.lo; at < r.hi; at++ {
				delete(want, at)
				if r.kind != types.KindNone {
					want[at] = mark{r.kind, r.size, r.begins(at)}
				}
			}
		}
		got := map[int64]mark{}
		all := w.list()
		for i, r := range all {
			assert.True(t, i == 0 || all[i-1].hi <= r.lo && !all[i-1].continues(r), "%v", all)
			for at := r.lo; at < r.hi; at++ {
				got[at] = mark{r.kind, r.size, r.begins(at)}
			}
		}
		assert.Equal(t, want, got)
	}))
}

package race

import (
	"fmt"
	"sync"
	"testing"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// A rowDraw is a loop of one handle: calls accesses of block bytes, one every
// stride bytes, some of them twice.
type rowDraw struct {
	h             *Tracker
	id            int
	write         bool
	lo            int64
	block, stride int64
	calls         int64
}

// If this fails, a handle that holds bytes ahead of its loop hides a race, or is accused
// of accesses that it did not make. Long loops of several handles cross each other, and
// each call is compared byte by byte with all before it.
func TestDetectorReservesAhead(t *testing.T) {
	t.Run("CONS-C2 CONS-D01 CONS-D02 loops that cross", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			d := NewDetector(DetectorOptions{})
			hs := []*Tracker{d.Open(1, 0, 1, nil), d.Open(1, 1, 1, nil), d.Open(1, 2, 1, nil)}
			touched := map[int64][2][3]bool{} // by byte, read or write, and handle
			var rows []*rowDraw
			time := uint64(1)
			for range rapid.IntRange(2, 5).Draw(t, "loops") {
				r := &rowDraw{id: rapid.IntRange(0, 2).Draw(t, "rank"), write: rapid.Bool().Draw(t, "write")}
				r.h = hs[r.id]
				r.lo = rapid.Int64Range(0, 400).Draw(t, "lo")
				r.block = rapid.Int64Range(1, 4).Draw(t, "block")
				r.stride = r.block + rapid.SampledFrom([]int64{0, 0, 4, 8}).Draw(t, "gap")
				r.calls = rapid.Int64Range(1, 200).Draw(t, "calls")
				rows = append(rows, r)
			}
			for len(rows) > 0 {
				k := rapid.IntRange(0, len(rows)-1).Draw(t, "goes on")
				r := rows[k]
				for range rapid.IntRange(1, 90).Draw(t, "steps") {
					if r.calls == 0 {
						rows = append(rows[:k], rows[k+1:]...)
						break
					}
					want, w := false, 0
					if r.write {
						w = 1
					}
					for b := r.lo; b < r.lo+r.block; b++ {
						at := touched[b]
						for o := range hs {
							want = want || o != r.id && (at[1][o] || r.write && at[0][o])
						}
						at[w][r.id] = true
						touched[b] = at
					}
					time++
					got := r.h.Access(&Access{Op: "op", Write: r.write, Bytes: extent.Between(r.lo, r.lo+r.block), Time: time, Where: PCs{uintptr(k + 1)}})
					if (got != nil) != want {
						t.Fatalf("bytes from %d of %+v: race is %v, want %v", r.lo, *r, got, want)
					}
					r.lo += r.stride
					r.calls--
				}
			}
		})
	})
}

// If this fails, ranks that write side by side wait for each other at every
// call, or the detector itself has a data race (run with -race).
func TestDetectorReservesAheadConcurrently(t *testing.T) {
	d := NewDetector(DetectorOptions{})
	const ranks, calls = 4, 2000
	var wg sync.WaitGroup
	for r := range int64(ranks) {
		h := d.Open(1, int(r), 1, nil)
		wg.Go(func() {
			for i := range int64(calls) {
				lo := (r*calls + i) * 8
				h.Access(&Access{Op: "WriteAt", Write: true, Bytes: extent.Between(lo, lo+8), Time: uint64(i + 2)})
			}
		})
	}
	wg.Wait()
	assert.Empty(t, d.Races())
	assert.LessOrEqual(t, d.Remembered(), ranks)
	late := d.Open(1, ranks, 1, nil)
	assert.NotNil(t, late.Access(&Access{Op: "ReadAt", Bytes: extent.Between(calls*8-1, calls*8), Time: 2}), "the last byte of rank 0")
	assert.Nil(t, late.Access(&Access{Op: "ReadAt", Bytes: extent.Between(ranks*calls*8, ranks*calls*8+1), Time: 3}), "held, not written")
}

// If this fails, each call of a loop is judged on its own, under the lock of the detector.
func TestDetectorJudgesFewCallsOfALoop(t *testing.T) {
	write := func(lo int64) []Access {
		return []Access{{Op: "WriteAt", Write: true, Bytes: extent.Between(lo, lo+8)}}
	}
	for name, calls := range map[string]func(i int64) []Access{
		"in a row":           func(i int64) []Access { return write(i * 8) },
		"cyclic":             func(i int64) []Access { return write(i * 32) },
		"the same again":     func(int64) []Access { return write(0) },
		"at the end":         func(int64) []Access { return []Access{{Op: "ReadAt", Short: true}} },
		"after a grown file": func(i int64) []Access { return []Access{{Op: "ReadAt", Short: true, EndsAt: i}} },
		"written, read back": func(i int64) []Access {
			return append(write(i*8), Access{Op: "ReadAt", Bytes: extent.Between(i*8, i*8+8)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := NewDetector(DetectorOptions{})
			d.StartsWith(0)
			h := d.Open(1, 0, 1, nil)
			time, judged := uint64(1), 0
			for i := range int64(1000) {
				for _, a := range calls(i) {
					time++
					a.Time = time
					if r := h.find(&a); r == nil || !h.extendHold(r, &a) {
						judged++
						assert.Nil(t, h.Access(&a))
					}
				}
			}
			assert.LessOrEqual(t, judged, 60)
			assert.LessOrEqual(t, d.Remembered(), 6)
		})
	}
}

// If this fails, an access is compared with those of all ranks, though by phase it meets none
// of them.
func TestDetectorMeetsNeighboursOnly(t *testing.T) {
	const ranks = 16
	d := NewDetector(DetectorOptions{})
	var hs []*Tracker
	for r := range ranks {
		hs = append(hs, d.Open(1, r, 1, nil))
	}
	for call := range uint64(20) {
		for r, h := range hs {
			a := Access{Op: "WriteAtAll", Write: true, Bytes: shift(types.Part{At: cyclicTile, From: int64(call) * 64000, N: 64000}, int64(r)*64), Time: 2 + call}
			if call >= 10 {
				lo := (int64(call-10)*1000*ranks + int64(r)) * 64
				a.Op, a.Bytes = "WriteAt", extent.Between(lo, lo+64)
			}
			assert.Nil(t, h.Access(&a))
		}
	}
	assert.Zero(t, d.judged)
}

// If this fails, a handle that found the end of the file twice counts as one that wrote, and
// a read that is complete only because of a write by another rank does not race with it.
func TestReadsDoNotGrowTheFile(t *testing.T) {
	d := NewDetector(DetectorOptions{Ranks: 2})
	d.StartsWith(0)
	reader, writer := d.Open(1, 0, 1, vector{1, 0}), d.Open(1, 1, 1, vector{0, 1})
	for time := range uint64(4) {
		assert.Nil(t, reader.Access(&Access{Op: "Read", Short: true, Time: 2 + time, Clock: vector{2 + time, 0}}))
	}
	assert.NotNil(t, writer.Access(&Access{Op: "WriteAt", Write: true, Bytes: extent.Between(100, 104), Time: 2, Clock: vector{0, 2}}))
	assert.NotNil(t, reader.Access(&Access{Op: "ReadAt", Bytes: extent.Between(0, 4), Time: 6, Clock: vector{6, 0}}), "a hole before the write")
}

// If this fails, every access of a loop makes garbage.
func TestDetectorAllocatesNothing(t *testing.T) {
	for _, stride := range []int64{8, 32} {
		d := NewDetector(DetectorOptions{})
		h := d.Open(1, 0, 1, nil)
		a := &Access{Op: "WriteAt", Write: true, Time: 1}
		assert.Zero(t, int(testing.AllocsPerRun(1000, func() {
			a.Bytes = extent.Between(int64(a.Time)*stride, int64(a.Time)*stride+8)
			a.Time++
			h.Access(a)
		})), "stride %d", stride)
	}
}

// If this fails, accesses that differ only by their order with messages are merged: a
// report says that the outcome of two ordered atomic accesses depends on chance, or blames
// a library for ordered accesses.
func TestDetectorSeparatesByMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		profile := rapid.SampledFrom([]consistency.Profile{consistency.Strict, consistency.ROMIO}).Draw(t, "profile")
		atomic := profile == consistency.Strict || rapid.Bool().Draw(t, "atomic")
		var hs [2][3]*Tracker // with and without LastKnown
		ds := [2]*Detector{NewDetector(DetectorOptions{Profile: profile}), NewDetector(DetectorOptions{Profile: profile})}
		for i, d := range ds {
			for r := range hs[i] {
				hs[i][r] = d.Open(1, r, 1, vector{0, 0, 0})
			}
		}
		clocks := []vector{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		var lastKnown [3]uint64
		var at [3]int64
		var earlier [3][]Access      // of each rank
		luck := map[[2]string]bool{} // pairs whose order no rank's clock determines
		for range rapid.SampledFrom([]int{4, 8, 8, 60}).Draw(t, "steps") {
			r := rapid.IntRange(0, 2).Draw(t, "rank")
			if rapid.IntRange(0, 4).Draw(t, "what") == 0 {
				to := rapid.IntRange(0, 2).Draw(t, "to")
				lastKnown[r] = clocks[r][r]
				for q := range clocks[to] {
					clocks[to][q] = max(clocks[to][q], clocks[r][q])
				}
				continue
			}
			if rapid.IntRange(0, 5).Draw(t, "elsewhere") == 0 {
				at[r] = rapid.Int64Range(0, 30).Draw(t, "lo")
			}
			write, stride := rapid.Bool().Draw(t, "write"), rapid.SampledFrom([]int64{4, 4, 12}).Draw(t, "stride")
			for range rapid.IntRange(1, 5).Draw(t, "calls") {
				clocks[r][r]++
				a := Access{
					Op: fmt.Sprintf("rank %d writes: %v", r, write), Write: write, Atomic: atomic, Bytes: extent.Between(at[r], at[r]+4),
					Time: clocks[r][r], Clock: append(vector{}, clocks[r]...), Where: PCs{uintptr(r + 1)},
				}
				b := a
				b.LastKnown = lastKnown[r] + 1
				x, y := hs[0][r].Access(&a), hs[1][r].Access(&b)
				q, _ := extent.Single(&a.Bytes)
				want := false
				for rank, list := range earlier {
					for _, o := range list {
						p, _ := extent.Single(&o.Bytes)
						if _, _, meet := p.Common(&q); meet && (a.Write || o.Write) && rank != r && !a.Clock.Covers(rank, o.Time) {
							luck[[2]string{min(a.Op, o.Op), max(a.Op, o.Op)}] = true
							want = !atomic
						}
					}
				}
				if (x != nil) != want || (y != nil) != want {
					t.Fatalf("byte %d, rank %d: race is %v, and %v if it is known when others got news; want %v", at[r], r, x, y, want)
				}
				earlier[r] = append(earlier[r], a)
				at[r] += stride
			}
		}
		parties := func(d *Detector) map[[2]string]bool {
			all := map[[2]string]bool{}
			for _, e := range d.Unordered() {
				all[[2]string{min(e.A.Op, e.B.Op), max(e.A.Op, e.B.Op)}] = true
			}
			return all
		}
		if !atomic {
			return
		}
		known := parties(ds[1]) // it may report more, because it keeps the newest accesses
		for pair := range parties(ds[0]) {
			assert.Contains(t, known, pair)
		}
		for pair := range known {
			assert.Contains(t, luck, pair)
		}
	})
}

// If this fails, each later access of a rank is kept separately as soon as another rank's
// clock covers an earlier one.
func TestDetectorMergesUnobservedAccesses(t *testing.T) {
	d := NewDetector(DetectorOptions{})
	h := d.Open(1, 0, 1, nil)
	access := func(time, lastKnown uint64) int {
		at := int64(time) * 4
		h.Access(&Access{Op: "WriteAt", Write: true, Atomic: true, Bytes: extent.Between(at, at+4), Time: time, LastKnown: lastKnown})
		return d.extents.n
	}
	assert.Equal(t, 1, access(1, 1), "others know the rank before its first access")
	assert.Equal(t, 1, access(2, 1), "and of none since")
	assert.Equal(t, 2, access(3, 3), "they know the second access")
	assert.Equal(t, 2, access(4, 3), "and not of the third")
}

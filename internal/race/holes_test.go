package race

import (
	"fmt"
	"slices"
	"testing"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// If this fails, the report of a run lacks bytes that no rank wrote, or has bytes that one did
// write. The definition looks at each byte.
func TestHolesEqualDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NewDetector(DetectorOptions{Ranks: 3, KeepForgotten: true})
		before, padding := rapid.SampledFrom([]int64{0, 0, 5, 30}).Draw(t, "before"), rapid.Int64Range(0, 3).Draw(t, "padding")
		d.StartsWith(before)
		d.Padded(padding)
		d.Padded(0)
		var by [400]int // 0: no rank wrote it; the lowest that did, from 1 on
		end := before
		for rank := range 3 {
			h := d.Open(1, rank, 1, nil)
			for time := range rapid.Uint64Range(0, 3).Draw(t, "calls") {
				p := rapid.SampledFrom(raceFiletypes).Draw(t, "pattern")
				p.Lo = rapid.Int64Range(0, 60).Draw(t, "lo")
				write := rapid.IntRange(0, 3).Draw(t, "read") > 0
				h.Access(&Access{Op: "access", Write: write, Bytes: stretchOf(&p), Time: 2 + time})
				for off := range offsetsOf(&p) {
					if write {
						end = max(end, off+1)
						if by[off] == 0 {
							by[off] = rank + 1
						}
					}
				}
			}
			h.Access(&Access{Op: "Size", Resize: true, Bytes: extent.Between(0, extent.MaxSize), Time: 9})
		}
		want, lo := Holes{}, before
		for before == 0 && lo < end && by[lo] == 0 { // there is nothing below
			lo++
		}
		for ; lo < end; lo++ {
			hi := lo
			for ; hi < end && by[hi] == 0; hi++ {
			}
			switch {
			case hi-lo <= padding:
			case want.Bytes == 0:
				want = Holes{Lo: lo, Hi: hi, Bytes: hi - lo}
			default:
				want.More, want.Bytes = want.More+1, want.Bytes+hi-lo
			}
			lo = hi
		}
		got, ok := d.Holes()
		assert.Equal(t, want.Bytes > 0, ok)
		assert.Equal(t, want, Holes{Lo: got.Lo, Hi: got.Hi, More: got.More, Bytes: got.Bytes})
		if !ok {
			return
		}
		for at, p := range map[int64]any{got.Lo - 1: rankOf(got.Below), got.Hi: rankOf(got.Above)} {
			want := "unknown"
			if at >= 0 && by[at] > 0 {
				want = fmt.Sprint(by[at] - 1)
			}
			assert.Equal(t, want, p, "byte %d", at)
		}
	})

	t.Run("none where the program chose the size, or the size is unknown", func(t *testing.T) {
		for _, x := range []struct {
			sized bool
			to    int64
			holes bool
		}{{true, 0, true}, {true, 50, false}, {false, 0, false}} {
			d := NewDetector(DetectorOptions{KeepForgotten: true})
			if x.sized {
				d.StartsWith(0)
			}
			h := d.Open(1, 0, 1, nil)
			h.Access(&Access{Op: "SetSize", Write: true, Resize: true, EndsAt: x.to, Bytes: extent.Between(x.to, extent.MaxSize), Time: 2})
			h.Access(&Access{Op: "WriteAt", Write: true, Bytes: extent.Between(0, 4), Time: 3})
			h.Access(&Access{Op: "WriteAt", Write: true, Bytes: extent.Between(8, 12), Time: 4})
			_, ok := d.Holes()
			assert.Equal(t, x.holes, ok, "%+v", x)
		}
	})
}

func rankOf(p *consistency.Party) string {
	if p == nil {
		return "unknown"
	}
	return fmt.Sprint(p.Rank)
}

// sequential is the clock of ranks that act one after another.
type sequential struct{}

func (sequential) Covers(int, uint64) bool { return true }

// If this fails, a program that read bytes of a file before it cut the file is accused of
// reading bytes that no rank wrote, or one that reads them after the cut is not. The definition
// looks at each byte.
func TestHoleReadsEqualDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NewDetector(DetectorOptions{Ranks: 2, KeepForgotten: true})
		size := rapid.Int64Range(0, 40).Draw(t, "before") // of what the file had before the run, and still has
		d.StartsWith(size)
		forgets := rapid.Bool().Draw(t, "forgets")
		type handle struct {
			*Tracker
			sees int64 // size as of its last sync, or of a change through its open
		}
		type read struct {
			op      string
			rank    int
			bytes   map[int64]bool
			had     int64
			pending *Pending
		}
		var handles []*handle
		for open := range 2 { // two handles of each open, one on each rank
			for rank := range 2 {
				handles = append(handles, &handle{d.Open(open, rank, 1, sequential{}), size})
			}
		}
		var reads []*read
		written, time := map[int64]bool{}, uint64(1)
		lengthen := func() { // so that reads are short only if drawn so
			for _, h := range handles {
				time++
				h.Access(&Access{Op: "write", Write: true, Bytes: extent.Between(500, 501), Time: time, Clock: sequential{}})
			}
		}
		lengthen()
		for range rapid.IntRange(1, 20).Draw(t, "calls") {
			if forgets {
				d.sweepAt = 0
			}
			time++
			h := rapid.SampledFrom(handles).Draw(t, "handle")
			switch rapid.SampledFrom([]string{"read", "read", "read", "begin", "end", "write", "sync", "size"}).Draw(t, "call") {
			case "sync":
				h.Sync(time, sequential{})
				h.sees = size
			case "size":
				to := rapid.Int64Range(0, 50).Draw(t, "to")
				size = min(size, to)
				h.Cut(to)
				for _, o := range handles {
					if o.open == h.open {
						o.Access(&Access{Op: "SetSize", Write: true, Resize: true, EndsAt: to, Bytes: extent.Between(to, extent.MaxSize), Time: time, Clock: sequential{}})
						o.sees = size
					}
				}
				lengthen()
			case "end":
				for _, r := range reads {
					if r.pending != nil && r.pending.t == h.Tracker {
						r.pending.End(time)
						r.pending = nil
					}
				}
			case "write":
				if forgets && len(reads) > 0 { // a forgotten read does not learn of later writes
					continue
				}
				p := rapid.SampledFrom(raceFiletypes).Draw(t, "pattern")
				p.Lo = rapid.Int64Range(0, 30).Draw(t, "lo")
				for off := range offsetsOf(&p) {
					written[off] = true
				}
				h.Access(&Access{Op: "write", Write: true, Bytes: stretchOf(&p), Time: time, Clock: sequential{}})
			case "begin":
				p := extent.Pattern{Lo: rapid.Int64Range(0, 40).Draw(t, "lo"), Block: 4, N: 1}
				under, _ := h.Begin(&Access{Op: "begin", Bytes: stretchOf(&p), Time: time, Clock: sequential{}})
				reads = append(reads, &read{"begin", h.rank, offsetsOf(&p), h.sees, under})
			case "read":
				p := rapid.SampledFrom(raceFiletypes).Draw(t, "pattern")
				p.Lo = rapid.Int64Range(0, 40).Draw(t, "lo")
				op := rapid.SampledFrom([]string{"read", "read", "short"}).Draw(t, "op")
				h.Access(&Access{Op: op, Bytes: stretchOf(&p), Short: op == "short", EndsAt: p.Hi(), Time: time, Clock: sequential{}})
				reads = append(reads, &read{op, h.rank, offsetsOf(&p), h.sees, nil})
			}
		}
		want := []string{}
		for _, op := range []string{"read", "short", "begin"} {
			var holes [2]map[int64]bool // by rank
			for _, r := range reads {
				for off := range r.bytes {
					if r.op == op && off >= r.had && !written[off] {
						if holes[r.rank] == nil {
							holes[r.rank] = map[int64]bool{}
						}
						holes[r.rank][off] = true
					}
				}
			}
			w := consistency.HoleRead{By: consistency.Party{Op: op}, More: -1}
			for rank := range slices.Backward(holes[:]) { // of several ranks the lowest is named
				if holes[rank] == nil {
					continue
				}
				w.By.Rank, w.Ranks, w.More = rank, w.Ranks+1, -1
				for off := range int64(100) {
					switch begins := holes[rank][off] && !holes[rank][off-1]; {
					case begins && w.More < 0:
						w.Lo, w.Hi, w.More = off, off+1, 0
					case begins:
						w.More++
					case holes[rank][off] && w.More == 0:
						w.Hi++
					}
				}
			}
			if w.Ranks > 0 {
				want = append(want, holeText(&w))
			}
		}
		for range 2 { // asked again, it answers the same
			got := []string{}
			for _, g := range d.HoleReads() {
				got = append(got, holeText(&g))
			}
			require.ElementsMatch(t, want, got)
		}
	})
}

func holeText(h *consistency.HoleRead) string {
	return fmt.Sprintf("%s of bytes %d to %d and %d more ranges, on rank %d and %d ranks in all", h.By.Op, h.Lo, h.Hi, h.More, h.By.Rank, h.Ranks)
}

package race

import (
	"fmt"
	"testing"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/stretchr/testify/assert"
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

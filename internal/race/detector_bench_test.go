package race

import (
	"runtime"
	"testing"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
)

// BenchmarkDetector measures one access without races, for several patterns of 16 ranks, and
// the memory of an extent that has to be kept.
func BenchmarkDetector(b *testing.B) {
	const ranks = 16
	for _, l := range []struct {
		name  string
		bytes func(rank, i int64) types.Part
	}{
		{"in a row", func(r, i int64) types.Part { lo := r<<40 + i*64; return extent.Between(lo, lo+64) }},
		{"cyclic, call by call", func(r, i int64) types.Part { lo := (i*ranks + r) * 64; return extent.Between(lo, lo+64) }},
		{"cyclic, 1000 blocks a call", func(r, i int64) types.Part {
			return shift(types.Part{At: cyclicTile, From: i * 64000, N: 64000}, r*64)
		}},
		{"scattered", func(r, i int64) types.Part {
			lo := int64(uint64(i*ranks+r)*0x9E3779B97F4A7C15&(1<<40-1)) * 64 // an odd factor: no two alike
			return extent.Between(lo, lo+64)
		}},
		{"the same again", func(r, _ int64) types.Part { return extent.Between(r*64, r*64+64) }},
	} {
		b.Run(l.name, func(b *testing.B) {
			d := NewDetector(DetectorOptions{})
			var hs []*Tracker
			for r := range ranks {
				hs = append(hs, d.Open(1, r, 1, nil))
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			b.ReportAllocs()
			i := int64(0)
			a := &Access{Op: "WriteAt", Write: true}
			for b.Loop() {
				a.Bytes, a.Time = l.bytes(i%ranks, i/ranks), uint64(i+2)
				hs[i%ranks].Access(a)
				i++
			}
			b.StopTimer()
			runtime.GC()
			runtime.ReadMemStats(&after)
			if n := d.Remembered(); n > 1000 {
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "B/extent")
			}
			b.ReportMetric(float64(d.Remembered()), "extents")
			if len(d.Races()) > 0 {
				b.Fatal(d.Races()[0])
			}
			runtime.KeepAlive(d)
		})
	}
}

var cyclicTile = tileOf(64, 64*16, 0)

func shift(b types.Part, by int64) types.Part {
	b.At.Disp += by
	return b
}

// BenchmarkRaces measures a program in which every pair of lines races: the accesses, with the
// number of pairs that they meet, and the explanations of the races.
func BenchmarkRaces(b *testing.B) {
	const lines = 512
	b.Run("found", func(b *testing.B) {
		for b.Loop() {
			d := racing(64, lines, false)
			b.ReportMetric(float64(d.judged), "pairs")
		}
	})
	b.Run("explained", func(b *testing.B) {
		d := racing(2, lines, false)
		for b.Loop() {
			b.ReportMetric(float64(len(d.Races())), "races")
		}
	})
}

package image_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/types"
)

// tilingOf lays a filetype out from disp on.
func tilingOf(tb testing.TB, ft *types.Type, disp int64) types.Tiling {
	l, err := ft.Layout(types.Host)
	if err != nil {
		tb.Fatal(err)
	}
	return types.Tiling{L: l, Disp: disp}
}

func must(tb testing.TB, err error) {
	if err != nil {
		tb.Fatal(err)
	}
}

// A stretch has the bytes that one rank writes between two syncs.
type stretch struct {
	name  string
	ft    *types.Type
	ranks int
	bytes int64 // of each rank
	disp  int64 // times the rank
}

var stretches = []stretch{
	{"contiguous 1 MiB", types.Byte, 1, 1 << 20, 0},
	{"contiguous 16 MiB of 4 ranks", types.Byte, 4, 4 << 20, 4 << 20},
	{"cyclic double of 4 ranks", types.Resized(types.Double, 0, 32), 4, 2 << 20, 8},
	{"cyclic 64 B of 4 ranks", types.Resized(types.Contiguous(8, types.Double), 0, 256), 4, 4 << 20, 64},
	{"3-D block of 4 ranks", types.Subarray(types.OrderC, []types.Slab{{Size: 128, Sub: 64}, {Size: 128, Sub: 64}, {Size: 128, Sub: 128}}, types.Double), 4, 4 << 20, 0},
}

// tiling places a rank's file type in the file: at its block of the 3-D array, or at rank
// times disp.
func (s *stretch) tiling(tb testing.TB, rank int) types.Tiling {
	if s.name[0] == '3' {
		return tilingOf(tb, s.ft, int64(rank/2*64*128*128*8+rank%2*64*128*8))
	}
	return tilingOf(tb, s.ft, int64(rank)*s.disp)
}

// inParallel runs f for each rank, each on a goroutine of its own.
func inParallel(ranks int, f func(rank int)) {
	var wg sync.WaitGroup
	for r := range ranks {
		wg.Go(func() { f(r) })
	}
	wg.Wait()
}

// BenchmarkWritePublish writes, publishes and adopts on all ranks: the work of a write and a
// sync of package iofile, without packing. In "fresh" no handle needs the old bytes, in
// "rewrite" others still read them.
func BenchmarkWritePublish(b *testing.B) {
	for _, s := range stretches {
		for _, rewrite := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s rewrite=%v", s.name, rewrite), func(b *testing.B) {
				im := image.NewImage(image.NewMemory(image.Poison))
				hs := make([]*image.Handle, s.ranks)
				at := make([]types.Tiling, s.ranks)
				data := make([]byte, s.bytes)
				for r := range hs {
					hs[r], at[r] = im.Open(), s.tiling(b, r)
				}
				b.SetBytes(s.bytes * int64(s.ranks))
				for b.Loop() {
					inParallel(s.ranks, func(r int) {
						h := hs[r]
						if !rewrite {
							h.Retire()
						}
						p := h.Space(s.bytes)
						copy(p, data)
						must(b, h.Write(at[r], 0, p))
						must(b, h.Publish())
						h.Adopt()
					})
				}
			})
		}
	}
}

// BenchmarkAtomic writes disjoint parts in atomic mode, to be compared with
// writing and publishing them.
func BenchmarkAtomic(b *testing.B) {
	for _, size := range []int64{4 << 10, 64 << 10, 1 << 20} {
		for _, atomic := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d KiB of 4 ranks atomic=%v", size>>10, atomic), func(b *testing.B) {
				const ranks, calls = 4, 16
				im := image.NewImage(image.NewMemory(image.Poison))
				data := make([]byte, size)
				hs := make([]*image.Handle, ranks)
				for r := range hs {
					hs[r] = im.Open()
					hs[r].Retire()
					hs[r].SetAtomic(atomic)
				}
				b.SetBytes(size * ranks * calls)
				for b.Loop() {
					inParallel(ranks, func(r int) {
						for i := range int64(calls) {
							p := hs[r].Space(size)
							copy(p, data)
							must(b, hs[r].Write(bytesAt((int64(r)*calls+i)*size), 0, p))
							must(b, hs[r].Publish())
						}
					})
				}
			})
		}
	}
}

// BenchmarkRead reads back published bytes (published) or unpublished bytes of the handle
// itself (own).
func BenchmarkRead(b *testing.B) {
	for _, s := range stretches {
		for _, own := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s own=%v", s.name, own), func(b *testing.B) {
				im := image.NewImage(image.NewMemory(image.Poison))
				hs := make([]*image.Handle, s.ranks)
				at := make([]types.Tiling, s.ranks)
				data := make([][]byte, s.ranks)
				for r := range hs {
					hs[r], at[r], data[r] = im.Open(), s.tiling(b, r), make([]byte, s.bytes)
					must(b, hs[r].Write(at[r], 0, make([]byte, s.bytes)))
					if !own {
						must(b, hs[r].Publish())
					}
				}
				if !own {
					for _, h := range hs {
						h.Adopt()
					}
				}
				b.SetBytes(s.bytes * int64(s.ranks))
				for b.Loop() {
					inParallel(s.ranks, func(r int) {
						_, err := hs[r].Read(at[r], 0, data[r])
						must(b, err)
					})
				}
			})
		}
	}
}

// BenchmarkRecord is one access of 8 bytes.
func BenchmarkRecord(b *testing.B) {
	eight := make([]byte, 8)
	for _, c := range []struct {
		name  string
		place func(i int64) int64
		at    types.Tiling
	}{
		{"write adjacent", func(i int64) int64 { return 8 * (i % 1e6) }, bytesAt(0)},
		{"write cyclic view", func(i int64) int64 { return 8 * (i % 1e6) }, tilingOf(b, types.Resized(types.Double, 0, 32), 0)},
		{"write scattered", func(i int64) int64 { return i * 7919 % 1e6 * 8 }, bytesAt(0)},
	} {
		b.Run(c.name, func(b *testing.B) {
			im := image.NewImage(image.NewMemory(image.Poison))
			h, i := im.Open(), int64(0)
			for b.Loop() {
				p := h.Space(8)
				copy(p, eight)
				must(b, h.Write(c.at, c.place(i), p))
				if i++; i%1e6 == 0 {
					h.Resize(0) // drops the log
				}
			}
		})
	}
	b.Run("read published", func(b *testing.B) {
		im := image.NewImage(image.NewMemory(image.Poison))
		h := im.Open()
		must(b, h.Write(bytesAt(0), 0, make([]byte, 8<<20)))
		must(b, h.Publish())
		h.Adopt()
		for i := int64(0); b.Loop(); i++ {
			_, err := h.Read(bytesAt(0), i%1e6*8, eight)
			must(b, err)
		}
	})
	b.Run("read own of a log of 100 000", func(b *testing.B) {
		im := image.NewImage(image.NewMemory(image.Poison))
		h := im.Open()
		for i := range int64(100_000) {
			must(b, h.Write(bytesAt(0), i*7919%100_000*8, make([]byte, 8)))
		}
		for i := int64(0); b.Loop(); i++ {
			_, err := h.Read(bytesAt(0), i%100_000*8, eight)
			must(b, err)
		}
	})
	b.Run("atomic write", func(b *testing.B) {
		im := image.NewImage(image.NewMemory(image.Poison))
		h := im.Open()
		h.SetAtomic(true)
		for i := int64(0); b.Loop(); i++ {
			must(b, h.Write(bytesAt(0), i%1e6*8, eight))
		}
	})
	b.Run("open and close", func(b *testing.B) {
		im := image.NewImage(image.NewMemory(image.Poison))
		b.ReportAllocs()
		for b.Loop() {
			must(b, im.Open().Close())
		}
	})
}

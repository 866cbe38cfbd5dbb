package iofile_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// BenchmarkAccess moves one file of size bytes, all ranks together, through
// views of the classic patterns; each turn writes all of it, syncs, and reads
// it back.
func BenchmarkAccess(b *testing.B) {
	const ranks, size = 4, 8 << 20
	for _, bm := range []struct {
		name  string
		rep   string
		block int64 // bytes of one rank before it is the next one's turn
	}{
		{"segments", "native", size / ranks},
		{"blocks of 4 KiB", "native", 4096},
		{"blocks of 64", "native", 64},
		{"one double", "native", 8},
		{"segments external32", "external32", size / ranks},
		{"one double external32", "external32", 8},
	} {
		b.Run(bm.name, func(b *testing.B) {
			fsys := iofile.NewMem()
			b.SetBytes(2 * size)
			b.ReportAllocs()
			err := world.Run(b.Context(), ranks, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", create)
				if err != nil {
					return err
				}
				ft := types.Resized(types.Contiguous(bm.block/8, types.Double), 0, ranks*bm.block)
				if err := f.SetView(iofile.View{Disp: bm.block * int64(c.Rank()), Etype: types.Double, Filetype: ft, Rep: bm.rep}); err != nil {
					return err
				}
				mine := types.Of(make([]float64, size/ranks/8))
				turn := func() error {
					if _, err := f.WriteAtAll(mine, 0); err != nil {
						return err
					}
					if err := f.Sync(); err != nil {
						return err
					}
					_, err := f.ReadAtAll(mine, 0)
					return err
				}
				if c.Rank() > 0 {
					for {
						on := make([]byte, 1)
						if err := c.Bcast(types.Of(on), 0); err != nil {
							return err
						}
						if on[0] == 0 {
							return f.Close()
						}
						if err := turn(); err != nil {
							return err
						}
					}
				}
				for b.Loop() {
					if err := c.Bcast(types.Of([]byte{1}), 0); err != nil {
						return err
					}
					if err := turn(); err != nil {
						return err
					}
				}
				if err := c.Bcast(types.Of([]byte{0}), 0); err != nil {
					return err
				}
				return f.Close()
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkSmall is the price of one call.
func BenchmarkSmall(b *testing.B) {
	for _, bm := range []struct {
		name string
		call func(f *iofile.File, buf types.Buffer, i int) error
	}{
		{"WriteAt 8 bytes", func(f *iofile.File, buf types.Buffer, i int) error {
			_, err := f.WriteAt(buf, iofile.Offset(8*(i%1024)))
			return err
		}},
		{"ReadAt 8 bytes", func(f *iofile.File, buf types.Buffer, i int) error {
			_, err := f.ReadAt(buf, iofile.Offset(8*(i%1024)))
			return err
		}},
	} {
		for name, opts := range map[string][]iofile.Option{"": nil, " unwatched": {iofile.WithRaceDetector(consistency.Off)}} {
			b.Run(bm.name+name, func(b *testing.B) {
				b.ReportAllocs()
				err := world.Run(b.Context(), 1, func(_ context.Context, c *comm.Comm) error {
					f, err := iofile.Open(c, iofile.NewMem(opts...), "f", create)
					if err != nil {
						return err
					}
					buf, i := types.Of(make([]float64, 1)), 0
					for b.Loop() {
						if err := bm.call(f, buf, i); err != nil {
							return err
						}
						i++
					}
					return f.Close()
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// rewind has a file written over and over.
func rewind(c *comm.Comm, f *iofile.File, i int64) error {
	if i%1024 > 0 {
		return nil
	}
	return cmp.Or(f.Sync(), c.Barrier(), f.Sync(), f.SeekShared(0, iofile.SeekSet))
}

// BenchmarkTogether measures one call by each of four ranks on one file under
// [consistency.POSIX]: collective calls, calls at the shared pointer, split calls, and
// opening and closing.
func BenchmarkTogether(b *testing.B) {
	const ranks = 4
	buf := make([]float64, 512)
	for _, bm := range []struct {
		name string
		call func(c *comm.Comm, f *iofile.File, i int64) error
	}{
		{"WriteShared 4 KiB", func(c *comm.Comm, f *iofile.File, i int64) error {
			if err := rewind(c, f, i); err != nil {
				return err
			}
			_, err := f.WriteShared(types.Of(buf))
			return err
		}},
		{"WriteOrdered 4 KiB", func(c *comm.Comm, f *iofile.File, i int64) error {
			if err := rewind(c, f, i); err != nil {
				return err
			}
			_, err := f.WriteOrdered(types.Of(buf))
			return err
		}},
		{"WriteAtAllBegin and End 4 KiB", func(c *comm.Comm, f *iofile.File, i int64) error {
			if err := rewind(c, f, i); err != nil {
				return err
			}
			b := types.Of(buf)
			if err := f.WriteAtAllBegin(b, iofile.Offset(4096*c.Rank())); err != nil {
				return err
			}
			_, err := f.WriteAtAllEnd(b)
			return err
		}},
		{"Open and Close", nil},
	} {
		b.Run(bm.name, func(b *testing.B) {
			fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
			b.ReportAllocs()
			var calls atomic.Int64
			err := world.Run(b.Context(), ranks, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", create)
				if err != nil {
					return err
				}
				if c.Rank() == 0 {
					b.ResetTimer()
				}
				for i := range int64(b.N) {
					if bm.call != nil {
						err = bm.call(c, f, i)
					} else if err = f.Close(); err == nil {
						f, err = iofile.Open(c, fsys, "f", create)
					}
					if err != nil {
						return err
					}
				}
				calls.Add(int64(b.N))
				return f.Close()
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls.Load()), "ns/call")
		})
	}
}

// BenchmarkFirst measures the first 64 calls of a world, whose events are all recorded for
// fixes. The time of the world is part of it.
func BenchmarkFirst(b *testing.B) {
	const calls = 64
	buf := make([]float64, 512)
	for _, ranks := range []int{4, 16} {
		for name, call := range map[string]func(f *iofile.File) error{
			"Open and Close": nil,
			"WriteShared":    func(f *iofile.File) error { return second(f.WriteShared(types.Of(buf))) },
			"WriteOrdered":   func(f *iofile.File) error { return second(f.WriteOrdered(types.Of(buf))) },
		} {
			b.Run(fmt.Sprintf("%s, %d ranks", name, ranks), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
					if err := world.Run(b.Context(), ranks, func(_ context.Context, c *comm.Comm) error {
						f, err := iofile.Open(c, fsys, "f", create)
						for i := 0; i < calls && err == nil; i++ {
							if call != nil {
								err = call(f)
							} else if err = f.Close(); err == nil {
								f, err = iofile.Open(c, fsys, "f", create)
							}
						}
						return errors.Join(err, f.Close())
					}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N*calls), "us/call")
			})
		}
	}
}

// BenchmarkStretch measures one small call while each of four ranks accesses its own
// stretch of one file, from begin to end, again and again, under [consistency.POSIX].
func BenchmarkStretch(b *testing.B) {
	const ranks, mine = 4, 1 << 20
	for _, size := range []int64{8, 64, 4 << 10} {
		for _, write := range []bool{true, false} {
			name := fmt.Sprintf("ReadAt %d B", size)
			if write {
				name = fmt.Sprintf("WriteAt %d B", size)
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
				err := world.Run(b.Context(), ranks, func(_ context.Context, c *comm.Comm) error {
					f, err := iofile.Open(c, fsys, "f", create)
					if err != nil {
						return err
					}
					buf, from := types.Of(make([]byte, mine)), iofile.Offset(c.Rank())*mine
					if _, err := f.WriteAt(buf, from); err != nil {
						return err
					}
					if err := c.Barrier(); err != nil {
						return err
					}
					if c.Rank() == 0 {
						b.ResetTimer()
					}
					for i := range int64(b.N) {
						at := i * size % mine
						piece := types.Of(buf.Mem()[at : at+size])
						if write {
							_, err = f.WriteAt(piece, from+iofile.Offset(at))
						} else {
							_, err = f.ReadAt(piece, from+iofile.Offset(at))
						}
						if err != nil {
							return err
						}
					}
					return f.Close()
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// BenchmarkHoles moves 4 MiB in blocks of 64 bytes under [consistency.POSIX]: every second
// block of memory, every fourth one of the file. A move from memory to memory gives the
// lower bound.
func BenchmarkHoles(b *testing.B) {
	const size, block = 4 << 20, 64
	every := func(n int64, mem []float64) types.Buffer {
		return types.Of(mem).As(types.Vector(size/block, block/8, n*block/8, types.Double)).Times(1)
	}
	mem, place := make([]float64, 2*size/8), make([]float64, 4*size/8)
	for _, s := range [][]float64{mem, place} {
		for i := range s {
			s[i] = 1 // memory that no rank wrote is one page of zeros
		}
	}
	for _, bm := range []struct {
		name string
		call func(f *iofile.File, buf types.Buffer) error
	}{
		{"WriteAt", func(f *iofile.File, buf types.Buffer) error { _, err := f.WriteAt(buf, 0); return err }},
		{"ReadAt", func(f *iofile.File, buf types.Buffer) error { _, err := f.ReadAt(buf, 0); return err }},
		{"copy", func(_ *iofile.File, buf types.Buffer) error {
			types.Copy(buf, 0, types.Host, every(4, place), 0, types.Host, size)
			return nil
		}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(size)
			err := world.Run(b.Context(), 1, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, iofile.NewMem(iofile.WithModel(consistency.POSIX)), "f", create)
				if err != nil {
					return err
				}
				ft := types.Resized(types.Contiguous(block/8, types.Double), 0, 4*block)
				if err := f.SetView(iofile.View{Etype: types.Double, Filetype: ft}); err != nil {
					return err
				}
				buf := every(2, mem)
				if _, err := f.WriteAt(buf, 0); err != nil {
					return err
				}
				for b.Loop() {
					if err := bm.call(f, buf); err != nil {
						return err
					}
				}
				return f.Close()
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkSparse reads single bytes of a page under [consistency.POSIX]. Of the page all
// bytes are written, or only the first.
func BenchmarkSparse(b *testing.B) {
	const page = 64 << 10
	for name, written := range map[string]int{"ReadAt 1 B, written": page, "ReadAt 1 B, mostly unwritten": 1} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			err := world.Run(b.Context(), 1, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, iofile.NewMem(iofile.WithModel(consistency.POSIX)), "f", create)
				if err != nil {
					return err
				}
				if _, err := f.WriteAt(types.Of(make([]byte, written)), 0); err != nil {
					return err
				}
				if err := f.SetSize(page); err != nil {
					return err
				}
				p := types.Of(make([]byte, 1))
				for i := iofile.Offset(0); b.Loop(); i++ {
					if _, err := f.ReadAt(p, i%page); err != nil {
						return err
					}
				}
				return f.Close()
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

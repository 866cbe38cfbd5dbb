package iofile_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// BenchmarkRaceDetector measures the cost of the race detector: each pattern on four ranks with
// it and without.
func BenchmarkRaceDetector(b *testing.B) {
	const ranks = 4
	cyclic := types.Resized(types.Double, 0, 8*ranks)
	for _, p := range []struct {
		name  string
		view  *types.Type // nil: bytes, in a stretch for each rank
		bytes int64       // of a call
		calls int64
	}{
		{"64 B in a row", nil, 64, 4096},
		{"4 KiB in a row", nil, 4 << 10, 1024},
		{"cyclic double, 8 B a call", cyclic, 8, 4096},
		{"cyclic double, 64 KiB a call", cyclic, 64 << 10, 64},
		{"3-D block", types.Subarray(types.OrderC, []types.Slab{{Size: 64, Sub: 32}, {Size: 64, Sub: 32}, {Size: 64, Sub: 64}}, types.Double), 32 * 32 * 64 * 8, 4},
	} {
		for name, opts := range map[string][]world.Option{"on": nil, "off": {world.Unchecked()}} {
			b.Run(p.name+"/"+name, func(b *testing.B) {
				b.SetBytes(p.bytes * p.calls * ranks)
				for b.Loop() {
					fsys := iofile.NewMem()
					if err := world.Run(b.Context(), ranks, func(_ context.Context, c *comm.Comm) error {
						f, err := iofile.Open(c, fsys, "f", create)
						if err != nil {
							return err
						}
						buf := types.Of(make([]byte, p.bytes))
						at, step := int64(c.Rank())*p.bytes*p.calls, p.bytes
						if p.view != nil {
							disp := int64(c.Rank()) * 8
							if p.bytes > 1<<18 {
								disp = int64(c.Rank()/2)*32*64*64*8 + int64(c.Rank()%2)*32*64*8
							}
							if err := f.SetView(iofile.View{Disp: disp, Etype: types.Double, Filetype: p.view}); err != nil {
								return err
							}
							buf = types.Of(make([]float64, p.bytes/8))
							at, step = 0, p.bytes/8
						}
						for i := range p.calls {
							if _, err := f.WriteAt(buf, iofile.Offset(at+i*step)); err != nil {
								return fmt.Errorf("call %d: %w", i, err)
							}
						}
						return f.Close()
					}, opts...); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

package types

import (
	"iter"
	"math"
)

// A Part is N packed bytes of a tiling from packed position From on: the bytes of a file
// that an access of one rank moves. The zero Part has none.
type Part struct {
	At      Tiling
	From, N int64
}

// Runs returns the bytes of the part in the order of its typemap: offset and length of each
// run. As in ROMIO, runs end at the border of two copies of the layout, even if bytes touch
// there. A tiling without gaps is one run.
func (p *Part) Runs() iter.Seq2[int64, int64] {
	return func(yield func(off, n int64) bool) {
		if p.N <= 0 || p.At.L == nil {
			return
		}
		size := p.At.L.Size
		if p.At.L.Gapless() {
			size = math.MaxInt64
		}
		for pos := int64(0); pos < p.N; {
			from := p.From + pos
			for off, n := range p.At.Runs(from, min(p.N-pos, size-from%size)) {
				if !yield(off, n) {
					return
				}
				pos += n
			}
		}
	}
}

// Pieces returns the number of runs. Each copy of the layout after the first adds as many as
// the one before it, so only a few are visited.
func (p *Part) Pieces() (n int64) {
	count := func(from, size int64) (n int64) {
		for range p.At.Runs(from, size) {
			n++
		}
		return n
	}
	if p.At.L.Gapless() {
		return 1
	}
	rest, size := p.N, p.At.L.Size
	if copies := p.N/size - 2; copies > 2 {
		n = copies * (count(p.From, 2*size) - count(p.From, size))
		rest -= copies * size
	}
	return n + count(p.From, rest)
}

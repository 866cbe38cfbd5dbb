package extent

import (
	"math"
	"math/bits"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// BytesLayout is one byte: tiled from offset 0, packed positions are offsets.
var BytesLayout, _ = types.Byte.Layout(types.Host)

// Flat places packed bytes at the offset that is their position.
func Flat() types.Tiling { return types.Tiling{L: BytesLayout} }

// Ascending reports whether packed bytes of w lie at ever greater offsets. All
// tilings do that are written through; those that only show the same byte
// twice, or whose copies interleave, are taken apart into runs (IO-VIEW-21).
func Ascending(w types.Tiling) bool {
	l := w.L
	return l.Monotone() && !l.Overlaps() && l.Extent >= l.TrueUB-l.TrueLB
}

// Dense reports whether packed bytes of w are one run without end.
func Dense(w types.Tiling) bool {
	return w.L == BytesLayout || w.L.Extent == w.L.Size && w.L.Dense()
}

// Check reports what is wrong with an access to n packed bytes from from.
func Check(op string, w types.Tiling, from, n int64) error {
	switch {
	case w.L == nil || (w.L.Size == 0 && n > 0):
		return Fault(op, errclass.Arg, "IO-VIEW-18", "the tiling shows no bytes")
	case from < 0:
		return Fault(op, errclass.Arg, "IO-DA-03", "position %d is negative", from)
	case from > math.MaxInt64-n:
		return Fault(op, errclass.Arg, "IO-DA-16", "%d bytes from position %d end beyond what a position can say", n, from)
	case Far(w, from+n):
		return Fault(op, errclass.Arg, "IO-DA-16", "%d bytes from position %d lie outside of what a file can hold", n, from)
	}
	return nil
}

// Far reports whether the offset of packed position pos cannot be computed.
func Far(w types.Tiling, pos int64) bool {
	const near = 1 << 61
	extent := uint64(max(w.L.Extent, -w.L.Extent))
	if w.Disp < near && w.L.TrueUB < near && bits.Len64(uint64(pos))+bits.Len64(extent) < 62 {
		return false
	}
	hi, lo := bits.Mul64(uint64(max(pos-1, 0)/max(w.L.Size, 1)), extent)
	lo, carry := bits.Add64(lo, uint64(max(w.Disp, 0)), 0)
	lo, over := bits.Add64(lo, uint64(max(w.L.TrueUB, 0)), 0)
	return hi+carry+over > 0 || lo > math.MaxInt64
}

// InFile reports bytes that lie outside what a file can hold.
func InFile(op string, lo, hi int64) error {
	if lo < 0 || hi < lo || hi > MaxSize {
		return Fault(op, errclass.Arg, "IO-DA-16", "bytes from %d to %d lie outside of what a file can hold, %d bytes", lo, hi, int64(MaxSize))
	}
	return nil
}

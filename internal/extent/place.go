package extent

import (
	"math"
	"math/bits"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// BytesLayout is one byte: tiled from offset 0, packed positions are offsets.
var BytesLayout, _ = types.Byte.Layout(types.Host)

// Flat returns the tiling in which the offset of a packed byte equals its position.
func Flat() types.Tiling { return types.Tiling{L: BytesLayout} }

// Ascending reports whether packed bytes of w are at ever greater offsets. All tilings that
// are written through are ascending; those that show the same byte twice, or whose copies
// interleave, are split into runs (IO-VIEW-21).
func Ascending(w types.Tiling) bool {
	l := w.L
	return l.Monotone() && !l.Overlaps() && l.Extent >= l.TrueUB-l.TrueLB
}

// Dense reports whether packed bytes of w are one endless run.
func Dense(w types.Tiling) bool {
	return w.L == BytesLayout || w.L.Gapless()
}

// Check returns an error if n packed bytes from position from on cannot be accessed.
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

// Far reports whether the offset of packed position pos is too large to be computed.
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

// InFile returns an error if bytes [lo, hi) are outside what a file can hold.
func InFile(op string, lo, hi int64) error {
	if lo < 0 || hi < lo || hi > MaxSize {
		return Fault(op, errclass.Arg, "IO-DA-16", "bytes from %d to %d lie outside of what a file can hold, %d bytes", lo, hi, int64(MaxSize))
	}
	return nil
}

// Holds reports whether the first n packed bytes of tiles, n > 0, have offsets at which a
// file can have bytes.
func Holds(tiles types.Tiling, n int64) bool {
	l := tiles.L
	if l.Size == 0 {
		return true
	}
	if l.Extent == l.Size && l.TrueLB == 0 && l.Dense() && tiles.Disp >= 0 {
		return n <= MaxSize-tiles.Disp
	}
	k := (n - 1) / l.Size
	hi, far := bits.Mul64(uint64(k), uint64(l.Extent))
	if hi != 0 || far > MaxSize || max(tiles.Disp, l.TrueUB) > MaxSize {
		return false
	}
	last := types.Tiling{L: l}.At((n-1)%l.Size) + 1
	if k > 0 { // the copy before may reach farther
		last = max(last, l.TrueUB-l.Extent)
	}
	return last <= MaxSize-int64(far)-tiles.Disp
}

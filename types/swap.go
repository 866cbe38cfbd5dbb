package types

import "github.com/commworld/commworld/internal/simd"

// A Swap is another order of the bytes of packed items, for another byte order of numbers:
// byte i in the swapped order is a certain other byte of [Buffer.Pack]. Applying it twice
// gives the original order.
type Swap struct {
	// Width is the size of all items, whose bytes are reversed: 2, 4, 8 or 16. 0: see Unit.
	Width int64
	// Unit is one piece of packed bytes, at most 64, that repeats without end: byte i of it
	// comes from byte Unit[i].
	Unit []byte
}

// window returns the order of 64 packed bytes that begin with a piece.
func (t *Swap) window() (order [windowSize]byte) {
	for i := range order {
		if t.Width > 0 {
			order[i] = byte(int64(i) ^ (t.Width - 1))
		} else {
			n := len(t.Unit)
			order[i] = byte(i/n*n) + t.Unit[i%n]
		}
	}
	return order
}

// PackSwapped is [Buffer.Pack] from the first byte on with the bytes swapped, as far as
// both can be done in one pass. It returns how many bytes it has packed: those of whole
// copies of the datatype, or none if a separate second pass is as good.
func (b Buffer) PackSwapped(dst []byte, t *Swap, s Sizes) int64 {
	if w, ok := b.tiling(s); ok && !b.reordered(w.L) {
		return w.moveSwapped(dst, b.mem, t, true)
	}
	return 0
}

// UnpackSwapped is [Buffer.Unpack] with the bytes swapped, as [Buffer.PackSwapped]. No item
// may be a bool.
func (b Buffer) UnpackSwapped(src []byte, t *Swap, s Sizes) int64 {
	if w, ok := b.tiling(s); ok && !b.reordered(w.L) {
		return w.moveSwapped(src, b.mem, t, false)
	}
	return 0
}

// moveSwapped is move with swapped bytes. Items of one width are swapped wherever they are
// moved, because every piece of a layout is made of whole items. A piece of items of
// several widths must begin each window of a stencil.
func (w Tiling) moveSwapped(packed, mem []byte, t *Swap, pack bool) int64 {
	nd := w.L.tile.nd
	if nd == nil || len(packed) == 0 {
		return 0
	}
	n := int64(len(packed)) / nd.size * nd.size
	if t.Width > 0 {
		n = int64(len(packed))
	}
	if lo, hi := w.Span(0, n); n == 0 || lo < 0 || hi > int64(len(mem)) {
		return 0
	}
	m := newMover(packed, mem, pack)
	m.swap = t
	off := w.Disp + w.L.tile.off
	switch {
	case t.Width > 0:
		m.repPart(nd, w.L.pitch, off, 0, 0, n)
	case !m.combSwapped(nd, n/nd.size, w.L.pitch, off):
		return 0
	}
	return n
}

// combSwapped moves n copies of kid through a stencil whose windows consist of whole
// pieces, if possible, and reports whether it did.
func (m *mover) combSwapped(kid *node, n, stride, off int64) bool {
	near, far := steps{n, stride}, steps{1, 0}
	if kid.op == opRep && kid.mask == 0 {
		near, far, kid = steps{kid.n, kid.stride}, near, kid.kid
	}
	unit := int64(len(m.swap.Unit))
	if !simd.Fast || kid.mask == 0 || unit == 0 || kid.size%unit != 0 || near.n*far.n*kid.size < fewest {
		return false
	}
	return m.windows(kid, near, far, off, 0)
}

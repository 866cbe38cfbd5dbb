package reps

import (
	"github.com/commworld/commworld/internal/simd"
	"github.com/commworld/commworld/types"
)

// A swap is a conversion that moves every byte within its own item and cannot fail: the
// items have the same sizes on both sides and may differ in byte order. It consists of one
// piece that repeats.
type swap struct {
	size   int64 // packed bytes of the piece
	width  int64 // of all items, if all are swapped alike; 0: see blocks
	blocks [maxBlocks]simd.Block
	n      int
	unit   [maxUnit]byte // the piece, if it is short enough; see [types.Swap]
}

// Longer pieces are converted kind by kind, or are not swapped while they are packed.
const (
	maxBlocks = 32
	maxUnit   = 64
)

// typesSwap returns t as package types takes it.
func (t *swap) typesSwap() types.Swap {
	switch {
	case t.width > 0:
		return types.Swap{Width: t.width}
	case t.size <= maxUnit:
		return types.Swap{Unit: t.unit[:t.size]}
	}
	return types.Swap{}
}

// of makes t the swap that converts items of sig from form g to form f, and reports whether
// nothing more has to be done.
func (t *swap) of(sig types.Signature, f, g form) bool {
	if k := sig.Only(); k != types.KindNone {
		w, ok := swappedWidth(k, f, g)
		t.size, t.width = w, w
		return ok
	}
	t.size, t.width, t.n = 0, 0, 0
	for k, n := range sig.Unit().Runs() {
		w, ok := swappedWidth(k, f, g)
		if !ok || n > 16*maxBlocks {
			return false
		}
		for range n * (f.sizes.Sizeof(k) / w) {
			if !t.add(w) {
				return false
			}
		}
	}
	return t.n > 0
}

// add appends an item of w bytes; items share a block as long as they fit.
func (t *swap) add(w int64) bool {
	if t.n == 0 || t.blocks[t.n-1].Advance+w > 16 {
		if t.n == maxBlocks {
			return false
		}
		t.blocks[t.n] = simd.Block{}
		for i := range t.blocks[t.n].Mask {
			t.blocks[t.n].Mask[i] = byte(i)
		}
		t.n++
	}
	b := &t.blocks[t.n-1]
	for i := range w {
		b.Mask[b.Advance+i] = byte(b.Advance + w - 1 - i)
		if t.size+w <= maxUnit {
			t.unit[t.size+i] = byte(t.size + w - 1 - i)
		}
	}
	b.Advance += w
	t.size += w
	return true
}

// swappedWidth returns the width of the swap in an item of kind k, 1 if bytes only move; ok
// is false if more has to be done.
func swappedWidth(k types.Kind, f, g form) (width int64, ok bool) {
	width = f.sizes.Sizeof(k)
	same := f.order == g.order
	switch k.Family() {
	case types.FamilyOpaque:
		return 1, true
	case types.FamilyBool:
		return 0, false
	case types.FamilyComplex:
		width /= 2
	}
	if f.sizes.Sizeof(k) != g.sizes.Sizeof(k) || isWide(k) && f.wide != g.wide {
		return 0, false
	}
	if same || isWide(k) && f.wide.x87() {
		return 1, true
	}
	return width, width <= 16
}

// run swaps packed bytes that begin with a piece and end with an item.
func (t *swap) run(dst, src []byte) {
	if t.width > 0 {
		reorder(dst, src, t.width, false)
		return
	}
	simd.Shuffle(dst[:len(src)], src, t.blocks[:t.n])
}

// reorder copies items of size bytes, and reverses their bytes unless both sides have the
// same order.
func reorder(dst, src []byte, size int64, same bool) {
	if same || size == 1 {
		copy(dst, src)
		return
	}
	simd.Swap(dst[:len(src)], src, int(size))
}

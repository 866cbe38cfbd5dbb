package reps

import (
	"github.com/commworld/commworld/internal/simd"
	"github.com/commworld/commworld/types"
)

// A turn is a conversion that moves every byte within its own item and cannot
// fail: the items have the same sizes on both sides and at most another order
// of bytes. It is made of one stretch that repeats.
type turn struct {
	size   int64 // packed bytes of the stretch
	width  int64 // of all items, if they are turned alike; 0: see blocks
	blocks [maxBlocks]simd.Block
	n      int
	unit   [maxUnit]byte // the stretch, if it is no longer; see [types.Swap]
}

// Longer stretches are converted kind by kind, or are not turned on their way.
const (
	maxBlocks = 32
	maxUnit   = 64
)

// byTheWay is t as package types takes it.
func (t *turn) byTheWay() types.Swap {
	switch {
	case t.width > 0:
		return types.Swap{Width: t.width}
	case t.size <= maxUnit:
		return types.Swap{Unit: t.unit[:t.size]}
	}
	return types.Swap{}
}

// of makes t the turn that converts items of sig from form g to form f, and
// reports whether that is all there is to do.
func (t *turn) of(sig types.Signature, f, g form) bool {
	if k := sig.Only(); k != types.KindNone {
		w, ok := turned(k, f, g)
		t.size, t.width = w, w
		return ok
	}
	t.size, t.width, t.n = 0, 0, 0
	for k, n := range sig.Unit().Runs() {
		w, ok := turned(k, f, g)
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

// add appends an item of w bytes; as many as fit share a block.
func (t *turn) add(w int64) bool {
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

// turned returns the width of what is turned round in an item of kind k, 1 if
// it only moves; ok is false if more has to be done.
func turned(k types.Kind, f, g form) (width int64, ok bool) {
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

// run turns packed bytes that begin with a stretch and end with an item.
func (t *turn) run(dst, src []byte) {
	if t.width > 0 {
		reorder(dst, src, t.width, false)
		return
	}
	simd.Shuffle(dst[:len(src)], src, t.blocks[:t.n])
}

// reorder copies items of size bytes, turning their bytes round unless both
// sides have the same order.
func reorder(dst, src []byte, size int64, same bool) {
	if same || size == 1 {
		copy(dst, src)
		return
	}
	simd.Turn(dst[:len(src)], src, int(size))
}

package reps

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// reorder copies items of size bytes, turning their bytes round unless both
// sides have the same order.
func reorder(dst, src []byte, size int64, same bool) {
	switch {
	case same || size == 1:
		copy(dst, src)
	case size == 2:
		swap2(dst, src)
	case size == 4:
		swap4(dst, src)
	case size == 8:
		swap8(dst, src)
	default:
		swapAny(dst, src, int(size))
	}
}

// The loops read and write through slices of constant length: that way the
// compiler checks bounds once an item and uses plain loads, swaps and stores.

func swap2(dst, src []byte) {
	for len(src) >= 2 && len(dst) >= 2 {
		binary.NativeEndian.PutUint16(dst[:2], bits.ReverseBytes16(binary.NativeEndian.Uint16(src[:2])))
		dst, src = dst[2:], src[2:]
	}
}

func swap4(dst, src []byte) {
	for len(src) >= 4 && len(dst) >= 4 {
		binary.NativeEndian.PutUint32(dst[:4], bits.ReverseBytes32(binary.NativeEndian.Uint32(src[:4])))
		dst, src = dst[4:], src[4:]
	}
}

func swap8(dst, src []byte) {
	for len(src) >= 8 && len(dst) >= 8 {
		binary.NativeEndian.PutUint64(dst[:8], bits.ReverseBytes64(binary.NativeEndian.Uint64(src[:8])))
		dst, src = dst[8:], src[8:]
	}
}

func swapAny(dst, src []byte, size int) {
	for len(src) >= size && len(dst) >= size {
		copy(dst[:size], src[:size])
		slices.Reverse(dst[:size])
		dst, src = dst[size:], src[size:]
	}
}

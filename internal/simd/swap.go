package simd

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"
)

// Swap sets dst to the items of src, of width bytes each, with the bytes of
// each in reverse order. The slices have one length, a multiple of width, and
// are the same or do not overlap.
func Swap(dst, src []byte, width int) {
	n := 0
	if fastSwap && len(dst) >= len(src) && 32%width == 0 {
		for end := len(src) &^ 31; n < end; {
			part := min(end-n, 64*most)
			swap(unsafe.Pointer(&dst[n]), unsafe.Pointer(&src[n]), int64(part), (*[32]byte)(reversal(int64(width))[:]))
			n += part
		}
	}
	swapGo(dst[n:], src[n:], width)
}

// swapGo is Swap in Go. The loops read and write through slices of constant
// length: that way the compiler checks bounds once an item and uses plain
// loads and stores. Items shorter than a word are swapped several at a time.
func swapGo(dst, src []byte, width int) {
	word := binary.NativeEndian
	switch width {
	case 1:
		copy(dst, src)
	case 2:
		const low = 0x00ff00ff00ff00ff
		for len(src) >= 8 && len(dst) >= 8 {
			x := word.Uint64(src[:8])
			word.PutUint64(dst[:8], x>>8&low|x&low<<8)
			dst, src = dst[8:], src[8:]
		}
		for len(src) >= 2 && len(dst) >= 2 {
			word.PutUint16(dst[:2], bits.ReverseBytes16(word.Uint16(src[:2])))
			dst, src = dst[2:], src[2:]
		}
	case 4:
		for len(src) >= 8 && len(dst) >= 8 {
			word.PutUint64(dst[:8], bits.RotateLeft64(bits.ReverseBytes64(word.Uint64(src[:8])), 32))
			dst, src = dst[8:], src[8:]
		}
		for len(src) >= 4 && len(dst) >= 4 {
			word.PutUint32(dst[:4], bits.ReverseBytes32(word.Uint32(src[:4])))
			dst, src = dst[4:], src[4:]
		}
	case 8:
		for len(src) >= 8 && len(dst) >= 8 {
			word.PutUint64(dst[:8], bits.ReverseBytes64(word.Uint64(src[:8])))
			dst, src = dst[8:], src[8:]
		}
	default:
		for len(src) >= width && len(dst) >= width {
			copy(dst[:width], src[:width])
			slices.Reverse(dst[:width])
			dst, src = dst[width:], src[width:]
		}
	}
}

// A Block is a step of a [Shuffle]: Advance bytes, of which byte i comes from
// byte Mask[i]. The rest of the mask is i itself.
type Block struct {
	Mask    [16]byte
	Advance int64 // 1 to 16
}

// Shuffle permutes bytes by the blocks, repeatedly. The slices have one length. It need not
// be a multiple of the blocks' advance, if the remaining bytes are permuted among
// themselves. They are the same or do not overlap.
func Shuffle(dst, src []byte, blocks []Block) {
	var unit int64
	for i := range blocks {
		unit += blocks[i].Advance
	}
	if unit == 0 {
		return
	}
	// A block reads and writes 16 bytes, so the last bytes are moved one by one.
	n := (int64(len(src)) - 16) / unit
	if !fastSwap || len(dst) < len(src) {
		n = 0
	}
	at := int64(0)
	for step := 64 * most / unit; n > 0; n -= step {
		part := min(n, step)
		shuffle(unsafe.Pointer(&dst[at]), unsafe.Pointer(&src[at]), part, unsafe.SliceData(blocks), int64(len(blocks)))
		at += part * unit
	}
	shuffleGo(dst[at:], src[at:], blocks)
}

func shuffleGo(dst, src []byte, blocks []Block) {
	for i := 0; len(src) > 0; i = (i + 1) % len(blocks) {
		b := &blocks[i]
		n := min(b.Advance, int64(len(src)))
		var was [16]byte
		copy(was[:], src[:n])
		for k := range n {
			dst[k] = was[b.Mask[k]]
		}
		dst, src = dst[n:], src[n:]
	}
}

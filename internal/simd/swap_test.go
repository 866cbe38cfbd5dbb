package simd

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// If a swapped byte went to the wrong place, numbers in files would be wrong.
func TestSwap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{1, 2, 4, 8, 16, 3, 12}).Draw(t, "width")
		n := rapid.IntRange(0, 100).Draw(t, "items") * width
		src := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "src")
		want := slices.Clone(src)
		for i := 0; i < n; i += width {
			slices.Reverse(want[i : i+width])
		}
		for what, f := range map[string]func(dst, src []byte, width int){"Swap": Swap, "swapGo": swapGo} {
			room := bytes.Repeat([]byte{0xee}, n+64)
			f(room[32:32+n], src, width)
			if !bytes.Equal(room[32:32+n], want) || bytes.Count(room[:32], []byte{0xee})+bytes.Count(room[32+n:], []byte{0xee}) != 64 {
				t.Fatalf("%s of %x, %d wide, is %x", what, src, width, room)
			}
			same := slices.Clone(src)
			f(same, same, width)
			if !bytes.Equal(same, want) {
				t.Fatalf("%s in place of %x, %d wide, is %x", what, src, width, same)
			}
		}
	})
}

// The same for structs, whose members have different widths.
func TestShuffle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var blocks []Block
		unit := 0
		for range rapid.IntRange(1, 5).Draw(t, "blocks") {
			b := Block{Advance: rapid.Int64Range(1, 16).Draw(t, "advance")}
			for i, at := range rapid.Permutation(slices.Collect(numbers(int(b.Advance)))).Draw(t, "mask") {
				b.Mask[i] = at
			}
			for i := b.Advance; i < 16; i++ {
				b.Mask[i] = byte(i)
			}
			blocks, unit = append(blocks, b), unit+int(b.Advance)
		}
		n := rapid.IntRange(0, 12).Draw(t, "units") * unit
		src := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "src")
		want := make([]byte, n)
		for i, at := 0, 0; at < n; i++ {
			b := blocks[i%len(blocks)]
			for k := range int(b.Advance) {
				want[at+k] = src[at+int(b.Mask[k])]
			}
			at += int(b.Advance)
		}
		for what, f := range map[string]func(dst, src []byte, blocks []Block){"Shuffle": Shuffle, "shuffleGo": shuffleGo} {
			room := bytes.Repeat([]byte{0xee}, n+64)
			f(room[32:32+n], src, blocks)
			if !bytes.Equal(room[32:32+n], want) || bytes.Count(room[:32], []byte{0xee})+bytes.Count(room[32+n:], []byte{0xee}) != 64 {
				t.Fatalf("%s is %x, want %x", what, room, want)
			}
			same := slices.Clone(src)
			f(same, same, blocks)
			if !bytes.Equal(same, want) {
				t.Fatalf("%s in place is %x, want %x", what, same, want)
			}
		}
	})
}

func numbers(n int) func(func(byte) bool) {
	return func(yield func(byte) bool) {
		for i := range n {
			if !yield(byte(i)) {
				return
			}
		}
	}
}

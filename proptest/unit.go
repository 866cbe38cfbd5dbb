package proptest

import (
	"encoding/binary"

	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
)

// A unit is an etype by its definition: consecutive items, each with its size in memory
// and its size in the file.
type unit struct {
	items     []itemSizes
	mem, file int64
	swapped   bool // the file has the most significant byte first, memory has not
}

type itemSizes struct{ mem, file int64 }

var bytewise = unit{items: []itemSizes{{1, 1}}, mem: 1, file: 1}

// etypeOf returns the unit of an etype under a representation, for ranks of the
// default architecture.
func etypeOf(t *types.Type, rep string) unit {
	in, out := naive.Of(t, reps.LP64LE), naive.Of(t, gen.SizesOf(rep))
	u := unit{mem: in.Size(), file: out.Size(), swapped: rep == "external32"}
	for i := range in.Items {
		u.items = append(u.items, itemSizes{in.Items[i].Size, out.Items[i].Size})
	}
	return u
}

var hostIsLittle = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// each calls do for every item of p; its bytes in the file begin at offset file.
func (u unit) each(p []byte, do func(mem []byte, file int64, size int64)) {
	at, file := int64(0), int64(0)
	for at < int64(len(p)) {
		for _, it := range u.items {
			do(p[at:at+it.mem], file, it.file)
			at += it.mem
			file += it.file
		}
	}
}

// place returns the byte of an item's memory for byte i of its size bytes in the file, by
// the definition of external32: big-endian, the low-order bytes.
func (u unit) place(mem, size, i int64) int64 {
	fromLow := i // significance of byte i of the file
	if u.swapped || !hostIsLittle {
		fromLow = size - 1 - i
	}
	if hostIsLittle {
		return fromLow
	}
	return mem - 1 - fromLow
}

// mark fills p with the data of an access of a program with marks.
func (u unit) mark(p []byte, rank, op int) { u.fill(gen.Marks, p, rank, op) }

// fill fills p with the data of an access. Bytes that the file cannot hold are 0.
func (u unit) fill(v gen.Values, p []byte, rank, op int) {
	file := v.Data(rank, op, int64(len(p))/u.mem*u.file)
	if u.plain() {
		copy(p, file)
		return
	}
	u.each(p, func(mem []byte, at, size int64) {
		for i := range size {
			mem[u.place(int64(len(mem)), size, i)] = file[at+i]
		}
	})
}

// plain reports whether memory has the same bytes as the file.
func (u unit) plain() bool { return u.mem == u.file && !u.swapped }

// encode returns packed memory in the form of the file, and whether all bytes that the
// file does not hold are 0.
func (u unit) encode(p []byte) ([]byte, bool) {
	if u.plain() {
		return p, true
	}
	out, whole := make([]byte, int64(len(p))/u.mem*u.file), true
	u.each(p, func(mem []byte, file, size int64) {
		kept := 0
		for i := range size {
			b := mem[u.place(int64(len(mem)), size, i)]
			out[file+i] = b
			if b != 0 {
				kept++
			}
		}
		for _, b := range mem {
			if b != 0 {
				kept--
			}
		}
		whole = whole && kept == 0
	})
	return out, whole
}

// fileBytes returns how many bytes of the file correspond to bytes of whole items in
// memory.
func (u unit) fileBytes(moved int64) int64 {
	n := moved / u.mem * u.file
	for left, i := moved%u.mem, 0; left > 0; i++ {
		left -= u.items[i].mem
		n += u.items[i].file
	}
	return n
}

// wholeItems returns how many bytes of memory the whole items in so many bytes of a file
// take.
func (u unit) wholeItems(file int64) int64 {
	n := file / u.file * u.mem
	left := file % u.file
	for _, it := range u.items {
		if left -= it.file; left < 0 {
			break
		}
		n += it.mem
	}
	return n
}

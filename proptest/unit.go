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

// itemSizes has the size of an item in memory and in the file, and how they are related: a
// complex number has two parts, and a signed integer is extended by its sign.
type itemSizes struct {
	mem, file int64
	parts     int64
	signed    bool
}

var bytewise = unit{items: []itemSizes{{mem: 1, file: 1, parts: 1}}, mem: 1, file: 1}

// etypeOf returns the unit of an etype under a representation, for ranks of the
// default architecture.
func etypeOf(t *types.Type, rep string) unit {
	in, out := naive.Of(t, reps.LP64LE), naive.Of(t, gen.SizesOf(rep))
	u := unit{mem: in.Size(), file: out.Size(), swapped: rep == "external32"}
	for i := range in.Items {
		it := itemSizes{mem: in.Items[i].Size, file: out.Items[i].Size, parts: 1}
		switch in.Items[i].Kind.Family() {
		case types.FamilyComplex:
			it.parts = 2
		case types.FamilySigned:
			it.signed = true
		}
		u.items = append(u.items, it)
	}
	return u
}

var hostIsLittle = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// each calls do for every item of p, and both parts of a complex number; its bytes in the file
// begin at offset file.
func (u unit) each(p []byte, do func(mem []byte, file, size int64, signed bool)) {
	at, file := int64(0), int64(0)
	for at < int64(len(p)) {
		for _, it := range u.items {
			for range it.parts {
				n, size := it.mem/it.parts, it.file/it.parts
				do(p[at:at+n], file, size, it.signed)
				at += n
				file += size
			}
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

// fill fills p with the data of an access: integers of which the file holds the low bytes.
func (u unit) fill(v gen.Values, p []byte, rank, op int) {
	file := v.Data(rank, op, int64(len(p))/u.mem*u.file)
	if u.plain() {
		copy(p, file)
		return
	}
	u.each(p, func(mem []byte, at, size int64, signed bool) {
		high := u.extension(file[at:at+size], signed)
		for i := range mem {
			mem[i] = high
		}
		for i := range size {
			mem[u.place(int64(len(mem)), size, i)] = file[at+i]
		}
	})
}

// extension returns the bytes of an integer in memory that its bytes in the file imply.
func (u unit) extension(file []byte, signed bool) byte {
	top := file[len(file)-1]
	if u.swapped {
		top = file[0]
	}
	if signed && top >= 0x80 {
		return 0xff
	}
	return 0
}

// plain reports whether memory has the same bytes as the file.
func (u unit) plain() bool { return u.mem == u.file && !u.swapped }

// encode returns packed memory in the form of the file, and whether the bytes that the file
// does not hold are those that it implies.
func (u unit) encode(p []byte) ([]byte, bool) {
	if u.plain() {
		return p, true
	}
	out, whole := make([]byte, int64(len(p))/u.mem*u.file), true
	u.each(p, func(mem []byte, file, size int64, signed bool) {
		for i := range size {
			out[file+i] = mem[u.place(int64(len(mem)), size, i)]
		}
		high := u.extension(out[file:file+size], signed)
		others := int64(len(mem)) - size
		for i, b := range mem {
			if fromLow := u.significance(int64(len(mem)), int64(i)); fromLow >= size && b == high {
				others--
			}
		}
		whole = whole && others == 0
	})
	return out, whole
}

// significance returns the significance of byte i of an integer in memory, 0 for the lowest.
func (u unit) significance(mem, i int64) int64 {
	if hostIsLittle {
		return i
	}
	return mem - 1 - i
}

// wholeMemory returns how many of so many bytes of memory whole items take.
func (u unit) wholeMemory(n int64) int64 {
	whole := n / u.mem * u.mem
	for _, it := range u.items {
		if whole+it.mem > n {
			break
		}
		whole += it.mem
	}
	return whole
}

// largest returns the size of the largest item in the file.
func (u unit) largest() (n int64) {
	for _, it := range u.items {
		n = max(n, it.file)
	}
	return n
}

// itemBytes returns how many bytes of memory so many items have.
func (u unit) itemBytes(items int64) int64 {
	n := items / int64(len(u.items)) * u.mem
	for _, it := range u.items[:items%int64(len(u.items))] {
		n += it.mem
	}
	return n
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

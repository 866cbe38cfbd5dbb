package reps

import (
	"encoding/binary"

	"github.com/commworld/commworld/types"
)

// An Arch is a machine: its byte order and the sizes and alignments, in bytes,
// of every predefined kind. It is a [types.Sizes].
type Arch struct {
	name  string
	order binary.ByteOrder
	size  [256]uint8 // by kind
	align [256]uint8
	wide  wideFloat
}

// wideFloat is how long double is stored.
type wideFloat uint8

const (
	x87       wideFloat = iota // 80 bits, little-endian, padded to the kind's size
	binary128                  // IEEE quadruple
)

// The architectures that come with the package. LP64LE is the default of a
// rank: 64-bit Linux on amd64, with x87 long doubles in 16 bytes. ILP32LE is
// 32-bit Linux on x86, which aligns nothing to more than 4 bytes.
var (
	LP64LE  = newArch("LP64LE", binary.LittleEndian, 8, 16, x87, 16)
	LP64BE  = newArch("LP64BE", binary.BigEndian, 8, 16, binary128, 16)
	ILP32LE = newArch("ILP32LE", binary.LittleEndian, 4, 4, x87, 12)
	ILP32BE = newArch("ILP32BE", binary.BigEndian, 4, 16, binary128, 16)
)

// newArch makes an architecture with longs and addresses of word bytes, where
// nothing is aligned to more than most, and whose long double is wide bytes of
// format f. All else is as on the default architecture.
func newArch(name string, order binary.ByteOrder, word, most int64, f wideFloat, wide int64) *Arch {
	a := &Arch{name: name, order: order, wide: f}
	for _, k := range types.Kinds() {
		size, align := types.Host.Sizeof(k), types.Host.Alignof(k)
		switch k {
		case types.KindLong, types.KindULong, types.KindAint:
			size, align = word, word
		case types.KindLongDouble:
			size = wide
		case types.KindLongDoubleComplex, types.KindCXXLongDoubleComplex:
			size = 2 * wide
		}
		a.size[k], a.align[k] = uint8(size), uint8(min(align, most))
	}
	return a
}

// Sizeof returns the bytes of an item of kind k in memory and in native files.
func (a *Arch) Sizeof(k types.Kind) int64 { return int64(a.size[k]) }

// Alignof returns the alignment in bytes of kind k in memory.
func (a *Arch) Alignof(k types.Kind) int64 { return int64(a.align[k]) }

// Order returns the byte order of the machine's native files.
func (a *Arch) Order() binary.ByteOrder { return a.order }

// String returns the name of the architecture.
func (a *Arch) String() string { return a.name }

// host is the byte order of the machine that runs this program, and so that of
// all memory.
var host = func() binary.ByteOrder {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return binary.LittleEndian
	}
	return binary.BigEndian
}()

package reps

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/types"
)

// An Arch is a machine: its byte order, and the size and alignment in bytes of every
// predefined kind. It is a [types.Sizes]. It never changes.
type Arch struct {
	name  string
	order binary.ByteOrder
	size  [256]uint8 // by kind
	align [256]uint8
	wide  LongDouble

	native Rep    // the representation that Lookup returns for "native"
	image  *image // see InBytes

	markers types.Markers
	twin    *Arch // the same machine with the other markers
}

// A LongDouble is how a machine stores long double.
type LongDouble uint8

// The formats of long double.
const (
	X87in16   LongDouble = iota // 80 bits, little-endian, padded to 16 bytes: amd64
	X87in12                     // the same padded to 12 bytes: 32-bit x86
	Binary128                   // IEEE quadruple, 16 bytes in the machine's byte order
	Binary64                    // IEEE double, 8 bytes in the machine's byte order
)

var longDoubles = [...]struct {
	name string
	size uint8
}{
	X87in16: {"x87 in 16 bytes", 16}, X87in12: {"x87 in 12 bytes", 12}, Binary128: {"binary128", 16}, Binary64: {"binary64", 8},
}

// Size returns the bytes of one number.
func (f LongDouble) Size() int64 {
	if int(f) >= len(longDoubles) {
		return 0
	}
	return int64(longDoubles[f].size)
}

// String returns the name of the format.
func (f LongDouble) String() string {
	if int(f) >= len(longDoubles) {
		return "?"
	}
	return longDoubles[f].name
}

// x87 reports whether the format is that of x87, with any padding.
func (f LongDouble) x87() bool { return f == X87in16 || f == X87in12 }

// The architectures that come with the package. LP64LE is the default of a
// rank: 64-bit Linux on amd64, with x87 long doubles in 16 bytes. ILP32LE is
// 32-bit Linux on x86, which aligns nothing to more than 4 bytes. LLP64LE is
// 64-bit Windows: a long has 4 bytes, a wide character 2, a long double is a
// double.
var (
	LP64LE  = must(Machine{Name: "LP64LE", Order: binary.LittleEndian, LongDouble: X87in16})
	LP64BE  = must(Machine{Name: "LP64BE", Order: binary.BigEndian, LongDouble: Binary128})
	ILP32LE = must(Machine{Name: "ILP32LE", Order: binary.LittleEndian, LongDouble: X87in12, Most: 4, Kinds: ilp32})
	ILP32BE = must(Machine{Name: "ILP32BE", Order: binary.BigEndian, LongDouble: Binary128, Kinds: ilp32})
	LLP64LE = must(Machine{Name: "LLP64LE", Order: binary.LittleEndian, LongDouble: Binary64, Kinds: map[types.Kind]Cell{
		types.KindLong: {4, 4}, types.KindULong: {4, 4}, types.KindWChar: {2, 2},
	}})
)

var ilp32 = map[types.Kind]Cell{types.KindLong: {4, 4}, types.KindULong: {4, 4}, types.KindAint: {4, 4}}

// Archs lists the architectures that come with the package, the default first.
func Archs() []*Arch { return []*Arch{LP64LE, LP64BE, ILP32LE, ILP32BE, LLP64LE} }

// ParseArch returns the one of [Archs] with the given name; case does not matter. Errors:
// ErrArg.
func ParseArch(name string) (*Arch, error) {
	names := make([]string, 0, 8)
	for _, a := range Archs() {
		if strings.EqualFold(a.name, name) {
			return a, nil
		}
		names = append(names, strings.ToLower(a.name))
	}
	return nil, argument("ParseArch", ErrArg, "REP-NAT-03", "no architecture %.40q; there are %s", name, strings.Join(names, ", "))
}

// A Cell is the size and alignment in bytes of one item.
type Cell struct{ Size, Align int64 }

// A Machine describes an architecture for [NewArch].
type Machine struct {
	Name       string           // name in reports
	Order      binary.ByteOrder // binary.LittleEndian or binary.BigEndian
	LongDouble LongDouble

	// Kinds gives the size and alignment of kinds that differ from 64-bit Linux (int 4,
	// long 8, aligned to their size). LongDouble determines those of long doubles and their
	// complex numbers; for them, only the alignment may be given, with the same size.
	Kinds map[types.Kind]Cell

	// Most is the greatest alignment; 0 means no limit.
	Most int64
}

// NewArch makes an architecture. Its integers have 1, 2, 4 or 8 bytes, kinds that are named
// for their size have that size, characters other than wide ones have 1 byte, and
// floating-point numbers are IEEE's; alignments are powers of two that divide the size.
// Errors: ErrArg, which names the kind. (REP-NAT-03)
func NewArch(m Machine) (*Arch, error) {
	const op, rule = "NewArch", "REP-NAT-03"
	wide := m.LongDouble.Size()
	switch {
	case m.Name == "":
		return nil, argument(op, ErrArg, rule, "the architecture has no name")
	case m.Order != binary.ByteOrder(binary.LittleEndian) && m.Order != binary.ByteOrder(binary.BigEndian):
		return nil, argument(op, ErrArg, rule, "byte order %v; give binary.LittleEndian or binary.BigEndian", m.Order)
	case wide == 0:
		return nil, argument(op, ErrArg, rule, "no format %d of long double", m.LongDouble)
	case m.Most < 0 || m.Most&(m.Most-1) != 0:
		return nil, argument(op, ErrArg, rule, "greatest alignment %d is not a power of two", m.Most)
	}
	for k := range m.Kinds {
		if !k.Valid() {
			return nil, argument(op, ErrArg, rule, "there is no kind %d", k)
		}
	}
	a := &Arch{name: m.Name, order: m.Order, wide: m.LongDouble}
	for _, k := range types.Kinds() {
		c := m.cell(k)
		if bad := m.unfit(k, c); bad != "" {
			return nil, argument(op, ErrArg, rule, "%v of %d bytes, aligned to %d: %s", k, c.Size, c.Align, bad)
		}
		if m.Most > 0 {
			c.Align = min(c.Align, m.Most)
		}
		a.size[k], a.align[k] = uint8(c.Size), uint8(c.Align)
	}
	twin := *a
	twin.markers = types.Weak
	a.twin, twin.twin = &twin, a
	for _, a := range []*Arch{a, &twin} {
		a.native, a.image = fixed{"native", a, a.order, a.wide}, &image{a}
	}
	return a, nil
}

// Markers returns the force that bounds of datatypes have on the machine: types.Sticky,
// unless it came from WithMarkers.
func (a *Arch) Markers() types.Markers { return a.markers }

// WithMarkers returns the same machine where bounds of datatypes have the force m. It is the
// same for every call.
func (a *Arch) WithMarkers(m types.Markers) *Arch {
	if a.markers == m {
		return a
	}
	return a.twin
}

// UnderMarkers is WithMarkers as sizes.
func (a *Arch) UnderMarkers(m types.Markers) types.Sizes { return a.WithMarkers(m) }

func must(m Machine) *Arch {
	a, err := NewArch(m)
	if err != nil {
		panic(err) // one of the architectures in this file is wrong
	}
	return a
}

// cell returns the size and alignment of a kind in m.
func (m *Machine) cell(k types.Kind) Cell {
	if c, ok := m.Kinds[k]; ok {
		return c
	}
	size, align := types.Host.Sizeof(k), types.Host.Alignof(k)
	if isWide(k) {
		size = wideSize(k, m.LongDouble)
		align = m.LongDouble.Size() & -m.LongDouble.Size() // 4 for 12 bytes
	}
	return Cell{size, align}
}

// unfit returns the reason why a kind cannot have this size or alignment; empty if it can.
func (m *Machine) unfit(k types.Kind, c Cell) string {
	nominal := types.Host.Sizeof(k)
	switch {
	case isWide(k):
		nominal = wideSize(k, m.LongDouble)
		if c.Size != nominal {
			return fmt.Sprintf("a long double is %v, so there are %d", m.LongDouble, nominal)
		}
	case !elastic(k) && c.Size != nominal:
		return fmt.Sprintf("on every machine it has %d", nominal)
	case c.Size != 1 && c.Size != 2 && c.Size != 4 && c.Size != 8 && c.Size != nominal:
		return "the size must be 1, 2, 4 or 8"
	}
	if c.Align < 1 || c.Align&(c.Align-1) != 0 || c.Size%c.Align != 0 {
		return "the alignment must be a power of two that divides the size"
	}
	return ""
}

// elastic reports whether a machine chooses the size of the kind.
func elastic(k types.Kind) bool {
	return slices.Contains([]types.Kind{
		types.KindWChar, types.KindShort, types.KindUShort, types.KindInt, types.KindUInt, types.KindLong, types.KindULong,
		types.KindLongLong, types.KindULongLong, types.KindAint, types.KindOffset, types.KindCount,
		types.KindBool, types.KindCXXBool, types.KindInteger, types.KindLogical,
	}, k)
}

// wideSize returns the size of a kind made of long doubles.
func wideSize(k types.Kind, f LongDouble) int64 {
	if k.Family() == types.FamilyComplex {
		return 2 * f.Size()
	}
	return f.Size()
}

// isWide reports whether the format of a kind is the machine's, not IEEE's.
func isWide(k types.Kind) bool {
	switch k {
	case types.KindLongDouble, types.KindLongDoubleComplex, types.KindCXXLongDoubleComplex:
		return true
	}
	return false
}

// Sizeof returns the bytes of an item of kind k in memory and in native files.
func (a *Arch) Sizeof(k types.Kind) int64 { return int64(a.size[k]) }

// Alignof returns the alignment in bytes of kind k in memory.
func (a *Arch) Alignof(k types.Kind) int64 { return int64(a.align[k]) }

// Order returns the byte order of the machine's native files.
func (a *Arch) Order() binary.ByteOrder { return a.order }

// Reversed returns how many bytes of an item of kind k the machine has in the reverse order
// of the host, one group after the other; 1 if none. See [types.ByteOrdered].
func (a *Arch) Reversed(k types.Kind) int64 {
	switch {
	case a.order == host || k.Family() == types.FamilyOpaque || isWide(k) && a.wide.x87():
		return 1
	case k.Family() == types.FamilyComplex:
		return a.Sizeof(k) / 2
	}
	return a.Sizeof(k)
}

// Image returns false: packed items have the byte order of the host. See [Arch.InBytes].
func (a *Arch) Image() bool { return false }

// InBytes returns sizes like a under which items of all kinds are packed as the bytes that
// the machine has in memory; see [types.ByteOrdered].
func (a *Arch) InBytes() types.Sizes {
	if a.order == host {
		return a
	}
	return a.image
}

// An image is an architecture whose memory is shown as bytes.
type image struct{ *Arch }

func (*image) Image() bool { return true }

func (i *image) UnderMarkers(m types.Markers) types.Sizes { return i.WithMarkers(m).image }

// LongDouble returns the machine's format of long double.
func (a *Arch) LongDouble() LongDouble { return a.wide }

// String returns the name of the architecture.
func (a *Arch) String() string { return a.name }

// host is the byte order of the machine that runs this program, and so of all memory.
var host = func() binary.ByteOrder {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return binary.LittleEndian
	}
	return binary.BigEndian
}()

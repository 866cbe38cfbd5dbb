package reps

import (
	"encoding/binary"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/types"
)

// Error is the error type of this package.
type Error = errclass.Error

// The error classes that this package raises.
const (
	ErrUnsupportedDatarep = errclass.UnsupportedDatarep
	ErrConversion         = errclass.Conversion
	ErrDupDatarep         = errclass.DupDatarep
	ErrArg                = errclass.Arg
	ErrCount              = errclass.Count
)

// MaxName is the greatest length of the name of a representation, in bytes.
//
// MPI_MAX_DATAREP_STRING
const MaxName = 128

// A Rep is a data representation: how items look in a file.
type Rep interface {
	// Name returns the name that a view uses.
	Name() string

	// Sizes returns the sizes and alignments of items in the file.
	Sizes() types.Sizes

	// Plain reports whether the file has the same bytes as a's memory, so that no
	// conversion is needed.
	Plain(a *Arch) bool

	// Prepare obtains the sizes of the kinds of sig. It is called before anything is laid
	// out under Sizes. Errors: ErrConversion.
	Prepare(sig types.Signature) error

	// Pack converts the first n items of m, tiled as often as needed, to packed file form
	// in dst; Unpack is the inverse. An error names the item; dst is then undefined, and m
	// does not change unless a function of the user failed. m must have passed
	// [types.Buffer.Check]. Errors: ErrConversion.
	Pack(dst []byte, m Memory, n int64) error
	Unpack(m Memory, src []byte, n int64) error

	// Encode converts n items of sig repeated without end, from item from on,
	// from packed memory of a rank of architecture a into packed file form. An
	// error names the item; dst is then undefined. Errors: ErrConversion.
	Encode(dst, src []byte, a *Arch, sig types.Signature, from, n int64) error

	// Decode is the inverse of Encode.
	Decode(dst, src []byte, a *Arch, sig types.Signature, from, n int64) error
}

// Lookup returns a predefined representation by name, for a rank of architecture a. The
// names are exactly "native", "internal" and "external32"; a [Registry] knows more. Errors:
// ErrUnsupportedDatarep. (IO-VIEW-14, REP-INT-04)
func Lookup(name string, a *Arch) (Rep, error) {
	switch {
	case a == nil:
		return nil, argument("Lookup", ErrArg, "REP-NAT-03", "the architecture is nil; give reps.LP64LE or that of the communicator")
	case name == "native":
		return a.native, nil
	case name == "external32":
		return portable[a.markers], nil
	case name == "internal":
		return internal[a.markers], nil
	case len(name) > MaxName:
		name = name[:MaxName] + "..."
	}
	return nil, fault.OfCall("reps", "Lookup", name, ErrUnsupportedDatarep, "IO-VIEW-14",
		`representations are "native", "internal", "external32" and those that this rank has registered`)
}

// The standard lets "internal" have any form that all ranks share; the portable form
// makes its files readable elsewhere, too (REP-INTL-01).
var (
	portable = everywhere("external32")
	internal = everywhere("internal")
)

// everywhere returns a portable representation under each force of bounds.
func everywhere(name string) [2]Rep {
	return [2]Rep{
		types.Sticky: fixed{name, External32, binary.BigEndian, Binary128},
		types.Weak:   fixed{name, types.WeakMarkers(External32), binary.BigEndian, Binary128},
	}
}

// fixed is a representation with a byte order, sizes and a wide float.
type fixed struct {
	name  string
	sizes types.Sizes
	order binary.ByteOrder
	wide  LongDouble
}

func (r fixed) Name() string       { return r.name }
func (r fixed) Sizes() types.Sizes { return r.sizes }
func (r fixed) form() form         { return form{r.sizes, r.order, r.wide} }

func (fixed) Prepare(types.Signature) error { return nil }

func (r fixed) Plain(a *Arch) bool { return r.sizes == types.Sizes(a) && r.order == host }

func (r fixed) Encode(dst, src []byte, a *Arch, sig types.Signature, from, n int64) error {
	return convert(dst, src, r.form(), memory(a), sig, from, n)
}

func (r fixed) Decode(dst, src []byte, a *Arch, sig types.Signature, from, n int64) error {
	return convert(dst, src, memory(a), r.form(), sig, from, n)
}

func (r fixed) Pack(dst []byte, m Memory, n int64) error {
	return pack(dst, m, r.form(), memory(m.Arch), n)
}

func (r fixed) Unpack(m Memory, src []byte, n int64) error {
	return unpack(m, src, memory(m.Arch), r.form(), n)
}

// Transfer converts n packed items of sig, from item from on, from the memory of a rank of
// architecture b to that of a rank of architecture a, as a typed message between different
// machines does. Errors: ErrConversion. (P2P-MATCH-08)
func Transfer(dst []byte, a *Arch, src []byte, b *Arch, sig types.Signature, from, n int64) error {
	return convert(dst, src, memory(a), memory(b), sig, from, n)
}

// A Side is one side of [TransferPacked]: an architecture, and whether the items are the
// bytes that it has in memory, or values in the byte order of the host.
type Side struct {
	Arch    *Arch
	InBytes bool
}

func (s Side) form() form {
	f := memory(s.Arch)
	if s.InBytes {
		f.order = s.Arch.order
	}
	return f
}

// TransferPacked is [Transfer] of items that a message has as packed data on one side: they
// may be bytes of the memory of Go values there. Errors: ErrConversion. (P2P-MATCH-07)
func TransferPacked(dst []byte, to Side, src []byte, from Side, sig types.Signature, item, n int64) error {
	return convert(dst, src, to.form(), from.form(), sig, item, n)
}

// SameMemory reports whether items look the same in the memories of a and b.
func SameMemory(a, b *Arch) bool {
	return a == b || a.size == b.size && a.wide == b.wide
}

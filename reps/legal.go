package reps

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/commworld/commworld/types"
)

// Legal returns nil if the bytes p of a file in representation rep are a value of kind k,
// and otherwise why they are not:
//
//   - a truth value of C or C++ in a native file is 0 or 1;
//   - a wide character is a Unicode character, not half of a surrogate pair;
//     where it has 2 bytes in a native file it is UTF-16, which allows all;
//   - an x87 number with an exponent has its leading bit set.
//
// All other bytes are legal: every pattern of an IEEE number, an integer or a character has
// a value, and external32 reads every nonzero byte as true. A user-defined representation
// decides by its own Read function. Errors: ErrConversion, ErrArg for another number of
// bytes than one item has. (IO-TM-S4)
func Legal(k types.Kind, p []byte, rep Rep) error {
	const op = "Legal"
	if rep == nil || !k.Valid() || int64(len(p)) != rep.Sizes().Sizeof(k) {
		return argument(op, ErrArg, "IO-TM-S4", "%d bytes are not one %v", len(p), k)
	}
	f, ok := rep.(fixed)
	if !ok {
		return nil
	}
	if why := f.illegal(k, p); why != "" {
		return argument(op, ErrConversion, "IO-TM-S4", "%s", why)
	}
	return nil
}

// An Illegal is the first item of a file whose bytes are not a value of its type.
type Illegal struct {
	Item int64 // counted from the first item that was checked
	At   int64 // its first packed byte
	Kind types.Kind
	Why  string
}

// FindIllegal checks n items of sig repeated without end, from item from on, which are
// packed in file, and returns the first that is not [Legal], or nil. It skips kinds for
// which all bytes are legal.
func FindIllegal(file []byte, rep Rep, sig types.Signature, from, n int64) *Illegal {
	f, ok := rep.(fixed)
	if !ok {
		return nil
	}
	var item, at int64
	for k, count := range sig.Items(from, n) {
		size := f.sizes.Sizeof(k)
		if f.judges(k) {
			for i := range count {
				p := file[at+i*size:][:size]
				if why := f.illegal(k, p); why != "" {
					return &Illegal{item + i, at + i*size, k, why}
				}
			}
		}
		item, at = item+count, at+count*size
	}
	return nil
}

// MayBeIllegal reports whether some bytes of a file in representation rep are not a value of
// an item of sig, see [Legal].
func MayBeIllegal(rep Rep, sig types.Signature) bool {
	f, ok := rep.(fixed)
	return ok && slices.ContainsFunc(sig.Kinds(), f.judges)
}

// judges reports whether some bytes are not a value of kind k.
func (r fixed) judges(k types.Kind) bool {
	switch k {
	case types.KindBool, types.KindCXXBool:
		return r.native()
	case types.KindWChar:
		return !r.native() || r.sizes.Sizeof(k) == 4
	}
	return isWide(k) && r.wide.x87()
}

// native reports whether the file has the values of one machine.
func (r fixed) native() bool { _, ok := r.sizes.(*Arch); return ok }

// illegal returns the reason why p is not a value of kind k, empty if it is one.
func (r fixed) illegal(k types.Kind, p []byte) string {
	if !r.judges(k) {
		return ""
	}
	switch k.Family() {
	case types.FamilyBool:
		if v := load(p, r.order, false); v > 1 || len(p) > 8 {
			return fmt.Sprintf("bytes % x: a truth value in a native file is 0 or 1", p)
		}
	case types.FamilyCharacter:
		if v := load(p, r.order, false); v > 0x10ffff || v >= 0xd800 && v < 0xe000 {
			return fmt.Sprintf("bytes % x: there is no Unicode character %04x", p, v)
		}
	default:
		part := r.wide.Size()
		for at := int64(0); at < int64(len(p)); at += part {
			q := p[at : at+part]
			if binary.LittleEndian.Uint16(q[8:])&expMask != 0 && q[7]&0x80 == 0 {
				return fmt.Sprintf("bytes % x: an x87 number with an exponent has its leading bit set", q)
			}
		}
	}
	return ""
}

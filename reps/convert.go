package reps

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/types"
)

// A form is how items are stored in packed bytes.
type form struct {
	sizes types.Sizes
	order binary.ByteOrder
	wide  LongDouble
}

// memory returns the form of items in the memory of a rank of architecture a.
func memory(a *Arch) form { return form{a, host, a.wide} }

// convert converts n packed items of sig from form g in src to form f in dst, run by run of
// items of one kind.
func convert(dst, src []byte, f, g form, sig types.Signature, from, n int64) error {
	item := from
	for k, count := range sig.Items(from, n) {
		to, have := count*f.sizes.Sizeof(k), count*g.sizes.Sizeof(k)
		if bad := convertRun(dst[:to], src[:have], f, g, k); bad != nil {
			return bad.error(item+bad.item, k)
		}
		dst, src, item = dst[to:], src[have:], item+count
	}
	return nil
}

// An unfit names the item of a run that has no value in the other form, and the reason.
type unfit struct {
	item int64
	rule string
	text string
}

// error returns the error of item item, of kind k.
func (u *unfit) error(item int64, k types.Kind) error {
	return fault.OfCall("reps", "convert", "", ErrConversion, u.rule, "item %d, %v: %s", item, k, u.text)
}

// convertRun converts items of kind k that fill dst and src.
func convertRun(dst, src []byte, f, g form, k types.Kind) *unfit {
	to, have := f.sizes.Sizeof(k), g.sizes.Sizeof(k)
	switch k.Family() {
	case types.FamilyOpaque:
		copy(dst, src)
		return nil
	case types.FamilyBool:
		convertBools(dst, src, to, have, f.order)
		return nil
	case types.FamilyComplex:
		bad := convertFloats(dst, src, f, g, to/2, have/2, isWide(k))
		if bad != nil {
			bad.item /= 2
		}
		return bad
	case types.FamilyFloat:
		return convertFloats(dst, src, f, g, to, have, isWide(k))
	}
	if to == have {
		reorder(dst, src, to, f.order == g.order)
		return nil
	}
	return convertIntegers(dst, src, f, g, k)
}

// convertFloats copies the bits of IEEE numbers, so that NaNs keep theirs.
func convertFloats(dst, src []byte, f, g form, to, have int64, wide bool) *unfit {
	switch {
	case !wide && to == have:
		reorder(dst, src, to, f.order == g.order)
	case wide && f.wide == g.wide:
		reorder(dst, src, to, f.order == g.order || f.wide.x87())
	case wide:
		return convertWide(dst, src, f, g, to, have)
	default:
		return &unfit{0, "REP-X32-02", fmt.Sprintf("no conversion from %d to %d bytes", have, to)}
	}
	return nil
}

// convertBools makes every item 0 or 1; every byte of it counts (REP-X32-05).
func convertBools(dst, src []byte, to, have int64, order binary.ByteOrder) {
	clear(dst)
	last := int64(0)
	if order == binary.BigEndian {
		last = to - 1
	}
	for i := int64(0); i*have < int64(len(src)); i++ {
		for _, b := range src[i*have : (i+1)*have] {
			if b != 0 {
				dst[i*to+last] = 1
			}
		}
	}
}

// convertIntegers changes the width of integers of up to 8 bytes and of wide
// characters. A value that does not fit is an error, never cut (REP-X32-09).
func convertIntegers(dst, src []byte, f, g form, k types.Kind) *unfit {
	to, have := f.sizes.Sizeof(k), g.sizes.Sizeof(k)
	signed := k.Family() == types.FamilySigned
	switch {
	case have == 8 && to == 4:
		return narrow(dst, src, f.order != host, g.order != host, signed)
	case have == 4 && to == 8:
		widen(dst, src, f.order != host, g.order != host, signed)
		return nil
	}
	for i := int64(0); i*have < int64(len(src)); i++ {
		v := load(src[i*have:(i+1)*have], g.order, signed)
		store(dst[i*to:(i+1)*to], f.order, v)
		if back := load(dst[i*to:(i+1)*to], f.order, signed); back != v {
			return &unfit{i, "REP-X32-09", fmt.Sprintf("value %s does not fit in %d bytes", number(v, signed), to)}
		}
	}
	return nil
}

// narrow does the work of convertIntegers for longs to external32 on most machines.
func narrow(dst, src []byte, turnDst, turnSrc, signed bool) *unfit {
	word := binary.NativeEndian
	for i := int64(0); len(src) >= 8 && len(dst) >= 4; i++ {
		v := word.Uint64(src[:8])
		if turnSrc {
			v = bits.ReverseBytes64(v)
		}
		x, back := uint32(v), uint64(uint32(v))
		if signed {
			back = uint64(int64(int32(x)))
		}
		if back != v {
			return &unfit{i, "REP-X32-09", fmt.Sprintf("value %s does not fit in 4 bytes", number(v, signed))}
		}
		if turnDst {
			x = bits.ReverseBytes32(x)
		}
		word.PutUint32(dst[:4], x)
		dst, src = dst[4:], src[8:]
	}
	return nil
}

// widen is the inverse of narrow.
func widen(dst, src []byte, turnDst, turnSrc, signed bool) {
	word := binary.NativeEndian
	for len(src) >= 4 && len(dst) >= 8 {
		x := word.Uint32(src[:4])
		if turnSrc {
			x = bits.ReverseBytes32(x)
		}
		v := uint64(x)
		if signed {
			v = uint64(int64(int32(x)))
		}
		if turnDst {
			v = bits.ReverseBytes64(v)
		}
		word.PutUint64(dst[:8], v)
		dst, src = dst[8:], src[4:]
	}
}

func number(v uint64, signed bool) string {
	if signed {
		return fmt.Sprint(int64(v))
	}
	return fmt.Sprint(v)
}

// load reads an integer and extends it to 64 bits.
func load(p []byte, order binary.ByteOrder, signed bool) uint64 {
	var v uint64
	for i := range p {
		b := p[i]
		if order == binary.LittleEndian {
			b = p[len(p)-1-i]
		}
		v = v<<8 | uint64(b)
	}
	if shift := 64 - 8*len(p); signed && shift > 0 {
		return uint64(int64(v<<shift) >> shift)
	}
	return v
}

// store writes the low bytes of an integer.
func store(p []byte, order binary.ByteOrder, v uint64) {
	for i := range p {
		at := i
		if order == binary.BigEndian {
			at = len(p) - 1 - i
		}
		p[at] = byte(v)
		v >>= 8
	}
}

package reps

import "encoding/binary"

// A quad is an IEEE binary128 number: sign and exponent in the top 16 bits of
// hi, then 112 bits of fraction.
type quad struct{ hi, lo uint64 }

// An extended is an x87 number: sign and exponent, then 64 bits of significand
// with its leading bit written out.
type extended struct {
	se  uint16
	sig uint64
}

const (
	expMask  = 0x7fff // all ones: infinity or NaN
	leadBit  = 1 << 63
	fracBits = 49 // by which a binary128 fraction is longer than an x87 one
)

// quad is exact: every x87 number is a binary128 number.
func (x extended) quad() quad {
	exp, frac := x.se&expMask, x.sig&^leadBit
	switch {
	case exp == 0 && x.sig&leadBit != 0:
		x.se |= 1 // a "pseudo-denormal" is the least normal exponent written oddly
	case exp != 0 && x.sig&leadBit == 0:
		x.se, frac = x.se|expMask, 1<<62 // no number on a modern x87: not a number
	}
	return quad{uint64(x.se)<<48 | frac>>(64-fracBits), frac << fracBits}
}

// extended rounds to the nearest, ties to even, as the x87 itself does.
func (q quad) extended() extended {
	se, hi := uint16(q.hi>>48), q.hi&(1<<48-1)
	sig := hi<<(64-fracBits) | q.lo>>fracBits
	rest := q.lo & (1<<fracBits - 1)
	switch se & expMask {
	case expMask:
		if sig == 0 && rest != 0 {
			sig = 1 << 62 // a NaN whose payload was all in the lost bits stays one
		}
		return extended{se, sig | leadBit}
	case 0:
	default:
		sig |= leadBit
	}
	const half = 1 << (fracBits - 1)
	if rest > half || rest == half && sig&1 == 1 {
		if sig++; sig == 0 { // carried out of the significand
			return extended{se + 1, leadBit}
		}
	}
	if se&expMask == 0 && sig&leadBit != 0 {
		se++ // rounded up into the normal numbers
	}
	return extended{se, sig}
}

// convertWide converts long doubles between the two formats.
func convertWide(dst, src []byte, f, g form, to, have int64) {
	for len(src) > 0 {
		q := loadWide(src[:have], g)
		storeWide(dst[:to], f, q)
		dst, src = dst[to:], src[have:]
	}
}

func loadWide(p []byte, g form) quad {
	if g.wide == x87 {
		return extended{binary.LittleEndian.Uint16(p[8:]), binary.LittleEndian.Uint64(p)}.quad()
	}
	if g.order == binary.BigEndian {
		return quad{binary.BigEndian.Uint64(p), binary.BigEndian.Uint64(p[8:])}
	}
	return quad{binary.LittleEndian.Uint64(p[8:]), binary.LittleEndian.Uint64(p)}
}

func storeWide(p []byte, f form, q quad) {
	clear(p)
	switch {
	case f.wide == x87:
		x := q.extended()
		binary.LittleEndian.PutUint64(p, x.sig)
		binary.LittleEndian.PutUint16(p[8:], x.se)
	case f.order == binary.BigEndian:
		binary.BigEndian.PutUint64(p, q.hi)
		binary.BigEndian.PutUint64(p[8:], q.lo)
	default:
		binary.LittleEndian.PutUint64(p, q.lo)
		binary.LittleEndian.PutUint64(p[8:], q.hi)
	}
}

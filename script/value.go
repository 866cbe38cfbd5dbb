package script

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// host is the architecture of every rank of a script.
var host = reps.LP64LE

// maxItems bounds the items of one statement, so that a script from a stranger cannot use
// all memory.
const maxItems = MaxBuffer

// items returns the number of items in the values.
func (d *Data) items() (int64, error) { return countItems(d.Values) }

func countItems(vs []Value) (int64, error) {
	total := int64(0)
	for _, v := range vs {
		n := int64(1)
		if v.Quoted {
			n = int64(len(v.Text))
		}
		if n > 0 && v.Repeat > (maxItems-total)/n {
			return 0, fmt.Errorf("more than %d values", maxItems)
		}
		total += n * v.Repeat
	}
	return total, nil
}

// Count returns the number of copies of the datatype.
func (d *Data) Count() int64 {
	n, err := d.items()
	if per := items(d.Type); err == nil && per > 0 {
		return n / per
	}
	return 0
}

// Encode returns the values packed, in the form that a rank of architecture a has in
// memory.
func (d *Data) Encode(a *reps.Arch) ([]byte, error) { return encode(d.Values, d.Type, a) }

func encode(vs []Value, t *types.Type, a *reps.Arch) ([]byte, error) {
	sig, per := t.Signature(), items(t)
	total, err := countItems(vs)
	if err != nil || total == 0 || per == 0 {
		return nil, err
	}
	out := make([]byte, 0, total*max(t.Size(a)/per, 1))
	at := int64(0)
	for _, v := range vs {
		for n := range v.Repeat {
			if !v.Quoted {
				if n > 0 && per == 1 { // same as the value before
					out = append(out, out[int64(len(out))-t.Size(a):]...)
					continue
				}
				if out, err = item(out, v.Text, sig.At(at%per), a); err != nil {
					return nil, err
				}
				at++
				continue
			}
			for i := range len(v.Text) {
				if k := sig.At(at % per); k.Family() != types.FamilyOpaque && a.Sizeof(k) != 1 {
					return nil, fmt.Errorf("text is for items of one byte, not for %v", k)
				}
				out = append(out, v.Text[i])
				at++
			}
		}
	}
	return out, nil
}

// encodeOpen encodes values that may include "?". It marks the bytes of such items in
// open, which is nil if there are none.
func encodeOpen(vs []Value, t *types.Type, a *reps.Arch) (bs []byte, open []bool, err error) {
	isOpen := func(v Value) bool { return !v.Quoted && v.Text == unknown }
	if !slices.ContainsFunc(vs, isOpen) {
		bs, err = encode(vs, t, a)
		return bs, nil, err
	}
	known := slices.Clone(vs)
	for i := range known {
		if isOpen(known[i]) {
			known[i].Text = "0"
		}
	}
	if bs, err = encode(known, t, a); err != nil || len(bs) == 0 {
		return bs, nil, err
	}
	open = make([]bool, len(bs))
	sig, at, item := t.Signature(), int64(0), int64(0)
	for _, v := range vs {
		n, err := countItems([]Value{v})
		if err != nil {
			return nil, nil, err
		}
		for range n {
			size := a.Sizeof(sig.At(item % sig.Len()))
			for i := range size {
				open[at+i] = isOpen(v)
			}
			at, item = at+size, item+1
		}
	}
	return bs, open, nil
}

// item appends one value of a kind.
func item(out []byte, text string, k types.Kind, a *reps.Arch) ([]byte, error) {
	size := a.Sizeof(k)
	switch k.Family() {
	case types.FamilyFloat:
		return float(out, text, k, size, a)
	case types.FamilyComplex:
		re, im, err := complexParts(text)
		if err == nil {
			if out, err = float(out, re, k, size/2, a); err == nil {
				out, err = float(out, im, k, size/2, a)
			}
		}
		return out, err
	case types.FamilyBool:
		switch text {
		case "true":
			text = "1"
		case "false":
			text = "0"
		}
		if text != "0" && text != "1" {
			return nil, fmt.Errorf("invalid truth value %q; use 0 or 1", text)
		}
	}
	return integer(out, text, k, size)
}

func integer(out []byte, text string, k types.Kind, size int64) ([]byte, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 && n < 128 { // common case: fits every kind
		return append(append(out, byte(n)), make([]byte, size-1)...), nil
	}
	n, negative, ok := wideInteger(text)
	if !ok {
		return nil, fmt.Errorf("%q is not a value of type %v", text, k)
	}
	family, width := k.Family(), uint(8*size)
	unsigned := family == types.FamilyUnsigned || family == types.FamilyBool
	fits := n.below(width)
	switch {
	case negative && unsigned:
		fits = n == wide{}
	case negative:
		fits = n.minus(wide{lo: 1}).below(width-1) || n == wide{}
	case family == types.FamilySigned: // a char may be given with or without a sign
		fits = n.below(width - 1)
	}
	if !fits {
		return nil, fmt.Errorf("%s does not fit %v, which has %d bytes", text, k, size)
	}
	if negative {
		n = wide{}.minus(n)
	}
	bs := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, n.lo), n.hi)
	return append(out, bs[:size]...), nil
}

// A wide is an integer of up to 128 bits, or a mark that it needs more.
type wide struct {
	hi, lo uint64
	more   bool
}

// wideInteger parses a decimal number into its magnitude and sign. It returns false if
// text is not a number.
func wideInteger(text string) (n wide, negative, ok bool) {
	digits := strings.TrimPrefix(text, "-")
	negative = digits != text
	if !negative {
		digits = strings.TrimPrefix(text, "+")
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return wide{}, false, false
	}
	for _, d := range []byte(digits) {
		over, hi := bits.Mul64(n.hi, 10)
		more, lo := bits.Mul64(n.lo, 10)
		lo, carry := bits.Add64(lo, uint64(d-'0'), 0)
		hi, carry = bits.Add64(hi, more, carry)
		if over > 0 || carry > 0 {
			return wide{more: true}, negative, true
		}
		n = wide{hi: hi, lo: lo}
	}
	return n, negative, true
}

// below reports whether n is less than 2 to the power of width.
func (n wide) below(width uint) bool {
	switch {
	case n.more:
		return false
	case width >= 64:
		return width >= 128 || n.hi>>(width-64) == 0
	}
	return n.hi == 0 && n.lo>>width == 0
}

func (n wide) minus(m wide) wide {
	lo, borrow := bits.Sub64(n.lo, m.lo, 0)
	hi, _ := bits.Sub64(n.hi, m.hi, borrow)
	return wide{hi, lo, n.more}
}

func float(out []byte, text string, k types.Kind, size int64, a *reps.Arch) ([]byte, error) {
	if size != 4 && size != 8 && size != 16 {
		return nil, fmt.Errorf("values of type %v cannot be written in a script", k)
	}
	f, err := strconv.ParseFloat(text, int(min(8*size, 64)))
	if err != nil {
		return nil, notFloat(text, k)
	}
	switch size {
	case 4:
		return binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(f))), nil
	case 8:
		return binary.LittleEndian.AppendUint64(out, math.Float64bits(f)), nil
	}
	wide := types.KindLongDouble
	if k == types.KindReal16 || k == types.KindComplex32 {
		wide = types.KindReal16
	}
	external, err := reps.Lookup("external32", a)
	if err != nil {
		return nil, err
	}
	bs := make([]byte, 16)
	err = external.Decode(bs, binary128(f), a, types.OfKind(wide).Signature(), 0, 1)
	return append(out, bs...), err
}

// binary128 returns f as external32's widest float.
func binary128(f float64) []byte {
	b := math.Float64bits(f)
	sign, exp, frac := b>>63, b>>52&0x7ff, b&(1<<52-1)
	switch {
	case exp == 0x7ff:
		exp = 0x7fff
	case exp == 0 && frac == 0:
	case exp == 0: // subnormal here, normal there
		shift := bits.LeadingZeros64(frac) - 11
		frac = frac << shift & (1<<52 - 1)
		exp = uint64(16383 - 1022 - shift)
	default:
		exp += 16383 - 1023
	}
	bs := binary.BigEndian.AppendUint64(nil, sign<<63|exp<<48|frac>>4)
	return binary.BigEndian.AppendUint64(bs, frac<<60)
}

func notFloat(text string, k types.Kind) error {
	return fmt.Errorf("%q is not a value of type %v", text, k)
}

// complexParts cuts "1.5-2i" in two.
func complexParts(text string) (re, im string, err error) {
	s, imaginary := strings.CutSuffix(text, "i")
	if !imaginary {
		return text, "0", nil
	}
	for i := len(s) - 1; i > 0; i-- {
		if (s[i] == '+' || s[i] == '-') && s[i-1] != 'e' && s[i-1] != 'E' {
			return s[:i], strings.TrimPrefix(s[i:], "+"), nil
		}
	}
	if s == "" {
		return "", "", errors.New(`invalid value "i"; use 0+1i`)
	}
	return "0", s, nil
}

// span returns the memory that count copies of l need: the number of bytes, and the
// offset in them of the first copy's origin.
func span(l *types.Layout, count int64) (size, origin int64, err error) {
	if count <= 0 || l.Size == 0 {
		return 0, 0, nil
	}
	lo, hi := min(l.TrueLB, 0), l.TrueUB
	stride, down := uint64(l.Extent), l.Extent < 0 && count > 1
	if down {
		lo, stride = l.TrueLB, -stride
	}
	over, last := bits.Mul64(stride, uint64(count-1))
	total, carry := bits.Add64(uint64(hi)-uint64(lo), last, 0)
	switch {
	case over+carry > 0:
		return 0, 0, fmt.Errorf("a buffer of more than 2^64 bytes: a statement has at most %d", MaxBuffer)
	case total > MaxBuffer:
		return 0, 0, fmt.Errorf("a buffer of %d bytes: a statement has at most %d", total, MaxBuffer)
	}
	if l.Size > MaxBuffer/count { // copies may overlap
		return 0, 0, fmt.Errorf("%d copies of %d bytes of data: a statement has at most %d", count, l.Size, MaxBuffer)
	}
	if down {
		lo -= int64(last)
	}
	return int64(total), -min(lo, 0), nil
}

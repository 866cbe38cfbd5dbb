package main

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"unicode"

	"github.com/commworld/commworld/internal/show/views"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// wide is the architecture of the memory that values pass through: there each kind is at
// least as large as in any other form, and long doubles keep all their bits.
var wide = reps.LP64BE

// A valuer reads items of a form as values.
type valuer struct {
	form  views.Form
	units [256]types.Signature // one item of each kind
	mem   [32]byte
}

func newValuer(f views.Form) *valuer {
	v := &valuer{form: f}
	for _, k := range types.Kinds() {
		v.units[k] = types.OfKind(k).Signature()
	}
	return v
}

// A value is an item as text for people and as JSON.
type value struct{ text, json string }

// of returns the value of one item of kind k.
func (v *valuer) of(k types.Kind, raw []byte) (value, error) {
	mem := v.mem[:wide.Sizeof(k)]
	if err := v.form.Decode(mem, raw, wide, v.units[k], 0, 1); err != nil {
		return value{}, err
	}
	return v.inMemory(k, mem), nil
}

// inMemory returns the value of an item in wide memory.
func (v *valuer) inMemory(k types.Kind, mem []byte) value {
	switch k.Family() {
	case types.FamilyCharacter:
		n := unsigned(mem)
		text := n.String()
		if r := rune(n.Int64()); n.IsInt64() && n.Int64() <= unicode.MaxRune && unicode.IsPrint(r) {
			text += " " + strconv.QuoteRune(r)
		}
		return value{text, n.String()}
	case types.FamilySigned:
		n := signed(mem).String()
		return value{n, n}
	case types.FamilyFloat:
		return v.float(k, mem)
	case types.FamilyComplex:
		re, im := v.float(k, mem[:len(mem)/2]), v.float(k, mem[len(mem)/2:])
		return value{"(" + re.text + ", " + im.text + ")", "[" + re.json + "," + im.json + "]"}
	case types.FamilyBool:
		b := strconv.FormatBool(unsigned(mem).Sign() != 0)
		return value{b, b}
	}
	n := unsigned(mem).String()
	return value{n, n}
}

// unsigned returns an integer stored in the host's byte order.
func unsigned(mem []byte) *big.Int {
	high := make([]byte, len(mem))
	for i, b := range mem {
		if little {
			i = len(mem) - 1 - i
		}
		high[i] = b
	}
	return new(big.Int).SetBytes(high)
}

var little = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func signed(mem []byte) *big.Int {
	n := unsigned(mem)
	if bits := uint(8 * len(mem)); n.Bit(int(bits)-1) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), bits))
	}
	return n
}

// float returns an IEEE number of 2 to 16 bytes, with the fewest digits that parse to the
// same number.
func (v *valuer) float(k types.Kind, mem []byte) value {
	n := unsigned(mem)
	switch len(mem) {
	case 2:
		return numeral(float64(half(uint16(n.Uint64()))), 32)
	case 4:
		return numeral(float64(math.Float32frombits(uint32(n.Uint64()))), 32)
	case 8:
		return numeral(math.Float64frombits(n.Uint64()), 64)
	}
	return quadruple(n, v.precision(k))
}

// precision returns how many bits of precision a long double of the form has.
func (v *valuer) precision(k types.Kind) uint {
	if k == types.KindReal16 || k == types.KindComplex32 || v.form.Name() != "native" {
		return 113
	}
	switch v.form.Arch.LongDouble() {
	case reps.Binary64:
		return 53
	case reps.Binary128:
		return 113
	}
	return 64
}

// numeral returns a Go number as text; JSON has no form for some numbers.
func numeral(x float64, bits int) value {
	text := strconv.FormatFloat(x, 'g', -1, bits)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return value{text, strconv.Quote(text)}
	}
	return value{text, text}
}

// half returns a number of 16 bits; float32 represents it exactly.
func half(b uint16) float32 {
	exp, frac := uint32(b>>10&31), uint32(b&1023)
	sign := uint32(b&0x8000) << 16
	switch exp {
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	case 0:
		x := float32(frac) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(x))
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// smallest maps a precision to the exponent of the last bit of the smallest numbers.
var smallest = map[uint]int{53: -1074, 64: -16445, 113: -16494}

// quadruple returns a binary128 number with at most prec bits of precision.
func quadruple(n *big.Int, prec uint) value {
	const fracBits, bias, most = 112, 16383, 0x7fff
	minus := n.Bit(127) == 1
	exp := int(new(big.Int).Rsh(n, fracBits).Uint64() & most)
	frac := new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), fracBits), big.NewInt(1)))
	switch {
	case exp == most && frac.Sign() != 0:
		return numeral(math.NaN(), 64)
	case exp == most && minus:
		return numeral(math.Inf(-1), 64)
	case exp == most:
		return numeral(math.Inf(1), 64)
	case exp == 0:
		exp = 1
	default:
		frac.SetBit(frac, fracBits, 1)
	}
	x := new(big.Float).SetPrec(prec).SetInt(frac)
	x.SetMantExp(x, exp-bias-fracBits)
	// Subnormal numbers have fewer bits, and need fewer digits.
	x.SetPrec(min(prec, uint(max(1, x.MantExp(nil)-smallest[prec]))))
	if minus {
		x.Neg(x)
	}
	text := x.Text('g', -1)
	return value{text, text}
}

package gen

import (
	"fmt"
	"slices"
	"sync"
)

// Values says which bytes the accesses of a program write.
type Values uint8

// The values. Accesses of one program differ, as far as their values allow.
const (
	Marks    Values = iota // see [Mark]
	Zeros                  // zeros and marks; some accesses write zeros only
	Ones                   // bytes 0xff and marks; some accesses write 0xff only
	HighBit                // marks with the top bit set
	AnyByte                // all 256 bytes, without an order
	Repeated               // runs of equal bytes, of 1 to 300
	Text                   // lines of letters, with NUL, CR and bytes that are not UTF-8
	Numbers                // NaN, infinity, -0, -1 and other extremes, of 2, 4 and 8 bytes in both byte orders
	values                 // the number of values
)

var valueNames = [...]string{"marks", "zeros", "ones", "high bit", "any byte", "repeated", "text", "numbers"}

// String returns the name in the text of a program.
func (v Values) String() string { return valueNames[v] }

// valuesOf returns the values with a name.
func valuesOf(name string) (Values, error) {
	i := slices.Index(valueNames[:], name)
	if i < 0 {
		return Marks, fmt.Errorf("%q is not one of the values %q", name, valueNames)
	}
	return Values(i), nil
}

// period is the length after which the bytes of an access repeat: a prime, so that the same
// byte of two blocks of a layer differs.
const period = 65521

// tables has the bytes of all values, each as two periods.
var tables [values]func() []byte

func init() {
	for v := range values {
		tables[v] = sync.OnceValue(v.table)
	}
}

// scramble returns a number without an apparent relation to x.
func scramble(x uint64) uint64 {
	x ^= x >> 31
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}

// table makes the bytes of v.
func (v Values) table() []byte {
	p := make([]byte, 0, 2*period)
	for i := uint64(0); len(p) < period; i++ {
		x := scramble(i*0x94d049bb133111eb + 1)
		p = v.item(p, x, byte(x%126)+1)
	}
	p = p[:period]
	return append(p, p...)
}

// item appends the next bytes, by a random number and a mark.
func (v Values) item(p []byte, x uint64, mark byte) []byte {
	switch v {
	case Zeros, Ones:
		same := byte(0)
		if v == Ones {
			same = 0xff
		}
		p = appendRun(p, same, x>>8%11)
		return append(p, mark)
	case HighBit:
		return append(p, mark|0x80)
	case AnyByte:
		return append(p, byte(x))
	case Repeated:
		n := 1 + x>>8%9
		if x>>16%8 == 0 {
			n += x >> 24 % 292
		}
		return appendRun(p, byte(x), n)
	case Text:
		return append(p, texts[x%uint64(len(texts))]...)
	case Numbers:
		return appendNumber(p, x)
	}
	return append(p, mark)
}

func appendRun(p []byte, b byte, n uint64) []byte {
	for range n {
		p = append(p, b)
	}
	return p
}

// texts are pieces of text, some of which are not UTF-8.
var texts = []string{
	"a", "Bc", "7", " ", "x\n", "\r\n", "\x00", "\"", "\\", "\xc3\xa4", "\xff", "\xc3\x28", "\xed\xa0\x80", "\xf0\x9f", "%s", "\t", "\x1a", "0", "\xef\xbb\xbf", "zz",
}

// extremes are values of 8 bytes; their first 2 and 4 bytes are extremes of shorter kinds.
var extremes = []uint64{
	0x7ff8000000000001, 0x7fc000017fc00001, 0xfff0000000000000, 0xff800000ff800000, 0x7ff0000000000000,
	0x8000000000000000, 0x8000000080000000, 0xffffffffffffffff, 0xfffffffffffffffe, 0x7fffffffffffffff,
	0x0000000000000001, 0x3ff0000000000000, 0xbff0000000000000, 0xc000000000000000, 0x00ff00ff00ff00ff,
}

// appendNumber appends one of extremes, changed in its low bits so that others differ.
func appendNumber(p []byte, x uint64) []byte {
	n := extremes[x%uint64(len(extremes))] ^ x>>32%8
	for i := range 8 {
		shift := 8 * i
		if x>>16%2 == 0 {
			shift = 56 - shift
		}
		p = append(p, byte(n>>shift))
	}
	return p
}

// Data returns n bytes that a rank writes in operation op of a program. They are shared: do
// not change them.
func (v Values) Data(rank, op int, n int64) []byte {
	p := tables[v]()
	h := scramble(uint64(rank)*0x9e3779b97f4a7c15 + uint64(op)*0xbf58476d1ce4e5b9 + uint64(v))
	if (v == Zeros || v == Ones) && h>>40%3 == 0 {
		return constant(v, n)
	}
	p = p[h%period:]
	if n <= int64(len(p)) {
		return p[:n:n]
	}
	long := make([]byte, n)
	for done := 0; done < len(long); {
		done += copy(long[done:], p[:period])
	}
	return long
}

// constant returns n equal bytes: zeros, or 0xff.
func constant(v Values, n int64) []byte {
	p := make([]byte, n)
	if v == Ones {
		for i := range p {
			p[i] = 0xff
		}
	}
	return p
}

// Mark returns byte i of the data that a rank writes in operation op of a program with
// [Marks]. Bytes of different ranks and operations, and neighbouring bytes, most often
// differ, and none is 0 or a likely poison of a layer, so a wrong byte shows.
//
// The top bit is clear: an integer of marks is positive whatever the order of
// its bytes.
func Mark(rank, op int, i int64) byte {
	return Marks.Data(rank, op, period)[i%period]
}

// TellOffset returns byte i of a buffer whose bytes show a reader their rank and offset:
// one letter or digit for the rank, then the low hexadecimal digits of the offset in
// turn. It is for dumps; use [Mark] to find faults.
func TellOffset(rank int, i int64) byte {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if i%4 == 0 {
		return digits[rank%len(digits)]
	}
	return fmt.Sprintf("%03x", i/4%4096)[i%4-1]
}

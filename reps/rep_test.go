package reps_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

var archs = reps.Archs()

// memory packs the data of buf, in the form of an LP64 rank's memory.
func memory(t require.TestingT, buf types.Buffer) []byte {
	require.NoError(t, buf.Check(reps.LP64LE))
	p := make([]byte, buf.Packed(reps.LP64LE))
	buf.Pack(p, 0, reps.LP64LE)
	return p
}

// encode gives the file form of n items of t.
func encode(t require.TestingT, name string, a *reps.Arch, ty *types.Type, mem []byte, n int64) ([]byte, error) {
	rep, err := reps.Lookup(name, a)
	require.NoError(t, err)
	sig := ty.Signature()
	out := make([]byte, n*sig.Size(rep.Sizes()))
	return out, rep.Encode(out, mem, a, sig, 0, n*sig.Len())
}

func decode(t require.TestingT, name string, a *reps.Arch, ty *types.Type, file []byte, n int64) ([]byte, error) {
	rep, err := reps.Lookup(name, a)
	require.NoError(t, err)
	sig := ty.Signature()
	out := make([]byte, n*sig.Size(a))
	return out, rep.Decode(out, file, a, sig, 0, n*sig.Len())
}

// TestExternal32Bytes compares with the byte vectors of the standard's
// representation. If it fails, files are not readable by other MPIs.
func TestExternal32Bytes(t *testing.T) {
	neg2 := int16(-2)
	for _, tc := range []struct {
		name string
		t    *types.Type
		mem  []byte
		want string
	}{
		{"EX-X32-01 short -2", types.Short, memory(t, types.Of([]int16{neg2})), "fffe"},
		{"EX-X32-02 REP-X32-03 int", types.Int, memory(t, types.Of([]int32{0x01020304})), "01020304"},
		{"EX-X32-03 unsigned", types.UInt, memory(t, types.Of([]uint32{0xdeadbeef})), "deadbeef"},
		{"EX-X32-05 long -5", types.Long, memory(t, types.Of([]int64{-5})), "fffffffb"},
		{"EX-X32-06 long long -1", types.LongLong, memory(t, types.Of([]int64{-1})), "ffffffffffffffff"},
		{"EX-X32-07 float 1.5", types.Float, memory(t, types.Of([]float32{1.5})), "3fc00000"},
		{"EX-X32-08 double -0.1", types.Double, memory(t, types.Of([]float64{-0.1})), "bfb999999999999a"},
		{
			"EX-X32-09 infinity and negative zero", types.Double,
			memory(t, types.Of([]float64{math.Inf(1), math.Copysign(0, -1)})), "7ff00000000000008000000000000000",
		},
		{"EX-X32-10 REP-X32-07 float NaN", types.Float, memory(t, types.Of([]float32{float32(math.NaN())})), "7fc00000"},
		{"EX-X32-11 long double 1", types.LongDouble, x87bytes(0x3fff, 1<<63), "3fff" + strings.Repeat("00", 14)},
		{"EX-X32-12 long double -2.5", types.LongDouble, x87bytes(0xc000, 0xa000000000000000), "c0004000" + strings.Repeat("00", 12)},
		{"EX-X32-13 DIV-10 long double pi", types.LongDouble, x87bytes(0x4000, 0xc90fdaa22168c235), "4000921fb54442d1846a000000000000"},
		{"EX-X32-14 REP-X32-06 char", types.Char, []byte{'A'}, "41"},
		{"EX-X32-15 DIV-11 wide character", types.WChar, memory(t, types.Of([]int32{0x20ac})), "20ac"},
		{"EX-X32-16 REP-X32-05 bool", types.Bool, []byte{1}, "01"},
		{"EX-X32-17 REP-X32-04 complex", types.FloatComplex, memory(t, types.Of([]complex64{1 - 2i})), "3f800000c0000000"},
		{"EX-X32-18 aint", types.Aint, memory(t, types.Of([]int64{258})), "0000000000000102"},
		{"EX-X32-19 logical", types.Logical, memory(t, types.Of([]int32{-1})), "00000001"},
		{"REP-X32-10 bytes are not converted", types.Byte, []byte{1, 2, 3}, "010203"},
		{
			"REP-X32-11 pair without padding", types.DoubleInt,
			append(memory(t, types.Of([]float64{1})), memory(t, types.Of([]int32{7}))...), "3ff000000000000000000007",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := int64(len(tc.mem)) / tc.t.Size(reps.LP64LE)
			got, err := encode(t, "external32", reps.LP64LE, tc.t, tc.mem, n)
			require.NoError(t, err)
			assert.Equal(t, tc.want, hex.EncodeToString(got))
		})
	}
}

func x87bytes(se uint16, sig uint64) []byte {
	p := make([]byte, 16)
	for i := range 8 {
		p[i] = byte(sig >> (8 * i))
	}
	p[8], p[9] = byte(se), byte(se>>8)
	return p
}

// TestNarrowing: values that do not fit are refused, never cut in silence, and
// values that fit come back with their sign.
func TestNarrowing(t *testing.T) {
	t.Run("REP-X32-09 EX-X32-04 a long of 33 bits does not fit", func(t *testing.T) {
		_, err := encode(t, "external32", reps.LP64LE, types.Long, memory(t, types.Of([]int64{3, 0x0102030405060708})), 2)
		require.ErrorIs(t, err, reps.ErrConversion)
		assert.ErrorContains(t, err, "item 1, long: value 72623859790382856 does not fit in 4 bytes")
	})
	t.Run("REP-X32-09 sign kept", func(t *testing.T) {
		for _, v := range []int64{0, 1, -1, math.MaxInt32, math.MinInt32} {
			mem := memory(t, types.Of([]int64{v}))
			file, err := encode(t, "external32", reps.LP64LE, types.Long, mem, 1)
			require.NoError(t, err)
			back, err := decode(t, "external32", reps.LP64LE, types.Long, file, 1)
			require.NoError(t, err)
			assert.Equal(t, mem, back)
		}
	})
	t.Run("REP-X32-09 unsigned is not sign-extended", func(t *testing.T) {
		back, err := decode(t, "external32", reps.LP64LE, types.ULong, []byte{0xff, 0xff, 0xff, 0xfe}, 1)
		require.NoError(t, err)
		assert.Equal(t, memory(t, types.Of([]uint64{0xfffffffe})), back)
	})
	t.Run("REP-X32-06 a character beyond U+FFFF does not fit", func(t *testing.T) {
		_, err := encode(t, "external32", reps.LP64LE, types.WChar, memory(t, types.Of([]int32{0x1f600})), 1)
		assert.ErrorIs(t, err, reps.ErrConversion)
	})
}

// TestLookup: a misspelt representation must not become another one.
func TestLookup(t *testing.T) {
	t.Run("REP-INT-04 IO-VIEW-14 names", func(t *testing.T) {
		for _, name := range []string{"native", "internal", "external32"} {
			rep, err := reps.Lookup(name, reps.LP64LE)
			require.NoError(t, err)
			assert.Equal(t, name, rep.Name())
		}
		for _, name := range []string{"", "NATIVE", "foo", strings.Repeat("x", 500)} {
			_, err := reps.Lookup(name, reps.LP64LE)
			assert.ErrorIs(t, err, reps.ErrUnsupportedDatarep)
		}
	})
}

// TestNative: native files hold the bytes of the writing rank's machine.
func TestNative(t *testing.T) {
	t.Run("REP-NAT-01 REP-NAT-03 byte order of the rank's architecture", func(t *testing.T) {
		mem := memory(t, types.Of([]int32{0x01020304}))
		little, err := encode(t, "native", reps.LP64LE, types.Int, mem, 1)
		require.NoError(t, err)
		big, err := encode(t, "native", reps.LP64BE, types.Int, mem, 1)
		require.NoError(t, err)
		assert.Equal(t, "04030201", hex.EncodeToString(little))
		assert.Equal(t, "01020304", hex.EncodeToString(big))
	})
	t.Run("DT-DEF-08 sizes of the architectures", func(t *testing.T) {
		assert.EqualValues(t, 8, reps.LP64LE.Sizeof(types.KindLong))
		assert.EqualValues(t, 4, reps.ILP32BE.Sizeof(types.KindLong))
		assert.EqualValues(t, 12, reps.ILP32LE.Sizeof(types.KindLongDouble))
		assert.EqualValues(t, 4, reps.ILP32LE.Alignof(types.KindDouble))
		assert.EqualValues(t, 8, reps.ILP32BE.Alignof(types.KindDouble))
		_, extent := types.DoubleInt.Extent(reps.LP64LE)
		assert.EqualValues(t, 16, extent)
		_, extent = types.DoubleInt.Extent(reps.External32)
		assert.EqualValues(t, 12, extent)
	})
}

// TestRoundTrip: values written in any representation on any machine are read
// back unchanged, for every kind.
func TestRoundTrip(t *testing.T) {
	t.Run("REP-INT-01 REP-X32-00 REP-X32-01 REP-INTL-01 every kind, machine and representation", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a := rapid.SampledFrom(archs).Draw(t, "arch")
			name := rapid.SampledFrom([]string{"native", "internal", "external32"}).Draw(t, "rep")
			k := rapid.SampledFrom(types.Kinds()).Draw(t, "kind")
			n := rapid.Int64Range(0, 9).Draw(t, "n")
			mem := drawItems(t, k, n, a)
			ty := types.OfKind(k)
			file, err := encode(t, name, a, ty, mem, n)
			require.NoError(t, err)
			back, err := decode(t, name, a, ty, file, n)
			require.NoError(t, err)
			if !bytes.Equal(mem, back) {
				t.Fatalf("%v as %s on %v:\nmemory %x\nfile   %x\nback   %x", k, name, a, mem, file, back)
			}
		})
	})
}

// drawItems draws memory that every representation can hold: integers that fit
// the narrowest form, truth values 0 and 1, true x87 numbers.
func drawItems(t *rapid.T, k types.Kind, n int64, a *reps.Arch) []byte {
	size := a.Sizeof(k)
	mem := make([]byte, 0, n*size)
	for range n {
		item := rapid.SliceOfN(rapid.Byte(), int(size), int(size)).Draw(t, "item")
		switch {
		case k.Family() == types.FamilyBool:
			item = natural(size, uint64(item[0]&1))
		case k == types.KindWChar:
			item = natural(size, uint64(item[0])<<8|uint64(item[1]))
		case k == types.KindLong && size == 8:
			item = natural(size, uint64(int64(int16(uint16(item[0])<<8|uint16(item[1])))))
		case k == types.KindULong && size == 8:
			item = natural(size, uint64(item[0])<<24)
		case strings.Contains(k.String(), "longdouble") && (a.LongDouble() == reps.X87in16 || a.LongDouble() == reps.X87in12):
			half := int(size)
			if k.Family() == types.FamilyComplex {
				half /= 2
			}
			for at := 0; at < len(item); at += half {
				normalX87(item[at : at+half])
			}
		}
		mem = append(mem, item...)
	}
	return mem
}

// natural writes v into size bytes in the byte order of memory.
func natural(size int64, v uint64) []byte {
	item := make([]byte, max(8, size))
	binary.LittleEndian.PutUint64(item, v)
	item = item[:size]
	if memory(nil, types.Of([]uint64{1}))[0] == 0 {
		slices.Reverse(item)
	}
	return item
}

// normalX87 makes p a number that an x87 could have stored.
func normalX87(p []byte) {
	clear(p[10:])
	p[7] |= 0x80
	if p[9]&0x7f == 0 && p[8] == 0 {
		p[8] = 1
	}
}

// TestWideFloat compares the conversion of long doubles with math/big: exact
// one way, to the nearest even the other.
func TestWideFloat(t *testing.T) {
	t.Run("REP-X32-02 long double to binary128 and back", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			exp := rapid.Uint16Range(1, 0x7ffe).Draw(t, "exponent")
			sig := rapid.Uint64().Draw(t, "significand") | 1<<63
			q, err := encode(t, "external32", reps.LP64LE, types.LongDouble, x87bytes(exp, sig), 1)
			require.NoError(t, err)
			want := new(big.Float).SetPrec(200).SetUint64(sig)
			want.SetMantExp(want, int(exp)-16383-63)
			assert.Zero(t, want.Cmp(bigQuad(q)))
		})
	})
	t.Run("REP-X32-02 binary128 rounds to nearest even", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			q := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "quad")
			q[0] = 0x3f | q[0]&0x80 // ordinary exponents
			tail := rapid.SampledFrom([]string{"", "01000000000000", "00ffffffffffff", "01000000000001"}).Draw(t, "tail")
			if b, _ := hex.DecodeString(tail); len(b) > 0 {
				q[9] = q[9]&^1 | b[0]
				copy(q[10:], b[1:])
			}
			mem, err := decode(t, "external32", reps.LP64LE, types.LongDouble, q, 1)
			require.NoError(t, err)
			back, err := encode(t, "external32", reps.LP64LE, types.LongDouble, mem, 1)
			require.NoError(t, err)
			want := new(big.Float).SetMode(big.ToNearestEven).SetPrec(64).Set(bigQuad(q))
			assert.Zero(t, want.Cmp(bigQuad(back)))
		})
	})
	t.Run("REP-X32-07 infinities, NaN, zeros", func(t *testing.T) {
		for _, v := range [][]byte{x87bytes(0x7fff, 1<<63), x87bytes(0xffff, 1<<63), x87bytes(0, 0), x87bytes(0x8000, 0), x87bytes(0, 1)} {
			q, err := encode(t, "external32", reps.LP64LE, types.LongDouble, v, 1)
			require.NoError(t, err)
			back, err := decode(t, "external32", reps.LP64LE, types.LongDouble, q, 1)
			require.NoError(t, err)
			assert.Equal(t, v, back)
		}
		q, err := encode(t, "external32", reps.LP64LE, types.LongDouble, x87bytes(0x7fff, 1<<63|1), 1)
		require.NoError(t, err)
		assert.Equal(t, byte(0x7f), q[0])
		assert.NotEqual(t, make([]byte, 14), q[2:], "a NaN must not become infinity")
	})
}

// bigQuad reads a big-endian binary128 number.
func bigQuad(p []byte) *big.Float {
	exp := int(p[0]&0x7f)<<8 | int(p[1])
	frac := new(big.Int).SetBytes(p[2:])
	frac.SetBit(frac, 112, 1)
	f := new(big.Float).SetPrec(200).SetInt(frac)
	f.SetMantExp(f, exp-16383-112)
	if p[0]&0x80 != 0 {
		f.Neg(f)
	}
	return f
}

// BenchmarkEncode measures contiguous conversion against plain memory speed.
func BenchmarkEncode(b *testing.B) {
	for _, ty := range []*types.Type{types.Byte, types.Int, types.Double} {
		b.Run(ty.String(), func(b *testing.B) {
			mem := make([]byte, 1<<20)
			out := make([]byte, 1<<20)
			rep, _ := reps.Lookup("external32", reps.LP64LE)
			sig := ty.Signature()
			n := int64(len(mem)) / ty.Size(reps.LP64LE)
			b.SetBytes(int64(len(mem)))
			b.ReportAllocs()
			for b.Loop() {
				_ = rep.Encode(out, mem, reps.LP64LE, sig, 0, n)
			}
		})
	}
}

package reps_test

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// TestNewArch: a machine that no compiler could have made would give files
// that no rank can read.
func TestNewArch(t *testing.T) {
	t.Run("REP-NAT-03 DT-DEF-08 a machine of one's own", func(t *testing.T) {
		a, err := reps.NewArch(reps.Machine{
			Name: "crazy", Order: binary.BigEndian, LongDouble: reps.Binary64, Most: 4,
			Kinds: map[types.Kind]reps.Cell{types.KindInt: {Size: 8, Align: 8}, types.KindLong: {Size: 8, Align: 2}},
		})
		require.NoError(t, err)
		assert.EqualValues(t, 8, a.Sizeof(types.KindInt))
		assert.EqualValues(t, 4, a.Alignof(types.KindInt))
		assert.EqualValues(t, 2, a.Alignof(types.KindLong))
		assert.EqualValues(t, 8, a.Sizeof(types.KindLongDouble))
		assert.EqualValues(t, 16, a.Sizeof(types.KindLongDoubleComplex))
		assert.Equal(t, "crazy", a.String())
		file, err := encode(t, "native", a, types.Int, memory(t, types.Of([]int64{1})), 1)
		require.NoError(t, err)
		assert.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0, 1}, file)
	})
	t.Run("REP-NAT-03 refused", func(t *testing.T) {
		le := binary.ByteOrder(binary.LittleEndian)
		kinds := func(k types.Kind, size, align int64) reps.Machine {
			return reps.Machine{Name: "m", Order: le, Kinds: map[types.Kind]reps.Cell{k: {Size: size, Align: align}}}
		}
		for want, m := range map[string]reps.Machine{
			"no name":                           {Order: le},
			"byte order <nil>":                  {Name: "m"},
			"no format 9":                       {Name: "m", Order: le, LongDouble: 9},
			"greatest alignment 3":              {Name: "m", Order: le, Most: 3},
			"there is no kind 200":              kinds(200, 4, 4),
			"int of 3 bytes":                    kinds(types.KindInt, 3, 1),
			"int of 16 bytes":                   kinds(types.KindInt, 16, 1),
			"int of 4 bytes, aligned to 8":      kinds(types.KindInt, 4, 8),
			"int of 4 bytes, aligned to 0":      kinds(types.KindInt, 4, 0),
			"int32 of 8 bytes, aligned to 8":    kinds(types.KindInt32, 8, 8),
			"char of 2 bytes":                   kinds(types.KindChar, 2, 1),
			"a long double is x87 in 16 bytes":  kinds(types.KindLongDouble, 12, 4),
			"double of 4 bytes, aligned to 4: ": kinds(types.KindDouble, 4, 4),
		} {
			_, err := reps.NewArch(m)
			assert.ErrorIs(t, err, reps.ErrArg, want)
			assert.ErrorContains(t, err, want)
		}
	})
	t.Run("REP-NAT-03 by name", func(t *testing.T) {
		for _, a := range reps.Archs() {
			got, err := reps.ParseArch(strings.ToLower(a.String()))
			require.NoError(t, err)
			assert.Same(t, a, got)
		}
		_, err := reps.ParseArch("vax")
		assert.ErrorIs(t, err, reps.ErrArg)
		assert.ErrorContains(t, err, "lp64le, lp64be, ilp32le, ilp32be, llp64le")
	})
	t.Run("REP-NAT-03 Windows", func(t *testing.T) {
		assert.EqualValues(t, 4, reps.LLP64LE.Sizeof(types.KindLong))
		assert.EqualValues(t, 8, reps.LLP64LE.Sizeof(types.KindAint))
		assert.EqualValues(t, 2, reps.LLP64LE.Sizeof(types.KindWChar))
		assert.Equal(t, reps.Binary64, reps.LLP64LE.LongDouble())
	})
}

// TestLongDoubleAsDouble compares the conversion between binary64 and
// binary128 with math/big. If it fails, a long double from Windows is another
// number elsewhere.
func TestLongDoubleAsDouble(t *testing.T) {
	t.Run("REP-X32-02 binary64 is exact in binary128", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			x := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
			if rapid.Bool().Draw(t, "subnormal") {
				x = math.Float64frombits(math.Float64bits(x) &^ (0x7ff << 52))
			}
			q, err := encode(t, "external32", reps.LLP64LE, types.LongDouble, memory(t, types.Of([]float64{x})), 1)
			require.NoError(t, err)
			if !math.IsNaN(x) && !math.IsInf(x, 0) && x != 0 {
				assert.Zero(t, big.NewFloat(x).Cmp(bigQuad(q)), "%g %x", x, q)
			}
			back, err := decode(t, "external32", reps.LLP64LE, types.LongDouble, q, 1)
			require.NoError(t, err)
			assert.Equal(t, memory(t, types.Of([]float64{x})), back)
		})
	})
	t.Run("REP-X32-02 binary128 rounds to the nearest even double", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			q := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "quad")
			exp := rapid.Uint16Range(16383-1080, 16383+1023).Draw(t, "exponent")
			q[0], q[1] = q[0]&0x80|byte(exp>>8), byte(exp)
			if rapid.Bool().Draw(t, "tie") {
				clear(q[9:])
				q[8] &= 0xf8
			}
			want, _ := bigQuad(q).Float64()
			got, err := decode(t, "external32", reps.LLP64LE, types.LongDouble, q, 1)
			if math.IsInf(want, 0) {
				assert.ErrorIs(t, err, reps.ErrConversion)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, memory(t, types.Of([]float64{want})), got, "%x", q)
		})
	})
	t.Run("REP-X32-09 beyond the range", func(t *testing.T) {
		far := []byte{0x7f, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
		for _, a := range []*reps.Arch{reps.LLP64LE, reps.LP64LE, reps.ILP32LE} {
			_, err := decode(t, "external32", a, types.LongDouble, far, 1)
			assert.ErrorIs(t, err, reps.ErrConversion)
			assert.ErrorContains(t, err, "item 0, longdouble: bytes 7f fe ff")
		}
	})
	t.Run("REP-X32-07 infinities and NaN as doubles", func(t *testing.T) {
		for _, x := range []float64{math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)} {
			q, err := encode(t, "external32", reps.LLP64LE, types.LongDouble, memory(t, types.Of([]float64{x})), 1)
			require.NoError(t, err)
			x87, err := decode(t, "external32", reps.LP64LE, types.LongDouble, q, 1)
			require.NoError(t, err)
			again, err := encode(t, "external32", reps.LP64LE, types.LongDouble, x87, 1)
			require.NoError(t, err)
			assert.Equal(t, q, again)
		}
		q, err := encode(t, "external32", reps.LLP64LE, types.LongDouble, memory(t, types.Of([]float64{math.NaN()})), 1)
		require.NoError(t, err)
		assert.Equal(t, byte(0x7f), q[0])
		assert.NotZero(t, q[2])
	})
	t.Run("REP-X32-07 a NaN keeps its payload, signalling or quiet", func(t *testing.T) {
		for _, b := range []uint64{0x7ff0000000000001, 0x7ff1000000000000, 0xfff7ffffffffffff, 0x7ff8000000000000, 0xffffffffffffffff} {
			mem := memory(t, types.Of([]uint64{b}))
			q, err := encode(t, "external32", reps.LLP64LE, types.LongDouble, mem, 1)
			require.NoError(t, err)
			back, err := decode(t, "external32", reps.LLP64LE, types.LongDouble, q, 1)
			require.NoError(t, err)
			assert.Equal(t, mem, back)
		}
		least, err := hex.DecodeString("7fff0000000000000000000000000001") // nothing of it has a place in a double
		require.NoError(t, err)
		back, err := decode(t, "external32", reps.LLP64LE, types.LongDouble, least, 1)
		require.NoError(t, err)
		assert.Equal(t, memory(t, types.Of([]uint64{0x7ff8000000000000})), back)
	})
}

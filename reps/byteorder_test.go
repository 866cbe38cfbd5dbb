package reps_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

type mixed struct {
	A int16
	B [3]byte
	C float64
	D complex64
	E bool
	_ int32
	F int64 `mpi:"-"`
	G [2]int32
}

// values are the Go values in one element of a slice: where they begin, and their widths.
type values struct {
	size int64
	at   [][2]int64
}

// memoryOf draws a slice as a buffer, with the values of an element.
func memoryOf(t *rapid.T) (types.Buffer, values) {
	n := rapid.IntRange(1, 5).Draw(t, "length")
	one := func(w int64) values { return values{w, [][2]int64{{0, w}}} }
	switch rapid.IntRange(0, 9).Draw(t, "memory") {
	case 0:
		return types.Of(make([]int16, n)), one(2)
	case 1:
		return types.Of(make([]int32, n)), one(4)
	case 2:
		return types.Of(make([]int64, n)), one(8)
	case 3:
		return types.Of(make([]float64, n)), one(8)
	case 4:
		return types.Of(make([]complex128, n)), values{16, [][2]int64{{0, 8}, {8, 8}}}
	case 5:
		return types.Of(make([]byte, 7*n)), values{1, nil}
	case 6:
		return types.Of(make([][3]uint32, n)), values{12, [][2]int64{{0, 4}, {4, 4}, {8, 4}}}
	case 7:
		return types.Of(make([]mixed, n)), values{48, [][2]int64{{0, 2}, {8, 8}, {16, 4}, {20, 4}, {40, 4}, {44, 4}}}
	case 8:
		return types.Of(make([]struct{ A, B int8 }, 4*n)), values{2, nil}
	}
	return types.Raw(make([]byte, 24*n), 24*int64(n), types.Byte), values{1, nil}
}

// places returns, for each packed byte of b under memory a, which byte of the memory it is:
// by the definition, one byte after the other.
func places(b types.Buffer, v values, a *reps.Arch, image bool) (at []int64) {
	mirror := map[int64]int64{} // within an element
	for _, x := range v.at {
		for i := range x[1] {
			mirror[x[0]+i] = x[0] + x[1] - 1 - i
		}
	}
	raw := v.at == nil && v.size == 1
	m := naive.Of(b.Type(), a)
	for c := range b.Count() {
		for _, item := range m.Items {
			lo := b.Origin() + c*m.Extent() + item.Disp
			for i := range item.Size {
				off := lo + i
				opaque := item.Kind.Family() == types.FamilyOpaque
				switch elem := off - off%v.size; {
				case raw && image && !opaque: // of no known Go type: the item itself is the value
					w := item.Size
					if item.Kind.Family() == types.FamilyComplex {
						w /= 2
					}
					off = lo + i/w*w + w - 1 - i%w
				case opaque || image:
					if to, ok := mirror[off%v.size]; ok {
						off = elem + to
					}
				}
				at = append(at, off)
			}
		}
	}
	return at
}

// described draws a description of memory.
func described(t *rapid.T, b types.Buffer, v values) types.Buffer {
	size := int64(len(b.Mem()))
	own := b.Type()
	raw := v.at == nil && v.size == 1 && b.Count() == size
	unit := rapid.SampledFrom([]*types.Type{types.Byte, types.Byte, types.Packed}).Draw(t, "unit")
	switch rapid.IntRange(0, 5).Draw(t, "described") {
	case 0:
		return b
	case 1: // some bytes in the middle
		lo := rapid.Int64Range(0, size-1).Draw(t, "origin")
		return b.As(unit).At(lo).Times(rapid.Int64Range(0, size-lo).Draw(t, "count"))
	case 2: // bytes apart
		n := rapid.Int64Range(1, size).Draw(t, "blocks")
		return b.As(types.HVector(n, 1, max(1, size/n), unit)).Times(1)
	case 3: // backwards
		return b.As(types.HIndexed([]types.Block{{Len: 1, Disp: size - 1}, {Len: size / 2, Disp: 0}}, unit)).Times(1)
	case 4: // a value and its bytes
		if raw {
			k := rapid.SampledFrom([]*types.Type{types.Int, types.Double, types.LongDouble, types.DoubleComplex, types.Short, types.Char}).Draw(t, "kind")
			if n := size / 16; n > 0 {
				return types.Raw(b.Mem(), n, types.Resized(k, 0, 16))
			}
			return b
		}
		if size >= 2*v.size && v.size <= 16 {
			return b.As(types.Struct(types.Field{Count: 1, Disp: v.size, Type: own}, types.Field{Count: v.size, Disp: 0, Type: unit})).Times(1)
		}
	}
	return b.As(unit).Times(size)
}

// TestBytesOfValues: on a machine of another byte order, a program that looks at the bytes
// of a value, or sends them, must see those of that machine.
func TestBytesOfValues(t *testing.T) {
	t.Run("REP-NAT-01 P2P-MATCH-05 against a list of bytes", rapid.MakeCheck(func(t *rapid.T) {
		a := rapid.SampledFrom([]*reps.Arch{reps.LP64BE, reps.ILP32BE, reps.LP64LE}).Draw(t, "arch")
		memory, v := memoryOf(t)
		b := described(t, memory, v)
		image := rapid.Bool().Draw(t, "image")
		s := types.Sizes(a)
		if image {
			s = a.InBytes()
		}
		if b.Check(s) != nil {
			t.Skip("the machine has no such value")
		}
		for i := range b.Mem() {
			b.Mem()[i] = byte(i + 1)
		}
		if slices.ContainsFunc(v.at, func(x [2]int64) bool { return x[0] == 16 }) { // of mixed, the bool is 0 or 1
			for i := 24; i < len(b.Mem()); i += 48 {
				b.Mem()[i] = 1
			}
		}
		at := places(b, v, a, image)
		if little := binary.NativeEndian.Uint16([]byte{1, 0}) == 1; (a.Order() == binary.ByteOrder(binary.LittleEndian)) == little { // the order of the host
			at = places(b, values{1, nil}, a, false)
		}
		assert.EqualValues(t, len(at), b.Packed(s))
		want := make([]byte, len(at))
		for i, off := range at {
			want[i] = b.Mem()[off]
		}
		from := rapid.IntRange(0, len(at)).Draw(t, "from")
		n := rapid.IntRange(0, len(at)-from).Draw(t, "n")
		got := make([]byte, n)
		b.Pack(got, int64(from), s)
		assert.Equal(t, want[from:from+n], got, "%v", b.Type())
		if mem, ok := b.Contiguous(s); ok {
			assert.Equal(t, want, append([]byte{}, mem...))
		}
		if p, err := b.Plan(s); assert.NoError(t, err) && p.InPlace {
			assert.Equal(t, want, append([]byte{}, p.Memory...))
		}

		before := slices.Clone(b.Mem())
		put := make([]byte, n)
		for i := range put {
			put[i] = want[from+i] ^ 0x80
			if off := at[from+i]; off%48 == 24 && v.size == 48 {
				put[i] = 0
			}
			before[at[from+i]] = put[i]
		}
		b.Unpack(put, int64(from), s)
		assert.Equal(t, before, b.Mem(), "%v", b.Type())

		other := make([]byte, len(at))
		types.Copy(types.Raw(other, int64(len(at)), types.Byte), 0, s, b, 0, s, int64(len(at)))
		all := make([]byte, len(at))
		b.Pack(all, 0, s)
		assert.Equal(t, all, other)
	}))
	t.Run("REP-NAT-01 REP-X32-10 bytes of values in every representation", rapid.MakeCheck(func(t *rapid.T) {
		a := rapid.SampledFrom([]*reps.Arch{reps.LP64BE, reps.ILP32BE}).Draw(t, "arch")
		rep, err := reps.Lookup(rapid.SampledFrom([]string{"native", "external32"}).Draw(t, "rep"), a)
		assert.NoError(t, err)
		b := types.Of([]int32{100, -2, 3}).As(types.Struct(types.Field{Count: 2, Disp: 4, Type: types.Int}, types.Field{Count: 4, Disp: 0, Type: types.Byte})).Times(1)
		file := make([]byte, 12)
		assert.NoError(t, rep.Pack(file, reps.Memory{Buffer: b, Arch: a}, 6))
		assert.Equal(t, []byte{255, 255, 255, 254, 0, 0, 0, 3, 0, 0, 0, 100}, file)
		back := make([]int32, 3)
		b = types.Of(back).As(b.Type()).Times(1)
		assert.NoError(t, rep.Unpack(reps.Memory{Buffer: b, Arch: a}, file, 6))
		assert.Equal(t, []int32{100, -2, 3}, back)
	}))
}

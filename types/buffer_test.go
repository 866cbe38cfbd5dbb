package types_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

type (
	celsius float64
	vec3    [3]float32
	flags   struct {
		On  bool
		N   int32
		Off [2]bool
	}
	particle struct {
		ID    int32
		Mass  float64
		At    [2]vec3
		Note  uint8
		Flags flags
		_     int64
		Next  *particle `mpi:"-"`
	}
)

var goParticle = reflect.TypeFor[particle]()

// Memory is described by Go's own types; a description that does not fit it
// would send parts of numbers.
func TestGoTypes(t *testing.T) {
	t.Run("P2P-MATCH-11 native types", func(t *testing.T) {
		for _, c := range []struct{ got, want *types.Type }{
			{types.TypeOf[int8](), types.Int8},
			{types.TypeOf[uint8](), types.Byte},
			{types.TypeOf[int16](), types.Int16},
			{types.TypeOf[int32](), types.Int32},
			{types.TypeOf[int64](), types.Int64},
			{types.TypeOf[uint16](), types.UInt16},
			{types.TypeOf[uint32](), types.UInt32},
			{types.TypeOf[uint64](), types.UInt64},
			{types.TypeOf[float32](), types.Float},
			{types.TypeOf[float64](), types.Double},
			{types.TypeOf[complex64](), types.FloatComplex},
			{types.TypeOf[complex128](), types.DoubleComplex},
			{types.TypeOf[bool](), types.Bool},
			{types.TypeOf[celsius](), types.Double},
		} {
			assert.Same(t, c.want, c.got)
		}
		assert.Equal(t, "contiguous(3, float)", types.TypeOf[vec3]().String())
	})
	t.Run("P2P-MATCH-11 structs lie as Go lays them", func(t *testing.T) {
		x := types.TypeOf[particle]()
		assert.NoError(t, x.Err())
		assert.Equal(t, "int32 double float*6 byte bool int32 bool*2", x.Signature().String())
		d := int64(goParticle.Field(1).Offset) // 4 where doubles are aligned to 4
		assert.Equal(t, []int64{0, d, d + 8, d + 12, d + 16, d + 20, d + 24, d + 28, d + 32, d + 36, d + 40, d + 44, d + 45}, disps(t, x, types.Host))
		_, ex := x.Extent(types.Host)
		assert.EqualValues(t, goParticle.Size(), ex)
		assert.Same(t, x, types.TypeOf[particle]())
	})
	t.Run("P2P-MATCH-11 refusals name the field and the remedy", func(t *testing.T) {
		type inner struct{ Name string }
		type count int
		type cell struct {
			X float64
			N int
		}
		for want, err := range map[string]error{
			"int has no MPI type, because Go's int differs in size between machines: use int32 or int64":                                                                                               types.TypeOf[int]().Err(),
			"[]int has no MPI type, because Go's int differs in size between machines: use []int32 or []int64":                                                                                         types.Of([]int{1}).Err(),
			"[]uint has no MPI type, because Go's uint differs in size between machines: use []uint32 or []uint64":                                                                                     types.Of([]uint{1}).Err(),
			"[]uintptr has no MPI type, because an address is not valid on another rank: use []uint32 or []uint64":                                                                                     types.Of([]uintptr{1}).Err(),
			"[]string has no MPI type, because each string is a pointer to its text: use []byte(s) for one string, or [][16]byte for strings of up to 16 bytes":                                        types.Of([]string{"a"}).Err(),
			"[][]float64 has no MPI type, because each of its slices has memory of its own: use one []float64 with all rows one behind the other, or [][8]float64 for rows of 8":                       types.Of([][]float64{}).Err(),
			"[]types_test.count has no MPI type, because it is an int (types_test.count), and Go's int differs in size between machines: use []int32 or []int64":                                       types.Of([]count{1}).Err(),
			"[]types_test.cell has no MPI type, because types_test.cell.N is an int, and Go's int differs in size between machines: use int32 or int64, or leave the field out with the tag mpi:\"-\"": types.Of([]cell{{}}).Err(),
			"[]*int32 has no MPI type, because a pointer is not valid on another rank: use []int32":                                                                                                    types.Of([]*int32{nil}).Err(),
			"[]map[string]bool has no MPI type, because a map is a pointer to a table of this process: use a slice of its keys and a slice of its values":                                              types.Of([]map[string]bool{nil}).Err(),
			"[]interface {} has no MPI type, because an interface may hold a value of any type: use one type, such as float64 or a struct":                                                             types.Of([]any{1}).Err(),
			"[]error has no MPI type, because an interface may hold a value of any type: use one type, such as float64 or a struct":                                                                    types.Of([]error{nil}).Err(),
			"[]chan int has no MPI type, because a channel leads nowhere on another rank: use messages between ranks":                                                                                  types.Of([]chan int{nil}).Err(),
			"[]func() has no MPI type, because a function is not valid on another rank: use a number in place of it":                                                                                   types.Of([]func(){nil}).Err(),
			"[1048576]bool has no MPI type, because [1048576]bool has more than 65536 bools: use uint8":                                                                                                types.TypeOf[[1 << 20]bool]().Err(),
		} {
			var e *types.Error
			if assert.ErrorAs(t, err, &e, want) {
				assert.Equal(t, want, e.Err.Error())
				assert.Equal(t, types.ErrType, e.Class)
			}
		}
		refused := func(x *types.Type, path, remedy string) {
			t.Helper()
			assert.ErrorIs(t, x.Err(), types.ErrType)
			assert.ErrorContains(t, x.Err(), path)
			assert.ErrorContains(t, x.Err(), remedy)
		}
		refused(types.TypeOf[struct{ A [2]struct{ B uint } }](), ".A[0].B is a uint", "uint32 or uint64")
		refused(types.TypeOf[inner](), "inner.Name is a string", "[16]byte")
		refused(types.TypeOf[[2]inner](), "inner[0].Name", "[16]byte")
		refused(types.TypeOf[struct{ P *int32 }](), ".P is a *int32", `mpi:"-"`)
		refused(types.TypeOf[struct{ S []int32 }](), ".S is a []int32", "[8]int32")
		refused(types.TypeOf[struct{ M map[int32]int32 }](), ".M", `mpi:"-"`)
		refused(types.TypeOf[any](), "interface", "one type")
		b := types.Of([]int{1})
		assert.ErrorIs(t, b.Err(), types.ErrType)
		assert.ErrorIs(t, b.Check(types.Host), types.ErrType)
		assert.ErrorIs(t, b.As(types.Int).Times(1).At(0).Check(types.Host), types.ErrType, "another datatype does not make it right")
		assert.NotPanics(t, func() { b.Pack(make([]byte, 8), 0, types.Host); b.Unpack(nil, 0, types.Host) })
	})
}

// Checked memory is what lets every other layer copy without looking.
func TestBuffer(t *testing.T) {
	host := types.Host
	doubles := types.Of([]float64{1, 2, 3, 4, 5, 6})
	parts := make([]particle, 3)
	mass, size := int64(goParticle.Field(1).Offset), int64(goParticle.Size())
	shorts := types.Contiguous(3, types.Short)
	for _, c := range []struct {
		name  string
		buf   types.Buffer
		class errclass.Class
	}{
		{"P2P-MATCH-05 the slice itself", doubles, 0},
		{"P2P-MATCH-05 a view of it", doubles.As(vector(2, 1, 2, types.Double)), 0},
		{"P2P-MATCH-05 another type", doubles.As(types.Long), types.ErrType},
		{"P2P-MATCH-05 the same kind beside its place", doubles.As(types.HIndexedBlock(1, []int64{4}, types.Double)), types.ErrType},
		{"P2P-MATCH-05 the second item beside its place", doubles.As(types.HIndexedBlock(1, []int64{0, 12}, types.Double)), types.ErrType},
		{"P2P-MATCH-05 the second field beside its place", doubles.As(types.Struct(field(1, 0, types.Double), field(1, 12, types.Double))), types.ErrType},
		{"P2P-MATCH-05 the second copy beside its place", doubles.As(resized(types.Double, 0, 12)).Times(2), types.ErrType},
		{"P2P-MATCH-05 BYTE matches any memory", doubles.As(types.Byte), 0},
		{"P2P-MATCH-05 PACKED matches any memory", types.Of(parts).As(types.Packed), 0},
		{"P2P-MATCH-11 other names of the same value", types.Of(make([]int64, 4)).As(types.Long), 0},
		{"P2P-MATCH-11 uint8 is text too", types.Of(make([]byte, 4)).As(types.Char), 0},
		{"P2P-MATCH-11 signed is not unsigned", types.Of(make([]int32, 4)).As(types.UInt), types.ErrType},
		{"P2P-MATCH-11 a field of a struct", types.Of(parts).As(resized(types.HIndexedBlock(1, []int64{mass}, types.Double), 0, size)), 0},
		{"P2P-MATCH-11 the wrong field", types.Of(parts).As(resized(types.HIndexedBlock(1, []int64{0}, types.Double), 0, size)), types.ErrType},
		{"P2P-MATCH-11 the wrong distance", types.Of(parts).As(resized(types.HIndexedBlock(1, []int64{mass}, types.Double), 0, size+8)), types.ErrType},
		{"P2P-MATCH-11 all fields by hand", types.Of(parts).As(types.Dup(types.TypeOf[particle]())), 0},
		{"P2P-MATCH-11 Raw memory is of no type", types.Raw(make([]byte, 16), 2, types.Double), 0},
		{"DT-ARG-01 count negative", types.Raw(make([]byte, 16), -1, types.Double), types.ErrCount},
		{"DT-ARG-01 nil type", types.Raw(make([]byte, 16), 1, nil), types.ErrType},
		{"DT-ARG-01 nil type by As", doubles.As(nil), types.ErrType},
		{"DT-DEF-06 memory too small", types.Raw(make([]byte, 15), 2, types.Double), types.ErrBuffer},
		{"DT-DEF-06 padding of the last copy is not needed", types.Raw(make([]byte, 28), 2, types.DoubleInt), 0},
		{"DT-DEF-06 negative displacement", types.Raw(make([]byte, 64), 1, vector(2, 1, -3, types.Int)), types.ErrBuffer},
		{"DT-DEF-06 negative displacement with room", types.Raw(make([]byte, 64), 1, vector(2, 1, -3, types.Int)).At(12), 0},
		{"DT-DEF-06 negative extent", types.Raw(make([]byte, 64), 3, resized(types.Int, 0, -4)).At(8), 0},
		{"DT-DEF-06 negative extent too far", types.Raw(make([]byte, 64), 4, resized(types.Int, 0, -4)).At(8), types.ErrBuffer},
		{"DT-DEF-07 count 0 needs no memory", types.Raw(nil, 0, types.Double), 0},
		{"DT-DEF-09 count too great", types.Raw(make([]byte, 16), 1<<62, types.Double), types.ErrBuffer},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.buf.Check(host); c.class == 0 {
				assert.NoError(t, err)
				assert.NoError(t, c.buf.Check(host), "again")
			} else {
				assert.ErrorIs(t, err, c.class)
			}
		})
	}
	t.Run("IO-TM-05 the etype's values against the memory", func(t *testing.T) {
		assert.NoError(t, types.Of(make([]float32, 4)).As(types.Float).Check(host))
		assert.ErrorIs(t, types.Of(make([]float32, 4)).As(types.Int).Check(host), types.ErrType)
	})
	t.Run("P2P-MATCH-05 one check does not vouch for another", func(t *testing.T) {
		x := resized(types.HIndexedBlock(1, []int64{mass}, types.Double), 0, size+8)
		b := types.Of(parts).As(x)
		assert.NoError(t, b.Times(1).Check(host))
		assert.ErrorIs(t, b.Times(2).Check(host), types.ErrType)
		assert.ErrorIs(t, b.Times(1).At(4).Check(host), types.ErrType)
		assert.NoError(t, b.Times(1).At(size).Check(host))
	})
	t.Run("P2P-MATCH-11 the error says what lies where", func(t *testing.T) {
		err := types.Of(parts).As(types.HIndexedBlock(1, []int64{mass}, types.Int)).Check(host)
		assert.ErrorContains(t, err, fmt.Sprintf("int (4 bytes) at byte %d of memory that is []types_test.particle: there is a double of 8 bytes", mass))
	})
	t.Run("DT-DEF-06 the error says how much is missing", func(t *testing.T) {
		assert.ErrorContains(t, types.Raw(make([]byte, 15), 2, types.Double).Check(host), "2 of double take bytes 0 to 15 of the memory, which has 15 bytes")
	})
	t.Run("P2P-MATCH-08 sizes are the rank's", func(t *testing.T) {
		b := types.Of(make([]int32, 4)).As(types.Long)
		assert.ErrorIs(t, b.Check(host), types.ErrType)
		assert.NoError(t, b.Times(4).Check(ilp32))
		assert.EqualValues(t, 16, b.Times(4).Packed(ilp32))
	})
	t.Run("DT-DEF-01 pack, unpack and the memory itself", func(t *testing.T) {
		xs := []float64{1, 2, 3, 4, 5, 6}
		odd := types.Of(xs).As(vector(3, 1, 2, types.Double))
		assert.EqualValues(t, 1, odd.Count())
		packed := make([]byte, odd.Packed(host))
		odd.Pack(packed, 0, host)
		ys := make([]float64, 3)
		types.Of(ys).Unpack(packed, 0, host)
		assert.Equal(t, []float64{1, 3, 5}, ys)
		odd.Unpack(make([]byte, 8), 8, host)
		assert.Equal(t, []float64{1, 2, 0, 4, 5, 6}, xs)
		_, ok := odd.Contiguous(host)
		assert.False(t, ok)
		mem, ok := types.Of(xs).Contiguous(host)
		assert.True(t, ok)
		assert.Len(t, mem, 48)
		mem, ok = types.Raw(make([]byte, 12), 1, types.HIndexedBlock(1, []int64{3}, shorts)).Contiguous(host)
		assert.True(t, ok)
		assert.Len(t, mem, 6)
		_, ok = types.Raw(make([]byte, 32), 2, types.DoubleInt).Contiguous(host)
		assert.False(t, ok)
		mem, ok = types.Raw(make([]byte, 32), 1, types.DoubleInt).Contiguous(host)
		assert.True(t, ok)
		assert.Len(t, mem, 12)
	})
	t.Run("REP-X32-05 a bool that arrives is true or false", func(t *testing.T) {
		bs := make([]bool, 4)
		types.Of(bs).Unpack([]byte{7, 0, 1}, 1, host)
		assert.Equal(t, []byte{0, 1, 0, 1}, types.Of(bs).Mem())
		fs := make([]flags, 2)
		all := types.Of(fs)
		all.Unpack(slices.Repeat([]byte{9}, int(all.Packed(host))), 0, host)
		one := flags{true, 0x09090909, [2]bool{true, true}}
		assert.Equal(t, []flags{one, one}, fs)
		assert.Equal(t, []byte{1, 0, 0, 0, 9, 9, 9, 9, 1, 1, 0, 0}, all.Mem()[:12])
	})
	t.Run("DT-DEF-01 no allocation", func(t *testing.T) {
		xs, dst := make([]float64, 100), make([]byte, 400)
		col := vector(50, 1, 2, types.Double)
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			b := types.Of(xs).As(col)
			if b.Check(host) != nil {
				t.Fail()
			}
			b.Pack(dst, 0, host)
			b.Unpack(dst, 0, host)
		}))
	})
}

// If a plan differed from the calls that it replaces, it would move other bytes, or bytes
// that those calls refuse.
func TestPlan(t *testing.T) {
	many(t, 1000, func(t *rapid.T) {
		x, s := drawType(t), drawSizes(t)
		count := rapid.Int64Range(-1, 3).Draw(t, "count")
		mem := make([]byte, rapid.IntRange(0, 300).Draw(t, "memory"))
		buf := types.Raw(mem, count, x).At(rapid.Int64Range(0, 100).Draw(t, "origin"))
		if rapid.Bool().Draw(t, "bools") {
			buf = types.Of(make([]flags, len(mem)/12)).As(x).Times(count)
		}
		p, err := buf.Plan(s)
		if want := buf.Check(s); want != nil {
			assert.Equal(t, said(want), said(err))
			assert.Zero(t, p)
			return
		}
		assert.NoError(t, err)
		assert.Equal(t, x.Size(s), p.Unit)
		flat, ok := buf.Contiguous(s)
		assert.Equal(t, ok, p.InPlace)
		assert.Equal(t, len(flat), len(p.Memory))
		if len(flat) > 0 {
			assert.Same(t, &flat[0], &p.Memory[0])
		}
	})
}

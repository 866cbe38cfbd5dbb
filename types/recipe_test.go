package types_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// Tools that take types apart (debuggers, file formats that store them) rebuild
// them from these answers.
func TestContents(t *testing.T) {
	in, ch := types.Int, types.Char
	grid := types.Grid{Size: 2, Rank: 1, Order: types.OrderFortran, Dims: []types.GridDim{
		{Size: 5, Dist: types.DistBlock, Arg: types.DefaultArg, Procs: 2}, {Size: 6, Dist: types.DistNone, Arg: 1, Procs: 1},
	}}
	three := []types.Block{block(1, 4), block(2, 8), block(0, 12)}
	for _, c := range []struct {
		name string
		typ  *types.Type
		env  types.Envelope
		ints []int64
		addr []int64
	}{
		{"DT-ENV-01 named", in, types.Envelope{Combiner: types.CombinerNamed}, nil, nil},
		{"DT-ENV-01 pair", types.DoubleInt, types.Envelope{Combiner: types.CombinerNamed}, nil, nil},
		{"DT-ENV-01 dup", types.Dup(in), types.Envelope{types.CombinerDup, 0, 0, 1}, nil, nil},
		{"DT-ENV-01 contiguous", types.Contiguous(3, in), types.Envelope{types.CombinerContiguous, 1, 0, 1}, []int64{3}, nil},
		{"DT-ENV-01 vector", vector(2, 3, 4, in), types.Envelope{types.CombinerVector, 3, 0, 1}, []int64{2, 3, 4}, nil},
		{"DT-ENV-01 hvector", hvector(2, 3, 4, in), types.Envelope{types.CombinerHVector, 2, 1, 1}, []int64{2, 3}, []int64{4}},
		{"DT-ENV-01 indexed", types.Indexed(three, in), types.Envelope{types.CombinerIndexed, 7, 0, 1}, []int64{3, 1, 2, 0, 4, 8, 12}, nil},
		{"DT-ENV-01 hindexed", types.HIndexed(three, in), types.Envelope{types.CombinerHIndexed, 4, 3, 1}, []int64{3, 1, 2, 0}, []int64{4, 8, 12}},
		{"DT-ENV-01 indexed_block", types.IndexedBlock(2, []int64{7, 1, 4}, in), types.Envelope{types.CombinerIndexedBlock, 5, 0, 1}, []int64{3, 2, 7, 1, 4}, nil},
		{"DT-ENV-01 hindexed_block", types.HIndexedBlock(2, []int64{7, 1, 4}, in), types.Envelope{types.CombinerHIndexedBlock, 2, 3, 1}, []int64{3, 2}, []int64{7, 1, 4}},
		{"DT-ENV-01 struct", types.Struct(field(1, 0, in), field(2, 8, ch)), types.Envelope{types.CombinerStruct, 3, 2, 2}, []int64{2, 1, 2}, []int64{0, 8}},
		{"DT-ENV-01 subarray", types.Subarray(types.OrderC, slabs, in), types.Envelope{types.CombinerSubarray, 8, 0, 1}, []int64{2, 4, 6, 2, 3, 1, 2, int64(types.OrderC)}, nil},
		{
			"DT-ENV-02 darray, arguments in call order", types.Darray(grid, in),
			types.Envelope{types.CombinerDarray, 12, 0, 1},
			[]int64{2, 1, 2, 5, 6, int64(types.DistBlock), int64(types.DistNone), types.DefaultArg, 1, 2, 1, int64(types.OrderFortran)},
			nil,
		},
		{"DT-ENV-01 f90_real", types.F90Real(15, types.Undefined), types.Envelope{types.CombinerF90Real, 2, 0, 0}, []int64{15, types.Undefined}, nil},
		{"DT-ENV-01 f90_complex", types.F90Complex(6, 30), types.Envelope{types.CombinerF90Complex, 2, 0, 0}, []int64{6, 30}, nil},
		{"DT-ENV-01 f90_integer", types.F90Integer(9), types.Envelope{types.CombinerF90Integer, 1, 0, 0}, []int64{9}, nil},
		{"DT-ENV-01 resized", resized(in, -4, 12), types.Envelope{types.CombinerResized, 0, 2, 1}, nil, []int64{-4, 12}},
		{"DT-ENV-01 value_index", types.ValueIndex(types.Double, types.Long), types.Envelope{types.CombinerValueIndex, 0, 0, 2}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.env, c.typ.Envelope())
			got, err := c.typ.Contents()
			if c.env.Combiner == types.CombinerNamed {
				assert.ErrorIs(t, err, types.ErrType, "DT-ENV-02")
				return
			}
			assert.NoError(t, err)
			assert.Equal(t, c.ints, got.Integers)
			assert.Equal(t, c.addr, got.Addresses)
			assert.True(t, types.Rebuild(c.env.Combiner, got).Equal(c.typ))
		})
	}
	t.Run("DT-ENV-01 values of combiners", func(t *testing.T) {
		assert.EqualValues(t, 101, types.CombinerNamed)
		assert.EqualValues(t, 117, types.CombinerValueIndex)
		assert.Equal(t, "MPI_COMBINER_HINDEXED_BLOCK", types.CombinerHIndexedBlock.String())
	})
	t.Run("DT-ENV-02 arguments that do not fit", func(t *testing.T) {
		full, _ := vector(2, 3, 4, in).Contents()
		for comb := types.CombinerNamed; comb <= types.CombinerValueIndex+1; comb++ {
			if comb != types.CombinerVector {
				assert.Error(t, types.Rebuild(comb, full).Err(), comb)
			}
			assert.Error(t, types.Rebuild(comb, types.Contents{}).Err(), comb)
			assert.Error(t, types.Rebuild(comb, types.Contents{Integers: []int64{-1, 1 << 40}, Types: full.Types}).Err(), comb)
		}
		assert.ErrorIs(t, types.Rebuild(types.CombinerVector, types.Contents{}).Err(), types.ErrArg)
	})
	t.Run("DT-ENV-03 rebuilt types are equal", func(t *testing.T) {
		many(t, 5, func(t *rapid.T) {
			x := drawType(t)
			y := rebuild(x)
			if !y.Equal(x) || !x.Equal(y) {
				t.Fatalf("%s rebuilt is %s", x, y)
			}
			lx, ly := layout(t, x, types.Host), layout(t, y, types.Host)
			if lx.LB != ly.LB || lx.UB != ly.UB || !x.Signature().Equal(y.Signature()) ||
				!slices.Equal(collect(lx), collect(ly)) {
				t.Fatalf("%s rebuilt has another layout", x)
			}
		})
	})
}

func collect(l *types.Layout) []int64 {
	var v []int64
	for off, n := range (types.Tiling{L: l}).Runs(0, 2*l.Size) {
		v = append(v, off, n)
	}
	return v
}

// rebuild takes x apart down to predefined types and builds it anew.
func rebuild(x *types.Type) *types.Type {
	env := x.Envelope()
	if env.Combiner == types.CombinerNamed {
		return x
	}
	c, err := x.Contents()
	if err != nil {
		return x
	}
	for i, e := range c.Types {
		c.Types[i] = rebuild(e)
	}
	return types.Rebuild(env.Combiner, c)
}

// A program must learn of its mistake from the call that made it, by class and
// rule, and never by a crash.
func TestArguments(t *testing.T) {
	in := types.Int
	huge := types.Contiguous(math.MaxInt64/8, types.Double)
	dim := func(size int64, d types.Distribution, arg, procs int64) types.Grid {
		return types.Grid{Size: procs, Dims: []types.GridDim{{Size: size, Dist: d, Arg: arg, Procs: procs}}}
	}
	slab := func(size, sub, start int64) *types.Type {
		return types.Subarray(types.OrderC, []types.Slab{{Size: size, Sub: sub, Start: start}}, in)
	}
	for _, c := range []struct {
		name  string
		typ   *types.Type
		class errclass.Class
		rule  string
	}{
		{"DT-ARG-01 negative count", types.Contiguous(-1, in), types.ErrCount, "DT-ARG-01"},
		{"DT-ARG-01 negative vector count", vector(-1, 1, 1, in), types.ErrCount, "DT-ARG-01"},
		{"DT-ARG-01 negative block length", vector(1, -1, 1, in), types.ErrArg, "DT-ARG-01"},
		{"DT-ARG-01 negative length in a list", types.Indexed([]types.Block{block(1, 0), block(-2, 0)}, in), types.ErrArg, "DT-ARG-01"},
		{"DT-ARG-01 negative even length", types.IndexedBlock(-1, nil, in), types.ErrArg, "DT-ARG-01"},
		{"DT-ARG-01 negative struct count", types.Struct(field(-1, 0, in)), types.ErrArg, "DT-ARG-01"},
		{"DT-ARG-01 nil old type", types.Contiguous(1, nil), types.ErrType, "DT-ARG-01"},
		{"DT-ARG-01 nil in struct", types.Struct(field(1, 0, nil)), types.ErrType, "DT-ARG-01"},
		{"DT-ARG-01 nil resized", resized(nil, 0, 4), types.ErrType, "DT-ARG-01"},
		{"DT-SUB-02 no dimension", types.Subarray(types.OrderC, nil, in), types.ErrArg, "DT-SUB-02"},
		{"DT-SUB-02 subsize 0", slab(4, 0, 0), types.ErrArg, "DT-SUB-02"},
		{"DT-SUB-02 subsize too large", slab(4, 5, 0), types.ErrArg, "DT-SUB-02"},
		{"DT-SUB-02 start negative", slab(4, 1, -1), types.ErrArg, "DT-SUB-02"},
		{"DT-SUB-02 start overruns", slab(4, 2, 3), types.ErrArg, "DT-SUB-02"},
		{"DIV-23", slab(4, 0, 0), types.ErrArg, "DT-SUB-02"},
		{"DT-SUB-03 order", types.Subarray(7, slabs, in), types.ErrArg, "DT-SUB-03"},
		{"DT-SUB-03 order beyond a byte", types.Subarray(types.OrderC+256, slabs, in), types.ErrArg, "DT-SUB-03"},
		{"DT-DARR-02 product of process counts", types.Darray(types.Grid{Size: 3, Dims: dim(4, types.DistBlock, types.DefaultArg, 2).Dims}, in), types.ErrArg, "DT-DARR-02"},
		{"DT-DARR-02 rank", types.Darray(types.Grid{Size: 2, Rank: 2, Dims: dim(4, types.DistBlock, types.DefaultArg, 2).Dims}, in), types.ErrArg, "DT-DARR-02"},
		{"DT-DARR-02 size of the grid", types.Darray(types.Grid{Size: 0, Dims: dim(4, types.DistBlock, types.DefaultArg, 1).Dims}, in), types.ErrArg, "DT-DARR-02"},
		{"DT-DARR-02 size of a dimension", types.Darray(dim(0, types.DistBlock, types.DefaultArg, 2), in), types.ErrArg, "DT-DARR-02"},
		{"DT-DARR-02 process count", types.Darray(types.Grid{Size: 1, Dims: []types.GridDim{{Size: 4, Dist: types.DistBlock, Arg: types.DefaultArg}}}, in), types.ErrArg, "DT-DARR-02"},
		{"DT-DARR-02 no dimension", types.Darray(types.Grid{Size: 1}, in), types.ErrArg, "DT-DARR-02"},
		{"DT-DARR-04 none over two", types.Darray(dim(4, types.DistNone, types.DefaultArg, 2), in), types.ErrArg, "DT-DARR-04"},
		{"DT-DARR-04 blocks too small", types.Darray(dim(5, types.DistBlock, 2, 2), in), types.ErrArg, "DT-DARR-04"},
		{"DT-DARR-04 block size 0", types.Darray(dim(5, types.DistCyclic, 0, 2), in), types.ErrArg, "DT-DARR-04"},
		{"DT-DARR-04 unknown distribution", types.Darray(dim(5, 9, 1, 1), in), types.ErrArg, "DT-DARR-04"},
		{"DT-F90-01 nothing given", types.F90Real(types.Undefined, types.Undefined), types.ErrArg, "DT-F90-01"},
		{"DT-F90-01 too precise", types.F90Real(34, 10), types.ErrArg, "DT-F90-01"},
		{"DT-F90-01 range too wide", types.F90Complex(types.Undefined, 4932), types.ErrArg, "DT-F90-01"},
		{"DT-F90-01 too many digits", types.F90Integer(39), types.ErrArg, "DT-F90-01"},
		{"DT-F90-01 negative", types.F90Real(-1, 10), types.ErrArg, "DT-F90-01"},
		{"DT-DEF-09 size", types.Contiguous(2, huge), types.ErrArg, "DT-DEF-09"},
		{"DT-DEF-09 extent", types.Contiguous(4, resized(types.Char, 0, math.MaxInt64/2)), types.ErrArg, "DT-DEF-09"},
		{"DT-DEF-09 stride", vector(3, 1, math.MaxInt64/4, in), types.ErrArg, "DT-DEF-09"},
		{"DT-DEF-09 stride in bytes", hvector(3, 1, math.MinInt64, in), types.ErrArg, "DT-DEF-09"},
		{"DT-DEF-09 displacement", types.IndexedBlock(1, []int64{math.MaxInt64}, in), types.ErrArg, "DT-DEF-09"},
		{"DT-DEF-09 end of the last item", types.HIndexedBlock(1, []int64{math.MaxInt64 - 2}, in), types.ErrArg, "DT-DEF-09"},
		{"DT-DEF-09 true extent", types.HIndexedBlock(1, []int64{math.MinInt64, 1 << 62}, in), types.ErrArg, "DT-DEF-09"},
		{"DT-DEF-09 upper bound", resized(in, math.MaxInt64, 1), types.ErrArg, "DT-DEF-09"},
		{"DT-DEF-09 extent of opposite bounds", types.Struct(field(1, math.MinInt64, types.LB), field(1, 1, types.UB)), types.ErrArg, "DT-DEF-09"},
		{"DT-DEF-09 array", types.Subarray(types.OrderC, []types.Slab{{Size: 1 << 40, Sub: 1}, {Size: 1 << 40, Sub: 1}}, in), types.ErrArg, "DT-DEF-09"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.typ.Err()
			assert.ErrorIs(t, err, c.class)
			var e *types.Error
			if assert.ErrorAs(t, err, &e) {
				assert.Equal(t, c.rule, e.Rule, err)
				assert.NotNil(t, e.Err)
			}
			outer := types.Contiguous(2, types.Struct(field(1, 0, c.typ)))
			if c.typ != nil {
				assert.Equal(t, err, outer.Err(), "the first error is kept")
			}
			assert.Zero(t, outer.Size(types.Host))
			assert.Zero(t, outer.Signature().Len())
			assert.False(t, outer.Portable())
			assert.Contains(t, outer.String(), "error")
			_, lerr := outer.Layout(types.Host)
			assert.Equal(t, err, lerr)
		})
	}
	t.Run("DT-DEF-09 only other sizes overflow", func(t *testing.T) {
		x := types.Contiguous(math.MaxInt64/8, types.Char)
		assert.NoError(t, x.Err())
		_, err := x.Layout(&sizesTable{size: map[types.Kind]int64{types.KindChar: 100}})
		assert.ErrorIs(t, err, types.ErrArg)
	})
	t.Run("DT-ARG-01 nil types and sizes answer", func(t *testing.T) {
		var x *types.Type
		assert.ErrorIs(t, x.Err(), types.ErrType)
		assert.Equal(t, "nil", x.String())
		assert.Zero(t, x.Size(types.Host))
		assert.Zero(t, x.Signature().Len())
		assert.ErrorIs(t, x.WithName("n").Err(), types.ErrType)
		assert.Equal(t, types.CombinerNamed, x.Envelope().Combiner)
		_, err := types.Int.Layout(nil)
		assert.ErrorIs(t, err, types.ErrArg)
		_, err = types.Int.Layout(&sizesTable{size: map[types.Kind]int64{types.KindInt: 0}})
		assert.ErrorIs(t, err, types.ErrArg)
	})
	t.Run("DT-ARG-02 any type builds on any other", func(t *testing.T) {
		assert.NoError(t, types.Contiguous(2, vector(2, 1, 2, in)).Err())
	})
}

// Types are values: the mistakes that the standard's commit and free prevent cannot happen.
// These are the properties of values.
func TestTypesAreValues(t *testing.T) {
	t.Run("DT-COMMIT-01 ready as soon as made", func(t *testing.T) {
		x := vector(2, 1, 2, types.Int)
		b := types.Raw(make([]byte, 12), 1, x)
		assert.NoError(t, b.Check(types.Host))
		dst := make([]byte, 8)
		b.Pack(dst, 0, types.Host)
	})
	t.Run("DT-FREE-01 arguments may change after the call", func(t *testing.T) {
		blocks, slab, ds := []types.Block{block(1, 2)}, slices.Clone(slabs), []int64{3}
		fields := []types.Field{field(1, 4, types.Int)}
		made := []*types.Type{
			types.Indexed(blocks, types.Int), types.Subarray(types.OrderC, slab, types.Int),
			types.IndexedBlock(1, ds, types.Int), types.Struct(fields...),
		}
		before := make([]string, len(made))
		for i, x := range made {
			before[i] = x.String()
			c, _ := x.Contents()
			for j := range c.Integers {
				c.Integers[j] = 99
			}
			for j := range c.Types {
				c.Types[j] = types.Char
			}
		}
		blocks[0], slab[0], ds[0], fields[0] = block(9, 9), types.Slab{}, 9, field(9, 9, types.Char)
		for i, x := range made {
			assert.Equal(t, before[i], x.String())
		}
	})
	t.Run("DT-FREE-01 many ranks share a type", func(t *testing.T) {
		x := types.Indexed([]types.Block{block(1, 5), block(2, 0)}, types.Struct(field(1, 0, types.Int), field(1, 8, types.Char)))
		want, _ := x.Layout(types.Host)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for range 200 {
					l, err := x.Layout(types.Host)
					assert.NoError(t, err)
					assert.True(t, want == l || slices.Equal(collect(want), collect(l)))
					_, err = x.Layout(&sizesTable{align: int64(i)}) // crowds the cache
					assert.NoError(t, err)
					x.Signature().Size(ilp32)
				}
			})
		}
		wg.Wait()
	})
	t.Run("DT-NAME-01 names", func(t *testing.T) {
		assert.Equal(t, "MPI_DOUBLE", types.Double.Name())
		assert.Equal(t, "MPI_2INT", types.TwoInt.Name())
		x := vector(2, 1, 2, types.Int)
		assert.Empty(t, x.Name())
		y := x.WithName("every other")
		assert.Equal(t, []string{"", "every other"}, []string{x.Name(), y.Name()})
		assert.True(t, x.Equal(y), "DT-EQ-01")
		for _, k := range types.Kinds() {
			assert.Equal(t, k.MPI(), types.OfKind(k).Name())
		}
	})
	t.Run("DT-NAME-01 of two names in the standard one is the name", func(t *testing.T) {
		for name, x := range map[string]*types.Type{
			"MPI_LONG_LONG_INT": types.LongLong, "MPI_C_COMPLEX": types.FloatComplex,
			"MPI_2REAL": types.TwoReal, "MPI_2DOUBLE_PRECISION": types.TwoDoublePrecision, "MPI_2INTEGER": types.TwoInteger,
		} {
			assert.Equal(t, name, x.Name())
			assert.Equal(t, name, types.Dup(x).WithName(x.Name()).Name())
		}
		for text, x := range map[string]*types.Type{
			"MPI_LONG_LONG_INT": types.LongLong, "MPI_LONG_LONG": types.LongLong, "longlong": types.LongLong,
			"MPI_C_COMPLEX": types.FloatComplex, "MPI_C_FLOAT_COMPLEX": types.FloatComplex, "floatcomplex": types.FloatComplex,
			"MPI_DOUBLE": types.Double, "MPI_2INT": types.TwoInt, "MPI_2REAL": types.TwoReal, "tworeal": types.TwoReal,
		} {
			got, err := types.Parse(text)
			assert.NoError(t, err)
			assert.Same(t, x, got)
			in, err := types.Parse("vector(2, 1, 2, " + text + ")")
			assert.NoError(t, err)
			assert.Equal(t, "vector(2, 1, 2, "+x.String()+")", in.String()) // prints as before
		}
		assert.Equal(t, []string{"longlong", "floatcomplex"}, []string{types.LongLong.String(), types.FloatComplex.String()})
	})
	t.Run("DT-ENV-01 DT-ENV-02 DT-EQ-01 pairs of Fortran are named types", func(t *testing.T) {
		for _, x := range types.Pairs() {
			assert.True(t, x.Predefined())
			assert.Equal(t, types.Envelope{Combiner: types.CombinerNamed}, x.Envelope())
			assert.Equal(t, types.KindNone, x.Kind())
			assert.EqualValues(t, 2, x.Signature().Len())
			again, err := types.Parse(x.String())
			assert.NoError(t, err)
			assert.Same(t, x, again)
		}
		assert.False(t, types.TwoInteger.Equal(types.TwoInt))
		assert.False(t, types.TwoInteger.Equal(types.Contiguous(2, types.Integer)))
		assert.NoError(t, types.MatchMessage(types.TwoReal, 1, types.Real, 2, types.Host), "P2P-MATCH-02")
		assert.ErrorIs(t, types.MatchMessage(types.TwoInteger, 1, types.TwoInt, 1, types.Host), types.ErrType)
		assert.Equal(t, "types.Dup(types.TwoDoublePrecision)", types.Dup(types.TwoDoublePrecision).GoString())
	})
	t.Run("DT-EQ-01 equal calls, equal types", func(t *testing.T) {
		mk := func() *types.Type { return types.Contiguous(2, vector(3, 1, 2, types.DoubleInt)) }
		assert.True(t, mk().Equal(mk()))
		assert.False(t, mk().Equal(types.Contiguous(2, vector(3, 1, 2, types.FloatInt))))
		assert.False(t, types.Contiguous(1, types.Int).Equal(types.Dup(types.Int)))
		assert.False(t, types.Int.Equal(types.Int32))
		assert.False(t, types.Int.Equal(nil))
		assert.True(t, types.F90Real(6, 37).Equal(types.F90Real(6, 37)))
	})
	t.Run("DT-EQ-01 types that share parts compare fast", func(t *testing.T) {
		deep := func() *types.Type {
			x := types.Int
			for range 40 { // 2^40 items
				x = types.Struct(field(1, 0, x), field(1, 1<<20, x))
			}
			return x
		}
		assert.True(t, deep().Equal(deep()))
		assert.True(t, deep().Signature().Equal(types.Contiguous(1<<40, types.Int).Signature()))
	})
}

// Predefined types of the standard's special calls.
func TestPredefined(t *testing.T) {
	t.Run("DT-F90-01 one type for each precision and range", func(t *testing.T) {
		assert.Same(t, types.F90Real(6, 37), types.F90Real(6, 37))
		assert.Empty(t, types.F90Real(6, 37).Name())
		assert.True(t, types.F90Real(6, 37).Predefined())
		assert.EqualValues(t, 16, types.F90Complex(10, types.Undefined).Size(types.Host))
	})
	t.Run("P2P-MATCH-09 other precision, other type", func(t *testing.T) {
		a, b := types.F90Real(6, 37), types.F90Real(5, 37)
		assert.NoError(t, types.MatchMessage(a, 1, types.F90Real(6, 37), 1, types.Host))
		assert.ErrorIs(t, types.MatchMessage(a, 1, b, 1, types.Host), types.ErrType)
		assert.ErrorIs(t, types.MatchMessage(a, 1, types.Real, 1, types.Host), types.ErrType)
	})
	for _, c := range []struct {
		name string
		typ  *types.Type
		size int64
	}{
		{"REP-F90-01 4 bytes", types.F90Real(6, 37), 4},
		{"REP-F90-01 8 bytes by precision", types.F90Real(7, types.Undefined), 8},
		{"REP-F90-01 8 bytes by range", types.F90Real(types.Undefined, 38), 8},
		{"REP-F90-01 16 bytes by precision", types.F90Real(16, 0), 16},
		{"REP-F90-01 16 bytes by range", types.F90Real(1, 308), 16},
		{"REP-F90-02 twice the real", types.F90Complex(16, 0), 32},
		{"REP-F90-03 1", types.F90Integer(2), 1},
		{"REP-F90-03 2", types.F90Integer(4), 2},
		{"REP-F90-03 4", types.F90Integer(9), 4},
		{"REP-F90-03 8", types.F90Integer(18), 8},
		{"REP-F90-03 16", types.F90Integer(38), 16},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.size, c.typ.Size(external32)) })
	}
	t.Run("DT-VIDX-01 named, unnamed and none", func(t *testing.T) {
		assert.Same(t, types.FloatInt, types.ValueIndex(types.Float, types.Int))
		assert.Same(t, types.TwoInt, types.ValueIndex(types.Int, types.Int))
		assert.Same(t, types.TwoReal, types.ValueIndex(types.Real, types.Real))
		assert.Same(t, types.TwoDoublePrecision, types.ValueIndex(types.DoublePrecision, types.DoublePrecision))
		assert.Same(t, types.TwoInteger, types.ValueIndex(types.Integer, types.Integer))
		assert.Equal(t, types.CombinerValueIndex, types.ValueIndex(types.Double, types.Long).Envelope().Combiner)
		assert.Nil(t, types.ValueIndex(types.Double, types.Float))
		assert.Nil(t, types.ValueIndex(types.Byte, types.Int))
		assert.Nil(t, types.ValueIndex(nil, types.Int))
		assert.Nil(t, types.ValueIndex(vector(1, 1, 1, types.Int), types.Int))
	})
	t.Run("DT-MATCH-01 by class and size", func(t *testing.T) {
		assert.Same(t, types.Real8, types.BySize(types.ClassReal, 8))
		assert.Same(t, types.Integer2, types.BySize(types.ClassInteger, 2))
		assert.Same(t, types.Complex16, types.BySize(types.ClassComplex, 16))
		assert.ErrorIs(t, types.BySize(types.ClassReal, 5).Err(), types.ErrArg)
		assert.ErrorIs(t, types.BySize(9, 4).Err(), types.ErrArg)
	})
	t.Run("DT-GETC-01 whole items", func(t *testing.T) {
		two := types.Contiguous(2, types.Real)
		none := types.Contiguous(0, types.Real)
		for _, c := range []struct {
			bytes int64
			typ   *types.Type
			n     int64
			ok    bool
		}{
			{8, two, 1, true},
			{12, two, types.Undefined, false},
			{0, two, 0, true},
			{0, none, 0, true},
			{4, none, types.Undefined, false},
			{8, nil, types.Undefined, false},
		} {
			n, ok := types.CountIn(c.bytes, c.typ, types.Host)
			assert.Equal(t, c.n, n)
			assert.Equal(t, c.ok, ok)
		}
	})
	t.Run("DT-GETC-02 basic items", func(t *testing.T) {
		two := types.Contiguous(2, types.Real)
		mixed := types.Struct(field(1, 0, types.Int), field(1, 8, types.Double))
		for _, c := range []struct {
			bytes int64
			typ   *types.Type
			n     int64
			ok    bool
		}{
			{8, two, 2, true},
			{12, two, 3, true},
			{13, two, types.Undefined, false},
			{24, mixed, 4, true},
			{16, mixed, 3, true},
			{20, mixed, types.Undefined, false},
			{0, types.Contiguous(0, types.Int), 0, true},
			{1, types.Contiguous(0, types.Int), types.Undefined, false},
		} {
			n, ok := types.ElementsIn(c.bytes, c.typ, types.Host)
			assert.Equal(t, c.n, n)
			assert.Equal(t, c.ok, ok)
		}
	})
	t.Run("DT-GETC-03 the inverse", func(t *testing.T) {
		mixed := types.Struct(field(1, 0, types.Int), field(1, 8, types.Double))
		assert.EqualValues(t, 16, types.ElementBytes(3, mixed, types.Host))
		assert.EqualValues(t, 0, types.ElementBytes(3, nil, types.Host))
	})
}

// A view of 10^12 elements must cost no more than its recipe, or no program could
// open a large file on a laptop.
func TestHuge(t *testing.T) {
	const n = 1 << 20
	for name, x := range map[string]*types.Type{
		"subarray": types.Subarray(types.OrderC, []types.Slab{{Size: n, Sub: n - 1, Start: 1}, {Size: n, Sub: n - 2, Start: 1}}, types.Double),
		"darray": types.Darray(types.Grid{Size: 4, Rank: 2, Dims: []types.GridDim{
			{Size: n, Dist: types.DistCyclic, Arg: 3, Procs: 2}, {Size: n, Dist: types.DistCyclic, Arg: 5, Procs: 2},
		}}, types.Double),
		"vector": vector(1<<40, 1, 2, types.Double),
		"struct": vector(1<<38, 1, 2, types.Struct(field(1, 0, types.Int), field(1, 8, types.Char))),
	} {
		t.Run("DT-DEF-09 "+name, func(t *testing.T) {
			l, err := x.Layout(types.Host)
			assert.NoError(t, err)
			w := types.Tiling{L: l, Disp: 5}
			for _, pos := range []int64{0, l.Size / 3, l.Size - 1, l.Size, 2*l.Size - 7} {
				off := w.At(pos)
				if l.Monotone() {
					assert.Equal(t, pos, w.Below(off))
				}
				assert.Equal(t, int64(1), w.Until(off+1, pos, 1))
				assert.Zero(t, w.Until(off, pos, 1000))
				lo, hi := w.Span(pos, 3)
				assert.True(t, lo <= off && off < hi)
			}
			assert.False(t, l.Overlaps())
			assert.Equal(t, l.Items(), x.Signature().Len())
			assert.Equal(t, l.Size, x.Signature().Size(types.Host))
		})
	}
}

// Expressions are what failure messages, scripts and the command show.
func TestExpressions(t *testing.T) {
	t.Run("DT-EQ-01 text is read back", func(t *testing.T) {
		many(t, 5, func(t *rapid.T) {
			x := drawType(t)
			for _, text := range []string{x.String(), strings.ReplaceAll(x.String(), " ", ""), spaced(x.String())} {
				y, err := types.Parse(text)
				if err != nil || !y.Equal(x) || y.String() != x.String() {
					t.Fatalf("%s read back is %v, %v", text, y, err)
				}
			}
		})
	})
	for expr, goText := range map[string]string{
		"vector(4, 2, 8, double)":                          "types.Vector(4, 2, 8, types.Double)",
		"indexed([1, 2], [0, 5], ulong)":                   "types.Indexed([]types.Block{{1, 0}, {2, 5}}, types.ULong)",
		"indexed_block(3, [0, 5], int)":                    "types.IndexedBlock(3, []int64{0, 5}, types.Int)",
		"struct([1, 1], [0, -4], [char, ub])":              "types.Struct(types.Field{1, 0, types.Char}, types.Field{1, -4, types.UB})",
		"resized(dup(offset), -1, 3)":                      "types.Resized(types.Dup(types.OffsetType), -1, 3)",
		"subarray([4], [2], [1], fortran, real)":           "types.Subarray(types.OrderFortran, []types.Slab{{4, 2, 1}}, types.Real)",
		"darray(2, 1, [6], [block], [dflt], [2], c, byte)": "types.Darray(types.Grid{Size: 2, Rank: 1, Dims: []types.GridDim{{6, types.DistBlock, types.DefaultArg, 2}}, Order: types.OrderC}, types.Byte)",
		"f90real(6, undefined)":                            "types.F90Real(6, types.Undefined)",
		"f90integer(9)":                                    "types.F90Integer(9)",
		"value_index(double, long)":                        "types.ValueIndex(types.Double, types.Long)",
		"cxxlongdoublecomplex":                             "types.CXXLongDoubleComplex",
	} {
		x, err := types.Parse(expr)
		assert.NoError(t, err, expr)
		assert.Equal(t, expr, x.String())
		assert.Equal(t, goText, x.GoString())
	}
	for _, c := range []struct {
		expr   string
		column int
		class  errclass.Class
		text   string
	}{
		{"", 1, types.ErrArg, "expected a type, found end"},
		{"  itn", 3, types.ErrArg, `"itn" is not a type`},
		{"vector(2, 1, 2, mpi_int)", 17, types.ErrArg, "did you mean int?"},
		{"Vector(2, 1, 2, int)", 1, types.ErrArg, "did you mean vector?"},
		{"vector(2, x, 2, int)", 11, types.ErrArg, "expected a number"},
		{"vector(2, 1, 2 int)", 16, types.ErrArg, `expected ','`},
		{"contiguous(3, int", 18, types.ErrArg, "expected ')', found end"},
		{"contiguous(3, int) 7", 20, types.ErrArg, "after the type"},
		{"dup(contiguous(-3, int))", 5, types.ErrCount, "negative"},
		{"contiguous(99999999999999999999, int)", 12, types.ErrArg, "64 bits"},
		{"indexed([1, 2], [0], int)", 16, types.ErrArg, "equally long"},
		{"struct([1], [0], [int, char])", 17, types.ErrArg, "equally long"},
		{"subarray([4], [5], [0], c, int)", 1, types.ErrArg, "subsize"},
		{"subarray([4], [1], [0], row, int)", 25, types.ErrArg, "c or fortran"},
		{"darray(1, 0, [4], [blocks], [dflt], [1], c, int)", 20, types.ErrArg, "block or cyclic or none"},
		{"lb", 1, types.ErrType, "struct only"},
		{"contiguous(2, ub)", 1, types.ErrType, "struct only"},
		{"f90real(undefined, undefined)", 1, types.ErrArg, "undefined"},
		{"value_index(byte, int)", 1, types.ErrArg, "no pair type"},
		{strings.Repeat("dup(", 2000) + "int", 4001, types.ErrArg, "deep"},
	} {
		_, err := types.Parse(c.expr)
		var at *types.SyntaxError
		if assert.ErrorAs(t, err, &at, c.expr) {
			assert.Equal(t, c.column, at.Column, err)
			assert.ErrorIs(t, err, c.class)
			assert.ErrorContains(t, err, c.text)
		}
	}
}

func spaced(s string) string {
	return "\t" + strings.NewReplacer("(", " ( ", ",", " ,\n", "[", " [ ").Replace(s) + " "
}

// Any text in a script or on a command line must be read or refused.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"int", "vector(4, 2, 8, double)", "struct([1,1],[0,8],[lb,char])", "darray(4,1,[5,7],[block,cyclic],[dflt,2],[2,2],c,char)",
		"subarray([4,6],[2,3],[1,2],fortran,int)", "resized(hindexed([1],[3],byte),-2,9)", "f90real(6,undefined)", "indexed_block(2,[1,0],value_index(double,long))",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x, err := types.Parse(s)
		if err != nil {
			var at *types.SyntaxError
			if !errors.As(err, &at) || at.Column < 1 || at.Column > len(s)+1 {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		y, err := types.Parse(x.String())
		if err != nil || !y.Equal(x) {
			t.Fatalf("%q is %s, read back %v, %v", s, x, y, err)
		}
		if l, err := x.Layout(external32); err == nil && l.Size > 0 {
			w := types.Tiling{L: l}
			w.Span(l.Size/2, 1)
			w.Until(w.At(l.Size-1), 0, l.Size)
		}
	})
}

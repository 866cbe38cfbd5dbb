package types_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// longType draws a type whose text takes some ten kilobytes at least, by lists, by
// depth or by both.
func longType(t *rapid.T) *types.Type {
	const many = 2000
	blocks := make([]types.Block, many)
	disps := make([]int64, many)
	fields := make([]types.Field, many)
	step := rapid.Int64Range(-64, 64).Draw(t, "step")
	elem := rapid.SampledFrom([]*types.Type{types.Byte, types.Int, types.DoubleInt, types.F90Real(6, 30)}).Draw(t, "elem")
	for i := range blocks {
		blocks[i] = types.Block{Len: int64(i % 3), Disp: int64(i) * step}
		disps[i] = int64(i) * step
		fields[i] = types.Field{Count: 1, Disp: disps[i], Type: elem}
	}
	deep := func(x *types.Type) *types.Type {
		for range 300 {
			x = types.Resized(types.HVector(1, 1, 12345678, x), 0, 12345678)
		}
		return x
	}
	return rapid.SampledFrom([]func() *types.Type{
		func() *types.Type { return types.Indexed(blocks, elem) },
		func() *types.Type { return types.HIndexed(blocks, elem) },
		func() *types.Type { return types.IndexedBlock(2, disps, elem) },
		func() *types.Type { return types.Struct(fields...) },
		func() *types.Type { return deep(elem) },
		func() *types.Type { return deep(types.HIndexed(blocks, elem)) },
		func() *types.Type {
			return types.Struct(types.Field{Count: 1, Type: types.HIndexed(blocks, elem)}, types.Field{Count: 1, Disp: 1, Type: types.Struct(fields...)})
		},
	}).Draw(t, "shape")()
}

// If this fails, an error about a large datatype is megabytes on one line, in which
// the error is hard to find.
func TestLongTypesInErrors(t *testing.T) {
	const longest = 4 << 10
	t.Run("DT-DEF-09 ERR-01 every error is short", rapid.MakeCheck(func(t *rapid.T) {
		typ := longType(t)
		assert.Greater(t, len(typ.String()), longest)
		short := typ.Brief()
		assert.Less(t, len(short), longest/4)
		if i := strings.Index(short, "..."); assert.Positive(t, i) {
			assert.True(t, strings.HasPrefix(typ.String(), strings.TrimRight(short[:i], ", ")), "%s", short)
		}
		other := longType(t)
		mem := make([]byte, 8)
		key := types.NewKeyval(nil, nil)
		var errs []error
		add := func(err error) { errs = append(errs, err) }
		_, err := typ.Layout(types.Host)
		add(err)
		for _, p := range []types.Policy{types.MatchFinal, types.MatchSource000, types.MatchSize} {
			add(types.MatchAccess(p, typ, other, 1, types.Host))
			add(types.MatchAccess(p, types.Double, other, 1, types.Host))
			add(types.MatchAccess(p, typ, types.Byte, 1, types.Host))
		}
		add(types.MatchMessage(typ, 1, other, 1, types.Host))
		add(types.Raw(mem, 1, typ).Check(types.Host))
		add(types.Raw(mem, 1<<62, typ).Check(types.Host))
		add(types.Raw(mem, -1, typ).Err())
		add(types.Of([]float64{1}).As(typ).Check(types.Host))
		add(typ.DeleteAttr(key))
		_, err = types.Parse(typ.String() + ")")
		add(err)
		_, err = types.Parse(strings.Replace(typ.String(), ",", ";", 1))
		add(err)
		_, err = types.Parse(strings.Repeat("x", 1<<16))
		add(err)
		_, err = types.Parse("vector(" + strings.Repeat("9", 1<<16) + ", 1, 1, int)")
		add(err)
		_, err = types.ParseWith("vector(1+"+strings.Repeat("y", 1<<16)+", 1, 1, int)", map[string]int64{"r": 1})
		add(err)
		c, err := typ.Contents()
		add(err)
		add(types.Rebuild(types.CombinerVector, c).Err())
		add(types.Vector(-1, 1, 1, typ).Err())
		add(types.Contiguous(1<<62, typ).Err())
		found := 0
		for _, err := range errs {
			if err != nil {
				found++
				assert.Less(t, len(err.Error()), longest, "%.300s", err)
			}
		}
		assert.Greater(t, found, 8)
	}))
	t.Run("DT-DEF-09 what a short text says", func(t *testing.T) {
		disps := make([]int64, 100000)
		for i := range disps {
			disps[i] = int64(i)
		}
		typ := types.IndexedBlock(1, disps, types.Double)
		assert.Equal(t, "indexed_block(1, [0, 1, 2, 3, ... 100000 in all], double)", typ.Brief())
		assert.Equal(t, "vector(4, 2, 8, double)", types.Vector(4, 2, 8, types.Double).Brief())
		err := types.Raw(make([]byte, 8), 1, typ).Check(types.Host)
		assert.ErrorIs(t, err, errclass.Buffer)
		assert.ErrorContains(t, err, "1 of indexed_block(1, [0, 1, 2, 3, ... 100000 in all], double) take bytes 0 to 799999 of the memory, which has 8 bytes (cut: String of a datatype returns all of it)")
	})
}

package types_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// attrFault checks class and rule of an error about attributes.
func attrFault(t *testing.T, err error, class errclass.Class) {
	t.Helper()
	var e *types.Error
	if assert.ErrorAs(t, err, &e) {
		assert.Equal(t, class, e.Class, "%v", err)
		assert.Equal(t, "DT-ATTR-01", e.Rule, "%v", err)
	}
}

// A library that describes datatypes, such as one that writes their fields to a
// header, keeps what it has found with them, and must be called when one is copied.
func TestAttributes(t *testing.T) {
	made := func() *types.Type { return types.Vector(3, 1, 2, types.Int) }
	get := func(x *types.Type, k *types.Keyval) any {
		v, ok, err := x.Attr(k)
		assert.NoError(t, err)
		assert.Equal(t, v != nil, ok)
		return v
	}
	t.Run("DT-ATTR-01 set, get, replace, delete", func(t *testing.T) {
		var deleted []any
		k := types.NewKeyval(nil, func(x *types.Type, k *types.Keyval, v any) error {
			assert.NotNil(t, get(x, k), "it is there until its delete function returns")
			deleted = append(deleted, v)
			return nil
		})
		x, y := made(), made()
		assert.Nil(t, get(x, k))
		assert.NoError(t, x.SetAttr(k, 1))
		assert.Equal(t, 1, get(x, k))
		assert.Nil(t, get(y, k), "of another call")
		assert.True(t, x.Equal(y), "DT-EQ-01")
		assert.Equal(t, x.String(), y.String())
		assert.NoError(t, x.SetAttr(k, 2))
		assert.Equal(t, []any{1}, deleted)
		assert.NoError(t, x.DeleteAttr(k))
		assert.Equal(t, []any{1, 2}, deleted)
		attrFault(t, x.DeleteAttr(k), types.ErrKeyval)
		attrFault(t, y.DeleteAttr(k), types.ErrKeyval)
	})
	t.Run("DT-ATTR-01 DT-DUP-01 copy functions decide what a duplicate gets", func(t *testing.T) {
		asked := 0
		twice := types.NewKeyval(func(old *types.Type, k *types.Keyval, v any) (any, bool, error) {
			asked++
			return v.(int) * 2, true, nil
		}, nil)
		none, same := types.NewKeyval(nil, nil), types.NewKeyval(types.DupAttr, nil)
		not := types.NewKeyval(func(*types.Type, *types.Keyval, any) (any, bool, error) { return 9, false, nil }, nil)
		x := made()
		for _, k := range []*types.Keyval{twice, none, same, not} {
			assert.NoError(t, x.SetAttr(k, 5))
		}
		d := types.Dup(x)
		e := types.Dup(d)
		assert.NoError(t, errors.Join(d.Err(), e.Err()))
		assert.Equal(t, []any{10, nil, 5, nil}, []any{get(d, twice), get(d, none), get(d, same), get(d, not)})
		assert.Equal(t, 20, get(e, twice))
		assert.Equal(t, 2, asked)
		assert.NoError(t, d.SetAttr(same, 6))
		assert.Equal(t, []any{5, 6, 5}, []any{get(x, same), get(d, same), get(e, same)})
		_ = types.Contiguous(2, x)
		assert.Nil(t, get(types.Resized(x, 0, 4), same), "only Dup copies")
		assert.Equal(t, 2, asked)
	})
	t.Run("DT-ATTR-01 DT-NAME-01 another name, the same attributes", func(t *testing.T) {
		k, x := types.NewKeyval(nil, nil), made()
		assert.NoError(t, x.SetAttr(k, 1))
		y := x.WithName("y")
		assert.NoError(t, y.SetAttr(k, 2))
		assert.Equal(t, 2, get(x, k))
	})
	t.Run("DT-ATTR-01 DT-FREE-01 all are deleted, the last first", func(t *testing.T) {
		var deleted []any
		x := made()
		var keys []*types.Keyval
		for i := range 3 {
			k := types.NewKeyval(nil, func(_ *types.Type, _ *types.Keyval, v any) error {
				deleted = append(deleted, v)
				if v == 10 {
					return errors.New("no")
				}
				return nil
			})
			keys = append(keys, k)
			assert.NoError(t, x.SetAttr(k, i))
		}
		assert.NoError(t, x.DeleteAttrs())
		assert.Equal(t, []any{2, 1, 0}, deleted)
		assert.NoError(t, x.DeleteAttrs())
		for i, k := range keys {
			assert.NoError(t, x.SetAttr(k, 9+i))
		}
		attrFault(t, x.DeleteAttrs(), types.ErrOther)
		assert.Equal(t, []any{9, 10, nil}, []any{get(x, keys[0]), get(x, keys[1]), get(x, keys[2])})
	})
	t.Run("DT-ATTR-01 errors and panics of functions", func(t *testing.T) {
		no := errors.New("no")
		for name, f := range map[string]func() error{"no": func() error { return no }, "it panicked: ouch": func() error { panic("ouch") }} {
			k := types.NewKeyval(
				func(*types.Type, *types.Keyval, any) (any, bool, error) { return nil, true, f() },
				func(*types.Type, *types.Keyval, any) error { return f() })
			x := made()
			assert.NoError(t, x.SetAttr(k, 1))
			for _, err := range []error{types.Dup(x).Err(), x.DeleteAttr(k), x.SetAttr(k, 2)} {
				attrFault(t, err, types.ErrOther)
				assert.ErrorContains(t, err, "function of an attribute: "+name)
			}
			assert.Equal(t, 1, get(x, k))
			attrFault(t, types.Contiguous(2, types.Dup(x)).Err(), types.ErrOther)
		}
	})
	t.Run("DT-ATTR-01 functions that lead to themselves", func(t *testing.T) {
		var inner error
		k := types.NewKeyval(
			func(old *types.Type, _ *types.Keyval, v any) (any, bool, error) { return v, true, types.Dup(old).Err() },
			func(x *types.Type, k *types.Keyval, _ any) error { inner = x.DeleteAttr(k); return nil })
		x := made()
		assert.NoError(t, x.SetAttr(k, 1))
		attrFault(t, types.Dup(x).Err(), types.ErrOther)
		assert.NoError(t, x.DeleteAttr(k))
		attrFault(t, inner, types.ErrKeyval)
		assert.NoError(t, types.Dup(x).Err())
	})
	t.Run("DT-ATTR-01 arguments", func(t *testing.T) {
		k, gone := types.NewKeyval(types.DupAttr, nil), types.NewKeyval(types.DupAttr, nil)
		x := made()
		assert.NoError(t, x.SetAttr(gone, 7))
		assert.NoError(t, gone.Free())
		attrFault(t, gone.Free(), types.ErrKeyval)
		attrFault(t, (*types.Keyval)(nil).Free(), types.ErrKeyval)
		attrFault(t, x.SetAttr(gone, 8), types.ErrKeyval)
		assert.Equal(t, 7, get(types.Dup(x), gone), "those that are there stay")
		assert.NoError(t, x.DeleteAttr(gone))
		for _, p := range []*types.Type{types.Int, types.DoubleInt, types.F90Real(6, 37)} {
			err := p.SetAttr(k, 1)
			attrFault(t, err, types.ErrType)
			assert.ErrorContains(t, err, "types.Dup(types.")
			assert.NoError(t, types.Dup(p).SetAttr(k, 1))
		}
		bad := types.Contiguous(-1, types.Int)
		for _, err := range []error{(*types.Type)(nil).SetAttr(k, 1), new(types.Type).SetAttr(k, 1), (*types.Type)(nil).DeleteAttrs()} {
			attrFault(t, err, types.ErrType)
		}
		assert.ErrorIs(t, bad.SetAttr(k, 1), types.ErrCount)
		assert.NoError(t, bad.DeleteAttrs())
		attrFault(t, x.SetAttr(nil, 1), types.ErrKeyval)
		attrFault(t, x.DeleteAttr(nil), types.ErrKeyval)
		_, _, err := x.Attr(nil)
		attrFault(t, err, types.ErrKeyval)
		_, _, err = (*types.Type)(nil).Attr(k)
		attrFault(t, err, types.ErrType)
	})
	t.Run("DT-ATTR-01 goroutines that share a type", func(t *testing.T) {
		x, shared := made(), types.NewKeyval(types.DupAttr, nil)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				own := types.NewKeyval(nil, nil)
				for range 100 {
					err := x.SetAttr(shared, i) // another goroutine may delete the old value
					assert.True(t, err == nil || errors.Is(err, types.ErrKeyval), fmt.Sprint(err))
					assert.NoError(t, x.SetAttr(own, i))
					assert.Equal(t, i, get(x, own))
					assert.NoError(t, types.Dup(x).Err())
				}
				assert.NoError(t, x.DeleteAttr(own))
			})
		}
		wg.Wait()
		assert.NotNil(t, get(x, shared))
	})
}

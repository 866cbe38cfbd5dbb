package types

import (
	"reflect"
	"sync"
)

// TypeOf returns the datatype of a Go type (P2P-MATCH-11).
func TypeOf[T any]() *Type {
	var v T
	switch any(v).(type) {
	case byte:
		return Byte
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint16:
		return UInt16
	case uint32:
		return UInt32
	case uint64:
		return UInt64
	case float32:
		return Float
	case float64:
		return Double
	case complex64:
		return FloatComplex
	case complex128:
		return DoubleComplex
	case bool:
		return Bool
	}
	return typeOf(reflect.TypeFor[T]())
}

var goTypes sync.Map // reflect.Type to *Type; as many as the program has types

func typeOf(g reflect.Type) *Type {
	if t, ok := goTypes.Load(g); ok {
		return t.(*Type)
	}
	t, _ := goTypes.LoadOrStore(g, reflectType(g))
	return t.(*Type)
}

func reflectType(g reflect.Type) *Type {
	switch g.Kind() {
	case reflect.Uint8:
		return Byte
	case reflect.Int8:
		return Int8
	case reflect.Int16:
		return Int16
	case reflect.Int32:
		return Int32
	case reflect.Int64:
		return Int64
	case reflect.Uint16:
		return UInt16
	case reflect.Uint32:
		return UInt32
	case reflect.Uint64:
		return UInt64
	case reflect.Float32:
		return Float
	case reflect.Float64:
		return Double
	case reflect.Complex64:
		return FloatComplex
	case reflect.Complex128:
		return DoubleComplex
	case reflect.Bool:
		return Bool
	}
	return broken("TypeOf", ErrType, "P2P-MATCH-11", "Go type %s has no datatype", g)
}

func (b Buffer) checkNative(Sizes, *Layout) error { return nil }

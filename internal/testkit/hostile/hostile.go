// Package hostile makes every call on every kind of object, with right and wrong handles and
// arguments. It is for tests, which decide the required result of each call.
//
// Start here: a [Table] has the values to try, [Table.Each] makes the calls.
//
//	for _, f := range hostile.Methods(reflect.TypeFor[*comm.Comm]()) {
//		arguments.Each(f, func(k hostile.Call[*comm.Comm]) { ... k.Do(c) ... })
//	}
package hostile

import (
	"fmt"
	"reflect"
)

// A Value is an argument of some call, and its name for reports. It is made anew for each
// call, from the test's environment, a C.
type Value[C any] struct {
	Name string
	Make func(c C) any
}

// Is returns a Value that exists before any call.
func Is[C, T any](name string, v T) Value[C] { return Value[C]{name, func(C) any { return v }} }

// Of returns a Value that is made for each call.
func Of[C, T any](name string, f func(c C) T) Value[C] {
	return Value[C]{name, func(c C) any { return f(c) }}
}

// A Table has the arguments for calls, by the type of the parameter: first a value that is
// right in most calls, then values that a wrong program may pass.
type Table[C any] map[reflect.Type][]Value[C]

// A Func is a function or a method, whose handle is its first parameter.
type Func struct {
	Name string
	fn   reflect.Value
}

// Named returns the Func of f, with its name.
func Named(name string, f any) Func { return Func{name, reflect.ValueOf(f)} }

// Methods returns the exported methods of a type, by name.
func Methods(typ reflect.Type) []Func {
	all := make([]Func, typ.NumMethod())
	for i := range all {
		m := typ.Method(i)
		all[i] = Func{m.Name, m.Func}
	}
	return all
}

// A Call is a call of a function with a handle and arguments, of which at most one may be
// wrong.
type Call[C any] struct {
	Func
	On    Value[C] // the first argument; the zero Value for a function without arguments
	at    int      // index of the wrong argument; 0: none
	wrong Value[C]
	table Table[C]
}

// Each makes the calls of f: on each value of its first parameter, with one other argument
// at a time that may be wrong. It panics if t has no values for a type, so that a new
// parameter is not left untried.
func (t Table[C]) Each(f Func, each func(k Call[C])) {
	typ := f.fn.Type()
	for i := range typ.NumIn() {
		if len(t[typ.In(i)]) == 0 {
			panic(fmt.Sprintf("hostile: %s takes a %v, of which the table has none", f.Name, typ.In(i)))
		}
	}
	if typ.NumIn() == 0 {
		each(Call[C]{Func: f})
		return
	}
	for _, on := range t[typ.In(0)] {
		each(Call[C]{Func: f, On: on, table: t})
		for at := 1; at < typ.NumIn(); at++ {
			for _, wrong := range t[typ.In(at)] {
				each(Call[C]{f, on, at, wrong, t})
			}
		}
	}
}

// On returns the call of f on that value, with the first value of the table for each
// argument.
func (t Table[C]) On(f Func, on Value[C]) Call[C] { return Call[C]{Func: f, On: on, table: t} }

// Wrong reports whether an argument other than the handle may be wrong.
func (k Call[C]) Wrong() bool { return k.at > 0 }

// Right returns the same call, on the same handle, without the wrong argument.
func (k Call[C]) Right() Call[C] {
	k.at = 0
	return k
}

// With returns the same call on another handle.
func (k Call[C]) With(on Value[C]) Call[C] {
	k.On = on
	return k
}

// String returns the call in the form of reports.
func (k Call[C]) String() string {
	text := k.Name
	if k.On.Make != nil {
		text += " on " + k.On.Name
	}
	if k.at > 0 {
		text += fmt.Sprintf(", argument %d: %s", k.at, k.wrong.Name)
	}
	return text
}

// Do makes the call and returns its results.
func (k Call[C]) Do(c C) []any {
	typ := k.fn.Type()
	in := make([]reflect.Value, typ.NumIn())
	for i := range in {
		v := k.wrong
		switch {
		case i == 0:
			v = k.On
		case i != k.at:
			v = k.table[typ.In(i)][0]
		}
		in[i] = reflect.Zero(typ.In(i))
		if x := v.Make(c); x != nil {
			in[i] = reflect.ValueOf(x)
		}
	}
	call := k.fn.Call
	if typ.IsVariadic() {
		call = k.fn.CallSlice
	}
	var out []any
	for _, v := range call(in) {
		out = append(out, v.Interface())
	}
	return out
}

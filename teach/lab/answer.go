package lab

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file writes answers without encoding/json, for the reason that [readRequest] gives.

// appendJSON appends v as encoding/json writes it: structures by their tags, embedded ones
// in place, maps by key, and all lists. It returns an error for types that no answer has.
func appendJSON(b []byte, v reflect.Value) ([]byte, error) {
	switch v.Kind() {
	case reflect.Invalid:
		return append(b, "null"...), nil
	case reflect.Pointer, reflect.Interface:
		return appendJSON(b, v.Elem()) // of nil: invalid
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), nil
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case reflect.String:
		return appendText(b, v.String()), nil
	case reflect.Slice, reflect.Array:
		return appendList(b, v)
	case reflect.Map:
		return appendMap(b, v)
	case reflect.Struct:
		b, _, err := appendFields(append(b, '{'), v, true)
		return append(b, '}'), err
	}
	return b, fmt.Errorf("lab: an answer has a value of type %v", v.Type())
}

func appendList(b []byte, v reflect.Value) (_ []byte, err error) {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return append(b, "null"...), nil
	}
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendJSON(b, v.Index(i)); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func appendMap(b []byte, v reflect.Value) (_ []byte, err error) {
	if v.IsNil() {
		return append(b, "null"...), nil
	}
	values := map[string]reflect.Value{}
	for all := v.MapRange(); all.Next(); {
		values[all.Key().String()] = all.Value()
	}
	b = append(b, '{')
	for i, key := range slices.Sorted(maps.Keys(values)) {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendJSON(append(appendText(b, key), ':'), values[key]); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

// appendFields appends the fields of a structure. first says that no field comes before
// them.
func appendFields(b []byte, v reflect.Value, first bool) (_ []byte, stillFirst bool, err error) {
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		if f.Anonymous && !tagged {
			if x.Kind() == reflect.Pointer {
				x = x.Elem()
			}
			if x.IsValid() {
				if b, first, err = appendFields(b, x, first); err != nil {
					return b, first, err
				}
			}
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "-" || name == "" || options == "omitempty" && empty(x) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		if b, err = appendJSON(append(appendText(b, name), ':'), x); err != nil {
			return b, first, err
		}
	}
	return b, first, nil
}

// empty reports whether a field with omitempty is left out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array:
		return v.Len() == 0
	}
	return v.IsZero()
}

// appendText appends a string in a form that is also safe within HTML and JavaScript.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for i, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\f':
			b = append(b, `\f`...)
		case c < ' ' || c == '<' || c == '>' || c == '&' || c == '\u2028' || c == '\u2029':
			b = fmt.Appendf(b, `\u%04x`, c)
		case c == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			b = append(b, `\ufffd`...)
		default:
			b = utf8.AppendRune(b, c)
		}
	}
	return append(b, '"')
}

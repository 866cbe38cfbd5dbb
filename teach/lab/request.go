package lab

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// This file reads requests without encoding/json, which would be a twentieth of the page
// that needs no server. A reader of one known form can also name the wrong field.

// A field reads one value of a request into a variable.
type field func(*requestReader) error

func (q *Request) fields() map[string]field {
	return map[string]field{
		"do":      textField(&q.Do),
		"script":  textField(&q.Script),
		"name":    textField(&q.Name),
		"extra":   textField(&q.Extra),
		"replay":  textField(&q.Replay),
		"model":   textField(&q.Model),
		"step":    numberField(&q.Step),
		"line":    numberField(&q.Line),
		"column":  numberField(&q.Column),
		"compare": boolField(&q.Compare),
		"view":    objectField(&q.View, (*ViewRequest).fields),
		"plan":    objectField(&q.Plan, (*PlanRequest).fields),
		"whatif":  objectField(&q.WhatIf, (*WhatIf).fields),
	}
}

func (v *ViewRequest) fields() map[string]field {
	return map[string]field{
		"ranks":    numberField(&v.Ranks),
		"disp":     textField(&v.Disp),
		"etype":    textField(&v.Etype),
		"filetype": textField(&v.Filetype),
		"rep":      textField(&v.Rep),
		"width":    numberField(&v.Width),
		"bytes":    numberField(&v.Bytes),
	}
}

func (p *PlanRequest) fields() map[string]field {
	return map[string]field{"nodes": numberField(&p.Nodes), "buffer": numberField(&p.Buffer)}
}

func (w *WhatIf) fields() map[string]field {
	return map[string]field{"remove": numberField(&w.Remove), "atomic": boolField(&w.Atomic), "model": textField(&w.Model)}
}

// readRequest reads a request in JSON. It refuses unknown fields.
func readRequest(text []byte) (*Request, error) {
	q := new(Request)
	r := &requestReader{left: string(text)}
	err := r.object(q.fields())
	if f := (*fieldError)(nil); errors.As(err, &f) {
		return nil, &fieldError{f.field, fmt.Errorf("the request is not understood: %w", err)}
	}
	if err != nil {
		return nil, fmt.Errorf("the request is not understood: %w", err)
	}
	if r.skip(); r.left != "" {
		return nil, errors.New("the request has more than one value")
	}
	return q, nil
}

// A requestReader reads JSON.
type requestReader struct{ left string }

var errRequest = errors.New("it is not a JSON object")

// skip passes spaces.
func (r *requestReader) skip() { r.left = strings.TrimLeft(r.left, " \t\r\n") }

// take reports whether word comes next, and reads it if so.
func (r *requestReader) take(word string) bool {
	r.skip()
	left, ok := strings.CutPrefix(r.left, word)
	r.left = left
	return ok
}

// object reads an object with the given fields; null is an object without fields.
func (r *requestReader) object(fields map[string]field) error {
	if !r.take("{") {
		return errRequest
	}
	if r.take("}") {
		return nil
	}
	for {
		name, err := r.text()
		if err != nil {
			return err
		}
		read := fields[name]
		switch {
		case read == nil:
			return &fieldError{name, fmt.Errorf("unknown field %q", name)}
		case !r.take(":"):
			return errRequest
		}
		if !r.take("null") {
			if err := read(r); err != nil {
				if f := (*fieldError)(nil); errors.As(err, &f) {
					return err
				}
				return &fieldError{name, fmt.Errorf("field %q: %w", name, err)}
			}
		}
		switch {
		case r.take("}"):
			return nil
		case !r.take(","):
			return errRequest
		}
	}
}

func objectField[T any](to **T, fields func(*T) map[string]field) field {
	return func(r *requestReader) error {
		if *to == nil {
			*to = new(T)
		}
		return r.object(fields(*to))
	}
}

func numberField[T int | int64](to *T) field {
	return func(r *requestReader) error {
		r.skip()
		end := strings.IndexAny(r.left, ",} \t\r\n")
		if end < 0 {
			end = len(r.left)
		}
		digits := r.left[:end]
		n, err := strconv.ParseInt(digits, 10, 64)
		if plain := strings.TrimPrefix(digits, "-"); err != nil || int64(T(n)) != n || plain[0] == '+' || plain[0] == '0' && plain != "0" {
			return fmt.Errorf("%.30q is not a whole number of 64 bits", digits)
		}
		*to, r.left = T(n), r.left[end:]
		return nil
	}
}

func boolField(to *bool) field {
	return func(r *requestReader) error {
		*to = r.take("true")
		if !*to && !r.take("false") {
			return errors.New("it is neither true nor false")
		}
		return nil
	}
}

func textField(to *string) field {
	return func(r *requestReader) (err error) {
		*to, err = r.text()
		return err
	}
}

var errText = errors.New("it is not a JSON string")

// text reads a string.
func (r *requestReader) text() (string, error) {
	if !r.take(`"`) {
		return "", errText
	}
	var b strings.Builder
	for {
		end := strings.IndexFunc(r.left, func(c rune) bool { return c == '"' || c == '\\' || c < ' ' })
		if end < 0 || r.left[end] < ' ' {
			return "", errText
		}
		for _, c := range r.left[:end] { // a byte that is no UTF-8 becomes U+FFFD
			b.WriteRune(c)
		}
		mark := r.left[end]
		r.left = r.left[end+1:]
		if mark == '"' {
			return b.String(), nil
		}
		c, err := r.escaped()
		if err != nil {
			return "", err
		}
		b.WriteRune(c)
	}
}

// escaped reads the rest of an escape after its backslash.
func (r *requestReader) escaped() (rune, error) {
	if r.left == "" {
		return 0, errText
	}
	mark := r.left[0]
	r.left = r.left[1:]
	if i := strings.IndexByte(`"\/bfnrt`, mark); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	c, ok := r.unit()
	if mark != 'u' || !ok {
		return 0, errText
	}
	if !utf16.IsSurrogate(c) {
		return c, nil
	}
	before := r.left
	if strings.HasPrefix(r.left, `\u`) {
		r.left = r.left[2:]
		if low, ok := r.unit(); ok {
			if c := utf16.DecodeRune(c, low); c != utf8.RuneError {
				return c, nil
			}
		}
	}
	r.left = before
	return utf8.RuneError, nil
}

// unit reads four hexadecimal digits.
func (r *requestReader) unit() (rune, bool) {
	if len(r.left) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(r.left[:4], 16, 16)
	if err != nil {
		return 0, false
	}
	r.left = r.left[4:]
	return rune(n), true
}

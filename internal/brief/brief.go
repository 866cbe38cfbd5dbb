// Package brief formats the texts of errors and reports. It cuts values of any length that a
// program may pass, such as datatypes, lists and strings, so that an error stays readable.
//
// Start here: Errorf and Sprintf act as those of package fmt, with shortened arguments.
//
//	return brief.Errorf("filetype %v has %d bytes of data", filetype, n)
package brief

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Text is a value whose text may be of any length. Brief returns its beginning, of some
// hundred bytes at most, with "..." in place of omitted parts.
type Text interface {
	fmt.Stringer
	Brief() string
}

const (
	// Cut marks an omitted part.
	Cut = "..."
	// Longest is the number of bytes of a string or list that are always shown.
	Longest = 300
	// Few is the number of items that are shown of a longer list.
	Few = 4
)

// cutNote ends a text with cut values.
const cutNote = " (cut: String of a datatype returns all of it)"

// Errorf is [fmt.Errorf] with long arguments cut. Arguments of %w and %#v are not.
func Errorf(format string, args ...any) error {
	if false {
		_ = fmt.Errorf(format, args...) // so that vet checks the arguments of callers
	}
	short, note := cut(args)
	return fmt.Errorf(format+note, short...)
}

// Sprintf is [fmt.Sprintf] with long arguments cut.
func Sprintf(format string, args ...any) string {
	if false {
		_ = fmt.Sprintf(format, args...) // so that vet checks the arguments of callers
	}
	short, note := cut(args)
	return fmt.Sprintf(format+note, short...)
}

// String returns s, cut if it is long.
func String(s string) string {
	if len(s) <= Longest {
		return s
	}
	end := Longest - len(Cut)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + Cut
}

// Name returns the name of a file, cut to fit into a line.
func Name(name string) string {
	const shown = 60
	if len(name) <= shown+len(Cut) {
		return name
	}
	return name[:shown] + Cut
}

// cut returns args with the long ones cut, and the end of the text.
func cut(args []any) (short []any, note string) {
	short = args
	for i, a := range args {
		c := one(a)
		if c == nil {
			continue
		}
		if &short[0] == &args[0] {
			short = slices.Clone(args)
		}
		short[i] = c
		if x, ok := c.(text); ok && strings.Contains(x.brief, Cut) {
			note = cutNote
		}
	}
	return short, note
}

// one returns a shortened form of a; nil if a is short.
func one(a any) any {
	switch a := a.(type) {
	case error:
		return nil // errors cut their own text, and %w wants the error
	case Text:
		return text{a, a.Brief()}
	case string:
		if len(a) > Longest {
			return String(a)
		}
		return nil
	case fmt.Formatter, fmt.Stringer:
		return nil
	}
	v := reflect.ValueOf(a)
	if a == nil || v.Kind() != reflect.Slice || v.Len() <= 2*Few {
		return nil
	}
	return list{v}
}

// A text prints as its brief text with %v, %s and %q, and in full with %#v.
type text struct {
	Text
	brief string
}

func (x text) Format(s fmt.State, verb rune) {
	if s.Flag('#') {
		fmt.Fprintf(s, fmt.FormatString(s, verb), x.Text)
		return
	}
	fmt.Fprintf(s, fmt.FormatString(s, verb), x.brief)
}

// A list prints as its first items and their number.
type list struct{ reflect.Value }

func (l list) Format(s fmt.State, verb rune) {
	if l.Type().Elem().Kind() == reflect.Uint8 && verb != 'v' && verb != 'd' { // text
		fmt.Fprintf(s, fmt.FormatString(s, verb), String(string(l.Bytes())))
		return
	}
	format := fmt.FormatString(s, verb)
	_, _ = s.Write([]byte("["))
	for i := range Few {
		fmt.Fprintf(s, format+" ", l.Index(i).Interface())
	}
	fmt.Fprintf(s, "%s %d in all]", Cut, l.Len())
}

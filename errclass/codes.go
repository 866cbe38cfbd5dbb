package errclass

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/internal/callsite"
)

// MaxErrorString is the longest text of an error code in bytes. The standard
// counts one more, for the end of a string in C.
//
// MPI_MAX_ERROR_STRING
const MaxErrorString = 511

// Codes are the error classes and codes that one rank knows: those of the standard, each of
// which has only itself as code, and those that a program adds. New ones are numbered
// upwards from the last; ranks that add the same ones in the same order get the same
// numbers. The zero value has those of the standard, and a nil one can be read. Calls are
// local and come from one goroutine at a time. (ERR-07)
type Codes struct {
	added map[int]*entry // by number, without those that were removed
	given int            // count of numbers beyond LastCode; none is reused, because an old error may still have it
}

// An entry is a class or a code that was added.
type entry struct {
	class Class
	text  string
	codes int // of a class: number of its codes other than itself
}

// A CodeError is the error of a code that a program added.
type CodeError struct {
	Code  int
	Class Class
	Text  string
}

// Error returns the text, or the number if there is no text.
func (e *CodeError) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("error code %d", e.Code)
	}
	return e.Text
}

// Unwrap returns the class.
func (e *CodeError) Unwrap() error { return e.Class }

// CodeOf returns the error code that the standard's interface would return in place of err:
// 0 for nil, the code of a [CodeError], else the number of the class; ERR_OTHER for errors
// of other packages. (ERR-07)
func CodeOf(err error) int {
	var own *CodeError
	var e *Error
	var class Class
	switch {
	case err == nil:
		return int(Success)
	case errors.As(err, &own):
		return own.Code
	case errors.As(err, &e):
		return int(e.Class)
	case errors.As(err, &class):
		return int(class)
	}
	return int(Other)
}

// LastUsedCode returns the greatest error code added so far. Some codes between LastCode
// and it may have been removed.
//
// MPI_LASTUSEDCODE
func (cs *Codes) LastUsedCode() int {
	if cs == nil {
		return int(LastCode)
	}
	return int(LastCode) + cs.given
}

// AddErrorClass returns a new error class. Errors: ERR_ARG on nil. (ERR-07)
//
// MPI_Add_error_class
func (cs *Codes) AddErrorClass() (Class, error) {
	if cs == nil {
		return 0, codeError("AddErrorClass", Arg, "these are the codes of no rank")
	}
	c := Class(cs.LastUsedCode() + 1)
	cs.add(c)
	return c, nil
}

// AddErrorCode returns a new error code of a class. Errors: ERR_ARG on nil, and
// if there is no such class. (ERR-07)
//
// MPI_Add_error_code
func (cs *Codes) AddErrorCode(class Class) (int, error) {
	const op = "AddErrorCode"
	if cs == nil {
		return 0, codeError(op, Arg, "these are the codes of no rank")
	}
	if c, err := cs.ErrorClass(int(class)); err != nil || c != class {
		return 0, codeError(op, Arg, "%d is not an error class", int(class))
	}
	if c := cs.find(int(class)); c != nil { // not a class of the standard
		c.codes++
	}
	cs.add(class)
	return cs.LastUsedCode(), nil
}

// AddErrorString gives a code that was added a text, and replaces the one that
// it has. Errors: ERR_ARG for a code that was not added, or a text longer than
// [MaxErrorString]. (ERR-07)
//
// MPI_Add_error_string
func (cs *Codes) AddErrorString(code int, text string) error {
	const op = "AddErrorString"
	c := cs.find(code)
	switch {
	case c == nil:
		return codeError(op, Arg, "code %d was not added here, so its text cannot be set", code)
	case len(text) > MaxErrorString:
		return codeError(op, Arg, "a text of %d bytes; at most %d are allowed", len(text), MaxErrorString)
	}
	c.text = text
	return nil
}

// ErrorClass returns the class of a code. Errors: ERR_ARG if there is no such
// code. (ERR-07)
//
// MPI_Error_class
func (cs *Codes) ErrorClass(code int) (Class, error) {
	if _, ok := classes[Class(code)]; ok {
		return Class(code), nil
	}
	if c := cs.find(code); c != nil {
		return c.class, nil
	}
	return 0, codeError("ErrorClass", Arg, "there is no error code %d; the last is %d", code, cs.LastUsedCode())
}

// ErrorString returns the text of a code, which is empty until one is set.
// Errors: ERR_ARG if there is no such code. (ERR-07)
//
// MPI_Error_string
func (cs *Codes) ErrorString(code int) (string, error) {
	if d, ok := classes[Class(code)]; ok {
		return d.name + ": " + d.text, nil
	}
	if c := cs.find(code); c != nil {
		return c.text, nil
	}
	return "", codeError("ErrorString", Arg, "there is no error code %d; the last is %d", code, cs.LastUsedCode())
}

// Error returns a code as an error: the [Class] itself for those of the standard, a
// [*CodeError] for others, nil for 0. If there is no such code, it returns an error of
// class ERR_ARG. (ERR-07)
func (cs *Codes) Error(code int) error {
	if code == int(Success) {
		return nil
	}
	if _, ok := classes[Class(code)]; ok {
		return Class(code)
	}
	if c := cs.find(code); c != nil {
		return &CodeError{code, c.class, c.text}
	}
	return codeError("Error", Arg, "there is no error code %d; the last is %d", code, cs.LastUsedCode())
}

// RemoveErrorClass removes a class that was added, and its text. Errors: ERR_ARG
// for others, and while the class has codes. (ERR-07)
//
// MPI_Remove_error_class
func (cs *Codes) RemoveErrorClass(class Class) error {
	const op = "RemoveErrorClass"
	c := cs.find(int(class))
	if c == nil || c.class != class {
		return codeError(op, Arg, "%d is not an error class that was added here", int(class))
	}
	if c.codes > 0 {
		return codeError(op, Arg, "code %d still belongs to the class; RemoveErrorCode first", cs.firstOf(class))
	}
	delete(cs.added, int(class))
	return nil
}

// RemoveErrorCode removes a code that was added. Errors: ERR_ARG for others,
// among them classes, and while it has a text. (ERR-07)
//
// MPI_Remove_error_code
func (cs *Codes) RemoveErrorCode(code int) error {
	const op = "RemoveErrorCode"
	c := cs.find(code)
	if c == nil || int(c.class) == code {
		return codeError(op, Arg, "%d is not an error code that was added here", code)
	}
	if c.text != "" {
		return codeError(op, Arg, "code %d has a text still; RemoveErrorString first", code)
	}
	delete(cs.added, code)
	if c := cs.find(int(c.class)); c != nil {
		c.codes--
	}
	return nil
}

// RemoveErrorString removes the text of a code that was added. Errors: ERR_ARG
// if it has none. (ERR-07)
//
// MPI_Remove_error_string
func (cs *Codes) RemoveErrorString(code int) error {
	c := cs.find(code)
	if c == nil || c.text == "" {
		return codeError("RemoveErrorString", Arg, "no text was added to code %d here", code)
	}
	c.text = ""
	return nil
}

// add adds a code of a class, with the next number.
func (cs *Codes) add(class Class) {
	if cs.added == nil {
		cs.added = map[int]*entry{}
	}
	cs.given++
	cs.added[cs.LastUsedCode()] = &entry{class: class}
}

// find returns an added code, nil if there is none or it was removed.
func (cs *Codes) find(code int) *entry {
	if cs == nil {
		return nil
	}
	return cs.added[code]
}

// firstOf returns the lowest code of an added class, other than the class itself.
func (cs *Codes) firstOf(class Class) int {
	first := cs.LastUsedCode() + 1
	for code, c := range cs.added {
		if c.class == class && code != int(class) {
			first = min(first, code)
		}
	}
	return first
}

func codeError(op string, class Class, format string, args ...any) error {
	return &Error{Pkg: "errclass", Op: op, Rank: NoRank, Class: class, Rule: "ERR-07", Place: PlaceOf(callsite.Program()), Err: fmt.Errorf(format, args...)}
}

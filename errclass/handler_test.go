package errclass_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/errclass"
)

// Every package with objects handles errors through this: if a handler did not
// run, or ran and the error were lost, a program would go on with bad data.
func TestHandler(t *testing.T) {
	type object struct{ name string }
	bad, on := errors.New("bad"), &object{"file"}
	for _, tc := range []struct {
		id   string
		h    *errclass.Handler[*object]
		name string
		ends bool
	}{
		{"ERR-05 return", errclass.ErrorsReturn[*object](), "ErrorsReturn", false},
		{"ERR-05 fatal", errclass.ErrorsAreFatal[*object](), "ErrorsAreFatal", true},
		{"ERR-05 abort", errclass.ErrorsAbort[*object](), "ErrorsAbort", true},
		{"ERR-05 none", nil, "ERRHANDLER_NULL", false},
	} {
		t.Run(tc.id, func(t *testing.T) {
			var ended error
			got := tc.h.Raise(on, bad, func(err error) { ended = err })
			assert.ErrorIs(t, got, bad)
			assert.Equal(t, tc.name, tc.h.String())
			if !tc.ends {
				assert.NoError(t, ended)
				assert.Equal(t, bad, got)
				return
			}
			assert.Equal(t, got, ended)
			assert.EqualError(t, got, "bad; "+tc.name+" ends the world")
		})
	}
	t.Run("ERR-04 a function gets the object and the error", func(t *testing.T) {
		said := ""
		h := errclass.NewHandler(func(o *object, err error) { said = o.name + " " + err.Error() })
		assert.Equal(t, bad, h.Raise(on, bad, func(error) { t.Error("it ended the world") }))
		assert.Equal(t, "file bad", said)
	})
}

// A library on top of this module returns its own error values to its callers; error
// handlers are the one place through which all errors pass.
func TestHandlerReturning(t *testing.T) {
	t.Run("ERR-04 the call returns what the function returns", func(t *testing.T) {
		bad, mine := errors.New("bad"), errors.New("mine")
		never := func(error) { t.Error("it ended the world") }
		h := errclass.NewHandlerReturning(func(on string, err error) error { return fmt.Errorf("%s: %w: %w", on, mine, err) })
		got := h.Raise("file", bad, never)
		assert.ErrorIs(t, got, mine)
		assert.ErrorIs(t, got, bad)
		assert.EqualError(t, got, "file: mine: bad")
		assert.NoError(t, h.Raise("file", nil, never))
	})
	t.Run("ERR-04 nil keeps the error", func(t *testing.T) {
		bad := errors.New("bad")
		h := errclass.NewHandlerReturning(func(int, error) error { return nil })
		assert.Equal(t, bad, h.Raise(1, bad, nil))
	})
	t.Run("ERR-04 ERR-07 a code of the program's own", func(t *testing.T) {
		var cs errclass.Codes
		class, err := cs.AddErrorClass()
		assert.NoError(t, err)
		h := errclass.NewHandlerReturning(func(int, error) error { return cs.Error(int(class)) })
		assert.ErrorIs(t, h.Raise(1, errors.New("bad"), nil), class)
	})
}

// A library that adds classes wants its callers to find them by number, as
// the standard's, and never to take the place of another's.
func TestCodes(t *testing.T) {
	t.Run("ERR-07 classes, codes and texts of one's own", func(t *testing.T) {
		var cs errclass.Codes
		assert.Equal(t, int(errclass.LastCode), cs.LastUsedCode())
		class, err := cs.AddErrorClass()
		assert.NoError(t, err)
		code, err := cs.AddErrorCode(class)
		assert.NoError(t, err)
		io, err := cs.AddErrorCode(errclass.IO)
		assert.NoError(t, err)
		assert.Greater(t, int(class), int(errclass.LastCode))
		assert.Greater(t, code, int(class), "a class is not greater than its codes")
		assert.Equal(t, io, cs.LastUsedCode())
		for c, want := range map[int]errclass.Class{int(class): class, code: class, io: errclass.IO, 40: errclass.NotSame, 0: errclass.Success} {
			got, err := cs.ErrorClass(c)
			assert.NoError(t, err)
			assert.Equal(t, want, got)
			assert.Equal(t, c, errclass.CodeOf(cs.Error(c)))
		}
		text, err := cs.ErrorString(code)
		assert.NoError(t, err)
		assert.Empty(t, text)
		assert.EqualError(t, cs.Error(code), fmt.Sprint("error code ", code))
		assert.NoError(t, cs.AddErrorString(code, "disk on fire"))
		assert.EqualError(t, cs.Error(code), "disk on fire")
		assert.ErrorIs(t, cs.Error(io), errclass.IO)
		text, err = cs.ErrorString(int(errclass.Amode))
		assert.NoError(t, err)
		assert.Equal(t, "MPI_ERR_AMODE: invalid access mode", text)
	})
	t.Run("ERR-07 what is refused", func(t *testing.T) {
		var cs errclass.Codes
		code, err := cs.AddErrorCode(errclass.IO)
		assert.NoError(t, err)
		for _, err := range []error{
			second(cs.AddErrorCode(99)), second(cs.AddErrorCode(errclass.Class(code))), second(cs.ErrorClass(code + 1)),
			second(cs.ErrorClass(-1)), second(cs.ErrorString(99)), cs.Error(99),
			cs.AddErrorString(int(errclass.IO), "mine"), cs.AddErrorString(code, strings.Repeat("x", errclass.MaxErrorString+1)),
			second((*errclass.Codes)(nil).AddErrorClass()), second((*errclass.Codes)(nil).AddErrorCode(errclass.IO)),
		} {
			assert.ErrorIs(t, err, errclass.Arg)
		}
		assert.Equal(t, code, cs.LastUsedCode())
	})
	t.Run("ERR-07 what was added is removed, the text first and the class last", func(t *testing.T) {
		var cs errclass.Codes
		class, err := cs.AddErrorClass()
		assert.NoError(t, err)
		code, err := cs.AddErrorCode(class)
		assert.NoError(t, err)
		assert.NoError(t, cs.AddErrorString(code, "disk on fire"))
		assert.NoError(t, cs.AddErrorString(int(class), "fires"))
		held := cs.Error(code)

		assert.ErrorContains(t, cs.RemoveErrorCode(code), "has a text still")
		assert.NoError(t, cs.RemoveErrorString(code))
		assert.EqualError(t, cs.Error(code), fmt.Sprint("error code ", code))
		assert.ErrorContains(t, cs.RemoveErrorClass(class), fmt.Sprintf("code %d still belongs to the class", code))
		assert.NoError(t, cs.RemoveErrorCode(code))
		assert.NoError(t, cs.RemoveErrorClass(class))

		other, err := cs.AddErrorClass()
		assert.NoError(t, err)
		assert.Equal(t, code+1, int(other), "no number is given twice")
		assert.Equal(t, int(other), cs.LastUsedCode())
		assert.ErrorIs(t, held, class, "errors that somebody holds stay what they are")
		for _, err := range []error{
			second(cs.ErrorClass(code)), second(cs.ErrorClass(int(class))), second(cs.ErrorString(code)), second(cs.AddErrorCode(class)),
			cs.AddErrorString(code, "x"), cs.RemoveErrorCode(code), cs.RemoveErrorClass(class), cs.RemoveErrorString(code), // gone
			cs.RemoveErrorCode(int(other)), cs.RemoveErrorClass(errclass.Class(code)), cs.RemoveErrorString(int(other)), // another thing
			cs.RemoveErrorClass(errclass.IO), cs.RemoveErrorCode(int(errclass.IO)), cs.RemoveErrorString(int(errclass.IO)), // the standard's
			cs.RemoveErrorClass(-1), cs.RemoveErrorCode(-1), cs.RemoveErrorString(99),
			(*errclass.Codes)(nil).RemoveErrorClass(other), (*errclass.Codes)(nil).RemoveErrorCode(code), (*errclass.Codes)(nil).RemoveErrorString(code),
		} {
			assert.ErrorIs(t, err, errclass.Arg)
		}
	})
	t.Run("ERR-07 codes of errors", func(t *testing.T) {
		wrapped := fmt.Errorf("outer: %w", &errclass.Error{Class: errclass.Tag})
		assert.Equal(t, int(errclass.Tag), errclass.CodeOf(wrapped))
		assert.Equal(t, int(errclass.Other), errclass.CodeOf(errors.New("foreign")))
		assert.Equal(t, 0, errclass.CodeOf(nil))
		for c := errclass.Success; c <= errclass.ABI; c++ {
			text, err := (*errclass.Codes)(nil).ErrorString(int(c))
			assert.NoError(t, err)
			assert.True(t, text != "" && len(text) <= errclass.MaxErrorString)
		}
	})
}

func second[T any](_ T, err error) error { return err }

package errclass

import "fmt"

// A Handler is an error handler for objects of type T: it decides what happens
// when a call on one fails. Each package makes its own type of it (that of
// package comm is Handler[*Comm]), so that giving a communicator the handler of
// a file, which the standard makes an error of the run, does not compile.
// (ERR-04)
//
// Handlers are immutable and garbage collected; there is no
// MPI_Errhandler_free.
//
// MPI_Errhandler
type Handler[T any] struct {
	name string
	ends bool                 // the world
	fn   func(T, error) error // of the user
}

// ErrorsReturn returns a handler with which the call returns its error, and no
// more. (ERR-05)
//
// MPI_ERRORS_RETURN
func ErrorsReturn[T any]() *Handler[T] { return &Handler[T]{name: "ErrorsReturn"} }

// ErrorsAreFatal returns a handler that ends the world. (ERR-05)
//
// MPI_ERRORS_ARE_FATAL
func ErrorsAreFatal[T any]() *Handler[T] { return &Handler[T]{name: "ErrorsAreFatal", ends: true} }

// ErrorsAbort returns a handler that ends the ranks of the object's
// communicator. The standard allows to end more, and since ranks of one process
// may wait for each other, it ends the world. (ERR-05)
//
// MPI_ERRORS_ABORT
func ErrorsAbort[T any]() *Handler[T] { return &Handler[T]{name: "ErrorsAbort", ends: true} }

// NewHandler returns a handler that calls fn with the object and the error, on
// the rank whose call failed; then the call returns its error. fn may make calls
// of its own. (ERR-04)
func NewHandler[T any](fn func(on T, err error)) *Handler[T] {
	return NewHandlerReturning(func(on T, err error) error {
		fn(on, err)
		return nil
	})
}

// NewHandlerReturning is [NewHandler] of a function that decides what the call
// returns, as the standard's changes the code that it is given a pointer to: the
// call returns the error that fn returns, and its own if that is nil. It cannot
// return none: the call has not done its work, and a result that is not there
// must not look as if it were. [Codes.Error] makes an error of a code of
// the program's own. (ERR-04, ERR-07)
func NewHandlerReturning[T any](fn func(on T, err error) error) *Handler[T] {
	return &Handler[T]{name: "a function", fn: fn}
}

// String names the handler.
func (h *Handler[T]) String() string {
	if h == nil {
		return "ERRHANDLER_NULL"
	}
	return h.name
}

// Raise handles err, which a call on that object found, and returns what the
// call has to return. end is how the world is ended. A nil handler returns the
// error. For the packages that have objects.
func (h *Handler[T]) Raise(on T, err error, end func(cause error)) error {
	switch {
	case h == nil || err == nil:
	case h.ends:
		err = &FatalError{Handler: h.name, Err: err}
		end(err)
	case h.fn != nil:
		if out := h.fn(on, err); out != nil {
			err = out
		}
	}
	return err
}

// A FatalError is an error whose handler ended the world. It wraps the error.
type FatalError struct {
	Handler string
	Err     error
}

// Error says what was wrong and that this ended the world.
func (e *FatalError) Error() string { return fmt.Sprintf("%v; %s ends the world", e.Err, e.Handler) }

// Unwrap returns the error that was handled.
func (e *FatalError) Unwrap() error { return e.Err }

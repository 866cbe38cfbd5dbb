package errclass

import "fmt"

// A Handler is an error handler for objects of type T: it decides what happens when a call
// on one fails. Each package has its own type of handler (that of package comm is
// Handler[*Comm]), so that a program which gives a communicator the handler of a file, an
// error in the standard, does not compile. (ERR-04)
//
// Handlers are immutable and garbage collected; there is no MPI_Errhandler_free.
//
// MPI_Errhandler
type Handler[T any] struct {
	name string
	ends bool                 // it ends the world
	fn   func(T, error) error // function of the user
}

// ErrorsReturn returns a handler that only lets the call return its error. (ERR-05)
//
// MPI_ERRORS_RETURN
func ErrorsReturn[T any]() *Handler[T] { return &Handler[T]{name: "ErrorsReturn"} }

// ErrorsAreFatal returns a handler that ends the world. (ERR-05)
//
// MPI_ERRORS_ARE_FATAL
func ErrorsAreFatal[T any]() *Handler[T] { return &Handler[T]{name: "ErrorsAreFatal", ends: true} }

// ErrorsAbort returns a handler that ends the ranks of the object's communicator. The
// standard allows it to end more ranks, and because ranks of one process may wait for each
// other, it ends the world. (ERR-05)
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

// NewHandlerReturning is [NewHandler] for a function that decides what the call returns: the
// error that fn returns, or the call's own error if that is nil. (In the standard, a handler
// changes the code that it gets a pointer to.) The call cannot return success: it has not
// done its work. [Codes.Error] makes an error of a code that the program added. (ERR-04,
// ERR-07)
func NewHandlerReturning[T any](fn func(on T, err error) error) *Handler[T] {
	return &Handler[T]{name: "a function", fn: fn}
}

// String returns the name of the handler.
func (h *Handler[T]) String() string {
	if h == nil {
		return "ERRHANDLER_NULL"
	}
	return h.name
}

// Raise handles err, an error of a call on the object, and returns what the call must
// return. end ends the world. A nil handler returns the error. It is for packages whose
// objects have handlers.
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

// A FatalError is an error that ended the world, by its handler. It wraps the error.
type FatalError struct {
	Handler string
	Err     error
}

// Error returns the text of the error, and says that it ended the world.
func (e *FatalError) Error() string { return fmt.Sprintf("%v; %s ends the world", e.Err, e.Handler) }

// Unwrap returns the error that was handled.
func (e *FatalError) Unwrap() error { return e.Err }

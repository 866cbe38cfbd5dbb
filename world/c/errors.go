//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"errors"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
)

// codeOf returns the code of an error that a call returns to the program. If the world has
// ended, it also ends the rank.
func (r *rank) codeOf(err error) int {
	if r.ended == nil && r.ctx.Err() != nil {
		r.end(err)
	}
	if code := r.codes.of(err); code != 0 {
		return code
	}
	return int(errclass.Other)
}

// errorOfCode returns the error that a code of the program stands for.
func (r *rank) errorOfCode(code int) error {
	if err := r.codes.err(code); err != nil {
		return err
	}
	return r.world.ErrorCodes().Error(classOf(code))
}

// fatal returns a handler that ends the rank, which ends the world: MPI_ERRORS_ARE_FATAL.
// Unlike the handler of package comm it adds the line of the program to the error.
func (r *rank) fatal() *errhandler {
	return &errhandler{
		comm: comm.NewErrhandlerReturning(func(_ *comm.Comm, err error) error { r.end(err); return nil }),
		file: iofile.NewErrhandlerReturning(func(_ *iofile.File, err error) error { r.end(err); return nil }),
	}
}

// end makes the rank end with err when the current call returns.
func (r *rank) end(err error) { r.ended = r.withLine(err) }

// withLine returns err with the line of the last call, unless it has a line.
func (r *rank) withLine(err error) error {
	if r.lastPlace == nil || r.lastPlace.IsZero() {
		return err
	}
	var e *errclass.Error
	if !errors.As(err, &e) {
		return &callError{place: *r.lastPlace, err: err}
	}
	if e.Place.IsZero() {
		e.Place = *r.lastPlace
	}
	return err
}

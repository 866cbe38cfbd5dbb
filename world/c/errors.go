//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"errors"
	"sync/atomic"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
)

// code returns the error code for the program. If the world has ended, the program does
// not continue.
func (r *rank) code(err error) int {
	if r.ended == nil && r.ctx.Err() != nil {
		r.ended = r.placed(err)
	}
	if code := r.codes.of(err); code != 0 {
		return code
	}
	return int(errclass.Other)
}

// errorOf returns the error of a code that the program has.
func (r *rank) errorOf(code int) error {
	if err := r.codes.err(code); err != nil {
		return err
	}
	return r.world.ErrorCodes().Error(classOf(code))
}

// fatal returns a handler that ends the rank, which ends the world: MPI_ERRORS_ARE_FATAL.
// Unlike that of package comm it leaves the line of the program in the error.
func (r *rank) fatal() *errhandler {
	return &errhandler{
		comm: comm.NewErrhandlerReturning(func(_ *comm.Comm, err error) error { return r.die(err) }),
		file: iofile.NewErrhandlerReturning(func(_ *iofile.File, err error) error { return r.die(err) }),
	}
}

func (r *rank) die(err error) error {
	r.ended = r.placed(err)
	return nil
}

// placed returns an error with the line of the program.
func (r *rank) placed(err error) error {
	if r.lastPlace == nil || r.lastPlace.IsZero() {
		return err
	}
	var e *errclass.Error
	if errors.As(err, &e) {
		if e.Place.IsZero() {
			e.Place = *r.lastPlace
		}
		return err
	}
	return &callError{place: *r.lastPlace, err: err}
}

func (p phase) String() string {
	switch p {
	case beforeInit:
		return "before MPI_Init"
	case initialized:
		return "before MPI_Finalize"
	}
	return "after MPI_Finalize"
}

// crash records that a rank got a signal.
func (p *Program) crash() {
	p.crashes.Store(true)
	crashed.Store(true)
}

// crashed reports whether a rank of any program of the process has crashed.
var crashed atomic.Bool

func (p *Program) crashed() bool { return p.crashes.Load() }

// signalled reports whether the crash was a signal, and not only a rank that was stopped.
func (p *Program) signalled() bool { return p.signals.Load() }

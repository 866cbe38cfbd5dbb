package mpi

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"

	"github.com/commworld/commworld/internal/engine"
)

// A room is the memory for buffered sends on one communicator, or in the whole process.
type room struct {
	w    *world
	of   handle // 0: the process
	call string // format of the names of its calls
}

// Room returns the buffer of the communicator.
func (c *comm) Room() engine.Room { return &room{c.w, c.h, "MPI_Comm_%s_buffer"} }

func (r *room) check(verb string, code C.int) error {
	return r.w.check(fmt.Sprintf(r.call, verb), code)
}

// Attach attaches memory.
func (r *room) Attach(n int64) error {
	// The library's own overhead may be larger than the one the program has counted.
	const slack = 64 << 10
	switch {
	case n == engine.Automatic:
	case n > math.MaxInt32-slack:
		return r.w.tooLarge(n)
	default:
		n = min(2*n+slack, math.MaxInt32)
	}
	return r.check("attach", C.cw_attach(r.of, C.cw_int(n)))
}

// Detach detaches the memory.
func (r *room) Detach() error { return r.check("detach", C.cw_detach(r.of)) }

// Flush waits until its messages are sent.
func (r *room) Flush() error { return r.check("flush", C.cw_flush(r.of)) }

// StartFlush starts a flush.
func (r *room) StartFlush() (engine.Request, error) {
	q := &request{w: r.w, call: fmt.Sprintf(r.call, "iflush")}
	return q.started(C.cw_iflush(r.of, r.w.out))
}

package mpi

// #include "shim.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/types"
)

// A request is an operation under way, with what must stay until its end.
type request struct {
	w    *world
	h    handle
	call string
	pins runtime.Pinner
	sent [2]piece
	keep any            // arrays that the library reads until the end
	room unsafe.Pointer // of a W collective
	fold *fold          // of a user operation
	made func() error   // what to do at the end
	hold types.Buffer
}

// start makes the request of a call that has been made; its memory was pinned.
func (q *request) start(h handle) *request {
	q.h = h
	return q
}

// begin returns a request to be, whose buffer is pinned.
func (w *world) begin(call string, b types.Buffer) (*request, *piece, error) {
	q := &request{w: w, call: call, hold: b}
	p, err := w.piece(b)
	if err != nil {
		return nil, nil, err
	}
	q.sent[0] = p
	q.pin(p.base)
	return q, &q.sent[0], nil
}

func (q *request) pin(p unsafe.Pointer) {
	if p != nil {
		q.pins.Pin(p)
	}
}

// end gives back what the operation held.
func (q *request) end(code C.int) (engine.Status, error) {
	st := q.w.status()
	err := q.release(code)
	return st, err
}

func (q *request) release(code C.int) error {
	q.pins.Unpin()
	for i := range q.sent {
		q.sent[i].done()
	}
	if q.room != nil {
		C.cw_let_go(q.room)
		q.room = nil
	}
	err := q.w.check(q.call, code)
	if q.fold != nil {
		if f := q.fold.end(); err == nil {
			err = f
		}
		q.fold = nil
	}
	if q.made != nil && err == nil {
		err = q.made()
	}
	q.made, q.keep, q.hold = nil, nil, types.Buffer{}
	return err
}

// Wait waits for the end.
func (q *request) Wait() (engine.Status, error) {
	return q.end(C.cw_wait(q.h, q.w.st))
}

// Test looks whether it has come.
func (q *request) Test() (engine.Status, bool, error) {
	*q.w.out = q.h
	code := C.cw_test(q.w.out, q.w.st)
	q.h = *q.w.out
	if code == 0 && q.w.st.flag == 0 {
		return engine.Status{}, false, nil
	}
	st, err := q.end(code)
	return st, true, err
}

// Cancel asks for an end without effect.
func (q *request) Cancel() error { return q.w.check("MPI_Cancel", C.cw_cancel(q.h)) }

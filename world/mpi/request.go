package mpi

// #include "shim.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/types"
)

// A request is an operation under way, with the memory that it uses until its end.
type request struct {
	w    *world
	h    handle
	call string
	pins runtime.Pinner
	sent [2]piece
	keep any                   // arrays that the library reads until the end
	room unsafe.Pointer        // of a W collective
	fold *fold                 // of a user operation
	made func(err error) error // called at the end, with the operation's error
	hold types.Buffer

	next, prev *request // list of requests under way
	linked     bool
}

// start completes the request of a call that was made with pinned memory.
func (q *request) start(h handle) *request {
	q.h = h
	q.link()
	return q
}

// link keeps q reachable until its end: a program may drop a request that the library
// still uses.
func (q *request) link() {
	q.next, q.linked = q.w.under, true
	if q.next != nil {
		q.next.prev = q
	}
	q.w.under = q
}

func (q *request) unlink() {
	if !q.linked {
		return
	}
	if q.prev != nil {
		q.prev.next = q.next
	} else {
		q.w.under = q.next
	}
	if q.next != nil {
		q.next.prev = q.prev
	}
	q.next, q.prev, q.linked = nil, nil, false
}

// forget drops the requests under way after the process has left the job: the library no
// longer writes to their memory.
func (w *world) forget() {
	for w.under != nil {
		w.under.pins.Unpin()
		w.under.unlink()
	}
}

// begin returns a new request with a pinned buffer.
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

// end releases the operation's memory and returns its status.
func (q *request) end(code C.int) (engine.Status, error) {
	st := q.w.status()
	err := q.release(code)
	return st, err
}

// release releases the memory of q, and turns the result of its call into an error. A
// second call has no effect.
func (q *request) release(code C.int) error {
	q.unlink()
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
	if q.made != nil {
		err = q.made(err)
	}
	q.made, q.keep, q.hold = nil, nil, types.Buffer{}
	return err
}

// Wait waits until the operation is complete.
func (q *request) Wait() (engine.Status, error) {
	return q.end(C.cw_wait(q.h, q.w.st))
}

// Test reports whether the operation is complete.
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

// Cancel cancels the operation.
func (q *request) Cancel() error { return q.w.check("MPI_Cancel", C.cw_cancel(q.h)) }

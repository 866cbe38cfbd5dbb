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
	keep any                   // arrays that the library reads until the end
	room unsafe.Pointer        // of a W collective
	fold *fold                 // of a user operation
	made func(err error) error // what to do at the end, and with its error
	hold types.Buffer

	next, prev *request // of those under way
	linked     bool
}

// start makes the request of a call that has been made; its memory was pinned.
func (q *request) start(h handle) *request {
	q.h = h
	q.link()
	return q
}

// link keeps q where the collector finds it until its end: a program may forget
// a request, and the library does not.
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

// forget lets go of what is under way still when the job has been left: nothing
// writes to its memory any more.
func (w *world) forget() {
	for w.under != nil {
		w.under.pins.Unpin()
		w.under.unlink()
	}
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

// release gives back what q held, and makes an error of what its call returned. It
// does no harm twice.
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

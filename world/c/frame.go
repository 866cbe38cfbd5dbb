//go:build linux && cgo && (amd64 || arm64)

package c

/*
#cgo CFLAGS: -O2 -fno-omit-frame-pointer -Wall
#cgo LDFLAGS: -rdynamic -ldl
#include <stdlib.h>
#include "frame.h"
*/
import "C"

import (
	"errors"
	"unsafe"
)

// A frame is C code that runs on a stack of its own; see frame.h.
type frame = C.struct_frame

var errNoStack = errors.New("no memory for a stack")

// newFrame returns a frame, if possible one that was used before: an operation of a
// reduction is called often.
func (r *rank) newFrame() (*frame, error) {
	var f *frame
	if n := len(r.frames); n > 0 {
		f = r.frames[n-1]
		r.frames = r.frames[:n-1]
	} else if r.process != nil {
		f = r.process.newFrame()
	} else {
		f = C.commworld_new()
	}
	if f == nil {
		return nil, errNoStack
	}
	f.state, f.owner, f.is_main = C.FRAME_NEW, r.owner, 0
	return f, nil
}

// freeFrames frees the stacks that nothing uses.
func (r *rank) freeFrames() {
	if r.program.crashed.Load() {
		return // the allocator's lock may be held
	}
	for _, f := range r.frames {
		if r.process != nil {
			C.free(unsafe.Pointer(f))
		} else {
			C.commworld_free(f)
		}
	}
	r.frames = nil
}

// resume continues f until it gives up control, and returns why it did. The frame is
// passed as a number, because cgo's pointer check costs as much as the call.
func resume(f *frame) C.int {
	C.commworld_resume(C.uintptr_t(uintptr(unsafe.Pointer(f))))
	return f.state // a C function without a result is cheaper to call
}

// resume continues f where the code of the rank runs.
func (r *rank) resume(f *frame) C.int {
	if r.process != nil {
		return r.process.resume(f)
	}
	return resume(f)
}

// crash records that code of this process was interrupted.
func (r *rank) crash() {
	if r.process == nil {
		r.program.crash()
	}
}

// begin prepares f to call a C function when it is resumed.
func begin(f *frame, function unsafe.Pointer, args []int64) {
	*(*unsafe.Pointer)(unsafe.Pointer(&f.entry)) = function
	for i, a := range args {
		f.in[i] = C.int64_t(a)
	}
}

// pointer converts an address in C's memory to a pointer.
func pointer(address int64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// at returns the n items of C's memory at an address.
func at[T any](address int64, n int64) []T {
	if address == 0 || n <= 0 {
		return nil
	}
	return unsafe.Slice((*T)(memory(address, n*int64(unsafe.Sizeof(*new(T))))), n)
}

// text returns the C string at an address.
func text(address int64) string {
	if v := viewOf(address); v != nil {
		return v.process.text(plain(address))
	}
	return C.GoString((*C.char)(pointer(address)))
}

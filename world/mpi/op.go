package mpi

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A fold is a user operation in use by one call. The library does not pass any argument
// that identifies the operation, so there is one C function for each call that can be
// under way at once; each knows its slot.
type fold struct {
	slot int
	op   handle
	user func(in, inout types.Buffer) error
	typ  *types.Type
	err  error
	name string
}

var folds struct {
	sync.Mutex
	slots [C.CW_SLOTS]*fold
}

// predefined holds the library's handles of operations.
var predefined = map[string]handle{}

// operation returns the library's operation for a call.
func (q *request) operation(k *engine.Call) (handle, error) {
	w := q.w
	if k.Op.User == nil {
		if h, ok := predefined[k.Op.Name]; ok {
			return h, nil
		}
		name := C.CString(k.Op.Name)
		defer C.free(unsafe.Pointer(name))
		if err := w.check("MPI_Op "+k.Op.Name, C.cw_op(name, w.out)); err != nil {
			return 0, err
		}
		predefined[k.Op.Name] = *w.out
		return *w.out, nil
	}
	t := k.Recv.Type()
	if t == nil {
		t = k.Send.Type()
	}
	f := &fold{user: k.Op.User, typ: t, name: k.Op.Name}
	if !f.enter() {
		return 0, &engine.Error{
			Library: w.library, Call: "MPI_Op_create", Class: errclass.Op,
			Text: fmt.Sprintf("more than %d reductions with operations of the program are under way", C.CW_SLOTS),
		}
	}
	if err := w.check("MPI_Op_create", C.cw_op_create(C.int(f.slot), cbool(k.Op.Commutes), w.out)); err != nil {
		f.leave()
		return 0, err
	}
	f.op = *w.out
	q.fold = f
	return f.op, nil
}

func (f *fold) enter() bool {
	folds.Lock()
	defer folds.Unlock()
	for i, there := range folds.slots {
		if there == nil {
			folds.slots[i], f.slot = f, i
			return true
		}
	}
	return false
}

func (f *fold) leave() {
	folds.Lock()
	defer folds.Unlock()
	folds.slots[f.slot] = nil
}

// end frees the operation and returns the error of its function, which the library cannot
// pass on.
func (f *fold) end() error {
	C.cw_op_free(f.op)
	f.leave()
	return f.err
}

// apply calls the function of the program on n items at two addresses.
func (f *fold) apply(in, inout unsafe.Pointer, n int64) {
	defer func() {
		if v := recover(); v != nil {
			f.fail(fmt.Errorf("the function of operation %s panicked: %v", f.name, v))
		}
	}()
	a, b := f.view(in, n), f.view(inout, n)
	if err := f.user(a, b); err != nil {
		f.fail(err)
	}
}

func (f *fold) fail(err error) {
	if f.err == nil {
		f.err = &errclass.Error{Pkg: "comm", Op: f.name, Rank: errclass.NoRank, Class: errclass.Op, Rule: "COLL-03", Err: err}
	}
}

// view returns memory of the library as a buffer.
func (f *fold) view(p unsafe.Pointer, n int64) types.Buffer {
	l, err := f.typ.Layout(reps.LP64LE)
	if err != nil || n == 0 {
		return types.Raw(nil, 0, f.typ)
	}
	far := (n - 1) * l.Extent
	lo, hi := l.TrueLB+min(0, far), l.TrueUB+max(0, far)
	mem := unsafe.Slice((*byte)(unsafe.Add(p, lo)), hi-lo)
	return types.Raw(mem, n, f.typ).At(-lo)
}

//export commworldFold
func commworldFold(slot C.int, in, inout unsafe.Pointer, n C.int, _ C.cw_h) {
	folds.Lock()
	f := folds.slots[slot]
	folds.Unlock()
	f.apply(in, inout, int64(n))
}

//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include <stdlib.h>
*/
import "C"

import (
	"math"
	"runtime"
	"unsafe"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// convert calls a conversion function of the program.
func (r *rank) convert(fn int64, large bool, user reps.Memory, t *types.Type, count int64, file []byte, position, state int64) error {
	if !large && count > math.MaxInt32 {
		return errclass.ValueTooLarge
	}
	h, made := r.datatypeHandle(t)
	if made {
		defer r.datatypes.remove(h)
	}
	defer r.enter("a function of a data representation")()
	err := r.checked(fn, origin(user.Buffer), h, count, int64(uintptr(unsafe.Pointer(unsafe.SliceData(file)))), position, state)
	runtime.KeepAlive(user.Mem())
	runtime.KeepAlive(file)
	return err
}

// fileExtent calls an extent function of the program.
func (r *rank) fileExtent(fn int64, t *types.Type, state int64) (int64, error) {
	h, made := r.datatypeHandle(t)
	if made {
		defer r.datatypes.remove(h)
	}
	cell := C.calloc(1, 8)
	defer C.free(cell)
	a := int64(uintptr(cell))
	defer r.enter("a function of a data representation")()
	err := r.checked(fn, h, a, state)
	return peek[int64](a), err
}

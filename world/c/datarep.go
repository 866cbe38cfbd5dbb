//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"math"

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
	first, back, err := r.lend(user.Mem())
	if err != nil {
		return err
	}
	second, written, err := r.lend(file)
	if err != nil {
		return err
	}
	if err = r.checked(fn, first+user.Origin(), h, count, second, position, state); err != nil {
		return err
	}
	return errors.Join(back(true), written(true))
}

// fileExtent calls an extent function of the program.
func (r *rank) fileExtent(fn int64, t *types.Type, state int64) (int64, error) {
	h, made := r.datatypeHandle(t)
	if made {
		defer r.datatypes.remove(h)
	}
	a, free := r.cells(8)
	defer free()
	defer r.enter("a function of a data representation")()
	err := r.checked(fn, h, a, state)
	return peek[int64](a), err
}

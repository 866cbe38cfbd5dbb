//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include <stdlib.h>
*/
import "C"

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

var opCalls = map[string]handler{
	"Op_create": func(k *call) error {
		r, fn, commutes, large := k.r, k.word(), k.bool(), k.large
		if fn == 0 {
			k.fail(errclass.Op, "the function is NULL")
		}
		make := comm.NewOp
		if commutes {
			make = comm.NewCommutativeOp
		}
		put(k.out(), r.ops.add(make(r.functionName(fn), func(in, inout types.Buffer) error { return r.operate(fn, large, in, inout) })))
		return nil
	},
	"Op_free": func(k *call) error {
		a := k.out()
		h := peek[int64](a)
		if _, err := k.r.ops.get(h); err != nil || h < predefined {
			k.fail(errclass.Op, "the operation %#x cannot be freed", h)
		}
		k.r.ops.remove(h)
		put(a, int64(opNull))
		return nil
	},
	"Op_commutative": func(k *call) error {
		op := k.op()
		putBool(k.out(), op.Commutative())
		return nil
	},
	"Reduce_local": func(k *call) error {
		from, to, n := k.word(), k.word(), k.word()
		t, op := k.operands()
		return k.r.world.ReduceLocal(k.r.memory(k, from, n, t), k.r.memory(k, to, n, t), op)
	},
}

func (k *call) op() *comm.Op {
	h := k.word()
	op, err := k.r.ops.get(h)
	if err != nil {
		k.fail(errclass.Op, "%w", err)
	}
	return op
}

// operands reads the datatype and the operation of a reduction. The standard has no logical
// operations on MPI_AINT, MPI_COUNT and MPI_OFFSET; common libraries do.
func (k *call) operands() (*types.Type, *comm.Op) {
	t, op := k.datatype(), k.op()
	logical := op == comm.LAnd || op == comm.LOr || op == comm.LXor
	if logical && k.r.program.Tolerant && (t == types.Aint || t == types.CountType || t == types.OffsetType) {
		t = types.Int64
	}
	return t, op
}

// operate calls the function of an operation. The rank stays in its call meanwhile, whose
// line is the place of both.
func (r *rank) operate(fn int64, large bool, in, inout types.Buffer) error {
	a, free := r.cells(16)
	defer free()
	if large {
		put(a, in.Count())
	} else {
		putInt(a, int(in.Count()))
	}
	h, temporary := r.datatypeHandle(in.Type())
	put(a+8, r.given(fn, h))
	defer r.enter("the function of an operation")()
	if temporary {
		defer r.datatypes.remove(h)
	}
	first, back, err := r.lend(in.Mem())
	if err != nil {
		return err
	}
	defer back(false)
	second, written, err := r.lend(inout.Mem())
	if err != nil {
		return err
	}
	if _, err = r.run(pointer(fn), first+in.Origin(), second+inout.Origin(), a, a+8); err != nil {
		return err
	}
	return written(true)
}

package comm

import (
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// An Op is the operation of a reduction. Operands are always combined in the
// order of ranks, (((x0 op x1) op x2) ...): so a floating-point result is the
// same in every run with the same number of ranks, and an operation need not
// commute. (COLL-03)
//
// MPI_Op
type Op struct {
	name string
	code opcode
	user UserOp
}

type opcode uint8

const (
	opUser opcode = iota
	opSum
	opProd
	opMax
	opMin
	opLAnd
	opLOr
	opLXor
	opBAnd
	opBOr
	opBXor
)

// The predefined operations. They work on predefined datatypes of one item:
// Sum and Prod on integers, floating-point and complex numbers, Max and Min on
// integers and floating-point numbers, LAnd, LOr and LXor on C integers and
// logicals, BAnd, BOr and BXor on integers and bytes. (COLL-03)
var (
	Sum  = &Op{name: "Sum", code: opSum}   // MPI_SUM
	Prod = &Op{name: "Prod", code: opProd} // MPI_PROD
	Max  = &Op{name: "Max", code: opMax}   // MPI_MAX
	Min  = &Op{name: "Min", code: opMin}   // MPI_MIN
	LAnd = &Op{name: "LAnd", code: opLAnd} // MPI_LAND
	LOr  = &Op{name: "LOr", code: opLOr}   // MPI_LOR
	LXor = &Op{name: "LXor", code: opLXor} // MPI_LXOR
	BAnd = &Op{name: "BAnd", code: opBAnd} // MPI_BAND
	BOr  = &Op{name: "BOr", code: opBOr}   // MPI_BOR
	BXor = &Op{name: "BXor", code: opBXor} // MPI_BXOR
)

// A UserOp sets every item of inout to in op inout. Both are buffers of the
// call's datatype with the same count, which need not be the call's: a
// reduction may be done piece by piece. It must not call this package. An
// error is the call's error on all ranks.
//
// MPI_User_function
type UserOp func(in, inout types.Buffer) error

// NewOp makes an operation, for any datatype, that reports call name. It must
// be associative. All ranks of a reduction give the same *Op, so make it before
// the ranks start, or on one rank for itself in COMM_SELF.
//
// MPI_Op_create
func NewOp(name string, f UserOp) *Op { return &Op{name: name, user: f} }

// String returns the name of the operation.
func (o *Op) String() string {
	if o == nil {
		return "OP_NULL"
	}
	return o.name
}

// check reports whether o may be used on t. (COLL-03)
func (o *Op) check(t *types.Type) *fault {
	switch {
	case o == nil:
		return broken(ErrOp, "COLL-03", "the operation is nil")
	case o.code == opUser && o.user == nil:
		return broken(ErrOp, "COLL-03", "operation %s has no function", o.name)
	case o.code == opUser:
		return nil
	case t.Kind() == types.KindNone:
		return broken(ErrOp, "COLL-03", "%s works on predefined datatypes of one item, not on %v; NewOp makes operations for others", o.name, t)
	case !o.allows(t.Kind()):
		return broken(ErrOp, "COLL-03", "%s is not defined on %v", o.name, t)
	}
	return nil
}

// allows is the standard's table of operations and groups of datatypes.
func (o *Op) allows(k types.Kind) bool {
	f := k.Family()
	integer := f == types.FamilySigned || f == types.FamilyUnsigned
	switch o.code {
	case opSum, opProd:
		return integer || f == types.FamilyFloat || f == types.FamilyComplex
	case opMax, opMin:
		return integer || f == types.FamilyFloat
	case opLAnd, opLOr, opLXor:
		return f == types.FamilyBool || integer && !fortran(k) && !bothLanguages(k)
	}
	return integer || k == types.KindByte
}

func fortran(k types.Kind) bool {
	switch k {
	case types.KindInteger, types.KindInteger1, types.KindInteger2, types.KindInteger4, types.KindInteger8, types.KindInteger16:
		return true
	}
	return false
}

func bothLanguages(k types.Kind) bool {
	return k == types.KindAint || k == types.KindOffset || k == types.KindCount
}

// A kernel sets acc to acc op x, item by item of packed memory.
type kernel func(acc, x []byte)

// kernelOf returns the kernel of a predefined operation on items as they are in
// the memory of a rank of architecture a.
func kernelOf(code opcode, k types.Kind, a *reps.Arch) kernel {
	size := a.Sizeof(k)
	switch k.Family() {
	case types.FamilyFloat:
		return floatKernel(code, size, precision(k, a))
	case types.FamilyComplex:
		return complexKernel(code, size/2, precision(k, a))
	case types.FamilyBool:
		return boolKernel(code, size)
	case types.FamilySigned:
		return signedKernel(code, size)
	}
	return unsignedKernel(code, size)
}

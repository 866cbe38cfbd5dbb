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

	commutes bool
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
	opMaxLoc
	opMinLoc
	opOneSided
)

// The predefined operations. They work on predefined datatypes of one item:
// Sum and Prod on integers, floating-point and complex numbers, Max and Min on
// integers and floating-point numbers, LAnd, LOr and LXor on C integers and
// logicals, BAnd, BOr and BXor on integers and bytes. MaxLoc and MinLoc work on
// pairs of a value and an index: the greatest or least value, and the least of
// the indices that come with it; the pairs are [types.FloatInt] and its like,
// and two Fortran numbers in a row. (COLL-03)
var (
	Sum    = standardOp("Sum", opSum)       // MPI_SUM
	Prod   = standardOp("Prod", opProd)     // MPI_PROD
	Max    = standardOp("Max", opMax)       // MPI_MAX
	Min    = standardOp("Min", opMin)       // MPI_MIN
	LAnd   = standardOp("LAnd", opLAnd)     // MPI_LAND
	LOr    = standardOp("LOr", opLOr)       // MPI_LOR
	LXor   = standardOp("LXor", opLXor)     // MPI_LXOR
	BAnd   = standardOp("BAnd", opBAnd)     // MPI_BAND
	BOr    = standardOp("BOr", opBOr)       // MPI_BOR
	BXor   = standardOp("BXor", opBXor)     // MPI_BXOR
	MaxLoc = standardOp("MaxLoc", opMaxLoc) // MPI_MAXLOC
	MinLoc = standardOp("MinLoc", opMinLoc) // MPI_MINLOC
)

// Replace and NoOp exist for one-sided communication alone, which this world
// does not have: every reduction refuses them, with ErrOp. (COLL-03)
var (
	Replace = &Op{name: "Replace", code: opOneSided} // MPI_REPLACE
	NoOp    = &Op{name: "NoOp", code: opOneSided}    // MPI_NO_OP
)

func standardOp(name string, code opcode) *Op { return &Op{name: name, code: code, commutes: true} }

// A UserOp sets every item of inout to in op inout. Both are buffers of the
// call's datatype with the same count, which need not be the call's: a
// reduction may be done piece by piece. The function that rank i gave combines
// what the ranks before i make (in) with what rank i brings (inout); that of rank
// 0 is not called, and under an engine the library decides which one is. While it
// runs its rank is in a call of this package, so that variables of the rank need
// no lock, although another rank's goroutine may run it. It must not call this
// package with any handle: such calls are errors, because ranks wait for it. An
// error or a panic is the call's error, of class ErrOp, on all ranks.
//
// MPI_User_function
type UserOp func(in, inout types.Buffer) error

// NewOp makes an operation, for any datatype, that reports call name. It must
// be associative. Each rank may make its own: operations of one name that both
// commute, or both do not, are the same to a reduction, and each rank's function
// does that rank's part; see [UserOp]. One that all ranks share is called by
// several goroutines if they start several reductions. There is nothing to free.
// The operation is taken not to commute; see [NewCommutativeOp].
//
// MPI_Op_create
func NewOp(name string, f UserOp) *Op { return &Op{name: name, user: f} }

// NewCommutativeOp is [NewOp] for an operation of which the program says that
// it commutes. Reductions keep the order of ranks all the same.
//
// MPI_Op_create
func NewCommutativeOp(name string, f UserOp) *Op { return &Op{name: name, user: f, commutes: true} }

// Commutative tells what is known of the operation: that of the predefined ones
// all but Replace and NoOp commute, and what the program said of its own. It is
// false on nil.
//
// MPI_Op_commutative
func (o *Op) Commutative() bool { return o != nil && o.commutes }

// String returns the name of the operation.
func (o *Op) String() string {
	if o == nil {
		return "OP_NULL"
	}
	return o.name
}

// like reports whether ranks that give o and p give the same operation.
func (o *Op) like(p *Op) bool {
	return o == p || o != nil && p != nil && o.code == opUser && p.code == opUser && o.name == p.name && o.commutes == p.commutes
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
	case o.code == opOneSided:
		return broken(ErrOp, "COLL-03", "%s is for one-sided communication only, not for reductions", o.name)
	case o.code == opMaxLoc || o.code == opMinLoc:
		if _, ok := pairOf(t); !ok {
			return broken(ErrOp, "COLL-03", "%s works on pairs of a value and an index, such as types.DoubleInt, not on %v", o.name, t)
		}
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
func kernelOf(code opcode, t *types.Type, a *reps.Arch) kernel {
	if p, ok := pairOf(t); ok {
		return p.kernel(code, a)
	}
	k := t.Kind()
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

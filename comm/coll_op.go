package comm

import (
	"github.com/commworld/commworld/comm/internal/reduce"
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
	code reduce.Op // reduce.None: an operation that the program made
	user UserOp

	commutes bool
	oneSided bool // for one-sided communication only
}

// The predefined operations. They work on predefined datatypes of one item:
// Sum and Prod on integers, floating-point and complex numbers, Max and Min on
// integers and floating-point numbers, LAnd, LOr and LXor on C integers and
// logicals, BAnd, BOr and BXor on integers and bytes. MaxLoc and MinLoc work on
// pairs of a value and an index: the greatest or least value, and the least of
// the indices that come with it; the pairs are [types.FloatInt] and its like,
// and two Fortran numbers in a row. (COLL-03)
var (
	Sum    = standardOp("Sum", reduce.Sum)       // MPI_SUM
	Prod   = standardOp("Prod", reduce.Prod)     // MPI_PROD
	Max    = standardOp("Max", reduce.Max)       // MPI_MAX
	Min    = standardOp("Min", reduce.Min)       // MPI_MIN
	LAnd   = standardOp("LAnd", reduce.LAnd)     // MPI_LAND
	LOr    = standardOp("LOr", reduce.LOr)       // MPI_LOR
	LXor   = standardOp("LXor", reduce.LXor)     // MPI_LXOR
	BAnd   = standardOp("BAnd", reduce.BAnd)     // MPI_BAND
	BOr    = standardOp("BOr", reduce.BOr)       // MPI_BOR
	BXor   = standardOp("BXor", reduce.BXor)     // MPI_BXOR
	MaxLoc = standardOp("MaxLoc", reduce.MaxLoc) // MPI_MAXLOC
	MinLoc = standardOp("MinLoc", reduce.MinLoc) // MPI_MINLOC
)

// Replace and NoOp exist for one-sided communication alone, which this world
// does not have: every reduction refuses them, with ErrOp. (COLL-03)
var (
	Replace = &Op{name: "Replace", oneSided: true} // MPI_REPLACE
	NoOp    = &Op{name: "NoOp", oneSided: true}    // MPI_NO_OP
)

func standardOp(name string, code reduce.Op) *Op { return &Op{name: name, code: code, commutes: true} }

// A UserOp sets every item of inout to in op inout. Both are buffers of the call's datatype
// with the same count. That count may be less than the call's: a reduction may be done piece
// by piece. The function that rank i gave combines the result of the ranks before i (in)
// with the data of rank i (inout). Rank 0's function is not called; under an engine the
// library decides which functions are called. While the function runs, its rank is in a call
// of this package, so variables of the rank need no lock, although another rank's goroutine
// may run the function. It must not call this package with any handle: such calls are
// errors, because ranks wait for it. An error or a panic is the call's error, of class
// ErrOp, on all ranks.
//
// MPI_User_function
type UserOp func(in, inout types.Buffer) error

// NewOp makes an operation, for any datatype; reports call it by its name. It must be
// associative. Each rank may make its own: a reduction treats operations as the same if they
// have one name and both commute or both do not, and each rank's function does that rank's
// part; see [UserOp]. If all ranks share one operation and start several reductions, several
// goroutines call its function. There is nothing to free. The operation is assumed not to
// commute; see [NewCommutativeOp].
//
// MPI_Op_create
func NewOp(name string, f UserOp) *Op { return &Op{name: name, user: f} }

// NewCommutativeOp is [NewOp] for an operation that commutes. Reductions keep the order of
// ranks all the same.
//
// MPI_Op_create
func NewCommutativeOp(name string, f UserOp) *Op { return &Op{name: name, user: f, commutes: true} }

// Commutative reports whether the operation commutes: all predefined operations but Replace
// and NoOp do; an operation of the program does if the program says so. It is false on nil.
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

// like reports whether o and p count as the same operation when different ranks give them.
func (o *Op) like(p *Op) bool {
	return o == p || o != nil && p != nil && o.byUser() && p.byUser() && o.name == p.name && o.commutes == p.commutes
}

// byUser reports whether o is an operation of the program.
func (o *Op) byUser() bool { return o.code == reduce.None && !o.oneSided }

// check reports whether o may be used on t. (COLL-03)
func (o *Op) check(t *types.Type) *fault {
	switch {
	case o == nil:
		return broken(ErrOp, "COLL-03", "the operation is nil")
	case o.byUser() && o.user == nil:
		return broken(ErrOp, "COLL-03", "operation %s has no function", o.name)
	case o.byUser():
		return nil
	case o.oneSided:
		return broken(ErrOp, "COLL-03", "%s is for one-sided communication only, not for reductions", o.name)
	case o.code.Pairs():
		if !reduce.IsPair(t) {
			return broken(ErrOp, "COLL-03", "%s works on pairs of a value and an index, such as types.DoubleInt, not on %v", o.name, t)
		}
		return nil
	case t.Kind() == types.KindNone:
		return broken(ErrOp, "COLL-03", "%s works on predefined datatypes of one item, not on %v; NewOp makes operations for others", o.name, t)
	case !o.code.Allows(t.Kind()):
		return broken(ErrOp, "COLL-03", "%s is not defined on %v", o.name, t)
	}
	return nil
}

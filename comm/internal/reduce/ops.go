// Package reduce has the arithmetic of the predefined operations of reductions.
//
// Start here: [Of] returns the [Kernel] of an operation on items of a datatype,
// as they are in the memory of an architecture; [Op.Allows] and [IsPair] say
// which datatypes an operation has. (COLL-03)
//
// # Map
//
//   - ops.go: the operations, and the datatypes that each has
//   - kernels.go: kernels of integers, floating-point and complex numbers for which Go has
//     types
//   - wide.go: 16-bit floating point, long double, binary128, 128-bit integers
//   - pairs.go: MaxLoc and MinLoc
package reduce

import (
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// Op is a predefined operation.
type Op uint8

// The operations. None is the zero value: an operation that the program made.
const (
	None Op = iota
	Sum
	Prod
	Max
	Min
	LAnd
	LOr
	LXor
	BAnd
	BOr
	BXor
	MaxLoc
	MinLoc
)

// Pairs reports whether the operation works on pairs of a value and an index.
func (o Op) Pairs() bool { return o == MaxLoc || o == MinLoc }

// Allows reports whether the standard allows the operation on a kind. It is the standard's
// table without pairs.
func (o Op) Allows(k types.Kind) bool {
	f := k.Family()
	integer := f == types.FamilySigned || f == types.FamilyUnsigned
	switch o {
	case Sum, Prod:
		return integer || f == types.FamilyFloat || f == types.FamilyComplex
	case Max, Min:
		return integer || f == types.FamilyFloat
	case LAnd, LOr, LXor:
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

// A Kernel sets acc to acc op x, item by item of packed memory.
type Kernel func(acc, x []byte)

// Of returns the kernel of a predefined operation on items as they are in
// the memory of a rank of architecture a.
func Of(code Op, t *types.Type, a *reps.Arch) Kernel {
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

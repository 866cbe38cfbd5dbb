package types

import (
	"fmt"
	"sync"
)

// Undefined is the value of a precision or range that is not specified.
//
// MPI_UNDEFINED
const Undefined int64 = -32766

// An f90 is a predefined type chosen by precision and range. It is stored as kind, but
// matches only types made by the same call with the same arguments.
type f90 struct {
	comb Combiner
	p, r int64
	kind Kind
}

// F90Real returns the real type with at least p decimal digits and range
// 10^-r..10^r; one of p and r may be [Undefined]. (DT-F90-01, REP-F90-01)
//
// MPI_Type_create_f90_real
func F90Real(p, r int64) *Type { return newF90("F90Real", CombinerF90Real, p, r) }

// F90Complex returns the complex type of two reals as F90Real chooses them
// (REP-F90-02).
//
// MPI_Type_create_f90_complex
func F90Complex(p, r int64) *Type { return newF90("F90Complex", CombinerF90Complex, p, r) }

// F90Integer returns the integer type with at least r decimal digits
// (REP-F90-03).
//
// MPI_Type_create_f90_integer
func F90Integer(r int64) *Type { return newF90("F90Integer", CombinerF90Integer, Undefined, r) }

func newF90(op string, comb Combiner, p, r int64) *Type {
	if p == Undefined && r == Undefined {
		return broken(op, ErrArg, "DT-F90-01", "precision and range are both undefined")
	}
	if (p != Undefined && p < 0) || (r != Undefined && r < 0) {
		return broken(op, ErrArg, "DT-F90-01", "precision %d or range %d is negative", p, r)
	}
	x := f90{comb: comb, p: p, r: r}
	switch comb {
	case CombinerF90Integer:
		x.kind = f90Integer(r)
	case CombinerF90Complex:
		x.kind = f90Real(p, r) + (KindComplex8 - KindReal4)
		if f90Real(p, r) == KindNone {
			x.kind = KindNone
		}
	default:
		x.kind = f90Real(p, r)
	}
	if x.kind == KindNone {
		return broken(op, ErrArg, "DT-F90-01", "no kind has %s", x)
	}
	t, _ := f90Types.LoadOrStore(x, build(x))
	return t.(*Type)
}

// f90Types holds the single type of each precision and range.
var f90Types sync.Map

func f90Real(p, r int64) Kind {
	switch {
	case p > 33 || r > 4931:
		return KindNone
	case p > 15 || r > 307:
		return KindReal16
	case p > 6 || r > 37:
		return KindReal8
	}
	return KindReal4
}

func f90Integer(r int64) Kind {
	switch {
	case r > 38:
		return KindNone
	case r > 18:
		return KindInteger16
	case r > 9:
		return KindInteger8
	case r > 4:
		return KindInteger4
	case r > 2:
		return KindInteger2
	}
	return KindInteger1
}

// atom packs everything that distinguishes x from other types: precision and range are
// small once a kind has been found.
func (x f90) atom() atom {
	pack := func(v int64) atom {
		if v == Undefined {
			return 0
		}
		return atom(v + 1)
	}
	return atom(x.kind) | atom(x.comb)<<8 | pack(x.p)<<16 | pack(x.r)<<32
}

func f90Of(a atom) f90 {
	unpack := func(v int64) int64 {
		if v == 0 {
			return Undefined
		}
		return v - 1
	}
	return f90{
		kind: Kind(a), comb: Combiner(a >> 8),
		p: unpack(int64(a >> 16 & 0xffff)), r: unpack(int64(a >> 32)),
	}
}

func isF90(t *Type) bool {
	if t.none() {
		return false
	}
	_, ok := t.recipe.(f90)
	return ok
}

// String returns x as a type expression: "f90real(15, 307)".
func (x f90) String() string {
	word := func(v int64) string {
		if v == Undefined {
			return "undefined"
		}
		return fmt.Sprint(v)
	}
	if x.comb == CombinerF90Integer {
		return "f90integer(" + word(x.r) + ")"
	}
	return x.comb.word() + "(" + word(x.p) + ", " + word(x.r) + ")"
}

func (x f90) combiner() Combiner   { return x.comb }
func (f90) portable() bool         { return true }
func (x f90) signature() Signature { return atomSignature(x.atom()) }
func (x f90) shape(l *layer) shape { return l.kind(x.kind) }
func (x f90) contents() Contents {
	if x.comb == CombinerF90Integer {
		return Contents{Integers: []int64{x.r}}
	}
	return Contents{Integers: []int64{x.p, x.r}}
}

package types

import "slices"

// basic is a predefined datatype with one item.
type basic struct{ kind Kind }

func (basic) combiner() Combiner { return CombinerNamed }
func (basic) contents() Contents { return Contents{} }
func (basic) portable() bool     { return true }
func (b basic) signature() Signature {
	return atomSignature(atom(b.kind))
}

func (b basic) shape(l *layer) shape { return l.kind(b.kind) }

// kind returns the shape of one item of kind k.
func (l *layer) kind(k Kind) shape {
	size := l.sizes.Sizeof(k)
	if size < 1 {
		l.fail = fault("Layout", ErrArg, "REP-USR-04", "the sizes give %s %d bytes", k, size)
		return shape{}
	}
	return l.item(size, l.sizes.Alignof(k))
}

// A pair is a value with an index beside it, for reductions such as MaxLoc. Its members are
// placed as in a C struct under the given sizes.
type pair struct {
	value, index Kind
	name         string // "" if the standard has no name for it
}

func (p pair) combiner() Combiner {
	if p.name == "" {
		return CombinerValueIndex
	}
	return CombinerNamed
}

func (p pair) contents() Contents {
	if p.name != "" {
		return Contents{}
	}
	return Contents{Types: []*Type{named[p.value], named[p.index]}}
}

func (pair) portable() bool { return true }

func (p pair) shape(l *layer) shape {
	a, b := l.kind(p.value), l.kind(p.index)
	if l.fail != nil {
		return shape{}
	}
	off := a.size
	if r := off % b.data.align; r != 0 {
		off += b.data.align - r
	}
	return l.pairUp(a, l.shift(b, off))
}

func (p pair) signature() Signature {
	return atomSignature(atom(p.value)).Concat(atomSignature(atom(p.index)))
}

// ValueIndex returns the predefined type of a value with an index: the standard's named
// pair if there is one, also of Fortran ([TwoReal] for Real and Real), else an unnamed
// pair. It returns nil if value is not a number or index is not an integer.
//
// MPI_Type_get_value_index
func ValueIndex(value, index *Type) *Type {
	v, i := value.Kind(), index.Kind()
	if isF90(value) || isF90(index) {
		return nil
	}
	for _, t := range pairs {
		if p := t.recipe.(pair); p.value == v && p.index == i {
			return t
		}
	}
	switch v.Family() {
	case FamilySigned, FamilyUnsigned, FamilyFloat:
	default:
		return nil
	}
	if f := i.Family(); f != FamilySigned && f != FamilyUnsigned {
		return nil
	}
	return build(pair{value: v, index: i})
}

// A marker is LB or UB.
type marker struct{ upper bool }

func (marker) combiner() Combiner   { return CombinerNamed }
func (marker) contents() Contents   { return Contents{} }
func (marker) portable() bool       { return false }
func (marker) signature() Signature { return Signature{} }

func (m marker) shape(*layer) shape {
	if m.upper {
		return shape{ub: mark{set: true}}
	}
	return shape{lb: mark{set: true}}
}

func newBasic(k Kind) *Type { return &Type{recipe: basic{k}, name: k.MPI()} }

func newPair(value Kind, name, mpi string) *Type {
	return &Type{recipe: pair{value, KindInt, name}, name: mpi}
}

// newTwo returns a Fortran pair, whose index is a number like the value.
func newTwo(value Kind, name, mpi string) *Type {
	return &Type{recipe: pair{value, value, name}, name: mpi}
}

// The predefined datatypes.
var (
	Byte                 = newBasic(KindByte)
	Packed               = newBasic(KindPacked)
	Char                 = newBasic(KindChar)
	SChar                = newBasic(KindSChar)
	UChar                = newBasic(KindUChar)
	WChar                = newBasic(KindWChar)
	Short                = newBasic(KindShort)
	UShort               = newBasic(KindUShort)
	Int                  = newBasic(KindInt)
	UInt                 = newBasic(KindUInt)
	Long                 = newBasic(KindLong)
	ULong                = newBasic(KindULong)
	LongLong             = newBasic(KindLongLong)
	ULongLong            = newBasic(KindULongLong)
	Float                = newBasic(KindFloat)
	Double               = newBasic(KindDouble)
	LongDouble           = newBasic(KindLongDouble)
	Bool                 = newBasic(KindBool)
	Int8                 = newBasic(KindInt8)
	Int16                = newBasic(KindInt16)
	Int32                = newBasic(KindInt32)
	Int64                = newBasic(KindInt64)
	UInt8                = newBasic(KindUInt8)
	UInt16               = newBasic(KindUInt16)
	UInt32               = newBasic(KindUInt32)
	UInt64               = newBasic(KindUInt64)
	Aint                 = newBasic(KindAint)
	OffsetType           = newBasic(KindOffset)
	CountType            = newBasic(KindCount)
	FloatComplex         = newBasic(KindFloatComplex)
	DoubleComplex        = newBasic(KindDoubleComplex)
	LongDoubleComplex    = newBasic(KindLongDoubleComplex)
	Character            = newBasic(KindCharacter)
	Logical              = newBasic(KindLogical)
	Integer              = newBasic(KindInteger)
	Real                 = newBasic(KindReal)
	DoublePrecision      = newBasic(KindDoublePrecision)
	Complex              = newBasic(KindComplex)
	DComplex             = newBasic(KindDComplex)
	Integer1             = newBasic(KindInteger1)
	Integer2             = newBasic(KindInteger2)
	Integer4             = newBasic(KindInteger4)
	Integer8             = newBasic(KindInteger8)
	Integer16            = newBasic(KindInteger16)
	Real2                = newBasic(KindReal2)
	Real4                = newBasic(KindReal4)
	Real8                = newBasic(KindReal8)
	Real16               = newBasic(KindReal16)
	Complex4             = newBasic(KindComplex4)
	Complex8             = newBasic(KindComplex8)
	Complex16            = newBasic(KindComplex16)
	Complex32            = newBasic(KindComplex32)
	Logical1             = newBasic(KindLogical1)
	Logical2             = newBasic(KindLogical2)
	Logical4             = newBasic(KindLogical4)
	Logical8             = newBasic(KindLogical8)
	Logical16            = newBasic(KindLogical16)
	CXXBool              = newBasic(KindCXXBool)
	CXXFloatComplex      = newBasic(KindCXXFloatComplex)
	CXXDoubleComplex     = newBasic(KindCXXDoubleComplex)
	CXXLongDoubleComplex = newBasic(KindCXXLongDoubleComplex)
)

// The named pair types: structs of a value and an int (DT-DEF-08).
var (
	FloatInt      = newPair(KindFloat, "floatint", "MPI_FLOAT_INT")
	DoubleInt     = newPair(KindDouble, "doubleint", "MPI_DOUBLE_INT")
	LongInt       = newPair(KindLong, "longint", "MPI_LONG_INT")
	TwoInt        = newPair(KindInt, "twoint", "MPI_2INT")
	ShortInt      = newPair(KindShort, "shortint", "MPI_SHORT_INT")
	LongDoubleInt = newPair(KindLongDouble, "longdoubleint", "MPI_LONG_DOUBLE_INT")
)

// The named pair types of Fortran, which has no structs there: two numbers of one
// kind, the second of which holds an index (DT-DEF-08).
var (
	TwoReal            = newTwo(KindReal, "tworeal", "MPI_2REAL")
	TwoDoublePrecision = newTwo(KindDoublePrecision, "twodoubleprecision", "MPI_2DOUBLE_PRECISION")
	TwoInteger         = newTwo(KindInteger, "twointeger", "MPI_2INTEGER")
)

// LB and UB are the markers of MPI-1 and MPI-2: pseudo-types without size or data that set
// a bound of the struct that contains them, and of all types built from that. They are an
// error outside [Struct]. The standard replaced them by [Resized]; they are here because
// they act differently from sticky and weak bounds (DT-RESIZE-04).
var (
	LB = &Type{recipe: marker{upper: false}, name: "MPI_LB"}
	UB = &Type{recipe: marker{upper: true}, name: "MPI_UB"}
)

var pairs = []*Type{FloatInt, DoubleInt, LongInt, TwoInt, ShortInt, LongDoubleInt, TwoReal, TwoDoublePrecision, TwoInteger}

// Pairs lists the named pair types, those of C and then those of Fortran.
func Pairs() []*Type { return slices.Clone(pairs) }

// named holds the predefined datatype of each kind.
var named = func() (all [kinds]*Type) {
	for _, t := range []*Type{
		Byte, Packed, Char, SChar, UChar, WChar, Short, UShort, Int, UInt, Long, ULong, LongLong, ULongLong,
		Float, Double, LongDouble, Bool, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64,
		Aint, OffsetType, CountType, FloatComplex, DoubleComplex, LongDoubleComplex,
		Character, Logical, Integer, Real, DoublePrecision, Complex, DComplex,
		Integer1, Integer2, Integer4, Integer8, Integer16, Real2, Real4, Real8, Real16,
		Complex4, Complex8, Complex16, Complex32, Logical1, Logical2, Logical4, Logical8, Logical16,
		CXXBool, CXXFloatComplex, CXXDoubleComplex, CXXLongDoubleComplex,
	} {
		all[t.recipe.(basic).kind] = t
	}
	return all
}()

// OfKind returns the predefined datatype of kind k, nil if there is no such
// kind.
func OfKind(k Kind) *Type {
	if !k.Valid() {
		return nil
	}
	return named[k]
}

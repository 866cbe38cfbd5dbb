package types

// A Kind is a predefined datatype: one basic item of a typemap. Its size depends on where
// the data are; see [Sizes].
type Kind uint8

// The predefined kinds. The zero Kind is not one of them.
const (
	KindNone Kind = iota
	KindByte
	KindPacked
	KindChar
	KindSChar
	KindUChar
	KindWChar
	KindShort
	KindUShort
	KindInt
	KindUInt
	KindLong
	KindULong
	KindLongLong
	KindULongLong
	KindFloat
	KindDouble
	KindLongDouble
	KindBool
	KindInt8
	KindInt16
	KindInt32
	KindInt64
	KindUInt8
	KindUInt16
	KindUInt32
	KindUInt64
	KindAint
	KindOffset
	KindCount
	KindFloatComplex
	KindDoubleComplex
	KindLongDoubleComplex
	KindCharacter
	KindLogical
	KindInteger
	KindReal
	KindDoublePrecision
	KindComplex
	KindDComplex
	KindInteger1
	KindInteger2
	KindInteger4
	KindInteger8
	KindInteger16
	KindReal2
	KindReal4
	KindReal8
	KindReal16
	KindComplex4
	KindComplex8
	KindComplex16
	KindComplex32
	KindLogical1
	KindLogical2
	KindLogical4
	KindLogical8
	KindLogical16
	KindCXXBool
	KindCXXFloatComplex
	KindCXXDoubleComplex
	KindCXXLongDoubleComplex
	kinds // the number of kinds, with KindNone
)

// A Family says how the bits of a kind are interpreted, independent of its size.
type Family uint8

// The values of Family.
const (
	FamilyOpaque    Family = iota // byte, packed: bits without meaning
	FamilyCharacter               // one character, ISO 8859-1 or wide
	FamilySigned                  // two's complement
	FamilyUnsigned                // natural binary
	FamilyFloat                   // IEEE floating point
	FamilyComplex                 // two floating-point numbers of half the size
	FamilyBool                    // zero is false
)

// kindInfo is what the standard says about a kind, and its size and alignment
// on the default architecture (LP64, natural alignment).
type kindInfo struct {
	name, mpi   string
	family      Family
	size, align int64
}

var kindTable = [kinds]kindInfo{
	KindNone:                 {"none", "MPI_DATATYPE_NULL", FamilyOpaque, 0, 1},
	KindByte:                 {"byte", "MPI_BYTE", FamilyOpaque, 1, 1},
	KindPacked:               {"packed", "MPI_PACKED", FamilyOpaque, 1, 1},
	KindChar:                 {"char", "MPI_CHAR", FamilyCharacter, 1, 1},
	KindSChar:                {"schar", "MPI_SIGNED_CHAR", FamilySigned, 1, 1},
	KindUChar:                {"uchar", "MPI_UNSIGNED_CHAR", FamilyUnsigned, 1, 1},
	KindWChar:                {"wchar", "MPI_WCHAR", FamilyCharacter, 4, 4},
	KindShort:                {"short", "MPI_SHORT", FamilySigned, 2, 2},
	KindUShort:               {"ushort", "MPI_UNSIGNED_SHORT", FamilyUnsigned, 2, 2},
	KindInt:                  {"int", "MPI_INT", FamilySigned, 4, 4},
	KindUInt:                 {"uint", "MPI_UNSIGNED", FamilyUnsigned, 4, 4},
	KindLong:                 {"long", "MPI_LONG", FamilySigned, 8, 8},
	KindULong:                {"ulong", "MPI_UNSIGNED_LONG", FamilyUnsigned, 8, 8},
	KindLongLong:             {"longlong", "MPI_LONG_LONG_INT", FamilySigned, 8, 8},
	KindULongLong:            {"ulonglong", "MPI_UNSIGNED_LONG_LONG", FamilyUnsigned, 8, 8},
	KindFloat:                {"float", "MPI_FLOAT", FamilyFloat, 4, 4},
	KindDouble:               {"double", "MPI_DOUBLE", FamilyFloat, 8, 8},
	KindLongDouble:           {"longdouble", "MPI_LONG_DOUBLE", FamilyFloat, 16, 16},
	KindBool:                 {"bool", "MPI_C_BOOL", FamilyBool, 1, 1},
	KindInt8:                 {"int8", "MPI_INT8_T", FamilySigned, 1, 1},
	KindInt16:                {"int16", "MPI_INT16_T", FamilySigned, 2, 2},
	KindInt32:                {"int32", "MPI_INT32_T", FamilySigned, 4, 4},
	KindInt64:                {"int64", "MPI_INT64_T", FamilySigned, 8, 8},
	KindUInt8:                {"uint8", "MPI_UINT8_T", FamilyUnsigned, 1, 1},
	KindUInt16:               {"uint16", "MPI_UINT16_T", FamilyUnsigned, 2, 2},
	KindUInt32:               {"uint32", "MPI_UINT32_T", FamilyUnsigned, 4, 4},
	KindUInt64:               {"uint64", "MPI_UINT64_T", FamilyUnsigned, 8, 8},
	KindAint:                 {"aint", "MPI_AINT", FamilySigned, 8, 8},
	KindOffset:               {"offset", "MPI_OFFSET", FamilySigned, 8, 8},
	KindCount:                {"count", "MPI_COUNT", FamilySigned, 8, 8},
	KindFloatComplex:         {"floatcomplex", "MPI_C_COMPLEX", FamilyComplex, 8, 4},
	KindDoubleComplex:        {"doublecomplex", "MPI_C_DOUBLE_COMPLEX", FamilyComplex, 16, 8},
	KindLongDoubleComplex:    {"longdoublecomplex", "MPI_C_LONG_DOUBLE_COMPLEX", FamilyComplex, 32, 16},
	KindCharacter:            {"character", "MPI_CHARACTER", FamilyCharacter, 1, 1},
	KindLogical:              {"logical", "MPI_LOGICAL", FamilyBool, 4, 4},
	KindInteger:              {"integer", "MPI_INTEGER", FamilySigned, 4, 4},
	KindReal:                 {"real", "MPI_REAL", FamilyFloat, 4, 4},
	KindDoublePrecision:      {"doubleprecision", "MPI_DOUBLE_PRECISION", FamilyFloat, 8, 8},
	KindComplex:              {"complex", "MPI_COMPLEX", FamilyComplex, 8, 4},
	KindDComplex:             {"dcomplex", "MPI_DOUBLE_COMPLEX", FamilyComplex, 16, 8},
	KindInteger1:             {"integer1", "MPI_INTEGER1", FamilySigned, 1, 1},
	KindInteger2:             {"integer2", "MPI_INTEGER2", FamilySigned, 2, 2},
	KindInteger4:             {"integer4", "MPI_INTEGER4", FamilySigned, 4, 4},
	KindInteger8:             {"integer8", "MPI_INTEGER8", FamilySigned, 8, 8},
	KindInteger16:            {"integer16", "MPI_INTEGER16", FamilySigned, 16, 16},
	KindReal2:                {"real2", "MPI_REAL2", FamilyFloat, 2, 2},
	KindReal4:                {"real4", "MPI_REAL4", FamilyFloat, 4, 4},
	KindReal8:                {"real8", "MPI_REAL8", FamilyFloat, 8, 8},
	KindReal16:               {"real16", "MPI_REAL16", FamilyFloat, 16, 16},
	KindComplex4:             {"complex4", "MPI_COMPLEX4", FamilyComplex, 4, 2},
	KindComplex8:             {"complex8", "MPI_COMPLEX8", FamilyComplex, 8, 4},
	KindComplex16:            {"complex16", "MPI_COMPLEX16", FamilyComplex, 16, 8},
	KindComplex32:            {"complex32", "MPI_COMPLEX32", FamilyComplex, 32, 16},
	KindLogical1:             {"logical1", "MPI_LOGICAL1", FamilyBool, 1, 1},
	KindLogical2:             {"logical2", "MPI_LOGICAL2", FamilyBool, 2, 2},
	KindLogical4:             {"logical4", "MPI_LOGICAL4", FamilyBool, 4, 4},
	KindLogical8:             {"logical8", "MPI_LOGICAL8", FamilyBool, 8, 8},
	KindLogical16:            {"logical16", "MPI_LOGICAL16", FamilyBool, 16, 16},
	KindCXXBool:              {"cxxbool", "MPI_CXX_BOOL", FamilyBool, 1, 1},
	KindCXXFloatComplex:      {"cxxfloatcomplex", "MPI_CXX_FLOAT_COMPLEX", FamilyComplex, 8, 4},
	KindCXXDoubleComplex:     {"cxxdoublecomplex", "MPI_CXX_DOUBLE_COMPLEX", FamilyComplex, 16, 8},
	KindCXXLongDoubleComplex: {"cxxlongdoublecomplex", "MPI_CXX_LONG_DOUBLE_COMPLEX", FamilyComplex, 32, 16},
}

// Kinds returns every predefined kind.
func Kinds() []Kind {
	all := make([]Kind, 0, kinds-1)
	for k := KindByte; k < kinds; k++ {
		all = append(all, k)
	}
	return all
}

// Valid reports whether k is a predefined kind.
func (k Kind) Valid() bool { return k > KindNone && k < kinds }

// Family returns how the bits of k are interpreted.
func (k Kind) Family() Family { return k.info().family }

// String returns the name of k in type expressions, such as "double".
func (k Kind) String() string { return k.info().name }

// MPI returns the name of k in the standard, such as "MPI_DOUBLE". If a datatype has two
// names, MPI returns the main one, such as MPI_LONG_LONG_INT and MPI_C_COMPLEX, and not the
// synonym.
func (k Kind) MPI() string { return k.info().mpi }

func (k Kind) info() *kindInfo {
	if !k.Valid() {
		return &kindTable[KindNone]
	}
	return &kindTable[k]
}

package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/types"
)

// cKinds has the C types of kinds, and the kinds whose C name every library has.
var cKinds = map[types.Kind]string{
	types.KindByte: "unsigned char", types.KindPacked: "unsigned char", types.KindChar: "char", types.KindSChar: "signed char",
	types.KindUChar: "unsigned char", types.KindWChar: "wchar_t", types.KindShort: "short", types.KindUShort: "unsigned short",
	types.KindInt: "int", types.KindUInt: "unsigned", types.KindLong: "long", types.KindULong: "unsigned long",
	types.KindLongLong: "long long", types.KindULongLong: "unsigned long long", types.KindFloat: "float", types.KindDouble: "double",
	types.KindLongDouble: "long double", types.KindBool: "_Bool", types.KindInt8: "int8_t", types.KindInt16: "int16_t",
	types.KindInt32: "int32_t", types.KindInt64: "int64_t", types.KindUInt8: "uint8_t", types.KindUInt16: "uint16_t",
	types.KindUInt32: "uint32_t", types.KindUInt64: "uint64_t", types.KindAint: "MPI_Aint", types.KindOffset: "MPI_Offset",
	types.KindCount: "MPI_Count", types.KindFloatComplex: "float _Complex", types.KindDoubleComplex: "double _Complex",
	types.KindLongDoubleComplex: "long double _Complex",
	types.KindCharacter:         "char", types.KindInteger: "int", types.KindLogical: "int", types.KindReal: "float",
	types.KindDoublePrecision: "double", types.KindComplex: "float _Complex", types.KindDComplex: "double _Complex",
	types.KindInteger1: "int8_t", types.KindInteger2: "int16_t", types.KindInteger4: "int32_t", types.KindInteger8: "int64_t",
	types.KindReal4: "float", types.KindReal8: "double", types.KindComplex8: "float _Complex", types.KindComplex16: "double _Complex",
}

// element returns the C type of the elements of a buffer.
func (m *memory) element() string {
	if m.kind == types.KindNone {
		return "unsigned char"
	}
	return cKinds[m.kind]
}

// cLiteral writes one element.
func cLiteral(b []byte, k types.Kind) string {
	if k == types.KindNone {
		return fmt.Sprintf("0x%02x", b[0])
	}
	switch k.Family() {
	case types.FamilyFloat:
		return cFloat(b)
	case types.FamilyComplex:
		n := len(b) / 2
		return cFloat(b[:n]) + " + " + cFloat(b[n:]) + " * _Complex_I"
	case types.FamilySigned, types.FamilyCharacter:
		v := signed(b)
		switch {
		case v == math.MinInt64:
			return "-9223372036854775807LL - 1"
		case v > math.MaxInt32 || v < math.MinInt32:
			return strconv.FormatInt(v, 10) + "LL"
		}
		return strconv.FormatInt(v, 10)
	}
	u := unsigned(b)
	if u > math.MaxInt32 {
		return strconv.FormatUint(u, 10) + "ULL"
	}
	return strconv.FormatUint(u, 10)
}

// cFloat writes a floating-point number of 4, 8 or 16 bytes.
func cFloat(b []byte) string {
	var v float64
	suffix := ""
	switch len(b) {
	case 4:
		v, suffix = float64(math.Float32frombits(uint32(unsigned(b)))), "f"
	case 8:
		v = math.Float64frombits(unsigned(b))
	default:
		v, suffix = extended(b), "L"
	}
	switch {
	case math.IsNaN(v):
		return "NAN"
	case math.IsInf(v, 0):
		return map[bool]string{true: "-"}[v < 0] + "INFINITY"
	}
	bits := 64
	if suffix == "f" {
		bits = 32
	}
	text := strconv.FormatFloat(v, 'g', -1, bits)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text + suffix
}

// extended decodes a long double of x87, whose value was written as a double.
func extended(b []byte) float64 {
	fraction, exponent := unsigned(b[:8]), unsigned(b[8:10])
	v := math.Ldexp(float64(fraction), int(exponent&0x7fff)-16383-63)
	if exponent>>15 == 1 {
		v = -v
	}
	return v
}

func unsigned(b []byte) uint64 {
	u := uint64(0)
	for _, x := range slices.Backward(b) {
		u = u<<8 | uint64(x)
	}
	return u
}

func signed(b []byte) int64 {
	shift := 64 - 8*len(b)
	return int64(unsigned(b)<<shift) >> shift
}

// cType returns the C expression of a datatype: a constant or a variable.
func (p *cProgram) cType(t *types.Type) string {
	if d := p.derivedOf(t); d != nil {
		return d.ident
	}
	return kindOf(t).MPI()
}

// kindOf returns the kind of a predefined type.
func kindOf(t *types.Type) types.Kind { return oneKind(t.Signature()) }

// checkType refuses types that MPI libraries do not have, or not in all versions.
func checkType(t *types.Type, line int) error {
	switch e := t.Envelope(); e.Combiner {
	case types.CombinerNamed:
		if k := kindOf(t); cKinds[k] == "" {
			return refuse(line, "%s has no C type that all MPI libraries share; use another datatype", k.MPI())
		}
		return nil
	case types.CombinerValueIndex:
		return refuse(line, "MPI_Type_get_value_index came with MPI 4.0, which common MPI libraries do not have; use struct([1, 1], [0, 4], [int, int])")
	}
	c, err := t.Contents()
	if err != nil {
		return refuse(line, "%v", err)
	}
	for _, n := range c.Integers {
		if n > math.MaxInt32 || n < math.MinInt32 {
			return refuse(line, "%d does not fit C's int in %s", n, t.Brief())
		}
	}
	for _, sub := range c.Types {
		if err := checkType(sub, line); err != nil {
			return err
		}
	}
	return nil
}

// makeTypes writes the calls that make the derived datatypes.
func (p *cProgram) makeTypes() error {
	for _, d := range p.derived {
		if err := checkType(d.typ, d.line); err != nil {
			return err
		}
	}
	for _, d := range slices.Clone(p.derived) {
		p.makeType(d)
	}
	if len(p.derived) > 0 {
		p.line("")
	}
	return nil
}

// makeType writes the calls that make one datatype and its components.
func (p *cProgram) makeType(d *derived) {
	if p.made[d] {
		return
	}
	p.made[d] = true
	c, _ := d.typ.Contents()
	for _, sub := range c.Types {
		if sub.Envelope().Combiner == types.CombinerNamed {
			continue
		}
		p.name(sub, d.line)
		p.makeType(p.derivedOf(sub))
	}
	p.line("MPI_Datatype %s;", d.ident)
	f90 := false
	switch d.typ.Envelope().Combiner {
	case types.CombinerF90Integer, types.CombinerF90Real, types.CombinerF90Complex:
		f90 = true
	}
	p.call(d.line, p.constructor(d, c))
	if !f90 {
		p.call(d.line, fmt.Sprintf("MPI_Type_commit(&%s)", d.ident))
		p.frees = append(p.frees, d.ident)
	}
}

// array writes integers of a type's contents as a C array.
func array(kind string, ns []int64) string {
	if len(ns) == 0 {
		return "NULL"
	}
	parts := make([]string, len(ns))
	for i, n := range ns {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return "(const " + kind + "[]){" + strings.Join(parts, ", ") + "}"
}

var (
	cOrders = map[types.Order]string{types.OrderC: "MPI_ORDER_C", types.OrderFortran: "MPI_ORDER_FORTRAN"}
	cDists  = map[types.Distribution]string{
		types.DistNone: "MPI_DISTRIBUTE_NONE", types.DistBlock: "MPI_DISTRIBUTE_BLOCK", types.DistCyclic: "MPI_DISTRIBUTE_CYCLIC",
	}
)

// constructor writes the call that makes a datatype.
func (p *cProgram) constructor(d *derived, c types.Contents) string {
	is, as, out := c.Integers, c.Addresses, "&"+d.ident
	sub := ""
	if len(c.Types) > 0 {
		sub = p.cType(c.Types[0])
	}
	numbers := func(ns []int64) string { return array("int", ns) }
	addresses := func(ns []int64) string { return array("MPI_Aint", ns) }
	switch d.typ.Envelope().Combiner {
	case types.CombinerDup:
		return fmt.Sprintf("MPI_Type_dup(%s, %s)", sub, out)
	case types.CombinerContiguous:
		return fmt.Sprintf("MPI_Type_contiguous(%d, %s, %s)", is[0], sub, out)
	case types.CombinerVector:
		return fmt.Sprintf("MPI_Type_vector(%d, %d, %d, %s, %s)", is[0], is[1], is[2], sub, out)
	case types.CombinerHVector:
		return fmt.Sprintf("MPI_Type_create_hvector(%d, %d, %d, %s, %s)", is[0], is[1], as[0], sub, out)
	case types.CombinerIndexed:
		n := is[0]
		return fmt.Sprintf("MPI_Type_indexed(%d, %s, %s, %s, %s)", n, numbers(is[1:1+n]), numbers(is[1+n:]), sub, out)
	case types.CombinerHIndexed:
		return fmt.Sprintf("MPI_Type_create_hindexed(%d, %s, %s, %s, %s)", is[0], numbers(is[1:]), addresses(as), sub, out)
	case types.CombinerIndexedBlock:
		return fmt.Sprintf("MPI_Type_create_indexed_block(%d, %d, %s, %s, %s)", is[0], is[1], numbers(is[2:]), sub, out)
	case types.CombinerHIndexedBlock:
		return fmt.Sprintf("MPI_Type_create_hindexed_block(%d, %d, %s, %s, %s)", is[0], is[1], addresses(as), sub, out)
	case types.CombinerResized:
		return fmt.Sprintf("MPI_Type_create_resized(%s, %d, %d, %s)", sub, as[0], as[1], out)
	case types.CombinerF90Integer:
		return fmt.Sprintf("MPI_Type_create_f90_integer(%d, %s)", is[0], out)
	case types.CombinerF90Real:
		return fmt.Sprintf("MPI_Type_create_f90_real(%d, %d, %s)", is[0], is[1], out)
	case types.CombinerF90Complex:
		return fmt.Sprintf("MPI_Type_create_f90_complex(%d, %d, %s)", is[0], is[1], out)
	case types.CombinerStruct:
		subs := make([]string, len(c.Types))
		for i, t := range c.Types {
			subs[i] = p.cType(t)
		}
		list := "NULL"
		if len(subs) > 0 {
			list = "(MPI_Datatype[]){" + strings.Join(subs, ", ") + "}"
		}
		return fmt.Sprintf("MPI_Type_create_struct(%d, %s, %s, %s, %s)", is[0], numbers(is[1:]), addresses(as), list, out)
	case types.CombinerSubarray:
		n := is[0]
		return fmt.Sprintf("MPI_Type_create_subarray(%d, %s, %s, %s, %s, %s, %s)", n, numbers(is[1:1+n]), numbers(is[1+n:1+2*n]),
			numbers(is[1+2*n:1+3*n]), cOrders[types.Order(is[1+3*n])], sub, out)
	}
	n := is[2]
	dists := make([]string, n)
	for i, v := range is[3+n : 3+2*n] {
		dists[i] = cDists[types.Distribution(v)]
	}
	return fmt.Sprintf("MPI_Type_create_darray(%d, %d, %d, %s, (const int[]){%s}, %s, %s, %s, %s, %s)", is[0], is[1], n, numbers(is[3:3+n]),
		strings.Join(dists, ", "), dargs(is[3+2*n:3+3*n]), numbers(is[3+3*n:3+4*n]), cOrders[types.Order(is[3+4*n])], sub, out)
}

// dargs writes the arguments of distributions; the default one has a name.
func dargs(ns []int64) string {
	return strings.ReplaceAll(array("int", ns), decimal(types.DefaultArg), "MPI_DISTRIBUTE_DFLT_DARG")
}

package types

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
)

// A SyntaxError says where a type expression is wrong. It is the cause inside the [Error]
// that [Parse] returns.
type SyntaxError struct {
	Column int // counted in bytes, from 1
	Err    error
}

// Error returns the column and the error found there.
func (e *SyntaxError) Error() string { return fmt.Sprintf("column %d: %v", e.Column, e.Err) }

// Unwrap returns the cause.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Parse reads a type expression, the text that [Type.String] writes. Spaces are
// free.
//
//	byte packed char schar uchar wchar short ushort int uint long ulong longlong ulonglong
//	float double longdouble bool int8 .. int64 uint8 .. uint64 aint offset count
//	floatcomplex doublecomplex longdoublecomplex
//	floatint doubleint longint twoint shortint longdoubleint tworeal twodoubleprecision twointeger
//	character logical integer real doubleprecision complex dcomplex
//	integer1 .. 16 real2 .. 16 complex4 .. 32 logical1 .. 16
//	cxxbool cxxfloatcomplex cxxdoublecomplex cxxlongdoublecomplex
//	f90real(p, r) f90complex(p, r) f90integer(r)   p or r may be undefined
//	value_index(T, T)
//	contiguous(n, T)                    vector(count, blocklen, stride, T)
//	hvector(count, blocklen, strideBytes, T)
//	indexed([lens], [disps], T)         hindexed([lens], [dispBytes], T)
//	indexed_block(len, [disps], T)      hindexed_block(len, [dispBytes], T)
//	struct([lens], [dispBytes], [T, ...])            T may be lb or ub
//	subarray([sizes], [subsizes], [starts], c|fortran, T)
//	darray(size, rank, [gsizes], [block|cyclic|none ...], [darg|dflt ...], [psizes], c|fortran, T)
//	resized(T, lb, extent)              dup(T)
//
// Predefined types may also go by their names in the standard, such as MPI_DOUBLE,
// or MPI_LONG_LONG and MPI_C_FLOAT_COMPLEX, the synonyms of MPI_LONG_LONG_INT and
// MPI_C_COMPLEX.
//
// An error names the column; its class is that of the constructor that refused
// its arguments, ErrArg if the text is not an expression.
func Parse(expr string) (*Type, error) { return parse(expr, nil) }

// parse is Parse with integers computed from vars, unless that is nil.
func parse(expr string, vars map[string]int64) (*Type, error) {
	p := &parser{text: expr, vars: vars}
	t := p.typ()
	if p.err == nil && p.peek() != 0 {
		p.fail(p.pos, "unexpected %s after the type", p.describeNext())
	}
	if p.err == nil {
		p.takeError(t, 0)
	}
	if p.err != nil {
		return nil, p.err
	}
	return t, nil
}

// A parser reads an expression from left to right. After the first error it continues
// without effect, and keeps that error.
type parser struct {
	text  string
	pos   int
	depth int
	vars  map[string]int64 // nil: integers are plain digits; see ParseWith
	err   *Error
}

// deepest is the deepest nesting that is read; deeper types would work but be of no use.
const deepest = 1000

func (p *parser) fail(at int, format string, args ...any) {
	p.failWith(at, ErrArg, "", brief.Errorf(format, args...))
}

func (p *parser) failWith(at int, class errclass.Class, rule string, err error) {
	if p.err == nil {
		p.err = fault("Parse", class, rule, "")
		p.err.Object = abridge(p.text)
		p.err.Err = &SyntaxError{at + 1, err}
		p.pos = len(p.text)
	}
}

func abridge(s string) string {
	if len(s) > 120 {
		return s[:100] + "..." + s[len(s)-17:]
	}
	return s
}

// takeError makes an error that a constructor stored in t the parser's error.
func (p *parser) takeError(t *Type, at int) {
	if p.err != nil {
		return
	}
	if err, _ := t.Err().(*Error); err != nil {
		cause := err.Err
		if cause == nil {
			cause = err.Class
		}
		p.failWith(at, err.Class, err.Rule, cause)
	}
}

// peek skips spaces and returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

// describeNext returns a text for the input at the present position.
func (p *parser) describeNext() string {
	if p.peek() == 0 {
		return "end"
	}
	return strconv.Quote(p.text[p.pos : p.pos+1])
}

func (p *parser) expect(c byte) {
	if p.peek() != c {
		p.fail(p.pos, "expected %q, found %s", c, p.describeNext())
		return
	}
	p.pos++
}

// word reads letters, digits and underscores.
func (p *parser) word() (w string, at int) {
	p.peek()
	at = p.pos
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			break
		}
		p.pos++
	}
	return p.text[at:p.pos], at
}

func (p *parser) int() int64 {
	if p.vars != nil {
		return p.sum()
	}
	p.peek()
	at := p.pos
	if p.pos < len(p.text) && (p.text[p.pos] == '-' || p.text[p.pos] == '+') {
		p.pos++
	}
	for p.pos < len(p.text) && p.text[p.pos] >= '0' && p.text[p.pos] <= '9' {
		p.pos++
	}
	n, err := strconv.ParseInt(p.text[at:p.pos], 10, 64)
	switch {
	case err == nil:
		return n
	case at < p.pos && strings.Contains(err.Error(), "range"):
		p.failWith(at, ErrArg, "DT-DEF-09", brief.Errorf("number %s does not fit 64 bits", p.text[at:p.pos]))
	default:
		p.pos = at
		p.fail(at, "expected a number, found %s", p.describeNext())
	}
	return 0
}

// next reads an integer and the comma after it.
func (p *parser) next() int64 {
	n := p.int()
	p.expect(',')
	return n
}

// intOr reads an integer, or word, which means value.
func (p *parser) intOr(word string, value int64) int64 {
	if c := p.peek(); c == '-' || c == '+' || (c >= '0' && c <= '9') || p.vars != nil && !strings.HasPrefix(p.text[p.pos:], word) {
		return p.int()
	}
	if w, at := p.word(); w != word {
		p.fail(at, "expected a number or %s, found %s", word, p.foundWord(w))
	}
	return value
}

func (p *parser) foundWord(w string) string {
	if w == "" {
		return p.describeNext()
	}
	return strconv.Quote(w)
}

// list reads items in brackets.
func (p *parser) list(item func()) {
	p.expect('[')
	if p.peek() == ']' {
		p.pos++
		return
	}
	for p.err == nil {
		item()
		if p.peek() != ',' {
			break
		}
		p.pos++
	}
	p.expect(']')
}

// ints reads a list of integers and the comma after it.
func (p *parser) ints() []int64 {
	var v []int64
	p.list(func() { v = append(v, p.int()) })
	p.expect(',')
	return v
}

// same checks that a list has as many entries, n, as the one before, m.
func (p *parser) same(at, n, m int) {
	if p.err == nil && n != m {
		p.fail(at, "lists of %d and %d entries should be equally long", n, m)
	}
}

func (p *parser) order() Order {
	w, at := p.word()
	p.expectWord(w, at, "c", "fortran")
	p.expect(',')
	if w == "fortran" {
		return OrderFortran
	}
	return OrderC
}

func (p *parser) expectWord(w string, at int, words ...string) {
	for _, x := range words {
		if w == x {
			return
		}
	}
	p.fail(at, "expected %s, found %s", strings.Join(words, " or "), p.foundWord(w))
}

// predefined maps words to the types that have one-word names.
var predefined = func() map[string]*Type {
	m := map[string]*Type{"lb": LB, "ub": UB}
	for _, t := range named {
		if t != nil {
			m[t.Kind().String()] = t
		}
	}
	for _, t := range pairs {
		m[t.recipe.(pair).name] = t
	}
	for _, t := range slices.Collect(maps.Values(m)) {
		m[t.name] = t // MPI_DOUBLE and so on
	}
	m["MPI_LONG_LONG"], m["MPI_C_FLOAT_COMPLEX"] = LongLong, FloatComplex
	return m
}()

// typ reads a type. It is never nil, but may hold an error.
func (p *parser) typ() *Type {
	if p.depth++; p.depth > deepest {
		p.fail(p.pos, "types are nested more than %d deep", deepest)
	}
	defer func() { p.depth-- }()
	w, at := p.word()
	if p.err != nil {
		return Byte
	}
	if t := predefined[w]; t != nil {
		return t
	}
	build := constructors[w]
	switch {
	case w == "":
		p.fail(at, "expected a type, found %s", p.describeNext())
	case build == nil:
		p.fail(at, "%q is not a type%s", w, hint(w))
	}
	if p.err != nil {
		return Byte
	}
	p.expect('(')
	t := build(p)
	p.expect(')')
	p.takeError(t, at)
	return t
}

// hint returns advice for names of the C language binding.
func hint(w string) string {
	for name, t := range predefined {
		if strings.EqualFold(name, w) {
			return "; did you mean " + t.String() + "?"
		}
	}
	if predefined[strings.ToLower(w)] != nil || constructors[strings.ToLower(w)] != nil {
		return "; did you mean " + strings.ToLower(w) + "?"
	}
	return ""
}

var constructors map[string]func(*parser) *Type

func init() { // not an initializer, because the functions refer to the map
	constructors = map[string]func(*parser) *Type{
		"contiguous": func(p *parser) *Type { return Contiguous(p.next(), p.typ()) },
		"vector":     func(p *parser) *Type { return Vector(p.next(), p.next(), p.next(), p.typ()) },
		"hvector":    func(p *parser) *Type { return HVector(p.next(), p.next(), p.next(), p.typ()) },
		"indexed":    func(p *parser) *Type { b := p.blocks(); return Indexed(b, p.typ()) },
		"hindexed":   func(p *parser) *Type { b := p.blocks(); return HIndexed(b, p.typ()) },
		"indexed_block": func(p *parser) *Type {
			return IndexedBlock(p.next(), p.ints(), p.typ())
		},
		"hindexed_block": func(p *parser) *Type {
			return HIndexedBlock(p.next(), p.ints(), p.typ())
		},
		"struct":      (*parser).structure,
		"subarray":    (*parser).subarray,
		"darray":      (*parser).darray,
		"dup":         func(p *parser) *Type { return Dup(p.typ()) },
		"resized":     (*parser).resized,
		"value_index": (*parser).valueIndex,
		"f90real":     func(p *parser) *Type { return F90Real(p.precision()) },
		"f90complex":  func(p *parser) *Type { return F90Complex(p.precision()) },
		"f90integer":  func(p *parser) *Type { return F90Integer(p.intOr("undefined", Undefined)) },
	}
}

func (p *parser) blocks() []Block {
	lens := p.ints()
	at := p.pos
	disps := p.ints()
	p.same(at, len(lens), len(disps))
	return zipBlocks(lens, disps)
}

func (p *parser) precision() (prec, rang int64) {
	prec = p.intOr("undefined", Undefined)
	p.expect(',')
	return prec, p.intOr("undefined", Undefined)
}

func (p *parser) resized() *Type {
	t := p.typ()
	p.expect(',')
	return Resized(t, p.next(), p.int())
}

func (p *parser) valueIndex() *Type {
	v := p.typ()
	p.expect(',')
	t := ValueIndex(v, p.typ())
	if t.none() {
		return broken("ValueIndex", ErrArg, "DT-VIDX-01", "no pair type has such a value and index")
	}
	return t
}

func (p *parser) structure() *Type {
	blocks := p.blocks()
	at := p.pos
	var elems []*Type
	p.list(func() { elems = append(elems, p.typ()) })
	p.same(at, len(blocks), len(elems))
	fields := make([]Field, min(len(blocks), len(elems)))
	for i := range fields {
		fields[i] = Field{blocks[i].Len, blocks[i].Disp, elems[i]}
	}
	return Struct(fields...)
}

func (p *parser) subarray() *Type {
	sizes := p.ints()
	at := p.pos
	subs := p.ints()
	p.same(at, len(sizes), len(subs))
	at = p.pos
	starts := p.ints()
	p.same(at, len(sizes), len(starts))
	order := p.order()
	dims := make([]Slab, min(len(sizes), len(subs), len(starts)))
	for i := range dims {
		dims[i] = Slab{sizes[i], subs[i], starts[i]}
	}
	return Subarray(order, dims, p.typ())
}

func (p *parser) darray() *Type {
	g := Grid{Size: p.next(), Rank: p.next()}
	for _, n := range p.ints() {
		g.Dims = append(g.Dims, GridDim{Size: n})
	}
	each := func(set func(d *GridDim)) {
		at, i := p.pos, 0
		p.list(func() {
			var d GridDim
			if i < len(g.Dims) {
				set(&g.Dims[i])
			} else {
				set(&d)
			}
			i++
		})
		p.same(at, len(g.Dims), i)
		p.expect(',')
	}
	each(func(d *GridDim) { d.Dist = p.distribution() })
	each(func(d *GridDim) { d.Arg = p.intOr("dflt", DefaultArg) })
	each(func(d *GridDim) { d.Procs = p.int() })
	g.Order = p.order()
	return Darray(g, p.typ())
}

func (p *parser) distribution() Distribution {
	w, at := p.word()
	p.expectWord(w, at, "block", "cyclic", "none")
	switch w {
	case "cyclic":
		return DistCyclic
	case "none":
		return DistNone
	}
	return DistBlock
}

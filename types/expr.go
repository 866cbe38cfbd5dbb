package types

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/brief"
)

// String returns the type expression of t, which [Parse] reads: for instance "vector(4, 2,
// 8, double)". For a type that holds an error it returns the text of the error.
func (t *Type) String() string { return t.print(false) }

// Brief returns String, cut to some hundred bytes: of long lists it shows the first items
// and the number of items. If something is left out, the text contains "...", and [Parse]
// does not read it.
func (t *Type) Brief() string {
	p := &printer{brief: true}
	p.typ(t)
	return p.b.String()
}

// GoString returns the Go expression that builds t.
func (t *Type) GoString() string { return t.print(true) }

func (t *Type) print(goSource bool) string {
	p := &printer{goSource: goSource}
	p.typ(t)
	return p.b.String()
}

// A printer writes types as expressions, or as Go source.
type printer struct {
	b        strings.Builder
	goSource bool
	brief    bool // long lists are cut, and nothing begins after a certain length
}

func (p *printer) typ(t *Type) {
	switch {
	case p.brief && p.b.Len() > brief.Longest:
		p.b.WriteString(brief.Cut)
	case t.none():
		p.b.WriteString("nil")
	case t.err != nil:
		fmt.Fprintf(&p.b, "error(%v)", t.err)
	default:
		t.recipe.write(p)
	}
}

// call writes the constructor of a recipe with its arguments.
func (p *printer) call(c Combiner, args ...any) {
	if p.goSource {
		p.b.WriteString("types.")
		p.b.WriteString(c.goName())
	} else {
		p.b.WriteString(c.word())
	}
	p.b.WriteByte('(')
	for i, a := range args {
		if i > 0 {
			p.b.WriteString(", ")
		}
		p.arg(a)
	}
	p.b.WriteByte(')')
}

func (p *printer) arg(a any) {
	switch a := a.(type) {
	case *Type:
		p.typ(a)
	case int64:
		p.b.WriteString(strconv.FormatInt(a, 10))
	case []int64:
		p.list(len(a), "[]int64{", func(i int) { p.arg(a[i]) })
	case []string:
		p.list(len(a), "", func(i int) { p.b.WriteString(a[i]) })
	case string:
		p.b.WriteString(a)
	case []Block:
		p.list(len(a), "[]types.Block{", func(i int) { fmt.Fprintf(&p.b, "{%d, %d}", a[i].Len, a[i].Disp) })
	case []*Type:
		p.list(len(a), "", func(i int) { p.typ(a[i]) })
	}
}

func (p *printer) list(n int, open string, item func(i int)) {
	end := "}"
	if !p.goSource {
		open, end = "[", "]"
	}
	p.b.WriteString(open)
	shown := n
	if p.brief && n > 2*brief.Few {
		shown = brief.Few
	}
	for i := range shown {
		if i > 0 {
			p.b.WriteString(", ")
		}
		item(i)
	}
	if shown < n {
		fmt.Fprintf(&p.b, ", %s %d in all", brief.Cut, n)
	}
	p.b.WriteString(end)
}

// goNames holds the Go names of predefined types whose name cannot be derived from the name
// in expressions.
var goNames = map[string]string{
	"schar": "SChar", "uchar": "UChar", "wchar": "WChar", "ushort": "UShort", "uint": "UInt", "ulong": "ULong",
	"longlong": "LongLong", "ulonglong": "ULongLong", "longdouble": "LongDouble",
	"uint8": "UInt8", "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64",
	"offset": "OffsetType", "count": "CountType",
	"floatcomplex": "FloatComplex", "doublecomplex": "DoubleComplex", "longdoublecomplex": "LongDoubleComplex",
	"doubleprecision": "DoublePrecision", "dcomplex": "DComplex",
	"cxxbool": "CXXBool", "cxxfloatcomplex": "CXXFloatComplex", "cxxdoublecomplex": "CXXDoubleComplex",
	"cxxlongdoublecomplex": "CXXLongDoubleComplex",
	"floatint":             "FloatInt", "doubleint": "DoubleInt", "longint": "LongInt", "twoint": "TwoInt",
	"shortint": "ShortInt", "longdoubleint": "LongDoubleInt",
	"tworeal": "TwoReal", "twodoubleprecision": "TwoDoublePrecision", "twointeger": "TwoInteger", "lb": "LB", "ub": "UB",
}

func (p *printer) named(word string) {
	if !p.goSource {
		p.b.WriteString(word)
		return
	}
	g := goNames[word]
	if g == "" {
		g = strings.ToUpper(word[:1]) + word[1:]
	}
	p.b.WriteString("types." + g)
}

func (b basic) write(p *printer) { p.named(b.kind.String()) }

func (x pair) write(p *printer) {
	if x.name != "" {
		p.named(x.name)
		return
	}
	p.call(CombinerValueIndex, named[x.value], named[x.index])
}

func (m marker) write(p *printer) {
	if m.upper {
		p.named("ub")
	} else {
		p.named("lb")
	}
}

func (x f90) write(p *printer) {
	arg := func(v int64) any {
		switch {
		case v != Undefined:
			return v
		case p.goSource:
			return "types.Undefined"
		}
		return "undefined"
	}
	if x.comb == CombinerF90Integer {
		p.call(x.comb, arg(x.r))
		return
	}
	p.call(x.comb, arg(x.p), arg(x.r))
}

func (c contiguous) write(p *printer) { p.call(c.combiner(), c.n, c.elem) }
func (v vector) write(p *printer)     { p.call(v.combiner(), v.count, v.blocklen, v.stride, v.elem) }
func (d dup) write(p *printer)        { p.call(d.combiner(), d.elem) }
func (r resized) write(p *printer) {
	if p.goSource {
		p.call(r.combiner(), r.elem, r.lb, r.extent)
		return
	}
	p.call(r.combiner(), r.elem, r.lb, r.extent)
}

func (x indexed) write(p *printer) {
	switch {
	case x.even:
		p.call(x.combiner(), x.len, x.disps(), x.elem)
	case p.goSource:
		p.call(x.combiner(), x.blocks, x.elem)
	default:
		p.call(x.combiner(), x.lens(), x.disps(), x.elem)
	}
}

func (s structure) write(p *printer) {
	if p.goSource {
		p.b.WriteString("types.Struct(")
		for i, f := range s.fields {
			if i > 0 {
				p.b.WriteString(", ")
			}
			fmt.Fprintf(&p.b, "types.Field{%d, %d, ", f.Count, f.Disp)
			p.typ(f.Type)
			p.b.WriteByte('}')
		}
		p.b.WriteByte(')')
		return
	}
	var lens, disps []int64
	var elems []*Type
	for _, f := range s.fields {
		lens, disps, elems = append(lens, f.Count), append(disps, f.Disp), append(elems, f.Type)
	}
	p.call(CombinerStruct, lens, disps, elems)
}

func (o Order) goName() string {
	if o == OrderFortran {
		return "types.OrderFortran"
	}
	return "types.OrderC"
}

func (a subarray) write(p *printer) {
	if p.goSource {
		fmt.Fprintf(&p.b, "types.Subarray(%s, []types.Slab{", a.order.goName())
		for i, d := range a.dims {
			if i > 0 {
				p.b.WriteString(", ")
			}
			fmt.Fprintf(&p.b, "{%d, %d, %d}", d.Size, d.Sub, d.Start)
		}
		p.b.WriteString("}, ")
		p.typ(a.elem)
		p.b.WriteByte(')')
		return
	}
	var sizes, subs, starts []int64
	for _, d := range a.dims {
		sizes, subs, starts = append(sizes, d.Size), append(subs, d.Sub), append(starts, d.Start)
	}
	p.call(CombinerSubarray, sizes, subs, starts, a.order.String(), a.elem)
}

func (d Distribution) goName() string {
	return [...]string{"types.DistNone", "types.DistBlock", "types.DistCyclic"}[d-DistNone]
}

func (a darray) write(p *printer) {
	g := a.grid
	if p.goSource {
		fmt.Fprintf(&p.b, "types.Darray(types.Grid{Size: %d, Rank: %d, Dims: []types.GridDim{", g.Size, g.Rank)
		for i, d := range g.Dims {
			if i > 0 {
				p.b.WriteString(", ")
			}
			arg := strconv.FormatInt(d.Arg, 10)
			if d.Arg == DefaultArg {
				arg = "types.DefaultArg"
			}
			fmt.Fprintf(&p.b, "{%d, %s, %s, %d}", d.Size, d.Dist.goName(), arg, d.Procs)
		}
		fmt.Fprintf(&p.b, "}, Order: %s}, ", g.Order.goName())
		p.typ(a.elem)
		p.b.WriteByte(')')
		return
	}
	var sizes, procs []int64
	var dists, dargs []string
	for _, d := range g.Dims {
		sizes, procs = append(sizes, d.Size), append(procs, d.Procs)
		dists = append(dists, d.Dist.String())
		if d.Arg == DefaultArg {
			dargs = append(dargs, "dflt")
		} else {
			dargs = append(dargs, strconv.FormatInt(d.Arg, 10))
		}
	}
	p.call(CombinerDarray, g.Size, g.Rank, sizes, dists, dargs, procs, g.Order.String(), a.elem)
}

package types

import "slices"

// A Combiner is the constructor that made a type. The values are those of the
// ABI of MPI-5.0.
type Combiner uint8

// The combiners.
const (
	CombinerNamed Combiner = iota + 101
	CombinerDup
	CombinerContiguous
	CombinerVector
	CombinerHVector
	CombinerIndexed
	CombinerHIndexed
	CombinerIndexedBlock
	CombinerHIndexedBlock
	CombinerStruct
	CombinerSubarray
	CombinerDarray
	CombinerF90Real
	CombinerF90Complex
	CombinerF90Integer
	CombinerResized
	CombinerValueIndex
)

var combiners = [...]struct{ word, goName, mpi string }{
	{"named", "Named", "MPI_COMBINER_NAMED"},
	{"dup", "Dup", "MPI_COMBINER_DUP"},
	{"contiguous", "Contiguous", "MPI_COMBINER_CONTIGUOUS"},
	{"vector", "Vector", "MPI_COMBINER_VECTOR"},
	{"hvector", "HVector", "MPI_COMBINER_HVECTOR"},
	{"indexed", "Indexed", "MPI_COMBINER_INDEXED"},
	{"hindexed", "HIndexed", "MPI_COMBINER_HINDEXED"},
	{"indexed_block", "IndexedBlock", "MPI_COMBINER_INDEXED_BLOCK"},
	{"hindexed_block", "HIndexedBlock", "MPI_COMBINER_HINDEXED_BLOCK"},
	{"struct", "Struct", "MPI_COMBINER_STRUCT"},
	{"subarray", "Subarray", "MPI_COMBINER_SUBARRAY"},
	{"darray", "Darray", "MPI_COMBINER_DARRAY"},
	{"f90real", "F90Real", "MPI_COMBINER_F90_REAL"},
	{"f90complex", "F90Complex", "MPI_COMBINER_F90_COMPLEX"},
	{"f90integer", "F90Integer", "MPI_COMBINER_F90_INTEGER"},
	{"resized", "Resized", "MPI_COMBINER_RESIZED"},
	{"value_index", "ValueIndex", "MPI_COMBINER_VALUE_INDEX"},
}

func (c Combiner) valid() bool { return c >= CombinerNamed && c <= CombinerValueIndex }

// word returns the constructor's name in type expressions.
func (c Combiner) word() string { return combiners[c-CombinerNamed].word }

func (c Combiner) goName() string { return combiners[c-CombinerNamed].goName }

// String returns the name of c in the standard.
func (c Combiner) String() string {
	if !c.valid() {
		return "MPI_COMBINER_?"
	}
	return combiners[c-CombinerNamed].mpi
}

// An Envelope says which constructor made a type and how many arguments of each kind it
// had.
type Envelope struct {
	Combiner                       Combiner
	Integers, Addresses, Datatypes int
}

// Contents are the arguments of a constructor in the order of the standard's
// call, arrays inline (DT-ENV-02).
type Contents struct {
	Integers, Addresses []int64
	Types               []*Type
}

// Envelope returns which constructor made t. For a type that holds an error it returns that
// of a named type, without contents.
//
// MPI_Type_get_envelope
func (t *Type) Envelope() Envelope {
	if t.none() {
		return Envelope{Combiner: CombinerNamed}
	}
	c := t.recipe.contents()
	return Envelope{t.recipe.combiner(), len(c.Integers), len(c.Addresses), len(c.Types)}
}

// Contents returns the arguments of the constructor that made t. For a named type it
// returns an error of class ErrType (DT-ENV-02).
//
// MPI_Type_get_contents
func (t *Type) Contents() (Contents, error) {
	if err := t.Err(); err != nil {
		return Contents{}, err
	}
	if t.recipe.combiner() == CombinerNamed {
		return Contents{}, fault("Contents", ErrType, "DT-ENV-02", "%s is a named type: it was not constructed", t)
	}
	return t.recipe.contents(), nil
}

// Rebuild calls constructor c with arguments as [Type.Contents] returns them (DT-ENV-03).
// For wrong arguments it returns a type that holds an error.
func Rebuild(c Combiner, args Contents) *Type {
	a := &argReader{args: args}
	t := a.build(c)
	if a.short || len(a.args.Integers)+len(a.args.Addresses)+len(a.args.Types) > 0 {
		return broken("Rebuild", ErrArg, "DT-ENV-01", "the arguments do not fit %s", c)
	}
	return t
}

// An argReader removes arguments from the front of Contents.
type argReader struct {
	args  Contents
	short bool
}

func (a *argReader) int() int64  { return a.one(&a.args.Integers) }
func (a *argReader) addr() int64 { return a.one(&a.args.Addresses) }

func (a *argReader) one(from *[]int64) int64 {
	v := a.some(from, 1)
	if len(v) == 0 {
		return 0
	}
	return v[0]
}

func (a *argReader) ints(n int64) []int64  { return a.some(&a.args.Integers, n) }
func (a *argReader) addrs(n int64) []int64 { return a.some(&a.args.Addresses, n) }

func (a *argReader) some(from *[]int64, n int64) []int64 {
	if n < 0 || n > int64(len(*from)) {
		a.short = true
		return nil
	}
	v := (*from)[:n:n]
	*from = (*from)[n:]
	return v
}

func (a *argReader) typ() *Type {
	if len(a.args.Types) == 0 {
		a.short = true
		return nil
	}
	t := a.args.Types[0]
	a.args.Types = a.args.Types[1:]
	return t
}

func (a *argReader) build(c Combiner) *Type {
	switch c {
	case CombinerDup:
		return Dup(a.typ())
	case CombinerContiguous:
		return Contiguous(a.int(), a.typ())
	case CombinerVector:
		return Vector(a.int(), a.int(), a.int(), a.typ())
	case CombinerHVector:
		return HVector(a.int(), a.int(), a.addr(), a.typ())
	case CombinerIndexed:
		n := a.int()
		lens := a.ints(n)
		return Indexed(zipBlocks(lens, a.ints(n)), a.typ())
	case CombinerHIndexed:
		n := a.int()
		lens := a.ints(n)
		return HIndexed(zipBlocks(lens, a.addrs(n)), a.typ())
	case CombinerIndexedBlock:
		n := a.int()
		return IndexedBlock(a.int(), a.ints(n), a.typ())
	case CombinerHIndexedBlock:
		n := a.int()
		return HIndexedBlock(a.int(), a.addrs(n), a.typ())
	case CombinerResized:
		return Resized(a.typ(), a.addr(), a.addr())
	case CombinerF90Real:
		return F90Real(a.int(), a.int())
	case CombinerF90Complex:
		return F90Complex(a.int(), a.int())
	case CombinerF90Integer:
		return F90Integer(a.int())
	}
	return a.buildCompound(c)
}

func (a *argReader) buildCompound(c Combiner) *Type {
	switch c {
	case CombinerStruct:
		n := a.int()
		blocks := zipBlocks(a.ints(n), a.addrs(n))
		fields := make([]Field, len(blocks))
		for i, b := range blocks {
			fields[i] = Field{b.Len, b.Disp, a.typ()}
		}
		return Struct(fields...)
	case CombinerSubarray:
		n := a.int()
		sizes, subs, starts := a.ints(n), a.ints(n), a.ints(n)
		order := Order(a.int())
		if a.short {
			return nil
		}
		dims := make([]Slab, n)
		for i := range dims {
			dims[i] = Slab{sizes[i], subs[i], starts[i]}
		}
		return Subarray(order, dims, a.typ())
	case CombinerDarray:
		g := Grid{Size: a.int(), Rank: a.int()}
		n := a.int()
		sizes, dists, dargs, procs := a.ints(n), a.ints(n), a.ints(n), a.ints(n)
		g.Order = Order(a.int())
		if a.short {
			return nil
		}
		g.Dims = make([]GridDim, n)
		for i := range g.Dims {
			g.Dims[i] = GridDim{sizes[i], Distribution(dists[i]), dargs[i], procs[i]}
		}
		return Darray(g, a.typ())
	case CombinerValueIndex:
		return ValueIndex(a.typ(), a.typ())
	}
	a.short = true
	return nil
}

func zipBlocks(lens, disps []int64) []Block {
	blocks := make([]Block, min(len(lens), len(disps)))
	for i := range blocks {
		blocks[i] = Block{lens[i], disps[i]}
	}
	return blocks
}

// Equal reports whether t and o were made by the same calls (DT-EQ-01); names do not
// matter. A type that holds an error equals only itself.
func (t *Type) Equal(o *Type) bool {
	return equalTypes(t, o, map[[2]*Type]bool{})
}

func equalTypes(t, o *Type, seen map[[2]*Type]bool) bool {
	switch {
	case t == o:
		return true
	case t.none() || o.none() || t.err != nil || o.err != nil:
		return false
	case t.recipe.combiner() != o.recipe.combiner():
		return false
	case t.recipe.combiner() == CombinerNamed:
		return t.recipe == o.recipe
	case seen[[2]*Type{t, o}]:
		return true // being compared, or found equal, elsewhere
	}
	seen[[2]*Type{t, o}] = true
	a, b := t.recipe.contents(), o.recipe.contents()
	return slices.Equal(a.Integers, b.Integers) && slices.Equal(a.Addresses, b.Addresses) &&
		slices.EqualFunc(a.Types, b.Types, func(x, y *Type) bool { return equalTypes(x, y, seen) })
}

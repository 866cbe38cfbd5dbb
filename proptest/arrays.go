package proptest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A Variable is an array of a [Pattern] or of a data set, of any number of dimensions. In a
// pattern, Elem is an integer or a float, or nil for Double; the dimensions have at most Most
// elements; and if the first one grows, Write is called several times, each time with more
// records.
type Variable = gen.Variable

// A Slab is one rank's part of a [Variable]: in each dimension Count elements from Start
// on, Stride apart. Ranks may have none.
type Slab struct {
	Variable
	Shape                []int64 // of the whole array at its present size, as far as the rank knows
	Start, Count, Stride []int64

	// Mem has the elements of the rank, as in its memory, the last dimension fastest. Write
	// has to write them and Read has to fill them.
	Mem []byte
}

// Items returns the number of elements of the rank.
func (s *Slab) Items() int64 {
	n := int64(1)
	for _, c := range s.Count {
		n *= c
	}
	return n
}

// Buffer returns Mem with its type.
func (s *Slab) Buffer() types.Buffer { return types.Raw(s.Mem, s.Items(), s.Elem) }

// each calls do for each element of the rank, with its number in the whole array.
func (s *Slab) each(do func(i int64)) {
	if s.Items() == 0 {
		return
	}
	at := make([]int64, len(s.Count))
	for {
		i := int64(0)
		for d := range at {
			i = i*s.Shape[d] + s.Start[d] + at[d]*s.Stride[d]
		}
		do(i)
		d := len(at) - 1
		for ; d >= 0; d-- {
			if at[d]++; at[d] < s.Count[d] {
				break
			}
			at[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// Indices returns the numbers of the rank's elements in the whole array, its last dimension
// fastest, in the order of Mem.
func (s *Slab) Indices() (all []int64) {
	s.each(func(i int64) { all = append(all, i) })
	return all
}

// A Grid says how the arrays of a pattern are distributed over ranks.
type Grid struct {
	Dim    int  // of the dimensions that an array has, this one is divided; the rest is whole
	Second bool // the next dimension is divided too, where the number of ranks allows it
	Cyclic bool // in the last divided dimension, elements go to ranks in turn, with a stride; otherwise in blocks
}

// String returns the name of the distribution.
func (g Grid) String() string {
	s := fmt.Sprintf("dimension %d", g.Dim)
	if g.Second {
		s += " and the next"
	}
	if g.Cyclic {
		return s + " with a stride"
	}
	return s + " in blocks"
}

func grids() *rapid.Generator[Grid] {
	return rapid.Custom(func(t *rapid.T) Grid {
		return Grid{
			Dim: rapid.IntRange(0, 2).Draw(t, "dimension"), Second: rapid.Bool().Draw(t, "second"), Cyclic: rapid.Bool().Draw(t, "stride"),
		}
	})
}

// slab returns a rank's part of records [lo, hi) of an array that grows, or of a whole
// array.
func (g Grid) slab(v Variable, shape []int64, lo, hi int64, rank, ranks int) *Slab {
	s := &Slab{Variable: v, Shape: shape}
	for d, n := range shape {
		from := int64(0)
		if d == 0 {
			from, n = lo, hi-lo
		}
		s.Start, s.Count, s.Stride = append(s.Start, from), append(s.Count, n), append(s.Stride, 1)
	}
	if len(shape) == 0 { // a single element: it belongs to rank 0
		if rank > 0 {
			s.Start, s.Count, s.Stride, s.Shape = []int64{0}, []int64{0}, []int64{1}, []int64{1}
		}
		return s
	}
	d := g.Dim % len(shape)
	if g.Second && ranks%2 == 0 && len(shape) > 1 {
		next := (d + 1) % len(shape)
		s.cut(d, rank%2, 2, false)
		s.cut(next, rank/2, ranks/2, g.Cyclic)
		return s
	}
	s.cut(d, rank, ranks, g.Cyclic)
	return s
}

// cut reduces dimension d of the slab to the rank's part.
func (s *Slab) cut(d, rank, ranks int, cyclic bool) {
	n := s.Count[d]
	if cyclic {
		s.Start[d] += int64(rank)
		s.Stride[d] = int64(ranks)
		s.Count[d] = max(0, (n-int64(rank)+int64(ranks)-1)/int64(ranks))
	} else {
		lo, hi := n*int64(rank)/int64(ranks), n*int64(rank+1)/int64(ranks)
		s.Start[d] += lo
		s.Count[d] = hi - lo
	}
	if s.Count[d] == 0 {
		s.Start[d] = min(s.Start[d], max(0, s.Shape[d]-1))
	}
}

// drawArrays draws the values of a combination that concern arrays.
func (c *Combination) drawArrays(t *rapid.T, p Pattern) {
	c.WriteGrid, c.ReadGrid = grids().Draw(t, "write grid"), grids().Draw(t, "read grid")
	c.Collective = rapid.Bool().Draw(t, "collective")
	c.Steps = []int64{0}
	grows := false
	for _, v := range p.Arrays {
		shape := make([]int64, len(v.Most))
		for d, most := range v.Most {
			shape[d] = rapid.Int64Range(min(1, most), most).Draw(t, "elements")
		}
		c.Shapes = append(c.Shapes, shape)
		grows = grows || v.Grows
	}
	if !grows {
		return
	}
	records := int64(0)
	for i, v := range p.Arrays { // all grow by the same number of records
		if v.Grows && records == 0 {
			records = c.Shapes[i][0]
		}
		if v.Grows {
			c.Shapes[i][0] = records
		}
	}
	for at := int64(0); at < records; {
		at += rapid.Int64Range(1, max(1, records)).Draw(t, "records at a time")
		c.Steps = append(c.Steps, min(at, records))
	}
}

// arrays returns the text of a combination's values for arrays.
func (c *Combination) arrays() string {
	how := "independent"
	if c.Collective {
		how = "collective"
	}
	s := fmt.Sprintf("arrays %v, %s", c.Shapes, how)
	if len(c.Steps) > 2 {
		s += fmt.Sprintf(", records in steps to %v", c.Steps[1:])
	}
	return s
}

// slabs returns a rank's parts of all arrays for one call of Write; step -1 means
// the whole arrays.
func (run *combined) slabs(g Grid, step, rank, ranks int, arch *reps.Arch, fill bool) []*Slab {
	var all []*Slab
	for i, v := range run.p.Arrays {
		if v.Elem == nil {
			v.Elem = types.Double
		}
		shape := append([]int64(nil), run.c.Shapes[i]...)
		lo, hi := int64(0), int64(1)
		if len(shape) > 0 {
			hi = shape[0]
		}
		switch {
		case step < 0:
		case v.Grows && len(run.c.Steps) > 1:
			lo, hi = run.c.Steps[step], run.c.Steps[step+1]
			shape[0] = hi
		case step > 0:
			hi = 0
		}
		s := g.slab(v, shape, lo, hi, rank, ranks)
		if len(shape) == 0 && step > 0 {
			s.Start, s.Count, s.Stride, s.Shape = []int64{0}, []int64{0}, []int64{1}, []int64{1}
		}
		s.Mem = s.values(arch)
		if !fill {
			for i := range s.Mem {
				s.Mem[i] = 0xee
			}
		}
		all = append(all, s)
	}
	return all
}

// values returns the elements of a slab in the memory of an architecture.
func (s *Slab) values(a *reps.Arch) []byte {
	put, size := valuesOf(s.Elem), sizeIn(s.Elem, a)
	var mem []byte
	s.each(func(i int64) {
		one := make([]byte, size)
		put(one, i+1)
		mem = append(mem, one...)
	})
	return mem
}

// checkSlabs compares the elements that a rank read with those it should have read.
func (run *combined) checkSlabs(part *Part) error {
	a := run.arch(part.Comm.Rank())
	for _, s := range part.Arrays {
		size := sizeIn(s.Elem, a)
		err := firstDifference(s.values(a), s.Mem, 0, func(at int64) string {
			return fmt.Sprintf("%s: element %d of %d of rank %d (start %v, count %v, stride %v)", s.Name, at/size, s.Items(), part.Comm.Rank(), s.Start, s.Count, s.Stride)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// steps returns the number of times that a body runs.
func (run *combined) steps(write bool) int {
	if !write {
		return 1
	}
	return max(1, len(run.c.Steps)-1)
}

// used returns the parts of a combination that a pattern has asked for.
func (c *Combination) used(opened bool) string {
	var b strings.Builder
	if opened {
		fmt.Fprintf(&b, ", strategy %v", c.Strategy)
		if len(c.Hints) > 0 {
			fmt.Fprintf(&b, ", hints %v", c.Hints)
		}
	}
	return b.String()
}

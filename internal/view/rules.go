package view

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/types"
)

// Rules selects the rules that a view has to obey in addition to those for all views.
type Rules struct {
	Match    bool // the filetype consists of the etype's items; not required of etype BYTE
	Disjoint bool // no type shows a byte twice: for writing
	Dense    bool // no holes: for streams
}

// A Violation is a rule that a view breaks.
type Violation struct {
	Rule string
	text string
	find func() *Place
}

// Error describes the violation, without the rule.
func (o *Violation) Error() string { return o.text }

// Place returns the bytes that break the rule; nil if there are none, or none were found
// among the first items.
func (o *Violation) Place() *Place {
	if o.find == nil {
		return nil
	}
	return o.find()
}

func violation(rule string, find func() *Place, format string, args ...any) *Violation {
	return &Violation{rule, brief.Sprintf(format, args...), find}
}

// Check returns the first rule that the view breaks, nil if it obeys all, and sets v.Each.
// v is etype and filetype laid out.
func (v *Layout) Check(etype, filetype *types.Type, r Rules) *Violation {
	c := check{v, etype, filetype}
	for _, rule := range [...]struct {
		applies bool
		broken  func(*check) *Violation
	}{
		{true, (*check).sizes},
		{r.Match, (*check).signatures},
		{true, (*check).monotone},
		{true, (*check).holes},
		{r.Disjoint, (*check).disjoint},
		{r.Dense, (*check).dense},
	} {
		if rule.applies {
			if o := rule.broken(&c); o != nil {
				return o
			}
		}
	}
	return nil
}

// A check is a view with its types, which violations name.
type check struct {
	*Layout
	etype, filetype *types.Type
}

// sizes checks that a filetype contains a whole number of etypes.
func (c *check) sizes() *Violation {
	unit, size := c.Unit.Size, c.Tiles.L.Size
	if unit == 0 {
		return violation("IO-VIEW-04", nil, "etype %v holds no data, so nothing can be counted in it", c.etype)
	}
	if at, differ := c.filetype.Signature().Difference(c.etype.Signature()); size%unit != 0 && differ && at == 0 {
		return c.signatures() // another type, not only another number of them
	}
	if size%unit != 0 {
		return violation("IO-VIEW-06", c.unlike, "filetype %v has %d bytes of data, not a multiple of the %d of etype %v",
			c.filetype, size, unit, c.etype)
	}
	c.Each = size / unit
	return nil
}

// signatures checks that a filetype is made of copies of its etype.
func (c *check) signatures() *Violation {
	if _, ok := c.filetype.Signature().Repeats(c.etype.Signature()); !ok {
		etype := fmt.Sprint(c.etype)
		if s := fmt.Sprint(c.etype.Signature()); s != etype {
			etype += ", " + s
		}
		return violation("IO-VIEW-06", c.unlike, "filetype %v has signature %v, which is not a whole number of copies of etype %s",
			c.filetype, c.filetype.Signature(), etype)
	}
	return nil
}

// monotone checks that neither type has decreasing or negative displacements.
func (c *check) monotone() *Violation {
	for _, t := range []struct {
		what, rule string
		t          *types.Type
		l          *types.Layout
	}{{"etype", "IO-VIEW-04", c.etype, c.Unit}, {"filetype", "IO-VIEW-05", c.filetype, c.Tiles.L}} {
		if !t.l.Monotone() {
			find := func() *Place { return c.backward(t.what, t.t, t.l) }
			return violation(t.rule, find, "%s %v: %s", t.what, t.t, backwards(t.l))
		}
	}
	if l := c.Tiles.L; l.Size > 0 && l.Extent < 0 {
		return violation("IO-VIEW-05", c.misplaced, "filetype %v has extent %d: its copies would run backwards", c.filetype, l.Extent)
	}
	return nil
}

// backwards returns, as text, the place at which a layout that is not monotone jumps
// backwards or below 0.
func backwards(l *types.Layout) string {
	first := types.Tiling{L: l}.At(0)
	prev, off, ok := l.FirstBackward()
	switch {
	case first < 0:
		return fmt.Sprintf("displacement %d is negative", first)
	case ok && off < 0:
		return fmt.Sprintf("displacement %d is negative", off)
	case ok:
		return fmt.Sprintf("byte %d comes after byte %d; displacements must not decrease", off, prev)
	}
	return "displacements decrease"
}

// disjoint checks that neither type shows a byte twice. Further copies of the filetype may:
// accesses check whether they reach them.
func (c *check) disjoint() *Violation {
	for _, t := range []struct {
		what string
		t    *types.Type
		l    *types.Layout
	}{{"etype", c.etype, c.Unit}, {"filetype", c.filetype, c.Tiles.L}} {
		if t.l.Overlaps() {
			find := func() *Place { return c.twice(t.what, t.t, t.l) }
			return violation("IO-VIEW-08", find, "%s %v shows a byte twice; that is allowed on ReadOnly files only", t.what, t.t)
		}
	}
	return nil
}

// dense checks that the view of a stream has no holes.
func (c *check) dense() *Violation {
	for _, l := range []*types.Layout{c.Unit, c.Tiles.L} {
		if l.Size != l.Extent || l.LB != 0 {
			return violation("IO-SEQ-02", nil, "a Sequential file takes an etype and a filetype without holes; size %d, extent %d",
				l.Size, l.Extent)
		}
	}
	return nil
}

// holes checks that a filetype consists of copies of its etype, with holes between them
// that are whole etypes wide (IO-VIEW-05, IO-VIEW-07).
func (c *check) holes() *Violation {
	unit, l := c.Unit, c.Tiles.L
	if l.Size == 0 {
		return nil
	}
	ext := unit.Extent
	if ext <= 0 {
		return violation("IO-VIEW-07", nil, "etype %v has extent %d; holes of a filetype are measured in it", c.etype, ext)
	}
	first := types.Tiling{L: l}.At(0) - types.Tiling{L: unit}.At(0)
	if !l.CopiesOf(unit) { // it may be legal nevertheless; or the error must name the place
		copies := c.copies
		if unit.Gapless() {
			copies = c.denseCopies
		}
		if o := copies(first); o != nil {
			return o
		}
	}
	if hole := first + unit.LB - l.LB; hole%ext != 0 {
		return c.partialHole("first hole", hole)
	}
	if l.Extent%ext != 0 {
		return c.partialHole("extent", l.Extent)
	}
	return nil
}

// denseCopies does the check of holes for an etype that is one run of bytes.
func (c *check) denseCopies(first int64) *Violation {
	ext := c.Unit.Extent
	for off, n := range (types.Tiling{L: c.Tiles.L}).Runs(0, c.Tiles.L.Size) {
		if n%ext != 0 {
			return c.torn(off)
		}
		if (off-first)%ext != 0 {
			return c.partialHole("displacement", off-first)
		}
	}
	return nil
}

// copies does the check of holes for an etype that has holes itself.
func (c *check) copies(first int64) *Violation {
	unit, size, ext := types.Tiling{L: c.Unit}, c.Unit.Size, c.Unit.Extent
	whole := types.Tiling{L: c.Tiles.L}
	for k := range c.Each {
		at := whole.At(k*size) - unit.At(0)
		if (at-first)%ext != 0 {
			return c.partialHole("displacement", at-first)
		}
		there := types.Tiling{L: c.Unit, Disp: at}
		if !slices.Equal(pairs(whole, k*size, size), pairs(there, 0, size)) {
			return c.torn(at)
		}
	}
	return nil
}

func pairs(w types.Tiling, from, n int64) (out [][2]int64) {
	for off, n := range w.Runs(from, n) {
		out = append(out, [2]int64{off, n})
	}
	return out
}

func (c *check) partialHole(what string, n int64) *Violation {
	return violation("IO-VIEW-07", c.misplaced, "filetype %v: %s %d is not a multiple of the extent %d of etype %v",
		c.filetype, what, n, c.Unit.Extent, c.etype)
}

func (c *check) torn(off int64) *Violation {
	return violation("IO-VIEW-05", c.misplaced, "filetype %v is not made of copies of etype %v: the one at byte %d is torn apart",
		c.filetype, c.etype, off)
}

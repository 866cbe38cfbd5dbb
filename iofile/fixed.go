package iofile

import (
	"fmt"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// The standard scales the displacements of portable etypes and filetypes. All other types
// must have the same typemap and the same bounds on every machine; otherwise each
// implementation may lay them out in a file of its own choice. (REP-DT-06)

// machines are the sizes under which the layouts of types are compared: those of all
// architectures, of this rank, and of the file.
type machines struct {
	sizes  []types.Sizes
	rep    string                    // of the file, whose sizes are the last
	scaled bool                      // portable types inside others are known to have the extents of the file
	moved  map[*types.Type]*variance // results of offsets
}

func machinesOf(v *fileView, own *reps.Arch, scaled bool) *machines {
	m := &machines{rep: v.Rep, scaled: scaled, moved: map[*types.Type]*variance{}}
	for _, a := range reps.Archs() {
		m.sizes = append(m.sizes, a.WithMarkers(own.Markers()))
	}
	m.sizes = append(m.sizes, own, v.rep.Sizes())
	return m
}

// A variance is why the layout of a type differs between machines: a type whose bounds
// differ, or a pair whose index moves.
type variance struct {
	t        *types.Type
	repeated bool   // t is a part of another type, which contains copies of it in a row
	pair     bool   // t is a predefined pair
	places   [2]int // machines that differ
	ends     [2][2]int64
	lb, ub   int64 // bounds that include those of all machines
}

// of returns the reason why the typemap or the bounds of t differ, nil if they do not.
func (m *machines) of(t *types.Type) *variance {
	if v := m.offsets(t); v != nil {
		return v
	}
	return m.bounds(t)
}

// bounds returns a variance if the bounds of t differ.
func (m *machines) bounds(t *types.Type) *variance {
	return m.compare(t, func(_ types.Sizes, l *types.Layout) [2]int64 { return [2]int64{l.LB, l.UB} })
}

// compare returns a variance if ends differs between machines.
func (m *machines) compare(t *types.Type, ends func(types.Sizes, *types.Layout) [2]int64) (v *variance) {
	var first [2]int64
	all, from := variance{t: t}, -1
	for i, s := range m.sizes {
		l, err := t.Layout(s)
		if err != nil {
			continue // it is too large there, and SetView refuses it
		}
		e := ends(s, l)
		if from < 0 {
			from, first, all.lb, all.ub = i, e, e[0], e[1]
		}
		all.lb, all.ub = min(all.lb, e[0]), max(all.ub, e[1])
		if v == nil && e != first {
			v = &all
			v.places, v.ends = [2]int{from, i}, [2][2]int64{first, e}
		}
	}
	return v
}

// offsets returns a variance if the displacements of t's items differ.
func (m *machines) offsets(t *types.Type) *variance {
	v, known := m.moved[t]
	if !known {
		v = m.findOffsets(t)
		m.moved[t] = v
	}
	return v
}

func (m *machines) findOffsets(t *types.Type) *variance {
	switch n := t.Signature().Len(); {
	case n == 0, m.scaled && t.Portable():
		return nil
	case t.Predefined() && n > 1:
		return m.pair(t)
	case t.Predefined():
		return nil
	}
	c, err := t.Contents()
	if err != nil {
		return nil
	}
	for i, kid := range c.Types {
		used, repeated := m.uses(t, c, i)
		if !used || kid.Signature().Len() == 0 {
			continue
		}
		if v := m.offsets(kid); v != nil {
			return v
		}
		if v := m.extent(kid); repeated && v != nil {
			v.repeated = true
			return v
		}
	}
	return nil
}

// extent returns a variance if the extent of t differs.
func (m *machines) extent(t *types.Type) *variance {
	if m.scaled && t.Portable() {
		return nil
	}
	if m.compare(t, func(_ types.Sizes, l *types.Layout) [2]int64 { return [2]int64{0, l.Extent} }) == nil {
		return nil
	}
	return m.bounds(t)
}

// pair returns a variance if the index of a predefined pair moves.
func (m *machines) pair(t *types.Type) *variance {
	v := m.compare(t, func(s types.Sizes, l *types.Layout) [2]int64 {
		return [2]int64{0, types.Tiling{L: l}.At(s.Sizeof(t.Signature().At(0)))}
	})
	if v != nil {
		v.pair = true
	}
	return v
}

// uses reports whether t, made with arguments c, contains items of its old type number i,
// and whether their displacements depend on the extent of that type.
func (m *machines) uses(t *types.Type, c types.Contents, i int) (used, repeated bool) {
	n := c.Integers
	switch t.Envelope().Combiner {
	case types.CombinerDup, types.CombinerResized:
		return true, false
	case types.CombinerContiguous:
		return n[0] > 0, n[0] > 1
	case types.CombinerVector:
		return true, n[1] > 1 || n[0] > 1 && n[2] != 0
	case types.CombinerHVector:
		return true, n[1] > 1
	case types.CombinerIndexed:
		return true, longBlock(n[1:1+n[0]], n[1+n[0]:])
	case types.CombinerHIndexed:
		return true, longBlock(n[1:1+n[0]], nil)
	case types.CombinerIndexedBlock:
		return true, n[1] > 1 || away(n[2:])
	case types.CombinerHIndexedBlock:
		return true, n[1] > 1
	case types.CombinerStruct:
		return n[1+i] > 0, n[1+i] > 1
	}
	return true, m.elements(t, c.Types[0])
}

// longBlock reports whether a block has several copies, or one of its copies is at a
// displacement in extents.
func longBlock(lens, disps []int64) bool {
	for i, n := range lens {
		if n > 1 || n == 1 && disps != nil && disps[i] != 0 {
			return true
		}
	}
	return false
}

// away reports whether a displacement is not 0.
func away(disps []int64) bool {
	for _, d := range disps {
		if d != 0 {
			return true
		}
	}
	return false
}

// elements reports whether a part of an array contains another element than the first.
func (m *machines) elements(t, elem *types.Type) bool {
	if t.Signature().Len() > elem.Signature().Len() {
		return true
	}
	for _, s := range m.sizes {
		whole, err := t.Layout(s)
		if err != nil {
			continue
		}
		one, err := elem.Layout(s)
		if err == nil && (types.Tiling{L: whole}).At(0) != (types.Tiling{L: one}).At(0) {
			return true
		}
	}
	return false
}

// text says what differs where, and what to do.
func (m *machines) text(v *variance) string {
	a, b := m.name(v.places[0]), m.name(v.places[1])
	if v.pair {
		return fmt.Sprintf("the index of a %v is at byte %d %s, at byte %d %s; place its two members with Struct at fixed displacements, with bounds set by Resized",
			v.t, v.ends[0][1], a, v.ends[1][1], b)
	}
	what := "it takes"
	if v.repeated {
		what = fmt.Sprintf("%v is repeated in it, and takes", v.t)
	}
	return fmt.Sprintf("%s bytes %d to %d %s, %d to %d %s; give it explicit bounds: Resized(t, %d, %d)",
		what, v.ends[0][0], v.ends[0][1], a, v.ends[1][0], v.ends[1][1], b, v.lb, v.ub-v.lb)
}

// name returns machine i with its preposition.
func (m *machines) name(i int) string {
	if a, ok := m.sizes[i].(*reps.Arch); ok {
		return fmt.Sprintf("on %v", a)
	}
	return fmt.Sprintf("under %q", m.rep)
}

// widestPadding is the greatest alignment that machines give any item.
const widestPadding = 16

// luckyExtent returns the extent of an etype that has no explicit upper bound though the
// filetype has, and whether an implementation could pad it to another one. Lower bounds are
// not padded.
func luckyExtent(v *fileView) (int64, bool) {
	_, ub := v.Unit.Markers()
	if flb, fub := v.Tiles.L.Markers(); !flb.Set || !fub.Set || ub.Set || v.Etype.Portable() {
		return 0, false
	}
	return v.Unit.Extent, v.Unit.Extent%widestPadding != 0
}

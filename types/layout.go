package types

import (
	"reflect"
	"sync/atomic"
)

// A Layout is a type laid out under some [Sizes]. It describes one copy; a
// [Tiling] repeats it.
type Layout struct {
	Size           int64 // bytes of data
	LB, UB         int64 // lower and upper bound, with markers and padding
	Extent         int64 // UB - LB
	TrueLB, TrueUB int64 // bounds of the data alone

	order ByteOrdered // the machine, if its byte order is not the host's; else nil
	shape shape
	tile  nest  // the nest that, repeated every pitch bytes, is the tiling of this layout
	pitch int64 // Extent, unless copies join into a longer repetition

	depth int // depth of nested constructor calls

	overlap atomic.Int32 // see Overlaps
	copies  atomic.Int64 // number of copies that share no byte, see OverlapsIn; 0 is unknown
	vetted  atomic.Pointer[vetted]
}

// A cached is a layout in the cache. Failed layouts are kept, too.
type cached struct {
	sizes  Sizes
	layout *Layout
	err    *Error
}

// keep bounds how many layouts a type remembers: a world with more architectures pays in
// time, not in memory.
const keep = 8

// Layout returns the layout of t under s. It computes the layout once: later calls return
// the same one without taking a lock.
func (t *Type) Layout(s Sizes) (*Layout, error) {
	if t != nil && t.err == nil {
		if list := t.layouts.Load(); list != nil {
			for i := range *list {
				if c := &(*list)[i]; c.sizes == s {
					if c.err != nil {
						return nil, c.err
					}
					return c.layout, nil
				}
			}
		}
	}
	return t.layoutSlow(s)
}

func (t *Type) layoutSlow(s Sizes) (*Layout, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fault("Layout", ErrArg, "", "sizes are nil")
	}
	c := cached{sizes: s}
	c.layout, c.err = t.lay(s)
	if reflect.ValueOf(s).Comparable() {
		t.remember(c)
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.layout, nil
}

// remember puts c first in t's list of layouts and drops the oldest beyond keep. The list
// is replaced, never changed, so readers need no lock.
func (t *Type) remember(c cached) {
	for {
		old := t.layouts.Load()
		list := []cached{c}
		if old != nil {
			for _, o := range *old {
				if o.sizes == c.sizes {
					return
				}
			}
			list = append(list, (*old)[:min(len(*old), keep-1)]...)
		}
		if t.layouts.CompareAndSwap(old, &list) {
			return
		}
	}
}

func (t *Type) lay(s Sizes) (*Layout, *Error) {
	l := &layer{sizes: s, weak: MarkersOf(s) == Weak}
	sh := t.recipe.shape(l)
	if l.weak && !setsBounds(t.recipe) {
		sh.harden()
	}
	lay := &Layout{Size: sh.size, TrueLB: sh.data.lo, TrueUB: sh.data.hi, shape: sh, order: foreign(s)}
	lay.LB, lay.UB = l.bounds(&sh)
	lay.Extent = l.sub(lay.UB, lay.LB)
	l.sub(lay.TrueUB, lay.TrueLB)
	if l.fail != nil {
		return nil, l.fail
	}
	if l.over {
		return nil, fault(t.recipe.combiner().goName(), ErrArg, "DT-DEF-09",
			"a size or bound of the datatype does not fit 64 bits")
	}
	lay.tile, lay.pitch = tileOf(sh.nest, lay.Extent)
	lay.depth = l.depth + 1
	return lay, nil
}

// setsBounds reports whether a type made by r has bounds of its own, not those of its data
// and of its parts, or is the same as its part.
func setsBounds(r recipe) bool {
	switch r.combiner() {
	case CombinerDup, CombinerResized, CombinerSubarray, CombinerDarray:
		return true
	}
	return false
}

// tileOf returns the smallest piece, and its distance, whose repetition equals the
// repetition of b every extent bytes: a view then has one level less to visit.
func tileOf(b nest, extent int64) (nest, int64) {
	for b.nd != nil && b.nd.op == opRep && b.nd.n*b.nd.stride == extent {
		b.nd, extent = b.nd.kid, b.nd.stride
	}
	return b, extent
}

// of returns the shape of t, one level below the type that is being laid out.
func (l *layer) of(t *Type) shape {
	lay, err := t.Layout(l.sizes)
	if err != nil {
		l.fail, _ = err.(*Error)
		l.over = true
		return shape{}
	}
	l.depth = max(l.depth, lay.depth)
	return lay.shape
}

// Size returns the number of data bytes of t under s, 0 if t holds an error.
//
// MPI_Type_size
func (t *Type) Size(s Sizes) int64 {
	if lay, err := t.Layout(s); err == nil {
		return lay.Size
	}
	return 0
}

// Extent returns t's lower bound and extent under s, 0 if t holds an error.
//
// MPI_Type_get_extent
func (t *Type) Extent(s Sizes) (lb, extent int64) {
	if lay, err := t.Layout(s); err == nil {
		return lay.LB, lay.Extent
	}
	return 0, 0
}

// TrueExtent returns where t's data begin and how far they extend under s, without markers
// and padding; 0 if t holds an error.
//
// MPI_Type_get_true_extent
func (t *Type) TrueExtent(s Sizes) (lb, extent int64) {
	if lay, err := t.Layout(s); err == nil {
		return lay.TrueLB, lay.TrueUB - lay.TrueLB
	}
	return 0, 0
}

// Items returns the number of basic items of one copy.
func (l *Layout) Items() int64 { return l.shape.items }

// Monotone reports whether the displacements of the typemap never decrease and
// none is negative.
func (l *Layout) Monotone() bool {
	return l.Size == 0 || (l.shape.rising && l.shape.first >= 0)
}

// Dense reports whether the data of one copy are one run of bytes.
func (l *Layout) Dense() bool { return l.Size == 0 || l.shape.nest.nd.op == opRun }

// Gapless reports whether the data of copies in a row are one run of bytes.
func (l *Layout) Gapless() bool { return l.Extent == l.Size && l.Dense() }

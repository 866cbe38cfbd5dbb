package view

import (
	"fmt"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/types"
)

// A Place is the bytes, of one of a view's types, that break a rule.
type Place struct {
	What   string // "etype" or "filetype"
	Lo, Hi int64  // the bytes, from the type's own origin on
	Text   string // the item there
	Items  []Item // those up to it
}

// An Item is an item of a typemap with its offset.
type Item struct {
	Off, Len int64
	Kind     types.Kind
}

// mostItems bounds the search for a place.
const mostItems = 1 << 16

// items walks n items of t, tiled, until yield returns false.
func (c *check) items(t *types.Type, l *types.Layout, n int64, yield func(i int64, p Item) bool) {
	if l.Size == 0 {
		return
	}
	next, i := types.Tiling{L: l}.Cursor(0), int64(0)
	for kind, count := range t.Signature().Items(0, min(n, mostItems)) {
		for size := c.Sizes.Sizeof(kind); count > 0; count-- {
			off, _ := next.Next(size)
			if !yield(i, Item{off, size, kind}) {
				return
			}
			i++
		}
	}
}

// Overlap finds the first item of the filetype that shares a byte with an earlier one, in
// one copy or in the next ones; nil if there is none among the first items.
func (v *Layout) Overlap(filetype *types.Type) *Place {
	return (&check{v, nil, filetype}).twice("filetype", filetype, v.Tiles.L)
}

// backward finds the first item below 0 or below the item before it.
func (c *check) backward(what string, t *types.Type, l *types.Layout) (o *Place) {
	var seen []Item
	c.items(t, l, l.Items(), func(i int64, p Item) bool {
		seen = append(seen, p)
		switch {
		case p.Off < 0:
			o = &Place{Text: fmt.Sprintf("item %d, %s, is at byte %d, below 0", i, p.Kind, p.Off)}
		case i > 0 && p.Off < seen[i-1].Off:
			o = &Place{Text: fmt.Sprintf("item %d, %s, at byte %d goes back behind item %d at byte %d", i, p.Kind, p.Off, i-1, seen[i-1].Off)}
		}
		if o != nil {
			o.What, o.Lo, o.Hi, o.Items = what, p.Off, p.Off+p.Len, seen
		}
		return o == nil
	})
	return o
}

// twice finds the first item that shares a byte with an earlier one, in one copy or in
// the next ones.
func (c *check) twice(what string, t *types.Type, l *types.Layout) (o *Place) {
	owner := map[int64]int64{} // item by byte
	var seen []Item
	c.items(t, l, mostItems, func(i int64, p Item) bool {
		seen = append(seen, p)
		for b := p.Off; b < p.Off+p.Len && o == nil; b++ {
			if first, ok := owner[b]; ok {
				o = &Place{What: what, Lo: b, Hi: p.Off + p.Len, Items: seen}
				o.Hi = min(o.Hi, seen[first].Off+seen[first].Len)
				o.Text = fmt.Sprintf("byte %d is in item %d and in %s", b, first, itemName(i, l.Items()))
			}
			owner[b] = i
		}
		return o == nil
	})
	return o
}

// itemName returns the name of an item of a tiling.
func itemName(i, each int64) string {
	if i < each {
		return fmt.Sprintf("item %d", i)
	}
	return fmt.Sprintf("item %d of copy %d", i%each, i/each)
}

// unlike finds the first item of the filetype that differs from the etype's.
func (c *check) unlike() *Place {
	unit, whole := c.etype.Signature(), c.filetype.Signature()
	if unit.Len() == 0 {
		return nil
	}
	first, ok := whole.Difference(unit.Repeat(whole.Len()/unit.Len() + 1))
	if !ok || first >= whole.Len() || first >= mostItems {
		return nil
	}
	o := &Place{What: "filetype"}
	c.items(c.filetype, c.Tiles.L, first+1, func(_ int64, p Item) bool {
		o.Items, o.Lo, o.Hi = append(o.Items, p), p.Off, p.Off+p.Len
		o.Text = fmt.Sprintf("item %d is %s, where the etype has %s", first, p.Kind, unit.At(first%unit.Len()))
		return true
	})
	return o
}

// misplaced finds the first etype whose items are not together, or whose distance from
// the first is not a multiple of the etype's extent, or the hole at the end that is no
// multiple of it.
func (c *check) misplaced() (o *Place) {
	unit, ext, l := c.etype.Signature().Len(), c.Unit.Extent, c.Tiles.L
	if unit == 0 || ext <= 0 {
		return nil
	}
	var shape, seen []Item
	c.items(c.etype, c.Unit, unit, func(_ int64, p Item) bool {
		shape = append(shape, p)
		return true
	})
	c.items(c.filetype, l, l.Items(), func(i int64, p Item) bool {
		seen = append(seen, p)
		at, head := i%unit, seen[i/unit*unit]
		if at >= int64(len(shape)) {
			return false
		}
		switch away := p.Off - seen[0].Off; {
		case at == 0 && away%ext != 0:
			o = &Place{Text: fmt.Sprintf("etype %d begins %d bytes behind the first, no multiple of the extent %d", i/unit, away, ext)}
		case p.Off-head.Off != shape[at].Off-shape[0].Off:
			o = &Place{Text: fmt.Sprintf("etype %d is torn apart: item %d is %d bytes behind its first, in the etype %d", i/unit, i, p.Off-head.Off, shape[at].Off-shape[0].Off)}
		}
		if o != nil {
			o.What, o.Lo, o.Hi, o.Items = "filetype", p.Off, p.Off+p.Len, seen
		}
		return o == nil
	})
	if o != nil || len(seen) == 0 {
		return o
	}
	o = &Place{What: "filetype", Items: seen}
	if first := seen[0].Off - shape[0].Off + c.Unit.LB; (first-l.LB)%ext != 0 {
		o.Lo, o.Hi = l.LB, first
		o.Text = fmt.Sprintf("the hole before the data has %s, no multiple of the extent %d", plain.Count(first-l.LB, "byte"), ext)
		return o
	}
	o.Lo, o.Hi = min(l.TrueUB, l.UB), max(l.TrueUB, l.UB)
	o.Text = fmt.Sprintf("a copy ends at byte %d: its extent %d is not a multiple of the extent %d of the etype", l.UB, l.Extent, ext)
	return o
}

package views

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/internal/picture"
	"github.com/commworld/commworld/internal/plain"
	"github.com/commworld/commworld/types"
)

// An offence is the place where a view breaks a rule: bytes of one of its types.
type offence struct {
	what   string // "etype" or "filetype"
	lo, hi int64  // the bytes, from the type's own origin on
	text   string // the item at the place
	items  []placed
}

// A placed is an item of a typemap with its offset.
type placed struct {
	off, n int64
	kind   types.Kind
}

// mostItems bounds the search for the place; if a rule is broken after that many items,
// the report has no place.
const mostItems = 1 << 16

// offence finds the place where a view breaks rule; nil if the rule is not about a place
// in a type. said is the error text of package iofile.
func (v *rankView) offence(rule, said string) (o *offence) {
	switch rule {
	case "IO-VIEW-04":
		o = v.backward("etype", v.etype, v.unit)
	case "IO-VIEW-05":
		if o = v.backward("filetype", v.filetype, v.tiles.L); o == nil {
			o = v.misplaced()
		}
	case "IO-VIEW-06":
		o = v.unlike()
	case "IO-VIEW-07":
		o = v.misplaced()
	case "IO-VIEW-08":
		if strings.Contains(said, "etype "+v.etype.String()+" shows") {
			o = v.twice("etype", v.etype, v.unit)
		} else {
			o = v.twice("filetype", v.filetype, v.tiles.L)
		}
	}
	return o
}

// mostDrawn bounds the items of a drawing: those before the place, and the place itself.
const mostDrawn = 40

// strip returns the items up to the one that breaks the rule, one per row.
func (o *offence) strip(title string) *picture.Strip {
	s := &picture.Strip{Title: title}
	first := max(0, len(o.items)-mostDrawn)
	for i, p := range o.items[first:] {
		row := picture.StripRow{Name: fmt.Sprintf("%s, item %d", o.what, first+i), Lane: -1}
		part := picture.Part{Lo: p.off, Hi: p.off + p.n, Values: []picture.Value{{Rank: 0, Text: p.kind.String()}}}
		row.Parts = append(row.Parts, part)
		if p.off < o.hi && o.lo < p.off+p.n && first+i == len(o.items)-1 {
			row.Parts[0].Bad, row.Note = true, o.text
		}
		s.Rows = append(s.Rows, row)
	}
	if n := len(s.Rows); n > 0 && !s.Rows[n-1].Parts[0].Bad { // a hole, or bytes after the last item
		s.Rows = append(s.Rows, picture.StripRow{Name: o.what, Lane: -1, Note: o.text, Parts: []picture.Part{
			{Lo: o.lo, Hi: max(o.hi, o.lo+1), Values: []picture.Value{{Rank: picture.End, Text: ""}}, Bad: true},
		}})
	}
	return s
}

// itemsOf walks n items of t, tiled, until yield returns false.
func (v *rankView) itemsOf(t *types.Type, l *types.Layout, n int64, yield func(i int64, p placed) bool) {
	if l.Size == 0 {
		return
	}
	c, i := types.Tiling{L: l}.Cursor(0), int64(0)
	for kind, count := range t.Signature().Items(0, min(n, mostItems)) {
		for size := v.sizes.Sizeof(kind); count > 0; count-- {
			off, _ := c.Next(size)
			if !yield(i, placed{off, size, kind}) {
				return
			}
			i++
		}
	}
}

// backward finds the first item below 0 or below the item before it.
func (v *rankView) backward(what string, t *types.Type, l *types.Layout) (o *offence) {
	var seen []placed
	v.itemsOf(t, l, l.Items(), func(i int64, p placed) bool {
		seen = append(seen, p)
		switch {
		case p.off < 0:
			o = &offence{text: fmt.Sprintf("item %d, %s, is at byte %d, below 0", i, p.kind, p.off)}
		case i > 0 && p.off < seen[i-1].off:
			o = &offence{text: fmt.Sprintf("item %d, %s, at byte %d goes back behind item %d at byte %d", i, p.kind, p.off, i-1, seen[i-1].off)}
		}
		if o != nil {
			o.what, o.lo, o.hi, o.items = what, p.off, p.off+p.n, seen
		}
		return o == nil
	})
	return o
}

// twice finds the first item that shares a byte with an earlier one, in one copy or in
// the next ones.
func (v *rankView) twice(what string, t *types.Type, l *types.Layout) (o *offence) {
	owner := map[int64]int64{} // item by byte
	var seen []placed
	v.itemsOf(t, l, mostItems, func(i int64, p placed) bool {
		seen = append(seen, p)
		for b := p.off; b < p.off+p.n && o == nil; b++ {
			if first, ok := owner[b]; ok {
				o = &offence{what: what, lo: b, hi: p.off + p.n, items: seen}
				o.hi = min(o.hi, seen[first].off+seen[first].n)
				o.text = fmt.Sprintf("byte %d is in item %d and in %s", b, first, itemName(i, l.Items()))
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
func (v *rankView) unlike() *offence {
	unit, whole := v.etype.Signature(), v.filetype.Signature()
	if unit.Len() == 0 {
		return nil
	}
	first, ok := whole.Difference(unit.Repeat(whole.Len()/unit.Len() + 1))
	if !ok || first >= whole.Len() || first >= mostItems {
		return nil
	}
	o := &offence{what: "filetype"}
	v.itemsOf(v.filetype, v.tiles.L, first+1, func(_ int64, p placed) bool {
		o.items, o.lo, o.hi = append(o.items, p), p.off, p.off+p.n
		o.text = fmt.Sprintf("item %d is %s, where the etype has %s", first, p.kind, unit.At(first%unit.Len()))
		return true
	})
	return o
}

// misplaced finds the first etype whose items are not together, or whose distance from
// the first is no multiple of the etype's extent, or the hole at the end that is no
// multiple of it.
func (v *rankView) misplaced() (o *offence) {
	unit, ext, l := v.etype.Signature().Len(), v.unit.Extent, v.tiles.L
	if unit == 0 || ext <= 0 {
		return nil
	}
	var shape, seen []placed
	v.itemsOf(v.etype, v.unit, unit, func(_ int64, p placed) bool {
		shape = append(shape, p)
		return true
	})
	v.itemsOf(v.filetype, l, l.Items(), func(i int64, p placed) bool {
		seen = append(seen, p)
		at, head := i%unit, seen[i/unit*unit]
		if at >= int64(len(shape)) {
			return false
		}
		switch away := p.off - seen[0].off; {
		case at == 0 && away%ext != 0:
			o = &offence{text: fmt.Sprintf("etype %d begins %d bytes behind the first, no multiple of the extent %d", i/unit, away, ext)}
		case p.off-head.off != shape[at].off-shape[0].off:
			o = &offence{text: fmt.Sprintf("etype %d is torn apart: item %d is %d bytes behind its first, in the etype %d", i/unit, i, p.off-head.off, shape[at].off-shape[0].off)}
		}
		if o != nil {
			o.what, o.lo, o.hi, o.items = "filetype", p.off, p.off+p.n, seen
		}
		return o == nil
	})
	if o != nil || len(seen) == 0 {
		return o
	}
	o = &offence{what: "filetype", items: seen}
	if first := seen[0].off - shape[0].off + v.unit.LB; (first-l.LB)%ext != 0 {
		o.lo, o.hi = l.LB, first
		o.text = fmt.Sprintf("the hole before the data has %s, no multiple of the extent %d", plain.Count(first-l.LB, "byte"), ext)
		return o
	}
	o.lo, o.hi = min(l.TrueUB, l.UB), max(l.TrueUB, l.UB)
	o.text = fmt.Sprintf("a copy ends at byte %d: its extent %d is no multiple of the extent %d of the etype", l.UB, l.Extent, ext)
	return o
}

// String draws the place below its description.
func (o *offence) String() string {
	const width = 64
	origin := o.lo - 24
	if o.lo < width-16 && o.lo >= 0 {
		origin = 0
	}
	origin -= (origin%8 + 8) % 8
	text := blank(width)
	for i, p := range o.items {
		for b, c := range []byte(numberedCell(int64(i), p.n, '-')) {
			x := p.off + int64(b) - origin
			switch {
			case x < 0 || x >= width:
			case text[x] == ' ':
				text[x] = c
			default:
				text[x] = double
			}
		}
	}
	mark := blank(width)
	for x := range int64(width) {
		if at := origin + x; at >= o.lo && at < o.hi {
			mark[x] = '^'
		}
	}
	var b strings.Builder
	numbers, ticks := rulerText(origin, width, 1, 68)
	for _, l := range [][2]string{{"byte", numbers}, {"", ticks}, {o.what, string(text)}, {"", string(mark)}} {
		fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("  %-10s%s", l[0], l[1]), " "))
	}
	fmt.Fprintf(&b, "  %s\n", o.text)
	return b.String()
}

package views

import (
	"fmt"

	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/types"
)

// Most items of a copy, and copies of a type, that are drawn.
const (
	mostDrawnItems  = 200
	mostDrawnCopies = 16
)

// A Laid is a type laid out under named sizes.
type Laid struct {
	Name  string // empty if it is the only one
	Sizes types.Sizes
	Type  *types.Type
	*types.Layout
}

// DrawCopies draws copies of a type under each of its sizes: a row for the extents, and
// one for the items of each copy.
func DrawCopies(all []Laid, n int64) *picture.Drawing {
	s := &picture.Strip{Title: plain.Shorten(all[0].Type.String())}
	for _, l := range all {
		name := ""
		if len(all) > 1 {
			name = l.Name + ", "
		}
		copies := min(n, mostDrawnCopies)
		extents := picture.StripRow{Name: name + "extent", Lane: -1, Note: fmt.Sprintf("size %d, extent %d from %d", l.Size, l.Extent, l.LB)}
		var rows []picture.StripRow
		for k := range copies {
			d, ok := l.Moved(k)
			if !ok {
				break
			}
			if l.Extent > 0 {
				extents.Parts = append(extents.Parts, picture.Part{Lo: l.LB + d, Hi: l.UB + d, Values: []picture.Value{{Rank: picture.End, Text: fmt.Sprint("copy ", k)}}})
			}
			rows = append(rows, l.items(fmt.Sprintf("%scopy %d", name, k), d, int(k)))
		}
		if n > copies {
			extents.Note += fmt.Sprintf("; the first %d copies", copies)
		}
		s.Rows = append(append(s.Rows, extents), rows...)
	}
	return s.Draw()
}

// Moved returns the displacement of copy k in bytes, and whether all of the copy can be
// addressed.
func (l Laid) Moved(k int64) (d int64, ok bool) {
	d = k * l.Extent
	if k != 0 && d/k != l.Extent {
		return 0, false
	}
	for _, at := range []int64{l.LB, l.UB, l.TrueLB, l.TrueUB} {
		if d != 0 && (at+d > at) != (d > 0) {
			return 0, false
		}
	}
	return d, true
}

// An item is one item of a type in memory.
type item struct {
	kind   types.Kind
	lo, hi int64
}

// first returns the first n items.
func (l Laid) first(n int) (all []item) {
	if l.Size == 0 {
		return nil
	}
	at := types.Tiling{L: l.Layout}.Cursor(0)
	for kind, count := range l.Type.Signature().Items(0, min(int64(n), l.Items())) {
		for size := l.Sizes.Sizeof(kind); count > 0; count-- {
			off, _ := at.Next(size)
			all = append(all, item{kind, off, off + size})
		}
	}
	return all
}

// items returns a row with the items of the copy that begins at d.
func (l Laid) items(name string, d int64, colour int) picture.StripRow {
	row := picture.StripRow{Name: name, Lane: colour}
	if l.Size == 0 {
		row.Note = "no data"
		return row
	}
	for i, x := range l.first(mostDrawnItems) {
		row.Parts = append(row.Parts, picture.Part{Lo: x.lo + d, Hi: x.hi + d, Values: []picture.Value{{Rank: colour, Text: x.kind.String(), Tip: fmt.Sprint("item ", i)}}})
	}
	if l.Items() > mostDrawnItems {
		row.Note = fmt.Sprintf("the first %d of %d items", mostDrawnItems, l.Items())
	}
	return row
}

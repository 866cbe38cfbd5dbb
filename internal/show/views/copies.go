package views

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

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

// MostArrayRows bounds the rows in a drawing of an array in memory.
const MostArrayRows = 64

// memoryCell is the size of an item of such an array, in pixels.
const memoryCell = 26.0

// DrawArray draws one copy of a type as an array in memory with rows of width items:
// items that move have the colour of rank and their number in the data; the rest is pale.
// It returns false if the items do not lie in such rows.
func (l Laid) DrawArray(width int64, rank int) (*picture.Drawing, bool) {
	items := l.first(svgColumns * MostArrayRows)
	if width < 1 || width > svgColumns || len(items) == 0 || l.LB != 0 || l.TrueLB < 0 {
		return nil, false
	}
	size := items[0].hi - items[0].lo
	high := max((max(l.UB, l.TrueUB)/size+width-1)/width, 1)
	if high > MostArrayRows {
		return nil, false
	}
	order := map[int64]int{}
	for i, x := range items {
		if x.lo%size != 0 || x.hi-x.lo != size {
			return nil, false
		}
		order[x.lo/size] = i
	}
	var body, words strings.Builder
	title := fmt.Sprintf("Memory of rank %d: %d rows of %d %v", rank, high, width, items[0].kind)
	d := &drawing{out: bufio.NewWriter(&body), y: 22}
	d.text(12, d.y, "h", "%s", title)
	d.y += 14
	const left = 64.0
	for y := range high {
		d.text(12, d.y+memoryCell/2+4, "s", "row %d", y)
		fmt.Fprintf(&words, "row %d:", y)
		for x := range width {
			at := left + float64(x)*memoryCell
			n := y*width + x
			if n*size >= max(l.UB, l.TrueUB) {
				break
			}
			i, moves := order[n]
			if !moves {
				d.box(at, d.y, memoryCell-1, memoryCell-1, void, fmt.Sprintf("byte %d: does not move", n*size))
				words.WriteString(" -")
				continue
			}
			d.box(at, d.y, memoryCell-1, memoryCell-1, picture.TintOf(rank).Web, fmt.Sprintf("byte %d: item %d", n*size, i))
			label := strconv.Itoa(i)
			d.text(at+memoryCell/2-3.4*float64(len(label)), d.y+memoryCell/2+4, "d", "%s", label)
			fmt.Fprintf(&words, " %d", i)
		}
		words.WriteByte('\n')
		d.y += memoryCell
	}
	d.y += 18
	moved := fmt.Sprintf("Coloured: the %s that move, numbered in the order of the data. Pale: memory that is neither read nor written.", plain.Count(l.Items(), "item"))
	for _, line := range plain.Lines(moved, 60) {
		d.text(12, d.y, "s", "%s", line)
		d.y += 16
	}
	d.out.Flush()
	wide := max(left+float64(width)*memoryCell, 440) + 12
	return picture.Raw(title, title+"\n"+words.String(), body.String(), wide, d.y), true
}

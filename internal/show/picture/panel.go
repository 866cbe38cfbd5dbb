package picture

import (
	"fmt"
	"slices"
	"strings"
)

// A Panel shows a file, or the memory and the files of one rank, as grids of items.
type Panel struct {
	Title string
	Lane  int // the rank whose colour the panel has; -1: none
	Grids []Grid
}

// A Grid is items in rows.
type Grid struct {
	Name  string
	Notes []string // lines below the name
	Cols  int      // items of a row; 0: as many as fit
	Cells []GridCell
	More  string // what is not drawn, if anything
}

// A GridCell is one item.
type GridCell struct {
	Lo, Hi  int64   // bytes
	Values  []Value // its possible contents: several are drawn as bands; none: nothing is known of it
	Private bool    // written, but not published
	Out     bool    // outside of the rank's view
	Views   []int   // the ranks whose views contain it, of a file
}

// Measures of a panel in pixels.
const (
	panelWide = 208.0 // the most, but for arrays
	panelThin = 132.0
	cellLeast = 19.0
	cellMost  = 92.0
	gridHigh  = 24.0
	stripe    = 5.0
)

// Draw draws the panel with a framed grid in the colour of its rank.
func (p *Panel) Draw() *Drawing {
	c := &canvas{}
	fill := `rx="3" class="bar"`
	class := ""
	if p.Lane >= 0 {
		fill, class = fmt.Sprintf(`rx="3" fill="%s"`, TintOf(p.Lane).Web), "d"
	}
	wide := p.wide()
	c.rect(4, 4, wide-8, 22, fill, "")
	c.text(12, 19, class+" h", p.Title)
	y := 34.0
	for i := range p.Grids {
		y = p.Grids[i].draw(c, p.Lane, y)
	}
	c.grow(wide-12, y)
	return c.done(p.Title, p.Description())
}

// wide returns the width that the contents need.
func (p *Panel) wide() float64 {
	wide := panelThin
	for i := range p.Grids {
		g := &p.Grids[i]
		wide = max(wide, textWidth(g.Name)+16)
		for _, n := range append(g.Notes, g.More) {
			wide = max(wide, textWidth(n)*11/12+16)
		}
		if len(g.Cells) > 0 {
			left := g.left()
			cell, cols := g.width(panelWide - left - 4)
			wide = max(wide, left+cell*float64(min(cols, len(g.Cells)))+12)
		}
	}
	return min(wide, panelWide)
}

// left returns the place of the first cell of a row, behind the byte's number.
func (g *Grid) left() float64 { return 8 + textWidth(fmt.Sprint(g.Cells[len(g.Cells)-1].Lo)) + 4 }

// width returns the width of a cell and the number of cells of a row.
func (g *Grid) width(room float64) (wide float64, cols int) {
	wide = cellLeast
	for _, x := range g.Cells {
		for _, v := range x.Values {
			wide = max(wide, textWidth(v.Text)+11)
		}
	}
	wide = min(wide, cellMost)
	if cols = g.Cols; cols > 0 {
		return wide, cols
	}
	for cols = 1; float64(2*cols)*wide <= room; cols *= 2 {
	}
	return wide, cols
}

func (g *Grid) draw(c *canvas, lane int, y float64) float64 {
	c.text(8, y+10, "h", g.Name)
	y += 15
	for _, n := range g.Notes {
		c.text(8, y+10, "s", n)
		y += 14
	}
	if len(g.Cells) == 0 {
		c.text(8, y+10, "s", "nothing")
		return y + 20
	}
	left := g.left()
	wide, cols := g.width(panelWide - left - 4)
	for row := range slices.Chunk(g.Cells, cols) {
		bands, stripes := 1, false
		for _, x := range row {
			bands, stripes = max(bands, len(x.Values)), stripes || len(x.Views) > 0
		}
		high := max(gridHigh, 16*float64(bands)+6)
		if stripes {
			high += stripe
		}
		c.text(8, y+high/2+4, "s", fmt.Sprint(row[0].Lo))
		for i := range row {
			row[i].draw(c, lane, left+float64(i)*wide, y, wide, high)
		}
		y += high + 2
	}
	if g.More != "" {
		c.text(8, y+11, "s", g.More)
		y += 16
	}
	return y + 8
}

func (x *GridCell) draw(c *canvas, lane int, at, y, wide, high float64) {
	part := Part{Lo: x.Lo, Hi: x.Hi}
	switch {
	case x.Out:
		c.rect(at, y, wide, high, `class="void" stroke="var(--line)" stroke-dasharray="1 3"`, fmt.Sprintf("bytes %d to %d: not in the view", x.Lo, x.Hi-1))
		return
	case lane >= 0:
		c.rect(at, y, wide, high, fmt.Sprintf(`fill="%s"`, TintOf(lane).Web), "")
	}
	inner, room := 0.0, high
	if lane >= 0 {
		inner, room = 3, high-6
	}
	if n := len(x.Views); n > 0 {
		room -= stripe
		for i, r := range x.Views {
			each := wide / float64(n)
			c.rect(at+each*float64(i), y+high-stripe, each, stripe, fmt.Sprintf(`fill="%s"`, TintOf(r).Web), fmt.Sprintf("in the view of rank %d", r))
		}
	}
	if len(x.Values) == 0 {
		c.rect(at+inner, y+inner, wide-2*inner, room, `class="void" stroke="var(--line)"`, "")
	}
	each := room / float64(max(1, len(x.Values)))
	for i, v := range x.Values {
		v.draw(c, at+inner, y+inner+each*float64(i), wide-2*inner, each, part)
	}
	if x.Private {
		c.printf("<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"none\" stroke=\"#111\" stroke-width=\"2\" stroke-dasharray=\"4 2\"/>\n",
			num(at+2), num(y+2), num(wide-4), num(high-4))
	}
}

// Description returns the panel as text, one grid per line.
func (p *Panel) Description() string {
	var b strings.Builder
	for _, g := range p.Grids {
		fmt.Fprintf(&b, "%s, %s", p.Title, g.Name)
		if len(g.Notes) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.ReplaceAll(strings.Join(g.Notes, "; "), ",;", ","))
		}
		b.WriteString(":")
		for i := range g.Cells {
			b.WriteString(g.Cells[i].words())
		}
		if g.More != "" {
			b.WriteString(" " + g.More)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// words returns the cell as text, empty if it is outside of the view.
func (x *GridCell) words() string {
	if x.Out || len(x.Values) == 0 {
		return ""
	}
	var values []string
	for _, v := range x.Values {
		text := v.Text
		if v.Tip != "" {
			text += " (" + v.Tip + ")"
		}
		values = append(values, text)
	}
	text := fmt.Sprintf(" byte %d: %s", x.Lo, strings.Join(values, " or "))
	if x.Private {
		text += ", not published"
	}
	for _, r := range x.Views {
		text += fmt.Sprintf(", in the view of rank %d", r)
	}
	return text + ";"
}

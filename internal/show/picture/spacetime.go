package picture

import (
	"fmt"
	"slices"
	"strings"
)

// A SpaceTime is a space-time diagram: a lane for each rank, time from top to bottom.
type SpaceTime struct {
	Title  string
	Lanes  []string
	Rows   []Row
	Spans  []Span  // open files
	Arrows []Arrow // messages
	Races  []Race
	Waits  [][2]int // lanes, for a deadlock: the first waits for the second
	Wide   float64  // pixels that three lanes should fit into; 0: lanes are as wide as their texts
}

// A Row is the events at one time.
type Row struct {
	Label string  // such as the line of a script
	Cells []*Cell // by lane; nil: no event
	Bar   Bar
}

// A Bar joins the cells of a row that are one call of several ranks.
type Bar uint8

// The bars of a row.
const (
	NoBar      Bar = iota
	Collective     // the ranks call together; it orders nothing
	Barrier        // calls above the bar happened before calls below
)

// A Cell is one call of one rank.
type Cell struct {
	Text  string
	Class string // "racy", "fails" or empty
	Step  int    // of the run, to which the call belongs
	Clock []int  // by lane: number of calls that happened before it or are it
}

// A Spot is the cell of a row and lane.
type Spot struct{ Row, Lane int }

// An Arrow leads from a send to a receive.
type Arrow struct {
	From, To Spot
	Tip      string
}

// A Race joins two calls.
type Race struct {
	A, B  Spot
	Name  string // short, such as "race 1": it is written on the arc
	Label string // the missing call
}

// Measures in pixels.
const (
	rowHigh   = 30.0
	cellHigh  = 24.0
	laneLeast = 130.0
	laneMost  = 300.0
	laneGap   = 64.0
)

// Draw draws the diagram.
func (d *SpaceTime) Draw() *Drawing {
	c := &canvas{}
	columns, inset := d.columns()
	left := d.labelWidth() + inset
	lane := d.laneWidth(left, inset)
	cell := lane - laneGap
	lane += inset
	x := func(l int) float64 { return left + lane*float64(l) }
	const top = 64.0
	y := func(row int) float64 { return top + rowHigh*float64(row) }
	c.text(12, 22, "h", d.Title)
	bottom := y(len(d.Rows))
	for l, name := range d.Lanes {
		c.rect(x(l)-inset, 36, cell+inset, 20, fmt.Sprintf(`rx="3" fill="%s"`, TintOf(l).Web), "")
		c.text(x(l)-inset+7, 50, "d", name)
		c.printf("<line class=\"lane\" x1=\"%s\" y1=\"58\" x2=\"%[1]s\" y2=\"%s\"/>\n", num(x(l)+cell/2), num(bottom))
		c.grow(x(l)+cell, bottom)
	}
	for i, r := range d.Rows {
		d.bar(c, r, func(l int) float64 { return x(l) - inset }, y(i), cell+inset)
	}
	for i, s := range d.Spans {
		s.draw(c, d.text(&s), x(s.Lane)-inset+float64(columns[i])*(spanWide+spanGap), y, len(d.Rows))
	}
	for i, r := range d.Rows {
		c.text(12, y(i)+16, "s", r.Label)
		for l, one := range r.Cells {
			if one != nil {
				one.draw(c, l, x(l), y(i), cell)
			}
		}
	}
	for _, a := range d.Arrows {
		d.arrow(c, a, x, y, cell)
	}
	for _, r := range d.Races {
		d.race(c, r, x, y, cell)
	}
	c.high = max(c.high, bottom)
	d.waits(c)
	d.legend(c)
	for _, r := range d.Races {
		c.text(12, c.high+16, "bad", r.String(d.Lanes))
	}
	return c.done(d.Title, d.Description())
}

func (d *SpaceTime) labelWidth() float64 {
	n := 0.0
	for _, r := range d.Rows {
		n = max(n, textWidth(r.Label))
	}
	return 12 + n + 14
}

func (d *SpaceTime) laneWidth(left, inset float64) float64 {
	n, most := laneLeast, laneMost+laneGap
	if d.Wide > 0 {
		most = (d.Wide-left-12)/float64(min(3, len(d.Lanes))) - inset
	}
	for _, r := range d.Rows {
		for _, one := range r.Cells {
			if one != nil {
				n = max(n, textWidth(one.Text)+16+laneGap)
			}
		}
	}
	return max(laneLeast, min(n, most))
}

// bar draws the bar that joins the cells of a row.
func (d *SpaceTime) bar(c *canvas, r Row, x func(int) float64, y, cell float64) {
	first := slices.IndexFunc(r.Cells, func(one *Cell) bool { return one != nil })
	last := len(r.Cells) - 1
	for last >= 0 && r.Cells[last] == nil {
		last--
	}
	switch {
	case r.Bar == NoBar || first < 0 || first == last:
	case r.Bar == Barrier:
		c.rect(x(first)-7, y-4, x(last)+cell-x(first)+14, cellHigh+8, `class="barrier" rx="4"`, "a barrier: calls above it happened before calls below it")
	default:
		c.rect(x(first)-7, y+3, x(last)+cell-x(first)+14, cellHigh-6, `class="bar" rx="4"`, "one collective call; it does not order its ranks")
	}
}

func (one *Cell) draw(c *canvas, lane int, x, y, width float64) {
	class := "cell"
	if one.Class != "" {
		class += " " + one.Class
	}
	clock := strings.Trim(strings.ReplaceAll(fmt.Sprint(one.Clock), " ", ","), "[]")
	c.printf("<g class=\"%s\" data-step=\"%d\" data-lane=\"%d\" data-clock=\"%s\"><title>%s</title>\n", class, one.Step, lane, clock, Escape(one.Text))
	c.rect(x, y, width, cellHigh, `rx="3"`, "")
	bad := ""
	if one.Class != "" {
		bad = "bad"
	}
	c.text(x+7, y+16, bad, clip(one.Text, width-12))
	c.printf("</g>\n")
}

// arrow draws a message from the edge of one cell to the edge of the other.
func (d *SpaceTime) arrow(c *canvas, a Arrow, x func(int) float64, y func(int) float64, cell float64) {
	from, to := x(a.From.Lane)+cell, x(a.To.Lane)
	bend := 26.0
	switch {
	case a.From.Lane > a.To.Lane:
		from, to, bend = x(a.From.Lane), x(a.To.Lane)+cell, -26
	case a.From.Lane == a.To.Lane:
		from, to = x(a.From.Lane)+cell, x(a.To.Lane)+cell
		y0, y1 := y(a.From.Row)+cellHigh/2, y(a.To.Row)+cellHigh/2
		c.printf("<path class=\"arrow\" marker-end=\"url(#cw-head)\" d=\"M%s %sC%s %s %s %s %s %s\"><title>%s</title></path>\n",
			num(from), num(y0), num(from+26), num(y0), num(to+26), num(y1), num(to), num(y1), Escape(a.Tip))
		return
	}
	y0, y1 := y(a.From.Row)+cellHigh/2, y(a.To.Row)+cellHigh/2
	c.printf("<path class=\"arrow\" marker-end=\"url(#cw-head)\" d=\"M%s %sC%s %s %s %s %s %s\"><title>%s</title></path>\n",
		num(from), num(y0), num(from+bend), num(y0), num(to-bend), num(y1), num(to), num(y1), Escape(a.Tip))
}

// race draws an arc between two calls, with its label in the middle.
func (d *SpaceTime) race(c *canvas, r Race, x func(int) float64, y func(int) float64, cell float64) {
	a, b := r.A, r.B
	if a.Lane > b.Lane {
		a, b = b, a
	}
	x0, y0, x1, y1 := x(a.Lane)+cell, y(a.Row)+cellHigh/2, x(b.Lane), y(b.Row)+cellHigh/2
	bend := 30.0
	if a.Lane == b.Lane {
		x1 = x0
		c.printf("<path class=\"race\" d=\"M%s %sC%s %s %s %s %s %s\"><title>%s</title></path>\n",
			num(x0), num(y0), num(x0+bend), num(y0), num(x1+bend), num(y1), num(x1), num(y1), Escape(r.String(d.Lanes)))
	} else {
		c.printf("<path class=\"race\" marker-start=\"url(#cw-race)\" marker-end=\"url(#cw-race)\" d=\"M%s %sC%s %s %s %s %s %s\"><title>%s</title></path>\n",
			num(x0), num(y0), num(x0+bend), num(y0), num(x1-bend), num(y1), num(x1), num(y1), Escape(r.String(d.Lanes)))
	}
	mid := (y0+y1)/2 + 4
	if a.Row == b.Row {
		mid = y0 - 6
	}
	c.text(max(4, (x0+x1)/2-textWidth(r.Name)/2), mid, "note", r.Name)
}

// String returns the race as text.
func (r Race) String(lanes []string) string {
	return fmt.Sprintf("%s: %s and %s: %s", r.Name, lanes[r.A.Lane], lanes[r.B.Lane], r.Label)
}

// waits draws, below the lanes, which rank waits for which.
func (d *SpaceTime) waits(c *canvas) {
	if len(d.Waits) == 0 {
		return
	}
	y := c.high + 16
	c.text(12, y+4, "bad h", "who waits for whom")
	y += 16
	const left, wide, high = 12.0, 90.0, 20.0
	right := left + wide + textWidth("waits for") + 50
	box := func(x, y float64, l int) {
		c.rect(x, y, wide, high, fmt.Sprintf(`rx="10" fill="%s"`, TintOf(l).Web), "")
		c.text(x+wide/2-textWidth(d.Lanes[l])/2, y+14, "d", d.Lanes[l])
	}
	for _, w := range d.Waits {
		box(left, y, w[0])
		c.printf("<path class=\"race solid\" marker-end=\"url(#cw-race)\" d=\"M%s %sL%s %s\"/>\n", num(left+wide+4), num(y+high/2), num(right-4), num(y+high/2))
		c.rect(left+wide+16, y+2, textWidth("waits for")+8, high-4, `class="page"`, "")
		c.text(left+wide+20, y+14, "bad", "waits for")
		box(right, y, w[1])
		y += high + 8
	}
	c.grow(right+wide, y)
}

// legend explains the signs that the diagram uses.
func (d *SpaceTime) legend(c *canvas) {
	x, y := 12.0, c.high+14
	item := func(draw func(x, y float64), text string) {
		if x > 12 && x+40+textWidth(text) > max(c.wide, 420) {
			x, y = 12, y+20
		}
		draw(x, y)
		c.text(x+32, y+11, "s", text)
		x += 32 + textWidth(text) + 18
	}
	has := func(b Bar) bool { return slices.ContainsFunc(d.Rows, func(r Row) bool { return r.Bar == b }) }
	if has(Barrier) {
		item(func(x, y float64) { c.rect(x, y, 24, 14, `class="barrier" rx="3"`, "") }, "barrier: orders calls above and below")
	}
	if has(Collective) {
		item(func(x, y float64) { c.rect(x, y+2, 24, 10, `class="bar" rx="3"`, "") }, "collective call: orders nothing")
	}
	if len(d.Spans) > 0 {
		item(func(x, y float64) {
			c.rect(x, y+3, 24, spanWide, fmt.Sprintf(`class="span" fill="%s"`, TintOf(d.Spans[0].Lane).Web), "")
			c.rect(x, y+3, 8, spanWide, `class="call"`, "")
		}, "file open; marks: open, sync, close")
	}
	if len(d.Arrows) > 0 {
		item(func(x, y float64) {
			c.printf("<path class=\"arrow\" marker-end=\"url(#cw-head)\" d=\"M%s %sh24\"/>\n", num(x), num(y+7))
		}, "data from one rank to another")
	}
	if len(d.Races) > 0 {
		item(func(x, y float64) { c.printf("<path class=\"race\" d=\"M%s %sh24\"/>\n", num(x), num(y+7)) }, "race")
	}
	c.grow(x, y+16)
}

// Description returns the diagram as text, one sentence per line.
func (d *SpaceTime) Description() string {
	var b strings.Builder
	for _, r := range d.Rows {
		for l, one := range r.Cells {
			if one != nil {
				fmt.Fprintf(&b, "%s, %s: %s.\n", d.Lanes[l], r.Label, one.Text)
			}
		}
		switch r.Bar {
		case Barrier:
			b.WriteString("That is a barrier.\n")
		case Collective:
			b.WriteString("That is one collective call.\n")
		}
	}
	for _, s := range d.Spans {
		fmt.Fprintf(&b, "%s.\n", d.text(&s))
	}
	for _, a := range d.Arrows {
		fmt.Fprintf(&b, "Data go from %s to %s: %s.\n", d.Lanes[a.From.Lane], d.Lanes[a.To.Lane], a.Tip)
	}
	for _, r := range d.Races {
		fmt.Fprintf(&b, "%s.\n", r.String(d.Lanes))
	}
	for _, w := range d.Waits {
		fmt.Fprintf(&b, "%s waits for %s.\n", d.Lanes[w[0]], d.Lanes[w[1]])
	}
	return b.String()
}

// Lack returns a few words about the missing calls of a race.
func Lack(what string) string {
	switch what {
	case "writer-sync":
		return "no sync after the write"
	case "reader-sync":
		return "no sync before the read"
	case "order":
		return "no order"
	}
	return strings.ReplaceAll(what, "-", " ")
}

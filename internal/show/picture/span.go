package picture

import "fmt"

// A Span is the time in which a lane has something open: from one row to another, both
// included.
type Span struct {
	Lane     int
	Name     string // such as "file f, h"
	From, To int    // To is -1 if it was never closed
	Syncs    []int  // rows in between that divide it
}

// Measures of spans in pixels.
const (
	spanWide = 8.0
	spanGap  = 3.0
)

// columns returns the column beside its lane in which each span is drawn, so that no span
// hides another, and the width of all columns.
func (d *SpaceTime) columns() (at []int, inset float64) {
	type column struct{ lane, number int }
	busy := map[column]int{} // up to which row
	most := 0
	for _, s := range d.Spans {
		n := 0
		for ; busy[column{s.Lane, n}] > s.From; n++ {
		}
		busy[column{s.Lane, n}] = s.end(len(d.Rows))
		at, most = append(at, n), max(most, n+1)
	}
	if most > 0 {
		inset = float64(most)*(spanWide+spanGap) + spanGap
	}
	return at, inset
}

// end returns the first row after a span.
func (s *Span) end(rows int) int {
	if s.To < 0 {
		return rows
	}
	return s.To + 1
}

// draw draws a span: pale from its first row to its last, with marks where it is opened, synced
// and closed.
func (s *Span) draw(c *canvas, tip string, x float64, y func(int) float64, rows int) {
	end := s.end(rows) - 1
	open := ""
	if s.To < 0 {
		open = ` stroke-dasharray="3 2"`
	}
	c.rect(x, y(s.From), spanWide, y(end)+cellHigh-y(s.From), fmt.Sprintf(`class="span" fill="%s"%s`, TintOf(s.Lane).Web, open), tip)
	dark := append([]int{s.From}, s.Syncs...)
	if s.To >= 0 && s.To != s.From {
		dark = append(dark, s.To)
	}
	for _, row := range dark {
		c.rect(x, y(row), spanWide, cellHigh, `class="call"`, tip)
	}
}

// text returns a span as text.
func (d *SpaceTime) text(s *Span) string {
	text := fmt.Sprintf("%s has %s open from %s ", d.Lanes[s.Lane], s.Name, d.Rows[s.From].Label)
	if s.To < 0 {
		text += "on"
	} else {
		text += "to " + d.Rows[s.To].Label
	}
	for i, row := range s.Syncs {
		if i == 0 {
			text += ", syncs in "
		} else {
			text += ", "
		}
		text += d.Rows[row].Label
	}
	return text
}

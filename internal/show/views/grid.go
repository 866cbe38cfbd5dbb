package views

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/show/plain"
)

// A gridPlan says how the file is drawn as rows of Width etypes, and how many of them one
// cell represents.
type gridPlan struct {
	from         int64 // first byte
	ext          int64 // bytes of an etype
	cols, rows   int64 // of the array
	across, down int64 // etypes of a cell
	wide, high   int64 // cells that are drawn
	corner       bool  // only the corner of the array is drawn: the whole, reduced, would be grey
}

// array plans the drawing of the array in so many cells and lines: reduced if that still
// shows which rank sees which etypes, or else only its corner.
func (m *ByteMap) array(cells, lines int64) gridPlan {
	g := m.plan(cells, lines)
	if g.across == 1 && g.down == 1 {
		return g
	}
	mixed := int64(0)
	for y := range g.high {
		for x := range g.wide {
			if m.cell(g, x, y) == several {
				mixed++
			}
		}
	}
	if mixed*2 > g.wide*g.high {
		g.across, g.down, g.corner = 1, 1, true
		g.wide, g.high = min(g.cols, cells), min(g.rows, lines/2)
	}
	return g
}

// String describes the plan.
func (g gridPlan) String() string {
	text := fmt.Sprintf("Rows of %s from byte %d on", plain.Count(g.cols, "etype"), g.from)
	switch {
	case g.corner:
		text += fmt.Sprintf("; %s by %s of %d by %d", plain.Count(g.high, "row"), plain.Count(g.wide, "column"), g.rows, g.cols)
	case g.across > 1 || g.down > 1:
		text += fmt.Sprintf("; a cell is %s by %s", plain.Count(g.down, "row"), plain.Count(g.across, "column"))
	}
	return text
}

// plan fits the array into so many cells.
func (m *ByteMap) plan(cells, lines int64) gridPlan {
	g := gridPlan{from: m.win.from, ext: max(1, m.views[0].Unit.Extent), cols: m.Width}
	etypes := (m.win.end-m.win.from-1)/g.ext + 1
	g.cols = min(g.cols, etypes)
	g.rows = (etypes-1)/g.cols + 1
	g.across = (g.cols-1)/cells + 1
	g.down = (g.rows-1)/lines + 1
	g.wide, g.high = (g.cols-1)/g.across+1, (g.rows-1)/g.down+1
	return g
}

// cell returns the rank that sees the etypes of a cell. For a tall cell it looks at only
// a few rows.
func (m *ByteMap) cell(g gridPlan, x, y int64) int {
	const most = 8
	step := max(1, g.down/most)
	who := noRank
	first, behind := x*g.across, min((x+1)*g.across, g.cols)
	for row := y * g.down; row < min((y+1)*g.down, g.rows); row += step {
		lo := g.from + (row*g.cols+first)*g.ext
		hi := min(lo+(behind-first)*g.ext, m.win.end)
		if lo >= m.win.end {
			break
		}
		switch there := m.owner(lo, hi); {
		case there == shared:
			return shared
		case there == noRank || there == who:
		case who == noRank:
			who = there
		default:
			who = several
		}
	}
	return who
}

// grid draws the file as rows of Width etypes.
func (p *sheet) grid() {
	pitch := int64(2) // a cell and a blank are about square
	lines := p.plan(1, gridLines)
	left := max(margin, len("row ")+len(strconv.FormatInt(lines.rows, 10))+1)
	room := int64(p.width - left)
	if lines.cols*pitch > room {
		pitch = 1
	}
	g := p.array(room/pitch, gridLines)
	p.out.WriteByte('\n')
	for _, l := range plain.Lines(g.String()+":", p.width) {
		p.line("%s", l)
	}
	p.out.WriteByte('\n')
	p.columnRuler(g, pitch, left)
	for y := range g.high {
		l := newLane(g.wide * pitch)
		for x := range g.wide {
			if g.from+(y*g.down*g.cols+x*g.across)*g.ext >= p.win.end {
				break
			}
			who := p.cell(g, x, y)
			l.put(x*pitch, sign(who), who)
			if pitch > 1 {
				l.who[x*pitch+1] = who
			}
		}
		p.line("%-*s%s", left, "row "+strconv.FormatInt(y*g.down, 10), p.painted(l))
	}
}

// columnRuler numbers the columns of the grid.
func (p *sheet) columnRuler(g gridPlan, pitch int64, left int) {
	every := 8 / pitch
	for every*pitch < int64(len(strconv.FormatInt(g.cols, 10)))+2 {
		every *= 2
	}
	var numbers, ticks strings.Builder
	for x := int64(0); x < g.wide; x += every {
		fmt.Fprintf(&numbers, "%-*d", int(every*pitch), x*g.across)
		fmt.Fprintf(&ticks, "%-*s", int(every*pitch), "'")
	}
	p.line("%-*s%s", left, "column", numbers.String())
	p.line("%-*s%s", left, "", ticks.String())
}

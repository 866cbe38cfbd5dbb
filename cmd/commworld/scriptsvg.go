package main

import (
	"fmt"
	"html"
	"io"

	"github.com/commworld/commworld/script"
)

// Measures of the diagram, in pixels.
const (
	laneWidth = 260
	rowHeight = 26
	lineEdge  = 56 // room for the numbers of lines
	headRoom  = 40
)

// drawRun draws a run as an SVG: a lane for each rank, time from top to bottom,
// races in red and joined by a line.
func drawRun(w io.Writer, rep *script.Report) {
	rows := rowsOf(rep)
	width, height := lineEdge+laneWidth*rep.Script.Ranks, headRoom+rowHeight*(len(rows)+1)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" font-family="ui-monospace,monospace" font-size="12">`+"\n", width, height)
	fmt.Fprintf(w, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	for r := range rep.Script.Ranks {
		x := lineEdge + laneWidth*r
		fmt.Fprintf(w, `<text x="%d" y="22" font-weight="bold">rank %d</text>`+"\n", x+10, r)
		fmt.Fprintf(w, `<line x1="%d" y1="32" x2="%[1]d" y2="%d" stroke="#bbb"/>`+"\n", x, height-8)
	}
	ends := map[int][][2]int{} // of races: ranks and heights of their sides
	for i, row := range rows {
		y := headRoom + rowHeight*i
		fmt.Fprintf(w, `<text x="8" y="%d" fill="#777">%d</text>`+"\n", y+17, row.line)
		for r := range rep.Script.Ranks {
			c := row.cells[r]
			if c == nil {
				continue
			}
			x := lineEdge + laneWidth*r
			text, loud := row.cell(r)
			fill, ink := "#eef3fa", "#123"
			if loud {
				fill, ink = "#fde3e0", "#a00000"
			}
			fmt.Fprintf(w, `<g><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="3" fill="%s"/>`,
				html.EscapeString(text), x-4, y, laneWidth-12, rowHeight-5, fill)
			fmt.Fprintf(w, `<text x="%d" y="%d" fill="%s">%s</text></g>`+"\n", x+4, y+15, ink, html.EscapeString(clip(text, laneWidth/8)))
			for _, n := range c.races {
				ends[n] = append(ends[n], [2]int{r, y + 10})
			}
		}
	}
	for n := range rep.Races {
		if e := ends[n+1]; len(e) > 1 {
			a, b := e[0], e[len(e)-1]
			if a[0] > b[0] {
				a, b = b, a
			}
			from, to := lineEdge+laneWidth*a[0]-4, lineEdge+laneWidth*b[0]-4
			if a[0] < b[0] {
				from += laneWidth - 12 // from edge to edge
			}
			fmt.Fprintf(w, `<path d="M%d %d L%d %d" stroke="#c00000" stroke-width="2" stroke-dasharray="4 3" fill="none"/>`+"\n", from, a[1], to, b[1])
		}
	}
	fmt.Fprintln(w, "</svg>")
}

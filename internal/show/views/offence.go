package views

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/internal/view"
)

// A violation draws the place where a view breaks a rule.
type offence struct{ *view.Place }

// mostDrawn bounds the items of a drawing: those before the place, and the place itself.
const mostDrawn = 40

// strip returns the items up to the one that breaks the rule, one per row.
func (o offence) strip(title string) *picture.Strip {
	s := &picture.Strip{Title: title}
	first := max(0, len(o.Items)-mostDrawn)
	for i, p := range o.Items[first:] {
		row := picture.StripRow{Name: fmt.Sprintf("%s, item %d", o.What, first+i), Lane: -1}
		part := picture.Part{Lo: p.Off, Hi: p.Off + p.Len, Values: []picture.Value{{Rank: 0, Text: p.Kind.String()}}}
		row.Parts = append(row.Parts, part)
		if p.Off < o.Hi && o.Lo < p.Off+p.Len && first+i == len(o.Items)-1 {
			row.Parts[0].Bad, row.Note = true, o.Text
		}
		s.Rows = append(s.Rows, row)
	}
	if n := len(s.Rows); n > 0 && !s.Rows[n-1].Parts[0].Bad { // a hole, or bytes after the last item
		s.Rows = append(s.Rows, picture.StripRow{Name: o.What, Lane: -1, Note: o.Text, Parts: []picture.Part{
			{Lo: o.Lo, Hi: max(o.Hi, o.Lo+1), Values: []picture.Value{{Rank: picture.End, Text: ""}}, Bad: true},
		}})
	}
	return s
}

// String draws the place below its description.
func (o offence) String() string {
	const width = 64
	origin := o.Lo - 24
	if o.Lo < width-16 && o.Lo >= 0 {
		origin = 0
	}
	origin -= (origin%8 + 8) % 8
	text := blank(width)
	for i, p := range o.Items {
		for b, c := range []byte(numberedCell(int64(i), p.Len, '-')) {
			x := p.Off + int64(b) - origin
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
		if at := origin + x; at >= o.Lo && at < o.Hi {
			mark[x] = '^'
		}
	}
	var b strings.Builder
	numbers, ticks := rulerText(origin, width, 1, 68)
	for _, l := range [][2]string{{"byte", numbers}, {"", ticks}, {o.What, string(text)}, {"", string(mark)}} {
		fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("  %-10s%s", l[0], l[1]), " "))
	}
	fmt.Fprintf(&b, "  %s\n", o.Text)
	return b.String()
}

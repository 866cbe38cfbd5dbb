package picture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Strip shows the bytes of a file and, below them, the bytes that each rank sees.
type Strip struct {
	Title string
	Rows  []StripRow
}

// A StripRow is one row of bytes.
type StripRow struct {
	Name  string
	Lane  int    // the rank whose colour the name has; -1: none
	Note  string // to the right of the name
	Parts []Part // by ascending offset, without overlap
}

// A Part is bytes Lo up to, not including, Hi.
type Part struct {
	Lo, Hi  int64
	Values  []Value // their possible contents: several are drawn as bands
	Private bool    // written, but not published
	Bad     bool    // they break a rule
}

// A Value is one possible content of the bytes of a part.
type Value struct {
	Rank int    // that wrote them; one of the constants below
	Text string // the bytes
	Tip  string // where they come from
}

// Ranks of values that no rank wrote.
const (
	Before = -1 - iota // the file held them before the run
	Hole               // no rank wrote them
	End                // the file ends before them
)

// Measures of a strip in pixels.
const (
	byteWide  = 17.0
	partLeast = 36.0
	partMost  = 170.0
	bandHigh  = 20.0
)

// Draw draws the strip. It draws long parts shorter than they are: the ruler has the
// offset of each edge.
func (s *Strip) Draw() *Drawing {
	c := &canvas{}
	c.text(12, 22, "h", s.Title)
	edges, at := s.edges()
	left := 12.0
	for _, r := range s.Rows {
		left = max(left, textWidth(r.Name)+34)
	}
	x := func(off int64) float64 { return left + at[off] }
	y := 40.0
	c.text(12, y+10, "s", "byte")
	free := 0.0
	for _, e := range edges {
		label := fmt.Sprint(e)
		if x(e) >= free {
			c.text(x(e), y+10, "s", label)
			free = x(e) + textWidth(label) + 6
		}
		c.printf("<line class=\"tick\" x1=\"%s\" y1=\"%s\" x2=\"%[1]s\" y2=\"%s\"/>\n", num(x(e)), num(y+13), num(y+18))
	}
	y += 22
	for _, r := range s.Rows {
		y = r.draw(c, x, y)
	}
	s.legend(c, y)
	return c.done(s.Title, s.Description())
}

// edges returns the offsets at which parts begin and end, and their positions in the
// drawing.
func (s *Strip) edges() ([]int64, map[int64]float64) {
	all := map[int64]bool{}
	for _, r := range s.Rows {
		for _, p := range r.Parts {
			all[p.Lo], all[p.Hi] = true, true
		}
	}
	edges := slices.Sorted(maps.Keys(all))
	at, pos := map[int64]float64{}, 0.0
	for i, e := range edges {
		if i > 0 {
			pos += min(max(byteWide*float64(e-edges[i-1]), s.textWide(edges[i-1], e)), partMost)
		}
		at[e] = pos
	}
	return edges, at
}

// textWide returns the width of the texts of the parts that are exactly these bytes.
func (s *Strip) textWide(lo, hi int64) float64 {
	wide := partLeast
	for _, r := range s.Rows {
		for _, p := range r.Parts {
			if p.Lo == lo && p.Hi == hi {
				for _, v := range p.Values {
					wide = max(wide, textWidth(v.Text)+10)
				}
			}
		}
	}
	return wide
}

// draw draws a row and returns the position of the next one.
func (r *StripRow) draw(c *canvas, x func(int64) float64, y float64) float64 {
	bands := 1
	for _, p := range r.Parts {
		bands = max(bands, len(p.Values))
	}
	high := bandHigh
	if bands > 1 {
		high = 15 * float64(bands)
	}
	if r.Lane >= 0 {
		c.rect(12, y+high/2-7, 12, 14, fmt.Sprintf(`rx="2" fill="%s"`, TintOf(r.Lane).Web), "")
	}
	c.text(28, y+high/2+4, "", r.Name)
	right := 0.0
	for _, p := range r.Parts {
		each := high / float64(max(1, len(p.Values)))
		for i, v := range p.Values {
			v.draw(c, x(p.Lo), y+each*float64(i), x(p.Hi)-x(p.Lo), each, p)
		}
		if p.Private {
			c.printf("<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"none\" stroke=\"var(--ink)\" stroke-width=\"2.5\" stroke-dasharray=\"6 2\"/>\n",
				num(x(p.Lo)+1), num(y+1), num(x(p.Hi)-x(p.Lo)-2), num(high-2))
		}
		if p.Bad {
			c.rect(x(p.Lo), y-2, x(p.Hi)-x(p.Lo), high+4, `class="wrong"`, "this breaks the rule")
		}
		right = max(right, x(p.Hi))
	}
	if r.Note != "" {
		c.text(max(right, x0(x))+10, y+high/2+4, "s", r.Note)
	}
	return y + high + 8
}

// x0 returns the position of byte 0 in the drawing, also for a strip without parts.
func x0(x func(int64) float64) float64 { return x(0) }

func (v Value) draw(c *canvas, x, y, w, h float64, p Part) {
	fill, class := "", ""
	switch {
	case v.Rank >= 0:
		fill, class = fmt.Sprintf(`fill="%s" stroke="#fff"`, TintOf(v.Rank).Web), "d"
	case v.Rank == Hole:
		fill, class = `class="void" stroke="var(--line)" stroke-dasharray="2 2"`, "s"
	case v.Rank == End:
		fill, class = `fill="none" stroke="var(--line)"`, "s"
	default:
		fill, class = `class="void" stroke="var(--line)"`, ""
	}
	tip := fmt.Sprintf("bytes %d to %d: %s", p.Lo, p.Hi-1, v.Text)
	if v.Tip != "" {
		tip += ", " + v.Tip
	}
	c.rect(x, y, w, h, fill, tip)
	if text := clip(v.Text, w-4); text != "" {
		c.text(x+4, y+h/2+4, class, text)
	}
}

func (s *Strip) legend(c *canvas, y float64) {
	y += 8
	x := 12.0
	item := func(fill, text string) {
		c.rect(x, y, 18, 14, fill, "")
		c.text(x+24, y+11, "s", text)
		x += 24 + textWidth(text) + 12
	}
	private, several, bad, before := false, false, false, false
	for _, r := range s.Rows {
		for _, p := range r.Parts {
			private, several, bad = private || p.Private, several || len(p.Values) > 1, bad || p.Bad
			before = before || slices.ContainsFunc(p.Values, func(v Value) bool { return v.Rank == Before })
		}
	}
	if before {
		item(`class="void" stroke="var(--line)"`, "as before the run")
	}
	if bad {
		item(`class="wrong"`, "breaks the rule")
	}
	if private {
		item(`fill="none" stroke="var(--ink)" stroke-width="2" stroke-dasharray="6 2"`, "written, not yet published")
	}
	if several {
		x, y = 12, y+20
		c.text(x, y+11, "s", "bands: a read may return any of them; the colour is that of the rank that wrote them")
	}
}

// Description returns the strip as text, one sentence per line.
func (s *Strip) Description() string {
	var b strings.Builder
	for _, r := range s.Rows {
		fmt.Fprintf(&b, "%s", r.Name)
		if r.Note != "" {
			fmt.Fprintf(&b, " (%s)", r.Note)
		}
		b.WriteString(":")
		for _, p := range r.Parts {
			var values []string
			for _, v := range p.Values {
				text := v.Text
				if v.Tip != "" {
					text += " (" + v.Tip + ")"
				}
				values = append(values, text)
			}
			fmt.Fprintf(&b, " bytes %d to %d: %s", p.Lo, p.Hi-1, strings.Join(values, " or "))
			if p.Bad {
				b.WriteString(", which breaks the rule")
			}
			b.WriteString(";")
		}
		b.WriteString("\n")
	}
	return b.String()
}

package picture

import (
	"fmt"
	"html"
	"math"
	"strings"
	"unicode/utf8"
)

// charWidth is the width of a character of the font, in pixels at 12 pixels, with a
// little room for fonts that are wider.
const charWidth = 7.3

// A Tint is the background colour of a rank, for black text: on terminals of 256 colours
// and as a web colour.
type Tint struct {
	Terminal int
	Web      string
}

// tints are Paul Tol's "light" scheme, which people distinguish with all common kinds of
// colour vision.
var tints = [...]Tint{
	{110, "#77AADD"},
	{222, "#EEDD88"},
	{209, "#EE8866"},
	{79, "#44BB99"},
	{217, "#FFAABB"},
	{117, "#99DDFF"},
	{149, "#BBCC33"},
	{142, "#AAAA00"},
	{253, "#DDDDDD"},
}

// TintOf returns the colour of a rank; after the last one they repeat.
func TintOf(rank int) Tint { return tints[((rank%len(tints))+len(tints))%len(tints)] }

// Letter represents a rank: 0 to 9, then letters; ranks beyond begin again.
func Letter(rank int) byte {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return letters[rank%len(letters)]
}

// Paint switches a terminal to the colours of a rank: black on a light background.
func Paint(rank int) string { return fmt.Sprintf("\x1b[38;5;16;48;5;%dm", TintOf(rank).Terminal) }

// palette has the colours of drawings by name, for a light page.
var palette = []struct{ name, web string }{
	{"ink", "#1b2733"},
	{"soft", "#5b6772"},
	{"line", "#b9c2cb"},
	{"page", "#fff"},
	{"cell", "#eef3fa"},
	{"bar", "#d5e0ef"},
	{"bad", "#b00020"},
	{"badcell", "#fde3e0"},
	{"void", "#f1f3f5"},
}

// schemes are the colours of a page: light and dark, for screen and print.
var schemes = `.cw{` + variables() + `}
@media (prefers-color-scheme:dark){.cw{--ink:#e6edf3;--soft:#9fb0c0;--line:#465361;--page:#10161d;--cell:#1f2a36;--bar:#2d3d50;--bad:#ff8a80;--badcell:#4a1f1f;--void:#1a222b}}
@media print{.cw{--ink:#000;--soft:#444;--line:#999;--page:#fff;--cell:#f4f4f4;--bar:#ddd;--bad:#900;--badcell:#fff;--void:#fff}}
`

// variables returns the palette as declarations of a style sheet.
func variables() string {
	var all []string
	for _, c := range palette {
		all = append(all, "--"+c.name+":"+c.web)
	}
	return strings.Join(all, ";")
}

// literal replaces the names of the palette by its colours: programs other than browsers
// draw what refers to a variable black.
var literal = func() *strings.Replacer {
	var all []string
	for _, c := range palette {
		all = append(all, "var(--"+c.name+")", c.web)
	}
	return strings.NewReplacer(all...)
}()

// style is the style sheet of all drawings, but for the colours that [schemes] names.
const style = `.cw text{font-size:12px;font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;fill:var(--ink)}
.cw .page{fill:var(--page)}.cw .h{font-weight:bold}.cw .s{fill:var(--soft);font-size:11px}.cw .d{fill:#111}.cw .bad{fill:var(--bad)}
.cw .lane{stroke:var(--line)}.cw .cell rect{fill:var(--cell);stroke:var(--line)}.cw .racy rect,.cw .fails rect{fill:var(--badcell);stroke:var(--bad)}
.cw .bar{fill:var(--bar)}.cw .barrier{fill:var(--bar);stroke:var(--soft);stroke-width:1.5}.cw .void{fill:var(--void)}.cw .span{fill-opacity:.55;stroke:var(--line)}.cw .call{fill:var(--soft)}.cw .owned{stroke:var(--page);stroke-width:.7}
.cw .arrow{stroke:var(--ink);fill:none;stroke-width:1.3}.cw .head{fill:var(--ink)}
.cw .race{stroke:var(--bad);fill:none;stroke-width:2;stroke-dasharray:5 3}.cw .racehead{fill:var(--bad)}.cw .note{fill:var(--bad);paint-order:stroke;stroke:var(--page);stroke-width:4px}
.cw .past rect{stroke:var(--ink);stroke-width:2}.cw .now rect{stroke:var(--ink);stroke-width:3}.cw.lit .cell:not(.past):not(.now) rect{fill:var(--page);stroke-dasharray:2 3}.cw.lit .cell:not(.past):not(.now) text{fill:var(--soft)}
.cw .tick{stroke:var(--soft)}.cw .locked{stroke:var(--bad);stroke-width:1.5}.cw .wrong{fill:none;stroke:var(--bad);stroke-width:3;stroke-dasharray:4 2}.cw .solid{stroke-dasharray:none}
`

// A canvas collects the elements of a drawing and its size.
type canvas struct {
	b    strings.Builder
	wide float64
	high float64
}

// grow makes the drawing large enough for a point.
func (c *canvas) grow(x, y float64) { c.wide, c.high = max(c.wide, x), max(c.high, y) }

func (c *canvas) printf(format string, args ...any) { fmt.Fprintf(&c.b, format, args...) }

// text writes a line of text with its left end at x and its base line at y.
func (c *canvas) text(x, y float64, class, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	c.printf("<text x=\"%s\" y=\"%s\"%s>%s</text>\n", num(x), num(y), class, Escape(text))
	c.grow(x+textWidth(text), y+4)
}

// rect draws a rectangle; extra are further attributes, tip is its tool tip.
func (c *canvas) rect(x, y, w, h float64, extra, tip string) {
	c.printf("<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" %s", num(x), num(y), num(max(w, 0.5)), num(h), extra)
	if tip == "" {
		c.printf("/>\n")
	} else {
		c.printf("><title>%s</title></rect>\n", Escape(tip))
	}
	c.grow(x+w, y+h)
}

// defs are elements that all drawings refer to.
const defs = `<defs><marker id="cw-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path class="head" d="M0 0L8 4L0 8z"/></marker>
<marker id="cw-race" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="racehead" d="M0 0L8 4L0 8z"/></marker>
<pattern id="cw-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="#222"/><rect width="3" height="6" fill="#fff"/></pattern></defs>
`

// Style returns the style sheet of all drawings, which a page with fragments needs. Elements
// of classes r0, r1 and so on, see Tints, have the colour of a rank as --tint.
func Style() string { return schemes + style + tintClasses }

// Tints is the number of different colours of ranks: rank r has that of rank r%Tints.
const Tints = len(tints)

var tintClasses = func() string {
	var b strings.Builder
	for i, t := range tints {
		fmt.Fprintf(&b, ".r%d{--tint:%s}", i, t.Web)
	}
	return b.String() + "\n"
}()

// Defs returns the elements that the fragments of a page refer to; a page must contain
// them in an SVG.
func Defs() string { return defs }

// A Drawing is an SVG drawing; [Drawing.SVG] returns its text.
type Drawing struct {
	title, description, body string
	wide, high               float64
}

// done returns the drawing with a title and a text alternative.
func (c *canvas) done(title, description string) *Drawing {
	return &Drawing{title, description, c.b.String(), math.Ceil(c.wide + 12), math.Ceil(c.high + 10)}
}

// Raw returns a drawing of elements that are already SVG text. They may refer to the
// classes of [Style] and to [Hatch].
func Raw(title, description, body string, wide, high float64) *Drawing {
	return &Drawing{title, description, body, math.Ceil(wide), math.Ceil(high)}
}

// Hatch is the fill of bytes that several ranks see.
const Hatch = "url(#cw-hatch)"

// SVG returns the drawing as a file of its own, for slides and papers: light, with literal
// colours, because rsvg-convert, Inkscape and office programs know no variables.
func (d *Drawing) SVG() string {
	return literal.Replace(d.write("<style>" + style + "</style>\n" + defs))
}

// Fragment returns the drawing for a page that has [Style] and [Defs].
func (d *Drawing) Fragment() string { return d.write("") }

func (d *Drawing) write(head string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="cw" width="%.0f" height="%.0f" viewBox="0 0 %[1]v %[2]v" role="img" aria-label="%[3]s">`+"\n", d.wide, d.high, Escape(d.title)) +
		"<title>" + Escape(d.title) + "</title>\n<desc>" + Escape(d.description) + "</desc>\n" + head +
		`<rect class="page" width="100%" height="100%"/>` + "\n" + d.body + "</svg>\n"
}

// Description returns the drawing as text.
func (d *Drawing) Description() string { return d.description }

// Escape makes text safe inside of an SVG: characters that XML does not have become
// the replacement character.
func Escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == utf8.RuneError || r == 0xFFFE || r == 0xFFFF || r >= 0x7f && r < 0xa0 ||
			r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return utf8.RuneError
		}
		return r
	}, s)
	return html.EscapeString(s)
}

// num returns a coordinate with at most one digit after the point.
func num(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}

func textWidth(s string) float64 { return charWidth * float64(utf8.RuneCountInString(s)) }

// clip shortens a text to a width: what is cut is marked by two points, or one where there is no room.
func clip(s string, width float64) string {
	n := int(width / charWidth)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	mark := ".."[:max(0, min(2, n-1))]
	if n == 1 {
		mark = "."
	}
	return string([]rune(s)[:max(0, n-len(mark))]) + mark
}

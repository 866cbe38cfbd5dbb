package views

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/internal/show/plain"
)

// Sizes of the drawing, in pixels.
const (
	svgLeft    = 92.0  // for names of rows
	svgBand    = 832.0 // a band of the strip
	svgWide    = svgLeft + svgBand + 36
	svgLane    = 22.0
	svgGap     = 4.0
	svgByte    = 13.0 // where single bytes are drawn
	svgBands   = 8    // most bands of single bytes; a larger window is drawn small, in one band
	svgDots    = 416  // cells of a band that is drawn small
	svgColumns = 104  // most cells of a row of the array
	svgRows    = 64
)

// void is the fill of bytes that no rank sees.
const void = "void"

// A drawing writes SVG from top to bottom.
type drawing struct {
	*ByteMap
	out *bufio.Writer
	y   float64
}

// drawing draws the byte map: the strip with its rulers, the array if there is a Width, and
// the findings as text.
func (m *ByteMap) drawing() *picture.Drawing {
	var body strings.Builder
	d := &drawing{ByteMap: m, out: bufio.NewWriter(&body), y: 30}
	d.title()
	d.legend()
	d.bands()
	if m.Width > 0 {
		d.grid()
	}
	d.words()
	d.out.Flush()
	var text strings.Builder
	_ = m.Text(&text, 100, false) // a builder returns no errors
	return picture.Raw(m.caption(), text.String(), body.String(), svgWide, d.y+8)
}

func (m *ByteMap) caption() string {
	return fmt.Sprintf("Views of %s, %v", plain.Count(m.Ranks, "rank"), m.form)
}

func (d *drawing) text(x, y float64, class, format string, args ...any) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(d.out, "<text x=\"%.4g\" y=\"%.5g\"%s>%s</text>\n", x, y, class, picture.Escape(fmt.Sprintf(format, args...)))
}

// box draws a rectangle whose tooltip is tip.
func (d *drawing) box(x, y, w, h float64, fill, tip string) {
	paint := `fill="` + fill + `"`
	if fill == void {
		paint = `class="void"`
	}
	fmt.Fprintf(d.out, "<rect x=\"%.5g\" y=\"%.5g\" width=\"%.5g\" height=\"%.5g\" %s", x, y, max(w, 0.5), h, paint)
	if tip == "" {
		d.out.WriteString("/>\n")
		return
	}
	fmt.Fprintf(d.out, "><title>%s</title></rect>\n", picture.Escape(tip))
}

func (d *drawing) title() {
	d.text(16, d.y, "h", "%s", d.caption())
	for _, l := range [][2]string{
		{"disp", d.Disp},
		{"etype", fmt.Sprintf("%s, extent %d", d.Etype, d.views[0].Unit.Extent)},
		{"filetype", d.Filetype},
		{"window", fmt.Sprintf("bytes 0 to %d", d.win.end-1)},
	} {
		d.y += 18
		const most = 112
		if len(l[1]) > most {
			l[1] = l[1][:most-3] + "..."
		}
		d.text(16, d.y, "s", "%s", l[0])
		d.text(svgLeft, d.y, "", "%s", l[1])
	}
	d.y += 18
}

// legend shows the colours.
func (d *drawing) legend() {
	x := svgLeft
	chip := func(fill, name string) {
		w := 26 + 7.5*float64(len(name)) + 14
		if x+w > svgWide-16 {
			x, d.y = svgLeft, d.y+20
		}
		d.box(x, d.y, 18, 14, fill, "")
		d.text(x+24, d.y+11, "", "%s", name)
		x += w
	}
	for _, r := range d.shown {
		chip(picture.TintOf(r).Web, fmt.Sprintf("rank %d", r))
	}
	if rest := len(d.views) - len(d.shown); rest > 0 {
		chip(void, fmt.Sprintf("and %s, with the same colours again", plain.Count(rest, "more rank")))
	}
	chip(picture.Hatch, "overlap")
	chip(void, "no rank, or a hole")
	d.y += 34
}

// shade returns the colour of an owner.
func shade(who int) string {
	switch who {
	case noRank:
		return ""
	case shared:
		return picture.Hatch
	case several:
		return "#999999"
	}
	return picture.TintOf(who).Web
}

func (d *drawing) bands() {
	from := d.win.from / 8 * 8
	each := int64(svgBand / svgByte)
	if d.win.end <= each {
		from = 0
	}
	if d.win.end-from > each*svgBands {
		d.small(d.win.from)
		return
	}
	for lo := from; lo < d.win.end; lo += each {
		d.large(lo, min(each, d.win.end-lo))
	}
}

// ruler draws ticks every eight cells of scale bytes.
func (d *drawing) ruler(lo, cells, scale int64, pitch float64) {
	d.text(16, d.y+10, "s", "byte")
	step := int64(8)
	for float64(step)*pitch < 6.8*float64(len(strconv.FormatInt(plus(lo, cells*scale), 10)))+8 {
		step *= 2
	}
	for x := int64(0); x <= cells; x += step {
		at := svgLeft + float64(x)*pitch
		if label := strconv.FormatInt(plus(lo, x*scale), 10); at+6.8*float64(len(label)) < svgWide {
			d.text(at, d.y+10, "s", "%s", label)
		}
		fmt.Fprintf(d.out, "<line class=\"tick\" x1=\"%.5g\" y1=\"%.5g\" x2=\"%.5g\" y2=\"%.5g\"/>\n", at, d.y+13, at, d.y+19)
	}
	d.y += 21
}

// large draws bytes [lo, lo+n) with their etypes.
func (d *drawing) large(lo, n int64) {
	d.ruler(lo, n, 1, svgByte)
	d.lane("file", n, svgByte, func(x int64) (int, int64) {
		who := d.owner(lo+x, lo+x+1)
		m := int64(1)
		for x+m < n && d.owner(lo+x+m, lo+x+m+1) == who {
			m++
		}
		return who, m
	}, lo, 1)
	for _, r := range d.shown {
		v := d.views[r]
		y := d.y
		d.lane(fmt.Sprintf("rank %d", r), n, svgByte, func(x int64) (int, int64) { return noRank, n }, lo, 1)
		d.etypes(v, lo, n, y)
	}
	d.y += 18
}

// etypes draws the bytes that a rank sees, with the number of each etype.
func (d *drawing) etypes(v *rankView, lo, n int64, y float64) {
	unit := v.Unit.Size
	v.within(lo, lo+n, func(pos, off, n int64) bool {
		for n > 0 {
			e := pos / unit
			m := min(n, (e+1)*unit-pos)
			x := svgLeft + float64(off-lo)*svgByte
			d.box(x+0.5, y, float64(m)*svgByte-1, svgLane, picture.TintOf(v.rank).Web,
				fmt.Sprintf("rank %d, etype %d: %s", v.rank, e, plain.Span(off, off+m)))
			if label := strconv.FormatInt(e, 10); pos == e*unit && 6.2*float64(len(label)) <= float64(m)*svgByte-2 {
				d.text(x+3, y+15, "d", "%s", label)
			}
			pos, off, n = pos+m, off+m, n-m
		}
		return true
	})
}

// small draws the whole window in one band.
func (d *drawing) small(from int64) {
	scale := (d.win.end-from-1)/svgDots + 1
	cells := (d.win.end-from-1)/scale + 1
	pitch := svgBand / svgDots
	d.text(16, d.y, "s", "%s a column; a column of several ranks side by side is grey", plain.Count(scale, "byte"))
	d.y += 8
	d.ruler(from, cells, scale, pitch)
	runs := func(who func(lo, hi int64) int) func(x int64) (int, int64) {
		return func(x int64) (int, int64) {
			at := func(x int64) int { return who(from+x*scale, min(plus(from, (x+1)*scale), d.win.end)) }
			w, m := at(x), int64(1)
			for x+m < cells && at(x+m) == w {
				m++
			}
			return w, m
		}
	}
	d.lane("file", cells, pitch, runs(d.owner), from, scale)
	for _, r := range d.shown {
		d.lane(fmt.Sprintf("rank %d", r), cells, pitch, runs(func(lo, hi int64) int {
			if d.views[r].sees(lo, hi) {
				return r
			}
			return noRank
		}), from, scale)
	}
	d.y += 18
}

// lane draws a row of cells; next returns the owner of a cell and the number of equal
// cells from there on.
func (d *drawing) lane(name string, cells int64, pitch float64, next func(x int64) (int, int64), lo, scale int64) {
	d.text(16, d.y+15, "", "%s", name)
	fmt.Fprintf(d.out, "<rect class=\"void\" x=\"%.5g\" y=\"%.5g\" width=\"%.5g\" height=\"%.5g\"/>\n", svgLeft, d.y, float64(cells)*pitch, svgLane)
	for x := int64(0); x < cells; {
		who, m := next(x)
		if f := shade(who); f != "" {
			tip := plain.Span(lo+x*scale, min(plus(lo, (x+m)*scale), d.win.end))
			if who >= 0 {
				tip = fmt.Sprintf("rank %d: %s", who, tip)
			}
			d.box(svgLeft+float64(x)*pitch, d.y, float64(m)*pitch, svgLane, f, tip)
			if label := strconv.Itoa(who); who >= 0 && name == "file" && float64(m)*pitch > 7.4*float64(len(label))+6 {
				d.text(svgLeft+float64(x)*pitch+4, d.y+15, "d", "%s", label)
			}
		}
		x += m
	}
	d.y += svgLane + svgGap
}

// grid draws the file as rows of Width etypes.
func (d *drawing) grid() {
	g := d.array(svgColumns, svgRows)
	size := max(4, min(20, svgBand/float64(g.wide)))
	d.y += 6
	d.text(16, d.y, "s", "%v", g)
	d.y += 8
	every, free := max(1, int64(40/size)), 0.0
	for x := int64(0); x < g.wide; x += every {
		label := strconv.FormatInt(x*g.across, 10)
		if at := svgLeft + float64(x)*size; at >= free {
			d.text(at, d.y+10, "s", "%s", label)
			free = at + 6.8*float64(len(label)) + 8
		}
	}
	d.y += 16
	last := -100.0
	for y := range g.high {
		if d.y-last >= 14 {
			d.text(16, d.y+min(size, 14)-2, "s", "row %d", y*g.down)
			last = d.y
		}
		for x := range g.wide {
			lo := g.from + (y*g.down*g.cols+x*g.across)*g.ext
			if lo >= d.win.end {
				break
			}
			who := d.cell(g, x, y)
			colour := shade(who)
			if colour == "" {
				colour = void
			}
			at := svgLeft + float64(x)*size
			d.box(at, d.y, size-0.5, size-0.5, colour, fmt.Sprintf("row %d, column %d, byte %d", y*g.down, x*g.across, lo))
			if label := strconv.Itoa(who); who >= 0 && size >= 7*float64(len(label))+4 {
				d.text(at+size/2-3.3*float64(len(label)), d.y+size/2+4, "d", "%s", label)
			}
		}
		d.y += size
	}
	d.y += 20
}

// words writes the holes, gaps and overlaps.
func (d *drawing) words() {
	for _, f := range d.findings() {
		for i, l := range plain.Lines(f[1], 112) {
			if i == 0 {
				d.text(16, d.y+6, "s", "%s", f[0])
			}
			d.text(svgLeft, d.y+6, "", "%s", l)
			d.y += 18
		}
	}
}

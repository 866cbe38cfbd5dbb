package picture

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// A Frame is one slide of a run, 16 by 9: the program with the lines that the ranks have reached, and
// beside it drawings of the state.
type Frame struct {
	Title    string
	Text     string   // what has happened last
	Step, Of int      // Of is the last step of the run
	Program  []string // its lines; none: the drawings have the whole width
	First    int      // the number of the first of these lines
	Ranks    int
	Marks    []Mark
	Drawings []*Drawing // one below the other

	wide, high float64 // of the largest drawings in the series
}

// DrawFrames draws frames that follow each other, all to one scale.
func DrawFrames(series []*Frame) (all []*Drawing) {
	wide, high := 1.0, 1.0
	for _, f := range series {
		sum := 0.0
		for _, d := range f.Drawings {
			wide = max(wide, d.wide)
			sum += d.high
		}
		high = max(high, sum)
	}
	for _, f := range series {
		f.wide, f.high = wide, high
		all = append(all, f.draw())
	}
	return all
}

// A Mark says that a rank has reached a line of the program.
type Mark struct {
	Rank, Line int
	Now        bool // in this step
}

// Measures of a frame in pixels of the drawing; a slide has more.
const (
	frameWide  = 1280.0
	frameHigh  = 720.0
	frameEdge  = 40.0
	frameTop   = 116.0 // where program and drawings begin
	lineHigh   = 17.0  // of the program, unscaled
	frameLarge = 1.9   // most that texts and drawings are enlarged
)

func (f *Frame) draw() *Drawing {
	c := &canvas{}
	c.scaled(frameEdge, 18, 1.9, func() { c.text(0, 14, "h", clip(f.Title, (frameWide-2*frameEdge)/1.9)) })
	c.scaled(frameEdge, 58, 1.6, func() { f.caption(c) })
	if f.Of > 0 {
		c.rect(frameEdge, 98, frameWide-2*frameEdge, 5, `class="void"`, "")
		c.rect(frameEdge, 98, (frameWide-2*frameEdge)*float64(f.Step)/float64(f.Of), 5, `class="call"`, "")
	}
	left := frameEdge
	if len(f.Program) > 0 {
		left += f.program(c) + 24
	}
	f.drawings(c, left)
	words := fmt.Sprintf("step %d of %d: %s\n", f.Step, f.Of, f.Text)
	for _, d := range f.Drawings {
		words += d.title + "\n" + d.description
	}
	return Raw(f.Title, words, c.b.String(), frameWide, frameHigh)
}

// scaled draws with another origin and scale.
func (c *canvas) scaled(x, y, scale float64, draw func()) {
	c.printf("<g transform=\"translate(%s %s) scale(%.4g)\">\n", num(x), num(y), scale)
	draw()
	c.printf("</g>\n")
}

// caption writes what has happened last, on at most two lines.
func (f *Frame) caption(c *canvas) {
	text := f.Text
	if f.Of > 0 {
		text = fmt.Sprintf("step %d of %d: %s", f.Step, f.Of, text)
	}
	c.text(0, 14, "", clip(text, (frameWide-2*frameEdge)/1.6))
}

// program draws the lines of the program and returns how wide they are: as large as the drawings beside
// them if both fit. If not all lines do, it draws those around the lines of this step.
func (f *Frame) program(c *canvas) float64 {
	const mostWide, mostHigh, least = 0.46 * frameWide, frameHigh - frameTop - 20, 1.1
	longest := 0
	for _, l := range f.Program {
		longest = max(longest, utf8.RuneCountInString(l))
	}
	byLine := map[int][]int{}
	for _, m := range f.Marks {
		byLine[m.Line] = append(byLine[m.Line], m.Rank)
	}
	crowd := min(f.Ranks, 4)
	gutter := 16*float64(crowd) + 30
	wide := gutter + charWidth*float64(longest) + 6
	balanced := (frameWide - 2*frameEdge - 24) / (wide + f.wide)
	scale := min(frameLarge, max(least, min(balanced, mostWide/wide, mostHigh/(lineHigh*float64(len(f.Program))))))
	wide = min(wide, mostWide/scale)
	from, to := f.window(int(mostHigh / scale / lineHigh))
	c.scaled(frameEdge, frameTop, scale, func() {
		for i := from; i < to; i++ {
			y := lineHigh * float64(i-from)
			if slices.ContainsFunc(f.Marks, func(m Mark) bool { return m.Now && m.Line == i+f.First }) {
				c.rect(0, y, wide, lineHigh, `class="bar"`, "")
			}
			marks(c, byLine[i+f.First], crowd, y)
			c.text(gutter-26, y+12.5, "s", fmt.Sprint(i+f.First))
			line := clip(f.Program[i], wide-gutter)
			text := strings.TrimLeft(line, " ") // programs that read SVG drop spaces before a text
			c.text(gutter+charWidth*float64(len(line)-len(text)), y+12.5, "", text)
		}
	})
	return wide * scale
}

// marks draws the ranks that have reached a line; where there are too many, the last is a count.
func marks(c *canvas, ranks []int, crowd int, y float64) {
	sort.Ints(ranks)
	for k, r := range ranks {
		text := fmt.Sprint(r)
		if k == crowd-1 && len(ranks) > crowd {
			c.text(16*float64(k)+1, y+12.5, "s", fmt.Sprintf("+%d", len(ranks)-k))
			return
		}
		c.rect(16*float64(k), y+1.5, 14, lineHigh-3, fmt.Sprintf(`rx="3" fill="%s"`, TintOf(r).Web), fmt.Sprintf("rank %d is here", r))
		c.text(16*float64(k)+7-3.6*float64(len(text)), y+12.5, "d", text)
	}
}

// window returns which n lines are shown: all, or those around the lines of this step.
func (f *Frame) window(n int) (from, to int) {
	if n >= len(f.Program) {
		return 0, len(f.Program)
	}
	at := 0
	for _, m := range f.Marks {
		if m.Now {
			at = m.Line - f.First
		}
	}
	from = min(max(0, at-n/2), len(f.Program)-n)
	return from, from + n
}

// drawings draws the state to the right of the program, as large as fits.
func (f *Frame) drawings(c *canvas, left float64) {
	scale := min(frameLarge, (frameWide-left-frameEdge)/f.wide, (frameHigh-frameTop-10)/f.high)
	y := frameTop
	for _, d := range f.Drawings {
		c.scaled(left, y, scale, func() { c.b.WriteString(strings.TrimSpace(d.body) + "\n") })
		y += d.high * scale
	}
}

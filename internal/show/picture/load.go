package picture

import (
	"fmt"
	"strings"
)

// Load shows the load of servers and ranks over time: a lane each, darker at times of higher
// load.
type Load struct {
	Title string
	End   string // the time at the right end
	Lanes []LoadLane
	Notes []string // below the lanes
}

// A LoadLane is one server or rank; Busy has the busy shares, from 0 to 1, of equal
// stretches of time.
type LoadLane struct {
	Name string
	Busy []float64
}

// Draw draws the lanes.
func (d *Load) Draw() *Drawing {
	c := &canvas{}
	const left, wide, high, top = 120.0, 720.0, 16.0, 40.0
	c.text(12, 20, "h", d.Title)
	y := top
	var words strings.Builder
	for i, l := range d.Lanes {
		c.text(12, y+12, "", l.Name)
		c.rect(left, y, wide, high-3, `class="void"`, "")
		sum := 0.0
		for k := 0; k < len(l.Busy); {
			level, from := int(l.Busy[k]*10+0.5), k
			for k < len(l.Busy) && int(l.Busy[k]*10+0.5) == level {
				sum += l.Busy[k]
				k++
			}
			if level == 0 {
				continue
			}
			x, w := left+wide*float64(from)/float64(len(l.Busy)), wide*float64(k-from)/float64(len(l.Busy))
			c.rect(x, y, w, high-3, fmt.Sprintf(`fill="%s" fill-opacity="%.1f"`, TintOf(i).Web, float64(level)/10), fmt.Sprintf("%s: %d %% busy", l.Name, 10*level))
		}
		fmt.Fprintf(&words, "%s: busy %.0f %% of the time\n", l.Name, 100*sum/float64(max(1, len(l.Busy))))
		y += high
	}
	c.text(left, y+14, "s", "0")
	c.text(left+wide-textWidth(d.End), y+14, "s", d.End)
	for _, n := range d.Notes {
		y += 16
		c.text(12, y+16, "s", n)
	}
	return c.done(d.Title, words.String())
}

// Bars compares runs: one bar for each run, divided into parts whose widths are their
// values.
type Bars struct {
	Title string
	Parts []string // names, in the order in which they are drawn
	Runs  []Run
	Notes []string
}

// A Run is one bar: its name, the value of each part, and its result as text.
type Run struct {
	Name   string
	Values []float64
	Text   string
}

// Draw draws the bars.
func (d *Bars) Draw() *Drawing {
	c := &canvas{}
	const wide, high, top = 520.0, 20.0, 40.0
	c.text(12, 20, "h", d.Title)
	left, most := 60.0, 0.0
	for _, b := range d.Runs {
		left = max(left, 24+textWidth(b.Name))
		most = max(most, total(b.Values))
	}
	y := top
	var words strings.Builder
	used := map[int]bool{}
	for _, b := range d.Runs {
		c.text(12, y+14, "", b.Name)
		x := left
		for i, v := range b.Values {
			w := wide * v / max(most, 1e-300)
			if w < 0.25 {
				continue
			}
			used[i] = true
			c.rect(x, y, w, high-4, fmt.Sprintf(`fill="%s"`, TintOf(i).Web), d.Parts[i])
			x += w
		}
		c.text(x+8, y+14, "", b.Text)
		fmt.Fprintf(&words, "%s: %s\n", b.Name, b.Text)
		y += high
	}
	x := 12.0
	y += 10
	for i, name := range d.Parts {
		if used[i] {
			c.rect(x, y, 12, 12, fmt.Sprintf(`fill="%s"`, TintOf(i).Web), "")
			c.text(x+18, y+10, "s", name)
			x += 34 + textWidth(name)
		}
	}
	for _, n := range d.Notes {
		y += 18
		c.text(12, y+12, "s", n)
	}
	return c.done(d.Title, words.String())
}

func total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

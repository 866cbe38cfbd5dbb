package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Requests shows what a file system is asked for: the file from left to right, a lane for
// each rank that asks, its requests one below the other.
type Requests struct {
	Title string
	Boxes []Box // in the order in which each rank makes them
}

// A Box is one request: bytes Lo up to, not including, Hi.
type Box struct {
	Rank, Round int
	Lo, Hi      int64
	Write       bool
	Lock        bool // the rank locks the bytes first
	Runs        int  // of adjacent bytes that it names
}

// Measures in pixels.
const (
	fileWide = 760.0
	boxHigh  = 12.0
	boxLeast = 3.0
)

// Draw draws the requests.
func (d *Requests) Draw() *Drawing {
	c := &canvas{}
	if len(d.Boxes) == 0 {
		c.text(12, 20, "s", "no requests")
		return c.done(d.Title, d.Description())
	}
	lo, hi := d.Boxes[0].Lo, d.Boxes[0].Hi
	for _, b := range d.Boxes {
		lo, hi = min(lo, b.Lo), max(hi, b.Hi)
	}
	const left = 84.0
	x := func(off int64) float64 { return left + fileWide*float64(off-lo)/float64(max(1, hi-lo)) }
	d.ruler(c, x, lo, hi)
	boxes := slices.Clone(d.Boxes)
	slices.SortStableFunc(boxes, func(a, b Box) int { return cmp.Compare(a.Rank, b.Rank) })
	y, last := 36.0, -1
	for _, b := range boxes {
		if b.Rank != last {
			y += 8
			c.text(12, y+10, "", fmt.Sprint("rank ", b.Rank))
			last = b.Rank
		}
		fill := fmt.Sprintf(`fill="%s"`, TintOf(b.Rank).Web)
		if !b.Write {
			fill += ` fill-opacity="0.45"`
		}
		if b.Lock {
			fill += ` class="locked"`
		}
		c.rect(x(b.Lo), y, max(boxLeast, x(b.Hi)-x(b.Lo)), boxHigh-2, fill, b.String())
		y += boxHigh
	}
	d.legend(c, y+10)
	return c.done(d.Title, d.Description())
}

func (d *Requests) ruler(c *canvas, x func(int64) float64, lo, hi int64) {
	c.text(12, 20, "s", "byte")
	const ticks = 8
	for i := range int64(ticks + 1) {
		off := lo + (hi-lo)*i/ticks
		c.text(x(off), 20, "s", fmt.Sprint(off))
		c.printf("<line class=\"tick\" x1=\"%s\" y1=\"24\" x2=\"%[1]s\" y2=\"30\"/>\n", num(x(off)))
		if hi-lo < ticks {
			break
		}
	}
}

func (d *Requests) legend(c *canvas, y float64) {
	reads := slices.ContainsFunc(d.Boxes, func(b Box) bool { return !b.Write })
	locks := slices.ContainsFunc(d.Boxes, func(b Box) bool { return b.Lock })
	text := "a box is a request; colour: the rank that makes it"
	if reads {
		text += "; pale: it reads first"
	}
	if locks {
		text += "; outlined: under a lock"
	}
	if slices.ContainsFunc(d.Boxes, func(b Box) bool { return b.Runs > 1 }) {
		text += "; a list is drawn as long as its bytes together"
	}
	c.text(12, y+10, "s", text)
}

// String returns the request in words.
func (b Box) String() string {
	what := "reads"
	if b.Write {
		what = "writes"
	}
	text := fmt.Sprintf("rank %d %s bytes %d to %d", b.Rank, what, b.Lo, b.Hi-1)
	if b.Runs > 1 {
		text += fmt.Sprintf(" in %d runs", b.Runs)
	}
	if b.Lock {
		text += ", under a lock"
	}
	return text
}

// Description returns the requests in words, a line each.
func (d *Requests) Description() string {
	var b strings.Builder
	for _, r := range d.Boxes {
		fmt.Fprintf(&b, "%v\n", r)
	}
	return b.String()
}

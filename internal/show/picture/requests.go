package picture

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Requests shows the requests to a file system: the file from left to right with the
// owners of its bytes, the file domains of aggregators if there are any, and a lane for
// each rank that makes requests, one below the other.
type Requests struct {
	Title   string
	Data    []Owned // bytes that ranks move
	Domains []Owned // bytes that aggregators request; in the order of the file
	Boxes   []Box   // in the order in which each rank makes them
}

// An Owned is bytes Lo up to, not including, Hi of a rank.
type Owned struct {
	Rank   int
	Lo, Hi int64
}

// A Box is one request: bytes Lo up to, not including, Hi.
type Box struct {
	Rank, Round int
	Lo, Hi      int64
	Write       bool
	Lock        bool // the rank locks the bytes first
	Runs        int  // number of contiguous pieces
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
	for _, o := range slices.Concat(d.Data, d.Domains) {
		lo, hi = min(lo, o.Lo), max(hi, o.Hi)
	}
	const left = 84.0
	x := func(off int64) float64 { return left + fileWide*float64(off-lo)/float64(max(1, hi-lo)) }
	d.ruler(c, x, lo, hi)
	boxes := slices.Clone(d.Boxes)
	sort.SliceStable(boxes, func(i, j int) bool { return boxes[i].Rank < boxes[j].Rank })
	y, last := d.strips(c, x), -1
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

// strips draws the owners of the bytes and, for aggregators, their file domains and the
// part of each round; it returns where the requests begin.
func (d *Requests) strips(c *canvas, x func(int64) float64) float64 {
	y := 36.0
	strip := func(name string, high float64, all []Owned, tip func(o Owned) (label, tip string)) {
		if len(all) == 0 {
			return
		}
		c.text(12, y+high-3, "s", name)
		for _, o := range all {
			label, tip := tip(o)
			wide := max(1, x(o.Hi)-x(o.Lo))
			c.rect(x(o.Lo), y, wide, high, fmt.Sprintf(`class="owned" fill="%s"`, TintOf(o.Rank).Web), tip)
			if text := clip(label, wide-4); text == label {
				c.text(x(o.Lo)+4, y+high-4, "d", text)
			}
		}
		y += high + 4
	}
	strip("data of", 12, d.Data, func(o Owned) (string, string) { return "", o.String() })
	strip("domain of", 17, d.Domains, func(o Owned) (string, string) { return fmt.Sprint("rank ", o.Rank), o.String() })
	if len(d.Domains) > 0 {
		rounds := d.rounds()
		var all []Owned
		for _, r := range rounds {
			all = append(all, r.Owned)
		}
		i := 0
		strip("in round", 17, all, func(o Owned) (string, string) {
			i++
			return fmt.Sprint(rounds[i-1].round + 1), fmt.Sprintf("round %d: %v", rounds[i-1].round+1, o)
		})
	}
	return y
}

// A roundPart is the bytes that a rank requests in one round.
type roundPart struct {
	Owned

	round int
}

// rounds returns the parts of the file that each rank requests in each round, in the
// order of the file.
func (d *Requests) rounds() (all []roundPart) {
	for _, b := range d.Boxes {
		i := slices.IndexFunc(all, func(r roundPart) bool { return r.Rank == b.Rank && r.round == b.Round })
		if i < 0 {
			all = append(all, roundPart{Owned{b.Rank, b.Lo, b.Hi}, b.Round})
		} else {
			all[i].Lo, all[i].Hi = min(all[i].Lo, b.Lo), max(all[i].Hi, b.Hi)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Lo < all[j].Lo })
	return all
}

// String returns the bytes as text.
func (o Owned) String() string { return fmt.Sprintf("rank %d, bytes %d to %d", o.Rank, o.Lo, o.Hi-1) }

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
	text := ""
	if len(d.Data) > 0 {
		text = "top: whose data they are; "
	}
	if len(d.Domains) > 0 {
		text += "domain: the rank that asks for all; "
	}
	if text != "" {
		c.text(12, y+10, "s", strings.TrimSuffix(text, "; "))
		y += 16
	}
	text = "a box is a request; colour: the rank that makes it"
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

// String returns the request as text.
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

// Description returns the domains and requests as text, one per line.
func (d *Requests) Description() string {
	var b strings.Builder
	for _, o := range d.Domains {
		fmt.Fprintf(&b, "the file domain of rank %d is bytes %d to %d\n", o.Rank, o.Lo, o.Hi-1)
	}
	if len(d.Domains) > 0 {
		for _, r := range d.rounds() {
			fmt.Fprintf(&b, "in round %d %v\n", r.round+1, r.Owned)
		}
	}
	for _, r := range d.Boxes {
		fmt.Fprintf(&b, "%v\n", r)
	}
	return b.String()
}

package picture

import (
	"fmt"
	"strings"
)

// An Exchange shows the bytes that ranks and aggregators send to each other in a collective
// access, and the file domain of each aggregator.
type Exchange struct {
	Title   string
	Ranks   int
	Write   bool // ranks send to aggregators; else aggregators to ranks
	Rounds  int
	Domains []Owned // of aggregators, in the order of the file
	Sends   []Send
}

// A Send is bytes between a rank and an aggregator, which may be the rank itself.
type Send struct {
	Rank, Aggregator int
	Bytes            int64
}

// Draw draws the ranks on the left, the aggregators on the right and the bytes between them.
func (d *Exchange) Draw() *Drawing {
	c := &canvas{}
	c.text(12, 20, "h", d.Title)
	const left, right, wide, high, step = 12.0, 330.0, 92.0, 24.0, 40.0
	rank := func(r int) float64 { return 44 + step*float64(r) }
	all := max(d.Ranks, len(d.Domains))
	aggregator := func(i int) float64 {
		return 44 + step*(float64(all-1)*(float64(i)+0.5)/float64(len(d.Domains)))
	}
	place := map[int]int{}
	for i, o := range d.Domains {
		place[o.Rank] = i
	}
	for _, s := range d.Sends {
		i, ok := place[s.Aggregator]
		if !ok {
			continue
		}
		from, to := rank(s.Rank)+high/2, aggregator(i)+high/2
		x0, x1 := left+wide, right
		tip := s.text(d.Write)
		if !d.Write {
			x0, x1, from, to = x1, x0, to, from
		}
		class := ` stroke-dasharray="4 3"`
		if s.Rank != s.Aggregator {
			class = ` marker-end="url(#cw-head)"`
		}
		c.printf("<path class=\"arrow\"%s d=\"M%s %sL%s %s\"><title>%s</title></path>\n", class, num(x0), num(from), num(x1), num(to), Escape(tip))
		at := 0.16 + 0.68*float64(i+1)/float64(len(d.Domains)+1)
		if !d.Write {
			at = 1 - at
		}
		label := fmt.Sprint(s.Bytes)
		x, y := x0+(x1-x0)*at, from+(to-from)*at
		c.rect(x-2, y-8, textWidth(label)+4, 15, `class="page"`, tip)
		c.text(x, y+4, "", label)
	}
	for r := range d.Ranks {
		c.rect(left, rank(r), wide, high, fmt.Sprintf(`rx="3" fill="%s"`, TintOf(r).Web), "")
		c.text(left+7, rank(r)+16, "d", fmt.Sprint("rank ", r))
	}
	for i, o := range d.Domains {
		text := fmt.Sprintf("aggregator rank %d: bytes %d to %d", o.Rank, o.Lo, o.Hi-1)
		c.rect(right, aggregator(i), textWidth(text)+14, high, fmt.Sprintf(`rx="3" fill="%s"`, TintOf(o.Rank).Web), "")
		c.text(right+7, aggregator(i)+16, "d", text)
	}
	c.text(left, rank(all)+8, "s", "arrows: bytes sent; dashed: bytes that stay in the rank")
	return c.done(d.Title, d.Description())
}

func (s *Send) text(write bool) string {
	switch {
	case s.Rank == s.Aggregator:
		return fmt.Sprintf("%d bytes stay in rank %d", s.Bytes, s.Rank)
	case write:
		return fmt.Sprintf("rank %d sends %d bytes to aggregator rank %d", s.Rank, s.Bytes, s.Aggregator)
	}
	return fmt.Sprintf("aggregator rank %d sends %d bytes to rank %d", s.Aggregator, s.Bytes, s.Rank)
}

// Description returns the exchange as text, one sentence per line.
func (d *Exchange) Description() string {
	var b strings.Builder
	for _, o := range d.Domains {
		fmt.Fprintf(&b, "Rank %d is an aggregator; its file domain is bytes %d to %d.\n", o.Rank, o.Lo, o.Hi-1)
	}
	for i := range d.Sends {
		fmt.Fprintf(&b, "%s.\n", d.Sends[i].text(d.Write))
	}
	fmt.Fprintf(&b, "Rounds: %d.\n", d.Rounds)
	return b.String()
}

package picture

import (
	"fmt"
	"slices"
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

// Draw draws a row for each aggregator: the ranks with the bytes that they send to it, or receive from it, and its
// file domain. Lines between all pairs would cross.
func (d *Exchange) Draw() *Drawing {
	c := &canvas{}
	c.text(12, 20, "h", d.Title)
	const left, high, gap, chips = 12.0, 24.0, 6.0, 6
	label := func(s Send) string { return fmt.Sprintf("rank %d: %d", s.Rank, s.Bytes) }
	rows := make([][]Send, len(d.Domains))
	wide := 0.0
	for i, o := range d.Domains {
		for _, s := range d.Sends {
			if s.Aggregator == o.Rank {
				rows[i] = append(rows[i], s)
				wide = max(wide, textWidth(label(s))+14)
			}
		}
	}
	most := 1
	for _, row := range rows {
		most = max(most, min(len(row), chips))
	}
	right := left + float64(most)*(wide+gap) + 44
	y := 34.0
	for i, o := range d.Domains {
		top := y
		for part := range slices.Chunk(rows[i], chips) {
			for k, s := range part {
				x := left + float64(k)*(wide+gap)
				extra := fmt.Sprintf(`rx="3" fill="%s"`, TintOf(s.Rank).Web)
				if s.Rank == s.Aggregator {
					extra += ` stroke="#111" stroke-dasharray="4 3"`
				}
				c.rect(x, y, wide, high, extra, s.text(d.Write))
				c.text(x+7, y+16, "d", label(s))
			}
			y += high + gap
		}
		y = max(y, top+high+gap)
		middle := (top + y - gap) / 2
		from, to := right-44, right-6
		if !d.Write {
			from, to = to, from
		}
		c.printf("<path class=\"arrow\" marker-end=\"url(#cw-head)\" d=\"M%s %sL%s %s\"/>\n", num(from), num(middle), num(to), num(middle))
		text := fmt.Sprintf("aggregator rank %d: bytes %d to %d", o.Rank, o.Lo, o.Hi-1)
		c.rect(right, middle-high/2, textWidth(text)+14, high, fmt.Sprintf(`rx="3" fill="%s"`, TintOf(o.Rank).Web), "")
		c.text(right+7, middle+4, "d", text)
		y += 8
	}
	says := "left: each rank and the bytes that it gets; dashed: they stay in the rank"
	if d.Write {
		says = "left: each rank and the bytes that it sends; dashed: they stay in the rank"
	}
	c.text(left, y+8, "s", says)
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

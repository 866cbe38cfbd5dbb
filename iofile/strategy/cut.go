package strategy

import "sort"

// A cut says which of n aggregators has which bytes of the file, in which round: contiguous domains, or stripes in
// turn.
type cut struct {
	n      int
	ends   []int64 // of contiguous domains
	buffer int64   // bytes of a round of a contiguous domain

	stripe int64 // 0: contiguous domains; else stripe k belongs to aggregator k%n
	base   int64 // first byte of the stripe in which the access begins
	pieces bool  // pieces between holes are written one by one
}

// cut cuts the bytes that the parts with these spans touch.
func (s TwoPhase) cut(write bool, spans []stretch) *cut {
	if !s.cyclic(write) {
		ends := s.domains(spans)
		return &cut{n: len(ends), ends: ends, buffer: s.Buffer}
	}
	all := union(spans)
	if all.hi == 0 {
		return &cut{stripe: s.Stripe}
	}
	return &cut{n: s.turns(len(spans)), stripe: s.Stripe, base: all.lo - all.lo%s.Stripe, pieces: s.Holes == Disable}
}

// find returns the aggregator that has a byte, and the end of the contiguous bytes that it has from there on.
func (c *cut) find(off int64) (i int, end int64) {
	if c.stripe > 0 {
		k := off / c.stripe
		return int(k % int64(c.n)), (k + 1) * c.stripe
	}
	i = sort.Search(len(c.ends), func(i int) bool { return off < c.ends[i] })
	return i, c.ends[i]
}

// each calls yield for the runs of a part, cut where the aggregator changes.
func (c *cut) each(p *Part, yield func(i int, off, n int64)) {
	if p.N == 0 {
		return
	}
	i, lo, end := 0, int64(0), int64(0)
	for off, n := range p.Runs() {
		for n > 0 {
			if off >= end || off < lo {
				i, end = c.find(off)
				lo = off
			}
			k := min(n, end-off)
			yield(i, off, k)
			off, n = off+k, n-k
		}
	}
}

// window returns the round in which a byte of an aggregator that moves the bytes of reach moves, and the bytes of the
// file in its buffer then.
func (c *cut) window(reach stretch, off int64) (round int, w stretch) {
	if c.stripe > 0 {
		k := off / c.stripe
		return int((k - c.base/c.stripe) / int64(c.n)), stretch{k * c.stripe, min((k+1)*c.stripe, reach.hi)}
	}
	k := (off - reach.lo) / c.buffer
	lo := reach.lo + k*c.buffer
	return int(k), stretch{lo, min(lo+c.buffer, reach.hi)}
}

// lastRound returns the last round of an aggregator.
func (c *cut) lastRound(reach stretch) int {
	round, _ := c.window(reach, reach.hi-1)
	return round
}

// A reach is the stretch from the first byte that an aggregator moves to the last, and the number of runs.
type reach struct {
	stretch
	runs int
}

// reaches returns the reach of each aggregator.
func (c *cut) reaches(parts []Part) []reach {
	reach := make([]reach, c.n)
	for rank := range parts {
		c.each(&parts[rank], func(i int, off, n int64) {
			r := &reach[i]
			if r.hi == 0 {
				r.lo = off
			}
			r.lo, r.hi = min(r.lo, off), max(r.hi, off+n)
			r.runs++
		})
	}
	return reach
}

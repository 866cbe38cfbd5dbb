package strategy

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// together plans a collective access through aggregators. It returns false if independent
// accesses of the ranks are better.
func (s TwoPhase) together(p *Plan, parts []Part) bool {
	spans, ok := s.spans(p.Write, parts)
	if !ok {
		return false
	}
	c := s.cut(p.Write, spans)
	p.Moves = c.shares(parts, s.aggregators(c.n, len(parts)))
	s.rounds(p, c)
	return true
}

// A Domain is bytes Lo up to, not including, Hi of the file, which one aggregator reads or
// writes for all ranks.
type Domain struct {
	Rank   int
	Lo, Hi int64
}

// Domains returns the file domains of a collective access in which rank r moves parts[r], in
// the order of the file, without empty ones. There are none if each rank moves its own
// bytes. Zero settings of s mean the defaults. Errors: as for [TwoPhase.Outline].
func (s TwoPhase) Domains(write bool, parts []Part) ([]Domain, error) {
	s, spans, ok, err := s.prepared(write, parts)
	if err != nil || !ok {
		return nil, err
	}
	c := s.cut(write, spans)
	stretch, ranks := union(spans), s.aggregators(c.n, len(parts))
	var all []Domain
	for lo := stretch.lo; lo < stretch.hi; {
		i, end := c.find(lo)
		hi := min(end, stretch.hi)
		all = append(all, Domain{ranks[i], lo, hi})
		lo = hi
	}
	return all, nil
}

// prepared checks an access and fills in the defaults. ok is false if each rank moves its
// own bytes.
func (s TwoPhase) prepared(write bool, parts []Part) (_ TwoPhase, spans []stretch, ok bool, err error) {
	if err := cmp.Or(s.Check(), checkParts(parts)); err != nil {
		return s, nil, false, err
	}
	s = s.With(Hints{}).(TwoPhase)
	spans, ok = s.spans(write, parts)
	return s, spans, ok, nil
}

// A stretch is bytes [lo, hi) of the file.
type stretch struct{ lo, hi int64 }

// union returns the stretch from the first byte of spans to the last, hi 0 if they are empty.
func union(spans []stretch) stretch {
	all := stretch{math.MaxInt64, 0}
	for _, sp := range spans {
		if sp.lo < sp.hi {
			all.lo, all.hi = min(all.lo, sp.lo), max(all.hi, sp.hi)
		}
	}
	return all
}

// interleaved reports whether some rank's bytes begin before the end of the previous rank's
// bytes. If the ranks' bytes follow each other in the file in the order of ranks, an
// exchange gains nothing. It compares neighbouring ranks only, as ROMIO does, so it is
// cheap.
func interleaved(spans []stretch) bool {
	for r := 1; r < len(spans); r++ {
		if spans[r].lo < spans[r].hi && spans[r].lo < spans[r-1].hi-1 {
			return true
		}
	}
	return false
}

// domains cuts the stretch that all parts touch, and returns the end of each aggregator's
// domain; a domain begins at the end of the previous one. The last domains may be empty.
func (s TwoPhase) domains(spans []stretch) []int64 {
	all := union(spans)
	if all.hi == 0 {
		return nil
	}
	n := min(s.Nodes, len(spans))
	size := max((all.hi-all.lo-1)/int64(n)+1, s.MinDomain)
	ends := make([]int64, n)
	for i := range ends {
		ends[i] = all.hi
		// A border after the end may still move before it, but not one that is a stripe
		// farther, which may not even fit an int64.
		if size <= (all.hi-all.lo+s.Stripe)/int64(i+1) {
			ends[i] = min(all.hi, s.aligned(all.lo+size*int64(i+1)))
		}
	}
	ends[n-1] = all.hi
	return ends
}

// aligned moves the border of a domain to the nearest border of a stripe, or up if two are
// equally near.
func (s TwoPhase) aligned(at int64) int64 {
	if s.Stripe == 0 {
		return at
	}
	over := at % s.Stripe
	if over < s.Stripe-over {
		return at - over
	}
	return at + s.Stripe - over
}

// aggregators returns the ranks that carry n domains, in ascending order.
func (s TwoPhase) aggregators(n, ranks int) []int {
	machines := (ranks-1)/s.PerNode + 1
	list := make([]int, 0, n)
	for first := 0; len(list) < n; first++ {
		for m := 0; m < machines && len(list) < n; m++ {
			if r := m*s.PerNode + first; r < ranks {
				list = append(list, r)
			}
		}
	}
	slices.Sort(list)
	return list
}

// shares lists which bytes of which rank each aggregator carries, by carrier and offset in
// the file. Domain i belongs to rank carriers[i].
func (c *cut) shares(parts []Part, carriers []int) []Move {
	var all []Move
	for r := range parts {
		pos := int64(0)
		c.each(&parts[r], func(i int, off, n int64) {
			all = append(all, Move{Rank: r, Carrier: carriers[i], Off: off, Pos: pos, Len: n})
			pos += n
		})
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return a.Carrier < b.Carrier || a.Carrier == b.Carrier && a.Off < b.Off
	})
	return all
}

// rounds cuts the moves of each carrier into rounds of one buffer, and makes the requests.
// An aggregator's first round begins at the first byte that a rank moves in its domain, and
// its last round ends with the last such byte.
func (s TwoPhase) rounds(p *Plan, c *cut) {
	moves := p.Moves
	p.Moves = make([]Move, 0, len(moves))
	for len(moves) > 0 {
		n := 0
		for n < len(moves) && moves[n].Carrier == moves[0].Carrier {
			n++
		}
		s.carrier(p, c, moves[:n])
		moves = moves[n:]
	}
}

// carrier plans the rounds of one carrier.
func (s TwoPhase) carrier(p *Plan, c *cut, moves []Move) {
	reach := stretch{moves[0].Off, 0}
	for _, m := range moves {
		reach.hi = max(reach.hi, m.Off+m.Len)
	}
	first := len(p.Moves)
	for _, m := range moves {
		for m.Len > 0 {
			round, w := c.window(reach, m.Off)
			part := m
			part.Round, part.Len = round, min(m.Len, w.hi-m.Off)
			p.Moves = append(p.Moves, part)
			m.Off, m.Pos, m.Len = m.Off+part.Len, m.Pos+part.Len, m.Len-part.Len
		}
	}
	mine := p.Moves[first:]
	sort.SliceStable(mine, func(i, j int) bool {
		a, b := &mine[i], &mine[j]
		return a.Round < b.Round || a.Round == b.Round && a.Off < b.Off
	})
	p.Rounds = max(p.Rounds, c.lastRound(reach)+1)
	pieces := p.Write && c.pieces
	if pieces {
		p.Rounds = max(p.Rounds, numberPieces(mine))
	}
	for len(mine) > 0 {
		n := SameRound(mine)
		_, w := c.window(reach, mine[0].Off)
		if c.stripe > 0 {
			w.lo = mine[0].Off
		}
		if pieces {
			w.hi = end(mine[:n])
		}
		r := Request{Rank: mine[0].Carrier, Round: mine[0].Round, Off: w.lo, Len: w.hi - w.lo, Runs: 1}
		if !p.Write || holed(mine[:n], w.lo, w.hi) {
			p.Requests = append(p.Requests, r)
		}
		if r.Write = p.Write; r.Write {
			p.Requests = append(p.Requests, r)
		}
		mine = mine[n:]
	}
}

// numberPieces gives each piece without a hole within a window a round of its own, and returns the number of
// rounds.
func numberPieces(moves []Move) int {
	round, hi := -1, int64(0)
	window := -1
	for i := range moves {
		m := &moves[i]
		if m.Round != window || m.Off > hi {
			window, hi = m.Round, m.Off
			round++
		}
		hi = max(hi, m.Off+m.Len)
		m.Round = round
	}
	return round + 1
}

func end(moves []Move) (hi int64) {
	for i := range moves {
		hi = max(hi, moves[i].Off+moves[i].Len)
	}
	return hi
}

// SameRound returns the number of moves, from the first on, with the carrier and round of
// the first.
func SameRound(moves []Move) int {
	n := min(1, len(moves))
	for n < len(moves) && moves[n].Round == moves[0].Round && moves[n].Carrier == moves[0].Carrier {
		n++
	}
	return n
}

// holed reports whether moves, ordered by offset, leave a gap in bytes [lo, hi).
func holed(moves []Move, lo, hi int64) bool {
	for _, m := range moves {
		if m.Off > lo {
			return true
		}
		lo = max(lo, m.Off+m.Len)
	}
	return lo < hi
}

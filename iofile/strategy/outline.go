package strategy

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// An Outline is a summary of a plan in rounds, without a list of every byte that moves:
// its size depends on ranks, aggregators and rounds, not on the number of runs. It has the
// same requests as the [Plan].
type Outline struct {
	Write    bool
	Ranks    int
	Useful   int64
	Rounds   int
	Carriers []Carrier // in the order of ranks; idle ones are left out
}

// A Carrier has the work of one aggregator.
type Carrier struct {
	Rank    int
	Windows []Window // in the order of rounds
}

// A Window is one round of an aggregator: a stretch of the file in its buffer. A write first
// reads a window with holes.
type Window struct {
	Round    int
	Off, Len int64
	Holes    bool      // no rank brings some bytes of it
	Messages []Message // in the order of ranks

	bytes int64
	sum   uint64
}

// A Message is the bytes of a window that one rank sends or, in a read, receives.
type Message struct {
	Rank  int
	Bytes int64
}

// NewOutline outlines a collective access in which rank r moves parts[r] by strategy s. It
// returns nil if each rank moves its own bytes. Errors: ErrArg for invalid settings or parts,
// and for a plan that does not move each byte once.
func NewOutline(s Strategy, write bool, parts []Part) (*Outline, error) {
	switch s := s.(type) {
	case TwoPhase:
		return s.Outline(write, parts)
	case JointPlanner:
		p, err := NewPlan(s, write, true, parts)
		if err != nil || p.Rounds == 0 {
			return nil, err
		}
		return p.outline(), nil
	}
	return nil, nil
}

// outline outlines a plan in rounds.
func (p *Plan) outline() *Outline {
	o := &Outline{Write: p.Write, Ranks: p.Ranks, Useful: p.Useful, Rounds: p.Rounds}
	for i := range p.Requests {
		r := &p.Requests[i]
		if r.Write != p.Write { // it reads what the next one writes
			continue
		}
		if n := len(o.Carriers); n == 0 || o.Carriers[n-1].Rank != r.Rank {
			o.Carriers = append(o.Carriers, Carrier{Rank: r.Rank})
		}
		w := Window{Round: r.Round, Off: r.Off, Len: r.Len, Holes: p.Write && i > 0 && p.Requests[i-1] == r.Reading()}
		bytes, ranks := map[int]int64{}, []int(nil)
		for _, m := range p.MovesOf(r) {
			if bytes[m.Rank] == 0 {
				ranks = append(ranks, m.Rank)
			}
			bytes[m.Rank] += m.Len
		}
		slices.Sort(ranks)
		for _, rank := range ranks {
			w.Messages = append(w.Messages, Message{rank, bytes[rank]})
		}
		c := &o.Carriers[len(o.Carriers)-1]
		c.Windows = append(c.Windows, w)
	}
	return o
}

// Outline outlines a collective access in which rank r moves parts[r]. It returns nil if
// each rank moves its own bytes. Zero settings of s mean the defaults. Errors: ErrArg for
// invalid settings or parts.
func (s TwoPhase) Outline(write bool, parts []Part) (*Outline, error) {
	s, spans, ok, err := s.prepared(write, parts)
	if err != nil || !ok {
		return nil, err
	}
	o := &Outline{Write: write, Ranks: len(parts)}
	c := s.cut(write, spans)
	if write && c.pieces { // requests depend on runs
		p, err := Lay(s, write, true, parts)
		return p.outline(), err
	}
	carriers := s.aggregators(c.n, len(parts))
	windows := make([]windows, c.n)
	for i, r := range c.reaches(parts) {
		if r.hi > 0 {
			windows[i].stretch, windows[i].cut = r.stretch, c
			o.Rounds = max(o.Rounds, windows[i].prepare(r.runs))
		}
	}
	for rank := range parts {
		o.Useful += parts[rank].N
		c.each(&parts[rank], func(i int, off, n int64) {
			for n > 0 {
				w, end := windows[i].at(off)
				k := min(n, end-off)
				w.take(rank, off, k)
				off, n = off+k, n-k
			}
		})
	}
	for i := range windows {
		list := windows[i].used()
		for k := range list {
			list[k].Holes = list[k].holed(parts)
		}
		if len(list) > 0 {
			o.Carriers = append(o.Carriers, Carrier{carriers[i], list})
		}
	}
	return o, nil
}

// windows has the windows of one aggregator: as a list or, if they are too many to be all in
// use, as a map.
type windows struct {
	stretch // that the aggregator moves
	cut     *cut
	first   int // round of list[0]
	list    []Window
	few     map[int]*Window
}

// mostListed is the largest number of windows that are kept in a list although fewer than half may be in use.
const mostListed = 1 << 14

// prepare returns the number of rounds, for bytes in that number of runs.
func (x *windows) prepare(runs int) int {
	x.first, _ = x.cut.window(x.stretch, x.lo)
	rounds := x.cut.lastRound(x.stretch) + 1
	if n := rounds - x.first; n <= max(mostListed, 2*runs) {
		x.list = make([]Window, n)
	} else {
		x.few = map[int]*Window{}
	}
	return rounds
}

// at returns the window that contains a byte, and its end.
func (x *windows) at(off int64) (w *Window, end int64) {
	round, bounds := x.cut.window(x.stretch, off)
	if x.few == nil {
		w = &x.list[round-x.first]
	} else if w = x.few[round]; w == nil {
		w = new(Window)
		x.few[round] = w
	}
	switch {
	case w.Messages == nil:
		w.Round, w.Off, w.Len = round, bounds.lo, bounds.hi-bounds.lo
		if x.cut.stripe > 0 {
			w.Off, w.Len = off, bounds.hi-off
		}
	case x.cut.stripe > 0 && off < w.Off: // a stripe is in use from the first byte that some rank moves
		w.Off, w.Len = off, bounds.hi-off
	}
	return w, bounds.hi
}

// used returns the windows with bytes of some rank, in order.
func (x *windows) used() []Window {
	if x.few == nil {
		return slices.DeleteFunc(x.list, func(w Window) bool { return len(w.Messages) == 0 })
	}
	list := make([]Window, 0, len(x.few))
	for _, w := range x.few {
		list = append(list, *w)
	}
	slices.SortFunc(list, func(a, b Window) int { return cmp.Compare(a.Round, b.Round) })
	return list
}

// spans returns the stretch of each part, and whether aggregators carry the access. On a
// 32-bit machine they do not carry an access with more rounds than an int can count.
func (s TwoPhase) spans(write bool, parts []Part) ([]stretch, bool) {
	when := s.Read
	if write {
		when = s.Write
	}
	if when == Disable {
		return nil, false
	}
	spans := make([]stretch, len(parts))
	for r := range parts {
		if parts[r].N > 0 {
			spans[r].lo, spans[r].hi = span(&parts[r])
		}
	}
	return spans, (when == Enable || interleaved(spans) || s.joins(write, parts)) && s.countable(spans)
}

// countable reports whether an int can count the rounds of parts with these stretches, under
// any domains.
func (s TwoPhase) countable(spans []stretch) bool {
	if strconv.IntSize == 64 {
		return true
	}
	all := union(spans)
	least := s.Buffer
	if s.Driver != UFS {
		least = min(least, s.Stripe)
	}
	return all.hi <= all.lo || (all.hi-all.lo)/least < math.MaxInt
}

// take adds bytes of a rank.
func (w *Window) take(rank int, off, n int64) {
	w.bytes += n
	w.sum += mix(off+n) - mix(off)
	if k := len(w.Messages); k > 0 && w.Messages[k-1].Rank == rank {
		w.Messages[k-1].Bytes += n
		return
	}
	w.Messages = append(w.Messages, Message{rank, n})
}

// holed reports whether the window has bytes that no rank brings. Runs that cover the window
// without overlap have as many bytes as it has, and their ends cancel out in a sum of random
// numbers, one for each offset; only overlaps need a search.
func (w *Window) holed(parts []Part) bool {
	switch {
	case w.bytes < w.Len:
		return true
	case w.bytes == w.Len && w.sum == mix(w.Off+w.Len)-mix(w.Off):
		return false
	}
	var runs []stretch
	for r := range w.Messages {
		for off, n := range parts[w.Messages[r].Rank].Runs() {
			if lo, hi := max(off, w.Off), min(off+n, w.Off+w.Len); lo < hi {
				runs = append(runs, stretch{lo, hi})
			}
		}
	}
	slices.SortFunc(runs, func(a, b stretch) int { return cmp.Compare(a.lo, b.lo) })
	at := w.Off
	for _, x := range runs {
		if x.lo > at {
			return true
		}
		at = max(at, x.hi)
	}
	return at < w.Off+w.Len
}

// mix is a random number for each offset (the finalizer of SplitMix64).
func mix(x int64) uint64 {
	z := uint64(x) + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Requests returns the requests of the window's aggregator, in order.
func (w *Window) Requests(rank int, write bool) []Request {
	r := Request{Rank: rank, Round: w.Round, Off: w.Off, Len: w.Len, Runs: 1}
	switch {
	case !write:
		return []Request{r}
	case w.Holes:
		back := r
		back.Write = true
		return []Request{r, back}
	}
	r.Write = true
	return []Request{r}
}

// Counts returns the counts of the outline, over all ranks.
func (o *Outline) Counts() Counts {
	n := Counts{Useful: o.Useful, Rounds: int64(o.Rounds)}
	for i := range o.Carriers {
		c := &o.Carriers[i]
		for k := range c.Windows {
			w := &c.Windows[k]
			for _, r := range w.Requests(c.Rank, o.Write) {
				n.request(&r)
			}
			for _, m := range w.Messages {
				if m.Rank != c.Rank {
					n.Sent += m.Bytes
				}
			}
		}
	}
	return n
}

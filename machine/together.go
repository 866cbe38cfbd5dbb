package machine

import (
	"cmp"
	"slices"

	"github.com/commworld/commworld/iofile/strategy"
)

// A carrier is the state of an aggregator.
type carrier struct {
	rank     int
	in       int // its rank in the group
	group    *members
	windows  []strategy.Window  // of the remaining rounds
	window   *strategy.Window   // of this round
	requests []strategy.Request // of this round
	ready    float64            // when it can continue
	done     float64            // when its requests of this round are done
	round    Parts              // its time in this round, by part
}

// A turn is one round: it has the time at which each rank finished its part of the round so
// far.
type turn struct {
	begin float64
	at    map[int]float64
	spent map[int]*Parts // time in the whole exchange, by rank and part
}

// does makes a rank spend time on a part after its earlier work in this round, and returns
// the end of that time.
func (x *turn) does(rank int, into int, time float64) float64 {
	at, ok := x.at[rank]
	if !ok {
		at = x.begin
	}
	p := x.spent[rank]
	if p == nil {
		p = new(Parts)
		x.spent[rank] = p
	}
	p[into] += time
	x.at[rank] = at + time
	return at + time
}

// exchange carries out the rounds of two-phase I/O from t on. In each round all ranks
// learn the counts. For a write the bytes go to the aggregators, which then make their
// requests; for a read they go the other way. The next round begins when all aggregators
// are done.
func (s *sim) exchange(c *Call, g *members, o *strategy.Outline, t float64) {
	f, begin := s.file(c.File), t
	x := &turn{spent: map[int]*Parts{}}
	counts := s.tree(g)
	s.counts.Rounds += int64(o.Rounds)
	all := make([]*carrier, len(o.Carriers))
	for i := range all {
		all[i] = &carrier{rank: g.rank(o.Carriers[i].Rank), in: o.Carriers[i].Rank, group: g, windows: o.Carriers[i].Windows}
	}
	critical := s.since[g.rank(0)] // all ranks have met, so it is the same for each
	slowest := 0
	for i := 0; i < o.Rounds; i++ {
		if next := nextRound(all, o.Rounds); next > i { // in the rounds between, ranks only find that there are no bytes to move
			skipped := float64(next-i) * counts
			critical[InNetwork] += skipped
			if t, i = t+skipped, next; i == o.Rounds {
				break
			}
		}
		x.begin, x.at = t+counts, map[int]float64{}
		var busy []*carrier
		for _, a := range all {
			if len(a.windows) > 0 && a.windows[0].Round == i {
				a.window, a.windows = &a.windows[0], a.windows[1:]
				a.requests, a.ready, a.round = a.window.Requests(a.in, o.Write), x.begin, Parts{}
				busy = append(busy, a)
			}
		}
		if o.Write {
			for _, a := range busy {
				s.collect(a, x)
			}
			for _, a := range busy {
				a.fill(s.m, x)
			}
		}
		last := s.perform(f, busy, x)
		end := last.done
		if !o.Write {
			for _, a := range busy {
				end = max(end, s.distribute(a, x))
			}
		}
		critical.add(&last.round)
		critical[InNetwork] += counts + max(0, end-last.done)
		slowest, t = last.rank, max(x.begin, end)
	}
	for rank := range g.all() {
		var spent Parts
		if p := x.spent[rank]; p != nil {
			spent = *p
		}
		spent[InNetwork] += counts * float64(o.Rounds)
		spent[InPeers] += max(0, t-begin-spent.Sum())
		s.spend(rank, c.label(), t, &spent)
	}
	s.walk(g, &stride{Stretch: Stretch{Rank: slowest, Before: c.label() + " was done (aggregators)", Parts: critical}, before: s.paths[slowest]})
}

// nextRound returns the next round in which some aggregator has work.
func nextRound(all []*carrier, rounds int) int {
	for _, a := range all {
		if len(a.windows) > 0 {
			rounds = min(rounds, a.windows[0].Round)
		}
	}
	return rounds
}

// bytesOf returns the number of the ranks' bytes in the window.
func bytesOf(w *strategy.Window) (n int64) {
	for i := range w.Messages {
		n += w.Messages[i].Bytes
	}
	return n
}

// collect makes all ranks send the bytes that the aggregator writes in this round.
func (s *sim) collect(a *carrier, x *turn) {
	to := s.node(a.rank)
	for _, m := range a.window.Messages {
		rank := a.group.rank(m.Rank)
		at := x.does(rank, InCopy, float64(m.Bytes)/s.m.Copy)
		if rank != a.rank {
			s.counts.Sent += m.Bytes
			from := s.node(rank)
			x.does(rank, InNetwork, s.m.link(from, to).Overhead)
			_, at = s.transmit(from, to, at, m.Bytes)
		}
		a.ready = max(a.ready, at)
	}
}

// fill makes the aggregator wait for the messages and copy them into its buffer.
func (a *carrier) fill(m *Machine, x *turn) {
	at := x.does(a.rank, InNetwork, 0)
	a.ready = max(a.ready, at)
	a.round[InCopy], a.round[InNetwork] = float64(bytesOf(a.window))/m.Copy, a.ready-x.begin
	x.does(a.rank, InNetwork, a.ready-at)
	a.ready = x.does(a.rank, InCopy, a.round[InCopy])
}

// distribute makes the aggregator send the bytes that it has read, and returns when the last
// rank has its bytes.
func (s *sim) distribute(a *carrier, x *turn) (end float64) {
	from := s.node(a.rank)
	at := x.does(a.rank, InCopy, float64(bytesOf(a.window))/s.m.Copy)
	end = at
	for _, m := range a.window.Messages {
		unpack, rank := float64(m.Bytes)/s.m.Copy, a.group.rank(m.Rank)
		if rank == a.rank {
			end = max(end, x.does(a.rank, InCopy, unpack))
			continue
		}
		s.counts.Sent += m.Bytes
		to := s.node(rank)
		at = x.does(a.rank, InNetwork, s.m.link(from, to).Overhead)
		_, arrived := s.transmit(from, to, at, m.Bytes)
		waited := max(0, arrived-x.does(rank, InPeers, 0))
		x.does(rank, InPeers, waited)
		end = max(end, x.does(rank, InCopy, unpack))
	}
	return end
}

// perform makes the aggregators of a round do their requests, the earliest first, and
// returns the aggregator that finishes last.
func (s *sim) perform(f *file, busy []*carrier, x *turn) (last *carrier) {
	queue := slices.Clone(busy)
	slices.SortStableFunc(queue, func(a, b *carrier) int { return cmp.Compare(a.ready, b.ready) })
	for len(queue) > 0 {
		a := queue[0]
		queue = queue[1:]
		r := &a.requests[0]
		done, spent := s.cached(a.rank, a.ready, f, r, []run{{r.Off, r.Len}})
		if s.tracer != nil {
			s.tracer.served(row{ofAggregator, a.rank}, r.Write, r.Len, f, a.rank, a.ready, done, map[string]any{"round": r.Round, "offset": r.Off})
		}
		a.round.add(&spent)
		for into, time := range spent {
			x.does(a.rank, into, time)
		}
		if a.requests = a.requests[1:]; len(a.requests) == 0 {
			if a.done = done; last == nil || done > last.done {
				last = a
			}
			continue
		}
		a.ready = done
		i, _ := slices.BinarySearchFunc(queue, done, func(o *carrier, t float64) int {
			if o.ready <= t {
				return -1
			}
			return 1
		})
		queue = slices.Insert(queue, i, a)
	}
	return last
}

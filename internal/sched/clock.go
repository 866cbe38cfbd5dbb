package sched

import (
	"cmp"
	"maps"
	"slices"
)

// A Clock is a vector clock: it says which events of each rank happened before one moment
// of one rank. It is an immutable value of a few words. The zero Clock covers no event.
//
// Only [Rank.Tick] advances time, at events whose order may be asked for, and not at every
// message: ranks that only exchange messages keep equal clocks, and joining equal clocks
// costs one comparison. Ranks share the lists: after a barrier all of them point to the
// same one.
type Clock struct {
	known *known
	deps  *history // when exploring: the choices that happened before
	time  uint64   // time of the clock's own rank
	rank  int32
}

// known holds the times of other ranks in a clock: base, and news, sorted by rank, with
// times that are newer than those of base. It never changes once a Clock has it.
type known struct {
	base []uint64 // by rank; nil means all 0
	news []stamp
}

// A stamp is a rank with a time of it.
type stamp struct {
	rank int32
	time uint64
}

// maxNews is how many stamps a base of any size may have on top of it. With more of them,
// and once copying them costs as much as building a new base, they are merged into a new
// base.
const maxNews = 8

// Covers reports whether event number time of rank happened before c, or is the last event
// before it. Times begin at 1.
func (c Clock) Covers(rank int, time uint64) bool {
	return c.rank == int32(rank) && c.time >= time || c.known.at(int32(rank)) >= time
}

// Known is what a clock says about other ranks. It is one pointer, so an interface holds it
// without an allocation.
type Known struct{ known *known }

// Covers reports whether event number time of another rank happened before.
func (k Known) Covers(rank int, time uint64) bool { return k.known.at(int32(rank)) >= time }

// CoversEvent reports whether the event at which its rank had the clock d happened before c.
// It is false if that rank had no event.
func (c Clock) CoversEvent(d Clock) bool { return d.time > 0 && c.Covers(int(d.rank), d.time) }

// Time returns the time of the clock's own rank: the number of its events so far. It is 0 if
// clocks are off.
func (c Clock) Time() uint64 { return c.time }

// Known returns what the clock says about other ranks.
func (c Clock) Known() Known { return Known{c.known} }

// Quiet reports whether c and d cover the same events and the rank of c has had no event.
func (c Clock) Quiet(d Clock) bool {
	return c.time == 0 && c.known == d.known && c.deps == d.deps
}

// Join returns a clock of c's rank that covers all events of c and d.
func (c Clock) Join(d Clock) Clock {
	c.known = c.known.join(d.known).with(d.rank, d.time)
	c.deps = c.deps.union(d.deps)
	return c
}

// After returns c with the choices that happened before d. An exploring world needs it for
// an event that came after d although the standard does not promise that order.
func (c Clock) After(d Clock) Clock {
	c.deps = c.deps.union(d.deps)
	return c
}

// at returns the known time of a rank.
func (k *known) at(rank int32) uint64 {
	if k == nil {
		return 0
	}
	i, found := slices.BinarySearchFunc(k.news, rank, func(s stamp, r int32) int { return int(s.rank) - int(r) })
	if found {
		return k.news[i].time
	}
	if int(rank) < len(k.base) {
		return k.base[rank]
	}
	return 0
}

// with returns k with the given time added, or k itself if it already covers that time.
func (k *known) with(rank int32, time uint64) *known {
	if time == 0 || k.at(rank) >= time {
		return k
	}
	if k == nil {
		return &known{news: []stamp{{rank, time}}}
	}
	return (&known{k.base, merge(k.news, []stamp{{rank, time}})}).compact()
}

// join returns the times of k and o together: k or o itself if one covers the other.
func (k *known) join(o *known) *known {
	switch {
	case k == o || o == nil:
		return k
	case k == nil:
		return o
	case o.within(k):
		return k
	case k.within(o):
		return o
	}
	a := accumulator{}
	a.add(k)
	a.add(o)
	return a.result()
}

// within reports whether o covers all events of k.
func (k *known) within(o *known) bool {
	if !sameBase(k.base, o.base) {
		for r, t := range k.base {
			if t > o.at(int32(r)) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(k.news, func(s stamp) bool { return s.time > o.at(s.rank) })
}

// compact merges the news of k into a new base if there are many of them.
func (k *known) compact() *known {
	n := len(k.news)
	if n <= maxNews {
		return k
	}
	size := max(len(k.base), int(k.news[n-1].rank)+1)
	if n < size/4 {
		return k
	}
	base := make([]uint64, size)
	copy(base, k.base)
	for _, s := range k.news {
		base[s.rank] = s.time
	}
	return &known{base: base}
}

func sameBase(a, b []uint64) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// merge joins two lists of stamps in order of rank.
func merge(a, b []stamp) []stamp {
	all := make([]stamp, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].rank < b[0].rank:
			all, a = append(all, a[0]), a[1:]
		case a[0].rank > b[0].rank:
			all, b = append(all, b[0]), b[1:]
		default:
			all = append(all, stamp{a[0].rank, max(a[0].time, b[0].time)})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// An accumulator joins many clocks. Clocks that share one list, as they do after a barrier,
// are counted once.
type accumulator struct {
	last *known
	seen map[*known]bool  // created when clocks begin to differ
	base []uint64         // base of the first clock that has one
	more map[int32]uint64 // newer than base
}

func (a *accumulator) add(k *known) {
	if k == nil || k == a.last {
		return
	}
	if a.last == nil {
		a.base = k.base
	} else if a.seen == nil {
		a.seen = map[*known]bool{a.last: true}
	}
	a.last = k
	if a.seen[k] {
		return
	}
	if a.seen != nil {
		a.seen[k] = true
	}
	if !sameBase(a.base, k.base) {
		for r, t := range k.base {
			a.stamp(int32(r), t)
		}
	}
	for _, s := range k.news {
		a.stamp(s.rank, s.time)
	}
}

func (a *accumulator) stamp(rank int32, time uint64) {
	if time == 0 || int(rank) < len(a.base) && a.base[rank] >= time || a.more[rank] >= time {
		return
	}
	if a.more == nil {
		a.more = map[int32]uint64{}
	}
	a.more[rank] = time
}

func (a *accumulator) result() *known {
	if len(a.more) == 0 {
		return &known{base: a.base}
	}
	news := make([]stamp, 0, len(a.more))
	for _, r := range slices.Sorted(maps.Keys(a.more)) {
		news = append(news, stamp{r, a.more[r]})
	}
	return (&known{a.base, news}).compact()
}

// JoinAll joins the clocks of n members of a meeting into one that all of them share; each
// member then takes it by [Rank.Adopt]. Clocks that are equal, or differ only in the times
// of their own ranks, cost one step each.
func JoinAll(n int, clock func(i int) Clock) Clock {
	first, deps := clock(0).known, clock(0).deps
	alike, fresh := true, 0
	for i := range n {
		c := clock(i)
		if c.deps != deps {
			deps = deps.union(c.deps)
		}
		alike = alike && c.known == first
		if c.time > first.at(c.rank) {
			fresh++
		}
	}
	switch {
	case !alike:
		a := accumulator{}
		for i := range n {
			c := clock(i)
			a.add(c.known)
		}
		first = a.result()
	case fresh == 0:
		return Clock{known: first, deps: deps}
	}
	return Clock{known: first.stampAll(n, fresh, clock), deps: deps}
}

// stampAll adds the own times of n clocks to k; about fresh of them are new.
func (k *known) stampAll(n, fresh int, clock func(i int) Clock) *known {
	if k == nil {
		k = &known{}
	}
	if fresh > maxNews && fresh >= n/4 && fresh >= len(k.base)/4 {
		return k.rebase(n, clock)
	}
	var news []stamp
	for i := range n {
		if c := clock(i); c.time > k.at(c.rank) {
			news = append(news, stamp{c.rank, c.time})
		}
	}
	if len(news) == 0 {
		return k
	}
	// A rank may occur twice, with an old and a new time.
	slices.SortFunc(news, func(a, b stamp) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.time, a.time)) })
	news = slices.CompactFunc(news, func(a, b stamp) bool { return a.rank == b.rank })
	return (&known{k.base, merge(k.news, news)}).compact()
}

// rebase is stampAll for the case that a large share of the ranks has new times.
func (k *known) rebase(n int, clock func(i int) Clock) *known {
	size := len(k.base)
	for i := range n {
		size = max(size, int(clock(i).rank)+1)
	}
	if l := len(k.news); l > 0 {
		size = max(size, int(k.news[l-1].rank)+1)
	}
	base := make([]uint64, size)
	copy(base, k.base)
	for _, s := range k.news {
		base[s.rank] = s.time
	}
	for i := range n {
		c := clock(i)
		base[c.rank] = max(base[c.rank], c.time)
	}
	return &known{base: base}
}

// Tick records an event of the rank: it advances the rank's own time and returns it. It
// returns 0 if clocks are off.
func (r *Rank) Tick() uint64 {
	if r.s.noClocks {
		return 0
	}
	r.time++
	return r.time
}

// Clock returns the rank's clock, for a caller that passes it to no other rank. Only the
// rank itself may call it, or the explorer while no rank runs; where ranks are explored, any rank
// may, because one runs at a time.
func (r *Rank) Clock() Clock { return Clock{known: r.known, deps: r.deps, time: r.time, rank: r.id} }

// Moment returns the time of the clock's own rank.
func (c Clock) Moment() Moment { return Moment{c.time, c.rank} }

// Publish returns the rank's clock for other ranks, and marks the point. marked says that
// this call has been marked, by [Rank.MarkCall] or Publish: if the rank had no event since,
// that mark is enough. Only the rank itself may call it.
func (r *Rank) Publish(marked bool) Clock {
	if r.marks != nil && (!marked || r.marks.last < r.time) {
		r.mark(Mark{})
	}
	r.published = r.time
	return r.Clock()
}

// FirstUnpublished returns the time from which on no other rank can know of events of r: one
// more than its time at the last [Rank.Publish]. Only the rank itself may call it.
func (r *Rank) FirstUnpublished() uint64 { return r.published + 1 }

// Join makes everything that c covers happen before all later events of the rank.
func (r *Rank) Join(c Clock) {
	if c.known != r.known || c.deps != r.deps || c.time > 0 {
		r.join(c)
	}
}

func (r *Rank) join(c Clock) {
	if c.deps != r.deps {
		r.deps = r.deps.union(c.deps)
	}
	if c.known == r.known && r.known.at(c.rank) >= c.time || r.s.noClocks {
		return
	}
	r.known = r.known.join(c.known)
	if c.rank != r.id {
		r.known = r.known.with(c.rank, c.time)
	}
	if r.marks != nil {
		r.mark(Mark{})
	}
}

// Adopt is Join for a clock c that covers before, an earlier clock of the rank. If the rank
// has learned nothing since then, Adopt costs almost nothing.
func (r *Rank) Adopt(before, c Clock) {
	if r.known == before.known && !r.s.noClocks {
		r.known, r.deps = c.known, r.deps.union(c.deps)
		if c.rank != r.id {
			r.known = r.known.with(c.rank, c.time)
		}
		if r.marks != nil {
			r.mark(Mark{})
		}
		return
	}
	r.Join(c)
}

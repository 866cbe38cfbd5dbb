package sched

import (
	"cmp"
	"maps"
	"slices"
)

// A Clock is a vector clock: what had happened before some moment of one rank.
// It is an immutable value of a few words. The zero Clock knows nothing.
//
// Time passes by [Rank.Tick] only, for events that somebody may ask about, and
// not with every message: ranks that do nothing but talk keep clocks that are
// all alike, and joining those costs a comparison. What ranks know is shared:
// after a barrier all of them point to one list.
type Clock struct {
	known *known
	past  *history // when exploring: the choices before it
	time  uint64   // of rank itself
	rank  int32
}

// known is what a clock says about ranks: base, and over it the newer times in
// news, in order of rank. It never changes once a Clock has it.
type known struct {
	base []uint64 // by rank; nil is all 0
	news []stamp
}

// A stamp is a time of a rank.
type stamp struct {
	rank int32
	time uint64
}

// few is how many stamps may lie over a base whatever its size. With more of
// them, in a share of the world that makes copying them cost what a new base
// does, they become one.
const few = 8

// Covers says whether event time of rank happened before c, or is the last
// before it. Times begin at 1.
func (c Clock) Covers(rank int, time uint64) bool {
	return c.rank == int32(rank) && c.time >= time || c.known.at(int32(rank)) >= time
}

// Quiet reports whether c and d know the same, and c is of a rank without any
// events.
func (c Clock) Quiet(d Clock) bool {
	return c.time == 0 && c.known == d.known && c.past == d.past
}

// Join returns what c and d know together. It is still a clock of c's rank.
func (c Clock) Join(d Clock) Clock {
	c.known = c.known.join(d.known).with(d.rank, d.time)
	c.past = c.past.union(d.past)
	return c
}

// After is what an exploring world has to know of something that happened
// after d without the standard promising it: c with the choices before d.
func (c Clock) After(d Clock) Clock {
	c.past = c.past.union(d.past)
	return c
}

// at returns the time of a rank.
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

// with returns k with one time more, k itself if that is no news.
func (k *known) with(rank int32, time uint64) *known {
	if time == 0 || k.at(rank) >= time {
		return k
	}
	if k == nil {
		return &known{news: []stamp{{rank, time}}}
	}
	return (&known{k.base, merge(k.news, []stamp{{rank, time}})}).settle()
}

// join returns what k and o know together: one of the two if it knows all.
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

// within says whether o knows all that k does.
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

// settle makes the news of k its base if they are many.
func (k *known) settle() *known {
	n := len(k.news)
	if n <= few {
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

// An accumulator joins many clocks. Those that share what they know, as they
// do after a barrier, are looked at once.
type accumulator struct {
	last *known
	seen map[*known]bool  // made when clocks begin to differ
	base []uint64         // of the first that had one
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
	return (&known{a.base, news}).settle()
}

// JoinAll joins the clocks of n members of a meeting, for all of them to
// share; each then takes it by [Rank.Adopt]. Clocks that are alike, or know
// the same but for what their own ranks did, cost a step each.
func JoinAll(n int, clock func(i int) Clock) Clock {
	first, past := clock(0).known, clock(0).past
	alike, fresh := true, 0
	for i := range n {
		c := clock(i)
		if c.past != past {
			past = past.union(c.past)
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
		return Clock{known: first, past: past}
	}
	return Clock{known: first.stampAll(n, fresh, clock), past: past}
}

// stampAll adds the own times of n clocks to k, about fresh of which are new.
func (k *known) stampAll(n, fresh int, clock func(i int) Clock) *known {
	if k == nil {
		k = &known{}
	}
	if fresh > few && fresh >= n/4 && fresh >= len(k.base)/4 {
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
	// A rank may be there twice: as it is and as it was.
	slices.SortFunc(news, func(a, b stamp) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.time, a.time)) })
	news = slices.CompactFunc(news, func(a, b stamp) bool { return a.rank == b.rank })
	return (&known{k.base, merge(k.news, news)}).settle()
}

// rebase is stampAll for a good part of the world.
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

// Tick is an event of the rank: it advances the rank's own time and returns
// it. It returns 0 where clocks are off.
func (r *Rank) Tick() uint64 {
	if r.s.noClocks {
		return 0
	}
	r.time++
	return r.time
}

// Now returns the rank's clock. Only the rank itself may ask.
func (r *Rank) Now() Clock {
	if r.marks != nil {
		r.mark(Mark{})
	}
	r.told = r.time
	return r.Look()
}

// Look is Now for one who shows the clock to no other rank.
func (r *Rank) Look() Clock { return Clock{known: r.known, past: r.past, time: r.time, rank: r.id} }

// Told returns one more than the rank's time when [Rank.Now] was called last: no
// other rank has heard of events since. Only the rank itself may ask.
func (r *Rank) Told() uint64 { return r.told + 1 }

// Join makes what c knows happen before whatever the rank does next.
func (r *Rank) Join(c Clock) {
	if c.known != r.known || c.past != r.past || c.time > 0 {
		r.join(c)
	}
}

func (r *Rank) join(c Clock) {
	if c.past != r.past {
		r.past = r.past.union(c.past)
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

// Adopt is Join of a clock that is known to cover before, an earlier one of
// the rank: if the rank has learned nothing since, that costs nothing.
func (r *Rank) Adopt(before, c Clock) {
	if r.known == before.known && !r.s.noClocks {
		r.known, r.past = c.known, r.past.union(c.past)
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

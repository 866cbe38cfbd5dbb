package sched

// A Floor says which events all of several clocks cover. Clocks that share a list, as they do
// after a barrier, cost a few steps each, whatever the number of ranks is.
type Floor struct {
	groups map[*uint64]*floorGroup
	low    map[int]uint64 // what Covers has computed, by rank
}

// A floorGroup is the clocks with one base.
type floorGroup struct {
	n    int
	base []uint64
	news map[int32]leastTime // times that replace those of the base
}

// leastTime is the least of n times.
type leastTime struct {
	n    int
	time uint64
}

// Add adds the clock of a rank at one of its events: its own time, and what it knows of others.
func (f *Floor) Add(rank int, time uint64, k Known) {
	var base []uint64
	var news []stamp
	if k.known != nil {
		base, news = k.known.base, k.known.news
	}
	var key *uint64
	if len(base) > 0 {
		key = &base[0]
	}
	g := f.groups[key]
	if g == nil {
		if f.groups == nil {
			f.groups = map[*uint64]*floorGroup{}
		}
		g = &floorGroup{base: base, news: map[int32]leastTime{}}
		f.groups[key] = g
	}
	g.n++
	g.add(int32(rank), time)
	for _, s := range news {
		if s.rank != int32(rank) {
			g.add(s.rank, s.time)
		}
	}
	f.low = nil
}

func (g *floorGroup) add(rank int32, time uint64) {
	l := g.news[rank]
	if l.n == 0 || time < l.time {
		l.time = time
	}
	l.n++
	g.news[rank] = l
}

// at returns the last time of a rank that all clocks of the group cover.
func (g *floorGroup) at(rank int) uint64 {
	l := g.news[int32(rank)]
	if l.n == g.n {
		return l.time
	}
	low := uint64(0)
	if rank < len(g.base) {
		low = g.base[rank]
	}
	if l.n > 0 {
		low = min(low, l.time)
	}
	return low
}

// Covers reports whether all clocks cover event number time of a rank.
func (f *Floor) Covers(rank int, time uint64) bool {
	low, ok := f.low[rank]
	if !ok {
		low = ^uint64(0)
		for _, g := range f.groups {
			low = min(low, g.at(rank))
		}
		if f.low == nil {
			f.low = map[int]uint64{}
		}
		f.low[rank] = low
	}
	return time <= low
}

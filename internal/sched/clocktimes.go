package sched

import "iter"

// Times lists each rank of which c covers an event, in order, with the time of its last
// covered event.
func (c Clock) Times() iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		k, own := c.known, c.time == 0
		if k == nil {
			k = &known{}
		}
		news := k.news
		for r := int32(0); int(r) < len(k.base) || len(news) > 0 || !own; r++ {
			if int(r) >= len(k.base) { // the gap up to r has been listed
				switch {
				case len(news) == 0:
					r = c.rank
				case own || news[0].rank <= c.rank:
					r = news[0].rank
				default:
					r = c.rank
				}
			}
			var t uint64
			if int(r) < len(k.base) {
				t = k.base[r]
			}
			if len(news) > 0 && news[0].rank == r {
				t, news = max(t, news[0].time), news[1:]
			}
			if !own && r == c.rank {
				t, own = max(t, c.time), true
			}
			if t > 0 && !yield(int(r), t) {
				return
			}
		}
	}
}

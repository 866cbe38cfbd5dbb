package consistency

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/extent"
)

// A cut is the effect of a change of size: it writes the bytes between the old size and the
// new one (CONS-D08). If the order does not determine the old size, it is the range between
// the least and the greatest old size.
type cut struct{ lo, hi int64 }

// together orders a change of size, which all handles of an open make together: an access of
// a rank through the open before its own call also comes before the calls of the other
// ranks.
func (s *search) together() {
	type call struct {
		open, number int
		rank         int
	}
	count := map[call]int{}
	calls := map[call]int{}
	number := make([]int, len(s.actions))
	for i, a := range s.actions { // those of one rank are ordered by the program
		if a.sizes() {
			number[i] = count[call{a.open, 0, a.rank}]
			count[call{a.open, 0, a.rank}]++
			calls[call{a.open, number[i], a.rank}] = i
		}
	}
	for g, resize := range s.actions {
		if !resize.sizes() {
			continue
		}
		for i, a := range s.actions {
			own, took := calls[call{resize.open, number[g], a.rank}]
			if !took || a.open != resize.open || a.rank == resize.rank || a.sizes() {
				continue
			}
			switch mine := s.actions[own]; {
			case a.end.before(&mine.begin):
				s.prev[g] = append(s.prev[g], i)
			case mine.end.before(&a.begin):
				s.prev[i] = append(s.prev[i], g)
			}
		}
	}
}

// measure computes the range of bytes that each change of size may change, over all orders
// of the writes. A call that leaves the size as it is conflicts with no access.
func (s *search) measure() error {
	s.cuts = make([]cut, len(s.actions))
	for i := range s.cuts {
		s.cuts[i] = cut{extent.MaxSize, 0}
	}
	if !slices.ContainsFunc(s.actions, (*action).sizes) {
		return nil
	}
	type point struct {
		done uint64
		size int64
	}
	seen := map[point]bool{}
	var walk func(at point) error
	walk = func(at point) error {
		if seen[at] {
			return nil
		}
		if len(seen) == mostStates {
			return fmt.Errorf("consistency: the program has more than %d orders of its writes", mostStates)
		}
		seen[at] = true
		for i, a := range s.actions {
			if !a.writes() || !s.mayTakeEffect(i, at.done) {
				continue
			}
			next := point{at.done | 1<<i, max(at.size, a.effect.End())}
			if a.Do == DoSetSize {
				next.size = a.Bytes
			}
			if c := &s.cuts[i]; a.sizes() && next.size != at.size {
				c.lo, c.hi = min(c.lo, at.size, next.size), max(c.hi, at.size, next.size)
			}
			if err := walk(next); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(point{0, int64(len(s.init))}); err != nil {
		return err
	}
	s.orderIdle()
	return nil
}

// orderIdle takes calls that leave the size as it is for ordered with all others.
func (s *search) orderIdle() {
	for i := range s.actions {
		if s.idle(i) {
			for j := range s.actions {
				s.loose[i][j], s.loose[j][i] = false, false
			}
		}
	}
}

// mayTakeEffect reports whether write i may be the next to reach the file: all writes that a
// rule orders before it must be there already.
func (s *search) mayTakeEffect(i int, done uint64) bool {
	if done&(1<<i) != 0 {
		return false
	}
	for _, j := range s.prev[i] {
		if s.actions[j].writes() && done&(1<<j) == 0 && !s.loose[i][j] {
			return false
		}
	}
	return true
}

// has reports whether access i accesses byte off.
func (s *search) has(i int, off int64) bool {
	if s.actions[i].sizes() {
		return s.cuts[i].lo <= off && off < s.cuts[i].hi
	}
	return s.actions[i].has(off)
}

// idle reports whether access i is a change of size that changes nothing in any order.
func (s *search) idle(i int) bool { return s.actions[i].sizes() && s.cuts[i].lo >= s.cuts[i].hi }

// resize gives the file the size that a sets.
func (s *search) resize(a *action, st *searchState) {
	st.size = a.Bytes
	if a.Do == DoSetSize {
		st.minSize, st.sizeUnknown = a.Bytes, false
	}
	st.minSize = max(st.minSize, a.Bytes)
}

// markSizeUnknown marks the size of the file as undefined if access i, the latest one,
// conflicts with an earlier change of size, or is such a change itself.
func (s *search) markSizeUnknown(i int, st *searchState) {
	for j := range s.actions {
		if st.done&(1<<j) == 0 || !s.loose[i][j] {
			continue
		}
		for _, k := range [...][2]int{{i, j}, {j, i}} {
			if s.conflicts(k[0], k[1]) {
				st.minSize, st.sizeUnknown = min(st.minSize, s.cuts[k[0]].lo), true
			}
		}
	}
}

// conflicts reports whether access i is a change of size that conflicts with another access,
// o. SetSize conflicts with all writes after the new end; Preallocate writes only the bytes
// that the file gains, and a write of none of them leaves the same size in either order
// (CONS-D08).
func (s *search) conflicts(i, o int) bool {
	change, other, cut := s.actions[i], s.actions[o], s.cuts[i]
	switch {
	case !change.sizes() || !other.writes():
		return false
	case other.sizes():
		return true
	case change.Do == DoGrow:
		return other.effect.Hits(extent.Run{Off: cut.lo, Len: cut.hi - cut.lo})
	}
	return other.effect.End() > cut.lo
}

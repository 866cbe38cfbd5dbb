package consistency

import (
	"fmt"

	"github.com/commworld/commworld/internal/extent"
)

// A cut is what a change of size does: it writes the bytes between the old size
// and the new one (CONS-D08). Where the old size does not follow from what is
// ordered, it is all between the least and the greatest.
type cut struct{ lo, hi int64 }

// together puts a change of size, which all handles of an open make, into its
// place in the order of each of them: what a rank did through the open before
// its own call comes before the calls of the others, too.
func (s *search) together() {
	type call struct {
		open, number int
		rank         int
	}
	count := map[call]int{}
	calls := map[call]int{}
	number := make([]int, len(s.actions))
	for i, a := range s.actions { // those of one rank are in its order
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

// measure finds out what changes of size may change, in all orders in which
// writes may take place. One that changes nothing is in conflict with nothing.
func (s *search) measure() error {
	s.cuts = make([]cut, len(s.actions))
	any := false
	for i, a := range s.actions {
		s.cuts[i] = cut{extent.MaxSize, 0}
		any = any || a.sizes()
	}
	if !any {
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
			if !a.writes() || !s.mayLand(i, at.done) {
				continue
			}
			next := point{at.done | 1<<i, max(at.size, a.top())}
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
	for i := range s.actions {
		if s.idle(i) {
			for j := range s.actions {
				s.loose[i][j], s.loose[j][i] = false, false
			}
		}
	}
	return nil
}

// mayLand says that write i may be the next to reach the file: only what a rule
// orders has to have done so before.
func (s *search) mayLand(i int, done uint64) bool {
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

// has says whether byte off is one that access i accesses.
func (s *search) has(i int, off int64) bool {
	if s.actions[i].sizes() {
		return s.cuts[i].lo <= off && off < s.cuts[i].hi
	}
	return s.actions[i].has(off)
}

// idle says that access i is a change of size that changes nothing in any order.
func (s *search) idle(i int) bool { return s.actions[i].sizes() && s.cuts[i].lo >= s.cuts[i].hi }

// resize gives the file the size of a.
func (s *search) resize(a *action, st *searchState) {
	st.size = a.Bytes
	if a.Do == DoSetSize {
		st.sure, st.vague = a.Bytes, false
	}
	st.sure = max(st.sure, a.Bytes)
}

// unsettle notes that i, which has just been done, is in conflict with a change
// of size that was, or is one itself: then nobody knows how long the file is.
func (s *search) unsettle(i int, st *searchState) {
	for j := range s.actions {
		if st.done&(1<<j) == 0 || !s.loose[i][j] {
			continue
		}
		for _, k := range [...][2]int{{i, j}, {j, i}} {
			if s.conflicts(k[0], k[1]) {
				st.sure, st.vague = min(st.sure, s.cuts[k[0]].lo), true
			}
		}
	}
}

// conflicts reports whether access i is a change of size that another access, o,
// conflicts with. SetSize cuts off whatever is written behind the new end;
// Preallocate writes only the bytes that the file gains, and a write that has none
// of them leaves the same size in either order (CONS-D08).
func (s *search) conflicts(i, o int) bool {
	change, other, cut := s.actions[i], s.actions[o], s.cuts[i]
	switch {
	case !change.sizes() || !other.writes():
		return false
	case other.sizes():
		return true
	case change.Do == DoGrow:
		return other.hits(Run{cut.lo, cut.hi - cut.lo})
	}
	return other.top() > cut.lo
}

package consistency

import "slices"

// Of what a race leaves undefined the standard says nothing at all: the bytes may
// be anything. What can be tried is narrower, and this file says what it is. It
// is what a file system does that delays, reorders and forgets whole writes:
//
//   - Whoever reads sees each write or change of size that races with the read
//     wholly, or nothing of it; every read decides for itself. What does not race
//     with it is as the rules have it.
//   - Of writes that race with each other the one that is made later comes out on
//     top of each of those before it, or below it: as a whole, for everybody, and
//     for good.
//
// Accesses through one handle, of which one was under way when the other began, take
// place one after the other in either order. Nothing is seen before it is called,
// but others may see a write that is still under way; and of a write no part alone
// is seen: that is left to [Chaos].

// A scene is a stretch of a file on which writes are laid, one after the other.
type scene struct {
	lo   int64
	mem  []int16 // bytes from lo on; hole where nobody wrote
	size int64   // of the file
}

// newScene shows bytes [lo, hi) of a file as it was in the beginning.
func newScene(base []byte, lo, hi int64) *scene {
	s := &scene{lo, make([]int16, hi-lo), int64(len(base))}
	for i := range s.mem {
		if off := lo + int64(i); off < s.size {
			s.mem[i] = int16(base[off])
		} else {
			s.mem[i] = hole
		}
	}
	return s
}

// lay does what the step x does to the file.
func (s *scene) lay(x *Step) {
	hi := s.lo + int64(len(s.mem))
	switch x.Do {
	case DoWrite:
		data := x.Data
		for _, r := range x.Runs {
			if len(data) == 0 { // not known yet
				break
			}
			for off := max(r.Off, s.lo); off < min(r.Off+r.Len, hi); off++ {
				s.mem[off-s.lo] = int16(data[off-r.Off])
			}
			data = data[r.Len:]
		}
		s.size = max(s.size, x.top())
	case DoSetSize:
		s.size = x.Bytes
		for off := max(s.size, s.lo); off < hi; off++ {
			s.mem[off-s.lo] = hole
		}
	case DoGrow:
		s.size = max(s.size, x.Bytes)
	}
}

// read returns what is on the scene under runs, up to the end of the file.
func (s *scene) read(runs []Run) []int16 {
	var found []int16
	for _, r := range runs {
		for off := r.Off; off < r.Off+r.Len; off++ {
			if off >= s.size {
				return found
			}
			found = append(found, s.mem[off-s.lo])
		}
	}
	return found
}

// A sight is what a read, or a look at the size, may find.
type sight struct {
	bytes []int16
	size  int64 // of the file, if that was asked for
}

func (s sight) equal(o sight) bool { return s.size == o.size && slices.Equal(s.bytes, o.bytes) }

// A layer is a write or a change of size in the order in which they lie on each
// other, as somebody sees it who reads.
type layer struct {
	*Step
	races bool // with the read
}

// mostRacing bounds the writes that one read sees in all combinations.
const mostRacing = 8

// sights returns what a read of runs may find, or a look at the size if there are
// none, without repetition and first what it finds if it sees nothing that races with
// it. all is false if so many do that of those only none, all, and none and all but
// one were tried.
func sights(base []byte, layers []layer, runs []Run) (found []sight, all bool) {
	lo, hi := spanOf(runs)
	racing := matter(base, layers, runs)
	hidden := make([]bool, len(layers))
	look := func() {
		s := newScene(base, lo, hi)
		for i, l := range layers {
			if !hidden[i] {
				s.lay(l.Step)
			}
		}
		seen := sight{size: s.size}
		if len(runs) > 0 {
			seen = sight{bytes: s.read(runs)}
		}
		if !slices.ContainsFunc(found, seen.equal) {
			found = append(found, seen)
		}
	}
	if all = len(racing) <= mostRacing; all {
		for some := range 1 << len(racing) {
			for k, i := range racing {
				hidden[i] = some>>k&1 == 0
			}
			look()
		}
		return found, all
	}
	for _, most := range []bool{true, false} {
		for _, i := range racing {
			hidden[i] = most
		}
		look()
		for _, i := range racing {
			hidden[i] = !most
			look()
			hidden[i] = most
		}
	}
	return found, all
}

// matter lists the layers that race with a read of runs and change what it finds,
// or may do so if others are not there.
func matter(base []byte, layers []layer, runs []Run) (racing []int) {
	lo, hi := spanOf(runs)
	least := newScene(base, 0, 0)
	for _, l := range layers {
		if !l.races {
			least.lay(l.Step)
		}
	}
	for _, l := range layers {
		if l.races && l.Do == DoSetSize {
			least.size = min(least.size, l.Bytes)
		}
	}
	for i, l := range layers {
		sized := len(runs) == 0 || hi > least.size && l.top() > lo || l.Do == DoSetSize && hi > least.size
		if l.races && (sized || slices.ContainsFunc(runs, l.hits)) {
			racing = append(racing, i)
		}
	}
	return racing
}

// hits reports whether x writes a byte of r.
func (x *Step) hits(r Run) bool {
	return slices.ContainsFunc(x.Runs, func(q Run) bool { return r.Off < q.Off+q.Len && q.Off < r.Off+r.Len })
}

// spanOf returns bytes between which all runs lie.
func spanOf(runs []Run) (lo, hi int64) {
	for i, r := range runs {
		if i == 0 {
			lo = r.Off
		}
		lo, hi = min(lo, r.Off), max(hi, r.Off+r.Len)
	}
	return lo, hi
}

// places returns where the new step x may come to lie: what is marked in each lies
// on it. The first is on top of all. What races with x may lie on it, and then so
// does what lies on that, unless x covers it for sure. all is false if so many race
// with it that of those only one and all were tried.
func places(layers []layer, x *Step) (marked [][]bool, all bool) {
	var free [][]bool
	for i := range layers {
		if layers[i].races && layers[i].touches(x) {
			if on := onto(layers, i); !slices.ContainsFunc(numbered(on), func(k int) bool { return !layers[k].races && layers[k].touches(x) }) {
				free = append(free, on)
			}
		}
	}
	marked = [][]bool{make([]bool, len(layers))}
	add := func(some int) {
		m := make([]bool, len(layers))
		for k, on := range free {
			for i := range on {
				m[i] = m[i] || on[i] && some>>k&1 > 0
			}
		}
		if !slices.ContainsFunc(marked, func(o []bool) bool { return slices.Equal(o, m) }) {
			marked = append(marked, m)
		}
	}
	if all = len(free) <= mostRacing; all {
		for some := range 1 << len(free) {
			add(some)
		}
		return marked, all
	}
	add(-1)
	for k := range min(len(free), 32) {
		add(1 << k)
	}
	return marked, all
}

// onto marks layer i and what lies on it.
func onto(layers []layer, i int) []bool {
	on := make([]bool, len(layers))
	on[i] = true
	for k := i + 1; k < len(layers); k++ {
		for j := i; j < k && !on[k]; j++ {
			on[k] = on[j] && layers[k].touches(layers[j].Step)
		}
	}
	return on
}

func numbered(marked []bool) (list []int) {
	for i, m := range marked {
		if m {
			list = append(list, i)
		}
	}
	return list
}

// lift puts x into list below what is marked.
func lift[T any](list []T, marked []bool, x T) []T {
	var low, high []T
	for i, y := range list {
		if marked[i] {
			high = append(high, y)
		} else {
			low = append(low, y)
		}
	}
	return append(append(low, x), high...)
}

// touches reports that it makes a difference which of two steps is on top.
func (x *Step) touches(o *Step) bool {
	switch {
	case x.Do == DoWrite && o.Do == DoWrite:
		return x.differs(o)
	case x.Do == DoSetSize && o.Do == DoSetSize:
		return x.Bytes != o.Bytes
	case x.Do == DoSetSize:
		return o.top() > x.Bytes
	case o.Do == DoSetSize:
		return x.top() > o.Bytes
	}
	return false
}

// differs reports that two writes put different values at one place.
func (x *Step) differs(o *Step) bool {
	data := x.Data
	for _, r := range x.Runs {
		other := o.Data
		for _, q := range o.Runs {
			for off := max(r.Off, q.Off); off < min(r.Off+r.Len, q.Off+q.Len); off++ {
				if len(data) == 0 || len(other) == 0 || data[off-r.Off] != other[off-q.Off] {
					return true
				}
			}
			if len(other) > 0 {
				other = other[q.Len:]
			}
		}
		if len(data) > 0 {
			data = data[r.Len:]
		}
	}
	return false
}

// top returns the offset after the last byte.
func (x *Step) top() (n int64) {
	for _, r := range x.Runs {
		n = max(n, r.Off+r.Len)
	}
	return max(n, x.Bytes)
}

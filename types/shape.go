package types

import "math/bits"

// calc is checked arithmetic: over becomes true, and stays true, when a result does not fit
// an int64 (DT-DEF-09).
type calc struct{ over bool }

func (c *calc) add(a, b int64) int64 {
	r := a + b
	if (a < 0) == (b < 0) && (r < 0) != (a < 0) {
		c.over = true
	}
	return r
}

func (c *calc) sub(a, b int64) int64 {
	r := a - b
	if (a < 0) != (b < 0) && (r < 0) != (a < 0) {
		c.over = true
	}
	return r
}

func (c *calc) mul(a, b int64) int64 {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	neg := (a < 0) != (b < 0)
	if hi != 0 || lo > 1<<63 || (lo == 1<<63 && !neg) {
		c.over = true
	}
	return a * b
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func gcd(a, b int64) int64 {
	x, y := magnitude(a), magnitude(b)
	for y != 0 {
		x, y = y, x%y
	}
	return int64(x & (1<<63 - 1))
}

// A mark is an explicit bound, or none.
type mark struct {
	set bool
	at  int64
}

func (m mark) lower(o mark) mark {
	if !m.set || (o.set && o.at < m.at) {
		return o
	}
	return m
}

func (m mark) upper(o mark) mark {
	if !m.set || (o.set && o.at > m.at) {
		return o
	}
	return m
}

// A reach is the interval that some data cover, and their strictest alignment.
type reach struct {
	set    bool
	lo, hi int64
	align  int64
}

func (r reach) join(o reach) reach {
	switch {
	case !r.set:
		return o
	case !o.set:
		return r
	}
	return reach{true, min(r.lo, o.lo), max(r.hi, o.hi), max(r.align, o.align)}
}

// A shape summarizes a typemap: everything here follows from the shapes of the parts in
// constant time. nest has the data.
type shape struct {
	size  int64 // bytes of data
	items int64 // number of basic items
	data  reach // all data: the true bounds

	// Markers, see [LB]. By default every explicit bound is a marker, and soft and loose are
	// unused. Under WeakMarkers softLB and softUB have the bounds of Resized, and loose is
	// the data that none of those bounds covers, and in larger types those bounds, too.
	lb, ub         mark
	softLB, softUB mark
	loose          reach

	// In typemap order: displacement of the first and of the last item, end of the last
	// item; whether displacements never decrease, and whether each item begins at or after
	// the end of the previous one.
	first, last, end int64
	rising, apart    bool
	step             int64 // greatest common divisor of the items' distances

	nest nest
}

// A layer lays out recipes under sizes.
type layer struct {
	calc
	sizes Sizes
	weak  bool
	fail  *Error // why a part could not be laid out
	depth int    // of the deepest part
}

// item returns the shape of one basic item.
func (l *layer) item(size, align int64) shape {
	r := reach{true, 0, size, max(align, 1)}
	return shape{
		size: size, items: 1, data: r, loose: r,
		end: size, rising: true, apart: true,
		nest: nest{0, runNode(size)},
	}
}

// bounds computes the bounds by rules DT-DEF-02 to DT-DEF-07.
func (l *layer) bounds(s *shape) (lb, ub int64) {
	data := s.data
	if l.weak {
		data = s.loose
	}
	low, high := s.lb, s.ub
	if !low.set {
		low = s.softLB
		if data.set {
			low = low.lower(mark{true, data.lo})
		}
	}
	lb = low.at
	if high.set {
		return lb, high.at
	}
	if data.set {
		gap := l.sub(data.hi, lb) % data.align
		if gap < 0 {
			gap += data.align
		}
		if gap > 0 {
			gap = data.align - gap
		}
		high = mark{true, l.add(data.hi, gap)}
	}
	high = s.softUB.upper(high)
	if !high.set {
		return lb, lb // only a lower marker: an empty interval there
	}
	return lb, high.at
}

func (l *layer) extent(s *shape) int64 {
	lb, ub := l.bounds(s)
	return l.sub(ub, lb)
}

// shift returns s moved by d bytes.
func (l *layer) shift(s shape, d int64) shape {
	if d == 0 {
		return s
	}
	l.spread(&s, d, d)
	if s.size > 0 {
		s.first = l.add(s.first, d)
		s.last, s.end = l.add(s.last, d), l.add(s.end, d)
		s.nest.off += d
	}
	return s
}

// repeat returns n copies of s, one every stride bytes.
func (l *layer) repeat(s shape, n, stride int64) shape {
	switch {
	case n <= 0:
		return shape{}
	case n == 1:
		return s
	}
	d := l.mul(n-1, stride)
	l.spread(&s, min(0, d), max(0, d))
	if s.size > 0 {
		s.size = l.mul(s.size, n)
		s.items = l.mul(s.items, n)
		s.step = gcd(s.step, stride)
		next := l.add(s.first, stride)
		s.rising = s.rising && next >= s.last
		s.apart = s.apart && next >= s.end
		s.last, s.end = l.add(s.last, d), l.add(s.end, d)
		if !l.over {
			s.nest = s.nest.repeat(n, stride)
		}
	}
	return s
}

// spread widens every interval of s by lo below and hi above.
func (l *layer) spread(s *shape, lo, hi int64) {
	s.lb.at, s.softLB.at = l.addIf(s.lb, lo), l.addIf(s.softLB, lo)
	s.ub.at, s.softUB.at = l.addIf(s.ub, hi), l.addIf(s.softUB, hi)
	if s.data.set {
		s.data.lo, s.data.hi = l.add(s.data.lo, lo), l.add(s.data.hi, hi)
	}
	if s.loose.set {
		s.loose.lo, s.loose.hi = l.add(s.loose.lo, lo), l.add(s.loose.hi, hi)
	}
}

func (l *layer) addIf(m mark, d int64) int64 {
	if !m.set {
		return 0
	}
	return l.add(m.at, d)
}

// join appends o to s in typemap order, except for the nest.
func (l *layer) join(s, o *shape) {
	s.lb, s.ub = s.lb.lower(o.lb), s.ub.upper(o.ub)
	s.softLB, s.softUB = s.softLB.lower(o.softLB), s.softUB.upper(o.softUB)
	s.data, s.loose = s.data.join(o.data), s.loose.join(o.loose)
	switch {
	case o.size == 0:
		return
	case s.size == 0:
		s.size, s.items = o.size, o.items
		s.first, s.rising, s.apart, s.step = o.first, o.rising, o.apart, o.step
	default:
		s.size, s.items = l.add(s.size, o.size), l.add(s.items, o.items)
		s.rising = s.rising && o.rising && o.first >= s.last
		s.apart = s.apart && o.apart && o.first >= s.end
		s.step = gcd(gcd(s.step, o.step), o.first-s.first)
	}
	s.last, s.end = o.last, o.end
}

// harden gives the weak bounds of the parts of a type the force of data, so that it is padded
// after them.
func (s *shape) harden() {
	if s.softLB.set && s.softUB.set {
		s.loose = s.loose.join(reach{true, s.softLB.at, s.softUB.at, max(s.data.align, 1)})
	}
}

// bound replaces all markers of s by lb and ub, as Resized does.
func (l *layer) bound(s shape, lb, ub int64) shape {
	s.lb, s.ub, s.softLB, s.softUB = mark{}, mark{}, mark{}, mark{}
	if l.weak {
		s.softLB, s.softUB, s.loose = mark{true, lb}, mark{true, ub}, reach{}
	} else {
		s.lb, s.ub = mark{true, lb}, mark{true, ub}
	}
	return s
}

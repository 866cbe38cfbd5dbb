// Package naive lays out datatypes as the standard defines them: as lists. A
// [Map] holds every basic item and every marker of a type, in order, so it is
// slow and large, and easy to believe.
//
// Start here: a type as its list of items.
//
//	m := naive.Of(types.Vector(2, 1, 3, types.Int), types.Host)
//	m.Items // int at 0, int at 12
//
// Package types, whose layouts are loop nests that are never written out, is
// tested against it; so are other layers by package proptest.
//
// # Borders
//
// It learns about a type only from its envelope, its contents and the sizes of
// kinds, and shares no code with the engine.
package naive

import "github.com/commworld/commworld/types"

// An Item is one basic item of a typemap.
type Item struct {
	Kind  types.Kind
	Disp  int64
	Size  int64
	Align int64

	covered bool // by the weak bounds of a resized type
}

// A Map is a typemap: items and markers in order.
type Map struct {
	Items            []Item
	lower, upper     []int64 // markers, or strong markers
	weakLow, weakTop []int64 // markers that act like data
	hard             bool    // they have the force of data here: the type was made from theirs
	weak             bool
}

// Of returns the typemap of t under s. t must be small and sound.
func Of(t *types.Type, s types.Sizes) Map { return of(t, s, false) }

// Weak does the same as Of, under types.WeakMarkers.
func Weak(t *types.Type, s types.Sizes) Map { return of(t, s, true) }

func of(t *types.Type, s types.Sizes, weak bool) Map {
	m := Map{weak: weak}
	switch t {
	case types.LB:
		m.lower = []int64{0}
		return m
	case types.UB:
		m.upper = []int64{0}
		return m
	}
	if k := t.Kind(); k != types.KindNone {
		m.Items = []Item{{Kind: k, Size: s.Sizeof(k), Align: max(1, s.Alignof(k))}}
		return m
	}
	env := t.Envelope()
	if env.Combiner == types.CombinerNamed || env.Combiner == types.CombinerValueIndex {
		return pair(t, s, m)
	}
	c, err := t.Contents()
	if err != nil {
		panic(err)
	}
	old := make([]Map, len(c.Types))
	for i, e := range c.Types {
		old[i] = of(e, s, weak)
	}
	m.construct(env.Combiner, c, old)
	switch env.Combiner {
	case types.CombinerResized, types.CombinerSubarray, types.CombinerDarray:
	case types.CombinerDup:
		m.hard = old[0].hard
	default:
		m.hard = weak
	}
	return m
}

// pair lays out a value and an index as a C struct.
func pair(t *types.Type, s types.Sizes, m Map) Map {
	var value, index types.Kind
	for k, n := range t.Signature().Runs() {
		if value == types.KindNone {
			value = k
		}
		index = k
		_ = n
	}
	off := s.Sizeof(value)
	for a := max(1, s.Alignof(index)); off%a != 0; {
		off++
	}
	m.Items = []Item{
		{Kind: value, Size: s.Sizeof(value), Align: max(1, s.Alignof(value))},
		{Kind: index, Disp: off, Size: s.Sizeof(index), Align: max(1, s.Alignof(index))},
	}
	return m
}

func (m *Map) construct(comb types.Combiner, c types.Contents, old []Map) {
	i, a := c.Integers, c.Addresses
	switch comb {
	case types.CombinerDup:
		m.place(old[0], 0)
	case types.CombinerContiguous:
		m.block(old[0], i[0], 0)
	case types.CombinerVector, types.CombinerHVector:
		for k := range i[0] {
			if comb == types.CombinerHVector {
				m.block(old[0], i[1], k*a[0])
			} else {
				m.block(old[0], i[1], k*i[2]*old[0].Extent())
			}
		}
	case types.CombinerIndexed:
		for k := range i[0] {
			m.block(old[0], i[1+k], i[1+i[0]+k]*old[0].Extent())
		}
	case types.CombinerHIndexed:
		for k := range i[0] {
			m.block(old[0], i[1+k], a[k])
		}
	case types.CombinerIndexedBlock:
		for k := range i[0] {
			m.block(old[0], i[1], i[2+k]*old[0].Extent())
		}
	case types.CombinerHIndexedBlock:
		for k := range i[0] {
			m.block(old[0], i[1], a[k])
		}
	case types.CombinerStruct:
		for k := range i[0] {
			m.block(old[k], i[1+k], a[k])
		}
	case types.CombinerResized:
		m.place(old[0], 0)
		m.bound(a[0], a[0]+a[1])
	case types.CombinerSubarray:
		m.subarray(i, old[0])
	case types.CombinerDarray:
		m.darray(i, old[0])
	default:
		panic("naive: unknown combiner")
	}
}

// block places n copies, each an extent after the one before.
func (m *Map) block(o Map, n, disp int64) {
	for j := range n {
		m.place(o, disp+j*o.Extent())
	}
}

// place appends o, moved by disp.
func (m *Map) place(o Map, disp int64) {
	for _, it := range o.Items {
		it.Disp += disp
		m.Items = append(m.Items, it)
	}
	move := func(to *[]int64, from []int64) {
		for _, v := range from {
			*to = append(*to, v+disp)
		}
	}
	move(&m.lower, o.lower)
	move(&m.upper, o.upper)
	move(&m.weakLow, o.weakLow)
	move(&m.weakTop, o.weakTop)
}

// bound replaces all markers.
func (m *Map) bound(lb, ub int64) {
	m.lower, m.upper, m.weakLow, m.weakTop = nil, nil, nil, nil
	if !m.weak {
		m.lower, m.upper = []int64{lb}, []int64{ub}
		return
	}
	m.weakLow, m.weakTop = []int64{lb}, []int64{ub}
	for i := range m.Items {
		m.Items[i].covered = true
	}
}

func (m *Map) subarray(i []int64, o Map) {
	n := i[0]
	sizes, subs, starts, order := i[1:1+n], i[1+n:1+2*n], i[1+2*n:1+3*n], i[1+3*n]
	owned := make([][]int64, n)
	for d := range n {
		for k := range subs[d] {
			owned[d] = append(owned[d], starts[d]+k)
		}
	}
	m.product(sizes, owned, order == int64(types.OrderFortran), o)
}

func (m *Map) darray(i []int64, o Map) {
	rank, n := i[1], i[2]
	sizes, dists, dargs, procs := i[3:3+n], i[3+n:3+2*n], i[3+2*n:3+3*n], i[3+3*n:3+4*n]
	coord := make([]int64, n)
	for d := n - 1; d >= 0; d-- {
		coord[d] = rank % procs[d]
		rank /= procs[d]
	}
	owned := make([][]int64, n)
	for d := range n {
		block := dargs[d]
		switch {
		case dists[d] == int64(types.DistNone):
			block = sizes[d]
		case block == types.DefaultArg && dists[d] == int64(types.DistBlock):
			block = (sizes[d] + procs[d] - 1) / procs[d]
		case block == types.DefaultArg:
			block = 1
		}
		for x := range sizes[d] {
			if x/block%procs[d] == coord[d] {
				owned[d] = append(owned[d], x)
			}
		}
	}
	m.product(sizes, owned, i[3+4*n] == int64(types.OrderFortran), o)
}

// product places o at the product of index sets, in storage order.
func (m *Map) product(sizes []int64, owned [][]int64, fortran bool, o Map) {
	n := len(sizes)
	dims := make([]int, n) // from the slowest
	for d := range dims {
		dims[d] = d
		if fortran {
			dims[d] = n - 1 - d
		}
	}
	var walk func(level int, index int64)
	walk = func(level int, index int64) {
		if level == n {
			m.place(o, index*o.Extent())
			return
		}
		d := dims[level]
		for _, x := range owned[d] {
			walk(level+1, index*sizes[d]+x)
		}
	}
	walk(0, 0)
	total := int64(1)
	for _, s := range sizes {
		total *= s
	}
	m.bound(0, total*o.Extent())
}

// Bounds returns lb and ub: markers if there are any, else the data with
// padding.
func (m Map) Bounds() (lb, ub int64) {
	var lows, tops []int64
	align := int64(1)
	for _, it := range m.Items {
		if m.weak && it.covered {
			continue
		}
		lows, tops, align = append(lows, it.Disp), append(tops, it.Disp+it.Size), max(align, it.Align)
	}
	if m.hard && len(m.weakLow) > 0 {
		lows, tops = append(lows, m.weakLow...), append(tops, m.weakTop...)
		for _, it := range m.Items {
			align = max(align, it.Align)
		}
	}
	switch {
	case len(m.lower) > 0:
		lb = least(m.lower)
	case len(lows)+len(m.weakLow) > 0:
		lb = least(append(lows, m.weakLow...))
	}
	if len(m.upper) > 0 {
		return lb, greatest(m.upper)
	}
	var high []int64
	if len(tops) > 0 {
		ub = greatest(tops)
		for (ub-lb)%align != 0 {
			ub++
		}
		high = append(high, ub)
	}
	high = append(high, m.weakTop...)
	if len(high) == 0 {
		return lb, lb
	}
	return lb, greatest(high)
}

// Extent returns ub - lb.
func (m Map) Extent() int64 {
	lb, ub := m.Bounds()
	return ub - lb
}

// TrueBounds returns where the data begin and end, 0 and 0 if there are none.
func (m Map) TrueBounds() (lb, ub int64) {
	for i, it := range m.Items {
		if i == 0 {
			lb, ub = it.Disp, it.Disp+it.Size
		}
		lb, ub = min(lb, it.Disp), max(ub, it.Disp+it.Size)
	}
	return lb, ub
}

// Size returns the number of data bytes.
func (m Map) Size() int64 {
	n := int64(0)
	for _, it := range m.Items {
		n += it.Size
	}
	return n
}

// Bytes returns the offset of every data byte of copies copies, in typemap
// order.
func (m Map) Bytes(copies int64) []int64 {
	var all []int64
	ex := m.Extent()
	for k := range copies {
		for _, it := range m.Items {
			for b := range it.Size {
				all = append(all, k*ex+it.Disp+b)
			}
		}
	}
	return all
}

// Monotone reports whether displacements never decrease, from 0 on.
func (m Map) Monotone() bool {
	at := int64(0)
	for _, it := range m.Items {
		if it.Disp < at {
			return false
		}
		at = it.Disp
	}
	return true
}

// Overlaps reports whether some byte belongs to two items.
func (m Map) Overlaps() bool {
	seen := map[int64]bool{}
	for _, off := range m.Bytes(1) {
		if seen[off] {
			return true
		}
		seen[off] = true
	}
	return false
}

func least(v []int64) int64 {
	x := v[0]
	for _, y := range v {
		x = min(x, y)
	}
	return x
}

func greatest(v []int64) int64 {
	x := v[0]
	for _, y := range v {
		x = max(x, y)
	}
	return x
}

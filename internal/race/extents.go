package race

import (
	"math/bits"

	"github.com/commworld/commworld/internal/extent"
	"github.com/tidwall/btree"
)

// A footprint is bytes that one handle touched between two of its syncs, from one line of
// the program. There may be millions of them: a footprint fills one cache line.
type footprint struct {
	extent.Pattern
	seq   *sequence
	site  *site
	time  uint64    // of its rank, when its last access ended
	calls [2]uint32 // numbers of its first and last access, see Access.Call
	id    uint64    // unique; the lowest bit says that it is kept by stride
	next  *footprint
}

// holder returns the row whose handle may still add to e; nil if there is none.
func (e *footprint) holder() *row {
	if r := e.site.row; r != nil && r.held == e {
		return r
	}
	return nil
}

func (e *footprint) byStride() bool { return e.id&1 != 0 }

// footprints finds the footprints that may share bytes with a pattern.
//
// Footprints of a few blocks are kept by the interval around them, in classes of similar
// width: within a class a search starts at most one width farther back. Footprints of many
// blocks are kept by stride and phase, which is the offset of their blocks within the
// stride: the intervals of a cyclic distribution would all overlap, but by phase an access
// meets only its neighbours.
//
// Footprints with the same key from the same group are a ring, in the order of their ids: a
// search can pass over all of them at once.
type footprints struct {
	n       int
	next    uint64
	widths  uint64
	classes [64]*btree.BTreeG[slot]
	strides map[int64]*strided
	path    btree.PathHint // of the last search: the next insertion is mostly near it
}

// A slot is a ring of footprints in a tree, with its key: with millions of footprints each
// access to one is a cache miss, so a search does not read them.
type slot struct {
	key int64      // the first byte, or the phase of that byte in the stride
	e   *footprint // the newest; its next is the oldest
}

// strided holds footprints of one stride, by phase.
type strided struct {
	widest int64 // widest block
	tree   *btree.BTreeG[slot]
}

const (
	manyBlocks  = 4  // a footprint with at least so many blocks is kept by stride
	mostStrides = 64 // further strides are kept by interval
)

func slotTree() *btree.BTreeG[slot] {
	return btree.NewBTreeGOptions(slot.before, btree.Options{NoLocks: true, Degree: 64})
}

// before orders slots by key and group. A slot without a footprint comes before all others
// of its key.
func (s slot) before(o slot) bool {
	switch {
	case s.key != o.key:
		return s.key < o.key
	case s.e == nil || o.e == nil:
		return s.e == nil && o.e != nil
	}
	return s.e.site.group.number < o.e.site.group.number
}

// group returns the tree in which a pattern is kept by stride, nil if it is kept by
// interval.
func (x *footprints) group(p *extent.Pattern) *strided {
	if p.N < manyBlocks {
		return nil
	}
	g := x.strides[p.Stride]
	if g == nil && len(x.strides) < mostStrides {
		if x.strides == nil {
			x.strides = map[int64]*strided{}
		}
		g = &strided{tree: slotTree()}
		x.strides[p.Stride] = g
	}
	return g
}

// width returns the class of p by the number of bytes between its first and its last: at
// most 1<<width.
func width(p *extent.Pattern) int { return bits.Len64(uint64(p.Hi() - p.Lo - 1)) }

func (x *footprints) class(p *extent.Pattern) *btree.BTreeG[slot] {
	k := width(p)
	if x.classes[k] == nil {
		x.classes[k] = slotTree()
		x.widths |= 1 << k
	}
	return x.classes[k]
}

func (x *footprints) add(e *footprint) {
	x.next += 2
	e.id = x.next
	x.put(e)
}

func (x *footprints) put(e *footprint) {
	if e.id &^= 1; x.group(&e.Pattern) != nil {
		e.id |= 1
	}
	x.n++
	tree, s := x.place(e)
	e.next = e
	old, there := tree.SetHint(s, &x.path)
	if !there {
		return
	}
	at := old.e
	if e.id < at.id { // it was put back
		tree.Set(old)
		for at.next.id < e.id {
			at = at.next
		}
	}
	e.next, at.next = at.next, e
}

// place returns the tree in which e is kept, and a slot with its key.
func (x *footprints) place(e *footprint) (*btree.BTreeG[slot], slot) {
	if e.byStride() {
		g := x.strides[e.Stride]
		g.widest = max(g.widest, e.Block)
		return g.tree, slot{e.Lo % e.Stride, e}
	}
	return x.class(&e.Pattern), slot{e.Lo, e}
}

// remove removes e if it is present.
func (x *footprints) remove(e *footprint) {
	if e.next == nil {
		return
	}
	tree, s := x.place(e)
	ring, _ := tree.Get(s)
	before := ring.e
	for before.next != e {
		before = before.next
	}
	switch {
	case before == e:
		tree.Delete(s)
		if e.byStride() && tree.Len() == 0 {
			delete(x.strides, e.Stride)
		}
	case ring.e == e:
		tree.Set(slot{s.key, before})
	}
	before.next, e.next = e.next, nil
	x.n--
}

// setSite gives e another site.
func (x *footprints) setSite(e *footprint, s *site) {
	x.remove(e)
	e.site = s
	x.put(e)
}

// grow makes q, which follows e, part of e if possible.
func (x *footprints) grow(e *footprint, q extent.Pattern) bool {
	next := e.Pattern
	if !next.Extend(q) {
		return false
	}
	x.reshape(e, next)
	return true
}

// reshape gives e the pattern p, which begins where e does and has the same stride if both
// have one.
func (x *footprints) reshape(e *footprint, p extent.Pattern) {
	if e.byStride() && p.N >= manyBlocks || !e.byStride() && p.N < manyBlocks && width(&e.Pattern) == width(&p) {
		if e.byStride() {
			g := x.strides[e.Stride]
			g.widest = max(g.widest, p.Block)
		}
		e.Pattern = p // its key stays
		return
	}
	x.remove(e)
	e.Pattern = p
	x.put(e)
}

// joinThree makes one footprint of three equal blocks at equal distances, the beginning of
// a cyclic pattern written call by call.
func (x *footprints) joinThree(a, b *footprint, q extent.Pattern) bool {
	if a.N != 1 || b.N != 1 || q.N != 1 || a.Block != b.Block || b.Block != q.Block ||
		b.Lo-a.Lo != q.Lo-b.Lo || b.Lo < a.Lo+a.Block {
		return false
	}
	x.remove(b)
	x.remove(a)
	a.Stride, a.N = b.Lo-a.Lo, 3
	x.put(a)
	return true
}

// over calls f for footprints that may share bytes with p, except those of groups for which
// skip, if it is not nil, is true; skipped reports whether there were any. f must not change x.
func (x *footprints) over(p *extent.Pattern, skip func(*accessGroup) bool, f func(*footprint)) (skipped bool) {
	lo, hi := p.Lo, p.Hi()
	visit := func(s slot) bool {
		if skip != nil && skip(s.e.site.group) {
			skipped = true
			return true
		}
		s.each(func(e *footprint) {
			if e.Lo < hi && lo < e.Hi() {
				f(e)
			}
		})
		return true
	}
	x.path = btree.PathHint{}
	here := width(p)
	for set := x.widths; set != 0; set &= set - 1 {
		k := bits.TrailingZeros64(set)
		from, upTo := slot{key: lo - 1<<k + 1}, func(s slot) bool { return s.key < hi && visit(s) }
		if k == here {
			x.classes[k].AscendHint(from, upTo, &x.path)
		} else {
			x.classes[k].Ascend(from, upTo)
		}
	}
	for stride, g := range x.strides {
		g.over(p, stride, visit)
	}
	return skipped
}

// each calls f for all footprints of the ring, the oldest first.
func (s slot) each(f func(*footprint)) {
	for e := s.e.next; ; e = e.next {
		if f(e); e == s.e {
			return
		}
	}
}

func (g *strided) over(p *extent.Pattern, stride int64, visit func(slot) bool) {
	if p.N > 1 && p.Stride != stride || p.Block+g.widest >= stride {
		g.tree.Scan(visit)
		return
	}
	phase := p.Lo % stride
	g.phases(phase-g.widest+1, phase+p.Block, stride, visit)
}

// phases visits footprints whose phase is in [lo, hi), modulo stride.
func (g *strided) phases(lo, hi, stride int64, visit func(slot) bool) {
	if lo < 0 {
		g.phases(lo+stride, stride, stride, visit)
		lo = 0
	}
	if hi > stride {
		g.phases(0, hi-stride, stride, visit)
		hi = stride
	}
	g.tree.Ascend(slot{key: lo}, func(s slot) bool { return s.key < hi && visit(s) })
}

// each calls f for all footprints.
func (x *footprints) each(f func(*footprint)) {
	all := func(s slot) bool { s.each(f); return true }
	for set := x.widths; set != 0; set &= set - 1 {
		x.classes[bits.TrailingZeros64(set)].Scan(all)
	}
	for _, g := range x.strides {
		g.tree.Scan(all)
	}
}

package consistency

import (
	"math/bits"

	"github.com/tidwall/btree"
)

// An extent is bytes that some accesses of one handle touched between two of
// its syncs, all from one place of the program. There may be millions: it fills
// one cache line.
type extent struct {
	pattern
	seq   *sequence
	site  *site
	time  uint64    // of its rank when the last of them ended
	calls [2]uint64 // numbers of the first and the last of them, see Access.Call
	id    uint64    // unlike that of any other; the lowest bit says that it is kept by stride
}

// holder returns the row whose handle may be adding to e; nil: e is what it is.
func (e *extent) holder() *row {
	if r := e.site.row; r != nil && r.held == e {
		return r
	}
	return nil
}

func (e *extent) byStride() bool { return e.id&1 != 0 }

// extents finds the extents that may share bytes with a pattern.
//
// Extents of one or a few blocks are kept by the interval around them, in
// classes of similar width: within a class a search need not start farther back
// than the class is wide. Those of many blocks, which would all lie across each
// other in a cyclic distribution, are kept by stride and by where in the stride
// their blocks begin, so that an access meets its neighbours only.
type extents struct {
	n       int
	next    uint64
	widths  uint64
	classes [64]*btree.BTreeG[slot]
	strides map[int64]*strided
	path    btree.PathHint // of the last search: what is looked for is mostly put there next
}

// A slot is an extent in a tree, with what it is found by: of millions of extents
// each look at one is a cache miss, so a search does not look at them.
type slot struct {
	key int64 // its first byte, or where that is in the stride
	e   *extent
}

// strided are extents of one stride, by phase.
type strided struct {
	widest int64 // block
	tree   *btree.BTreeG[slot]
}

const (
	manyBlocks  = 4  // from so many on an extent is kept by stride
	mostStrides = 64 // with more strides than this the rest is kept by interval
)

func slotTree() *btree.BTreeG[slot] {
	return btree.NewBTreeGOptions(slot.before, btree.Options{NoLocks: true, Degree: 64})
}

// before orders slots by key. One without an extent comes before all of its key.
func (s slot) before(o slot) bool {
	switch {
	case s.key != o.key:
		return s.key < o.key
	case s.e == nil || o.e == nil:
		return s.e == nil && o.e != nil
	}
	return s.e.id < o.e.id
}

// group returns where a pattern is kept by stride, nil if it is not.
func (x *extents) group(p *pattern) *strided {
	if p.n < manyBlocks {
		return nil
	}
	g := x.strides[p.stride]
	if g == nil && len(x.strides) < mostStrides {
		if x.strides == nil {
			x.strides = map[int64]*strided{}
		}
		g = &strided{tree: slotTree()}
		x.strides[p.stride] = g
	}
	return g
}

// width is the number of the class of p: it reaches over at most 1<<width bytes.
func (p *pattern) width() int { return bits.Len64(uint64(p.hi() - p.lo - 1)) }

func (x *extents) class(p *pattern) *btree.BTreeG[slot] {
	k := p.width()
	if x.classes[k] == nil {
		x.classes[k] = slotTree()
		x.widths |= 1 << k
	}
	return x.classes[k]
}

func (x *extents) add(e *extent) {
	x.next += 2
	e.id = x.next
	x.put(e)
}

func (x *extents) put(e *extent) {
	x.n++
	if g := x.group(&e.pattern); g != nil {
		e.id |= 1
		g.widest = max(g.widest, e.block)
		g.tree.Set(slot{e.lo % e.stride, e})
		return
	}
	e.id &^= 1
	x.class(&e.pattern).SetHint(slot{e.lo, e}, &x.path)
}

// remove takes e out, if it is in.
func (x *extents) remove(e *extent) {
	if e.byStride() {
		g := x.strides[e.stride]
		if g == nil {
			return
		}
		if _, ok := g.tree.Delete(slot{e.lo % e.stride, e}); ok {
			x.n--
			if g.tree.Len() == 0 {
				delete(x.strides, e.stride)
			}
		}
		return
	}
	if _, ok := x.class(&e.pattern).Delete(slot{e.lo, e}); ok {
		x.n--
	}
}

// grow makes q, which follows e, part of it.
func (x *extents) grow(e *extent, q pattern) bool {
	next := e.pattern
	if !next.extend(q) {
		return false
	}
	x.reshape(e, next)
	return true
}

// reshape makes p, which begins where e does and has the same stride if both
// have one, the pattern of e.
func (x *extents) reshape(e *extent, p pattern) {
	if e.byStride() && p.n >= manyBlocks || !e.byStride() && p.n < manyBlocks && e.width() == p.width() {
		if e.byStride() {
			g := x.strides[e.stride]
			g.widest = max(g.widest, p.block)
		}
		e.pattern = p // its place in the tree stays
		return
	}
	x.remove(e)
	e.pattern = p
	x.put(e)
}

// joinThree makes one extent of three equal blocks at equal distances, the
// beginning of a cyclic pattern written call by call.
func (x *extents) joinThree(a, b *extent, q pattern) bool {
	if a.n != 1 || b.n != 1 || q.n != 1 || a.block != b.block || b.block != q.block ||
		b.lo-a.lo != q.lo-b.lo || b.lo < a.lo+a.block {
		return false
	}
	x.remove(b)
	x.remove(a)
	a.stride, a.n = b.lo-a.lo, 3
	x.put(a)
	return true
}

// over calls f for extents that may share bytes with p. f must not change x.
func (x *extents) over(p *pattern, f func(*extent)) {
	lo, hi := p.lo, p.hi()
	visit := func(s slot) bool {
		if s.e.lo < hi && lo < s.e.hi() {
			f(s.e)
		}
		return true
	}
	x.path = btree.PathHint{}
	here := p.width()
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
}

func (g *strided) over(p *pattern, stride int64, visit func(slot) bool) {
	if p.n > 1 && p.stride != stride || p.block+g.widest >= stride {
		g.tree.Scan(visit)
		return
	}
	phase := p.lo % stride
	g.phases(phase-g.widest+1, phase+p.block, stride, visit)
}

// phases visits extents whose phase lies in [lo, hi), modulo stride.
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

// each calls f for all extents.
func (x *extents) each(f func(*extent)) {
	all := func(s slot) bool { f(s.e); return true }
	for set := x.widths; set != 0; set &= set - 1 {
		x.classes[bits.TrailingZeros64(set)].Scan(all)
	}
	for _, g := range x.strides {
		g.tree.Scan(all)
	}
}

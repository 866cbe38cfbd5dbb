package consistency

import (
	"cmp"
	"math/bits"

	"github.com/tidwall/btree"
)

// An extent is bytes that some accesses of one handle touched between two of
// its syncs, all from one place of the program.
type extent struct {
	pattern
	seq  *sequence
	site *site
	time uint64 // of its rank when the last of them ended
	id   uint64
	home *strided // where it is kept; nil: by interval

	holder *row // whose handle may be adding to it; nil: it is what it is
}

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
	classes [64]*btree.BTreeG[*extent]
	strides map[int64]*strided
	pivot   extent // where a search begins; it would be garbage of every search
}

// strided are extents of one stride, by phase.
type strided struct {
	widest int64 // block
	tree   *btree.BTreeG[*extent]
}

const (
	manyBlocks  = 4  // from so many on an extent is kept by stride
	mostStrides = 64 // with more strides than this the rest is kept by interval
)

func extentTree(less func(a, b *extent) bool) *btree.BTreeG[*extent] {
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true, Degree: 32})
}

func byLow(a, b *extent) bool {
	if a.lo != b.lo {
		return a.lo < b.lo
	}
	return a.id < b.id
}

func byPhase(a, b *extent) bool {
	if c := cmp.Compare(a.lo%a.stride, b.lo%b.stride); c != 0 {
		return c < 0
	}
	return byLow(a, b)
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
		g = &strided{tree: extentTree(byPhase)}
		x.strides[p.stride] = g
	}
	return g
}

func (x *extents) class(p *pattern) *btree.BTreeG[*extent] {
	k := bits.Len64(uint64(p.hi() - p.lo - 1))
	if x.classes[k] == nil {
		x.classes[k] = extentTree(byLow)
		x.widths |= 1 << k
	}
	return x.classes[k]
}

func (x *extents) add(e *extent) {
	x.next++
	e.id = x.next
	x.put(e)
}

func (x *extents) put(e *extent) {
	x.n++
	if e.home = x.group(&e.pattern); e.home != nil {
		e.home.widest = max(e.home.widest, e.block)
		e.home.tree.Set(e)
		return
	}
	x.class(&e.pattern).Set(e)
}

// remove takes e out, if it is in.
func (x *extents) remove(e *extent) {
	tree := x.class(&e.pattern)
	if e.home != nil {
		tree = e.home.tree
	}
	if _, ok := tree.Delete(e); !ok {
		return
	}
	x.n--
	if e.home != nil && tree.Len() == 0 {
		delete(x.strides, e.stride)
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
	width := func(p *pattern) int { return bits.Len64(uint64(p.hi() - p.lo - 1)) }
	if e.home != nil && p.n >= manyBlocks || e.home == nil && p.n < manyBlocks && width(&e.pattern) == width(&p) {
		if e.home != nil {
			e.home.widest = max(e.home.widest, p.block)
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
	visit := func(e *extent) bool {
		if e.lo < hi && lo < e.hi() {
			f(e)
		}
		return true
	}
	from := &x.pivot
	*from = extent{}
	for set := x.widths; set != 0; set &= set - 1 {
		k := bits.TrailingZeros64(set)
		from.lo = lo - 1<<k
		x.classes[k].Ascend(from, func(e *extent) bool { return e.lo < hi && visit(e) })
	}
	for stride, g := range x.strides {
		g.over(p, stride, from, visit)
	}
}

func (g *strided) over(p *pattern, stride int64, from *extent, visit func(*extent) bool) {
	if p.n > 1 && p.stride != stride || p.block+g.widest >= stride {
		g.tree.Scan(visit)
		return
	}
	phase := p.lo % stride
	g.phases(phase-g.widest+1, phase+p.block, stride, from, visit)
}

// phases visits extents whose phase lies in [lo, hi), modulo stride.
func (g *strided) phases(lo, hi, stride int64, from *extent, visit func(*extent) bool) {
	if lo < 0 {
		g.phases(lo+stride, stride, stride, from, visit)
		lo = 0
	}
	if hi > stride {
		g.phases(0, hi-stride, stride, from, visit)
		hi = stride
	}
	// The least extent of phase lo is one at lo itself.
	from.pattern = pattern{lo: lo, stride: stride}
	g.tree.Ascend(from, func(e *extent) bool { return e.lo%stride < hi && visit(e) })
}

// each calls f for all extents.
func (x *extents) each(f func(*extent)) {
	all := func(e *extent) bool { f(e); return true }
	for set := x.widths; set != 0; set &= set - 1 {
		x.classes[bits.TrailingZeros64(set)].Scan(all)
	}
	for _, g := range x.strides {
		g.tree.Scan(all)
	}
}

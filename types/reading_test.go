package types_test

import (
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
)

// A reading is a library's interpretation of the standard's definition of bounds. The zero
// reading is ours. Each field is one divergence, so that a library's answer can be compared
// with the answer that follows from its reading, and is not merely accepted as different.
type reading struct {
	weak       bool // DIV-01: bounds set by resized, subarray, darray are forgotten by a larger type
	padStructs bool // DIV-02: only structs are padded, and of them only those of several kinds
	padNested  bool // DIV-29: the padding of a member of a struct counts as data of it
	padLevels  bool // DIV-32: the same in all other constructors
	padBlocks  bool // DIV-32: and after every block of one constructor
	bareEmpty  bool // DIV-30: an empty type has no bounds in a larger one
	bareBlocks bool // DIV-30: it has none in contiguous, indexed and hindexed
	pointEmpty bool // DIV-31: an empty member of a struct is a point that stretches the bounds
	pointAll   bool // no id: an empty member of any constructor is
	pointBlock bool // no id: a block of length 0 in a vector or indexed_block is
	minusOne   bool // no id: a stride of -1 byte is taken for the extent of the block
}

// A region is a typemap with its bounds under a reading.
type region struct {
	items  []naive.Item
	some   bool  // something is in lb..ub
	set    bool  // the bounds were set, and stick
	lb, ub int64 // the bounds
	end    int64 // ub without padding
	align  int64
}

func (r *region) extent() int64 { return r.ub - r.lb }

// bound sets the bounds of r.
func (r region) bound(lb, ub int64) region {
	r.some, r.set, r.lb, r.ub, r.end = true, true, lb, ub, ub
	return r
}

// of reads t.
func (d reading) of(t *types.Type) region {
	if t.Predefined() {
		return predefined(t)
	}
	c, err := t.Contents()
	if err != nil {
		panic(err)
	}
	old := make([]region, len(c.Types))
	for i, e := range c.Types {
		old[i] = d.of(e)
	}
	i, a := c.Integers, c.Addresses
	switch comb := t.Envelope().Combiner; comb {
	case types.CombinerDup:
		return old[0]
	case types.CombinerResized:
		return old[0].bound(a[0], a[0]+a[1])
	case types.CombinerStruct:
		return d.structure(i, a, old)
	case types.CombinerVector:
		return d.vector(i[0], i[1], i[2]*old[0].extent(), old[0])
	case types.CombinerHVector:
		return d.vector(i[0], i[1], a[0], old[0])
	case types.CombinerSubarray:
		return d.array(comb, c, i[1:1+i[0]], old[0])
	case types.CombinerDarray:
		return d.array(comb, c, i[3:3+i[2]], old[0])
	default:
		return d.blocks(comb, i, a, old[0])
	}
}

func predefined(t *types.Type) region {
	m := naive.Of(t, types.Host)
	if t == types.TwoReal || t == types.TwoDoublePrecision { // MPICH makes no difference between them and complex numbers
		m.Items = []naive.Item{{Kind: types.KindComplex, Size: m.Items[1].Disp + m.Items[1].Size, Align: m.Items[0].Align}}
	}
	r := region{items: m.Items, some: true, align: 1}
	r.lb, r.ub = m.Bounds()
	_, r.end = m.TrueBounds()
	for _, it := range m.Items {
		r.align = max(r.align, it.Align)
	}
	return r
}

func (d reading) structure(lens, disps []int64, old []region) region {
	r := region{align: 1}
	for k, part := range old {
		if n := lens[1+k]; n > 0 {
			d.add(&r, n, part.extent(), disps[k], d.member(part))
			d.pad(&r, d.padBlocks)
		}
	}
	if d.bareEmpty && len(r.items) == 0 {
		return region{align: 1}
	}
	return d.close(r, !d.padStructs || !uniform(old))
}

// member returns the form of part in a struct.
func (d reading) member(part region) region {
	if d.padNested {
		part.end = part.ub
	}
	part.set = part.set && !d.weak
	if len(part.items) == 0 {
		part.some, part.set = d.pointEmpty || part.some && !d.bareEmpty, part.set && !d.bareEmpty
	}
	return part
}

// inner returns the form of part in any other constructor.
func (d reading) inner(part region) region {
	if d.padLevels {
		part.end = part.ub
	}
	part.set = part.set && !d.weak
	if len(part.items) == 0 {
		part.some, part.set = d.pointAll || part.some && !d.bareEmpty, part.set && !d.bareEmpty
		if !part.some {
			part.align = 1
		}
	}
	return part
}

func (d reading) vector(n, length, stride int64, old region) region {
	block := d.block(length, old)
	if d.minusOne && stride == -1 {
		stride = block.extent()
	}
	r := region{align: 1}
	switch {
	case n == 0:
	case length > 0:
		d.add(&r, n, stride, 0, d.inner(block))
	case d.pointBlock:
		d.add(&r, n, stride, 0, point(old))
	}
	return d.close(r, !d.padStructs)
}

// point is zero copies of r: the region that remains when the one copy too many is
// removed from r's upper bounds, or from the lower ones if those are above.
func point(r region) region {
	p := region{some: true, lb: r.lb, end: r.ub, align: r.align}
	if ex := r.extent(); ex >= 0 {
		p.end -= ex
	} else {
		p.lb -= ex
	}
	return p
}

// block is length copies of old, one after the other.
func (d reading) block(length int64, old region) region {
	r := region{align: 1}
	d.add(&r, length, old.extent(), 0, d.inner(old))
	return d.close(r, !d.padStructs)
}

// blocks reads contiguous and the indexed constructors.
func (d reading) blocks(comb types.Combiner, i, a []int64, old region) region {
	r := region{align: 1}
	if d.bareBlocks && len(old.items) == 0 && (comb == types.CombinerContiguous || comb == types.CombinerIndexed || comb == types.CombinerHIndexed) {
		return r
	}
	add := func(length, disp int64) {
		if length > 0 {
			d.add(&r, length, old.extent(), disp, d.inner(old))
			d.pad(&r, d.padBlocks)
		} else if d.pointBlock && comb != types.CombinerIndexed && comb != types.CombinerHIndexed {
			d.add(&r, 1, 0, disp, point(old))
		}
	}
	ex := old.extent()
	if comb == types.CombinerContiguous {
		if i[0] > 0 {
			add(i[0], 0)
		}
		return d.close(r, !d.padStructs)
	}
	for k := range i[0] {
		switch comb {
		case types.CombinerIndexed:
			add(i[1+k], i[1+i[0]+k]*ex)
		case types.CombinerHIndexed:
			add(i[1+k], a[k])
		case types.CombinerIndexedBlock:
			add(i[1], i[2+k]*ex)
		case types.CombinerHIndexedBlock:
			add(i[1], a[k])
		}
	}
	return d.close(r, !d.padStructs)
}

// array reads subarray and darray: they select the same elements of an array of old as of an
// array of bytes.
func (d reading) array(comb types.Combiner, c types.Contents, sizes []int64, old region) region {
	c.Types = []*types.Type{types.Byte}
	r, n := region{align: 1}, old.extent()
	for _, it := range naive.Of(types.Rebuild(comb, c), types.Host).Items {
		d.add(&r, 1, 0, it.Disp*old.extent(), old)
	}
	for _, s := range sizes {
		n *= s
	}
	if len(r.items) == 0 {
		r.align = 1
	}
	return r.bound(0, n)
}

// add puts n copies of part into r, the first at disp.
func (d reading) add(r *region, n, stride, disp int64, part region) {
	for j := range n {
		at := disp + j*stride
		for _, it := range part.items {
			it.Disp += at
			r.items = append(r.items, it)
		}
		r.stretch(part, at)
	}
	r.align = max(r.align, part.align)
}

// stretch joins the bounds of part, moved by disp, to those of r.
func (r *region) stretch(part region, disp int64) {
	lb, end := part.lb+disp, part.end+disp
	switch {
	case !part.some || (r.set && !part.set):
	case !r.some || (part.set && !r.set):
		r.some, r.set, r.lb, r.end = true, part.set, lb, end
	default:
		r.lb, r.end = min(r.lb, lb), max(r.end, end)
	}
}

func (d reading) pad(r *region, really bool) {
	if !really || !r.some || r.set {
		return
	}
	if over := (r.end - r.lb) % r.align; over != 0 { // negative, as in C, where the interval is
		r.end += r.align - over
	}
}

// close gives r its upper bound.
func (d reading) close(r region, padded bool) region {
	end := r.end
	d.pad(&r, padded)
	r.ub, r.end = r.end, end
	return r
}

// uniform reports whether the members of a struct are one, or all single items
// of one size that are alike to a machine.
func uniform(old []region) bool {
	for _, r := range old {
		if len(old) > 1 && (!r.single() || !alike(r.items, old[0].items)) {
			return false
		}
	}
	return true
}

func (r *region) single() bool {
	n := len(r.items)
	if n == 0 || r.lb != 0 || r.items[0].Disp != 0 {
		return false
	}
	if n == 2 { // a pair
		return r.items[1].Kind == types.KindInt && r.ub >= r.items[1].Disp+4 && r.ub < r.items[1].Disp+4+r.align
	}
	return n == 1 && r.ub == r.items[0].Size
}

func alike(a, b []naive.Item) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if a[k].Size != b[k].Size || a[k].Disp != b[k].Disp || likeness(a[k].Kind) != likeness(b[k].Kind) {
			return false
		}
	}
	return true
}

func likeness(k types.Kind) types.Family {
	if k == types.KindWChar {
		return types.FamilyCharacter
	}
	switch f := k.Family(); f {
	case types.FamilyFloat, types.FamilyComplex:
		return f
	}
	return types.FamilySigned
}

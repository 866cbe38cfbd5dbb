package types

import "slices"

// A Block is a number of copies at a displacement; the constructor defines the unit of the
// displacement.
type Block struct{ Len, Disp int64 }

// indexed is blocks of copies at any displacements, in the given order.
type indexed struct {
	blocks  []Block
	even    bool // made by IndexedBlock or HIndexedBlock: all blocks have the same length
	len     int64
	inBytes bool
	elem    *Type
}

// Indexed returns blocks of copies of t; displacements are in extents of t (DT-IDX-01).
//
// MPI_Type_indexed
func Indexed(blocks []Block, t *Type) *Type {
	return newIndexed("Indexed", indexed{blocks: blocks, elem: t})
}

// HIndexed is Indexed with displacements in bytes (DT-HIDX-01).
//
// MPI_Type_create_hindexed
func HIndexed(blocks []Block, t *Type) *Type {
	return newIndexed("HIndexed", indexed{blocks: blocks, inBytes: true, elem: t})
}

// IndexedBlock returns a block of blocklen copies of t at each displacement, in extents of
// t (DT-IDXB-01).
//
// MPI_Type_create_indexed_block
func IndexedBlock(blocklen int64, disps []int64, t *Type) *Type {
	return newIndexed("IndexedBlock", indexed{blocks: evenBlocks(blocklen, disps), even: true, len: blocklen, elem: t})
}

// HIndexedBlock is IndexedBlock with displacements in bytes (DT-IDXB-01).
//
// MPI_Type_create_hindexed_block
func HIndexedBlock(blocklen int64, dispBytes []int64, t *Type) *Type {
	return newIndexed("HIndexedBlock", indexed{
		blocks: evenBlocks(blocklen, dispBytes), even: true, len: blocklen, inBytes: true, elem: t,
	})
}

func evenBlocks(n int64, disps []int64) []Block {
	blocks := make([]Block, len(disps))
	for i, d := range disps {
		blocks[i] = Block{n, d}
	}
	return blocks
}

func newIndexed(op string, x indexed) *Type {
	if bad := inherit(op, x.elem); bad != nil {
		return bad
	}
	if x.len < 0 {
		return broken(op, ErrArg, "DT-ARG-01", "block length %d is negative", x.len)
	}
	for i, b := range x.blocks {
		if b.Len < 0 {
			return broken(op, ErrArg, "DT-ARG-01", "length %d of block %d is negative", b.Len, i)
		}
	}
	if !x.even {
		x.blocks = slices.Clone(x.blocks)
	}
	return build(x)
}

func (x indexed) combiner() Combiner {
	switch {
	case x.even && x.inBytes:
		return CombinerHIndexedBlock
	case x.even:
		return CombinerIndexedBlock
	case x.inBytes:
		return CombinerHIndexed
	}
	return CombinerIndexed
}

func (x indexed) contents() Contents {
	c := Contents{Integers: []int64{int64(len(x.blocks))}, Types: []*Type{x.elem}}
	if x.even {
		c.Integers = append(c.Integers, x.len)
	} else {
		c.Integers = append(c.Integers, x.lens()...)
	}
	if x.inBytes {
		c.Addresses = x.disps()
	} else {
		c.Integers = append(c.Integers, x.disps()...)
	}
	return c
}

func (x indexed) lens() []int64 {
	v := make([]int64, len(x.blocks))
	for i, b := range x.blocks {
		v[i] = b.Len
	}
	return v
}

func (x indexed) disps() []int64 {
	v := make([]int64, len(x.blocks))
	for i, b := range x.blocks {
		v[i] = b.Disp
	}
	return v
}

func (x indexed) portable() bool { return !x.inBytes && x.elem.Portable() }

func (x indexed) signature() Signature {
	n := int64(0)
	for _, b := range x.blocks {
		n += b.Len
	}
	return x.elem.Signature().Repeat(n)
}

func (x indexed) shape(l *layer) shape {
	elem := l.of(x.elem)
	if l.over {
		return shape{}
	}
	ex := l.extent(&elem)
	core := elem.nest
	elem.nest = nest{} // the nests of the blocks are not made one by one
	var all shape
	var list *lister
	if core.nd != nil {
		list = newLister(core.nd, ex, len(x.blocks))
	}
	for _, b := range x.blocks {
		if b.Len == 0 {
			continue
		}
		disp := b.Disp
		if !x.inBytes {
			disp = l.mul(disp, ex)
		}
		block := l.shift(l.repeat(elem, b.Len, ex), disp)
		l.join(&all, &block)
		if l.over {
			return shape{}
		}
		if list != nil {
			list.put(core.off+disp, b.Len, core.nd)
		}
	}
	if list != nil {
		all.nest = list.nest()
	}
	return all
}

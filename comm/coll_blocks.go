package comm

import (
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// ownerName returns the text for the owner of a block: a rank or a neighbour.
func (p *parts) ownerName() string {
	if p.forNeighbors {
		return "neighbour"
	}
	return "rank"
}

// rebase moves the origin of a buffer to the first of its blocks if that has a negative
// displacement, and makes displacements count from there.
func (p *parts) rebase(buf *types.Buffer, z types.Sizes) *fault {
	first := int64(0)
	for i, d := range p.displs {
		if d < first && i < len(p.counts) && p.counts[i] > 0 {
			first = d
		}
	}
	if first == 0 || buf.Count() < 0 || buf.Type().Size(z) == 0 {
		return nil
	}
	_, extent := buf.Type().Extent(z)
	back := first * extent
	if extent != 0 && back/extent != first || max(back, -back) > math.MaxInt64/4 || buf.Origin() < math.MinInt64/4 || buf.Count()-first < 0 {
		return broken(ErrBuffer, "COLL-01", "displacement %d is outside of any memory", first)
	}
	*buf = buf.At(buf.Origin() + back).Times(buf.Count() - first)
	p.displs, p.first = slices.Clone(p.displs), first
	for i := range p.displs {
		p.displs[i] -= first
	}
	return nil
}

// count returns how many copies of the datatype buf must have to contain all blocks. The
// result is buf's own count if counts are wrong or blocks have no data; else that count does
// not matter.
func (p *parts) count(buf *types.Buffer, z types.Sizes) int64 {
	if len(p.counts) != p.n || p.displs != nil && len(p.displs) != p.n || buf.Count() < 0 || buf.Type().Size(z) == 0 {
		return buf.Count()
	}
	reach, end := int64(0), int64(0)
	for i, n := range p.counts {
		if p.displs != nil {
			end = p.displs[i]
		}
		if n < 0 || n > 0 && (end < 0 || end > math.MaxInt64-n) {
			return buf.Count()
		}
		if end += n; n > 0 {
			reach = max(reach, end)
		}
	}
	return reach
}

// outside returns the error of the first block that is not inside the memory of buf, nil if
// all are inside.
func (p *parts) outside(buf *types.Buffer, z types.Sizes) *fault {
	_, extent := buf.Type().Extent(z)
	at := int64(0)
	for i, n := range p.counts {
		if p.displs != nil {
			at = p.displs[i]
		}
		back := at * extent
		if extent != 0 && back/extent != at || max(back, -back) > math.MaxInt64/4 {
			return broken(ErrBuffer, "COLL-01", "the block of %s %d is items %d to %d, outside of any memory", p.ownerName(), i, at+p.first, at+p.first+n)
		}
		if err := buf.At(buf.Origin() + back).Times(n).Check(z); err != nil {
			var e *Error
			if errors.As(err, &e) && e.Err != nil {
				err = e.Err // the rest of the error describes a call of types
			}
			return broken(ErrBuffer, "COLL-01", "the block of %s %d is items %d to %d, outside of the buffer: %w", p.ownerName(), i, at+p.first, at+p.first+n, err)
		}
		at += n
	}
	return nil
}

// check checks counts and displacements of the blocks of a buffer. The displacement of an
// empty block does not matter.
func (p *parts) check(b *data) *fault {
	if len(p.counts) != p.n || p.displs != nil && len(p.displs) != p.n {
		return broken(ErrArg, "COLL-01", "%d counts and %d displacements for %d %ss; each has one, but no displacements at all mean one block behind the other", len(p.counts), len(p.displs), p.n, p.ownerName())
	}
	p.packed = p.displs == nil
	if p.packed {
		p.displs = make([]int64, p.n)
	}
	end, own := int64(0), p.packed || p.first != 0 // displs belongs to the caller, so it is copied before a change
	for i, n := range p.counts {
		if n < 0 {
			return broken(ErrCount, "COLL-01", "count %d of %s %d is negative", n, p.ownerName(), i)
		}
		if p.packed {
			p.displs[i] = end
		}
		d := p.displs[i]
		switch outside := d < 0 || n > b.count || d > b.count-n; {
		case outside && (n == 0 || b.unit == 0):
			if !own {
				p.displs, own = slices.Clone(p.displs), true
			}
			p.displs[i] = 0 // so that no engine sees a displacement outside of memory
		case outside:
			return broken(ErrBuffer, "COLL-01", "the block of %s %d is items %d to %d of a buffer of %d", p.ownerName(), i, d+p.first, d+p.first+n, b.count+p.first)
		}
		end += n
	}
	return nil
}

// onePlaceEach reports blocks that would receive two items in one place. The copies of the
// datatype may interleave, as the tiles of a matrix do; copies that no block uses may
// overlap.
func (k *call) onePlaceEach() *fault {
	p, d := &k.recvs, &k.recv
	if p.how != byCounts {
		return d.onePlaceEach(d.count)
	}
	overlapping := d.shareBytes(d.count)
	if d.unit == 0 || !overlapping && (p.packed || p.rising()) {
		return nil
	}
	blocks := p.inOrder()
	for i := range blocks {
		if f := d.onePlaceEach(blocks[i].Len); f != nil {
			return f
		}
	}
	if meetingBlocks(blocks) || overlapping && !k.comm.proc.placed.find(d.typ, d.arch, blocks) {
		return broken(ErrArg, "COLL-01", "blocks of different %ss are received in the same place", p.ownerName())
	}
	return nil
}

// rising reports whether each block begins after the end of the one before.
func (p *parts) rising() bool {
	end := int64(math.MinInt64)
	for i, n := range p.counts {
		if n > 0 {
			if p.displs[i] < end {
				return false
			}
			end = p.displs[i] + n
		}
	}
	return true
}

// inOrder returns the non-empty blocks, sorted by displacement.
func (p *parts) inOrder() []types.Block {
	blocks := make([]types.Block, 0, len(p.counts))
	for i, n := range p.counts {
		if n > 0 {
			blocks = append(blocks, types.Block{Len: n, Disp: p.displs[i]})
		}
	}
	sort.Slice(blocks, func(i, j int) bool { return blocks[i].Disp < blocks[j].Disp })
	return blocks
}

// meetingBlocks reports whether two of the sorted blocks have an item in common.
func meetingBlocks(blocks []types.Block) bool {
	for i := 1; i < len(blocks); i++ {
		if blocks[i].Disp < blocks[i-1].Disp+blocks[i-1].Len {
			return true
		}
	}
	return false
}

// A placement holds blocks of a datatype that were found to share no byte, because programs
// collect the same tiles again and again.
type placement struct {
	typ    *types.Type
	arch   *reps.Arch
	blocks []types.Block
}

// find reports whether blocks share no byte, and remembers them if so.
func (q *placement) find(t *types.Type, a *reps.Arch, blocks []types.Block) bool {
	if q.typ == t && q.arch == a && slices.Equal(q.blocks, blocks) {
		return true
	}
	l, err := types.Indexed(blocks, t).Layout(a)
	if err != nil || l.Overlaps() {
		return false
	}
	*q = placement{t, a, blocks}
	return true
}

package comm

import (
	"cmp"
	"math"
	"slices"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// The checks of this file note the first thing that is wrong with a rank's
// arguments; the other ranks hear of it when they meet.

func (k *call) wrong(f *fault) {
	if k.err == nil {
		k.err = f
	}
}

// from takes the root.
func (k *call) from(root int) {
	k.root = root
	inter := k.comm.core.inter != nil
	if inter && (root == Root || root == ProcNull) {
		return
	}
	if n := k.comm.core.peers().n; root < 0 || root >= n {
		far := ""
		if inter {
			far = "the other group of "
		}
		k.wrong(broken(ErrRoot, "COLL-01", "root %s is none of the %d ranks of %s%s", special(root), n, far, k.comm.core.name))
	}
}

// input takes the buffer whose data this rank brings.
func (k *call) input(buf types.Buffer, p parts) {
	k.sends = p
	k.wrong(k.take(&k.send, &buf, &k.sends))
}

// inputs takes a buffer for each rank that data go to, outputs one for each rank
// that they come from.
func (k *call) inputs(bufs []types.Buffer, p parts) {
	k.sends = p
	k.wrong(k.takeAll(&k.sends, bufs))
}

func (k *call) outputs(bufs []types.Buffer, p parts) {
	k.recvs = p
	k.wrong(k.takeAll(&k.recvs, bufs))
	for i := range k.recvs.each {
		if k.err == nil {
			k.wrong(k.recvs.each[i].onePlaceEach(k.recvs.each[i].count))
		}
	}
}

func (k *call) takeAll(p *parts, bufs []types.Buffer) *fault {
	k.size(p)
	if len(bufs) != p.n {
		return broken(ErrArg, "COLL-01", "%d buffers for %d %ss", len(bufs), p.n, p.whom())
	}
	p.each = make([]data, len(bufs))
	for i := range bufs {
		if f := k.fill(&p.each[i], &bufs[i]); f != nil {
			return broken(f.class, f.rule, "buffer %d: %w", i, f.err)
		}
	}
	return nil
}

// output takes the buffer that this rank receives into.
func (k *call) output(buf types.Buffer, p parts) {
	k.recvs = p
	k.wrong(k.take(&k.recv, &buf, &k.recvs))
	if k.err == nil {
		k.wrong(k.onePlaceEach())
	}
}

func (k *call) take(d *data, buf *types.Buffer, p *parts) *fault {
	k.size(p)
	if p.how == byCounts {
		if f := p.rebase(buf, k.comm.proc.arch); f != nil {
			return f
		}
	}
	if f := k.fill(d, buf); f != nil {
		return f
	}
	switch p.how {
	case evenly:
		if p.n > 0 && d.count%int64(p.n) != 0 {
			return broken(ErrCount, "COLL-01", "%d items of %v cannot be cut into %d equal blocks", d.count, d.typ, p.n)
		}
	case byCounts:
		return p.check(d)
	}
	return nil
}

// size makes as many blocks as there are ranks, unless they are for neighbours.
func (k *call) size(p *parts) {
	switch {
	case p.near:
	case p.home:
		p.n = k.comm.core.members.n
	default:
		p.n = k.comm.core.peers().n
	}
}

// whom names what a block is for.
func (p *parts) whom() string {
	if p.near {
		return "neighbour"
	}
	return "rank"
}

// fill checks a buffer and makes it d.
func (k *call) fill(d *data, buf *types.Buffer) *fault {
	if isInPlace(*buf) {
		return broken(ErrBuffer, "COLL-01", "InPlace cannot stand here in %s", k.title())
	}
	p := k.comm.proc
	if mem, ok := buf.Again(p.usual, p.unit); ok {
		d.typ, d.count, d.unit, d.arch, d.flat, d.plain = p.usual, buf.Count(), p.unit, p.arch, mem, true
		return nil
	}
	if err := d.take(buf, p.arch); err != nil {
		return faultOf(err, ErrBuffer, "COLL-01")
	}
	if d.plain {
		p.usual, p.unit = d.typ, d.unit
	}
	return nil
}

// rebase moves the origin of a buffer to the first of its blocks if that has a
// negative displacement, and counts displacements from there.
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

// check checks counts and displacements of blocks of a buffer. Where an empty
// block lies does not matter.
func (p *parts) check(b *data) *fault {
	if len(p.counts) != p.n || p.displs != nil && len(p.displs) != p.n {
		return broken(ErrArg, "COLL-01", "%d counts and %d displacements for %d %ss; each has one, but no displacements at all mean one block behind the other", len(p.counts), len(p.displs), p.n, p.whom())
	}
	p.packed = p.displs == nil
	if p.packed {
		p.displs = make([]int64, p.n)
	}
	end, own := int64(0), p.packed || p.first != 0 // displs are the caller's no longer
	for i, n := range p.counts {
		if n < 0 {
			return broken(ErrCount, "COLL-01", "count %d of %s %d is negative", n, p.whom(), i)
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
			p.displs[i] = 0 // nothing lies there, and no engine needs to be asked what it thinks of that
		case outside:
			return broken(ErrBuffer, "COLL-01", "the block of %s %d is items %d to %d of a buffer of %d", p.whom(), i, d+p.first, d+p.first+n, b.count+p.first)
		}
		end += n
	}
	return nil
}

// covers reports blocks, one behind the other, that are not all of a buffer.
func (p *parts) covers(total int64) *fault {
	for _, n := range p.counts {
		total -= n
	}
	if total != 0 {
		return broken(ErrCount, "COLL-03", "the counts leave %d items of the buffer over", total)
	}
	return nil
}

// onePlaceEach reports blocks that would receive two items in one place. Where
// copies of the datatype interleave, as the tiles of a matrix do, those that the
// blocks do not use may overlap.
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
		return broken(ErrArg, "COLL-01", "blocks of different %ss are received in the same place", p.whom())
	}
	return nil
}

// rising reports whether each block begins behind the one before.
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

// inOrder returns the blocks that are not empty by their displacements.
func (p *parts) inOrder() []types.Block {
	blocks := make([]types.Block, 0, len(p.counts))
	for i, n := range p.counts {
		if n > 0 {
			blocks = append(blocks, types.Block{Len: n, Disp: p.displs[i]})
		}
	}
	slices.SortFunc(blocks, func(a, b types.Block) int { return cmp.Compare(a.Disp, b.Disp) })
	return blocks
}

// meetingBlocks reports whether two blocks, which are in order, have an item in
// common.
func meetingBlocks(blocks []types.Block) bool {
	for i := 1; i < len(blocks); i++ {
		if blocks[i].Disp < blocks[i-1].Disp+blocks[i-1].Len {
			return true
		}
	}
	return false
}

// A placement is blocks of a datatype that were found to share no byte: programs
// collect the same tiles again and again.
type placement struct {
	typ    *types.Type
	arch   *reps.Arch
	blocks []types.Block
}

// find reports whether blocks share no byte, and keeps them if so.
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

// distinct finds a buffer that is both read and written, which may be read after
// it was written.
func (k *call) distinct() {
	if k.err == nil && !k.standing && k.send.shares(&k.sends, &k.recv, &k.recvs) {
		k.err = broken(ErrBuffer, "COLL-01", "the buffers sent from and received into share memory; copy one of them, or say InPlace where the call allows it")
	}
}

// fromOutput makes the input of what the output buffer holds now. It is written
// before all of it has been read, so putAside copies it first.
func (k *call) fromOutput() {
	if k.err != nil {
		return
	}
	k.inPlace, k.standing, k.sends = true, true, k.recvs
	if k.recvs.how != apart {
		k.send.packedAs(&k.recv, nil)
		return
	}
	k.sends.each = make([]data, len(k.recvs.each))
	for i := range k.sends.each {
		k.sends.each[i].packedAs(&k.recvs.each[i], nil)
	}
}

func (k *call) putAside() {
	if !k.inPlace || k.err != nil || k.comm.core.native != nil {
		return
	}
	if k.sends.how != apart {
		k.send.copyOf(&k.recv)
	}
	for i := range k.sends.each {
		k.sends.each[i].copyOf(&k.recvs.each[i])
	}
}

// copyOf makes d, which is packed, a copy of o.
func (d *data) copyOf(o *data) {
	d.flat = make([]byte, o.size())
	o.pack(d.flat)
}

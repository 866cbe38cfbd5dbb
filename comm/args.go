package comm

import (
	"cmp"
	"slices"

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
			k.wrong(k.recvs.each[i].onePlaceEach())
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
		k.wrong(k.recv.onePlaceEach())
	}
	if k.err == nil && p.displs != nil && k.recvs.overlap() {
		k.wrong(broken(ErrArg, "COLL-01", "blocks of different %ss are received in the same place", p.whom()))
	}
}

func (k *call) take(d *data, buf *types.Buffer, p *parts) *fault {
	if f := k.fill(d, buf); f != nil {
		return f
	}
	k.size(p)
	switch p.how {
	case evenly:
		if p.n > 0 && d.count%int64(p.n) != 0 {
			return broken(ErrCount, "COLL-01", "%d items of %v cannot be cut into %d equal blocks", d.count, d.typ, p.n)
		}
	case byCounts:
		return p.check(d.count)
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

// check checks counts and displacements of blocks of a buffer of total items.
func (p *parts) check(total int64) *fault {
	if len(p.counts) != p.n || p.displs != nil && len(p.displs) != p.n {
		return broken(ErrArg, "COLL-01", "%d counts and %d displacements for %d %ss; each has one, but no displacements at all mean one block behind the other", len(p.counts), len(p.displs), p.n, p.whom())
	}
	packed := p.displs == nil
	if packed {
		p.displs = make([]int64, p.n)
	}
	end := int64(0)
	for i, n := range p.counts {
		if n < 0 {
			return broken(ErrCount, "COLL-01", "count %d of %s %d is negative", n, p.whom(), i)
		}
		if packed {
			p.displs[i] = end
		}
		if d := p.displs[i]; d < 0 || n > total || d > total-n {
			return broken(ErrBuffer, "COLL-01", "the block of %s %d is items %d to %d of a buffer of %d", p.whom(), i, d, d+n, total)
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

// overlap reports whether two blocks have an item in common.
func (p *parts) overlap() bool {
	end, sorted := int64(0), true
	for i, n := range p.counts {
		if n > 0 {
			sorted = sorted && p.displs[i] >= end
			end = p.displs[i] + n
		}
	}
	if sorted {
		return false
	}
	var blocks []types.Block
	for i, n := range p.counts {
		if n > 0 {
			blocks = append(blocks, types.Block{Len: n, Disp: p.displs[i]})
		}
	}
	slices.SortFunc(blocks, func(a, b types.Block) int { return cmp.Compare(a.Disp, b.Disp) })
	for i := 1; i < len(blocks); i++ {
		if blocks[i].Disp < blocks[i-1].Disp+blocks[i-1].Len {
			return true
		}
	}
	return false
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

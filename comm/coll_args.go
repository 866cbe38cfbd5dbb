package comm

import (
	"cmp"

	flt "github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/types"
)

// The checks of this file record the first error in a rank's arguments; the other ranks get
// that error when they meet.

func (k *call) wrong(f *fault) {
	if k.err == nil {
		k.err = f
	}
}

// from sets the root's rank.
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

// input sets the buffer whose data this rank sends.
func (k *call) input(buf types.Buffer, p parts) {
	k.sends = p
	k.wrong(k.take(&k.send, &buf, &k.sends))
}

// inputs sets one send buffer for each destination rank, outputs one receive buffer for
// each source rank.
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
		return broken(ErrArg, "COLL-01", "%d buffers for %d %ss", len(bufs), p.n, p.ownerName())
	}
	p.each = make([]data, len(bufs))
	for i := range bufs {
		if f := k.fill(&p.each[i], &bufs[i]); f != nil {
			return broken(f.Class, f.Rule, "buffer %d: %w", i, f.Err)
		}
	}
	return nil
}

// output sets the buffer that this rank receives into.
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
		*buf = buf.Times(p.count(buf, k.comm.proc.arch))
	}
	if f := k.fill(d, buf); f != nil {
		if p.how == byCounts && f.Class == ErrBuffer {
			return cmp.Or(p.outside(buf, k.comm.proc.arch), f)
		}
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

// size sets the number of blocks to the number of ranks, unless the blocks are for
// neighbours.
func (k *call) size(p *parts) {
	switch {
	case p.forNeighbors:
	case p.home:
		p.n = k.comm.core.members.n
	default:
		p.n = k.comm.core.peers().n
	}
}

// fill checks a buffer and stores its description in d.
func (k *call) fill(d *data, buf *types.Buffer) *fault {
	if isInPlace(buf) {
		return broken(ErrBuffer, "COLL-01", "InPlace cannot stand here in %s", k.title())
	}
	p := k.comm.proc
	if mem, ok := buf.Again(p.lastType, p.lastUnit); ok {
		d.typ, d.count = buf.Items()
		d.unit, d.arch, d.flat, d.plain = p.lastUnit, p.arch, mem, true
		return nil
	}
	if err := p.describe(d, buf, true); err != nil {
		return flt.Of(err, ErrBuffer, "COLL-01")
	}
	if d.plain {
		p.lastType, p.lastUnit = d.typ, d.unit
	}
	return nil
}

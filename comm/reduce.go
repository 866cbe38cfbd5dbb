package comm

import (
	"sync"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

var (
	reduce    = reducing("Reduce", resultAtRoot)
	allReduce = reducing("AllReduce", resultEverywhere)
	scan      = reducing("Scan", resultSoFar)
	exScan    = reducing("ExScan", resultBefore)
)

// result says who gets what of a reduction.
type result uint8

const (
	resultAtRoot result = iota
	resultEverywhere
	resultSoFar  // each rank that of the ranks up to itself
	resultBefore // each rank that of the ranks before itself
)

func reducing(name string, r result) *routine {
	return &routine{
		name: name, rooted: r == resultAtRoot, edge: r.edge(), result: r, divides: true,
		agree: agreeReduce, volume: volumeReduce, share: shareReduce,
	}
}

func (r result) edge() edge {
	switch r {
	case resultAtRoot:
		return toRoot
	case resultSoFar, resultBefore:
		return upward
	}
	return together
}

// Reduce combines send of all ranks by op, item by item, in recv of rank root,
// where alone recv matters, and where send may be [InPlace]. Collective, the
// same count, datatype and op on all ranks. Errors: as [Comm.Bcast], and ErrOp.
// (COLL-03)
//
// MPI_Reduce
func (c *Comm) Reduce(send, recv types.Buffer, op *Op, root int) error {
	return c.reduce(reduce, send, recv, op, root)
}

// AllReduce is [Comm.Reduce] with the result in recv of all ranks; send may be
// [InPlace] on any. Collective. Errors: as [Comm.Reduce].
//
// MPI_Allreduce
func (c *Comm) AllReduce(send, recv types.Buffer, op *Op) error {
	return c.reduce(allReduce, send, recv, op, everybody)
}

// Scan gives rank r in recv what op makes of send of ranks 0 to r; send may be
// [InPlace] on any rank. Collective. Errors: as [Comm.Reduce].
//
// MPI_Scan
func (c *Comm) Scan(send, recv types.Buffer, op *Op) error {
	return c.reduce(scan, send, recv, op, everybody)
}

// ExScan gives rank r in recv what op makes of send of ranks 0 to r-1, and
// leaves recv of rank 0 alone; send may be [InPlace] on any rank. Collective.
// Errors: as [Comm.Reduce].
//
// MPI_Exscan
func (c *Comm) ExScan(send, recv types.Buffer, op *Op) error {
	return c.reduce(exScan, send, recv, op, everybody)
}

func (c *Comm) reduce(r *routine, send, recv types.Buffer, op *Op, root int) error {
	if err := c.alive(r.name); err != nil {
		return err
	}
	k := c.begin(r)
	k.op = op
	if r.rooted {
		k.from(root)
	}
	receives := !r.rooted || c.rank == root
	if receives {
		k.output(recv, parts{})
	}
	if receives && isInPlace(send) {
		k.send = k.recv
	} else {
		k.input(send, parts{})
	}
	if k.err == nil {
		k.wrong(op.check(k.send.typ))
	}
	return k.run()
}

// agreeReduce compares each rank's operation and data with those of rank 0.
func agreeReduce(ks []*call) *fault {
	for i, k := range ks {
		if k.op != ks[0].op {
			return broken(ErrNotSame, "COLL-03", "operations differ: rank 0 gave %v, rank %d gave %v", ks[0].op, i, k.op)
		}
		if k.receives() {
			if f := matchPair(ks, i, i); f != nil {
				return f
			}
		}
		if f := sameData(&ks[0].send, &k.send, i); f != nil {
			return f
		}
	}
	return nil
}

func (k *call) receives() bool { return !k.rooted || k.comm.rank == k.root }

// sameData compares the input of rank i with that of rank 0.
func sameData(first, d *data, i int) *fault {
	f := match(first.whole(), d.whole(), exactly)
	switch {
	case f == nil:
		return nil
	case f.class == ErrTruncate:
		f.class = ErrNotSame
	}
	return broken(f.class, "COLL-01", "rank 0 brings %s, rank %d brings %s", describe(first.whole()), i, describe(d.whole()))
}

func volumeReduce(ks []*call) int64 {
	if ks[0].op.code == opUser {
		return 0 // by one rank: a user's function need not stand several callers
	}
	return ks[0].send.size() * int64(len(ks))
}

// A reduction is one part of a call's work: items [from, from+n) of all ranks.
type reduction struct {
	ks      []*call
	arch    *reps.Arch // in whose form items are combined
	from, n int64
	size    int64 // of an item in that form
	kernel  kernel

	acc, next, spare []byte       // a block each, in that form
	raw              *[block]byte // a block in a rank's own form
}

// work is the space in which a reduction works.
type work struct {
	reduction reduction
	space     [4][block]byte
}

var works = sync.Pool{New: func() any { return new(work) }}

// shareReduce reduces a stretch of the items: items do not depend on each
// other. It goes block by block, so that what it works on stays in the cache.
func shareReduce(ks []*call, i, parts int) *fault {
	if ks[0].op.code == opUser {
		return reduceByUser(ks)
	}
	total := ks[0].send.count
	lo, hi := total*int64(i)/int64(parts), total*int64(i+1)/int64(parts)
	if lo == hi {
		return nil
	}
	w := works.Get().(*work)
	defer works.Put(w)
	kind := ks[0].send.typ.Kind()
	r := &w.reduction
	*r = reduction{ks: ks, arch: commonArch(ks), raw: &w.space[3]}
	r.size = r.arch.Sizeof(kind)
	r.kernel = kernelOf(ks[0].op.code, kind, r.arch)
	step := block / r.size
	for r.from = lo; r.from < hi; r.from += step {
		r.n = min(step, hi-r.from)
		r.acc, r.next, r.spare = w.space[0][:r.n*r.size], w.space[1][:r.n*r.size], w.space[2][:r.n*r.size]
		if f := r.fold(); f != nil {
			return f
		}
	}
	return nil
}

// commonArch is where items are combined: the ranks' own architecture if they
// are alike, else one that holds the values of all.
func commonArch(ks []*call) *reps.Arch {
	first := ks[0].comm.proc.arch
	for _, k := range ks {
		if !reps.SameMemory(first, k.comm.proc.arch) {
			return reps.LP64BE
		}
	}
	return first
}

// fold combines one block of items of all ranks, in their order.
func (r *reduction) fold() *fault {
	for i, k := range r.ks {
		x, f := r.load(k)
		switch {
		case f != nil:
			return f
		case i == 0:
			copy(r.acc, x)
		case k.result == resultBefore:
			copy(r.next, r.acc) // x may lie where the result goes
			r.kernel(r.next, x)
			if f := r.store(k); f != nil {
				return f
			}
			r.acc, r.next = r.next, r.acc
		default:
			r.kernel(r.acc, x)
		}
		if k.result == resultSoFar {
			if f := r.store(k); f != nil {
				return f
			}
		}
	}
	switch first := r.ks[0]; first.result {
	case resultAtRoot:
		return r.store(r.ks[first.root])
	case resultEverywhere:
		for _, k := range r.ks {
			if f := r.store(k); f != nil {
				return f
			}
		}
	}
	return nil
}

// load returns the block of a rank's input.
func (r *reduction) load(k *call) ([]byte, *fault) {
	src := k.send.whole()
	if reps.SameMemory(src.arch, r.arch) {
		return src.load(r.from*r.size, r.n*r.size, r.spare), nil
	}
	size, sig := src.unit, src.typ.Signature()
	x := src.load(r.from*size, r.n*size, r.raw[:])
	if err := reps.Transfer(r.spare, r.arch, x, src.arch, sig, r.from, r.n); err != nil {
		return nil, faultOf(err, ErrConversion, "P2P-MATCH-08")
	}
	return r.spare, nil
}

// store puts the result into a rank's output.
func (r *reduction) store(k *call) *fault {
	dst := k.recv.whole()
	if reps.SameMemory(dst.arch, r.arch) {
		dst.store(r.acc, r.from*r.size)
		return nil
	}
	size := dst.unit
	out := r.raw[:r.n*size]
	if err := reps.Transfer(out, dst.arch, r.acc, r.arch, dst.typ.Signature(), r.from, r.n); err != nil {
		return faultOf(err, ErrConversion, "P2P-MATCH-08")
	}
	dst.store(out, r.from*size)
	return nil
}

// reduceByUser is the reduction by a user's operation: whole copies of the
// datatype, in memory laid out as the ranks have it.
func reduceByUser(ks []*call) *fault {
	if ks[0].send.count == 0 {
		return nil
	}
	op := ks[0].op
	acc, next := blank(&ks[0].send), blank(&ks[0].send)
	for i, k := range ks {
		if f := move(next.whole(), k.send.whole()); f != nil {
			return f
		}
		if k.result == resultBefore && i > 0 {
			if f := move(k.recv.whole(), acc.whole()); f != nil {
				return f
			}
		}
		if i > 0 {
			if err := op.user(acc.buf, next.buf); err != nil {
				return faultOf(err, ErrOp, "COLL-03")
			}
		}
		acc, next = next, acc
		if k.result == resultSoFar {
			if f := move(k.recv.whole(), acc.whole()); f != nil {
				return f
			}
		}
	}
	for _, k := range ks {
		if k.result == resultEverywhere || k.result == resultAtRoot && k.receives() {
			if f := move(k.recv.whole(), acc.whole()); f != nil {
				return f
			}
		}
	}
	return nil
}

// blank returns fresh memory for data like d.
func blank(d *data) data {
	l, err := d.typ.Layout(d.arch)
	if err != nil {
		return data{}
	}
	far := (d.count - 1) * l.Extent
	lo, hi := l.TrueLB+min(0, far), l.TrueUB+max(0, far)
	origin := -min(lo, 0)
	fresh := *d
	fresh.buf = types.Raw(make([]byte, origin+max(hi, 0)), d.count, d.typ).At(origin)
	fresh.laid, fresh.flat = true, nil
	return fresh
}

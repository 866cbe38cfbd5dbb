package comm

import (
	"slices"
	"sync"

	"github.com/commworld/commworld/comm/internal/reduce"
	flt "github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/reps"
)

var (
	reduceAtRoot = reducing("Reduce", resultAtRoot)
	allReduce    = reducing("AllReduce", resultEverywhere)
	scan         = reducing("Scan", resultSoFar)
	exScan       = reducing("ExScan", resultBefore)

	reduceScatter      = reducing("ReduceScatter", resultScattered)
	reduceScatterBlock = reducing("ReduceScatterBlock", resultScattered)
	reduceLocal        = reducing("ReduceLocal", resultAtLast)
)

// result says which rank gets which part of a reduction.
type result uint8

const (
	resultAtRoot result = iota
	resultEverywhere
	resultSoFar     // each rank the result of the ranks up to itself
	resultBefore    // each rank the result of the ranks before itself
	resultScattered // each rank its block of the whole result
	resultAtLast
)

func reducing(name string, r result) *routine {
	return &routine{
		name: name, rooted: r == resultAtRoot, edge: r.edge(), result: r, across: r.across(), divides: true,
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

func (r result) across() across {
	switch r {
	case resultAtRoot, resultEverywhere, resultScattered:
		return foldAcross
	}
	return notAcross // between two groups no rank is before another
}

// agreeReduce compares each rank's operation and data with those of rank 0.
func agreeReduce(ks []*call) *fault {
	for i, k := range ks {
		if f := sameBlocks(&ks[0].sends, &k.sends, i); f != nil {
			return f
		}
	}
	for i, k := range ks {
		if k.matches(ks[0]) {
			continue
		}
		if !k.op.like(ks[0].op) {
			return broken(ErrNotSame, "COLL-03", "operations differ: rank 0 gave %v, rank %d gave %v%s", ks[0].op, i, k.op, namesakes(ks[0].op, k.op))
		}
		if f := matchResult(ks, i); f != nil {
			return f
		}
		if f := sameData(&ks[0].send, &k.send, i); f != nil {
			return f
		}
	}
	return nil
}

// matches is a fast check for the usual correct call: k's operation and data equal those of
// the first call, and its result has the same length and is not cut into blocks.
func (k *call) matches(first *call) bool {
	d, r := &k.send, &k.recv
	return k.op == first.op && d.typ == first.send.typ && d.count == first.send.count && k.sends.how == uncut &&
		(r.typ == d.typ && r.count == d.count && k.recvs.how == uncut || !k.receives())
}

// namesakes returns a text that explains how two operations of the same name differ.
func namesakes(a, b *Op) string {
	if a == nil || b == nil || a.name != b.name {
		return ""
	}
	return ": one commutes and the other does not; make both by NewOp or both by NewCommutativeOp"
}

// matchResult compares the result that rank i gets with its buffer.
func matchResult(ks []*call, i int) *fault {
	k := ks[i]
	if !k.receives() || k.result == resultScattered && k.inPlace {
		return nil
	}
	f := match(k.in(i), k.out(i), exactly)
	if f == nil {
		return nil
	}
	return broken(f.Class, "COLL-01", "the result is not what rank %d receives: %w", i, f.Err)
}

// sameBlocks compares the blocks of rank i's result with those of the first rank.
func sameBlocks(first, p *parts, i int) *fault {
	if slices.Equal(first.counts, p.counts) {
		return nil
	}
	return broken(ErrNotSame, "GEN-05", "counts differ: rank 0 gave %v, rank %d gave %v", first.counts, i, p.counts)
}

func (k *call) receives() bool { return !k.rooted || k.comm.rank == k.root }

// sameData compares the input of rank i with that of rank 0.
func sameData(first, d *data, i int) *fault {
	f := match(first.whole(), d.whole(), exactly)
	switch {
	case f == nil:
		return nil
	case f.Class == ErrTruncate:
		f.Class = ErrNotSame
	}
	return broken(f.Class, "COLL-01", "rank 0 brings %s, rank %d brings %s", describe(first.whole()), i, describe(d.whole()))
}

func volumeReduce(ks []*call) int64 {
	if ks[0].op.byUser() {
		return 0 // by one rank: a user's function may not allow several callers
	}
	return ks[0].send.size() * int64(len(ks))
}

// rootAmong returns the root of a reduction: between groups it is the rank that gave Root.
func rootAmong(outs []*call, first *call) int {
	if first.comm.core.inter == nil {
		return first.root
	}
	return slices.IndexFunc(outs, func(k *call) bool { return k.root == Root })
}

// A reduction is one part of a call's work: items [from, from+n) of all ranks.
type reduction struct {
	ks      []*call
	outs    []*call    // the calls that get the result: those of ks, or of the other group
	arch    *reps.Arch // the architecture in whose form items are combined
	from, n int64
	to      int64 // where in the result the items go
	owner   int   // the rank that gets them, if the result is scattered
	unit    int64 // basic items in an item: 2 in a pair
	size    int64 // bytes of an item in that form
	kernel  reduce.Kernel

	acc, next, spare []byte       // one block each, in that form
	raw              *[block]byte // one block in the form of a rank
}

// work is the memory that a reduction works in.
type work struct {
	reduction reduction
	space     [4][block]byte
}

var works = sync.Pool{New: func() any { return new(work) }}

// shareReduce reduces one range of the items: items do not depend on each other. It goes
// block by block, so that its working memory stays in the cache.
func shareReduce(ks []*call, i, parts int) *fault {
	return reduceInto(ks, ks, i, parts)
}

// reduceInto reduces the input of ks and stores the result for outs.
func reduceInto(ks, outs []*call, i, parts int) *fault {
	if !slices.ContainsFunc(outs, (*call).storesResult) {
		return nil
	}
	if ks[0].op.byUser() {
		return reduceByUser(ks, outs)
	}
	total := ks[0].send.count
	lo, hi := total*int64(i)/int64(parts), total*int64(i+1)/int64(parts)
	if lo == hi {
		return nil
	}
	w := works.Get().(*work)
	defer works.Put(w)
	typ := ks[0].send.typ
	r := &w.reduction
	*r = reduction{ks: ks, outs: outs, arch: commonArch(ks), unit: typ.Signature().Len(), raw: &w.space[3]}
	r.size = typ.Size(r.arch)
	r.kernel = reduce.Of(ks[0].op.code, typ, r.arch)
	step := block / r.size
	for r.from = lo; r.from < hi; r.from += r.n {
		r.n, r.to = min(step, hi-r.from), r.from
		if ks[0].result == resultScattered {
			r.within()
		}
		r.acc, r.next, r.spare = w.space[0][:r.n*r.size], w.space[1][:r.n*r.size], w.space[2][:r.n*r.size]
		if f := r.fold(); f != nil {
			return f
		}
	}
	return nil
}

// storesResult reports whether a rank has memory for a result.
func (k *call) storesResult() bool { return k.recv.typ != nil && !k.recv.filled() }

// commonArch returns the architecture in which items are combined: that of the ranks if
// they have the same, else one that can hold the values of all.
func commonArch(ks []*call) *reps.Arch {
	first := ks[0].send.arch
	for _, k := range ks {
		if a := k.send.arch; a != first && !reps.SameMemory(first, a) {
			return reps.LP64BE
		}
	}
	return first
}

// within restricts r to the items of one rank, if the result is scattered.
func (r *reduction) within() {
	block := r.block()
	for block.at+block.n <= r.from {
		r.owner++
		block = r.block()
	}
	r.n, r.to = min(r.n, block.at+block.n-r.from), r.from-block.at
}

// block returns the part of the result that its owner gets, as the receiving ranks cut it.
func (r *reduction) block() region {
	k := r.outs[r.owner]
	return k.sends.of(&r.ks[0].send, k.comm, r.owner)
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
			copy(r.next, r.acc) // x may be in the memory of the result
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
		return r.store(r.outs[rootAmong(r.outs, first)])
	case resultAtLast:
		return r.store(r.ks[len(r.ks)-1])
	case resultScattered:
		return r.store(r.outs[r.owner])
	case resultEverywhere:
		for _, k := range r.outs {
			if f := r.store(k); f != nil {
				return f
			}
		}
	}
	return nil
}

// load returns the block of a rank's input.
func (r *reduction) load(k *call) ([]byte, *fault) {
	if d := &k.send; !d.laid && d.arch == r.arch {
		return d.flat[r.from*r.size:][:r.n*r.size], nil
	}
	src := k.send.whole()
	if reps.SameMemory(src.arch, r.arch) {
		return src.load(r.from*r.size, r.n*r.size, r.spare), nil
	}
	size, sig := src.unit, src.typ.Signature()
	x := src.load(r.from*size, r.n*size, r.raw[:])
	if err := reps.Transfer(r.spare, r.arch, x, src.arch, sig, r.from*r.unit, r.n*r.unit); err != nil {
		return nil, flt.Of(err, ErrConversion, "P2P-MATCH-08")
	}
	return r.spare, nil
}

// store puts the result into a rank's output.
func (r *reduction) store(k *call) *fault {
	if d := &k.recv; !d.laid && d.arch == r.arch {
		copy(d.flat[r.to*r.size:], r.acc)
		return nil
	}
	dst := k.recv.whole()
	if reps.SameMemory(dst.arch, r.arch) {
		dst.store(r.acc, r.to*r.size)
		return nil
	}
	size := dst.unit
	out := r.raw[:r.n*size]
	if err := reps.Transfer(out, dst.arch, r.acc, r.arch, dst.typ.Signature(), r.from*r.unit, r.n*r.unit); err != nil {
		return flt.Of(err, ErrConversion, "P2P-MATCH-08")
	}
	dst.store(out, r.to*size)
	return nil
}

package comm

import (
	"cmp"

	"github.com/commworld/commworld/types"
)

// The reductions.

// Reduce combines send of all ranks by op, item by item, in recv of rank root. Only the
// root's recv matters, and the root's send may be [InPlace]. Collective, the same count,
// datatype and op on all ranks. Errors: as [Comm.Bcast], and ErrOp. (COLL-03)
//
// MPI_Reduce
func (c *Comm) Reduce(send, recv types.Buffer, op *Op, root int) error {
	return c.open(reduceAtRoot, waiting).reduce(send, recv, op, root).run()
}

// IReduce starts [Comm.Reduce] and returns its request; until that is complete
// the buffers must be left alone. Errors: ErrComm at once, the others with the
// request, on all ranks. (COLL-02)
//
// MPI_Ireduce
func (c *Comm) IReduce(send, recv types.Buffer, op *Op, root int) (*Request, error) {
	return c.open(reduceAtRoot, started).reduce(send, recv, op, root).issue()
}

// ReduceInit prepares [Comm.Reduce] to be started any number of times; the
// request is inactive until then. Collective: it waits for all ranks. Errors:
// as Reduce. (COLL-02)
//
// MPI_Reduce_init
func (c *Comm) ReduceInit(send, recv types.Buffer, op *Op, root int) (*Request, error) {
	return c.open(reduceAtRoot, lasting).reduce(send, recv, op, root).prepare()
}

// AllReduce is [Comm.Reduce] with the result in recv of all ranks; send may be
// [InPlace] on any. Collective. Errors: as [Comm.Reduce]. (COLL-03)
//
// MPI_Allreduce
func (c *Comm) AllReduce(send, recv types.Buffer, op *Op) error {
	return c.open(allReduce, waiting).reduce(send, recv, op, allRanks).run()
}

// IAllReduce starts [Comm.AllReduce] and returns its request; until that is
// complete the buffers must be left alone. Errors: ErrComm at once, the others
// with the request, on all ranks. (COLL-02)
//
// MPI_Iallreduce
func (c *Comm) IAllReduce(send, recv types.Buffer, op *Op) (*Request, error) {
	return c.open(allReduce, started).reduce(send, recv, op, allRanks).issue()
}

// AllReduceInit prepares [Comm.AllReduce] to be started any number of times;
// the request is inactive until then. Collective: it waits for all ranks.
// Errors: as AllReduce. (COLL-02)
//
// MPI_Allreduce_init
func (c *Comm) AllReduceInit(send, recv types.Buffer, op *Op) (*Request, error) {
	return c.open(allReduce, lasting).reduce(send, recv, op, allRanks).prepare()
}

// Scan gives rank r in recv what op makes of send of ranks 0 to r; send may be
// [InPlace] on any rank. Collective. Errors: as [Comm.Reduce], and ErrComm
// between two groups. (COLL-03)
//
// MPI_Scan
func (c *Comm) Scan(send, recv types.Buffer, op *Op) error {
	return c.open(scan, waiting).reduce(send, recv, op, allRanks).run()
}

// IScan starts [Comm.Scan] and returns its request; until that is complete the
// buffers must be left alone. Errors: ErrComm at once, the others with the
// request, on all ranks. (COLL-02)
//
// MPI_Iscan
func (c *Comm) IScan(send, recv types.Buffer, op *Op) (*Request, error) {
	return c.open(scan, started).reduce(send, recv, op, allRanks).issue()
}

// ScanInit prepares [Comm.Scan] to be started any number of times; the request
// is inactive until then. Collective: it waits for all ranks. Errors: as Scan.
// (COLL-02)
//
// MPI_Scan_init
func (c *Comm) ScanInit(send, recv types.Buffer, op *Op) (*Request, error) {
	return c.open(scan, lasting).reduce(send, recv, op, allRanks).prepare()
}

// ExScan gives rank r in recv what op makes of send of ranks 0 to r-1, and
// leaves recv of rank 0 alone; send may be [InPlace] on any rank. Collective.
// Errors: as [Comm.Reduce], and ErrComm between two groups. (COLL-03)
//
// MPI_Exscan
func (c *Comm) ExScan(send, recv types.Buffer, op *Op) error {
	return c.open(exScan, waiting).reduce(send, recv, op, allRanks).run()
}

// IExScan starts [Comm.ExScan] and returns its request; until that is complete
// the buffers must be left alone. Errors: ErrComm at once, the others with the
// request, on all ranks. (COLL-02)
//
// MPI_Iexscan
func (c *Comm) IExScan(send, recv types.Buffer, op *Op) (*Request, error) {
	return c.open(exScan, started).reduce(send, recv, op, allRanks).issue()
}

// ExScanInit prepares [Comm.ExScan] to be started any number of times; the
// request is inactive until then. Collective: it waits for all ranks. Errors:
// as ExScan. (COLL-02)
//
// MPI_Exscan_init
func (c *Comm) ExScanInit(send, recv types.Buffer, op *Op) (*Request, error) {
	return c.open(exScan, lasting).reduce(send, recv, op, allRanks).prepare()
}

func (k *call) reduce(send, recv types.Buffer, op *Op, root int) *call {
	if k.stop != nil {
		return k
	}
	k.op = op
	atRoot, others := true, true
	if k.rooted {
		k.from(root)
		atRoot, others = k.roles()
	}
	if atRoot {
		k.output(recv, parts{})
	}
	switch {
	case atRoot && others && isInPlace(&send) && k.comm.core.inter == nil:
		k.send, k.givesInPlace = k.recv, true
	case others:
		k.input(send, parts{})
	}
	k.checkOp()
	return k
}

// ReduceScatterBlock combines send of all ranks by op, item by item, cuts the result into
// equal blocks and puts block i into recv of rank i. send may be [InPlace] on all ranks:
// recv then holds the operand, and its first block receives the result. Between two groups,
// each group gets the reduced data of the other, cut into blocks for its own ranks; both
// bring the same number of items, and InPlace is not allowed. Collective. Errors: as
// [Comm.Reduce]. (COLL-03, COMM-02)
//
// MPI_Reduce_scatter_block
func (c *Comm) ReduceScatterBlock(send, recv types.Buffer, op *Op) error {
	return c.open(reduceScatterBlock, waiting).reduceScatter(send, recv, parts{how: evenly}, op).run()
}

// IReduceScatterBlock starts [Comm.ReduceScatterBlock] and returns its request;
// until that is complete the buffers must be left alone. Errors: ErrComm at
// once, the others with the request, on all ranks. (COLL-02)
//
// MPI_Ireduce_scatter_block
func (c *Comm) IReduceScatterBlock(send, recv types.Buffer, op *Op) (*Request, error) {
	return c.open(reduceScatterBlock, started).reduceScatter(send, recv, parts{how: evenly}, op).issue()
}

// ReduceScatterBlockInit prepares [Comm.ReduceScatterBlock] to be started any
// number of times; the request is inactive until then. Collective: it waits for
// all ranks. Errors: as ReduceScatterBlock. (COLL-02)
//
// MPI_Reduce_scatter_block_init
func (c *Comm) ReduceScatterBlockInit(send, recv types.Buffer, op *Op) (*Request, error) {
	return c.open(reduceScatterBlock, lasting).reduceScatter(send, recv, parts{how: evenly}, op).prepare()
}

// ReduceScatter is [Comm.ReduceScatterBlock] with counts[i] items of the result
// for rank i; the same counts on all ranks, or between two groups on all of a
// group. send has the sum of counts, regardless of its own count. Collective. Errors:
// as [Comm.Reduce], and ErrArg for a wrong number of counts. (COLL-03, COMM-02)
//
// MPI_Reduce_scatter
func (c *Comm) ReduceScatter(send, recv types.Buffer, counts []int64, op *Op) error {
	return c.open(reduceScatter, waiting).reduceScatter(send, recv, cutBy(counts, nil), op).run()
}

// IReduceScatter starts [Comm.ReduceScatter] and returns its request; until
// that is complete the buffers must be left alone. Errors: ErrComm at once, the
// others with the request, on all ranks. (COLL-02)
//
// MPI_Ireduce_scatter
func (c *Comm) IReduceScatter(send, recv types.Buffer, counts []int64, op *Op) (*Request, error) {
	return c.open(reduceScatter, started).reduceScatter(send, recv, cutBy(counts, nil), op).issue()
}

// ReduceScatterInit prepares [Comm.ReduceScatter] to be started any number of
// times; the request is inactive until then. Collective: it waits for all
// ranks. Errors: as ReduceScatter. (COLL-02)
//
// MPI_Reduce_scatter_init
func (c *Comm) ReduceScatterInit(send, recv types.Buffer, counts []int64, op *Op) (*Request, error) {
	return c.open(reduceScatter, lasting).reduceScatter(send, recv, cutBy(counts, nil), op).prepare()
}

func (k *call) reduceScatter(send, recv types.Buffer, p parts, op *Op) *call {
	if k.stop != nil {
		return k
	}
	k.op = op
	if p.home = true; isInPlace(&send) && k.comm.core.inter == nil {
		k.output(recv, p)
		k.fromOutput()
	} else {
		k.output(recv, parts{})
		k.input(send, p)
	}
	k.recvs = parts{}
	k.checkOp()
	return k
}

func (k *call) checkOp() {
	if k.err != nil {
		return
	}
	switch {
	case k.send.typ != nil:
		k.wrong(k.op.check(k.send.typ))
	case k.recv.typ != nil:
		k.wrong(k.op.check(k.recv.typ))
	}
}

// ReduceLocal sets every item of inout to in op inout, on the calling rank
// alone. Errors: ErrComm, ErrBuffer, ErrCount, ErrType, ErrTruncate, ErrOp.
// (COLL-03)
//
// MPI_Reduce_local
func (c *Comm) ReduceLocal(in, inout types.Buffer, op *Op) error {
	const name = "ReduceLocal"
	if err := c.alive(name); err != nil {
		return err
	}
	a, b := &call{routine: reduceLocal, comm: c, op: op}, &call{routine: reduceLocal, comm: c, op: op}
	a.input(in, parts{})
	b.output(inout, parts{})
	b.send = b.recv
	a.checkOp()
	f := cmp.Or(a.err, b.err)
	if f == nil && a.send.shares(&a.sends, &b.recv, &b.recvs) {
		f = broken(ErrBuffer, "COLL-01", "in and inout share memory; they must be two buffers")
	}
	if f == nil {
		f = match(b.send.whole(), a.send.whole(), exactly)
		if f != nil && f.Class == ErrNotSame {
			f = broken(ErrCount, "COLL-03", "in is %s, inout is %s; they need as many items", describe(a.send.whole()), describe(b.send.whole()))
		}
	}
	if f == nil && op.byUser() {
		defer c.proc.univ.folding.Enter(nil)()
		f = op.apply(in, inout)
	} else if f == nil {
		f = shareReduce([]*call{a, b}, 0, 1)
	}
	if f != nil {
		return c.fail(name, f)
	}
	return nil
}

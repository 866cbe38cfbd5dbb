package comm

import "github.com/commworld/commworld/types"

// The collectives with a root, and the barrier. Each has three forms, which
// differ in how a rank goes through them and in nothing else.
//
// On an intercommunicator data go between the root, which gives [Root], and all
// ranks of the other group, which give the root's rank; the other ranks of the
// root's group give [ProcNull], and nothing of theirs matters. (COMM-02)

// Root is the argument of the root itself in a collective on an intercommunicator.
//
// MPI_ROOT
const Root = -4

// Barrier returns when all ranks have called it. Collective. Errors: ErrComm,
// ErrNotSame. (COLL-01)
//
// MPI_Barrier
func (c *Comm) Barrier() error {
	return c.open(barrier, waiting).run()
}

// IBarrier starts [Comm.Barrier] and returns its request, which is complete
// when all ranks have made the call. Errors: as Barrier, with the request.
// (COLL-02)
//
// MPI_Ibarrier
func (c *Comm) IBarrier() (*Request, error) {
	return c.open(barrier, started).issue()
}

// BarrierInit prepares [Comm.Barrier] to be started any number of times; the
// request is inactive until then. Collective: it waits for all ranks. Errors:
// as Barrier. (COLL-02)
//
// MPI_Barrier_init
func (c *Comm) BarrierInit() (*Request, error) {
	return c.open(barrier, lasting).prepare()
}

// Bcast sends buf of rank root to buf of all others. Collective. Errors: ErrComm, ErrRoot,
// ErrBuffer, ErrCount, ErrType, ErrTruncate, ErrNotSame. An error of one rank is an error on
// all ranks, and then no rank's buf is changed. This holds for all collectives. (COLL-01)
//
// MPI_Bcast
func (c *Comm) Bcast(buf types.Buffer, root int) error {
	return c.open(bcast, waiting).bcast(buf, root).run()
}

// IBcast starts [Comm.Bcast] and returns its request; until that is complete
// the buffers must be left alone. Errors: ErrComm at once, the others with the
// request, on all ranks. (COLL-02)
//
// MPI_Ibcast
func (c *Comm) IBcast(buf types.Buffer, root int) (*Request, error) {
	return c.open(bcast, started).bcast(buf, root).issue()
}

// BcastInit prepares [Comm.Bcast] to be started any number of times; the
// request is inactive until then. Collective: it waits for all ranks. Errors:
// as Bcast. (COLL-02)
//
// MPI_Bcast_init
func (c *Comm) BcastInit(buf types.Buffer, root int) (*Request, error) {
	return c.open(bcast, lasting).bcast(buf, root).prepare()
}

func (k *call) bcast(buf types.Buffer, root int) *call {
	if k.stop != nil {
		return k
	}
	k.from(root)
	atRoot, others := k.roles()
	switch {
	case atRoot:
		k.skipSelf = true
		k.input(buf, parts{})
	case others:
		k.output(buf, parts{})
	}
	return k
}

// Gather collects send of all ranks in recv of rank root, block by block in the order of
// ranks; recv holds all blocks and matters at the root only. The root's send may be
// [InPlace]. Collective. Errors: as [Comm.Bcast]. (COLL-01)
//
// MPI_Gather
func (c *Comm) Gather(send, recv types.Buffer, root int) error {
	return c.open(gather, waiting).gather(send, recv, parts{how: evenly}, root).run()
}

// IGather starts [Comm.Gather] and returns its request; until that is complete
// the buffers must be left alone. Errors: ErrComm at once, the others with the
// request, on all ranks. (COLL-02)
//
// MPI_Igather
func (c *Comm) IGather(send, recv types.Buffer, root int) (*Request, error) {
	return c.open(gather, started).gather(send, recv, parts{how: evenly}, root).issue()
}

// GatherInit prepares [Comm.Gather] to be started any number of times; the
// request is inactive until then. Collective: it waits for all ranks. Errors:
// as Gather. (COLL-02)
//
// MPI_Gather_init
func (c *Comm) GatherInit(send, recv types.Buffer, root int) (*Request, error) {
	return c.open(gather, lasting).gather(send, recv, parts{how: evenly}, root).prepare()
}

// GatherV is [Comm.Gather] with blocks of any size: rank i's has counts[i] items and begins
// displs[i] copies of the datatype from the origin of recv. The count of recv itself does
// not matter: blocks must be inside its memory. A negative displacement is before the
// origin, where [types.Buffer.At] leaves memory. Without displs the blocks follow each
// other. The displacement of an empty block does not matter, and blocks of a datatype
// without data are all empty. Collective. Errors: as [Comm.Bcast], ErrBuffer for a block
// outside of the buffer, ErrArg for blocks that are received in the same place. (COLL-01)
//
// MPI_Gatherv
func (c *Comm) GatherV(send, recv types.Buffer, counts, displs []int64, root int) error {
	return c.open(gatherV, waiting).gather(send, recv, cutBy(counts, displs), root).run()
}

// IGatherV starts [Comm.GatherV] and returns its request; until that is
// complete the buffers must be left alone. Errors: ErrComm at once, the others
// with the request, on all ranks. (COLL-02)
//
// MPI_Igatherv
func (c *Comm) IGatherV(send, recv types.Buffer, counts, displs []int64, root int) (*Request, error) {
	return c.open(gatherV, started).gather(send, recv, cutBy(counts, displs), root).issue()
}

// GatherVInit prepares [Comm.GatherV] to be started any number of times; the
// request is inactive until then. Collective: it waits for all ranks. Errors:
// as GatherV. (COLL-02)
//
// MPI_Gatherv_init
func (c *Comm) GatherVInit(send, recv types.Buffer, counts, displs []int64, root int) (*Request, error) {
	return c.open(gatherV, lasting).gather(send, recv, cutBy(counts, displs), root).prepare()
}

func (k *call) gather(send, recv types.Buffer, p parts, root int) *call {
	if k.stop != nil {
		return k
	}
	k.from(root)
	atRoot, others := k.roles()
	if atRoot {
		k.output(recv, p)
	}
	switch {
	case atRoot && others && isInPlace(&send):
		k.skipSelf, k.givesInPlace = true, true
	case others:
		k.input(send, parts{})
	}
	return k
}

// Scatter cuts send of rank root into equal blocks and sends one to recv of every rank, in
// the order of ranks; send matters at the root only. The root's recv may be [InPlace].
// Collective. Errors: as [Comm.Bcast]. (COLL-01)
//
// MPI_Scatter
func (c *Comm) Scatter(send, recv types.Buffer, root int) error {
	return c.open(scatter, waiting).scatter(send, parts{how: evenly}, recv, root).run()
}

// IScatter starts [Comm.Scatter] and returns its request; until that is
// complete the buffers must be left alone. Errors: ErrComm at once, the others
// with the request, on all ranks. (COLL-02)
//
// MPI_Iscatter
func (c *Comm) IScatter(send, recv types.Buffer, root int) (*Request, error) {
	return c.open(scatter, started).scatter(send, parts{how: evenly}, recv, root).issue()
}

// ScatterInit prepares [Comm.Scatter] to be started any number of times; the
// request is inactive until then. Collective: it waits for all ranks. Errors:
// as Scatter. (COLL-02)
//
// MPI_Scatter_init
func (c *Comm) ScatterInit(send, recv types.Buffer, root int) (*Request, error) {
	return c.open(scatter, lasting).scatter(send, parts{how: evenly}, recv, root).prepare()
}

// ScatterV is [Comm.Scatter] with blocks of any size, as [Comm.GatherV] has
// them. Collective. Errors: as [Comm.GatherV]. (COLL-01)
//
// MPI_Scatterv
func (c *Comm) ScatterV(send types.Buffer, counts, displs []int64, recv types.Buffer, root int) error {
	return c.open(scatterV, waiting).scatter(send, cutBy(counts, displs), recv, root).run()
}

// IScatterV starts [Comm.ScatterV] and returns its request; until that is
// complete the buffers must be left alone. Errors: ErrComm at once, the others
// with the request, on all ranks. (COLL-02)
//
// MPI_Iscatterv
func (c *Comm) IScatterV(send types.Buffer, counts, displs []int64, recv types.Buffer, root int) (*Request, error) {
	return c.open(scatterV, started).scatter(send, cutBy(counts, displs), recv, root).issue()
}

// ScatterVInit prepares [Comm.ScatterV] to be started any number of times; the
// request is inactive until then. Collective: it waits for all ranks. Errors:
// as ScatterV. (COLL-02)
//
// MPI_Scatterv_init
func (c *Comm) ScatterVInit(send types.Buffer, counts, displs []int64, recv types.Buffer, root int) (*Request, error) {
	return c.open(scatterV, lasting).scatter(send, cutBy(counts, displs), recv, root).prepare()
}

func (k *call) scatter(send types.Buffer, p parts, recv types.Buffer, root int) *call {
	if k.stop != nil {
		return k
	}
	k.from(root)
	atRoot, others := k.roles()
	if atRoot {
		k.input(send, p)
	}
	switch {
	case atRoot && others && isInPlace(&recv):
		k.skipSelf, k.givesInPlace = true, true
	case others:
		k.output(recv, parts{})
	}
	return k
}

// roles reports whether this rank acts as the root, and whether it acts as one of the
// others. In one group the root does both.
func (k *call) roles() (atRoot, others bool) {
	if k.comm.core.inter != nil {
		return k.root == Root, k.root >= 0
	}
	return k.comm.rank == k.root, true
}

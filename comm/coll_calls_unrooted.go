package comm

import "github.com/commworld/commworld/types"

// The collectives that move data from all ranks to all ranks.

// AllGather collects send of all ranks in recv of every rank. send may be
// [InPlace] on all ranks. Collective. Errors: as [Comm.Bcast]. (COLL-01)
//
// MPI_Allgather
func (c *Comm) AllGather(send, recv types.Buffer) error {
	return c.open(allGather, waiting).allGather(send, recv, parts{how: evenly}).run()
}

// IAllGather starts [Comm.AllGather] and returns its request; until that is
// complete the buffers must be left alone. Errors: ErrComm at once, the others
// with the request, on all ranks. (COLL-02)
//
// MPI_Iallgather
func (c *Comm) IAllGather(send, recv types.Buffer) (*Request, error) {
	return c.open(allGather, started).allGather(send, recv, parts{how: evenly}).issue()
}

// AllGatherInit prepares [Comm.AllGather] to be started any number of times;
// the request is inactive until then. Collective: it waits for all ranks.
// Errors: as AllGather. (COLL-02)
//
// MPI_Allgather_init
func (c *Comm) AllGatherInit(send, recv types.Buffer) (*Request, error) {
	return c.open(allGather, lasting).allGather(send, recv, parts{how: evenly}).prepare()
}

// AllGatherV is [Comm.AllGather] with blocks of any size, as [Comm.GatherV] has
// them. Collective. Errors: as [Comm.GatherV]. (COLL-01)
//
// MPI_Allgatherv
func (c *Comm) AllGatherV(send, recv types.Buffer, counts, displs []int64) error {
	return c.open(allGatherV, waiting).allGather(send, recv, cutBy(counts, displs)).run()
}

// IAllGatherV starts [Comm.AllGatherV] and returns its request; until that is
// complete the buffers must be left alone. Errors: ErrComm at once, the others
// with the request, on all ranks. (COLL-02)
//
// MPI_Iallgatherv
func (c *Comm) IAllGatherV(send, recv types.Buffer, counts, displs []int64) (*Request, error) {
	return c.open(allGatherV, started).allGather(send, recv, cutBy(counts, displs)).issue()
}

// AllGatherVInit prepares [Comm.AllGatherV] to be started any number of times;
// the request is inactive until then. Collective: it waits for all ranks.
// Errors: as AllGatherV. (COLL-02)
//
// MPI_Allgatherv_init
func (c *Comm) AllGatherVInit(send, recv types.Buffer, counts, displs []int64) (*Request, error) {
	return c.open(allGatherV, lasting).allGather(send, recv, cutBy(counts, displs)).prepare()
}

func (k *call) allGather(send, recv types.Buffer, p parts) *call {
	if k.stop != nil {
		return k
	}
	k.output(recv, p)
	if isInPlace(&send) && k.comm.core.inter == nil {
		k.skipSelf, k.givesInPlace = true, true
		k.send, k.sends = k.recv, k.recvs
		k.sends.mine = true
	} else {
		k.input(send, parts{})
	}
	return k
}

// AllToAll sends block i of send to rank i and receives its block for this rank
// into block i of recv. send may be [InPlace] on all ranks. Collective. Errors:
// as [Comm.Bcast]. (COLL-01)
//
// MPI_Alltoall
func (c *Comm) AllToAll(send, recv types.Buffer) error {
	return c.open(allToAll, waiting).allToAll(send, parts{how: evenly}, recv, parts{how: evenly}).run()
}

// IAllToAll starts [Comm.AllToAll] and returns its request; until that is
// complete the buffers must be left alone. Errors: ErrComm at once, the others
// with the request, on all ranks. (COLL-02)
//
// MPI_Ialltoall
func (c *Comm) IAllToAll(send, recv types.Buffer) (*Request, error) {
	return c.open(allToAll, started).allToAll(send, parts{how: evenly}, recv, parts{how: evenly}).issue()
}

// AllToAllInit prepares [Comm.AllToAll] to be started any number of times; the
// request is inactive until then. Collective: it waits for all ranks. Errors:
// as AllToAll. (COLL-02)
//
// MPI_Alltoall_init
func (c *Comm) AllToAllInit(send, recv types.Buffer) (*Request, error) {
	return c.open(allToAll, lasting).allToAll(send, parts{how: evenly}, recv, parts{how: evenly}).prepare()
}

// AllToAllV is [Comm.AllToAll] with blocks of any size on both sides, as
// [Comm.GatherV] has them. Collective. Errors: as [Comm.GatherV]. (COLL-01)
//
// MPI_Alltoallv
func (c *Comm) AllToAllV(send types.Buffer, sendCounts, sendDispls []int64, recv types.Buffer, recvCounts, recvDispls []int64) error {
	return c.open(allToAllV, waiting).allToAll(send, cutBy(sendCounts, sendDispls), recv, cutBy(recvCounts, recvDispls)).run()
}

// IAllToAllV starts [Comm.AllToAllV] and returns its request; until that is
// complete the buffers must be left alone. Errors: ErrComm at once, the others
// with the request, on all ranks. (COLL-02)
//
// MPI_Ialltoallv
func (c *Comm) IAllToAllV(send types.Buffer, sendCounts, sendDispls []int64, recv types.Buffer, recvCounts, recvDispls []int64) (*Request, error) {
	return c.open(allToAllV, started).allToAll(send, cutBy(sendCounts, sendDispls), recv, cutBy(recvCounts, recvDispls)).issue()
}

// AllToAllVInit prepares [Comm.AllToAllV] to be started any number of times;
// the request is inactive until then. Collective: it waits for all ranks.
// Errors: as AllToAllV. (COLL-02)
//
// MPI_Alltoallv_init
func (c *Comm) AllToAllVInit(send types.Buffer, sendCounts, sendDispls []int64, recv types.Buffer, recvCounts, recvDispls []int64) (*Request, error) {
	return c.open(allToAllV, lasting).allToAll(send, cutBy(sendCounts, sendDispls), recv, cutBy(recvCounts, recvDispls)).prepare()
}

func (k *call) allToAll(send types.Buffer, sends parts, recv types.Buffer, recvs parts) *call {
	if k.stop != nil {
		return k
	}
	k.output(recv, recvs)
	if isInPlace(&send) && k.comm.core.inter == nil {
		k.fromOutput()
	} else {
		k.input(send, sends)
	}
	return k
}

// AllToAllW sends send[i] to rank i and receives from rank i into recv[i]: each block is a
// buffer of its own, with its own datatype. Blocks of recv must not overlap. send may be the
// single buffer [InPlace], on all ranks. Collective. Errors: as [Comm.Bcast], and ErrArg for
// a wrong number of buffers. (COLL-01)
//
// MPI_Alltoallw
func (c *Comm) AllToAllW(send, recv []types.Buffer) error {
	return c.open(allToAllW, waiting).allToAllW(send, recv).run()
}

// IAllToAllW starts [Comm.AllToAllW] and returns its request; until that is
// complete the buffers must be left alone. Errors: ErrComm at once, the others
// with the request, on all ranks. (COLL-02)
//
// MPI_Ialltoallw
func (c *Comm) IAllToAllW(send, recv []types.Buffer) (*Request, error) {
	return c.open(allToAllW, started).allToAllW(send, recv).issue()
}

// AllToAllWInit prepares [Comm.AllToAllW] to be started any number of times;
// the request is inactive until then. Collective: it waits for all ranks.
// Errors: as AllToAllW. (COLL-02)
//
// MPI_Alltoallw_init
func (c *Comm) AllToAllWInit(send, recv []types.Buffer) (*Request, error) {
	return c.open(allToAllW, lasting).allToAllW(send, recv).prepare()
}

func (k *call) allToAllW(send, recv []types.Buffer) *call {
	if k.stop != nil {
		return k
	}
	k.outputs(recv, parts{how: apart})
	if len(send) == 1 && isInPlace(&send[0]) && k.comm.core.inter == nil {
		k.fromOutput()
	} else {
		k.inputs(send, parts{how: apart})
	}
	return k
}

// cutBy cuts a buffer by counts and displacements that the program gave.
func cutBy(counts, displs []int64) parts {
	return parts{how: byCounts, counts: counts, displs: displs}
}

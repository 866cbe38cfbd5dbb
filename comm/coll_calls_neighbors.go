package comm

import "github.com/commworld/commworld/types"

// The neighbourhood collectives: a rank exchanges data with its neighbours in
// the topology of the communicator, all ranks of which make the call. A rank
// that is a neighbour several times has as many blocks; at an open border of a
// grid nothing is sent, and the block there stays as it is.

// NeighborAllGather sends send to all outgoing neighbours and collects what the
// ingoing ones send in recv, block by block in their order. Collective over all
// ranks. Errors: as [Comm.Bcast], ErrTopology for a communicator without one,
// or a graph with an edge that only one end has. (COLL-04)
//
// MPI_Neighbor_allgather
func (c *Comm) NeighborAllGather(send, recv types.Buffer) error {
	return c.open(neighborAllGather, waiting).nearGather(send, recv, parts{how: evenly}).run()
}

// INeighborAllGather starts [Comm.NeighborAllGather] and returns its request;
// until that is complete the buffers must be left alone. Errors: ErrComm at
// once, the others with the request, on all ranks. (COLL-02)
//
// MPI_Ineighbor_allgather
func (c *Comm) INeighborAllGather(send, recv types.Buffer) (*Request, error) {
	return c.open(neighborAllGather, started).nearGather(send, recv, parts{how: evenly}).issue()
}

// NeighborAllGatherInit prepares [Comm.NeighborAllGather] to be started any
// number of times; the request is inactive until then. Collective: it waits for
// all ranks. Errors: as NeighborAllGather. (COLL-02)
//
// MPI_Neighbor_allgather_init
func (c *Comm) NeighborAllGatherInit(send, recv types.Buffer) (*Request, error) {
	return c.open(neighborAllGather, lasting).nearGather(send, recv, parts{how: evenly}).prepare()
}

// NeighborAllGatherV is [Comm.NeighborAllGather] with blocks of any size:
// counts and displs, as in [Comm.GatherV], are those of the ingoing neighbours.
// Collective. Errors: as [Comm.NeighborAllGather], and ErrArg for wrong
// displacements. (COLL-04)
//
// MPI_Neighbor_allgatherv
func (c *Comm) NeighborAllGatherV(send, recv types.Buffer, counts, displs []int64) error {
	return c.open(neighborAllGatherV, waiting).nearGather(send, recv, cutBy(counts, displs)).run()
}

// INeighborAllGatherV starts [Comm.NeighborAllGatherV] and returns its request;
// until that is complete the buffers must be left alone. Errors: ErrComm at
// once, the others with the request, on all ranks. (COLL-02)
//
// MPI_Ineighbor_allgatherv
func (c *Comm) INeighborAllGatherV(send, recv types.Buffer, counts, displs []int64) (*Request, error) {
	return c.open(neighborAllGatherV, started).nearGather(send, recv, cutBy(counts, displs)).issue()
}

// NeighborAllGatherVInit prepares [Comm.NeighborAllGatherV] to be started any
// number of times; the request is inactive until then. Collective: it waits for
// all ranks. Errors: as NeighborAllGatherV. (COLL-02)
//
// MPI_Neighbor_allgatherv_init
func (c *Comm) NeighborAllGatherVInit(send, recv types.Buffer, counts, displs []int64) (*Request, error) {
	return c.open(neighborAllGatherV, lasting).nearGather(send, recv, cutBy(counts, displs)).prepare()
}

func (k *call) nearGather(send, recv types.Buffer, p parts) *call {
	if !k.findNeighbors() {
		return k
	}
	k.input(send, parts{})
	k.output(recv, p.among(k.neighbors.in))
	return k
}

// NeighborAllToAll sends block i of send to outgoing neighbour i and receives
// from ingoing neighbour i into block i of recv. In a grid, what goes forward
// in a dimension arrives from the neighbour before. Collective over all ranks.
// Errors: as [Comm.Bcast], ErrTopology for a communicator without one, or a
// graph with an edge that only one end has. (COLL-04)
//
// MPI_Neighbor_alltoall
func (c *Comm) NeighborAllToAll(send, recv types.Buffer) error {
	return c.open(neighborAllToAll, waiting).nearExchange(send, parts{how: evenly}, recv, parts{how: evenly}).run()
}

// INeighborAllToAll starts [Comm.NeighborAllToAll] and returns its request;
// until that is complete the buffers must be left alone. Errors: ErrComm at
// once, the others with the request, on all ranks. (COLL-02)
//
// MPI_Ineighbor_alltoall
func (c *Comm) INeighborAllToAll(send, recv types.Buffer) (*Request, error) {
	return c.open(neighborAllToAll, started).nearExchange(send, parts{how: evenly}, recv, parts{how: evenly}).issue()
}

// NeighborAllToAllInit prepares [Comm.NeighborAllToAll] to be started any
// number of times; the request is inactive until then. Collective: it waits for
// all ranks. Errors: as NeighborAllToAll. (COLL-02)
//
// MPI_Neighbor_alltoall_init
func (c *Comm) NeighborAllToAllInit(send, recv types.Buffer) (*Request, error) {
	return c.open(neighborAllToAll, lasting).nearExchange(send, parts{how: evenly}, recv, parts{how: evenly}).prepare()
}

// NeighborAllToAllV is [Comm.NeighborAllToAll] with blocks of any size on both
// sides, as [Comm.GatherV] has them. Collective. Errors: as
// [Comm.NeighborAllGatherV]. (COLL-04)
//
// MPI_Neighbor_alltoallv
func (c *Comm) NeighborAllToAllV(send types.Buffer, sendCounts, sendDispls []int64, recv types.Buffer, recvCounts, recvDispls []int64) error {
	return c.open(neighborAllToAllV, waiting).nearExchange(send, cutBy(sendCounts, sendDispls), recv, cutBy(recvCounts, recvDispls)).run()
}

// INeighborAllToAllV starts [Comm.NeighborAllToAllV] and returns its request;
// until that is complete the buffers must be left alone. Errors: ErrComm at
// once, the others with the request, on all ranks. (COLL-02)
//
// MPI_Ineighbor_alltoallv
func (c *Comm) INeighborAllToAllV(send types.Buffer, sendCounts, sendDispls []int64, recv types.Buffer, recvCounts, recvDispls []int64) (*Request, error) {
	return c.open(neighborAllToAllV, started).nearExchange(send, cutBy(sendCounts, sendDispls), recv, cutBy(recvCounts, recvDispls)).issue()
}

// NeighborAllToAllVInit prepares [Comm.NeighborAllToAllV] to be started any
// number of times; the request is inactive until then. Collective: it waits for
// all ranks. Errors: as NeighborAllToAllV. (COLL-02)
//
// MPI_Neighbor_alltoallv_init
func (c *Comm) NeighborAllToAllVInit(send types.Buffer, sendCounts, sendDispls []int64, recv types.Buffer, recvCounts, recvDispls []int64) (*Request, error) {
	return c.open(neighborAllToAllV, lasting).nearExchange(send, cutBy(sendCounts, sendDispls), recv, cutBy(recvCounts, recvDispls)).prepare()
}

func (k *call) nearExchange(send types.Buffer, sends parts, recv types.Buffer, recvs parts) *call {
	if !k.findNeighbors() {
		return k
	}
	k.input(send, sends.among(k.neighbors.out))
	k.output(recv, recvs.among(k.neighbors.in))
	return k
}

// NeighborAllToAllW sends send[i] to outgoing neighbour i and receives from
// ingoing neighbour i into recv[i]: each block is a buffer of its own, with its
// own datatype. Blocks of recv must not overlap. Collective. Errors: as
// [Comm.NeighborAllToAll], and ErrArg for a wrong number of buffers. (COLL-04)
//
// MPI_Neighbor_alltoallw
func (c *Comm) NeighborAllToAllW(send, recv []types.Buffer) error {
	return c.open(neighborAllToAllW, waiting).nearExchangeApart(send, recv).run()
}

// INeighborAllToAllW starts [Comm.NeighborAllToAllW] and returns its request;
// until that is complete the buffers must be left alone. Errors: ErrComm at
// once, the others with the request, on all ranks. (COLL-02)
//
// MPI_Ineighbor_alltoallw
func (c *Comm) INeighborAllToAllW(send, recv []types.Buffer) (*Request, error) {
	return c.open(neighborAllToAllW, started).nearExchangeApart(send, recv).issue()
}

// NeighborAllToAllWInit prepares [Comm.NeighborAllToAllW] to be started any
// number of times; the request is inactive until then. Collective: it waits for
// all ranks. Errors: as NeighborAllToAllW. (COLL-02)
//
// MPI_Neighbor_alltoallw_init
func (c *Comm) NeighborAllToAllWInit(send, recv []types.Buffer) (*Request, error) {
	return c.open(neighborAllToAllW, lasting).nearExchangeApart(send, recv).prepare()
}

func (k *call) nearExchangeApart(send, recv []types.Buffer) *call {
	if !k.findNeighbors() {
		return k
	}
	apart := parts{how: apart}
	k.inputs(send, apart.among(k.neighbors.out))
	k.outputs(recv, apart.among(k.neighbors.in))
	return k
}

// findNeighbors looks up the neighbours and reports success. Without a topology the other
// arguments cannot be checked.
func (k *call) findNeighbors() bool {
	if k.stop != nil {
		return false
	}
	near, f := k.comm.neighborhood()
	k.neighbors = near
	k.wrong(f)
	return f == nil
}

// among cuts a buffer into a block for each of the given neighbours.
func (p parts) among(ties []tie) parts {
	p.forNeighbors, p.n = true, len(ties)
	return p
}

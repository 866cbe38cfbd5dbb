package comm

import "github.com/commworld/commworld/types"

// InPlace stands for a buffer whose data are, or stay, where the other buffer
// of the same call has them.
//
// MPI_IN_PLACE
var InPlace = types.Raw(nil, 0, inPlace)

var inPlace = types.Dup(types.Byte)

func isInPlace(b types.Buffer) bool { return b.Type() == inPlace }

// The collectives that move data differ in who sends to whom and in how the
// buffers are cut up.
var (
	barrier    = &routine{name: "Barrier"}
	bcast      = &routine{name: "Bcast", rooted: true, edge: fromRoot, agree: agreeFromRoot, volume: volumeFromRoot, share: shareFromRoot}
	scatter    = &routine{name: "Scatter", rooted: true, edge: fromRoot, agree: agreeFromRoot, volume: volumeFromRoot, share: shareFromRoot}
	scatterV   = &routine{name: "ScatterV", rooted: true, edge: fromRoot, agree: agreeFromRoot, volume: volumeFromRoot, share: shareFromRoot}
	gather     = &routine{name: "Gather", rooted: true, edge: toRoot, agree: agreeToRoot, volume: volumeToRoot, share: shareToRoot}
	gatherV    = &routine{name: "GatherV", rooted: true, edge: toRoot, agree: agreeToRoot, volume: volumeToRoot, share: shareToRoot}
	allGather  = &routine{name: "AllGather", agree: agreeEvenly, volume: volumeToAll, share: shareToAll}
	allGatherV = &routine{name: "AllGatherV", agree: agreeToAll, volume: volumeToAll, share: shareToAll}
	allToAll   = &routine{name: "AllToAll", agree: agreeEvenly, volume: volumeToAll, share: shareToAll}
	allToAllV  = &routine{name: "AllToAllV", agree: agreeToAll, volume: volumeToAll, share: shareToAll}
)

func agreeFromRoot(ks []*call) *fault {
	for d := range ks {
		if f := matchPair(ks, ks[0].root, d); f != nil {
			return f
		}
	}
	return nil
}

func agreeToRoot(ks []*call) *fault {
	for s := range ks {
		if f := matchPair(ks, s, ks[0].root); f != nil {
			return f
		}
	}
	return nil
}

func agreeToAll(ks []*call) *fault {
	for d := range ks {
		for s := range ks {
			if f := matchPair(ks, s, d); f != nil {
				return f
			}
		}
	}
	return nil
}

// agreeEvenly is agreeToAll if every rank has equal blocks: it is then enough
// to compare each rank with rank 0.
func agreeEvenly(ks []*call) *fault {
	for i := range ks {
		if f := matchPair(ks, i, 0); f != nil {
			return f
		}
		if f := matchPair(ks, 0, i); f != nil {
			return f
		}
	}
	return nil
}

func volumeFromRoot(ks []*call) int64 {
	root := ks[ks[0].root]
	n := root.send.size()
	if root.sends.how == uncut {
		n *= int64(len(ks) - 1)
	}
	return n
}

func volumeToRoot(ks []*call) int64 {
	root := ks[ks[0].root]
	return root.recv.size()
}

func volumeToAll(ks []*call) int64 {
	return ks[0].recv.size() * int64(len(ks))
}

func shareFromRoot(ks []*call, i, _ int) *fault { return movePair(ks, ks[0].root, i) }

func shareToRoot(ks []*call, i, _ int) *fault { return movePair(ks, i, ks[0].root) }

// shareToAll begins with another sender on every rank, so that not all read the
// same memory at once.
func shareToAll(ks []*call, i, _ int) *fault {
	for s := range ks {
		if f := movePair(ks, (s+i)%len(ks), i); f != nil {
			return f
		}
	}
	return nil
}

// matchPair compares what rank s sends to rank d with what d receives from s.
func matchPair(ks []*call, s, d int) *fault {
	if s == d && ks[d].skipSelf {
		return nil
	}
	src, dst := ks[s].out(d), ks[d].in(s)
	f := match(dst, src, exactly)
	if f == nil {
		return nil
	}
	return broken(f.class, "COLL-01", "what rank %d sends is not what rank %d receives: %w", s, d, f.err)
}

// movePair moves what rank s sends to rank d.
func movePair(ks []*call, s, d int) *fault {
	if s == d && ks[d].skipSelf {
		return nil
	}
	src, dst := ks[s].out(d), ks[d].in(s)
	return move(dst, src)
}

// Barrier returns when all ranks have called it. Collective. Errors: ErrComm,
// ErrNotSame. (COLL-01)
//
// MPI_Barrier
func (c *Comm) Barrier() error {
	if err := c.alive(barrier.name); err != nil {
		return err
	}
	return c.begin(barrier).run()
}

// Bcast sends buf of rank root to buf of all others. Collective. Errors:
// ErrComm, ErrRoot, ErrBuffer, ErrCount, ErrType, ErrTruncate, ErrNotSame. An
// error of one rank is an error on all, and no rank's buf is then changed; so
// it is with all collectives. (COLL-01)
//
// MPI_Bcast
func (c *Comm) Bcast(buf types.Buffer, root int) error {
	if err := c.alive(bcast.name); err != nil {
		return err
	}
	k := c.begin(bcast)
	k.from(root)
	if c.rank == root {
		k.skipSelf = true
		k.input(buf, parts{})
	} else {
		k.output(buf, parts{})
	}
	return k.run()
}

// Gather collects send of all ranks in recv of rank root, block by block in the
// order of ranks; recv holds all blocks and matters at the root only. There
// send may be [InPlace]. Collective. Errors: as [Comm.Bcast].
//
// MPI_Gather
func (c *Comm) Gather(send, recv types.Buffer, root int) error {
	return c.gather(gather, send, recv, parts{how: evenly}, root)
}

// GatherV is [Comm.Gather] with blocks of any size: rank i's has counts[i]
// items and lies displs[i] items from the start of recv, whose own count covers
// them all. Without displs they lie one behind the other. Collective. Errors:
// as [Comm.Bcast], and ErrArg for wrong displacements.
//
// MPI_Gatherv
func (c *Comm) GatherV(send, recv types.Buffer, counts, displs []int64, root int) error {
	return c.gather(gatherV, send, recv, parts{how: byCounts, counts: counts, displs: displs}, root)
}

func (c *Comm) gather(r *routine, send, recv types.Buffer, p parts, root int) error {
	if err := c.alive(r.name); err != nil {
		return err
	}
	k := c.begin(r)
	k.from(root)
	if c.rank == root {
		k.output(recv, p)
	}
	if c.rank == root && isInPlace(send) {
		k.skipSelf = true
	} else {
		k.input(send, parts{})
	}
	return k.run()
}

// Scatter cuts send of rank root into equal blocks and sends one to recv of
// every rank, in the order of ranks; send matters at the root only. There recv
// may be [InPlace]. Collective. Errors: as [Comm.Bcast].
//
// MPI_Scatter
func (c *Comm) Scatter(send, recv types.Buffer, root int) error {
	return c.scatter(scatter, send, parts{how: evenly}, recv, root)
}

// ScatterV is [Comm.Scatter] with blocks of any size, as [Comm.GatherV] has
// them. Collective. Errors: as [Comm.GatherV].
//
// MPI_Scatterv
func (c *Comm) ScatterV(send types.Buffer, counts, displs []int64, recv types.Buffer, root int) error {
	return c.scatter(scatterV, send, parts{how: byCounts, counts: counts, displs: displs}, recv, root)
}

func (c *Comm) scatter(r *routine, send types.Buffer, p parts, recv types.Buffer, root int) error {
	if err := c.alive(r.name); err != nil {
		return err
	}
	k := c.begin(r)
	k.from(root)
	if c.rank == root {
		k.input(send, p)
	}
	if c.rank == root && isInPlace(recv) {
		k.skipSelf = true
	} else {
		k.output(recv, parts{})
	}
	return k.run()
}

// AllGather collects send of all ranks in recv of every rank. send may be
// [InPlace] on all ranks. Collective. Errors: as [Comm.Bcast].
//
// MPI_Allgather
func (c *Comm) AllGather(send, recv types.Buffer) error {
	return c.allGather(allGather, send, recv, parts{how: evenly})
}

// AllGatherV is [Comm.AllGather] with blocks of any size, as [Comm.GatherV] has
// them. Collective. Errors: as [Comm.GatherV].
//
// MPI_Allgatherv
func (c *Comm) AllGatherV(send, recv types.Buffer, counts, displs []int64) error {
	return c.allGather(allGatherV, send, recv, parts{how: byCounts, counts: counts, displs: displs})
}

func (c *Comm) allGather(r *routine, send, recv types.Buffer, p parts) error {
	if err := c.alive(r.name); err != nil {
		return err
	}
	k := c.begin(r)
	k.output(recv, p)
	if isInPlace(send) {
		k.skipSelf = true
		k.send, k.sends = k.recv, k.recvs
		k.sends.mine = true
	} else {
		k.input(send, parts{})
	}
	return k.run()
}

// AllToAll sends block i of send to rank i and receives its block for this rank
// into block i of recv. send may be [InPlace] on all ranks. Collective. Errors:
// as [Comm.Bcast].
//
// MPI_Alltoall
func (c *Comm) AllToAll(send, recv types.Buffer) error {
	return c.allToAll(allToAll, send, parts{how: evenly}, recv, parts{how: evenly})
}

// AllToAllV is [Comm.AllToAll] with blocks of any size on both sides, as
// [Comm.GatherV] has them. Collective. Errors: as [Comm.GatherV].
//
// MPI_Alltoallv
func (c *Comm) AllToAllV(send types.Buffer, sendCounts, sendDispls []int64, recv types.Buffer, recvCounts, recvDispls []int64) error {
	return c.allToAll(allToAllV, send, parts{how: byCounts, counts: sendCounts, displs: sendDispls},
		recv, parts{how: byCounts, counts: recvCounts, displs: recvDispls})
}

func (c *Comm) allToAll(r *routine, send types.Buffer, sends parts, recv types.Buffer, recvs parts) error {
	if err := c.alive(r.name); err != nil {
		return err
	}
	k := c.begin(r)
	k.output(recv, recvs)
	if isInPlace(send) {
		k.putAside()
	} else {
		k.input(send, sends)
	}
	return k.run()
}

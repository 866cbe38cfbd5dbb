//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// An action is a collective call with its arguments, in its three forms.
type action struct {
	wait           func() error
	start, prepare func() (*comm.Request, error)
}

// collective returns the handlers of the three forms of a collective.
func collective(name string, of func(k *call) action) map[string]handler {
	return map[string]handler{
		name:          func(k *call) error { return of(k).wait() },
		started(name): func(k *call) error { return k.begun(of(k).start()) },
		name + "_init": func(k *call) error {
			a := of(k)
			if _, err := k.info(); err != nil {
				return k.local(err)
			}
			q, err := a.prepare()
			return k.newRequest(&request{q: q, persistent: true, collective: true}, err)
		},
	}
}

// The signatures of the forms of a collective.
type (
	now2[A, B any]            = func(*comm.Comm, A, B) error
	later2[A, B any]          = func(*comm.Comm, A, B) (*comm.Request, error)
	now3[A, B, C any]         = func(*comm.Comm, A, B, C) error
	later3[A, B, C any]       = func(*comm.Comm, A, B, C) (*comm.Request, error)
	now4[A, B, C, D any]      = func(*comm.Comm, A, B, C, D) error
	later4[A, B, C, D any]    = func(*comm.Comm, A, B, C, D) (*comm.Request, error)
	now5[A, B, C, D, E any]   = func(*comm.Comm, A, B, C, D, E) error
	later5[A, B, C, D, E any] = func(*comm.Comm, A, B, C, D, E) (*comm.Request, error)
)

func two[A, B any](c *comm.Comm, a A, b B, wait now2[A, B], start, prepare later2[A, B]) action {
	return action{
		func() error { return wait(c, a, b) },
		func() (*comm.Request, error) { return start(c, a, b) },
		func() (*comm.Request, error) { return prepare(c, a, b) },
	}
}

func three[A, B, C any](c *comm.Comm, x A, y B, z C, wait now3[A, B, C], start, prepare later3[A, B, C]) action {
	return action{
		func() error { return wait(c, x, y, z) },
		func() (*comm.Request, error) { return start(c, x, y, z) },
		func() (*comm.Request, error) { return prepare(c, x, y, z) },
	}
}

func four[A, B, C, D any](c *comm.Comm, w A, x B, y C, z D, wait now4[A, B, C, D], start, prepare later4[A, B, C, D]) action {
	return action{
		func() error { return wait(c, w, x, y, z) },
		func() (*comm.Request, error) { return start(c, w, x, y, z) },
		func() (*comm.Request, error) { return prepare(c, w, x, y, z) },
	}
}

func five[A, B, C, D, E any](c *comm.Comm, v A, w B, x C, y D, z E, wait now5[A, B, C, D, E], start, prepare later5[A, B, C, D, E]) action {
	return action{
		func() error { return wait(c, v, w, x, y, z) },
		func() (*comm.Request, error) { return start(c, v, w, x, y, z) },
		func() (*comm.Request, error) { return prepare(c, v, w, x, y, z) },
	}
}

var collectiveCalls = merge(
	collective("Barrier", func(k *call) action {
		c := k.onComm()
		return action{c.Barrier, c.IBarrier, c.BarrierInit}
	}),
	collective("Bcast", func(k *call) action {
		c := k.lookComm(4)
		b, root := k.buffer(), k.int()
		k.skip()
		return two(c, b, root, (*comm.Comm).Bcast, (*comm.Comm).IBcast, (*comm.Comm).BcastInit)
	}),
	collective("Gather", func(k *call) action {
		c := k.lookComm(7)
		send := k.rawBuffer()
		recv, root := k.rawBuffer(), k.int()
		k.skip()
		s, b := send.here(c, root, true), recv.here(c, root, false)
		return three(c, s.buffer(k, 1), b.buffer(k, groupOf(c)), root, (*comm.Comm).Gather, (*comm.Comm).IGather, (*comm.Comm).GatherInit)
	}),
	collective("Scatter", func(k *call) action {
		c := k.lookComm(7)
		send := k.rawBuffer()
		recv, root := k.rawBuffer(), k.int()
		k.skip()
		s, b := send.here(c, root, false), recv.here(c, root, true)
		return three(c, s.buffer(k, groupOf(c)), b.buffer(k, 1), root, (*comm.Comm).Scatter, (*comm.Comm).IScatter, (*comm.Comm).ScatterInit)
	}),
	collective("Gatherv", func(k *call) action {
		c := k.lookComm(8)
		send := k.rawBuffer()
		recv := k.rawBlocks()
		root := k.int()
		k.skip()
		s := send.here(c, root, true).buffer(k, 1)
		b, counts, displs := recv.here(c, root).buffer(k, groupOf(c))
		return five(c, s, b, counts, displs, root, (*comm.Comm).GatherV, (*comm.Comm).IGatherV, (*comm.Comm).GatherVInit)
	}),
	collective("Scatterv", func(k *call) action {
		c := k.lookComm(8)
		send := k.rawBlocks()
		recv, root := k.rawBuffer(), k.int()
		k.skip()
		s, counts, displs := send.here(c, root).buffer(k, groupOf(c))
		return five(c, s, counts, displs, recv.here(c, root, true).buffer(k, 1), root, (*comm.Comm).ScatterV, (*comm.Comm).IScatterV, (*comm.Comm).ScatterVInit)
	}),
	collective("Allgather", func(k *call) action {
		c, s, b := k.pair(1, groupOf)
		return two(c, s, b, (*comm.Comm).AllGather, (*comm.Comm).IAllGather, (*comm.Comm).AllGatherInit)
	}),
	collective("Alltoall", func(k *call) action {
		c, s, b := k.pair(0, groupOf)
		return two(c, s, b, (*comm.Comm).AllToAll, (*comm.Comm).IAllToAll, (*comm.Comm).AllToAllInit)
	}),
	collective("Neighbor_allgather", func(k *call) action {
		c, s, b := k.pair(1, k.sources)
		return two(c, s, b, (*comm.Comm).NeighborAllGather, (*comm.Comm).INeighborAllGather, (*comm.Comm).NeighborAllGatherInit)
	}),
	collective("Neighbor_alltoall", func(k *call) action {
		c := k.lookComm(6)
		s, b := k.rawBuffer(), k.rawBuffer()
		k.skip()
		return two(c, s.buffer(k, k.destinations(c)), b.buffer(k, k.sources(c)),
			(*comm.Comm).NeighborAllToAll, (*comm.Comm).INeighborAllToAll, (*comm.Comm).NeighborAllToAllInit)
	}),
	collective("Allgatherv", func(k *call) action {
		c, s, b := k.pairBlocks(groupOf)
		return four(c, s, b.b, b.counts, b.displs, (*comm.Comm).AllGatherV, (*comm.Comm).IAllGatherV, (*comm.Comm).AllGatherVInit)
	}),
	collective("Neighbor_allgatherv", func(k *call) action {
		c, s, b := k.pairBlocks(k.sources)
		return four(c, s, b.b, b.counts, b.displs, (*comm.Comm).NeighborAllGatherV, (*comm.Comm).INeighborAllGatherV, (*comm.Comm).NeighborAllGatherVInit)
	}),
	collective("Alltoallv", func(k *call) action {
		c, s, b := k.twoBlocks(groupOf, groupOf)
		return blocksAction(c, s, b, (*comm.Comm).AllToAllV, (*comm.Comm).IAllToAllV, (*comm.Comm).AllToAllVInit)
	}),
	collective("Neighbor_alltoallv", func(k *call) action {
		c, s, b := k.twoBlocks(k.destinations, k.sources)
		return blocksAction(c, s, b, (*comm.Comm).NeighborAllToAllV, (*comm.Comm).INeighborAllToAllV, (*comm.Comm).NeighborAllToAllVInit)
	}),
	collective("Alltoallw", func(k *call) action {
		c := k.lookComm(8)
		s, b := k.list(groupOf(c), false), k.list(groupOf(c), false)
		k.skip()
		return two(c, s, b, (*comm.Comm).AllToAllW, (*comm.Comm).IAllToAllW, (*comm.Comm).AllToAllWInit)
	}),
	collective("Neighbor_alltoallw", func(k *call) action {
		c := k.lookComm(8)
		s, b := k.list(k.destinations(c), true), k.list(k.sources(c), true)
		k.skip()
		return two(c, s, b, (*comm.Comm).NeighborAllToAllW, (*comm.Comm).INeighborAllToAllW, (*comm.Comm).NeighborAllToAllWInit)
	}),
	collective("Reduce", func(k *call) action {
		c := k.lookComm(6)
		x := k.reduction()
		root := k.int()
		k.skip()
		return four(c, x.send(k, c, root), x.recvAt(k, c, root), x.op, root, (*comm.Comm).Reduce, (*comm.Comm).IReduce, (*comm.Comm).ReduceInit)
	}),
	collective("Allreduce", func(k *call) action {
		c := k.lookComm(5)
		x := k.reduction()
		k.skip()
		return three(c, x.buffer(k, x.from, 1), x.buffer(k, x.to, 1), x.op, (*comm.Comm).AllReduce, (*comm.Comm).IAllReduce, (*comm.Comm).AllReduceInit)
	}),
	collective("Scan", func(k *call) action {
		c := k.lookComm(5)
		x := k.reduction()
		k.skip()
		return three(c, x.buffer(k, x.from, 1), x.buffer(k, x.to, 1), x.op, (*comm.Comm).Scan, (*comm.Comm).IScan, (*comm.Comm).ScanInit)
	}),
	collective("Exscan", func(k *call) action {
		c := k.lookComm(5)
		x := k.reduction()
		k.skip()
		return three(c, x.buffer(k, x.from, 1), x.buffer(k, x.to, 1), x.op, (*comm.Comm).ExScan, (*comm.Comm).IExScan, (*comm.Comm).ExScanInit)
	}),
	collective("Reduce_scatter_block", func(k *call) action {
		c := k.lookComm(5)
		x := k.reduction()
		k.skip()
		n := int64(c.Size())
		recv := int64(1)
		if x.from == inPlace {
			recv = n
		}
		return three(c, x.buffer(k, x.from, n), x.buffer(k, x.to, recv), x.op,
			(*comm.Comm).ReduceScatterBlock, (*comm.Comm).IReduceScatterBlock, (*comm.Comm).ReduceScatterBlockInit)
	}),
	collective("Reduce_scatter", func(k *call) action {
		c := k.lookComm(5)
		x := reduction{from: k.word(), to: k.word()}
		counts := k.counts(int64(c.Size()))
		x.t, x.op = k.operands()
		k.skip()
		all := int64(0)
		for _, n := range counts {
			if n < 0 {
				k.fail(errclass.Count, "a count is %d", n)
			}
			all += n
		}
		x.n = all
		send := x.buffer(k, x.from, 1)
		if x.from != inPlace {
			x.n = counts[c.Rank()]
		}
		return four(c, send, x.buffer(k, x.to, 1), counts, x.op, (*comm.Comm).ReduceScatter, (*comm.Comm).IReduceScatter, (*comm.Comm).ReduceScatterInit)
	}),
)

// groupOf returns the number of ranks with which a collective exchanges data: those of
// the remote group, if there is one.
func groupOf(c *comm.Comm) int64 {
	if inter, _ := c.TestInter(); inter {
		n, _ := c.RemoteSize()
		return int64(n)
	}
	return int64(c.Size())
}

// raw holds the arguments of a buffer, which are ignored on some ranks.
type raw struct {
	address, n, t int64
	unused        bool
}

func (k *call) rawBuffer() raw { return raw{address: k.word(), n: k.word(), t: k.word()} }

// here returns w, or an empty buffer on a rank that ignores the argument in a rooted
// collective. If every rank has such a buffer, only the root of an intercommunicator
// ignores it; otherwise only the root uses it.
func (w raw) here(c *comm.Comm, root int, everyRank bool) raw {
	inter, _ := c.TestInter()
	switch {
	case inter && root == comm.ProcNull, inter && everyRank == (root == comm.Root), !inter && !everyRank && root != c.Rank():
		w.unused = true
	}
	return w
}

// buffer returns w as memory of this number of blocks.
func (w raw) buffer(k *call, blocks int64) types.Buffer {
	switch {
	case w.unused:
		return types.Buffer{}
	case w.address == inPlace:
		return comm.InPlace
	case blocks > 0 && w.n > reach/blocks:
		k.fail(errclass.Count, "%d blocks of %d items", blocks, w.n)
	}
	return k.r.memory(k, w.address, w.n*blocks, k.datatypeOf(w.t))
}

// pair reads the buffers of a collective without a root: send has sent blocks, or as many
// as recv if sent is 0.
func (k *call) pair(sent int64, blocks func(*comm.Comm) int64) (c *comm.Comm, send, recv types.Buffer) {
	c = k.lookComm(6)
	s, b := k.rawBuffer(), k.rawBuffer()
	k.skip()
	n := blocks(c)
	if sent == 0 {
		sent = n
	}
	return c, s.buffer(k, sent), b.buffer(k, n)
}

// rawBlocks holds the arguments of blocks of any sizes.
type rawBlocks struct {
	address, counts, displs, t int64
	unused                     bool
}

func (k *call) rawBlocks() rawBlocks {
	return rawBlocks{address: k.word(), counts: k.word(), displs: k.word(), t: k.word()}
}

func (w rawBlocks) here(c *comm.Comm, root int) rawBlocks {
	w.unused = raw{}.here(c, root, false).unused
	return w
}

// buffer returns the memory that holds all n blocks.
func (w rawBlocks) buffer(k *call, n int64) (b types.Buffer, counts, displs []int64) {
	switch {
	case w.unused:
		return types.Buffer{}, nil, nil
	}
	counts = k.countsAt(w.counts, n)
	if w.address == inPlace {
		return comm.InPlace, counts, nil
	}
	displs = k.countsAt(w.displs, n)
	t := k.datatypeOf(w.t)
	l, err := t.Layout(k.r.sizes)
	if err != nil || l.Size == 0 {
		return types.Raw(nil, 0, t), counts, displs
	}
	// Displacements are made relative to the first block, because there may be no memory
	// before it.
	first, any := int64(0), false
	for i, n := range counts {
		if n > 0 && (!any || displs[i] < first) {
			first, any = displs[i], true
		}
	}
	all := stretch{address: w.address + first*l.Extent, r: k.r}
	for i, n := range counts {
		displs[i] -= first
		if n <= 0 {
			continue
		}
		if x := l.Extent; x != 0 && max(first, -first, displs[i]) > reach/max(x, -x) {
			k.fail(errclass.Arg, "displacement %d, in extents of %d, is outside of any memory", displs[i]+first, x)
		}
		at := displs[i] * l.Extent
		s := k.r.span(k, all.address+at, l, n)
		if all.lo == all.hi {
			all.lo, all.hi = s.lo+at, s.hi+at
		}
		all.lo, all.hi = min(all.lo, s.lo+at), max(all.hi, s.hi+at)
	}
	if !any {
		return types.Raw(nil, 0, t), counts, displs
	}
	return all.mem(1, t), counts, displs
}

// blocks holds blocks of any sizes.
type blocks struct {
	b              types.Buffer
	counts, displs []int64
}

func (w rawBlocks) blocks(k *call, n int64) (all blocks) {
	all.b, all.counts, all.displs = w.buffer(k, n)
	return all
}

func (k *call) pairBlocks(n func(*comm.Comm) int64) (c *comm.Comm, send types.Buffer, recv blocks) {
	c = k.lookComm(7)
	s, b := k.rawBuffer(), k.rawBlocks()
	k.skip()
	return c, s.buffer(k, 1), b.blocks(k, n(c))
}

func (k *call) twoBlocks(out, in func(*comm.Comm) int64) (c *comm.Comm, send, recv blocks) {
	c = k.lookComm(8)
	s, b := k.rawBlocks(), k.rawBlocks()
	k.skip()
	if s.address == inPlace {
		send.b = comm.InPlace
	} else {
		send = s.blocks(k, out(c))
	}
	return c, send, b.blocks(k, in(c))
}

type (
	nowBlocks   = func(*comm.Comm, types.Buffer, []int64, []int64, types.Buffer, []int64, []int64) error
	laterBlocks = func(*comm.Comm, types.Buffer, []int64, []int64, types.Buffer, []int64, []int64) (*comm.Request, error)
)

func blocksAction(c *comm.Comm, s, r blocks, wait nowBlocks, start, prepare laterBlocks) action {
	return action{
		func() error { return wait(c, s.b, s.counts, s.displs, r.b, r.counts, r.displs) },
		func() (*comm.Request, error) { return start(c, s.b, s.counts, s.displs, r.b, r.counts, r.displs) },
		func() (*comm.Request, error) { return prepare(c, s.b, s.counts, s.displs, r.b, r.counts, r.displs) },
	}
}

// list reads blocks with a datatype each; displacements are in bytes.
func (k *call) list(n int64, aint bool) []types.Buffer {
	address := k.word()
	if address == inPlace {
		k.next += 3
		return []types.Buffer{comm.InPlace}
	}
	counts := k.counts(n)
	var displs []int64
	if aint {
		displs = k.addresses(n)
	} else {
		displs = k.counts(n)
	}
	datatypes := array[int64](k, k.word(), n)
	all := make([]types.Buffer, n)
	for i := range all {
		if counts[i] == 0 {
			displs[i] = 0
		}
		all[i] = k.r.memory(k, address+displs[i], counts[i], k.datatypeOf(datatypes[i]))
	}
	return all
}

// sources and destinations return the number of neighbours from which a rank receives and
// to which it sends.
func (k *call) sources(c *comm.Comm) int64 { in, _ := k.neighbors(c); return in }

func (k *call) destinations(c *comm.Comm) int64 { _, out := k.neighbors(c); return out }

func (k *call) neighbors(c *comm.Comm) (in, out int64) {
	kind, err := c.TopoTest()
	if err != nil {
		return 0, 0
	}
	switch kind {
	case comm.Cart:
		n, _ := c.CartDim()
		return 2 * int64(n), 2 * int64(n)
	case comm.Graph:
		n, _ := c.GraphNeighborsCount(c.Rank())
		return int64(n), int64(n)
	case comm.DistGraph:
		in, out, _, _ := c.DistGraphNeighborsCount()
		return int64(in), int64(out)
	}
	return 0, 0
}

// A reduction holds the usual arguments of a reduction.
type reduction struct {
	from, to, n int64
	t           *types.Type
	op          *comm.Op
}

func (k *call) reduction() reduction {
	x := reduction{from: k.word(), to: k.word(), n: k.word()}
	x.t, x.op = k.operands()
	return x
}

func (x reduction) buffer(k *call, address, blocks int64) types.Buffer {
	if address != inPlace && blocks > 0 && x.n > reach/blocks {
		k.fail(errclass.Count, "%d blocks of %d items", blocks, x.n)
	}
	return k.r.memory(k, address, x.n*blocks, x.t)
}

func (x reduction) send(k *call, c *comm.Comm, root int) types.Buffer {
	if (raw{}).here(c, root, true).unused {
		return types.Buffer{}
	}
	return x.buffer(k, x.from, 1)
}

func (x reduction) recvAt(k *call, c *comm.Comm, root int) types.Buffer {
	if (raw{}).here(c, root, false).unused {
		return types.Buffer{}
	}
	return x.buffer(k, x.to, 1)
}

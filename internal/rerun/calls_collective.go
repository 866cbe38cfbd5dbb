package rerun

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// A form is a collective call in its three forms.
type form struct {
	wait           func() error
	start, prepare func() (*comm.Request, error)
}

// collectiveCalls returns the handlers of all forms of all collectives.
func collectiveCalls() map[string]handler {
	all := map[string]handler{}
	for name, of := range collectives {
		all[name] = func(a *args) error { return of(a).wait() }
		all["I"+string(name[0]|0x20)+name[1:]] = func(a *args) error { return a.started(of(a).start()) }
		all[name+"_init"] = func(a *args) error {
			f := of(a)
			a.info()
			return a.prepared(f.prepare())
		}
	}
	return all
}

type (
	now2[A, B any]            = func(*comm.Comm, A, B) error
	later2[A, B any]          = func(*comm.Comm, A, B) (*comm.Request, error)
	now3[A, B, C any]         = func(*comm.Comm, A, B, C) error
	later3[A, B, C any]       = func(*comm.Comm, A, B, C) (*comm.Request, error)
	now4[A, B, C, D any]      = func(*comm.Comm, A, B, C, D) error
	later4[A, B, C, D any]    = func(*comm.Comm, A, B, C, D) (*comm.Request, error)
	now5[A, B, C, D, E any]   = func(*comm.Comm, A, B, C, D, E) error
	later5[A, B, C, D, E any] = func(*comm.Comm, A, B, C, D, E) (*comm.Request, error)
	blocks                    = []int64
)

func two[A, B any](c *comm.Comm, x A, y B, wait now2[A, B], start, prepare later2[A, B]) form {
	return form{
		func() error { return wait(c, x, y) },
		func() (*comm.Request, error) { return start(c, x, y) },
		func() (*comm.Request, error) { return prepare(c, x, y) },
	}
}

func three[A, B, C any](c *comm.Comm, x A, y B, z C, wait now3[A, B, C], start, prepare later3[A, B, C]) form {
	return form{
		func() error { return wait(c, x, y, z) },
		func() (*comm.Request, error) { return start(c, x, y, z) },
		func() (*comm.Request, error) { return prepare(c, x, y, z) },
	}
}

func four[A, B, C, D any](c *comm.Comm, w A, x B, y C, z D, wait now4[A, B, C, D], start, prepare later4[A, B, C, D]) form {
	return form{
		func() error { return wait(c, w, x, y, z) },
		func() (*comm.Request, error) { return start(c, w, x, y, z) },
		func() (*comm.Request, error) { return prepare(c, w, x, y, z) },
	}
}

func five[A, B, C, D, E any](c *comm.Comm, v A, w B, x C, y D, z E, wait now5[A, B, C, D, E], start, prepare later5[A, B, C, D, E]) form {
	return form{
		func() error { return wait(c, v, w, x, y, z) },
		func() (*comm.Request, error) { return start(c, v, w, x, y, z) },
		func() (*comm.Request, error) { return prepare(c, v, w, x, y, z) },
	}
}

// peers returns the number of ranks that a rank exchanges data with in a collective.
func peers(c *comm.Comm) int64 {
	if inter, err := c.TestInter(); err == nil && inter {
		if n, err := c.RemoteSize(); err == nil {
			return int64(n)
		}
	}
	return int64(c.Size())
}

// neighbors returns the numbers of ranks that a rank gets data from and sends data to.
func neighbors(c *comm.Comm) (in, out int64) {
	switch kind, _ := c.TopoTest(); kind {
	case comm.Cart:
		n, _ := c.CartDim()
		return int64(2 * n), int64(2 * n)
	case comm.Graph:
		n, _ := c.GraphNeighborsCount(c.Rank())
		return int64(n), int64(n)
	case comm.DistGraph:
		in, out, _, _ := c.DistGraphNeighborsCount()
		return int64(in), int64(out)
	}
	return 0, 0
}

// side reads a count and a datatype; in place, the buffer is comm.InPlace.
func (a *args) side(inPlace bool, times func() int64) func() types.Buffer {
	n, t := a.n(), a.typ()
	return func() types.Buffer {
		if inPlace {
			return comm.InPlace
		}
		return fill(n*times(), t)
	}
}

func once() int64 { return 1 }

// cut reads counts, displacements and a datatype.
func (a *args) cut(inPlace bool) (types.Buffer, blocks, blocks) {
	counts, displs, t := a.list(), a.list(), a.typ()
	if inPlace {
		return comm.InPlace, nil, nil
	}
	return fill(0, t), counts, displs
}

// apart reads counts, displacements and datatypes of buffers that each have their own.
func (a *args) apart(inPlace bool) []types.Buffer {
	counts, _, list := a.list(), a.list(), a.types()
	if inPlace {
		return []types.Buffer{comm.InPlace}
	}
	all := make([]types.Buffer, min(len(counts), len(list)))
	for i := range all {
		all[i] = fill(counts[i], list[i])
	}
	return all
}

// A reduction is the arguments of a reduction.
type reduction struct {
	send, recv types.Buffer
	op         *comm.Op
}

func (a *args) reduction() (r reduction) {
	inPlace := a.inPlace()
	r.recv = a.buffer()
	if r.send = r.recv; inPlace {
		r.send = comm.InPlace
	}
	r.op = a.op()
	return r
}

var collectives = map[string]func(a *args) form{
	"Barrier": func(a *args) form {
		c := a.comm()
		return form{c.Barrier, c.IBarrier, c.BarrierInit}
	},
	"Bcast": func(a *args) form {
		buf, root := a.buffer(), a.rank()
		return two(a.comm(), buf, root, (*comm.Comm).Bcast, (*comm.Comm).IBcast, (*comm.Comm).BcastInit)
	},
	"Gather": func(a *args) form {
		var c *comm.Comm
		send := a.side(a.inPlace(), once)
		recv := a.side(false, func() int64 { return peers(c) })
		root := a.rank()
		c = a.comm()
		return three(c, send(), recv(), root, (*comm.Comm).Gather, (*comm.Comm).IGather, (*comm.Comm).GatherInit)
	},
	"Scatter": func(a *args) form {
		var c *comm.Comm
		send := a.side(false, func() int64 { return peers(c) })
		recv := a.side(a.inPlace(), once)
		root := a.rank()
		c = a.comm()
		return three(c, send(), recv(), root, (*comm.Comm).Scatter, (*comm.Comm).IScatter, (*comm.Comm).ScatterInit)
	},
	"Gatherv": func(a *args) form {
		send := a.side(a.inPlace(), once)
		recv, counts, displs := a.cut(false)
		root := a.rank()
		return five(a.comm(), send(), recv, counts, displs, root, (*comm.Comm).GatherV, (*comm.Comm).IGatherV, (*comm.Comm).GatherVInit)
	},
	"Scatterv": func(a *args) form {
		send, counts, displs := a.cut(false)
		recv := a.side(a.inPlace(), once)
		root := a.rank()
		return five(a.comm(), send, counts, displs, recv(), root, (*comm.Comm).ScatterV, (*comm.Comm).IScatterV, (*comm.Comm).ScatterVInit)
	},
	"Allgather": func(a *args) form {
		var c *comm.Comm
		send := a.side(a.inPlace(), once)
		recv := a.side(false, func() int64 { return peers(c) })
		c = a.comm()
		return two(c, send(), recv(), (*comm.Comm).AllGather, (*comm.Comm).IAllGather, (*comm.Comm).AllGatherInit)
	},
	"Alltoall": func(a *args) form {
		var c *comm.Comm
		send := a.side(a.inPlace(), func() int64 { return peers(c) })
		recv := a.side(false, func() int64 { return peers(c) })
		c = a.comm()
		return two(c, send(), recv(), (*comm.Comm).AllToAll, (*comm.Comm).IAllToAll, (*comm.Comm).AllToAllInit)
	},
	"Allgatherv": func(a *args) form {
		send := a.side(a.inPlace(), once)
		recv, counts, displs := a.cut(false)
		return four(a.comm(), send(), recv, counts, displs, (*comm.Comm).AllGatherV, (*comm.Comm).IAllGatherV, (*comm.Comm).AllGatherVInit)
	},
	"Alltoallv": func(a *args) form {
		send, sc, sd := a.cut(a.inPlace())
		recv, rc, rd := a.cut(false)
		c := a.comm()
		return form{
			func() error { return c.AllToAllV(send, sc, sd, recv, rc, rd) },
			func() (*comm.Request, error) { return c.IAllToAllV(send, sc, sd, recv, rc, rd) },
			func() (*comm.Request, error) { return c.AllToAllVInit(send, sc, sd, recv, rc, rd) },
		}
	},
	"Alltoallw": func(a *args) form {
		send := a.apart(a.inPlace())
		recv := a.apart(false)
		return two(a.comm(), send, recv, (*comm.Comm).AllToAllW, (*comm.Comm).IAllToAllW, (*comm.Comm).AllToAllWInit)
	},
	"Neighbor_allgather": func(a *args) form {
		var c *comm.Comm
		send := a.side(false, once)
		recv := a.side(false, func() int64 { n, _ := neighbors(c); return n })
		c = a.comm()
		return two(c, send(), recv(), (*comm.Comm).NeighborAllGather, (*comm.Comm).INeighborAllGather, (*comm.Comm).NeighborAllGatherInit)
	},
	"Neighbor_alltoall": func(a *args) form {
		var c *comm.Comm
		send := a.side(false, func() int64 { _, n := neighbors(c); return n })
		recv := a.side(false, func() int64 { n, _ := neighbors(c); return n })
		c = a.comm()
		return two(c, send(), recv(), (*comm.Comm).NeighborAllToAll, (*comm.Comm).INeighborAllToAll, (*comm.Comm).NeighborAllToAllInit)
	},
	"Neighbor_allgatherv": func(a *args) form {
		send := a.side(false, once)
		recv, counts, displs := a.cut(false)
		return four(a.comm(), send(), recv, counts, displs, (*comm.Comm).NeighborAllGatherV, (*comm.Comm).INeighborAllGatherV, (*comm.Comm).NeighborAllGatherVInit)
	},
	"Neighbor_alltoallv": func(a *args) form {
		send, sc, sd := a.cut(false)
		recv, rc, rd := a.cut(false)
		c := a.comm()
		return form{
			func() error { return c.NeighborAllToAllV(send, sc, sd, recv, rc, rd) },
			func() (*comm.Request, error) { return c.INeighborAllToAllV(send, sc, sd, recv, rc, rd) },
			func() (*comm.Request, error) { return c.NeighborAllToAllVInit(send, sc, sd, recv, rc, rd) },
		}
	},
	"Neighbor_alltoallw": func(a *args) form {
		send, recv := a.apart(false), a.apart(false)
		return two(a.comm(), send, recv, (*comm.Comm).NeighborAllToAllW, (*comm.Comm).INeighborAllToAllW, (*comm.Comm).NeighborAllToAllWInit)
	},
	"Reduce": func(a *args) form {
		r := a.reduction()
		root := a.rank()
		return four(a.comm(), r.send, r.recv, r.op, root, (*comm.Comm).Reduce, (*comm.Comm).IReduce, (*comm.Comm).ReduceInit)
	},
	"Allreduce": func(a *args) form {
		r := a.reduction()
		return three(a.comm(), r.send, r.recv, r.op, (*comm.Comm).AllReduce, (*comm.Comm).IAllReduce, (*comm.Comm).AllReduceInit)
	},
	"Scan": func(a *args) form {
		r := a.reduction()
		return three(a.comm(), r.send, r.recv, r.op, (*comm.Comm).Scan, (*comm.Comm).IScan, (*comm.Comm).ScanInit)
	},
	"Exscan": func(a *args) form {
		r := a.reduction()
		return three(a.comm(), r.send, r.recv, r.op, (*comm.Comm).ExScan, (*comm.Comm).IExScan, (*comm.Comm).ExScanInit)
	},
	"Reduce_scatter_block": func(a *args) form {
		r := a.reduction()
		c := a.comm()
		whole := r.recv.Times(r.recv.Count() * int64(c.Size()))
		if n := r.send.Count(); n == r.recv.Count() && n > 0 {
			r.send = whole
		} else {
			r.recv = whole // the input is there
		}
		return three(c, r.send, r.recv, r.op, (*comm.Comm).ReduceScatterBlock, (*comm.Comm).IReduceScatterBlock, (*comm.Comm).ReduceScatterBlockInit)
	},
	"Reduce_scatter": func(a *args) form {
		inPlace, counts, t := a.inPlace(), a.list(), a.typ()
		op, c := a.op(), a.comm()
		all := int64(0)
		for _, n := range counts {
			all += n
		}
		send, recv := fill(all, t), fill(all, t)
		switch {
		case inPlace:
			send = comm.InPlace
		case c.Rank() < len(counts):
			recv = fill(counts[c.Rank()], t)
		}
		return four(c, send, recv, counts, op, (*comm.Comm).ReduceScatter, (*comm.Comm).IReduceScatter, (*comm.Comm).ReduceScatterInit)
	},
}

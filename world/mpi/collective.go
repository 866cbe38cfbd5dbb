package mpi

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/types"
)

var routines = map[string]struct {
	code C.int
	name string
}{
	"Barrier":            {C.CW_BARRIER, "MPI_Barrier"},
	"Bcast":              {C.CW_BCAST, "MPI_Bcast"},
	"Gather":             {C.CW_GATHER, "MPI_Gather"},
	"GatherV":            {C.CW_GATHERV, "MPI_Gatherv"},
	"Scatter":            {C.CW_SCATTER, "MPI_Scatter"},
	"ScatterV":           {C.CW_SCATTERV, "MPI_Scatterv"},
	"AllGather":          {C.CW_ALLGATHER, "MPI_Allgather"},
	"AllGatherV":         {C.CW_ALLGATHERV, "MPI_Allgatherv"},
	"AllToAll":           {C.CW_ALLTOALL, "MPI_Alltoall"},
	"AllToAllV":          {C.CW_ALLTOALLV, "MPI_Alltoallv"},
	"AllToAllW":          {C.CW_ALLTOALLW, "MPI_Alltoallw"},
	"Reduce":             {C.CW_REDUCE, "MPI_Reduce"},
	"AllReduce":          {C.CW_ALLREDUCE, "MPI_Allreduce"},
	"Scan":               {C.CW_SCAN, "MPI_Scan"},
	"ExScan":             {C.CW_EXSCAN, "MPI_Exscan"},
	"ReduceScatterBlock": {C.CW_REDUCE_SCATTER_BLOCK, "MPI_Reduce_scatter_block"},
	"ReduceScatter":      {C.CW_REDUCE_SCATTER, "MPI_Reduce_scatter"},
	"NeighborAllGather":  {C.CW_NEIGHBOR_ALLGATHER, "MPI_Neighbor_allgather"},
	"NeighborAllGatherV": {C.CW_NEIGHBOR_ALLGATHERV, "MPI_Neighbor_allgatherv"},
	"NeighborAllToAll":   {C.CW_NEIGHBOR_ALLTOALL, "MPI_Neighbor_alltoall"},
	"NeighborAllToAllV":  {C.CW_NEIGHBOR_ALLTOALLV, "MPI_Neighbor_alltoallv"},
	"NeighborAllToAllW":  {C.CW_NEIGHBOR_ALLTOALLW, "MPI_Neighbor_alltoallw"},
}

// An arrays holds the counts and displacements of a call in C's form.
type arrays struct {
	scounts, sdispls, rcounts, rdispls []C.int
	stypes, rtypes                     []handle
}

// Collective takes part in a collective call.
func (c *comm) Collective(k *engine.Call) (engine.Request, error) {
	r, ok := routines[k.Routine]
	if !ok {
		return nil, &engine.Error{Library: c.w.library, Call: k.Routine, Class: errclass.Other, Text: "this engine has no such collective"}
	}
	q := &request{w: c.w, call: r.name}
	if err := q.collect(c, k, r.code); err != nil {
		_ = q.release(0) // free the buffers prepared before the error
		return nil, err
	}
	if k.Starts {
		return q, nil
	}
	return nil, nil
}

// collect makes the call.
func (q *request) collect(c *comm, k *engine.Call, routine C.int) (err error) {
	w := c.w
	s, d := &q.sent[0], &q.sent[1]
	if *s, err = w.piece(k.Send); err != nil {
		return err
	}
	if *d, err = w.piece(k.Recv); err != nil {
		return err
	}
	a := &noArrays
	if k.SendCounts != nil || k.RecvCounts != nil || k.Sends != nil || k.Recvs != nil {
		a = &arrays{}
		defer a.free()
		if err = q.arrays(a, k); err != nil {
			return err
		}
	}
	if k.Sends != nil || k.Recvs != nil {
		s.n, d.n = C.int(len(a.scounts)), C.int(len(a.rcounts))
	}
	var op handle
	if k.Op != nil {
		if op, err = q.operation(k); err != nil {
			return err
		}
	}
	if k.Starts {
		q.pin(s.base)
		q.pin(d.base)
		for _, list := range [][]C.int{a.scounts, a.sdispls, a.rcounts, a.rdispls} {
			if len(list) > 0 {
				q.pin(unsafe.Pointer(&list[0]))
			}
		}
		q.keep = [2]any{a, k}
	}
	code := C.cw_collective(routine, cbool(k.Starts), cbool(k.InPlace), c.h, C.int(k.Root), op,
		s.base, s.off, s.n, s.t, first(a.scounts), first(a.sdispls), first(a.stypes),
		d.base, d.off, d.n, d.t, first(a.rcounts), first(a.rdispls), first(a.rtypes), w.out, &w.keep)
	q.room, w.keep = w.keep, nil
	if code != 0 || !k.Starts {
		return q.release(code)
	}
	q.start(*w.out)
	return nil
}

var noArrays arrays

// arrays makes counts and displacements. For a W routine it makes datatypes that contain
// addresses, because the displacements of such a routine are ints.
func (q *request) arrays(a *arrays, k *engine.Call) (err error) {
	w := q.w
	for _, x := range []struct {
		from []int64
		to   *[]C.int
	}{{k.SendCounts, &a.scounts}, {k.SendDispls, &a.sdispls}, {k.RecvCounts, &a.rcounts}, {k.RecvDispls, &a.rdispls}} {
		if x.from == nil {
			continue
		}
		if *x.to, err = w.ints(x.from); err != nil {
			return err
		}
	}
	if k.Routine == "ReduceScatter" { // its counts are those of the receive buffers
		if a.rcounts == nil {
			a.rcounts = a.scounts
		}
		q.sent[1].done()
		q.sent[1], err = w.reduceTarget(k)
		if err != nil {
			return err
		}
	}
	if k.Sends != nil {
		if a.scounts, a.stypes, err = q.addresses(k.Sends); err != nil {
			return err
		}
	}
	if k.Recvs != nil {
		if a.rcounts, a.rtypes, err = q.addresses(k.Recvs); err != nil {
			return err
		}
	}
	if k.InPlace && a.scounts == nil {
		a.scounts = a.rcounts
	}
	return nil
}

// reduceTarget returns the receive buffer of a reduction with counts.
func (w *world) reduceTarget(k *engine.Call) (piece, error) {
	b := k.Recv
	if b.Type() == nil {
		b = k.Send
	}
	return w.piece(b)
}

// addresses makes a datatype for each buffer, at its address. With an error it returns
// the datatypes made before, to be freed.
func (q *request) addresses(bufs []types.Buffer) (counts []C.int, list []handle, err error) {
	counts, list = make([]C.int, len(bufs)), make([]handle, len(bufs))
	for i, b := range bufs {
		p, err := q.w.piece(b)
		if err != nil {
			return counts, list, err
		}
		if p.base == nil || p.n == 0 {
			continue
		}
		q.pin(p.base)
		err = q.w.check("MPI_Type_create_hindexed", C.cw_address_type(p.n, p.base, p.off, p.t, q.w.out))
		p.done()
		if err != nil {
			return counts, list, err
		}
		list[i], counts[i] = *q.w.out, 1
	}
	return counts, list, nil
}

// free frees the datatypes of a W routine. A library keeps what it needs of datatypes in
// use.
func (a *arrays) free() {
	for _, list := range [][]handle{a.stypes, a.rtypes} {
		for _, h := range list {
			if h != 0 {
				C.cw_type_free(h)
			}
		}
	}
}

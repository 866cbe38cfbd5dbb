package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/types"
)

// fill returns n ints that encode rank and place.
func fill(c *comm.Comm, n int) []int32 {
	xs := make([]int32, n)
	for i := range xs {
		xs[i] = int32(1000*(c.Rank()+1) + i)
	}
	return xs
}

// A former has a collective in its three forms.
type former struct {
	name    string
	waits   func() error
	starts  func() (*comm.Request, error)
	prepare func() (*comm.Request, error)
}

// collectives calls every collective in every form, and records the data received.
func collectives(_ context.Context, c *comm.Comm) error {
	n, me := c.Size(), c.Rank()
	for form := range 3 {
		send, recv := fill(c, 4*n), make([]int32, 4*n)
		s, r := types.Of(send), types.Of(recv)
		one, part := types.Of(send[:4]), types.Of(recv[:4])
		counts, displs := make([]int64, n), make([]int64, n)
		for i := range counts {
			counts[i] = int64(i % 3)
			displs[i] = int64(4 * i)
		}
		mine := types.Of(send[:me%3])
		scounts, rcounts := make([]int64, n), make([]int64, n)
		for i := range scounts {
			scounts[i], rcounts[i] = int64((me+2*i)%4), int64((i+2*me)%4)
		}
		var sends, recvs []types.Buffer
		for i := range n {
			sends = append(sends, types.Of(send[4*i:4*i+int(scounts[i])]))
			recvs = append(recvs, types.Of(recv[4*i:4*i+int(rcounts[i])]))
		}
		blocks := []int64{1, 2, 0, 3}
		target := types.Of(recv[:blocks[me]])
		for _, f := range []former{
			{"Barrier", c.Barrier, c.IBarrier, c.BarrierInit},
			{"Bcast", func() error { return c.Bcast(s, 1) }, func() (*comm.Request, error) { return c.IBcast(s, 1) }, func() (*comm.Request, error) { return c.BcastInit(s, 1) }},
			{"Gather", func() error { return c.Gather(one, r, 2) }, func() (*comm.Request, error) { return c.IGather(one, r, 2) }, func() (*comm.Request, error) { return c.GatherInit(one, r, 2) }},
			{"GatherV", func() error { return c.GatherV(mine, r, counts, displs, 0) }, func() (*comm.Request, error) { return c.IGatherV(mine, r, counts, displs, 0) }, func() (*comm.Request, error) { return c.GatherVInit(mine, r, counts, displs, 0) }},
			{"Scatter", func() error { return c.Scatter(s, part, 3) }, func() (*comm.Request, error) { return c.IScatter(s, part, 3) }, func() (*comm.Request, error) { return c.ScatterInit(s, part, 3) }},
			{"ScatterV", func() error { return c.ScatterV(s, counts, displs, types.Of(recv[:me%3]), 0) }, func() (*comm.Request, error) { return c.IScatterV(s, counts, displs, types.Of(recv[:me%3]), 0) }, func() (*comm.Request, error) { return c.ScatterVInit(s, counts, displs, types.Of(recv[:me%3]), 0) }},
			{"AllGather", func() error { return c.AllGather(one, r) }, func() (*comm.Request, error) { return c.IAllGather(one, r) }, func() (*comm.Request, error) { return c.AllGatherInit(one, r) }},
			{"AllGather in place", func() error { return c.AllGather(comm.InPlace, r) }, func() (*comm.Request, error) { return c.IAllGather(comm.InPlace, r) }, func() (*comm.Request, error) { return c.AllGatherInit(comm.InPlace, r) }},
			{"AllGatherV", func() error { return c.AllGatherV(mine, r, counts, displs) }, func() (*comm.Request, error) { return c.IAllGatherV(mine, r, counts, displs) }, func() (*comm.Request, error) { return c.AllGatherVInit(mine, r, counts, displs) }},
			{"AllToAll", func() error { return c.AllToAll(s, r) }, func() (*comm.Request, error) { return c.IAllToAll(s, r) }, func() (*comm.Request, error) { return c.AllToAllInit(s, r) }},
			{"AllToAllV", func() error { return c.AllToAllV(s, scounts, displs, r, rcounts, displs) }, func() (*comm.Request, error) { return c.IAllToAllV(s, scounts, displs, r, rcounts, displs) }, func() (*comm.Request, error) { return c.AllToAllVInit(s, scounts, displs, r, rcounts, displs) }},
			{"AllToAllW", func() error { return c.AllToAllW(sends, recvs) }, func() (*comm.Request, error) { return c.IAllToAllW(sends, recvs) }, func() (*comm.Request, error) { return c.AllToAllWInit(sends, recvs) }},
			{"Reduce", func() error { return c.Reduce(s, r, comm.Sum, 1) }, func() (*comm.Request, error) { return c.IReduce(s, r, comm.Sum, 1) }, func() (*comm.Request, error) { return c.ReduceInit(s, r, comm.Sum, 1) }},
			{"AllReduce", func() error { return c.AllReduce(s, r, comm.BXor) }, func() (*comm.Request, error) { return c.IAllReduce(s, r, comm.BXor) }, func() (*comm.Request, error) { return c.AllReduceInit(s, r, comm.BXor) }},
			{"Scan", func() error { return c.Scan(s, r, comm.Sum) }, func() (*comm.Request, error) { return c.IScan(s, r, comm.Sum) }, func() (*comm.Request, error) { return c.ScanInit(s, r, comm.Sum) }},
			{"ExScan", func() error { return c.ExScan(s, r, comm.Max) }, func() (*comm.Request, error) { return c.IExScan(s, r, comm.Max) }, func() (*comm.Request, error) { return c.ExScanInit(s, r, comm.Max) }},
			{"ReduceScatterBlock", func() error { return c.ReduceScatterBlock(s, part, comm.Sum) }, func() (*comm.Request, error) { return c.IReduceScatterBlock(s, part, comm.Sum) }, func() (*comm.Request, error) { return c.ReduceScatterBlockInit(s, part, comm.Sum) }},
			{"ReduceScatter", func() error { return c.ReduceScatter(types.Of(send[:6]), target, blocks, comm.Min) }, func() (*comm.Request, error) { return c.IReduceScatter(types.Of(send[:6]), target, blocks, comm.Min) }, func() (*comm.Request, error) {
				return c.ReduceScatterInit(types.Of(send[:6]), target, blocks, comm.Min)
			}},
		} {
			copy(send, fill(c, len(send)))
			clear(recv)
			for i := range 4 {
				recv[4*me+i] = send[i]
			}
			if err := f.play(form); err != nil {
				return err
			}
			if f.name == "ExScan" && me == 0 { // the result of rank 0 is undefined
				clear(recv)
			}
			if err := record(c, "%d %s %v %v", form, f.name, send, recv); err != nil {
				return err
			}
		}
	}
	early := []int32{int32(me)}
	q, err := c.BcastInit(types.Of(early), 0)
	if err != nil {
		return err
	}
	return errors.Join(record(c, "prepared, not started: %v", early), q.Free())
}

// play calls one of the forms of f.
func (f *former) play(form int) (err error) {
	switch form {
	case 0:
		err = f.waits()
	case 1:
		var q *comm.Request
		if q, err = f.starts(); err == nil {
			_, err = q.Wait()
		}
	case 2:
		var q *comm.Request
		if q, err = f.prepare(); err != nil {
			break
		}
		for range 2 {
			if err = q.Start(); err == nil {
				_, err = q.Wait()
			}
			if err != nil {
				break
			}
		}
		err = errors.Join(err, q.Free())
	}
	if err != nil {
		return fmt.Errorf("%s, form %d: %w", f.name, form, err)
	}
	return nil
}

// modes sends in every mode: blocking, nonblocking and persistent.
func modes(_ context.Context, c *comm.Comm) error {
	me, n := c.Rank(), c.Size()
	next, last := (me+1)%n, (me+n-1)%n
	if err := c.BufferAttach(make([]byte, 1<<12)); err != nil {
		return err
	}
	for tag, send := range []func(types.Buffer, int, int) (*comm.Request, error){
		c.ISend, c.ISSend, c.IBSend, c.SendInit, c.SSendInit, c.BSendInit,
	} {
		got := make([]int32, 8)
		in, err := c.IRecv(types.Of(got), last, tag)
		if err != nil {
			return err
		}
		out, err := send(types.Of(fill(c, 5)), next, tag)
		if err != nil {
			return err
		}
		if tag >= 3 {
			err = out.Start()
		}
		sts, e := comm.WaitAll(in, out)
		if err := errors.Join(err, e); err != nil {
			return fmt.Errorf("tag %d: %w", tag, err)
		}
		k, _ := sts[0].Count(types.Int32)
		if err := record(c, "%d: %v %d %d %d", tag, got, sts[0].Source, sts[0].Tag, k); err != nil {
			return err
		}
		if tag >= 3 {
			if err := out.Free(); err != nil {
				return err
			}
		}
	}
	_, err := c.BufferDetach()
	err = errors.Join(err, flushes(c, next, last))
	// Ready sends: the receives are posted before the senders know of them.
	got := make([]int32, 4)
	in, e := c.RecvInit(types.Of(got), last, 9)
	err = errors.Join(err, e, in.Start(), c.Barrier(), c.RSend(types.Of(fill(c, 4)), next, 9))
	_, e = in.Wait()
	err = errors.Join(err, e, in.Free(), record(c, "ready %v", got))
	// All ranks at once, with the same buffer for send and receive.
	x := fill(c, 3)
	st, e := c.SendRecvReplace(types.Of(x), comm.To{Rank: next, Tag: 4}, comm.From{Rank: last, Tag: 4})
	return errors.Join(err, e, record(c, "replace %v %d", x, st.Source))
}

// flushes sends on a communicator with its own buffer, and flushes that buffer and the
// rank's. Libraries before MPI-4.1 have no such buffers, and no nonblocking flush: they
// must return an error.
func flushes(c *comm.Comm, next, last int) error {
	d, err := c.Dup()
	if err != nil {
		return err
	}
	if err := c.BufferAttach(make([]byte, 1<<12)); err != nil {
		return err
	}
	for tag, mem := range [][]byte{nil, make([]byte, 1<<12), comm.BufferAutomatic} {
		got := make([]int32, 5)
		in, err := d.IRecv(types.Of(got), last, tag)
		if err != nil {
			return err
		}
		flush, start, end := c.BufferFlush, c.BufferIFlush, func() error { return nil }
		if mem != nil {
			if err = d.AttachBuffer(mem); err == nil {
				flush, start, end = d.FlushBuffer, d.IFlushBuffer, func() error { _, err := d.DetachBuffer(); return err }
			}
		}
		if err = errors.Join(unless41(err), d.BSend(types.Of(fill(c, 5)), next, tag)); err != nil {
			return err
		}
		q, err := start()
		_, err2 := comm.WaitAll(in, q)
		if err := errors.Join(unless41(err), err2, flush(), end(), record(c, "flushed %v", got)); err != nil {
			return err
		}
	}
	_, err = c.BufferDetach()
	return errors.Join(err, d.Free())
}

// unless41 returns err, unless it says that the library is older than MPI-4.1.
func unless41(err error) error {
	var e *engine.Error
	if errors.As(err, &e) && strings.HasPrefix(e.Call, "MPI_") && strings.Contains(err.Error(), e.Library+": "+e.Call+": this takes MPI-4.1, and the library is older") {
		return nil
	}
	return err
}

// requests completes several requests by every call of the family, cancels, and frees.
func requests(_ context.Context, c *comm.Comm) error {
	me := c.Rank()
	if me != 0 {
		for tag := range 4 {
			if err := c.Send(types.Of(fill(c, 2)), 0, tag); err != nil {
				return err
			}
		}
		return c.Barrier()
	}
	total := int32(0)
	var reqs []*comm.Request
	got := make([][]int32, 0, 8)
	for tag := range 4 {
		for src := 1; src < 3; src++ {
			x := make([]int32, 2)
			got = append(got, x)
			q, err := c.IRecv(types.Of(x), src, tag)
			if err != nil {
				return err
			}
			reqs = append(reqs, q)
		}
	}
	i, st, err := comm.WaitAny(reqs[:2]...)
	if err != nil || i < 0 || st.Tag != 0 {
		return fmt.Errorf("WaitAny: %d %v %w", i, st, err)
	}
	done, _, err := comm.WaitSome(reqs[2:4]...)
	if err != nil || len(done) == 0 {
		return fmt.Errorf("WaitSome: %v %w", done, err)
	}
	for ok := false; !ok; {
		if _, ok, err = comm.TestAll(reqs[4:6]...); err != nil {
			return err
		}
	}
	for ok := false; !ok; {
		if _, ok, err = reqs[6].Test(); err != nil {
			return err
		}
	}
	if _, err = comm.WaitAll(reqs...); err != nil {
		return err
	}
	for _, x := range got {
		total += x[0] + x[1]
	}
	never, err := c.IRecv(types.Of(make([]int32, 1)), 1, 77)
	if err != nil {
		return err
	}
	if err := never.Cancel(); err != nil {
		return err
	}
	st, err = never.Wait()
	return errors.Join(err, same("cancelled", st.Cancelled(), true), record(c, "%v %d", got, total), c.Barrier())
}

// probes probes for messages, and receives them in another order.
func probes(_ context.Context, c *comm.Comm) error {
	if c.Rank() == 0 {
		return errors.Join(c.Send(types.Of([]int64{1, 2, 3}), 1, 5), c.Send(types.Of([]byte("abc")), 1, 6), c.Barrier())
	}
	st, err := c.Probe(0, comm.AnyTag)
	if err != nil {
		return err
	}
	n, _ := st.Count(types.Int64)
	if err := record(c, "probe %d %d %d", st.Source, st.Tag, n); err != nil {
		return err
	}
	m, st, err := c.MProbe(comm.AnySource, 6)
	if err != nil {
		return err
	}
	x, b := make([]int64, 3), make([]byte, 3)
	if _, err := c.Recv(types.Of(x), 0, comm.AnyTag); err != nil { // the first of the two messages
		return err
	}
	if _, err = m.MRecv(types.Of(b)); err != nil {
		return err
	}
	_, ok, err := c.IProbe(comm.AnySource, comm.AnyTag)
	return errors.Join(err, same("another", ok, false), record(c, "%v %s %d", x, b, st.Tag), c.Barrier())
}

// about records the properties of a communicator.
func about(c *comm.Comm, what string, d *comm.Comm) error {
	if d == nil {
		return record(c, "%s: none", what)
	}
	g, err := d.Group()
	if err != nil {
		return err
	}
	wg, err := c.Group()
	if err != nil {
		return err
	}
	ranks := make([]int, g.Size())
	for i := range ranks {
		ranks[i] = i
	}
	world, err := g.Translate(ranks, wg)
	if err != nil {
		return err
	}
	sum := []int64{0}
	err = d.AllReduce(types.Of([]int64{int64(c.Rank())}), types.Of(sum), comm.Sum)
	return errors.Join(err, record(c, "%s: rank %d of %d, %v, sum %d", what, d.Rank(), d.Size(), world, sum[0]))
}

// communicators makes communicators in every way.
func communicators(_ context.Context, c *comm.Comm) error {
	var errs []error
	try := func(what string, d *comm.Comm, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
			return
		}
		errs = append(errs, about(c, what, d))
		if d != nil {
			errs = append(errs, d.Free())
		}
	}
	d, err := c.Dup()
	try("dup", d, err)
	d, q, err := c.IDup()
	if err == nil {
		_, err = q.Wait()
	}
	try("idup", d, err)
	d, err = c.Split(c.Rank()%2, -c.Rank())
	try("split", d, err)
	color := 0
	if c.Rank() == 1 {
		color = comm.Undefined
	}
	d, err = c.Split(color, 0)
	try("split without", d, err)
	d, err = c.SplitType(comm.Shared, 0, nil)
	try("split type", d, err)
	g, err := c.Group()
	errs = append(errs, err)
	some, err := g.Incl([]int{3, 0, 2})
	errs = append(errs, err)
	d, err = c.Create(some)
	try("create", d, err)
	if c.Rank() != 1 {
		d, err = c.CreateGroup(some, 3)
		try("create group", d, err)
	}
	errs = append(errs, about(c, "self", c.Self()))
	return errors.Join(errs...)
}

// topologies makes grids and graphs.
func topologies(_ context.Context, c *comm.Comm) error {
	g, err := c.CartCreate([]comm.CartDim{{Size: 2, Periodic: true}, {Size: 2}}, false)
	if err != nil {
		return err
	}
	_, coords, err := g.Cart()
	src, dst, e := g.CartShift(1, 1)
	errs := []error{err, e, about(c, "grid", g), record(c, "%v %d %d", coords, src, dst)}
	row, err := g.CartSub([]bool{false, true})
	if err != nil {
		return err
	}
	errs = append(errs, about(c, "row", row), row.Free(), g.Free())
	small, err := c.CartCreate(comm.CartDims(false, 3), false)
	errs = append(errs, err, about(c, "three", small))
	if small != nil {
		errs = append(errs, small.Free())
	}
	graph, err := c.GraphCreate([][]int{{1}, {0, 2}, {1, 3}, {2}}, false)
	if err != nil {
		return err
	}
	near, err := graph.GraphNeighbors(graph.Rank())
	errs = append(errs, err, about(c, "graph", graph), record(c, "%v", near), graph.Free())
	dist, err := c.DistGraphCreate([]comm.DistEdge{{From: c.Rank(), To: (c.Rank() + 1) % 4, Weight: 3}}, true, nil, false)
	if err != nil {
		return err
	}
	hood, err := dist.DistGraphNeighbors()
	return errors.Join(append(errs, err, about(c, "dist", dist), record(c, "%+v", hood), dist.Free())...)
}

// neighbours calls every neighbourhood collective.
func neighbours(_ context.Context, c *comm.Comm) error {
	g, err := c.CartCreate([]comm.CartDim{{Size: 4, Periodic: true}}, false)
	if err != nil {
		return err
	}
	defer func() { _ = g.Free() }()
	for form := range 3 {
		send, recv := fill(c, 4), make([]int32, 4)
		s, r := types.Of(send), types.Of(recv)
		one := types.Of(send[:2])
		counts, displs := []int64{1, 1}, []int64{2, 0}
		sends := []types.Buffer{types.Of(send[:1]), types.Of(send[1:3])}
		recvs := []types.Buffer{types.Of(recv[:2]), types.Of(recv[2:3])}
		for _, f := range []former{
			{"NeighborAllGather", func() error { return g.NeighborAllGather(one, r) }, func() (*comm.Request, error) { return g.INeighborAllGather(one, r) }, func() (*comm.Request, error) { return g.NeighborAllGatherInit(one, r) }},
			{"NeighborAllGatherV", func() error { return g.NeighborAllGatherV(types.Of(send[:1]), r, counts, displs) }, func() (*comm.Request, error) { return g.INeighborAllGatherV(types.Of(send[:1]), r, counts, displs) }, func() (*comm.Request, error) {
				return g.NeighborAllGatherVInit(types.Of(send[:1]), r, counts, displs)
			}},
			{"NeighborAllToAll", func() error { return g.NeighborAllToAll(s, r) }, func() (*comm.Request, error) { return g.INeighborAllToAll(s, r) }, func() (*comm.Request, error) { return g.NeighborAllToAllInit(s, r) }},
			{"NeighborAllToAllV", func() error { return g.NeighborAllToAllV(s, counts, displs, r, counts, displs) }, func() (*comm.Request, error) { return g.INeighborAllToAllV(s, counts, displs, r, counts, displs) }, func() (*comm.Request, error) {
				return g.NeighborAllToAllVInit(s, counts, displs, r, counts, displs)
			}},
			{"NeighborAllToAllW", func() error { return g.NeighborAllToAllW(sends, recvs) }, func() (*comm.Request, error) { return g.INeighborAllToAllW(sends, recvs) }, func() (*comm.Request, error) { return g.NeighborAllToAllWInit(sends, recvs) }},
		} {
			clear(recv)
			if err := f.play(form); err != nil {
				return err
			}
			if err := record(c, "%d %s %v", form, f.name, recv); err != nil {
				return err
			}
		}
	}
	return nil
}

// intercomms joins two halves, and calls between them.
func intercomms(_ context.Context, c *comm.Comm) error {
	side := c.Rank() % 2
	half, err := c.Split(side, 0)
	if err != nil {
		return err
	}
	x, err := half.IntercommCreate(0, c, 1-side, 5)
	if err != nil {
		return err
	}
	far, err := x.RemoteSize()
	errs := []error{err, record(c, "rank %d of %d and %d", x.Rank(), x.Size(), far)}
	got := make([]int32, 2)
	st, err := x.SendRecv(types.Of(fill(c, 2)), comm.To{Rank: x.Rank(), Tag: 1}, types.Of(got), comm.From{Rank: x.Rank(), Tag: 1})
	errs = append(errs, err, record(c, "from %d %v", st.Source, got))
	root := 0
	if side == 0 {
		if root = comm.ProcNull; half.Rank() == 0 {
			root = comm.Root
		}
	}
	b := fill(c, 2)
	errs = append(errs, x.Bcast(types.Of(b), root), record(c, "bcast %v", b))
	all := make([]int32, 2*far)
	errs = append(errs, x.AllGather(types.Of(fill(c, 2)), types.Of(all)), record(c, "all %v", all))
	d, err := x.Dup()
	if err != nil {
		return err
	}
	m, err := d.IntercommMerge(side == 1)
	if err != nil {
		return err
	}
	return errors.Join(append(errs, about(c, "merged", m), m.Free(), d.Free(), x.Free(), half.Free())...)
}

// concat of pairs {a, b} is their product as matrices would have it: it does not
// commute.
var concat = comm.NewOp("concat", func(in, inout types.Buffer) error {
	a, b := in.Mem(), inout.Mem()
	for i := 0; i+1 < len(b); i += 2 {
		b[i], b[i+1] = a[i]*b[i], a[i]*b[i+1]+a[i+1]
	}
	return nil
})

// operations reduces by every predefined operation and by one of the program, on
// datatypes of several kinds.
func operations(_ context.Context, c *comm.Comm) error {
	me := c.Rank()
	for _, op := range []*comm.Op{comm.Sum, comm.Prod, comm.Max, comm.Min, comm.LAnd, comm.LOr, comm.LXor, comm.BAnd, comm.BOr, comm.BXor} {
		x := []uint32{uint32(me), uint32(me + 1), 6 >> me, 0}
		y := make([]uint32, 4)
		if err := c.AllReduce(types.Of(x), types.Of(y), op); err != nil {
			return fmt.Errorf("%v: %w", op, err)
		}
		if err := record(c, "%v %v", op, y); err != nil {
			return err
		}
	}
	pair := types.Raw([]byte{byte(5 - me), 0, 0, 0, byte(me), 0, 0, 0}, 1, types.TwoInt)
	out := make([]byte, 8)
	err := c.AllReduce(pair, types.Raw(out, 1, types.TwoInt), comm.MinLoc)
	z := complex(float64(me), 1)
	sum := make([]complex128, 1)
	err = errors.Join(err, record(c, "MinLoc %v", out), c.AllReduce(types.Of([]complex128{z}), types.Of(sum), comm.Prod), record(c, "%v", sum))
	two := types.Contiguous(2, types.Byte)
	m := []byte{byte(me + 1), byte(me + 3), 2, byte(me)}
	r := make([]byte, 4)
	err = errors.Join(err, c.AllReduce(types.Raw(m, 2, two), types.Raw(r, 2, two), concat), record(c, "concat %v", r))
	err = errors.Join(err, c.Scan(types.Raw(m, 2, two), types.Raw(r, 2, two), concat), record(c, "scan %v", r))
	q, e := c.IReduce(types.Raw(m, 2, two), types.Raw(r, 2, two), concat, 0)
	if e == nil {
		_, e = q.Wait()
	}
	return errors.Join(err, e, record(c, "reduce %v", r))
}

// bools sends bytes that are not valid bools to a receiver of bools.
func bools(_ context.Context, c *comm.Comm) error {
	if c.Rank() == 0 {
		return c.Send(types.Raw([]byte{0, 1, 1}, 3, types.Bool), 1, 0)
	}
	got := make([]bool, 3)
	_, err := c.Recv(types.Of(got), 0, 0)
	return errors.Join(err, same("bools", slices.Equal(got, []bool{false, true, true}), true))
}

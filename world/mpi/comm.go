package mpi

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/types"
)

// A comm is a communicator of the library.
type comm struct {
	w         *world
	h         handle
	rank      int
	size, far int // far is -1 with one group
	members   []int
	remote    []int
}

func (w *world) comm(h handle) *comm {
	var far C.int
	n := C.cw_comm_size(h, &far)
	return &comm{w: w, h: h, rank: int(C.cw_comm_rank(h)), size: int(n), far: int(far)}
}

func (c *comm) Rank() int { return c.rank }

// Members returns the ranks in the world.
func (c *comm) Members() []int {
	if c.members == nil {
		c.members = c.inWorld(0, c.size)
	}
	return c.members
}

// Remote returns the ranks of the remote group in the world.
func (c *comm) Remote() []int {
	if c.remote == nil && c.far >= 0 {
		c.remote = c.inWorld(1, c.far)
	}
	return c.remote
}

func (c *comm) inWorld(far C.int, n int) []int {
	list := make([]C.int, n)
	C.cw_members(c.h, far, C.int(n), first(list))
	out := make([]int, n)
	for i, r := range list {
		out[i] = int(r)
	}
	return out
}

// Free frees the communicator.
func (c *comm) Free() error { return c.w.check("MPI_Comm_free", C.cw_comm_free(c.h)) }

var sendNames = [...]string{"MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend"}

// Send sends a message and waits.
func (c *comm) Send(m engine.Mode, b types.Buffer, dst, tag int) error {
	p, err := c.w.piece(b)
	if err != nil {
		return err
	}
	code := C.cw_send(C.int(m), p.base, p.off, p.n, p.t, C.int(dst), C.int(tag), c.h)
	p.done()
	if code != 0 {
		return c.w.check(sendNames[m], code)
	}
	return nil
}

// Recv receives a message and waits.
func (c *comm) Recv(b types.Buffer, src, tag int) (engine.Status, error) {
	p, err := c.w.piece(b)
	if err != nil {
		return engine.Status{}, err
	}
	code := C.cw_recv(p.base, p.off, p.n, p.t, C.int(src), C.int(tag), c.h, c.w.st)
	p.done()
	return c.w.status(), c.w.check("MPI_Recv", code)
}

// StartSend starts to send.
func (c *comm) StartSend(m engine.Mode, b types.Buffer, dst, tag int) (engine.Request, error) {
	q, p, err := c.w.begin(sendNames[m], b)
	if err != nil {
		return nil, err
	}
	code := C.cw_isend(C.int(m), p.base, p.off, p.n, p.t, C.int(dst), C.int(tag), c.h, c.w.out)
	return q.started(code)
}

// StartRecv starts to receive.
func (c *comm) StartRecv(b types.Buffer, src, tag int) (engine.Request, error) {
	q, p, err := c.w.begin("MPI_Irecv", b)
	if err != nil {
		return nil, err
	}
	code := C.cw_irecv(p.base, p.off, p.n, p.t, C.int(src), C.int(tag), c.h, c.w.out)
	return q.started(code)
}

// started returns q after its call has returned code and stored a request in the world's
// memory for results.
func (q *request) started(code C.int) (engine.Request, error) {
	if code != 0 {
		return nil, q.release(code)
	}
	return q.start(*q.w.out), nil
}

// A message is a message that a matching probe has taken.
type message struct {
	w *world
	h handle
}

// Receive starts to receive the message.
func (m *message) Receive(b types.Buffer) (engine.Request, error) {
	q, p, err := m.w.begin("MPI_Imrecv", b)
	if err != nil {
		return nil, err
	}
	return q.started(C.cw_imrecv(p.base, p.off, p.n, p.t, m.h, m.w.out))
}

// Probe looks for a message.
func (c *comm) Probe(src, tag int, wait, claim bool) (engine.Status, engine.Message, bool, error) {
	w := C.int(0)
	if wait {
		w = 1
	}
	if !claim {
		code := C.cw_probe(w, C.int(src), C.int(tag), c.h, c.w.st)
		return c.w.status(), nil, c.w.st.flag != 0, c.w.check("MPI_Probe", code)
	}
	code := C.cw_mprobe(w, C.int(src), C.int(tag), c.h, c.w.out, c.w.st)
	return c.w.status(), &message{c.w, *c.w.out}, c.w.st.flag != 0, c.w.check("MPI_Mprobe", code)
}

// Make takes part in making a communicator.
func (c *comm) Make(m *engine.Making) (engine.Comm, engine.Request, error) {
	if m.Starts {
		return c.idup()
	}
	name, code, err := c.make(m)
	if err != nil {
		return nil, nil, err
	}
	if err := c.w.check(name, code); err != nil {
		return nil, nil, err
	}
	if *c.w.out == 0 {
		return nil, nil, nil
	}
	return c.w.comm(*c.w.out), nil, nil
}

func (c *comm) make(m *engine.Making) (name string, code C.int, err error) {
	out := c.w.out
	*out = 0
	switch m.Routine {
	case "Dup":
		return "MPI_Comm_dup", C.cw_dup(c.h, out), nil
	case "Split", "SplitType":
		return "MPI_Comm_split", C.cw_split(c.h, C.int(m.Color), C.int(m.Key), out), nil
	case "Create":
		list := cints(m.Members)
		return "MPI_Comm_create", C.cw_create(c.h, C.int(len(list)), first(list), out), nil
	case "CreateGroup":
		list := cints(m.Members)
		return "MPI_Comm_create_group", C.cw_create_group(c.h, C.int(len(list)), first(list), C.int(m.Tag), out), nil
	case "IntercommCreate":
		var peer handle
		if p, ok := m.Peer.(*comm); ok {
			peer = p.h
		}
		return "MPI_Intercomm_create", C.cw_intercomm(c.h, C.int(m.LocalLeader), peer, C.int(m.Remote), C.int(m.Tag), out), nil
	case "IntercommMerge":
		return "MPI_Intercomm_merge", C.cw_merge(c.h, cbool(m.High), out), nil
	case "CartCreate":
		var dims, periods []C.int
		for _, d := range m.Dims {
			dims, periods = append(dims, C.int(d.Size)), append(periods, cbool(d.Periodic))
		}
		return "MPI_Cart_create", C.cw_cart(c.h, C.int(len(dims)), first(dims), first(periods), cbool(m.Reorder), out), nil
	case "CartSub":
		var remain []C.int
		for _, r := range m.Remain {
			remain = append(remain, cbool(r))
		}
		return "MPI_Cart_sub", C.cw_cart_sub(c.h, first(remain), out), nil
	}
	return c.makeGraph(m)
}

func (c *comm) makeGraph(m *engine.Making) (name string, code C.int, err error) {
	out, reorder, weighed := c.w.out, cbool(m.Reorder), cbool(m.Weighed)
	switch m.Routine {
	case "GraphCreate":
		var index, edges []C.int
		for _, peers := range m.Graph {
			edges = append(edges, cints(peers)...)
			index = append(index, C.int(len(edges)))
		}
		return "MPI_Graph_create", C.cw_graph(c.h, C.int(len(index)), first(index), first(edges), reorder, out), nil
	case "DistGraphCreateAdjacent":
		var in, inw, dst, dstw []C.int
		for _, e := range m.In {
			in, inw = append(in, C.int(e.From)), append(inw, C.int(e.Weight))
		}
		for _, e := range m.Out {
			dst, dstw = append(dst, C.int(e.To)), append(dstw, C.int(e.Weight))
		}
		return "MPI_Dist_graph_create_adjacent", C.cw_dist_adjacent(c.h, C.int(len(in)), first(in), first(inw),
			C.int(len(dst)), first(dst), first(dstw), weighed, reorder, out), nil
	case "DistGraphCreate":
		var from, degrees, to, weights []C.int
		for _, e := range m.Edges {
			from, degrees, to, weights = append(from, C.int(e.From)), append(degrees, 1), append(to, C.int(e.To)), append(weights, C.int(e.Weight))
		}
		return "MPI_Dist_graph_create", C.cw_dist(c.h, C.int(len(from)), first(from), first(degrees), first(to), first(weights), weighed, reorder, out), nil
	}
	return "", 0, &engine.Error{Library: c.w.library, Call: m.Routine, Class: errclass.Other, Text: "this engine does not make communicators so"}
}

// idup starts to duplicate the communicator. The library writes the new handle when the
// request completes, so the handle is in C's memory.
func (c *comm) idup() (engine.Comm, engine.Request, error) {
	room := (*C.cw_h)(C.calloc(1, C.sizeof_cw_h))
	q := &request{w: c.w, call: "MPI_Comm_idup"}
	code := C.cw_idup(c.h, room, c.w.out)
	if code != 0 {
		C.free(unsafe.Pointer(room))
		return nil, nil, q.release(code)
	}
	d := &comm{w: c.w, rank: c.rank, size: c.size, far: c.far, members: c.Members(), remote: c.Remote()}
	q.made = func(err error) error {
		defer C.free(unsafe.Pointer(room))
		if err == nil {
			err = c.w.check("MPI_Comm_idup", C.cw_idup_done(room, c.w.out))
			d.h = *c.w.out
		}
		return err
	}
	return d, q.start(*c.w.out), nil
}

// Neighbors returns the edges of this rank.
func (c *comm) Neighbors() (in, out []engine.Edge, err error) {
	var nin, nout, weighed C.int
	if err := c.w.check("MPI_Dist_graph_neighbors_count", C.cw_degrees(c.h, &nin, &nout, &weighed)); err != nil {
		return nil, nil, err
	}
	src, srcw, dst, dstw := make([]C.int, nin), make([]C.int, nin), make([]C.int, nout), make([]C.int, nout)
	code := C.cw_neighbors(c.h, nin, first(src), first(srcw), nout, first(dst), first(dstw))
	if err := c.w.check("MPI_Dist_graph_neighbors", code); err != nil {
		return nil, nil, err
	}
	weight := func(list []C.int, i int) int {
		if weighed == 0 {
			return 0
		}
		return int(list[i])
	}
	for i, r := range src {
		in = append(in, engine.Edge{From: int(r), To: c.rank, Weight: weight(srcw, i)})
	}
	for i, r := range dst {
		out = append(out, engine.Edge{From: c.rank, To: int(r), Weight: weight(dstw, i)})
	}
	return in, out, nil
}

func cints(list []int) []C.int {
	out := make([]C.int, len(list))
	for i, v := range list {
		out[i] = C.int(v)
	}
	return out
}

func cbool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

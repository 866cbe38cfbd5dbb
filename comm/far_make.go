package comm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/engine"
)

// borrowed is a communicator of an engine that another owner frees.
type borrowed struct{ engine.Comm }

func (borrowed) Free() error { return nil }

// nativeCore returns the core for a communicator of an engine.
func (u *universe) nativeCore(n engine.Comm, name string) *core {
	k := u.newCore(membersOf(numbers(n.Members())), name)
	k.native = n
	if far := n.Remote(); far != nil {
		k.inter = &inter{far: membersOf(numbers(far)), sides: &[2]*core{k, k}}
	}
	return k
}

func numbers(ranks []int) []int32 {
	list := make([]int32, len(ranks))
	for i, r := range ranks {
		list[i] = int32(r)
	}
	return list
}

// makeNative makes a communicator by the engine.
func (c *Comm) makeNative(r *routine, m *communicator) (*Comm, error) {
	title := m.title(r)
	if c.core.inter != nil && r != dup && r != split && r != create && m.fault == nil {
		m.fault = c.oneGroup(title)
	}
	if m.fault != nil {
		return nil, c.fail(title, m.fault)
	}
	if r == dupFor { // the library makes its own duplicate
		m.core, m.rank = c.proc.univ.nativeCore(borrowed{c.core.native}, c.core.name), c.rank
		return c.inherit(m), nil
	}
	made, err := c.madeBy(&engine.Making{
		Routine: r.name, Color: m.color, Key: m.key, Members: m.group.numbers(), Remain: m.remain, Reorder: m.reorder,
		Dims: dimsOf(m.topo), Graph: graphOf(m.topo), In: edgesIn(m.topo, c.rank), Out: edgesOut(m.topo, c.rank), Edges: edgesOf(m.edges), Weighed: weighed(m.topo),
	}, m, title, strings.ToLower(r.name)+" of "+c.core.name)
	if made != nil && err == nil && r == distCreate {
		err = made.learnEdges(title)
	}
	return made, err
}

// madeBy returns a handle on the communicator that the engine makes, nil if this rank is
// not a member.
func (c *Comm) madeBy(how *engine.Making, m *communicator, title, name string) (*Comm, error) {
	n, _, err := c.core.native.Make(how)
	if err != nil {
		return nil, c.fail(title, refused(err))
	}
	if n == nil {
		return nil, nil
	}
	m.core, m.rank = c.proc.univ.nativeCore(n, name), n.Rank()
	return c.inherit(m), nil
}

// learnEdges asks the engine for the edges that other ranks gave.
func (c *Comm) learnEdges(title string) error {
	in, out, err := c.core.native.Neighbors()
	if err != nil {
		return c.fail(title, refused(err))
	}
	n := c.more().topo.(*Neighborhood)
	for _, e := range in {
		n.Sources = append(n.Sources, Neighbor{e.From, e.Weight})
	}
	for _, e := range out {
		n.Destinations = append(n.Destinations, Neighbor{e.To, e.Weight})
	}
	return nil
}

func (g *Group) numbers() []int {
	list := make([]int, g.Size())
	for i := range list {
		list[i] = g.world(i)
	}
	return list
}

func (c *Comm) groupNative(op string, g *Group, tag int) (*Comm, error) {
	how := &engine.Making{Routine: op, Members: g.numbers(), Tag: tag}
	return c.madeBy(how, new(communicator), op, "group of "+c.core.name)
}

func (c *Comm) intercommNative(ask *communicator, peer *Comm, remote int) (*Comm, error) {
	op := interAsk.name
	if ask.fault != nil {
		return nil, c.fail(op, ask.fault)
	}
	how := &engine.Making{Routine: op, LocalLeader: ask.color, Tag: ask.key, Remote: remote}
	if c.rank == ask.color {
		how.Peer = peer.core.native
	}
	return c.madeBy(how, new(communicator), op, "intercomm of "+c.core.name)
}

func (c *Comm) mergeNative(op string, high bool) (*Comm, error) {
	how := &engine.Making{Routine: op, High: high}
	return c.madeBy(how, new(communicator), op, "merge of "+c.core.name)
}

// dupNative starts to make a duplicate.
func (c *Comm) dupNative(k *call) *fault {
	n, r, err := c.core.native.Make(&engine.Making{Routine: dup.name, Starts: true})
	if err != nil {
		return refused(err)
	}
	k.made.core, k.made.rank = c.core.native0(c.proc.univ, n), c.rank
	k.native = r
	return nil
}

// native0 returns the core of a duplicate that is not yet complete: its ranks are those of
// k.
func (k *core) native0(u *universe, n engine.Comm) *core {
	d := u.newCore(k.members, fmt.Sprintf("dup of %s", k.name))
	d.native, d.inter = n, k.inter
	return d
}

func dimsOf(t topology) (dims []engine.Dim) {
	g, _ := t.(grid)
	for _, d := range g {
		dims = append(dims, engine.Dim{Size: d.Size, Periodic: d.Periodic})
	}
	return dims
}

func graphOf(t topology) [][]int {
	a, _ := t.(adjacency)
	return slices.Clone(a)
}

func weighed(t topology) bool {
	n, ok := t.(*Neighborhood)
	return ok && n.Weighted
}

func edgesIn(t topology, me int) (edges []engine.Edge) {
	if n, ok := t.(*Neighborhood); ok {
		for _, e := range n.Sources {
			edges = append(edges, engine.Edge{From: e.Rank, To: me, Weight: e.Weight})
		}
	}
	return edges
}

func edgesOut(t topology, me int) (edges []engine.Edge) {
	if n, ok := t.(*Neighborhood); ok {
		for _, e := range n.Destinations {
			edges = append(edges, engine.Edge{From: me, To: e.Rank, Weight: e.Weight})
		}
	}
	return edges
}

func edgesOf(list []DistEdge) (edges []engine.Edge) {
	for _, e := range list {
		edges = append(edges, engine.Edge(e))
	}
	return edges
}

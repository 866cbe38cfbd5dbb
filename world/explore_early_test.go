package world_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A round is a program: the operations of each rank, which reads and writes one shared word
// and calls collectives. Each rank has one value, at first its number + 1. It writes and
// sends the value, and replaces it by each value that it reads or receives.
type round [][]roundOp

type roundOp struct {
	kind string // read, write, wait, or a collective
	root int
	late bool // a started collective: a wait follows some operations later
	kept bool // a collective of a persistent request
	cut  int  // between two groups, of which the first has so many ranks; 0: of all ranks
}

var (
	roundKinds  = []string{"bcast", "scatter", "gather", "reduce", "scan", "exscan", "barrier"}
	acrossKinds = []string{"bcast", "scatter", "gather", "reduce", "barrier"}
)

func drawRound(seed uint64) round {
	rnd := rand.New(rand.NewPCG(seed, 7))
	p := make(round, 2+rnd.IntN(2))
	kinds, cut := roundKinds, 0
	if rnd.IntN(3) == 0 {
		kinds, cut = acrossKinds, 1+rnd.IntN(len(p)-1)
	}
	for range 1 + rnd.IntN(3) {
		o := roundOp{kind: kinds[rnd.IntN(len(kinds))], root: rnd.IntN(len(p)), late: rnd.IntN(3) == 0, kept: rnd.IntN(3) == 0, cut: cut}
		for i := range p {
			access := roundOp{kind: []string{"read", "write"}[rnd.IntN(2)]}
			switch rnd.IntN(3) {
			case 0:
				p[i] = append(p[i], access)
			case 1:
				if o.late {
					p[i] = append(p[i], o, access, roundOp{kind: "wait"})
					continue
				}
			}
			p[i] = append(p[i], o)
			if o.late {
				p[i] = append(p[i], roundOp{kind: "wait"})
			}
		}
	}
	for i := range p {
		if rnd.IntN(2) == 0 {
			p[i] = append(p[i], roundOp{kind: []string{"read", "write"}[rnd.IntN(2)]})
		}
	}
	return p
}

// setup is p for Explore; the outcome is what each rank read and received.
func (p round) setup() (program, func() any) {
	word, logs := 0, make([][]int, len(p))
	return func(_ context.Context, c *comm.Comm) (err error) {
		me, n, x := c.Rank(), c.Size(), c.Rank()+1
		kept := map[roundOp]*keptCall{}
		on, err := p.prepare(c, kept)
		if err != nil {
			return err
		}
		var q *comm.Request
		var take func()
		got := func(v int) { x = v; logs[me] = append(logs[me], v) }
		access := func(write bool, do func()) error {
			err := port.Thread(c).Hold(named("access"), sched.Held{Object: 1, Write: write})
			do()
			return err
		}
		for _, o := range p[me] {
			var err error
			switch o.kind {
			case "read":
				err = access(false, func() { got(word) })
			case "write":
				err = access(true, func() { word = x })
			case "wait":
				if _, err = q.Wait(); err == nil {
					take()
				}
			default:
				k := kept[o.request()]
				if k == nil {
					k = &keptCall{send: make([]int32, n), recv: make([]int32, n)}
				}
				send, recv := k.send, k.recv
				for i := range send {
					send[i], recv[i] = int32(x), 0
				}
				switch {
				case k.q == nil:
					q, err = o.call(on, me, send, recv)
				case o.late:
					q, err = k.q, k.q.Start()
				default:
					if err = k.q.Start(); err == nil {
						_, err = k.q.Wait()
					}
				}
				take = func() {
					send[0], send[n-1] = -1, -1 // no rank may look at it any more
					if v := o.value(me, n, recv); v >= 0 {
						got(v)
					}
				}
				if err == nil && !o.late {
					take()
				}
			}
			if err != nil {
				return err
			}
		}
		for _, o := range p[me] {
			if k := kept[o.request()]; k != nil {
				delete(kept, o.request())
				err = errors.Join(err, k.q.Free())
			}
		}
		return err
	}, func() any { return fmt.Sprint(logs) }
}

// A keptCall is a persistent request and its buffers.
type keptCall struct {
	q          *comm.Request
	send, recv []int32
}

// request is o as a key of its persistent request, which several operations start.
func (o roundOp) request() roundOp {
	o.late = false
	return o
}

// prepare makes the communicator that p is about, and its persistent requests.
func (p round) prepare(c *comm.Comm, kept map[roundOp]*keptCall) (on *comm.Comm, err error) {
	on = c
	if cut := p.cut(); cut > 0 {
		first := c.Rank() < cut
		color, leader := 0, cut
		if !first {
			color, leader = 1, 0
		}
		part, err := c.Split(color, 0)
		if err != nil {
			return nil, err
		}
		if on, err = part.IntercommCreate(0, c, leader, 0); err != nil {
			return nil, err
		}
	}
	for _, o := range p[c.Rank()] {
		if o = o.request(); !o.kept || kept[o] != nil {
			continue
		}
		k := &keptCall{send: make([]int32, c.Size()), recv: make([]int32, c.Size())}
		if k.q, err = o.call(on, c.Rank(), k.send, k.recv); err != nil {
			return nil, err
		}
		kept[o] = k
	}
	return on, nil
}

func (p round) cut() int {
	for _, o := range p[0] {
		if o.cut > 0 {
			return o.cut
		}
	}
	return 0
}

// call makes the collective; it returns a request if that is started or persistent.
func (o roundOp) call(c *comm.Comm, me int, send, recv []int32) (*comm.Request, error) {
	root, peers := o.root, c.Size()
	if o.cut > 0 {
		peers, _ = c.RemoteSize()
		switch {
		case me == o.root:
			root = comm.Root
		case o.near(me, o.root):
			root = comm.ProcNull
		case o.root >= o.cut:
			root -= o.cut
		}
	}
	one, all, part, whole := types.Of(send[:1]), types.Of(send[:peers]), types.Of(recv[:1]), types.Of(recv[:peers])
	if o.kind == "bcast" && me == o.root {
		part = one
	}
	// pick calls the form that o wants.
	pick := func(wait func() error, start, keep func() (*comm.Request, error)) (*comm.Request, error) {
		switch {
		case o.kept:
			return keep()
		case o.late:
			return start()
		}
		return nil, wait()
	}
	switch o.kind {
	case "bcast":
		return pick(func() error { return c.Bcast(part, root) },
			func() (*comm.Request, error) { return c.IBcast(part, root) },
			func() (*comm.Request, error) { return c.BcastInit(part, root) })
	case "scatter":
		return pick(func() error { return c.Scatter(all, part, root) },
			func() (*comm.Request, error) { return c.IScatter(all, part, root) },
			func() (*comm.Request, error) { return c.ScatterInit(all, part, root) })
	case "gather":
		return pick(func() error { return c.Gather(one, whole, root) },
			func() (*comm.Request, error) { return c.IGather(one, whole, root) },
			func() (*comm.Request, error) { return c.GatherInit(one, whole, root) })
	case "reduce":
		return pick(func() error { return c.Reduce(one, part, comm.Sum, root) },
			func() (*comm.Request, error) { return c.IReduce(one, part, comm.Sum, root) },
			func() (*comm.Request, error) { return c.ReduceInit(one, part, comm.Sum, root) })
	case "scan":
		return pick(func() error { return c.Scan(one, part, comm.Sum) },
			func() (*comm.Request, error) { return c.IScan(one, part, comm.Sum) },
			func() (*comm.Request, error) { return c.ScanInit(one, part, comm.Sum) })
	case "exscan":
		return pick(func() error { return c.ExScan(one, part, comm.Sum) },
			func() (*comm.Request, error) { return c.IExScan(one, part, comm.Sum) },
			func() (*comm.Request, error) { return c.ExScanInit(one, part, comm.Sum) })
	}
	return pick(c.Barrier, c.IBarrier, c.BarrierInit)
}

// near reports whether two ranks are in one group.
func (o roundOp) near(a, b int) bool { return a < o.cut == (b < o.cut) }

// value returns the value that a rank computes from the received ones, -1 if it received
// none.
func (o roundOp) value(me, n int, recv []int32) int {
	switch {
	case o.cut > 0 && me != o.root && o.near(me, o.root), o.cut > 0 && o.kind == "scatter" && me == o.root:
		return -1
	case o.kind == "bcast" && me != o.root, o.kind == "scatter", o.kind == "reduce" && me == o.root, o.kind == "scan", o.kind == "exscan" && me > 0:
		return int(recv[0])
	case o.kind == "gather" && me == o.root:
		v := 0
		for _, x := range recv {
			v = (10*v + int(x)) % 100_003
		}
		return v
	}
	return -1
}

// sources are the ranks that a rank has to wait for.
func (o roundOp) sources(me, n int) (from []int) {
	for s := range n {
		switch o.kind {
		case "bcast", "scatter":
			if s != o.root || o.cut > 0 && o.near(me, s) {
				continue
			}
		case "gather", "reduce":
			if me != o.root || o.cut > 0 && o.near(me, s) {
				continue
			}
		case "scan", "exscan":
			if s > me {
				continue
			}
		}
		from = append(from, s)
	}
	return from
}

// A roundState is one state of a machine in which a collective consists of messages: each
// rank sends its value when it comes, and waits for those it needs.
type roundState struct {
	Word            int
	PC, X, At, Open []int // Open: the place of a collective that was begun and not ended, or -1
	Sent            [][]int
	Logs            [][]int
}

func (p round) ends() []string {
	ends, seen := map[string]bool{}, map[string]bool{}
	n := len(p)
	var visit func(s roundState)
	visit = func(s roundState) {
		key := fmt.Sprint(s)
		if seen[key] {
			return
		}
		seen[key] = true
		moved := false
		for r := range n {
			open := s.Open[r] >= 0
			if s.PC[r] == len(p[r]) && !open {
				continue
			}
			c := roundState{s.Word, slices.Clone(s.PC), slices.Clone(s.X), slices.Clone(s.At), slices.Clone(s.Open), deepInts(s.Sent), deepInts(s.Logs)}
			got := func(v int) { c.X[r] = v; c.Logs[r] = append(c.Logs[r], v) }
			end := func() bool { // of the open collective
				o, k := p[r][s.Open[r]], s.At[r]-1
				recv := make([]int32, n)
				for _, f := range o.sources(r, n) {
					if len(s.Sent[f]) <= k {
						return false
					}
				}
				switch o.kind {
				case "bcast", "scatter":
					for _, f := range o.sources(r, n) {
						recv[0] = int32(s.Sent[f][k])
					}
				case "gather":
					for i, f := range o.sources(r, n) {
						recv[i] = int32(s.Sent[f][k])
					}
				default:
					for _, f := range o.sources(r, n) {
						if o.kind != "exscan" || f < r {
							recv[0] += int32(s.Sent[f][k])
						}
					}
				}
				if v := o.value(r, n, recv); v >= 0 {
					got(v)
				}
				c.Open[r] = -1
				return true
			}
			if open && !p[r][s.Open[r]].late {
				if end() {
					moved = true
					visit(c)
				}
				continue
			}
			switch o := p[r][s.PC[r]]; o.kind {
			case "read":
				got(s.Word)
			case "write":
				c.Word = s.X[r]
			case "wait":
				if !end() {
					continue
				}
			default:
				c.Sent[r] = append(c.Sent[r], s.X[r])
				c.Open[r] = s.PC[r]
				c.At[r]++
			}
			c.PC[r]++
			moved = true
			visit(c)
		}
		if !moved {
			ends[fmt.Sprint(s.Logs)] = true
		}
	}
	s := roundState{PC: make([]int, n), X: make([]int, n), At: make([]int, n), Open: make([]int, n), Sent: make([][]int, n), Logs: make([][]int, n)}
	for r := range n {
		s.X[r], s.Open[r] = r+1, -1
	}
	visit(s)
	all := []string{}
	for e := range ends {
		all = append(all, e)
	}
	slices.Sort(all)
	return all
}

func deepInts(l [][]int) (c [][]int) {
	for _, x := range l {
		c = append(c, slices.Clone(x))
	}
	return c
}

// If a rank waited in a collective longer than necessary, an exploration would be reported
// as complete although it misses outcomes of libraries in which the rank returns earlier.
func TestExploreEarlyReturns(t *testing.T) {
	ends, redundant := 0, 0
	for i := range programs(t, 1500) {
		p := drawRound(i)
		x, err := world.Explore(t.Context(), len(p), func() (program, func() any) { return p.setup() })
		require.NoError(t, err, "program %d: %v", i, p)
		require.True(t, x.Complete)
		got := []string{}
		for _, o := range x.Outcomes {
			require.NoError(t, o.Err, "program %d: %v", i, p)
			got = append(got, fmt.Sprint(o.Value))
		}
		slices.Sort(got)
		require.Equal(t, p.ends(), got, "program %d: %v", i, p)
		ends, redundant = ends+len(got), redundant+x.Redundant
	}
	t.Logf("%d ends, %d runs given up", ends, redundant)
}

// The root's actions after its call come before or after the actions of others before
// theirs.
func TestExploreEarlyReturnOfRoot(t *testing.T) {
	for _, row := range []struct {
		name string
		call roundOp
	}{
		{"COLL-01 Bcast", roundOp{kind: "bcast", root: 1}},
		{"COLL-02 BcastInit", roundOp{kind: "bcast", root: 1, kept: true}},
		{"COMM-02 Bcast between two groups", roundOp{kind: "bcast", root: 1, cut: 1}},
		{"COMM-02 ScatterInit between two groups", roundOp{kind: "scatter", root: 1, kept: true, cut: 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := round{{{kind: "read"}, row.call}, {row.call, {kind: "write"}}}
			x, err := world.Explore(t.Context(), 2, func() (program, func() any) { return p.setup() })
			require.NoError(t, err)
			read := map[any]bool{}
			for _, o := range x.Outcomes {
				require.NoError(t, o.Err)
				read[o.Value] = true
			}
			assert.True(t, x.Complete)
			assert.Equal(t, map[any]bool{"[[0 2] []]": true, "[[2 2] []]": true}, read, "rank 0 reads before or after the write")
		})
	}
}

// A rank that has left a collective early still gets the error, or waits
// for the rank that never comes.
func TestExploreEarlyErrors(t *testing.T) {
	for _, row := range []struct {
		name, want string
		body       program
	}{
		{"COLL-01 another length", "what rank 1 sends is not what rank 0 receives", func(_ context.Context, c *comm.Comm) error {
			return c.Bcast(types.Of(make([]int32, 2-c.Rank())), 1)
		}},
		{"GEN-05 another root", "roots differ: rank 0 gave 0, rank 1 gave 1", func(_ context.Context, c *comm.Comm) error {
			return c.Bcast(num(1), c.Rank())
		}},
		{"GEN-05 another root, started", "roots differ: rank 0 gave 0, rank 1 gave 1", func(_ context.Context, c *comm.Comm) error {
			q, err := c.IBcast(num(1), c.Rank())
			if err == nil {
				_, err = q.Wait()
			}
			return err
		}},
		{"GEN-06 another call", "rank 0 in Barrier (explore_early_test.go:471), rank 1 in Bcast", func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 0 {
				return c.Barrier()
			}
			return c.Bcast(num(1), 1)
		}},
		{"COLL-02 a rank never starts", "rank 1: waits in BcastInit (1st collective) on COMM_WORLD", func(_ context.Context, c *comm.Comm) error {
			q, err := c.BcastInit(num(1), 1)
			if err == nil && c.Rank() == 1 {
				if err = q.Start(); err == nil {
					_, err = q.Wait()
				}
			}
			return errors.Join(err, q.Free())
		}},
		{"COMM-02 another length between two groups", "what rank 0 of one group sends is not what rank 0 of the other receives", func(_ context.Context, c *comm.Comm) error {
			across, err := c.Self().IntercommCreate(0, c, 1-c.Rank(), 0)
			if err != nil {
				return err
			}
			return across.Bcast(types.Of(make([]int32, 1+c.Rank())), []int{comm.Root, 0}[c.Rank()])
		}},
		{"COMM-02 no root between two groups", "no rank gave Root", func(_ context.Context, c *comm.Comm) error {
			across, err := c.Self().IntercommCreate(0, c, 1-c.Rank(), 0)
			if err != nil {
				return err
			}
			return across.Gather(num(1), num(1), 0)
		}},
		{"COLL-01 a rank never comes", "rank 1: waits in Bcast (1st collective) on COMM_WORLD", func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 0 {
				return nil
			}
			return c.Bcast(num(1), 1)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			x, err := world.Explore(t.Context(), 2, func() (program, func() any) { return row.body, nil })
			require.NoError(t, err)
			require.Len(t, x.Outcomes, 1)
			assert.ErrorContains(t, x.Outcomes[0].Err, row.want)
			err = world.Run(t.Context(), 2, row.body, world.Replay(x.Outcomes[0].Witness))
			var run *world.RunError
			assert.True(t, errors.As(err, &run), "%v", err)
			assert.ErrorContains(t, err, row.want)
		})
	}
}

// If a rank leaves a collective early, the others must receive the same values as in a run
// in which all meet, for any form of the buffers.
func TestExploreEarlyValues(t *testing.T) {
	setup := func() (program, func() any) {
		logs := make([][]int32, 3)
		return func(_ context.Context, c *comm.Comm) error {
			me := int32(c.Rank())
			op := comm.NewOp("3a + b", func(in, inout types.Buffer) error { // it does not commute
				a, b := make([]byte, 8), make([]byte, 8)
				in.Pack(a, 0, c.Arch())
				inout.Pack(b, 0, c.Arch())
				for i := 0; i < 8; i += 4 {
					b[i] += 3 * a[i]
				}
				inout.Unpack(b, 0, c.Arch())
				return nil
			})
			note := func(v []int32) { logs[me] = append(logs[me], v...) }
			mem := make([]byte, 16)
			mem[0], mem[8] = byte(me+1), byte(me+2)
			in, out := types.Raw(mem, 2, types.Resized(types.Int32, 0, 8)), []int32{7, me}
			part, err := c.Split(int(min(me, 1)), 0)
			if err != nil {
				return err
			}
			across, err := part.IntercommCreate(0, c, int(1-min(me, 1)), 0)
			if err != nil {
				return err
			}
			root := 0 // rank 0 is the root between the groups
			if me == 0 {
				root = comm.Root
			}
			place := types.Of(out)
			if me == 1 {
				place = comm.InPlace
			}
			gathered := []int32{0, 0, 0, 9, 9, 9}
			kept, err := c.GatherInit(place, types.Of(gathered), 1)
			if me == 1 {
				copy(gathered[2:], out)
			}
			if err != nil {
				return err
			}
			scanned, err := c.ScanInit(in, types.Of(out), op)
			if err != nil {
				return err
			}
			started := func(q *comm.Request) error {
				if err := q.Start(); err != nil {
					return err
				}
				_, err := q.Wait()
				note(gathered)
				return err
			}
			for _, call := range []func() error{
				func() error { return c.Scan(in, types.Of(out), op) },
				func() error { return c.ExScan(in, types.Of(out), op) },
				func() error { return c.Reduce(in, types.Of(out), op, 1) },
				func() error { return c.Scan(comm.InPlace, types.Of(out), comm.Sum) },
				func() error {
					got := make([]int32, 4)
					err := c.GatherV(types.Of(out[:2-2*(me%2)]), types.Of(got), []int64{2, 0, 2}, nil, 2)
					note(got)
					return err
				},
				func() error {
					send, recv := types.Of([]int32{me, 5, 6}), types.Of(out[:1])
					if me == 1 {
						recv = comm.InPlace
					}
					return c.Scatter(send, recv, 1)
				},
				func() error { return c.Bcast(types.Of(out), 0) },
				func() error { return started(kept) },
				func() error { mem[0]++; return started(scanned) },
				func() error { mem[0]++; return started(scanned) },
				func() error { return started(kept) },
				func() error { return across.Reduce(in, types.Of(out), op, root) },
				func() error { return across.Reduce(types.Of([]int32{me + 1, 3 - me}), types.Of(out), comm.Max, root) },
				func() error {
					counts := []int64{0, 2}
					return across.ScatterV(types.Of([]int32{me, 5}), counts, nil, types.Of(out[:counts[max(0, me-1)]]), root)
				},
				func() error { return across.Gather(types.Of(out[:1]), types.Of(out), root) },
			} {
				if err := call(); err != nil {
					return err
				}
				note(out)
			}
			return errors.Join(kept.Free(), scanned.Free())
		}, func() any { return fmt.Sprint(logs) }
	}
	body, outcome := setup()
	require.NoError(t, world.Run(t.Context(), 3, body, world.Seed(1)))
	x, err := world.Explore(t.Context(), 3, setup)
	require.NoError(t, err)
	require.Len(t, x.Outcomes, 1)
	assert.NoError(t, x.Outcomes[0].Err)
	assert.Equal(t, outcome(), x.Outcomes[0].Value)
}

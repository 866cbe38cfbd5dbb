package machine_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/pattern"
)

func init() { thorough.Fewer() }

// program is the calls of each rank.
type program [][]machine.Call

func (p program) run(m machine.Machine, o machine.Options) (*machine.Report, error) {
	return machine.Run(context.Background(), m, machine.Program{
		Ranks: len(p), Calls: func(rank int) int { return len(p[rank]) }, Call: func(rank, i int) machine.Call { return p[rank][i] },
	}, o)
}

// wires is a machine of one rank a node whose messages take 3 s and 1 s for each 10 bytes.
func wires() machine.Machine {
	m := machine.Laptop()
	m.RanksPerNode, m.Network = 1, machine.Link{Latency: 1, Overhead: 1, Bandwidth: 10}
	return m
}

func compute(seconds float64) machine.Call {
	return machine.Call{Op: machine.Work, Seconds: seconds}
}

func TestMessages(t *testing.T) {
	send := func(to int, n, bytes int64) machine.Call {
		return machine.Call{Op: machine.Send, To: to, Number: n, Bytes: bytes}
	}
	receive := func(n int64) machine.Call { return machine.Call{Op: machine.Receive, Number: n} }
	r, err := program{{send(1, 1, 20)}, {receive(1)}}.run(wires(), machine.Options{})
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{3, 5}, r.Ends, 1e-12, "overhead and bytes; then latency and the overhead of the other end")
	assert.Equal(t, int64(20), r.Counts.Sent)

	r, err = program{{compute(10), send(1, 1, 0), receive(2)}, {receive(1), send(0, 2, 0)}}.run(wires(), machine.Options{})
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{16, 14}, r.Ends, 1e-12, "there and back")
	require.Len(t, r.Path, 3)
	for i, rank := range []int{0, 1, 0} {
		assert.Equal(t, rank, r.Path[i].Rank, "the critical path goes through both ranks")
	}

	r, err = program{{send(1, 1, 0)}, {compute(10), receive(1)}}.run(wires(), machine.Options{})
	require.NoError(t, err)
	assert.InDelta(t, 10, r.Ends[1], 1e-5, "a message that is there keeps no rank waiting")
	assert.Len(t, r.Path, 1)
}

func TestCollectives(t *testing.T) {
	all := func(kind machine.Kind, bytes int64, op machine.Op) machine.Call {
		return machine.Call{Op: op, Kind: kind, Bytes: bytes, Number: int64(kind) + 1}
	}
	ends := func(kind machine.Kind, bytes int64, late int) []float64 {
		p := make(program, 4)
		for rank := range p {
			if rank == late {
				p[rank] = append(p[rank], compute(100))
			}
			p[rank] = append(p[rank], all(kind, bytes, machine.Collective))
		}
		r, err := p.run(wires(), machine.Options{})
		require.NoError(t, err)
		return r.Ends
	}
	const tree = 2 * 3 // two steps of latency and two overheads
	assert.InDeltaSlice(t, []float64{100 + tree, 100 + tree, 100 + tree, 100 + tree}, ends(machine.Synchronize, 0, 3), 1e-9)
	assert.InDeltaSlice(t, []float64{4, 8, 8, 100}, ends(machine.Broadcast, 10, 3), 1e-9, "the root waits for no rank, and late ranks for none")
	assert.InDeltaSlice(t, []float64{104, 108, 108, 108}, ends(machine.Broadcast, 10, 0), 1e-9, "the others wait for the root")
	assert.InDeltaSlice(t, []float64{110, 2, 2, 102}, ends(machine.Gather, 10, 3), 1e-9, "the root waits for all")
	assert.InDeltaSlice(t, []float64{110, 110, 110, 110}, ends(machine.Allgather, 10, 3), 1e-9)

	p := program{}
	for range 2 { // computing between the halves of a call costs nothing more
		p = append(p, []machine.Call{all(machine.Allreduce, 0, machine.Start), compute(50), all(machine.Allreduce, 0, machine.Finish)})
	}
	r, err := p.run(wires(), machine.Options{})
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{51, 51}, r.Ends, 1e-9)
}

// Calls that never end are errors that name a rank and its call.
func TestCallsThatNeverEnd(t *testing.T) {
	group := &machine.Group{Ranks: []int{0, 1}}
	for text, p := range map[string]program{
		"rank 0 waits in receive for message 7, which no rank sends":                  {{{Op: machine.Receive, Number: 7}}, {}},
		"rank 1 waits in barrier for the other ranks of it, but 1 ranks have ended":   {{}, {{Op: machine.Collective, Number: 1, Group: group}}},
		"rank 0 makes barrier of a group in which it is not":                          {{{Op: machine.Collective, Number: 1, Group: &machine.Group{Ranks: []int{1}}}}, {}},
		"a group has rank 1, which is twice in it":                                    {{{Op: machine.Collective, Number: 1, Group: &machine.Group{Ranks: []int{1, 1}}}}, {}},
		"rank 0 sends to rank 2, of 2 ranks":                                          {{{Op: machine.Send, To: 2}}, {}},
		"rank 0 sends message 1, which was sent before":                               {{{Op: machine.Send, To: 1, Number: 1}, {Op: machine.Send, To: 1, Number: 1}}, {}},
		"ranks 0 and 1 both receive message 1":                                        {{{Op: machine.Receive, Number: 1}}, {{Op: machine.Receive, Number: 1}}},
		"rank 0 waits for bcast 3, which it has not started":                          {{{Op: machine.Finish, Number: 3, Kind: machine.Broadcast}}, {}},
		"ranks are in different calls of all ranks: rank 0 in gather of \"\", rank 1": {{{Op: machine.Collective, Number: 1, Kind: machine.Gather}}, {{Op: machine.Collective, Number: 1, Kind: machine.Reduce}}},
		"rank 0 makes a collective call of kind 99":                                   {{{Op: machine.Collective, Kind: 99}}, {}},
		"rank 0 makes send of -1 bytes":                                               {{{Op: machine.Send, Bytes: -1}}, {}},
	} {
		_, err := p.run(wires(), machine.Options{})
		require.ErrorIs(t, err, errclass.Arg)
		assert.ErrorContains(t, err, text)
	}
}

// A drawer draws a program in the order of one run, so the program ends.
type drawer struct {
	rt     *rapid.T
	p      program
	groups []*machine.Group
	number int64
	later  []func() // receives, and second halves
	sent   int64
	asked  int64
}

func (d *drawer) add(rank int, c machine.Call) { d.p[rank] = append(d.p[rank], c) }

func (d *drawer) step() {
	g := rapid.SampledFrom(d.groups).Draw(d.rt, "group")
	rank, bytes := rapid.IntRange(0, len(d.p)-1).Draw(d.rt, "rank"), rapid.Int64Range(0, 1<<20).Draw(d.rt, "bytes")
	d.number++
	n := d.number
	switch rapid.IntRange(0, 6).Draw(d.rt, "what") {
	case 0:
		d.add(rank, compute(float64(bytes)*1e-9))
	case 1:
		to := rapid.IntRange(0, len(d.p)-1).Draw(d.rt, "to")
		d.add(rank, machine.Call{Op: machine.Send, To: to, Number: n, Bytes: bytes})
		d.sent += bytes
		d.later = append(d.later, func() { d.add(to, machine.Call{Op: machine.Receive, Number: n}) })
	case 2, 3:
		c := machine.Call{
			Op: machine.Collective, Group: g, Number: n, Bytes: bytes, Root: rapid.SampledFrom(g.Ranks).Draw(d.rt, "root"),
			Kind: machine.Kind(rapid.IntRange(0, int(machine.Allreduce)).Draw(d.rt, "kind")),
		}
		if half := c; rapid.Bool().Draw(d.rt, "halves") {
			c.Op, half.Op = machine.Start, machine.Finish
			d.later = append(d.later, func() { d.together(g, half) })
		}
		d.together(g, c)
	case 4:
		d.together(g, machine.Call{Op: rapid.SampledFrom([]machine.Op{machine.Open, machine.Sync, machine.Close}).Draw(d.rt, "op"), File: "f", Group: g, Together: true})
	default:
		c := machine.Call{
			Op: rapid.SampledFrom([]machine.Op{machine.Read, machine.Write}).Draw(d.rt, "op"), File: "f", Group: g,
			Together: rapid.Bool().Draw(d.rt, "collective"),
		}
		for i, rank := range g.Ranks {
			c.Part = strategy.Part{At: extent.Flat(), From: int64(i) * bytes, N: bytes}
			d.add(rank, c)
			d.asked += bytes
		}
	}
	for len(d.later) > 0 && rapid.Bool().Draw(d.rt, "now") {
		d.end(rapid.IntRange(0, len(d.later)-1).Draw(d.rt, "which"))
	}
}

func (d *drawer) together(g *machine.Group, c machine.Call) {
	for _, rank := range g.Ranks {
		d.add(rank, c)
	}
}

func (d *drawer) end(i int) {
	d.later[i]()
	d.later = append(d.later[:i], d.later[i+1:]...)
}

// TestMessagesConserve runs messages, collectives and accesses of groups: the parts of
// each rank's time add up to all of it, the critical path is as long as the run, no time
// is below what the bytes take, and the same input gives the same report.
func TestMessagesConserve(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(rt, "ranks")
		d := &drawer{rt: rt, p: make(program, n)}
		for range rapid.IntRange(1, 3).Draw(rt, "groups") {
			ranks := rapid.Permutation(upTo(n)).Draw(rt, "order")
			d.groups = append(d.groups, &machine.Group{Ranks: ranks[:rapid.IntRange(1, n).Draw(rt, "members")]})
		}
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			d.step()
		}
		for len(d.later) > 0 {
			d.end(0)
		}
		m, o := drawMachine(rt), machine.Options{Strategy: rapid.SampledFrom([]strategy.Strategy{strategy.Direct{}, strategy.ROMIO, strategy.TwoPhase{Write: strategy.Enable}}).Draw(rt, "strategy")}
		r, err := d.p.run(m, o)
		require.NoError(rt, err)
		near := 1e-9 * (1 + r.Seconds)
		served := int64(0)
		for i := range r.Servers {
			served += r.Servers[i].Bytes
			require.GreaterOrEqual(rt, r.Seconds+near, float64(r.Servers[i].Bytes)/max(m.Server.Read, m.Server.Write))
		}
		require.Equal(rt, r.Bytes(), served)
		require.Equal(rt, d.asked, r.Counts.Useful)
		require.GreaterOrEqual(rt, r.Counts.Sent, d.sent)
		for rank := range r.Parts {
			require.InDelta(rt, r.Ends[rank], r.Parts[rank].Sum(), near, "rank %d", rank)
			require.LessOrEqual(rt, r.Ends[rank], r.Seconds+near)
			for _, x := range r.Parts[rank] {
				require.GreaterOrEqual(rt, x, -near)
			}
		}
		if r.Counts.Rounds == 0 { // aggregators of one round overlap
			sum := r.Critical()
			require.InDelta(rt, r.Ends[r.Slowest()], sum.Sum(), near)
		}
		again, err := d.p.run(m, o)
		require.NoError(rt, err)
		a, err := json.Marshal(r)
		require.NoError(rt, err)
		b, err := json.Marshal(again)
		require.NoError(rt, err)
		require.Equal(rt, string(a), string(b))
	})
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// A copied is a strategy of this package that plans collective accesses as two does, or loses
// bytes.
type copied struct {
	two   strategy.TwoPhase
	loses bool
}

func (copied) String() string { return "copied" }
func (c copied) With(h strategy.Hints) strategy.Strategy {
	return copied{c.two.With(h).(strategy.TwoPhase), c.loses}
}
func (copied) Check() error { return nil }
func (c copied) Together(p *strategy.Plan, parts []strategy.Part) bool {
	own, err := strategy.NewPlan(c.two, p.Write, true, parts)
	if err != nil || own.Rounds == 0 {
		return false
	}
	if p.Moves, p.Requests = own.Moves, own.Requests; c.loses {
		p.Moves = p.Moves[1:]
	}
	return true
}

// TestJointStrategyOfProgram: a strategy of the program would get another cost than the same
// strategy of this module.
func TestJointStrategyOfProgram(t *testing.T) {
	for _, line := range []string{"ior -w -c -t 4k -b 4k -s 8", "ior -r -c -t 4k -b 4k -s 8", "blocks -w --shape 64x64"} {
		for _, nodes := range []int{1, 3} {
			own := collective(nodes)
			want := cost(t, lustre(4, 4), line, 16, own)
			got := cost(t, lustre(4, 4), line, 16, machine.Options{Strategy: copied{two: own.Strategy.(strategy.TwoPhase)}})
			assert.Equal(t, want.Counts, got.Counts, line)
			assert.Equal(t, want.Seconds, got.Seconds, line)
			assert.Positive(t, want.Counts.Rounds)
		}
	}
	w, err := pattern.Parse("ior -w -c -t 4k -b 4k -s 8", 16)
	require.NoError(t, err)
	two := strategy.TwoPhase{Read: strategy.Enable, Write: strategy.Enable}
	_, err = machine.Run(t.Context(), lustre(4, 4), w.Program(), machine.Options{Strategy: copied{two, true}})
	assert.ErrorIs(t, err, errclass.Arg)
	assert.ErrorContains(t, err, "strategy copied: no move, or a wrong one, for packed byte 0")
}

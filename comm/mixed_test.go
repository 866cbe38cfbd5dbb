package comm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A jointAction is one step of a mixed program; all ranks make the steps in the order of the
// program. Operations that it starts may stay under way until any later step.
type jointAction struct {
	Kind    string // one of actionKinds
	Routine string // of a collective
	Form    int    // 0 waiting, 1 started, 2 persistent
	Items   int
	Root    int
	InPlace bool
	Starts  int // of a persistent one

	Src, Dst, Tag int // of a message, by ranks of the world
	Send          int // by which of sends
	Waits         bool
	Parts         [2]int // in which it is sent and received
}

func (d jointAction) String() string {
	switch d.Kind {
	case "collective", "neighbours", "groups":
		return fmt.Sprintf("%s %s form %d items %d root %d in place %v starts %d", d.Kind, d.Routine, d.Form, d.Items, d.Root, d.InPlace, d.Starts)
	case "parts":
		return fmt.Sprintf("%d->%d tag %d in %d parts, received in %d", d.Src, d.Dst, d.Tag, d.Parts[0], d.Parts[1])
	}
	return fmt.Sprintf("%s %d->%d tag %d items %d %s waits %v", d.Kind, d.Src, d.Dst, d.Tag, d.Items, sends[d.Send].name, d.Waits)
}

var actionKinds = []string{"collective", "neighbours", "groups", "message", "message on a duplicate", "message across", "parts", "cancelled receive", "cancelled send", "flush"}

// A mix is a program of calls of all kinds. It contains all that ranks need to know of each
// other, so that a failure prints as a program.
type mix struct {
	Sides   []int  // in which of two groups a rank is
	Arcs    []arc  // of the graph
	Wild    [3]int // how receives on the three communicators are: 0 exact, 1 from any source, 2 with any tag
	Rooms   [3]int // the communicators' own buffers: 0 none, 1 of some size, 2 automatic
	Order   uint64
	Actions []jointAction
}

func drawMix(t *rapid.T) mix {
	n := rapid.IntRange(2, 5).Draw(t, "ranks")
	rank := rapid.IntRange(0, n-1)
	m := mix{Order: rapid.Uint64().Draw(t, "order")}
	m.Sides = append([]int{0, 1}, rapid.SliceOfN(rapid.IntRange(0, 1), n-2, n-2).Draw(t, "sides")...)
	m.Arcs = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) arc { return arc{rank.Draw(t, "from"), rank.Draw(t, "to")} }), 0, 8).Draw(t, "arcs")
	m.Wild = [3]int{rapid.IntRange(0, 1).Draw(t, "wild"), rapid.IntRange(0, 2).Draw(t, "wild"), rapid.IntRange(0, 1).Draw(t, "wild")}
	for i := range m.Rooms {
		m.Rooms[i] = rapid.IntRange(0, 2).Draw(t, "room")
	}
	m.Actions = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) jointAction {
		d := jointAction{Kind: rapid.SampledFrom(actionKinds).Draw(t, "kind")}
		switch d.Kind {
		case "collective":
			d.Routine = rapid.SampledFrom(routineNames()).Draw(t, "routine")
		case "neighbours":
			d.Routine = rapid.SampledFrom(neighborRoutines).Draw(t, "routine")
		case "groups":
			d.Routine = rapid.SampledFrom(acrossNames).Draw(t, "routine")
		default:
			d.Src, d.Dst, d.Tag = rank.Draw(t, "src"), rank.Draw(t, "dst"), rapid.IntRange(0, 2).Draw(t, "tag")
			d.Send, d.Waits = rapid.IntRange(0, len(sends)-1).Draw(t, "send"), rapid.Bool().Draw(t, "waits")
			d.Parts = [2]int{rapid.IntRange(1, 4).Draw(t, "parts"), rapid.IntRange(1, 4).Draw(t, "parts")}
			d.Items = rapid.SampledFrom([]int{0, 1, 3, 2000}).Draw(t, "items")
			return d
		}
		d.Form, d.Starts = rapid.IntRange(0, 2).Draw(t, "form"), rapid.IntRange(1, 3).Draw(t, "starts")
		d.Items = rapid.SampledFrom([]int{0, 1, 2, 900}).Draw(t, "items")
		d.Root, d.InPlace = rank.Draw(t, "root"), rapid.Bool().Draw(t, "in place")
		return d
	}), 1, 25).Draw(t, "actionKinds")
	return m
}

// Calls of unlike kinds share mailboxes, meetings and lists of requests. If one of them took
// an entry of another, only a mixed program would show it.
func TestMixedPrograms(t *testing.T) {
	t.Run("P2P-01 P2P-02 P2P-04 P2P-06 P2P-07 COLL-01 COLL-02 COLL-04 COMM-02 everything under way together, against a model", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			m := drawMix(t)
			s := setting{}
			switch rapid.IntRange(0, 2).Draw(t, "machines") {
			case 1:
				s = unlike(reps.LP64LE, reps.ILP32BE)
			case 2:
				s.comm.Eager = rapid.SampledFrom([]int64{-1, 8, 64}).Draw(t, "eager")
			}
			seed := rapid.Uint64().Draw(t, "seed")
			s.sched.Schedule = []sched.Schedule{{}, sched.Random(seed), sched.RoundRobin(), sched.PCT(3, seed)}[rapid.IntRange(0, 3).Draw(t, "schedule")]
			if err := errors.Join(start(len(m.Sides), s, func(c *comm.Comm) error { return runMix(c, m) })...); err != nil {
				t.Fatalf("%v\n%+v", err, m)
			}
		})
	})
}

// A send that is synchronous to a wild receive waits for a receive that its rank has not
// posted yet, if another rank's message comes first. A mixed program that waited for it
// deadlocked under some seeds.
func TestMixedProgramsWithSynchronousSends(t *testing.T) {
	for seed := range uint64(100) {
		m := mix{Sides: []int{0, 1}, Wild: [3]int{1, 1, 1}, Order: seed, Actions: []jointAction{
			{Kind: "message", Src: 1, Dst: 1, Items: 3, Send: 3},
			{Kind: "message", Src: 1, Dst: 1, Items: 3, Send: 2},
			{Kind: "message", Src: 0, Dst: 1, Send: 1, Waits: true},
			{Kind: "cancelled receive", Dst: 1},
			{Kind: "cancelled send", Dst: 1},
		}}
		s := setting{}
		s.sched.Schedule = sched.Random(seed)
		if err := errors.Join(start(2, s, func(c *comm.Comm) error { return runMix(c, m) })...); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// A mixer is one rank of a mixed program.
type mixer struct {
	mix
	me      int
	on      [3]*comm.Comm // the world, a duplicate, two groups
	graph   terrain
	between span
	rnd     *rand.Rand
	open    []pending
	last    []pending // to be completed when all ranks have posted all receives

	posted [3]int         // receives so far
	came   [3]map[int]int // by when its receive was posted: which jointAction sent it
}

// pending is a request under way, and the expected result.
type pending struct {
	q     *comm.Request
	check func(st comm.Status) error
}

func runMix(c *comm.Comm, m mix) error {
	x := &mixer{mix: m, me: c.Rank(), rnd: rand.New(rand.NewPCG(m.Order, uint64(c.Rank())))}
	d, err := c.Dup()
	if err != nil {
		return err
	}
	if x.graph, err = webOf(c, m.Arcs); err != nil {
		return err
	}
	across, err := bridge(c, m.Sides, [2]int{0, 0})
	if err != nil {
		return err
	}
	x.on = [3]*comm.Comm{c, d, across}
	x.between = span{across, m.Sides[x.me], m.count(1 - m.Sides[x.me])}
	for i := range x.came {
		x.came[i] = map[int]int{}
	}
	if err := x.attach(); err != nil {
		return err
	}
	for k, do := range m.Actions {
		if err := x.do(k, do); err != nil {
			return fmt.Errorf("rank %d, jointAction %d, %v: %w", x.me, k, do, err)
		}
		for len(x.open) > 0 && x.rnd.IntN(3) == 0 {
			if err := x.complete(); err != nil {
				return fmt.Errorf("rank %d, after jointAction %d: %w", x.me, k, err)
			}
		}
	}
	x.open = append(x.open, x.last...)
	for len(x.open) > 0 {
		if err := x.complete(); err != nil {
			return fmt.Errorf("rank %d, at the end: %w", x.me, err)
		}
	}
	return errors.Join(x.order(), x.detach())
}

// attach gives the communicators of the program their buffers.
func (x *mixer) attach() error {
	err := x.on[0].BufferAttach(make([]byte, 1<<20))
	for i, c := range x.on {
		switch x.Rooms[i] {
		case 1:
			err = errors.Join(err, c.AttachBuffer(make([]byte, 1<<20)))
		case 2:
			err = errors.Join(err, c.AttachBuffer(comm.BufferAutomatic))
		}
	}
	return err
}

func (x *mixer) detach() error {
	_, err := x.on[0].BufferDetach()
	for i, c := range x.on {
		if x.Rooms[i] > 0 {
			err = errors.Join(err, second(c.DetachBuffer()))
		}
	}
	return err
}

// count is how many ranks are in a group.
func (m *mix) count(side int) (n int) {
	for _, s := range m.Sides {
		if s == side {
			n++
		}
	}
	return n
}

// complete completes some of the pending requests together, in one of the possible
// ways. All ranks have started it, or will before they wait for
// anything that comes later, so this cannot hang.
func (x *mixer) complete() error {
	x.rnd.Shuffle(len(x.open), func(i, j int) { x.open[i], x.open[j] = x.open[j], x.open[i] })
	some := slices.Clone(x.open[:1+x.rnd.IntN(len(x.open))])
	x.open = slices.Delete(x.open, 0, len(some))
	reqs := make([]*comm.Request, len(some))
	for i, p := range some {
		reqs[i] = p.q
	}
	sts, err := finish(x.rnd.IntN(len(finishes)), reqs)
	if err != nil {
		return err
	}
	for i, p := range some {
		if err := p.check(sts[i]); err != nil {
			return err
		}
	}
	return nil
}

func (x *mixer) later(q *comm.Request, err error, check func(st comm.Status) error) error {
	if err == nil {
		x.open = append(x.open, pending{q, check})
	}
	return err
}

func (x *mixer) do(k int, d jointAction) error {
	switch d.Kind {
	case "collective":
		return x.collective(d, routines[d.Routine](x.on[0], step{Items: d.Items, Root: d.Root, InPlace: d.InPlace}))
	case "neighbours":
		return x.collective(d, x.graph.trial(d.Routine, d.Items))
	case "groups":
		return x.collective(d, x.between.trials(min(d.Items, 5), d.Root%x.count(0))[d.Routine])
	case "message":
		return x.message(0, k, d)
	case "message on a duplicate":
		return x.message(1, k, d)
	case "message across":
		return x.message(2, k, d)
	case "parts":
		return x.parts(k, d)
	case "flush":
		return x.flush(d)
	}
	return x.cancelled(d)
}

func (x *mixer) collective(d jointAction, t trial) error {
	if d.Form == 0 {
		return errors.Join(t.wait(), t.check())
	}
	done := func(comm.Status) error { return t.check() }
	if d.Form == 1 {
		q, err := t.issue()
		return x.later(q, err, done)
	}
	q, err := t.prepare()
	if err != nil {
		return err
	}
	for range d.Starts - 1 {
		t.reset()
		if err := errors.Join(q.Start(), second(q.Wait()), t.check()); err != nil {
			return err
		}
	}
	t.reset()
	return x.later(q, q.Start(), func(comm.Status) error { return errors.Join(t.check(), q.Free()) })
}

// meets reports whether jointAction d is a message on a communicator: between groups
// only ranks of unlike ones can send to each other.
func (m *mix) meets(on int, d jointAction) bool { return on != 2 || m.Sides[d.Src] != m.Sides[d.Dst] }

// rank returns the number of a rank of the world on a communicator, as the other end of a
// message uses it.
func (m *mix) rank(on, world int) int {
	if on != 2 {
		return world
	}
	r := 0
	for i := range world {
		if m.Sides[i] == m.Sides[world] {
			r++
		}
	}
	return r
}

// ready reports whether the receive of jointAction d must be there before its message is
// sent, and not be taken by a later one: the standard wants it of ready sends.
// Where receives are wild, another rank's later message may take the place of this
// one, which then waits for a receive that comes later as well. A rank that waits
// until it is received might never post that: blocking sends are ready there, and
// started ones are completed at the end.
func (x *mixer) ready(on int, d jointAction) bool {
	switch sends[d.Send].name {
	case "RSend", "IRSend", "RSendInit":
		return true
	case "Send", "SSend":
		return x.Wild[on] > 0
	}
	return false
}

func (d jointAction) letter(k int) message {
	return message{Src: d.Src, Dst: d.Dst, Tag: d.Tag, Items: d.Items, Send: d.Send}
}

func (x *mixer) message(on, k int, d jointAction) error {
	if !x.meets(on, d) {
		return nil
	}
	if d.Dst == x.me {
		if err := x.receive(on, d); err != nil {
			return err
		}
	}
	if x.ready(on, d) {
		if err := x.on[0].Barrier(); err != nil {
			return err
		}
	}
	if d.Src == x.me {
		q, err := sends[d.Send].call(x.on[on], types.Of(content(k, d.letter(k))), x.rank(on, d.Dst), d.Tag)
		if err != nil {
			return err
		}
		if p := (pending{q, func(st comm.Status) error { return equal(false, st.Cancelled()) }}); q != nil && x.Wild[on] > 0 {
			x.last = append(x.last, p)
		} else if q != nil {
			x.open = append(x.open, p)
		}
	}
	if x.ready(on, d) {
		return x.on[0].Barrier()
	}
	return nil
}

// receive posts the receive of a message, which may get another one.
func (x *mixer) receive(on int, d jointAction) error {
	src, tag := x.rank(on, d.Src), d.Tag
	if x.Wild[on] > 0 {
		src = comm.AnySource
	}
	if x.Wild[on] > 1 {
		tag = comm.AnyTag
	}
	buf, at := blankVals(2001), x.posted[on]
	x.posted[on]++
	check := func(st comm.Status) error { return x.received(on, at, src, tag, st, buf) }
	if d.Waits && d.Src != x.me && !x.ready(on, d) {
		st, err := x.on[on].Recv(types.Of(buf), src, tag)
		return errors.Join(err, check(st))
	}
	if d.Waits {
		q, err := x.on[on].RecvInit(types.Of(buf), src, tag)
		if err != nil {
			return err
		}
		return x.later(q, q.Start(), func(st comm.Status) error { return errors.Join(check(st), q.Free()) })
	}
	q, err := x.on[on].IRecv(types.Of(buf), src, tag)
	return x.later(q, err, check)
}

// received compares a received message with the message whose number it carries.
func (x *mixer) received(on, at, src, tag int, st comm.Status, buf []int32) error {
	k := int(buf[0])
	if k < 0 || k >= len(x.Actions) {
		return fmt.Errorf("a message of number %d", k)
	}
	d := x.Actions[k]
	want := content(k, d.letter(k))
	if d.Dst != x.me || st.Source != x.rank(on, d.Src) || st.Tag != d.Tag || src != comm.AnySource && src != st.Source || tag != comm.AnyTag && tag != st.Tag {
		return fmt.Errorf("a receive from %d tag %d got jointAction %d, %v", src, tag, k, d)
	}
	x.came[on][at] = k
	return errors.Join(equal(int64(len(want)), count(st, types.Int32)), differ(k, append(want, blankVals(len(buf)-len(want))...), buf))
}

// order checks that every message came, and none overtook another.
func (x *mixer) order() error {
	for on, kind := range []string{"message", "message on a duplicate", "message across"} {
		type stream struct{ src, tag int }
		last, n := map[stream]int{}, 0
		for at := range x.posted[on] {
			k, ok := x.came[on][at]
			d := x.Actions[k]
			from := stream{d.Src, d.Tag}
			if before, was := last[from]; !ok || d.Kind != kind || was && before >= k {
				return fmt.Errorf("rank %d, receive %d: jointAction %d, %v, after jointAction %d", x.me, at, k, d, before)
			}
			last[from] = k
		}
		for _, d := range x.Actions {
			if d.Kind == kind && d.Dst == x.me && x.meets(on, d) {
				n++
			}
		}
		if err := equal(n, len(x.came[on])); err != nil {
			return err
		}
	}
	return nil
}

// parts sends and receives a message in partitions.
func (x *mixer) parts(k int, d jointAction) error {
	const n = 12 // which all numbers of partitions divide
	want := vals(k, d.Tag, n)
	if d.Dst == x.me {
		got := blankVals(n)
		q, err := x.on[1].PRecvInit(types.Of(got), d.Parts[1], d.Src, d.Tag)
		if err != nil {
			return err
		}
		if err := x.later(q, q.Start(), func(comm.Status) error { return errors.Join(differ(k, want, got), q.Free()) }); err != nil {
			return err
		}
	}
	if d.Src != x.me {
		return nil
	}
	q, err := x.on[1].PSendInit(types.Of(want), d.Parts[0], d.Dst, d.Tag)
	if err = errors.Join(err, q.Start()); err != nil {
		return err
	}
	return x.later(q, q.PReadyList(x.rnd.Perm(d.Parts[0])), func(comm.Status) error { return q.Free() })
}

// flush starts to flush a buffer: that of one of the communicators, or the rank's.
// A message to a wild receive may be in it; see ready.
func (x *mixer) flush(d jointAction) error {
	if d.Src != x.me {
		return nil
	}
	start := x.on[0].BufferIFlush
	if x.Rooms[d.Tag] > 0 {
		start = x.on[d.Tag].IFlushBuffer
	}
	q, err := start()
	if err != nil {
		return err
	}
	p := pending{q, func(st comm.Status) error { return equal(comm.AnySource, st.Source) }}
	if x.Wild != ([3]int{}) {
		x.last = append(x.last, p)
	} else {
		x.open = append(x.open, p)
	}
	return nil
}

// cancelled starts sends and receives that match nothing, and cancels them. Tags differ: a
// send and a receive of two ranks would find each other before they are cancelled.
func (x *mixer) cancelled(d jointAction) error {
	const unsent, unreceived = 8, 9
	var q *comm.Request
	var err error
	switch {
	case d.Kind == "cancelled receive" && d.Dst == x.me:
		q, err = x.on[d.Tag%2].IRecv(ints(0), comm.AnySource, unsent)
	case d.Kind == "cancelled send" && d.Src == x.me:
		q, err = x.on[0].ISSend(ints(0), d.Dst, unreceived)
	default:
		return nil
	}
	return x.later(q, errors.Join(err, q.Cancel()), func(st comm.Status) error { return equal(true, st.Cancelled()) })
}

// A rank of the highest priority that looks for a message in a loop must let the
// others send it.
func TestPollingUnderPCT(t *testing.T) {
	for seed := range uint64(40) {
		s := setting{}
		s.sched.Schedule = sched.PCT(1+int(seed%4), seed)
		err := errors.Join(start(3, s, func(c *comm.Comm) error {
			if c.Rank() == 2 {
				return errors.Join(sendToken(c, 0), sendToken(c, 1), receiveToken(c, 1))
			}
			for ok := false; !ok; {
				var err error
				if _, ok, err = c.IProbe(2, comm.AnyTag); err != nil {
					return err
				}
			}
			if c.Rank() == 0 {
				return receiveToken(c, 2)
			}
			return errors.Join(receiveToken(c, 2), sendToken(c, 2))
		})...)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

package world_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A talk is a program of messages: the operations of each rank.
type talk [][]talkOp

// A talkOp is one operation. If it has a condition, it is skipped unless the last received
// message came from an odd rank.
type talkOp struct {
	kind      string // name of the call, in lower case; wait, test, status and cancel are calls on the oldest request
	peer, tag int    // of messages and probes
	odd       bool
}

func (o talkOp) String() string {
	s := o.kind
	switch o.kind {
	case "send", "ssend", "isend", "sendrecv", "recv", "irecv", "probe", "mprobe", "iprobe", "improbe":
		s = fmt.Sprintf("%s %d tag %d", o.kind, o.peer, o.tag)
	}
	if o.odd {
		s = "if odd: " + s
	}
	return s
}

func (p talk) String() string {
	var b strings.Builder
	for i, ops := range p {
		fmt.Fprintf(&b, "\n%d: %v", i, ops)
	}
	return b.String()
}

// drawTalk draws a program of about most operations: messages, most of them
// with a receive, and operations of the given kinds between them.
func drawTalk(seed uint64, kinds []string, most int) talk {
	// Not by rapid: its small numbers make programs in which nothing races.
	rnd := rand.New(rand.NewPCG(seed, 1))
	n := 2 + rnd.IntN(3)
	p := make(talk, n)
	for range most/4 + rnd.IntN(most/2) {
		i := rnd.IntN(n)
		to := (i + 1 + rnd.IntN(n-1)) % n
		if i != 0 && rnd.IntN(2) == 0 {
			to = 0 // so that messages race
		}
		tag := rnd.IntN(4) / 3
		send := "send"
		for _, kind := range []string{"ssend", "isend"} {
			if slices.Contains(kinds, kind) && rnd.IntN(4) == 0 {
				send = kind
			}
		}
		p[i] = append(p[i], talkOp{kind: send, peer: to, tag: tag, odd: rnd.IntN(6) == 0})
		if rnd.IntN(5) > 0 {
			o := talkOp{kind: "irecv", peer: i, tag: tag, odd: rnd.IntN(8) == 0}
			if rnd.IntN(4) > 0 {
				o.peer = comm.AnySource
			}
			if rnd.IntN(3) == 0 {
				o.tag = comm.AnyTag
			}
			if slices.Contains(kinds, "recv") && rnd.IntN(2) == 0 {
				o.kind = "recv"
			}
			p[to] = append(p[to], o)
		}
		switch kind := kinds[rnd.IntN(len(kinds))]; kind {
		case "recv", "ssend", "isend":
		case "barrier", "ibarrier":
			for i := range p {
				p[i] = append(p[i], talkOp{kind: kind})
			}
		case "sendrecv":
			p[i] = append(p[i], talkOp{kind: kind, peer: to, tag: tag})
		default:
			p[to] = append(p[to], talkOp{kind: kind, peer: comm.AnySource, tag: comm.AnyTag})
		}
	}
	return p
}

// setup returns p for Explore. The outcome has the results of the calls of each rank, also
// for a run that ended in a deadlock.
func (p talk) setup() (program, func() any) {
	logs := make([][]string, len(p))
	return func(_ context.Context, c *comm.Comm) error {
			me, last, sent := c.Rank(), 0, 0
			var open []*comm.Request
			bufs := map[*comm.Request][]int32{}
			log := func(format string, args ...any) { logs[me] = append(logs[me], fmt.Sprintf(format, args...)) }
			done := func(q *comm.Request, st comm.Status) {
				last = st.Source
				log("%v", bufs[q])
			}
			for _, o := range p[me] {
				if o.odd && last%2 == 0 {
					continue
				}
				var err error
				switch o.kind {
				case "send":
					sent++
					err = c.Send(types.Of([]int32{int32(me), int32(sent)}), o.peer, o.tag)
				case "ssend":
					sent++
					err = c.SSend(types.Of([]int32{int32(me), int32(sent)}), o.peer, o.tag)
				case "recv":
					buf := make([]int32, 2)
					var st comm.Status
					if st, err = c.Recv(types.Of(buf), o.peer, o.tag); err == nil {
						last = st.Source
						log("%v", buf)
					}
				case "irecv":
					buf := make([]int32, 2)
					var q *comm.Request
					if q, err = c.IRecv(types.Of(buf), o.peer, o.tag); err == nil {
						open, bufs[q] = append(open, q), buf
					}
				case "wait":
					if len(open) > 0 {
						var st comm.Status
						if st, err = open[0].Wait(); err == nil {
							done(open[0], st)
							open = open[1:]
						}
					}
				case "cancel":
					if len(open) > 0 {
						var st comm.Status
						if err = open[0].Cancel(); err == nil {
							st, err = open[0].Wait()
						}
						if err == nil {
							log("cancelled %v", st.Cancelled())
							done(open[0], st)
							open = open[1:]
						}
					}
				case "waitany":
					var i int
					var st comm.Status
					if i, st, err = comm.WaitAny(open...); err == nil && i != comm.Undefined {
						log("any %d", i)
						done(open[i], st)
						open = slices.Delete(slices.Clone(open), i, i+1)
					}
				case "waitsome":
					var is []int
					if is, _, err = comm.WaitSome(open...); err == nil {
						log("some %v", is)
						for _, i := range slices.Backward(is) {
							log("%v", bufs[open[i]])
							open = slices.Delete(slices.Clone(open), i, i+1)
						}
					}
				case "test":
					if len(open) > 0 {
						var st comm.Status
						var ok bool
						if st, ok, err = open[0].Test(); err == nil {
							log("test %v", ok)
							if ok {
								done(open[0], st)
								open = open[1:]
							}
						}
					}
				case "probe":
					var st comm.Status
					if st, err = c.Probe(o.peer, o.tag); err == nil {
						log("probe %d %d", st.Source, st.Tag)
					}
				case "mprobe":
					var m *comm.Message
					if m, _, err = c.MProbe(o.peer, o.tag); err == nil {
						buf := make([]int32, 2)
						var st comm.Status
						if st, err = m.MRecv(types.Of(buf)); err == nil {
							last = st.Source
							log("mprobe %v", buf)
						}
					}
				case "iprobe":
					var st comm.Status
					var ok bool
					if st, ok, err = c.IProbe(o.peer, o.tag); err == nil {
						log("iprobe %v %d %d", ok, st.Source, st.Tag)
					}
				case "isend":
					sent++
					buf := []int32{int32(me), int32(sent)}
					var q *comm.Request
					if q, err = c.ISend(types.Of(buf), o.peer, o.tag); err == nil {
						open, bufs[q] = append(open, q), buf
					}
				case "sendrecv":
					sent++
					buf := make([]int32, 2)
					var st comm.Status
					st, err = c.SendRecv(types.Of([]int32{int32(me), int32(sent)}), comm.To{Rank: o.peer, Tag: o.tag}, types.Of(buf), comm.From{Rank: comm.AnySource, Tag: comm.AnyTag})
					if err == nil {
						last = st.Source
						log("%v", buf)
					}
				case "improbe":
					var m *comm.Message
					var ok bool
					if m, _, ok, err = c.IMProbe(o.peer, o.tag); err == nil && ok {
						buf := make([]int32, 2)
						if _, err = m.MRecv(types.Of(buf)); err == nil {
							log("improbe %v", buf)
						}
					}
				case "status":
					if len(open) > 0 {
						var ok bool
						if _, ok, err = open[0].Status(); err == nil {
							log("status %v", ok)
						}
					}
				case "testany":
					var i int
					var st comm.Status
					var ok bool
					if i, st, ok, err = comm.TestAny(open...); err == nil && ok && i != comm.Undefined {
						log("testany %d", i)
						done(open[i], st)
						open = slices.Delete(slices.Clone(open), i, i+1)
					}
				case "testsome":
					var is []int
					if is, _, err = comm.TestSome(open...); err == nil {
						log("testsome %v", is)
						for _, i := range slices.Backward(is) {
							log("%v", bufs[open[i]])
							open = slices.Delete(slices.Clone(open), i, i+1)
						}
					}
				case "testall":
					var ok bool
					if _, ok, err = comm.TestAll(open...); err == nil {
						log("testall %v", ok)
						if ok {
							for _, q := range open {
								log("%v", bufs[q])
							}
							open = nil
						}
					}
				case "ibarrier":
					var q *comm.Request
					if q, err = c.IBarrier(); err == nil {
						open, bufs[q] = append(open, q), nil
					}
				case "barrier":
					err = c.Barrier()
				}
				if err != nil {
					log("stuck")
					return nil
				}
			}
			return nil
		}, func() any {
			return logs
		}
}

// ends runs p and returns its end as text.
func (p talk) ends(t *testing.T, opts ...world.Option) string {
	body, outcome := p.setup()
	err := world.Run(context.Background(), len(p), body, append(opts, world.Unchecked())...)
	return endText(err, outcome())
}

func endText(err error, logs any) string {
	if err == nil {
		return fmt.Sprint(logs)
	}
	text, _, _ := strings.Cut(err.Error(), "\nto see it again: ")
	return fmt.Sprint(logs, " ", text)
}

// stuckLike reports whether x has a deadlock with that text.
func stuckLike(x *world.Exploration, text string) bool {
	return slices.ContainsFunc(x.Outcomes, func(o world.Outcome) bool {
		return o.Err != nil && strings.HasPrefix(o.Err.Error(), "world: "+text)
	})
}

// explored returns the possible ends of p, with a witness of each.
func (p talk) explored(t *testing.T) (*world.Exploration, map[string]string) {
	all := map[string]string{}
	var body program
	var outcome func() any
	x, err := world.Explore(context.Background(), len(p), func() (program, func() any) {
		body, outcome = p.setup()
		return body, outcome
	}, world.Limit(world.Limits{Schedules: 20_000}), world.Unchecked(), world.Limit(world.Limits{Polls: 20}))
	if err != nil {
		t.Fatalf("%v%v", err, p)
	}
	for _, o := range x.Outcomes {
		got := p.ends(t, world.Replay(o.Witness), world.Limit(world.Limits{Polls: 20}))
		all[got] = o.Witness
		text, _, _ := strings.Cut(o.String(), "\nto see it again: ")
		if o.Err == nil && got != text || o.Err != nil && !strings.HasSuffix(got, text) {
			t.Fatalf("%s shows %s, not %s%v", o.Witness, got, text, p)
		}
	}
	return x, all
}

// The exploration must not miss an outcome: the outcome of any seed must be among those
// explored.
func TestExploreCoversSeeds(t *testing.T) {
	sets := [][]string{
		{"recv", "recv", "recv", "wait", "wait", "waitany", "waitsome", "test", "probe", "iprobe", "barrier"},
		{"recv", "isend", "sendrecv", "wait", "testany", "testsome", "testall", "status", "improbe", "ibarrier"},
		{"recv", "ssend", "wait", "waitany", "test", "cancel", "mprobe", "iprobe"},
	}
	schedules, ends := 0, 0
	for i := range programs(t, 300) {
		p := drawTalk(i, sets[i%3], 14)
		x, all := p.explored(t)
		schedules, ends = schedules+x.Schedules, ends+len(x.Outcomes)
		if !x.Complete {
			continue
		}
		for seed := range uint64(60) {
			for _, opt := range []world.Option{world.Seed(seed), world.Replay(fmt.Sprint("pct:3:", seed))} {
				got := p.ends(t, opt)
				_, dead, stuck := strings.Cut(got, "] world: ")
				if _, ok := all[got]; !ok && !(stuck && stuckLike(x, dead)) {
					t.Fatalf("program %d, seed %d: %s\nexplored %d: %v%v", i, seed, got, x.Schedules, x, p)
				}
			}
		}
	}
	t.Logf("%d schedules, %d ends", schedules, ends)
}

// A probe is the same call in all runs, however many of the rank's messages have been
// received by then: it once showed the size of one of them to the check of the runs.
func TestExploreProbesAlike(t *testing.T) {
	p := talk{
		{
			{kind: "irecv", peer: 3},
			{kind: "send", peer: 2, tag: 1},
			{kind: "send", peer: 2, odd: true},
			{kind: "irecv", peer: comm.AnySource, tag: comm.AnyTag},
			{kind: "iprobe", peer: comm.AnySource, tag: comm.AnyTag},
			{kind: "wait"},
			{kind: "irecv", peer: comm.AnySource},
			{kind: "recv", peer: 1},
		},
		{{kind: "send", peer: 3, odd: true}, {kind: "send"}, {kind: "send"}},
		{{kind: "irecv", tag: comm.AnyTag}, {kind: "irecv", tag: comm.AnyTag, odd: true}, {kind: "send"}, {kind: "send"}},
		{{kind: "send", odd: true}, {kind: "recv", peer: comm.AnySource}, {kind: "iprobe", peer: comm.AnySource, tag: comm.AnyTag}},
	}
	x, _ := p.explored(t)
	assert.NotEmpty(t, x.Outcomes)
}

// A receive from any source that is cancelled may have taken the message before, or leave
// it to the next receive. Explorations once tried the second alone, if at all: they called
// such a program nondeterministic, or let the next receive wait for ever.
func TestExploreCancelled(t *testing.T) {
	p := talk{
		{{kind: "irecv", peer: comm.AnySource}, {kind: "irecv", peer: 1}, {kind: "cancel"}, {kind: "wait"}},
		{{kind: "send"}, {kind: "send"}},
	}
	x, _ := p.explored(t)
	assert.True(t, x.Complete)
	var ends []string
	for _, o := range x.Outcomes {
		ends = append(ends, o.String())
	}
	assert.ElementsMatch(t, []string{"[[cancelled false [1 1] [1 2]] []]", "[[cancelled true [0 0] [1 1]] []]"}, ends)
}

// A test may find a message that comes so late in the run explored first that all ranks have
// ended by then, and no rank waits for it.
func TestExploreAfterLastRank(t *testing.T) {
	p := talk{
		{{kind: "irecv", peer: comm.AnySource}, {kind: "test"}},
		{{kind: "iprobe", peer: comm.AnySource, tag: comm.AnyTag}, {kind: "send"}},
	}
	x, _ := p.explored(t)
	assert.True(t, x.Complete)
	var ends []string
	for _, o := range x.Outcomes {
		ends = append(ends, o.String())
	}
	assert.ElementsMatch(t, []string{"[[test false] [iprobe false 0 0]]", "[[test true [1 1]] [iprobe false 0 0]]"}, ends)
}

// programs is how many random programs to try.
func programs(t *testing.T, n uint64) uint64 {
	if s := os.Getenv("COMMWORLD_PROGRAMS"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		assert.NoError(t, err)
		return n
	}
	if raceEnabled || testing.Short() || !thorough.All() {
		n /= 10
	}
	return n
}

// A net is a naive machine for the standard's rules about messages, which makes one step
// at a time. A message arrives at any time after it is sent, in order for each pair of
// ranks; it then goes to the oldest matching receive, or waits. The machine runs programs
// of send, irecv and wait.
type net struct {
	PC, Last, Sent, Received []int
	Way                      [][]letter // by from*n+to: on the way
	Here                     [][]letter // by rank: arrived, not received
	Posted                   [][]want   // by rank
	Open                     [][]int    // by rank: receives not waited for, by number
	Got                      []string   // which receive took which message
}

type letter struct{ From, Number, Tag int }

type want struct{ Src, Tag, Number int }

func (w want) accepts(m letter) bool {
	return (w.Src == comm.AnySource || w.Src == m.From) && (w.Tag == comm.AnyTag || w.Tag == m.Tag)
}

func newNet(n int) *net {
	ints := func() []int { return make([]int, n) }
	return &net{
		PC: ints(), Last: ints(), Sent: ints(), Received: ints(),
		Way: make([][]letter, n*n), Here: make([][]letter, n), Posted: make([][]want, n), Open: make([][]int, n),
	}
}

func (s *net) clone() *net {
	deep := func(l [][]letter) (c [][]letter) {
		for _, x := range l {
			c = append(c, slices.Clone(x))
		}
		return c
	}
	c := &net{
		PC: slices.Clone(s.PC), Last: slices.Clone(s.Last), Sent: slices.Clone(s.Sent), Received: slices.Clone(s.Received),
		Way: deep(s.Way), Here: deep(s.Here), Got: slices.Clone(s.Got),
	}
	for i := range s.Posted {
		c.Posted, c.Open = append(c.Posted, slices.Clone(s.Posted[i])), append(c.Open, slices.Clone(s.Open[i]))
	}
	return c
}

// take notes that receive w of rank r took m.
func (s *net) take(r int, w want, m letter) {
	s.Got = append(s.Got, fmt.Sprintf("%d.%d=%d.%d", r, w.Number, m.From, m.Number))
	slices.Sort(s.Got)
}

// source returns the rank that sent the message of a receive, if it has one.
func (s *net) source(r, number int) (int, bool) {
	for _, g := range s.Got {
		var rank, w, from, m int
		fmt.Sscanf(g, "%d.%d=%d.%d", &rank, &w, &from, &m)
		if rank == r && w == number {
			return from, true
		}
	}
	return 0, false
}

// next returns the states one step away.
func (p talk) next(s *net) (all []*net) {
	n := len(p)
	for ft, way := range s.Way {
		if len(way) > 0 { // the oldest arrives
			c, to := s.clone(), ft%n
			c.Way[ft] = c.Way[ft][1:]
			i := slices.IndexFunc(c.Posted[to], func(w want) bool { return w.accepts(way[0]) })
			if i < 0 {
				c.Here[to] = append(c.Here[to], way[0])
			} else {
				c.take(to, c.Posted[to][i], way[0])
				c.Posted[to] = slices.Delete(c.Posted[to], i, i+1)
			}
			all = append(all, c)
		}
	}
	for r := range p {
		if s.PC[r] < len(p[r]) {
			all = append(all, p.step(s, r)...)
		}
	}
	return all
}

// step returns the states that the next operation of rank r may lead to, none if it waits.
// Messages of different ranks have no order, so a receive may take the oldest message of
// any of them.
func (p talk) step(s *net, r int) (all []*net) {
	c, o := s.clone(), p[r][s.PC[r]]
	c.PC[r]++
	if o.odd && c.Last[r]%2 == 0 {
		return []*net{c}
	}
	switch o.kind {
	case "send":
		c.Sent[r]++
		ft := r*len(p) + o.peer
		c.Way[ft] = append(c.Way[ft], letter{r, c.Sent[r], o.tag})
	case "irecv":
		c.Received[r]++
		w := want{o.peer, o.tag, c.Received[r]}
		c.Open[r] = append(c.Open[r], w.Number)
		known := map[int]bool{}
		for i, m := range c.Here[r] {
			if w.accepts(m) && !known[m.From] {
				known[m.From] = true
				d := c.clone()
				d.take(r, w, m)
				d.Here[r] = slices.Delete(d.Here[r], i, i+1)
				all = append(all, d)
			}
		}
		if len(all) > 0 {
			return all
		}
		c.Posted[r] = append(c.Posted[r], w)
	case "wait":
		if len(c.Open[r]) == 0 {
			break
		}
		from, ok := c.source(r, c.Open[r][0])
		if !ok {
			return nil
		}
		c.Last[r], c.Open[r] = from, c.Open[r][1:]
	}
	return []*net{c}
}

// classes counts the different ways in which messages and receives can meet.
func (p talk) classes() int {
	ends, seen := map[string]bool{}, map[string]bool{}
	var visit func(s *net)
	visit = func(s *net) {
		if key := fmt.Sprint(*s); seen[key] {
			return
		} else {
			seen[key] = true
		}
		all := p.next(s)
		for _, c := range all {
			visit(c)
		}
		if len(all) == 0 {
			ends[fmt.Sprint(s.Got)] = true
		}
	}
	visit(newNet(len(p)))
	return len(ends)
}

// The number of schedules must equal the number of ways in which messages and receives can
// match. A machine without the explorer's notion of choices and dependence counts these.
func TestSchedulesAreTheMatchings(t *testing.T) {
	total, redundant := 0, 0
	for i := range programs(t, 60) {
		p := drawTalk(i, []string{"wait"}, 13)
		for i := range p {
			for _, o := range p[i] {
				if o.kind == "irecv" {
					p[i] = append(p[i], talkOp{kind: "wait"})
				}
			}
		}
		x, _ := p.explored(t)
		total, redundant = total+x.Schedules, redundant+x.Redundant
		if want := p.classes(); x.Schedules != want {
			t.Fatalf("program %d: %d schedules, but messages and receives can meet in %d ways%v", i, x.Schedules, want, p)
		}
	}
	t.Logf("%d schedules, %d more given up", total, redundant)
}

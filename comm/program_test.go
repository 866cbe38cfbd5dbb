package comm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A message of a random program. It contains all its properties, so a failure prints as a
// program.
type message struct {
	Src, Dst, Tag, Items int
	Out, In              int  // layouts
	Send                 int  // by which of sends
	AnySource, AnyTag    bool // how it is received
	Sub                  int  // communicator
}

func (m message) String() string {
	return fmt.Sprintf("%d->%d tag %d items %d layouts %d,%d %s any %v,%v comm %d",
		m.Src, m.Dst, m.Tag, m.Items, m.Out, m.In, sends[m.Send].name, m.AnySource, m.AnyTag, m.Sub)
}

// A phase is messages that may all be under way at once, then a collective.
type phase struct {
	Messages []message
	Order    uint64 // in which receives are posted
	Finish   int    // by which of finishes
	Lasting  bool   // receives are persistent
	Extra    int    // receives that nothing comes for, to be cancelled
	Root     int
	Items    int
	InPlace  bool
}

// A wrong copy, a lost wake-up or a match out of order shows in some program
// under some schedule. Programs, layouts, architectures and schedules are drawn.
func TestRandomPrograms(t *testing.T) {
	t.Run("P2P-01 P2P-02 P2P-04 P2P-06 COLL-01 random programs against a model", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 7).Draw(t, "ranks")
			phases := rapid.SliceOfN(drawPhase(n), 1, 3).Draw(t, "phases")
			s := setting{}
			switch rapid.IntRange(0, 2).Draw(t, "machines") {
			case 1:
				s = unlike(reps.LP64LE, reps.ILP32BE)
			case 2:
				s.comm.Eager = rapid.SampledFrom([]int64{-1, 8, 64}).Draw(t, "eager")
			}
			if rapid.Bool().Draw(t, "seeded") {
				s.sched = seeded(rapid.Uint64().Draw(t, "seed")).sched
			}
			if err := errors.Join(start(n, s, func(c *comm.Comm) error { return runProgram(c, phases) })...); err != nil {
				t.Fatalf("%v\n%v", err, phases)
			}
		})
	})
}

func drawPhase(n int) *rapid.Generator[phase] {
	return rapid.Custom(func(t *rapid.T) phase {
		rank := rapid.IntRange(0, n-1)
		p := phase{
			Order: rapid.Uint64().Draw(t, "order"), Finish: rapid.IntRange(0, len(finishes)-1).Draw(t, "finish"),
			Lasting: rapid.Bool().Draw(t, "lasting"), Extra: rapid.IntRange(0, 2).Draw(t, "extra"), Root: rank.Draw(t, "root"),
			Items: rapid.SampledFrom([]int{0, 1, 2, 5, 1500}).Draw(t, "items"), InPlace: rapid.Bool().Draw(t, "in place"),
		}
		for range rapid.IntRange(0, 12).Draw(t, "messages") {
			p.Messages = append(p.Messages, message{
				Src: rank.Draw(t, "src"), Dst: rank.Draw(t, "dst"), Tag: rapid.IntRange(0, 2).Draw(t, "tag"),
				Items: rapid.SampledFrom([]int{0, 1, 3, 50, 20_000}).Draw(t, "items"),
				Out:   rapid.IntRange(0, layouts-1).Draw(t, "out"), In: rapid.IntRange(0, layouts-1).Draw(t, "in"),
				Send: rapid.IntRange(0, len(sends)-1).Draw(t, "send"), AnySource: rapid.Bool().Draw(t, "any source"), AnyTag: rapid.Bool().Draw(t, "any tag"),
				Sub: rapid.IntRange(0, 1).Draw(t, "comm"),
			})
		}
		return p
	})
}

// content returns the data of message k of a phase: its number comes first.
func content(k int, m message) []int32 {
	v := vals(k, m.Tag, m.Items+1)
	v[0] = int32(k)
	return v
}

// runProgram is one rank of a program. Receives are posted before anything is
// sent, so a program cannot deadlock, however much is buffered. The model of
// matching: a receive gets a message that fits it, and for messages of one
// pair, tag and communicator the order of sends is that of receives.
func runProgram(c *comm.Comm, phases []phase) error {
	d, err := c.Dup()
	if err != nil {
		return err
	}
	if err := c.BufferAttach(make([]byte, 1<<22)); err != nil {
		return err
	}
	for _, p := range phases {
		if err := runMessages([2]*comm.Comm{c, d}, p); err != nil {
			return err
		}
		if err := every(c, p.Items, p.Root, 0, 1, p.InPlace); err != nil {
			return err
		}
	}
	return second(c.BufferDetach())
}

// sends are the ways to send. All receives being posted, all are allowed. Those
// that return no request are complete.
var sends = []struct {
	name string
	call func(c *comm.Comm, buf types.Buffer, dst, tag int) (*comm.Request, error)
}{
	{"Send", blocking((*comm.Comm).Send)},
	{"ISend", (*comm.Comm).ISend},
	{"SSend", blocking((*comm.Comm).SSend)},
	{"ISSend", (*comm.Comm).ISSend},
	{"BSend", blocking((*comm.Comm).BSend)},
	{"IBSend", (*comm.Comm).IBSend},
	{"RSend", blocking((*comm.Comm).RSend)},
	{"IRSend", (*comm.Comm).IRSend},
	{"SendInit", lasting((*comm.Comm).SendInit)},
	{"SSendInit", lasting((*comm.Comm).SSendInit)},
	{"BSendInit", lasting((*comm.Comm).BSendInit)},
	{"RSendInit", lasting((*comm.Comm).RSendInit)},
}

func blocking(send func(c *comm.Comm, buf types.Buffer, dst, tag int) error) func(*comm.Comm, types.Buffer, int, int) (*comm.Request, error) {
	return func(c *comm.Comm, buf types.Buffer, dst, tag int) (*comm.Request, error) {
		return nil, send(c, buf, dst, tag)
	}
}

// lasting starts a persistent send and frees its request, so that it completes by itself.
func lasting(prepare func(c *comm.Comm, buf types.Buffer, dst, tag int) (*comm.Request, error)) func(*comm.Comm, types.Buffer, int, int) (*comm.Request, error) {
	return func(c *comm.Comm, buf types.Buffer, dst, tag int) (*comm.Request, error) {
		q, err := prepare(c, buf, dst, tag)
		if err != nil {
			return nil, err
		}
		return nil, errors.Join(q.Start(), q.Free())
	}
}

// finishes are the ways to complete requests. Each completes at least one of
// them, or tests, and gives the status of those by their places.
var finishes = []func(reqs []*comm.Request) (map[int]comm.Status, error){
	func(reqs []*comm.Request) (map[int]comm.Status, error) {
		sts, err := comm.WaitAll(reqs...)
		return all(sts), err
	},
	func(reqs []*comm.Request) (map[int]comm.Status, error) {
		sts, _, err := comm.TestAll(reqs...)
		return all(sts), err
	},
	func(reqs []*comm.Request) (map[int]comm.Status, error) {
		i, st, err := comm.WaitAny(reqs...)
		return map[int]comm.Status{i: st}, err
	},
	func(reqs []*comm.Request) (map[int]comm.Status, error) {
		i, st, ok, err := comm.TestAny(reqs...)
		if !ok {
			return nil, err
		}
		return map[int]comm.Status{i: st}, err
	},
	func(reqs []*comm.Request) (map[int]comm.Status, error) { return some(comm.WaitSome(reqs...)) },
	func(reqs []*comm.Request) (map[int]comm.Status, error) { return some(comm.TestSome(reqs...)) },
	func(reqs []*comm.Request) (map[int]comm.Status, error) {
		out := map[int]comm.Status{}
		for i, q := range reqs {
			if _, _, err := q.Status(); err != nil {
				return nil, err
			}
			var err error
			if out[i], err = q.Wait(); err != nil {
				return nil, err
			}
		}
		return out, nil
	},
}

func all(sts []comm.Status) map[int]comm.Status {
	out := map[int]comm.Status{}
	for i, st := range sts {
		out[i] = st
	}
	return out
}

func some(done []int, sts []comm.Status, err error) (map[int]comm.Status, error) {
	out := map[int]comm.Status{}
	for k, i := range done {
		out[i] = sts[k]
	}
	return out, err
}

// finish completes all of reqs and returns the result of each.
func finish(how int, reqs []*comm.Request) ([]comm.Status, error) {
	sts, seen := make([]comm.Status, len(reqs)), make([]bool, len(reqs))
	for left := len(reqs); left > 0; {
		some, err := finishes[how](reqs)
		if err != nil {
			return nil, err
		}
		for i, st := range some {
			if i < 0 || seen[i] {
				return nil, fmt.Errorf("request %d completed twice", i)
			}
			sts[i], seen[i] = st, true
			left--
		}
	}
	return sts, nil
}

type posted struct {
	m   message
	buf field
	req *comm.Request
}

func runMessages(on [2]*comm.Comm, p phase) error {
	me := on[0].Rank()
	var recvs []posted
	wild := [2]bool{}
	for _, m := range p.Messages {
		if m.Dst == me {
			wild[m.Sub] = wild[m.Sub] || m.AnySource || m.AnyTag
		}
	}
	for _, m := range p.Messages {
		if m.Dst == me {
			// A wildcard may take a message that an exact receive waits for, so
			// in a communicator that has one all receives are as wild.
			if wild[m.Sub] {
				m.AnySource, m.AnyTag = true, true
			}
			recvs = append(recvs, posted{m: m})
		}
	}
	rng := rand.New(rand.NewPCG(p.Order, 1))
	rng.Shuffle(len(recvs), func(i, j int) { recvs[i], recvs[j] = recvs[j], recvs[i] })
	for i := range recvs {
		r := &recvs[i]
		src, tag := r.m.Src, r.m.Tag
		if r.m.AnySource {
			src = comm.AnySource
		}
		if r.m.AnyTag {
			tag = comm.AnyTag
		}
		room := r.m.Items + 1
		for _, m := range p.Messages { // all messages that could come here must fit
			if m.Dst == me && m.Sub == r.m.Sub {
				room = max(room, m.Items+1)
			}
		}
		r.buf = newField(on[0], r.m.In, blankVals(room))
		var err error
		if !p.Lasting {
			r.req, err = on[r.m.Sub].IRecv(r.buf.Buffer, src, tag)
		} else if r.req, err = on[r.m.Sub].RecvInit(r.buf.Buffer, src, tag); err == nil {
			err = r.req.Start()
		}
		if err != nil {
			return err
		}
	}
	var extra []*comm.Request
	for range p.Extra {
		q, err := on[0].IRecv(ints(0), comm.AnySource, 9)
		if err != nil {
			return err
		}
		extra = append(extra, q)
	}
	err := errors.Join(sendAll(on, p, me), receiveAll(recvs, p, me))
	for _, q := range extra {
		err = errors.Join(err, q.Cancel())
	}
	sts, err2 := finish(p.Finish, extra)
	for _, st := range sts {
		err = errors.Join(err, equal(true, st.Cancelled()))
	}
	for _, r := range recvs {
		if p.Lasting {
			err = errors.Join(err, r.req.Free())
		}
	}
	return errors.Join(err, err2)
}

func sendAll(on [2]*comm.Comm, p phase, me int) error {
	if err := on[0].Barrier(); err != nil { // all receives are posted
		return err
	}
	var reqs []*comm.Request
	for k, m := range p.Messages {
		if m.Src != me {
			continue
		}
		buf := newField(on[0], m.Out, content(k, m)).Buffer
		q, err := sends[m.Send].call(on[m.Sub], buf, m.Dst, m.Tag)
		if err != nil {
			return err
		}
		if q != nil {
			reqs = append(reqs, q)
		}
	}
	return second(finish(p.Finish, reqs))
}

func receiveAll(recvs []posted, p phase, me int) error {
	var seen []int
	type stream struct{ src, tag, sub int }
	last := map[stream]int{} // in the order of posting, messages come in the order of sending
	reqs := make([]*comm.Request, len(recvs))
	for i, r := range recvs {
		reqs[i] = r.req
	}
	sts, err := finish(p.Finish, reqs)
	if err != nil {
		return err
	}
	for i, r := range recvs {
		st := sts[i]
		n, ok := st.Elements(types.Int32)
		if !ok || n < 1 {
			return fmt.Errorf("%v: %d elements", r.m, n)
		}
		head := make([]byte, 4)
		r.buf.Pack(head, 0, r.buf.arch)
		k := int(int32(native.Uint32(head)))
		if k < 0 || k >= len(p.Messages) {
			return fmt.Errorf("%v: message number %d", r.m, k)
		}
		m := p.Messages[k]
		if m.Dst != me || m.Sub != r.m.Sub || m.Src != st.Source || m.Tag != st.Tag ||
			!r.m.AnySource && m.Src != r.m.Src || !r.m.AnyTag && m.Tag != r.m.Tag {
			return fmt.Errorf("receive %v got message %d, %v", r.m, k, m)
		}
		from := stream{m.Src, m.Tag, m.Sub}
		if before, ok := last[from]; ok && before > k {
			return fmt.Errorf("message %d overtook message %d", before, k)
		}
		last[from] = k
		want := content(k, m)
		room := int(r.buf.Packed(r.buf.arch)) / 4
		if err := r.buf.check(append(want, blankVals(room-len(want))...)); err != nil {
			return fmt.Errorf("receive %v of message %d: %w", r.m, k, err)
		}
		seen = append(seen, k)
	}
	var want []int
	for k, m := range p.Messages {
		if m.Dst == me {
			want = append(want, k)
		}
	}
	slices.Sort(seen)
	if !slices.Equal(want, seen) {
		return fmt.Errorf("rank %d received messages %v, want %v", me, seen, want)
	}
	return nil
}

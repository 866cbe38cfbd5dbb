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

// A message of a random program. Everything that it is made of is in it, so a
// failure prints as a program.
type message struct {
	Src, Dst, Tag, Items int
	Out, In              int  // layouts
	ISend                bool // or Send
	AnySource, AnyTag    bool // how it is received
	Sub                  int  // communicator
}

func (m message) String() string {
	return fmt.Sprintf("%d->%d tag %d items %d layouts %d,%d isend %v any %v,%v comm %d",
		m.Src, m.Dst, m.Tag, m.Items, m.Out, m.In, m.ISend, m.AnySource, m.AnyTag, m.Sub)
}

// A phase is messages that may all be under way at once, then a collective.
type phase struct {
	Messages []message
	Order    uint64 // in which receives are posted
	Root     int
	Items    int
	InPlace  bool
}

// A wrong copy, a lost wake-up or a match out of order shows in some program
// under some schedule. Programs, layouts, architectures and schedules are drawn.
func TestRandomPrograms(t *testing.T) {
	t.Run("P2P-04 COLL-01 random programs against a model", func(t *testing.T) {
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
			Order: rapid.Uint64().Draw(t, "order"), Root: rank.Draw(t, "root"),
			Items: rapid.SampledFrom([]int{0, 1, 2, 5, 1500}).Draw(t, "items"), InPlace: rapid.Bool().Draw(t, "in place"),
		}
		for range rapid.IntRange(0, 12).Draw(t, "messages") {
			p.Messages = append(p.Messages, message{
				Src: rank.Draw(t, "src"), Dst: rank.Draw(t, "dst"), Tag: rapid.IntRange(0, 2).Draw(t, "tag"),
				Items: rapid.SampledFrom([]int{0, 1, 3, 50, 20_000}).Draw(t, "items"),
				Out:   rapid.IntRange(0, layouts-1).Draw(t, "out"), In: rapid.IntRange(0, layouts-1).Draw(t, "in"),
				ISend: rapid.Bool().Draw(t, "isend"), AnySource: rapid.Bool().Draw(t, "any source"), AnyTag: rapid.Bool().Draw(t, "any tag"),
				Sub: rapid.IntRange(0, 1).Draw(t, "comm"),
			})
		}
		return p
	})
}

// content is what message k of a phase carries: its number first.
func content(k int, m message) []int32 {
	v := vals(k, m.Tag, m.Items+1)
	v[0] = int32(k)
	return v
}

// runProgram is one rank of a program. Receives are posted before anything is
// sent, so a program cannot deadlock, whatever is buffered. The model of
// matching: a receive gets a message that fits it, and for messages of one
// pair, tag and communicator the order of sends is that of receives.
func runProgram(c *comm.Comm, phases []phase) error {
	d, err := c.Dup()
	if err != nil {
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
	return nil
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
		for _, m := range p.Messages { // whatever else could come here must fit
			if m.Dst == me && m.Sub == r.m.Sub {
				room = max(room, m.Items+1)
			}
		}
		r.buf = newField(on[0], r.m.In, blankVals(room))
		var err error
		if r.req, err = on[r.m.Sub].IRecv(r.buf.Buffer, src, tag); err != nil {
			return err
		}
	}
	return errors.Join(sendAll(on, p, me), receiveAll(recvs, p, me))
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
		if !m.ISend {
			if err := on[m.Sub].Send(buf, m.Dst, m.Tag); err != nil {
				return err
			}
			continue
		}
		q, err := on[m.Sub].ISend(buf, m.Dst, m.Tag)
		if err != nil {
			return err
		}
		reqs = append(reqs, q)
	}
	return second(comm.WaitAll(reqs...))
}

func receiveAll(recvs []posted, p phase, me int) error {
	var seen []int
	type stream struct{ src, tag, sub int }
	last := map[stream]int{} // in the order of posting, messages come in the order of sending
	for _, r := range recvs {
		st, err := r.req.Wait()
		if err != nil {
			return err
		}
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

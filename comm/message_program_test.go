package comm_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/types"
)

// A look is one action of a receiver on the messages in its mailbox.
type look struct {
	Call     int // Recv, IProbe, MProbe, IMProbe, IRecv and Cancel, receive the claimed
	Src, Tag int // may be wild
	Pick     int
}

// letter is a message of the model: queued in the order of sending.
type letter struct{ src, tag, number int }

// Probes, matched probes, receives and cancelled receives in any order against
// a list of messages: each message found must be the one in the list, and no other
// receive may get a claimed message.
func TestMessagePrograms(t *testing.T) {
	t.Run("P2P-04 P2P-05 probes and claims against a list of messages", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			var sent []int // tags
			for range rapid.IntRange(0, 10).Draw(t, "messages") {
				sent = append(sent, rapid.IntRange(0, 2).Draw(t, "tag"))
			}
			looks := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) look {
				return look{
					Call: rapid.IntRange(0, 5).Draw(t, "call"), Src: rapid.SampledFrom([]int{comm.AnySource, 0, comm.ProcNull}).Draw(t, "src"),
					Tag: rapid.SampledFrom([]int{comm.AnyTag, 0, 1, 2}).Draw(t, "tag"), Pick: rapid.IntRange(0, 9).Draw(t, "pick"),
				}
			}), 0, 20).Draw(t, "looks")
			s := setting{comm: commport.LaunchOptions{Eager: rapid.SampledFrom([]int64{0, -1}).Draw(t, "eager")}}
			if rapid.Bool().Draw(t, "seeded") {
				s.sched = seeded(rapid.Uint64().Draw(t, "seed")).sched
			}
			if err := errors.Join(start(2, s, func(c *comm.Comm) error {
				if c.Rank() == 0 {
					return post(c, sent)
				}
				return lookAll(c, sent, looks)
			})...); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// post sends every message with its number, and notifies the receiver when all are there.
func post(c *comm.Comm, tags []int) error {
	var reqs []*comm.Request
	for i, tag := range tags {
		q, err := c.ISend(ints(int32(i)), 1, tag)
		if err != nil {
			return err
		}
		reqs = append(reqs, q)
	}
	if err := sendToken(c, 1); err != nil {
		return err
	}
	return second(comm.WaitAll(reqs...))
}

func lookAll(c *comm.Comm, tags []int, looks []look) error {
	if err := receiveToken(c, 0); err != nil {
		return err
	}
	var queue []letter
	for i, tag := range tags {
		queue = append(queue, letter{0, tag, i})
	}
	var claimed []*comm.Message
	var numbers []int // of the claimed
	got := func(st comm.Status, err error, x []int32, want letter) error {
		if err != nil || st.Source != want.src || st.Tag != want.tag || x != nil && int(x[0]) != want.number {
			return fmt.Errorf("got %v from %d tag %d, want %v: %w", x, st.Source, st.Tag, want, err)
		}
		return nil
	}
	receiveMatched := func(i int) error {
		x := []int32{-1}
		st, err := claimed[i].MRecv(types.Of(x))
		want := letter{0, tags[numbers[i]], numbers[i]}
		claimed, numbers = slices.Delete(claimed, i, i+1), slices.Delete(numbers, i, i+1)
		return got(st, err, x, want)
	}
	take := func(src, tag int) error {
		i := slices.IndexFunc(queue, func(l letter) bool { return tag == comm.AnyTag || tag == l.tag })
		x := []int32{-1}
		st, err := c.Recv(types.Of(x), src, tag)
		want := queue[i]
		queue = slices.Delete(queue, i, i+1)
		return got(st, err, x, want)
	}
	for _, l := range looks {
		if l.Src == comm.ProcNull {
			msg, st, ok, err := c.IMProbe(l.Src, l.Tag)
			if err != nil || !ok || msg != comm.MessageNoProc || st.Source != comm.ProcNull {
				return fmt.Errorf("probe of no rank: %v %v %v %w", msg, st, ok, err)
			}
			continue
		}
		at := slices.IndexFunc(queue, func(m letter) bool { return l.Tag == comm.AnyTag || l.Tag == m.tag })
		var err error
		switch {
		case l.Call == 5 && len(claimed) > 0:
			err = receiveMatched(l.Pick % len(claimed))
		case l.Call == 4 && at < 0:
			q, err2 := c.IRecv(ints(0), l.Src, l.Tag)
			if err2 != nil {
				return err2
			}
			err = q.Cancel()
			st, err2 := q.Wait()
			err = errors.Join(err, err2, equal(true, st.Cancelled()))
		case l.Call == 0 && at >= 0:
			err = take(l.Src, l.Tag)
		case l.Call == 1:
			st, ok, err2 := c.IProbe(l.Src, l.Tag)
			err = errors.Join(err2, equal(at >= 0, ok))
			if ok && at >= 0 {
				err = errors.Join(err, got(st, nil, nil, queue[at]))
			}
		case l.Call == 2 && at < 0:
		case l.Call == 2 || l.Call == 3:
			var msg *comm.Message
			var st comm.Status
			ok := true
			if l.Call == 2 {
				msg, st, err = c.MProbe(l.Src, l.Tag)
			} else {
				msg, st, ok, err = c.IMProbe(l.Src, l.Tag)
			}
			err = errors.Join(err, equal(at >= 0, ok))
			if ok && at >= 0 {
				err = errors.Join(err, got(st, nil, nil, queue[at]))
				claimed, numbers = append(claimed, msg), append(numbers, queue[at].number)
				queue = slices.Delete(queue, at, at+1)
			}
		}
		if err != nil {
			return fmt.Errorf("%+v: %w", l, err)
		}
	}
	for len(claimed) > 0 {
		if err := receiveMatched(0); err != nil {
			return err
		}
	}
	for len(queue) > 0 {
		if err := take(comm.AnySource, comm.AnyTag); err != nil {
			return err
		}
	}
	return nil
}

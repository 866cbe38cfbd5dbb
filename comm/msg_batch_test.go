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

// A note is a message of the model: bytes with one value, or columns of such bytes.
type note struct {
	tag, size int
	value     byte
	columns   bool
}

// looks is the call that receives nothing.
const looks = 0

// gapped is a datatype that no message holds in one piece.
var gapped = types.Vector(2, 1, 2, types.Byte)

// A rank that receives one message after the other takes several out of its mailbox
// together, and short ones take the fast path. With any calls in between, each call must get
// the oldest message that it matches, whole, with its status.
func TestReceiveBatches(t *testing.T) {
	t.Run("P2P-04 P2P-05 rows of messages, with probes and wildcards between", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			s := setting{comm: commport.LaunchOptions{Eager: 1 << 20, CheckBuffers: rapid.Bool().Draw(t, "checked")}}
			if rapid.Bool().Draw(t, "seeded") {
				s.sched = seeded(rapid.Uint64().Draw(t, "seed")).sched
			}
			var steps []func(c *comm.Comm) error
			var there []note
			for range rapid.IntRange(1, 12).Draw(t, "rows") {
				tag, size := rapid.IntRange(0, 1).Draw(t, "tag"), rapid.SampledFrom([]int{0, 8, 100, 300, 70_000}).Draw(t, "size")
				columns := rapid.IntRange(0, 4).Draw(t, "columns") == 0
				for range rapid.IntRange(0, 40).Draw(t, "sends") {
					n := note{tag, size, byte(len(steps)), columns}
					there = append(there, n)
					steps = append(steps, n.send)
				}
				tag = rapid.SampledFrom([]int{0, 0, 1, 1, comm.AnyTag}).Draw(t, "wanted")
				call := rapid.IntRange(0, 4).Draw(t, "call")
				for range rapid.IntRange(0, 40).Draw(t, "receives") {
					i := slices.IndexFunc(there, func(n note) bool { return tag == comm.AnyTag || n.tag == tag })
					if i < 0 {
						break
					}
					n := there[i]
					steps = append(steps, func(c *comm.Comm) error { return n.recv(c, call, tag) })
					if call != looks {
						there = slices.Delete(there, i, i+1)
					}
				}
			}
			for _, n := range there { // the rest
				steps = append(steps, func(c *comm.Comm) error { return n.recv(c, 3, n.tag) })
			}
			if err := errors.Join(start(1, s, func(c *comm.Comm) error {
				for i, do := range steps {
					if err := do(c); err != nil {
						return fmt.Errorf("step %d: %w", i, err)
					}
				}
				return nil
			})...); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// buffer returns a buffer for n, with every byte set to that value.
func (n note) buffer(value byte) types.Buffer {
	if n.columns {
		return types.Raw(slices.Repeat([]byte{value}, 2*n.size), int64(n.size/2), gapped)
	}
	return types.Of(slices.Repeat([]byte{value}, n.size))
}

func (n note) send(c *comm.Comm) error {
	if n.value%2 == 0 {
		return c.Send(n.buffer(n.value), 0, n.tag)
	}
	q, err := c.ISend(n.buffer(n.value), 0, n.tag)
	if err != nil {
		return err
	}
	st, err := q.Wait()
	return errors.Join(err, equal(comm.Status{}, st))
}

// recv gets n by one of several calls; looks only looks at it.
func (n note) recv(c *comm.Comm, call, tag int) error {
	buf := n.buffer(n.value + 1)
	var st comm.Status
	var err error
	switch call {
	case looks:
		if st, err = c.Probe(0, tag); err == nil {
			err = equal(n.tag, st.Tag)
		}
		return err
	case 1:
		var q *comm.Request
		if q, err = c.IRecv(buf, 0, tag); err == nil {
			st, err = q.Wait()
		}
	case 2:
		var m *comm.Message
		if m, _, err = c.MProbe(0, tag); err == nil {
			st, err = m.MRecv(buf)
		}
	default:
		st, err = c.Recv(buf, 0, tag)
	}
	got := make([]byte, n.size)
	buf.Pack(got, 0, c.Arch())
	return errors.Join(err, equal(slices.Repeat([]byte{n.value}, n.size), got),
		equal([2]int{0, n.tag}, [2]int{st.Source, st.Tag}), equal(int64(n.size), count(st, types.Byte)))
}

// A rank that has sent nothing yet has no usual datatype, and an empty buffer has none
// either.
func TestUsualTypeOfEmptyBuffers(t *testing.T) {
	t.Run("P2P-08 the first message is of no datatype", func(t *testing.T) {
		errs := start(2, setting{}, func(c *comm.Comm) error {
			if c.Rank() == 1 { // so that rank 0 has found the mailbox
				q, err := c.IRecv(types.Of([]int32{0}), 0, 7)
				return errors.Join(err, c.Send(types.Of([]int32{1}), 0, 7), q.Cancel(), second(q.Wait()))
			}
			_, err := c.Recv(types.Of([]int32{0}), 1, 7)
			refused(t, c.Send(types.Buffer{}, 1, 7), comm.ErrType, "DT-ARG-01")
			return err
		})
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	})
}

// The datatypes of messages are remembered for collectives, too.
func TestUsualTypeOfInPlace(t *testing.T) {
	t.Run("COLL-01 InPlace after a message of it", func(t *testing.T) {
		errs := start(1, setting{}, func(c *comm.Comm) error {
			refused(t, c.Send(comm.InPlace, 0, 7), comm.ErrBuffer, "P2P-08")
			refused(t, c.Bcast(comm.InPlace, 0), comm.ErrBuffer, "COLL-01")
			return nil
		})
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	})
}

package comm_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
)

// A tight is a receive whose count may exceed its memory, and the message for it.
type tight struct {
	Elem   int   // of the message: long, byte, packed
	Sent   int64 // items of the message
	Shape  int   // datatype of the receive, made of that element
	Count  int64
	Origin int64
	Memory int64
	Call   int
	Send   int
	Posted bool // before the message is sent
}

var (
	tightElems  = []*types.Type{types.Long, types.Byte, types.Packed}
	tightShapes = []func(e *types.Type) *types.Type{
		func(e *types.Type) *types.Type { return e },
		func(e *types.Type) *types.Type { return types.Contiguous(3, e) },
		func(e *types.Type) *types.Type { return types.Vector(2, 1, 3, e) },
		func(e *types.Type) *types.Type {
			return types.Indexed([]types.Block{{Len: 1, Disp: 2}, {Len: 2, Disp: 0}}, e)
		},
		func(e *types.Type) *types.Type { return types.Indexed([]types.Block{{Len: 1, Disp: -2}}, e) },
		func(e *types.Type) *types.Type { return types.Resized(types.Vector(2, 1, 2, e), 0, -40) },
	}
)

const tightCalls, tightSends = 10, 4

func drawTight(t *rapid.T) tight {
	x := tight{
		Elem: rapid.IntRange(0, len(tightElems)-1).Draw(t, "element"), Sent: rapid.Int64Range(0, 12).Draw(t, "sent"),
		Shape: rapid.IntRange(0, len(tightShapes)-1).Draw(t, "shape"), Count: rapid.Int64Range(0, 12).Draw(t, "count"),
		Origin: rapid.Int64Range(-8, 60).Draw(t, "origin"), Memory: rapid.Int64Range(0, 110).Draw(t, "memory"),
		Call: rapid.IntRange(0, tightCalls-1).Draw(t, "call"), Send: rapid.IntRange(0, tightSends-1).Draw(t, "send"),
		Posted: rapid.Bool().Draw(t, "posted"),
	}
	if rapid.Bool().Draw(t, "plain") { // as most receives are
		x.Shape, x.Origin = 0, 0
	}
	return x
}

// item returns item i of the message as it is in memory of size bytes, little-endian.
func item(i, size int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(i+1))[:size] }

// want computes, byte by byte, the memory after the receive, and its error.
func (x *tight) want(mem []byte, s *reps.Arch) (errclass.Class, error) {
	elem := tightElems[x.Elem]
	size := elem.Size(s)
	all := naive.Of(tightShapes[x.Shape](elem), s).Bytes(x.Count)
	if x.Sent*size > int64(len(all)) {
		return comm.ErrTruncate, errors.New("P2P-MATCH-03")
	}
	for _, off := range all[:x.Sent*size] {
		if at := x.Origin + off; at < 0 || at >= int64(len(mem)) {
			return comm.ErrBuffer, errors.New("P2P-09")
		}
	}
	for i := range x.Sent {
		for j, b := range item(i, size) {
			mem[x.Origin+all[i*size+int64(j)]] = b
		}
	}
	return 0, nil
}

func (x *tight) send(c *comm.Comm, tag int) error {
	elem := tightElems[x.Elem]
	var mem []byte
	for i := range x.Sent {
		mem = append(mem, item(i, elem.Size(c.Arch()))...)
	}
	buf := types.Raw(mem, x.Sent, elem)
	switch x.Send {
	case 1:
		return c.SSend(buf, 1, tag)
	case 2:
		return first(c.ISend(buf, 1, tag))
	case 3:
		return errors.Join(c.BufferAttach(make([]byte, 1<<10)), c.BSend(buf, 1, tag), second(c.BufferDetach()))
	}
	return c.Send(buf, 1, tag)
}

func first(q *comm.Request, err error) error {
	if err != nil {
		return err
	}
	return second(q.Wait())
}

// receive returns the status and the error of the message; errors of the test itself are the
// last result. posted is called when the receive waits, or would.
func (x *tight) receive(c *comm.Comm, buf types.Buffer, tag int, posted func() error) (st comm.Status, failed, bad error) {
	null := comm.To{Rank: comm.ProcNull}
	wait := func(q *comm.Request, err error) (comm.Status, error, error) {
		if bad := cmp.Or(err, posted()); bad != nil {
			return st, nil, bad
		}
		st, err := q.Wait()
		return st, err, nil
	}
	switch x.Call {
	case 1:
		return wait(c.IRecv(buf, 0, tag))
	case 2, 3: // the second time is the one that counts
		q, err := c.RecvInit(buf, 0, tag)
		st, failed, bad = wait(q, cmp.Or(err, q.Start()))
		return st, failed, cmp.Or(bad, q.Free())
	case 4:
		return wait(c.ISendRecv(types.Of([]byte{}), null, buf, comm.From{Rank: 0, Tag: tag}))
	case 5:
		return wait(c.IRecv(buf, comm.AnySource, tag))
	}
	if bad = posted(); bad != nil {
		return st, nil, bad
	}
	switch x.Call {
	case 6:
		st, failed = c.SendRecv(types.Of([]byte{}), null, buf, comm.From{Rank: 0, Tag: tag})
	case 7, 8:
		m, _, err := c.MProbe(0, tag)
		if err != nil {
			return st, nil, err
		}
		if x.Call == 7 {
			st, failed = m.MRecv(buf)
			break
		}
		q, err := m.IMRecv(buf)
		if err != nil {
			return st, nil, err
		}
		st, failed = q.Wait()
	default:
		st, failed = c.Recv(buf, 0, tag)
	}
	return st, failed, nil
}

// checkTight carries out one receive with bytes around its memory that nothing may change.
func (x *tight) check(c *comm.Comm, tag int, posted func() error) error {
	const edge = 64
	around := bytes.Repeat([]byte{0xee}, int(2*edge+x.Memory))
	want := slices.Clone(around)
	class, rule := x.want(want[edge:edge+x.Memory], c.Arch())
	elem := tightElems[x.Elem]
	buf := types.Raw(around[edge:edge+x.Memory:edge+x.Memory], x.Count, tightShapes[x.Shape](elem)).At(x.Origin)
	st, failed, bad := x.receive(c, buf, tag, posted)
	if bad != nil {
		return fmt.Errorf("%+v: %w", *x, bad)
	}
	if failed != nil || rule != nil {
		var e *comm.Error
		if !errors.As(failed, &e) || rule == nil || e.Class != class || e.Rule != rule.Error() {
			return fmt.Errorf("%+v: %v, want %v %v", *x, failed, class, rule)
		}
		st = comm.Status{Source: st.Source, Tag: st.Tag}
	} else if st.Bytes() != x.Sent*elem.Size(c.Arch()) {
		return fmt.Errorf("%+v: %d bytes", *x, st.Bytes())
	}
	if st.Source != 0 || st.Tag != tag {
		return fmt.Errorf("%+v: a message from %d with tag %d", *x, st.Source, st.Tag)
	}
	if !bytes.Equal(around, want) {
		return fmt.Errorf("%+v: % x, want % x", *x, around, want)
	}
	return nil
}

// The count of a receive may exceed its memory: a program may receive 15 numbers into an
// array of 10, if 10 arrive. What does not fit may not be stored behind the array.
func TestShortReceive(t *testing.T) {
	t.Run("P2P-09 messages, counts, memories and receives of all kinds", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			list := rapid.SliceOfN(rapid.Custom(drawTight), 1, 12).Draw(t, "receives")
			same := rapid.Bool().Draw(t, "one tag") // messages of one envelope are taken together
			s := setting{}
			if rapid.Bool().Draw(t, "unlike") {
				s = unlike(reps.LP64LE, reps.ILP32LE)
			}
			if rapid.Bool().Draw(t, "seeded") {
				s.sched = seeded(rapid.Uint64().Draw(t, "seed")).sched
			}
			s.comm.Eager = rapid.SampledFrom([]int64{0, -1, 8}).Draw(t, "eager")
			s.comm.CheckBuffers = rapid.Bool().Draw(t, "guards")
			tag := func(i int) int {
				if same {
					return 3
				}
				return i
			}
			err := errors.Join(start(2, s, func(c *comm.Comm) error {
				for i := range list {
					x := &list[i]
					var err error
					switch {
					case c.Rank() == 0 && x.Posted:
						err = cmp.Or(receiveToken(c, 1), x.send(c, tag(i)))
					case c.Rank() == 0:
						err = x.send(c, tag(i))
					case x.Posted:
						err = x.check(c, tag(i), func() error { return sendToken(c, 0) })
					default:
						err = x.check(c, tag(i), func() error { return nil })
					}
					if err != nil {
						return err
					}
				}
				return nil
			})...)
			if err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("P2P-09 P2P-06 each start of a persistent receive is a message of its own", func(t *testing.T) {
		pair(t, setting{}, func(c *comm.Comm) error {
			return errors.Join(c.Send(ints(1, 2, 3), 1, 0), c.Send(ints(1, 2, 3, 4), 1, 0), c.Send(ints(7, 8), 1, 0))
		}, func(c *comm.Comm) error {
			x := make([]int32, 3)
			q, err := c.RecvInit(types.Of(x).Times(5), 0, 0)
			errs := []error{err, q.Start(), second(q.Wait()), equal([]int32{1, 2, 3}, x), q.Start()}
			refused(t, second(q.Wait()), comm.ErrBuffer, "P2P-09")
			return errors.Join(append(errs, equal([]int32{1, 2, 3}, x), q.Start(), second(q.Wait()), equal([]int32{7, 8, 3}, x), q.Free())...)
		})
	})
	t.Run("P2P-09 the text says what fits, who sent, and what to do", func(t *testing.T) {
		pair(t, setting{}, func(c *comm.Comm) error {
			return errors.Join(c.Send(ints(1, 2, 3, 4), 1, 0), c.Send(ints(1, 2, 3, 4), 1, 0), c.Send(ints(1, 2, 3, 4), 1, 0))
		}, func(c *comm.Comm) error {
			x := make([]int32, 4)[:3]
			_, err := c.Recv(types.Of(x).Times(5), 0, 0)
			assert.ErrorContains(t, err, "4 x int32 are within the count of the receive, 5 x int32, but its memory has 12 bytes, for 3 of the 4 items; "+
				"the slice has the capacity, so receive into all of it: x[:cap(x)]; rank 0 sent it with tag 0")
			_, err = c.Recv(types.Of(x[:cap(x)]).Times(5), 0, 0)
			assert.NoError(t, err, "the advice works")
			_, err = c.Recv(types.Of(x[:3:3]).Times(5), 0, 0)
			assert.ErrorContains(t, err, "for 3 of the 4 items; rank 0 sent it")
			return nil
		})
	})
	t.Run("P2P-09 P2P-03 memory behind the slice belongs to others", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			x := []int32{1, 2, 3, 4, 5, 6}
			_, err := c.SendRecv(types.Of(x[4:]), comm.To{}, types.Of(x[:4]).Times(6), comm.From{})
			errs := []error{err, equal([]int32{5, 6, 3, 4, 5, 6}, x)}
			_, err = c.SendRecv(types.Of(x[3:5]), comm.To{}, types.Of(x[:4]).Times(6), comm.From{})
			refused(t, err, comm.ErrBuffer, "P2P-03")
			return errors.Join(errs...)
		})
	})
	t.Run("P2P-09 what moves its whole count needs memory for it", func(t *testing.T) {
		long := types.Of(make([]int32, 2)).Times(3)
		for name, call := range map[string]func(c *comm.Comm) (string, error){
			"Send":     func(c *comm.Comm) (string, error) { return "P2P-08", c.Send(long, 0, 0) },
			"ISend":    func(c *comm.Comm) (string, error) { return "P2P-08", second(c.ISend(long, 0, 0)) },
			"SendInit": func(c *comm.Comm) (string, error) { return "P2P-08", second(c.SendInit(long, 0, 0)) },
			"SendRecvReplace": func(c *comm.Comm) (string, error) {
				return "P2P-08", second(c.SendRecvReplace(long, comm.To{}, comm.From{}))
			},
			"PSendInit": func(c *comm.Comm) (string, error) { return "P2P-08", second(c.PSendInit(long, 1, 0, 0)) },
			"PRecvInit": func(c *comm.Comm) (string, error) { return "P2P-09", second(c.PRecvInit(long, 1, 0, 0)) },
			"Bcast":     func(c *comm.Comm) (string, error) { return "COLL-01", c.Bcast(long, 0) },
			"Gather":    func(c *comm.Comm) (string, error) { return "COLL-01", c.Gather(ints(1, 2, 3), long, 0) },
			"AllReduce": func(c *comm.Comm) (string, error) { return "COLL-01", c.AllReduce(ints(1, 2, 3), long, comm.Sum) },
			"ScatterV": func(c *comm.Comm) (string, error) {
				return "COLL-01", c.ScatterV(ints(1, 2, 3), []int64{3}, nil, long, 0)
			},
			"Unpack": func(c *comm.Comm) (string, error) { return "PK-01", second(c.Unpack(make([]byte, 12), 0, long)) },
		} {
			t.Run(name, func(t *testing.T) {
				ranks(t, 1, func(c *comm.Comm) error {
					rule, err := call(c)
					refused(t, err, comm.ErrBuffer, rule)
					return nil
				})
			})
		}
	})
	t.Run("P2P-09 counts without bound", func(t *testing.T) {
		pair(t, setting{comm: commport.LaunchOptions{CheckBuffers: true}}, func(c *comm.Comm) error {
			return errors.Join(c.Send(ints(1, 2, 3), 1, 0), c.Send(ints(1, 2, 3), 1, 0))
		}, func(c *comm.Comm) error {
			x := make([]int32, 3)
			q, err := c.IRecv(types.Of(x).Times(1<<40), 0, 0)
			errs := []error{err, second(q.Wait()), equal([]int32{1, 2, 3}, x)}
			_, err = c.Recv(types.Of(x).Times(1<<62), 0, 0)
			refused(t, err, comm.ErrBuffer, "P2P-08")
			return errors.Join(append(errs, second(c.Recv(types.Of(x), 0, 0)))...)
		})
	})
	t.Run("P2P-09 P2P-02 a write into a buffer under way is found", func(t *testing.T) {
		ranks := setting{comm: commport.LaunchOptions{CheckBuffers: true}}
		assert.NoError(t, errors.Join(start(1, ranks, func(c *comm.Comm) error {
			x := make([]int32, 3, 4)
			q, err := c.IRecv(types.Of(x).Times(5), 0, 0)
			x[2] = 1
			errs := []error{err, c.Send(ints(1), 0, 0)}
			refused(t, second(q.Wait()), comm.ErrBuffer, "P2P-02")
			q, err = c.IRecv(types.Of(x).Times(5), 0, 0)
			x[:4][3] = 1 // behind it
			return errors.Join(append(errs, err, c.Send(ints(1), 0, 0), second(q.Wait()))...)
		})...))
	})
}

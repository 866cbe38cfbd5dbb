package comm_test

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A program picks a mode for the meaning of its completion. If a mode promised more or less
// than in the standard, programs would hang elsewhere or lose data.
func TestSendModes(t *testing.T) {
	t.Run("P2P-01 a synchronous send ends after its receive has begun", func(t *testing.T) {
		pair(t, setting{}, func(c *comm.Comm) error {
			q, err := c.ISSend(ints(1), 1, 0)
			if err != nil {
				return err
			}
			_, ok, err := q.Test()
			err = errors.Join(err, equal(false, ok), sendToken(c, 1))
			return errors.Join(err, second(q.Wait()), c.SSend(ints(2), 1, 0))
		}, func(c *comm.Comm) error {
			x := []int32{0}
			err := receiveToken(c, 0)
			for _, want := range []int32{1, 2} {
				_, err2 := c.Recv(types.Of(x), 0, 0)
				err = errors.Join(err, err2, equal(want, x[0]))
			}
			return err
		})
	})
	t.Run("P2P-01 a synchronous send without a receive is a deadlock, a standard one is not", func(t *testing.T) {
		var d *sched.DeadlockError
		for _, err := range start(2, setting{}, func(c *comm.Comm) error {
			if err := c.Send(ints(1), 1-c.Rank(), 0); err != nil {
				return err
			}
			return c.SSend(ints(1), 1-c.Rank(), 0)
		}) {
			if assert.ErrorAs(t, err, &d) {
				assert.Equal(t, "SSend to 0 tag 0 on COMM_WORLD", d.Ranks[1].Why)
			}
		}
	})
	t.Run("P2P-01 a ready send needs a posted receive", func(t *testing.T) {
		pair(t, setting{}, func(c *comm.Comm) error {
			refused(t, c.RSend(ints(1), 1, 5), comm.ErrOther, "P2P-01")
			q, err := c.IRSend(ints(1), 1, 5)
			refused(t, second(q.Wait()), comm.ErrOther, "P2P-01")
			err = errors.Join(err, sendToken(c, 1), receiveToken(c, 1), c.RSend(ints(6), 1, 5), receiveToken(c, 1))
			q, err2 := c.IRSend(ints(7), 1, 5)
			return errors.Join(err, err2, second(q.Wait()))
		}, func(c *comm.Comm) error {
			err := receiveToken(c, 0)
			_, ok, err2 := c.IProbe(0, 5)
			err = errors.Join(err, err2, equal(false, ok))
			for _, want := range []int32{6, 7} {
				x := []int32{0}
				q, err2 := c.IRecv(types.Of(x), 0, 5)
				err = errors.Join(err, err2, sendToken(c, 0), second(q.Wait()), equal(want, x[0]))
			}
			return err
		})
	})
}

// Only the completion of a synchronous send says something about the receiver, so an access
// after it may rely on the receiver's earlier actions.
func TestSynchronousSendOrders(t *testing.T) {
	t.Run("CONS-D09 P2P-01 a receive that has begun is before the end of its synchronous send", func(t *testing.T) {
		for name, send := range map[string]func(c *comm.Comm) error{
			"SSend": func(c *comm.Comm) error { return c.SSend(ints(1), 1, 0) },
			"ISSend": func(c *comm.Comm) error {
				q, err := c.ISSend(ints(1), 1, 0)
				return errors.Join(err, second(q.Wait()))
			},
		} {
			for seed := range uint64(10) {
				assert.Equal(t, []string{"xx.", "xx.", "..x"}, clocksAfter(t, 3, func(c *comm.Comm) error {
					switch c.Rank() {
					case 0:
						return send(c)
					case 1:
						return second(c.Recv(ints(0), 0, 0))
					}
					return nil
				}, world.Seed(seed)), "%s seed %d", name, seed)
			}
		}
	})
}

// A program that relies on buffering works up to the size of an eager message, and no farther.
func TestSendsToEachOther(t *testing.T) {
	for size, works := range map[int]bool{8: true, 9: false} {
		for _, err := range start(2, setting{comm: commport.LaunchOptions{Eager: 8}}, func(c *comm.Comm) error {
			err := c.Send(types.Of(make([]byte, size)), 1-c.Rank(), 0)
			return errors.Join(err, second(c.Recv(types.Of(make([]byte, size)), 1-c.Rank(), 0)))
		}) {
			assert.Equal(t, works, err == nil, "P2P-01: %d bytes: %v", size, err)
		}
	}
}

func TestBufferedSends(t *testing.T) {
	const room = 2 * (comm.BSendOverhead + 1000)
	t.Run("P2P-01 buffered sends do not wait, and take room until received", func(t *testing.T) {
		pair(t, setting{comm: commport.LaunchOptions{Eager: -1}}, func(c *comm.Comm) error {
			big := types.Of(make([]byte, 1000))
			refused(t, c.BSend(big, 1, 0), comm.ErrBuffer, "P2P-01")
			mem := make([]byte, room)
			err := c.BufferAttach(mem)
			refused(t, c.BufferAttach(mem), comm.ErrBuffer, "P2P-01")
			err = errors.Join(err, c.BSend(big, 1, 0), c.BSend(big, 1, 0))
			refused(t, c.BSend(types.Of([]byte{}), 1, 0), comm.ErrBuffer, "P2P-01")
			q, err2 := c.IBSend(big, 1, 0)
			refused(t, err2, comm.ErrBuffer, "P2P-01")
			err = errors.Join(err, equal((*comm.Request)(nil), q), sendToken(c, 1), c.SSend(ints(0), 1, 1)) // 1 has received them
			q, err2 = c.IBSend(big, 1, 0)
			err = errors.Join(err, err2, second(q.Wait()), c.SSend(ints(0), 1, 1), c.BufferFlush())
			p, err2 := c.BSendInit(big, 1, 0)
			for range 3 {
				err2 = errors.Join(err2, p.Start(), second(p.Wait()), c.BufferFlush())
			}
			err2 = errors.Join(err2, p.Free())
			back, err3 := c.BufferDetach()
			err = errors.Join(err, err2, err3, equal(len(mem), len(back)), equal(&mem[0], &back[0]))
			_, err4 := c.BufferDetach()
			refused(t, err4, comm.ErrBuffer, "P2P-01")
			refused(t, c.BufferFlush(), comm.ErrBuffer, "P2P-01")
			return err
		}, func(c *comm.Comm) error {
			err := receiveToken(c, 0)
			get := func(n, size int) {
				for range n {
					st, err2 := c.Recv(types.Of(make([]byte, 1000)), 0, 0)
					err = errors.Join(err, err2, equal(int64(size), count(st, types.Byte)))
				}
				_, err2 := c.Recv(ints(0), 0, 1)
				err = errors.Join(err, err2)
			}
			get(2, 1000)
			get(1, 1000)
			for range 3 {
				err = errors.Join(err, second(c.Recv(types.Of(make([]byte, 1000)), 0, 0)))
			}
			return err
		})
	})
	t.Run("P2P-01 detaching waits until messages are received", func(t *testing.T) {
		var d *sched.DeadlockError
		err := errors.Join(start(2, setting{}, func(c *comm.Comm) error {
			if c.Rank() == 1 {
				return nil
			}
			err := errors.Join(c.BufferAttach(make([]byte, 100)), c.BSend(ints(1), 1, 0))
			return errors.Join(err, second(c.BufferDetach()))
		})...)
		if assert.ErrorAs(t, err, &d) {
			assert.Contains(t, d.Ranks[0].Why, "BufferDetach, for 1 buffered message to be received by rank 1")
		}
	})
}

func TestSendRecvForms(t *testing.T) {
	for _, eager := range []int64{0, -1} {
		s := setting{comm: commport.LaunchOptions{Eager: eager}}
		t.Run("P2P-03 a ring in every form", func(t *testing.T) {
			const n = 3
			for _, s := range []setting{s, {sched: seeded(9).sched, comm: s.comm}} {
				assert.NoError(t, errors.Join(start(n, s, func(c *comm.Comm) error {
					me := c.Rank()
					next, last := (me+1)%n, (me+n-1)%n
					x := []int32{int32(me), int32(me)}
					col := types.Raw(make([]byte, 16), 1, types.Vector(2, 1, 2, types.Int32))
					col.Unpack([]byte{byte(me), 0, 0, 0, byte(me), 0, 0, 0}, 0, c.Arch())
					st, err := c.SendRecvReplace(types.Of(x), comm.To{Rank: next, Tag: 1}, comm.From{Rank: last, Tag: 1})
					err = errors.Join(err, equal([]int32{int32(last), int32(last)}, x), equal(last, st.Source))
					q, err2 := c.ISendRecvReplace(col, comm.To{Rank: next, Tag: 2}, comm.From{Rank: last, Tag: 2})
					err = errors.Join(err, err2, second(q.Wait()), equal(byte(last), col.Mem()[8]), equal(byte(0), col.Mem()[4]))
					y := []int32{-1}
					q, err2 = c.ISendRecv(ints(int32(me)), comm.To{Rank: next, Tag: 3}, types.Of(y), comm.From{Rank: last, Tag: 3})
					if err2 != nil {
						return err2
					}
					refused(t, q.Cancel(), comm.ErrRequest, "P2P-02")
					i, st, err3 := comm.WaitAny(nil, q)
					err = errors.Join(err, err3, equal(int32(last), y[0]), equal(1, i), equal(3, st.Tag))
					st, err4 := c.SendRecvReplace(types.Of(x), comm.To{Rank: comm.ProcNull}, comm.From{Rank: comm.ProcNull})
					return errors.Join(err, err4, equal(comm.ProcNull, st.Source), equal(int32(last), x[0]))
				})...))
			}
		})
	}
}

func TestCancel(t *testing.T) {
	t.Run("P2P-02 STAT-01 receives and unmatched sends can be cancelled", func(t *testing.T) {
		pair(t, setting{comm: commport.LaunchOptions{Eager: -1}}, func(c *comm.Comm) error {
			q, err := c.ISend(ints(1), 1, 0)
			err2 := q.Cancel()
			st, err3 := q.Wait()
			return errors.Join(err, err2, err3, equal(true, st.Cancelled()), sendToken(c, 1), c.Send(ints(2), 1, 0))
		}, func(c *comm.Comm) error {
			x := []int32{0}
			q, err := c.IRecv(types.Of(x), 0, 9)
			err2 := errors.Join(receiveToken(c, 0), q.Cancel())
			st, ok, err3 := q.Test()
			refused(t, q.Cancel(), comm.ErrRequest, "P2P-02")
			err = errors.Join(err, err2, err3, equal(true, ok), equal(true, st.Cancelled()))
			st, err2 = c.Recv(types.Of(x), 0, 0)
			return errors.Join(err, err2, equal(int32(2), x[0]), equal(false, st.Cancelled()))
		})
	})
	t.Run("P2P-02 a receive that has its message is not cancelled", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			x := []int32{0}
			q, err := c.IRecv(types.Of(x), 0, 0)
			err2 := c.Send(ints(4), 0, 0)
			err3 := q.Cancel()
			st, err4 := q.Wait()
			return errors.Join(err, err2, err3, err4, equal(false, st.Cancelled()), equal(int32(4), x[0]))
		})
	})
	t.Run("P2P-02 Free lets a message complete by itself", func(t *testing.T) {
		pair(t, setting{comm: commport.LaunchOptions{Eager: -1}}, func(c *comm.Comm) error {
			q, err := c.ISend(ints(5), 1, 0)
			err = errors.Join(err, q.Free())
			st, err2 := q.Wait()
			return errors.Join(err, err2, equal(comm.AnySource, st.Source), receiveToken(c, 1))
		}, func(c *comm.Comm) error {
			x := []int32{0}
			_, err := c.Recv(types.Of(x), 0, 0)
			return errors.Join(err, equal(int32(5), x[0]), sendToken(c, 0))
		})
	})
}

func TestMatchedProbe(t *testing.T) {
	for _, eager := range []int64{0, -1} {
		t.Run("P2P-05 a message that was found is its finder's", func(t *testing.T) {
			pair(t, setting{comm: commport.LaunchOptions{Eager: eager}}, func(c *comm.Comm) error {
				_, _, ok, err := c.IMProbe(1, comm.AnyTag)
				err = errors.Join(err, equal(false, ok), sendToken(c, 1))
				a, err2 := c.ISend(ints(1, 2), 1, 3)
				b, err3 := c.ISend(ints(7), 1, 3)
				_, err4 := comm.WaitAll(a, b)
				return errors.Join(err, err2, err3, err4)
			}, func(c *comm.Comm) error {
				err := receiveToken(c, 0)
				msg, st, err2 := c.MProbe(comm.AnySource, comm.AnyTag)
				err = errors.Join(err, err2, equal(int64(2), count(st, types.Int32)), equal(3, st.Tag))
				x, y := []int32{0}, []int32{0, 0}
				st, err2 = c.Recv(types.Of(x), 0, 3) // the second one
				err = errors.Join(err, err2, equal(int32(7), x[0]))
				q, err2 := msg.IMRecv(types.Of(y))
				err = errors.Join(err, err2, second(q.Wait()), equal([]int32{1, 2}, y))
				_, err2 = msg.MRecv(types.Of(y))
				refused(t, err2, comm.ErrArg, "P2P-05")
				return err
			})
		})
	}
	t.Run("P2P-05 MRecv checks the datatype, and the message is gone", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			err := c.Send(ints(1, 2), 0, 3)
			msg, _, ok, err2 := c.IMProbe(0, 3)
			_, err3 := msg.MRecv(types.Of([]float32{0, 0}))
			refused(t, err3, comm.ErrType, "P2P-MATCH-02")
			_, gone, err4 := c.IProbe(0, 3)
			return errors.Join(err, err2, err4, equal(true, ok), equal(false, gone))
		})
	})
	t.Run("P2P-05 MessageNoProc", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			msg, st, err := c.MProbe(comm.ProcNull, 1)
			st2, err2 := msg.MRecv(ints(0))
			q, err3 := msg.IMRecv(ints(0))
			i, st3, err4 := comm.WaitAny(q)
			r, err5 := comm.MessageNoProc.IMRecv(ints(0))
			done, sts, err6 := comm.WaitSome(r, nil)
			return errors.Join(err, err2, err3, err4, err5, err6, equal(true, msg == comm.MessageNoProc), equal(0, i), equal([]int{0}, done),
				equal(comm.ProcNull, st.Source), equal(st, st2), equal(st, st3), equal(st, sts[0]))
		})
	})
	t.Run("P2P-05 an abort releases the sender of a found message", func(t *testing.T) {
		boom := errors.New("boom")
		errs := start(2, setting{comm: commport.LaunchOptions{Eager: -1}}, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return c.Send(ints(1), 1, 0)
			}
			_, _, err := c.MProbe(0, 0)
			return errors.Join(err, boom)
		})
		assert.ErrorIs(t, errs[0], boom)
	})
}

func TestPersistent(t *testing.T) {
	t.Run("P2P-06 the cycle of persistent requests", func(t *testing.T) {
		pair(t, setting{}, func(c *comm.Comm) error {
			x := []int32{0}
			var reqs []*comm.Request
			a, err := c.SendInit(types.Of(x), 1, 0)
			b, err2 := c.SSendInit(types.Of(x), 1, 1)
			r, err3 := c.RSendInit(types.Of(x), 1, 2)
			reqs = append(reqs, a, b, r)
			err = errors.Join(err, err2, err3)
			st, err2 := a.Wait() // inactive
			err = errors.Join(err, err2, equal(comm.AnySource, st.Source))
			for i := range int32(3) {
				x[0] = i
				err = errors.Join(err, receiveToken(c, 1), comm.StartAll(reqs...))
				refused(t, a.Start(), comm.ErrRequest, "P2P-06")
				_, err2 := comm.WaitAll(reqs...)
				err = errors.Join(err, err2)
			}
			for _, q := range reqs {
				err = errors.Join(err, q.Free())
				refused(t, q.Start(), comm.ErrRequest, "P2P-06")
				refused(t, q.Free(), comm.ErrRequest, "P2P-02")
			}
			plain, err2 := c.IRecv(ints(0), comm.ProcNull, 0)
			refused(t, plain.Start(), comm.ErrRequest, "P2P-06")
			return errors.Join(err, err2, second(plain.Wait()))
		}, func(c *comm.Comm) error {
			x := make([][]int32, 3)
			reqs := make([]*comm.Request, 3)
			var err error
			for i := range reqs {
				x[i] = []int32{-1}
				var err2 error
				reqs[i], err2 = c.RecvInit(types.Of(x[i]), 0, i)
				err = errors.Join(err, err2)
			}
			for k := range int32(3) {
				err = errors.Join(err, comm.StartAll(reqs...), sendToken(c, 0))
				sts, err2 := comm.WaitAll(reqs...)
				for i := range reqs {
					err = errors.Join(err, err2, equal(k, x[i][0]), equal(i, sts[i].Tag))
				}
			}
			for _, q := range reqs {
				err = errors.Join(err, q.Start(), q.Cancel())
				st, err2 := q.Wait()
				err = errors.Join(err, err2, equal(true, st.Cancelled()), q.Free())
			}
			return err
		})
	})
	t.Run("P2P-06 to and from no rank", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			q, err := c.RecvInit(ints(0), comm.ProcNull, 0)
			for range 2 {
				err2 := q.Start()
				st, err3 := q.Wait()
				err = errors.Join(err, err2, err3, equal(comm.ProcNull, st.Source))
			}
			return errors.Join(err, q.Free())
		})
	})
}

// The line of a send is that of its call, also if several are in one function.
func TestModesLines(t *testing.T) {
	var want, got [][]string
	errs := start(2, setting{comm: commport.LaunchOptions{CheckHandles: true}}, func(c *comm.Comm) error {
		x := types.Of([]int32{1})
		if c.Rank() == 0 {
			if err := c.BufferAttach(comm.BufferAutomatic); err != nil {
				return err
			}
			here := line()
			_ = c.SSend(x, 1, 0)
			_ = c.SSend(x, 1, 1)
			_ = c.BSend(x, 1, 2)
			_ = c.BSend(x, 1, 3)
			_ = c.Send(x, 1, 4)
			_ = c.Send(x, 1, 5)
			for i := range 6 {
				want = append(want, []string{fmt.Sprintf("msg_modes_test.go:%d", here+1+i)})
			}
			_, err := c.BufferDetach()
			return err
		}
		for tag := range 6 {
			_, err := c.Recv(types.Of(make([]float32, 1)), 0, tag)
			if err == nil {
				return errors.New("float32 received int32")
			}
			got = append(got, regexp.MustCompile(`sent it with tag \d+ at (msg_modes_test\.go:\d+)`).FindStringSubmatch(err.Error())[1:])
		}
		return nil
	})
	assert.NoError(t, errors.Join(errs...))
	assert.Equal(t, want, got)
}

// line returns the line of its call.
func line() int {
	_, _, n, _ := runtime.Caller(1)
	return n
}

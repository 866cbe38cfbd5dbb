package comm_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// The state of a message is recycled for the next request. If a request that is
// complete saw the new state, a program that asks it again would complete another
// message, or report its result.
func TestRequestReuse(t *testing.T) {
	empty := comm.Status{Source: comm.AnySource, Tag: comm.AnyTag}
	t.Run("P2P-02 a complete request stays inactive", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			out, in := []int32{1, 2}, make([]int32, 2)
			for _, late := range []bool{false, true} { // the receive finds its message, or the message its receive
				var send, recv *comm.Request
				var errs [2]error
				if !late {
					send, errs[0] = c.ISend(types.Of(out), 0, 3)
				}
				recv, errs[1] = c.IRecv(types.Of(in), comm.AnySource, 3)
				if late {
					send, errs[0] = c.ISend(types.Of(out), 0, 3)
				}
				st, err := recv.Wait()
				if err := errors.Join(errs[0], errs[1], err); err != nil {
					return err
				}
				n, _ := st.Count(types.Int)
				if err := errors.Join(equal(0, st.Source), equal(3, st.Tag), equal(int64(2), n), equal(out, in)); err != nil {
					return err
				}
				next, err := c.IRecv(types.Of(in), 0, 4) // takes what recv had
				if err != nil {
					return err
				}
				again, err := recv.Wait()
				both, err2 := comm.WaitAll(recv, send, send)
				err3 := errors.Join(err, err2, equal(empty, again), equal(empty, both[0]), equal(empty, both[2]),
					equal("REQUEST_NULL", recv.String()), equal("IRecv from 0 tag 4 on COMM_WORLD", next.String()))
				if recv.Cancel() == nil || recv.Free() == nil || recv.Start() == nil || send.Free() == nil {
					return errors.New("an inactive request can be cancelled, freed or started")
				}
				if err := errors.Join(err3, c.Send(types.Of(out), 0, 4)); err != nil {
					return err
				}
				if _, err := next.Wait(); err != nil {
					return err
				}
			}
			return nil
		})
	})

	t.Run("P2P-02 of several, one that failed", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			var qs []*comm.Request
			var errs []error
			add := func(q *comm.Request, err error) { qs, errs = append(qs, q), append(errs, err) }
			short, long := make([]int32, 1), make([]int32, 2)
			add(c.IRecv(types.Of(short), 0, 0))
			add(c.ISend(types.Of(long), 0, 0))
			add(c.ISend(types.Of(long), 0, 1))
			add(c.IRecv(types.Of(long), 0, 1))
			add(c.ISend(types.Of(long), 0, 2))
			add(c.IRecv(types.Of(short), 0, 2))
			sts, err := comm.WaitAll(qs...)
			if !errors.Is(err, comm.ErrInStatus) {
				return err
			}
			for i, st := range sts {
				if errors.Is(st.Err, comm.ErrTruncate) != (i == 0 || i == 5) {
					errs = append(errs, equal(i, st.Err))
				}
			}
			return errors.Join(errs...)
		})
	})

	t.Run("STAT-01 a send sees nothing of a receive that was cancelled before it", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			in := make([]int32, 1)
			q, err := c.IRecv(types.Of(in), 0, 0)
			err2 := q.Cancel()
			st, err3 := q.Wait()
			if err := errors.Join(err, err2, err3, equal(true, st.Cancelled())); err != nil {
				return err
			}
			q, err = c.ISend(types.Of(in), 0, 0)
			st, err2 = q.Wait()
			_, err3 = c.Recv(types.Of(in), 0, 0)
			return errors.Join(err, err2, err3, equal(false, st.Cancelled()))
		})
	})

	t.Run("P2P-02 a complete request that is kept keeps nothing alive", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			var kept []*comm.Request
			var gone []weak.Pointer[[1 << 10]int32]
			fresh := func() *[1 << 10]int32 {
				mem := new([1 << 10]int32)
				gone = append(gone, weak.Make(mem))
				return mem
			}
			for range 10 { // messages, and others between them
				mem := fresh()
				g, err := c.GRequestStart(comm.GRequest{Query: func(*comm.Status) error { mem[0]++; return nil }})
				in, err2 := c.IRecv(types.Of(fresh()[:]), 0, 0)
				out, err3 := c.ISend(types.Of(fresh()[:]), 0, 0)
				if err := errors.Join(err, err2, err3, out.Free(), g.GRequestComplete()); err != nil {
					return err
				}
				if _, err := comm.WaitAll(in, g); err != nil {
					return err
				}
				kept = append(kept, in, out)
			}
			for range 200 { // the records go to other messages
				q, err := c.ISend(types.Of([]int32{1}), 0, 1)
				_, err2 := q.Wait()
				_, err3 := c.Recv(types.Of([]int32{1}), 0, 1)
				if err := errors.Join(err, err2, err3); err != nil {
					return err
				}
			}
			runtime.GC()
			alive := 0
			for _, w := range gone {
				if w.Value() != nil {
					alive++
				}
			}
			runtime.KeepAlive(kept)
			if alive > 3 { // requests that the stack may still refer to
				return fmt.Errorf("%d of %d operations are alive", alive, len(gone))
			}
			return nil
		})
	})

	t.Run("P2P-02 a request that no rank made is inactive", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			done, err := c.ISend(ints(1), 0, 0)
			_, err2 := done.Wait()
			_, err3 := c.Recv(ints(0), 0, 0)
			for _, q := range []*comm.Request{nil, new(comm.Request), done} {
				port.Wake(q)
				st, err := q.Wait()
				_, ok, errT := q.Test()
				_, arrived := q.PArrived(0)
				err2 = errors.Join(err2, err, errT, equal(empty, st), equal(true, ok), equal("REQUEST_NULL", q.String()))
				for _, err := range []error{q.Free(), q.Cancel(), q.Start(), q.GRequestComplete(), q.PReady(0), arrived} {
					assert.ErrorIs(t, err, comm.ErrRequest)
				}
			}
			return errors.Join(err, err2, err3)
		})
	})
}

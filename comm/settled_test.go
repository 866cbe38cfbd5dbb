package comm_test

import (
	"errors"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// What is known of a message goes from its request to the next one. If a
// request that is complete saw anything of that, a program that asks it again
// would complete somebody else's message, or hear what happened to it.
func TestSettled(t *testing.T) {
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

	t.Run("STAT-01 a send hears nothing of a receive that was cancelled before it", func(t *testing.T) {
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
}

package comm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// Ranks reuse the records of their messages. If a record kept data of the previous message,
// a message would act like another one.
func TestTransferReuse(t *testing.T) {
	t.Run("P2P-01 room is given back once, by the message that took it", func(t *testing.T) {
		pair(t, setting{}, func(c *comm.Comm) error {
			errs := []error{
				c.BufferAttach(make([]byte, 100+comm.BSendOverhead)),
				c.BSend(ints(1), 1, 1), // no rank waits for it
				sendToken(c, 1), receiveToken(c, 1),
			}
			_, err := c.BufferDetach()
			errs = append(errs, err, c.Send(ints(2), 1, 2)) // which has no room to give back
			return errors.Join(errs...)
		}, func(c *comm.Comm) error {
			x := []int32{0}
			q, err := c.IRecv(types.Of(x), 0, 2)
			errs := []error{err, receiveToken(c, 0)}
			one := []int32{0}
			_, err = c.Recv(types.Of(one), 0, 1)
			errs = append(errs, err, sendToken(c, 0), second(q.Wait()), equal(int32(1), one[0]), equal(int32(2), x[0]))
			return errors.Join(errs...)
		})
	})
	t.Run("P2P-02 a request that is complete says nothing of a later message", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			x, y := []int32{0}, []int32{0}
			q, err := c.IRecv(types.Of(x), 0, 1)
			errs := []error{err, c.Send(ints(1), 0, 1), second(q.Wait())}
			later, err := c.IRecv(types.Of(y), 0, 2) // in the same record
			st, ok, err2 := q.Test()
			errs = append(errs, err, err2, equal(true, ok), equal(comm.AnySource, st.Source), equal("REQUEST_NULL", q.String()))
			refused(t, q.Cancel(), comm.ErrRequest, "P2P-02")
			refused(t, q.Free(), comm.ErrRequest, "P2P-02")
			errs = append(errs, c.Send(ints(2), 0, 2), second(later.Wait()), equal(int32(2), y[0]))
			return errors.Join(errs...)
		})
	})
	t.Run("P2P-02 more requests than a rank keeps records for", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			var reqs []*comm.Request
			in := make([]int32, 1000)
			for i := range in {
				q, err := c.IRecv(types.Of(in[i:i+1]), 0, i)
				if err != nil {
					return err
				}
				reqs = append(reqs, q)
			}
			for i := range in {
				if err := c.Send(ints(int32(i)), 0, i); err != nil {
					return err
				}
			}
			_, err := comm.WaitAll(reqs...)
			for i := range in {
				assert.Equal(t, int32(i), in[i])
			}
			return err
		})
	})
}

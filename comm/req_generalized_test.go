package comm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// An operation of the program's own must complete like any other, or layers
// above could not offer requests.
func TestGeneralizedRequests(t *testing.T) {
	t.Run("GREQ-01 DT-GETC-03 query, free and completion by another rank", func(t *testing.T) {
		var q *comm.Request
		var queries, frees int
		pair(t, setting{}, func(c *comm.Comm) error {
			queries, frees = 0, 0
			var err error
			q, err = c.GRequestStart(comm.GRequest{
				Query: func(st *comm.Status) error {
					queries++
					st.Source, st.Tag = 4, 2
					return st.SetElements(types.Contiguous(2, types.Int32), 3)
				},
				Free: func() error { frees++; return nil },
			})
			_, ok, err2 := q.Test()
			err = errors.Join(err, err2, equal(false, ok), sendToken(c, 1))
			r, err2 := c.IRecv(ints(0), 1, 77)
			i, st, err3 := comm.WaitAny(r, q)
			pairs := types.Contiguous(2, types.Int32)
			_, whole := st.Count(pairs)
			n, _ := st.Elements(pairs)
			err = errors.Join(err, err2, err3, equal(1, i), equal(4, st.Source), equal(false, whole), equal(int64(3), n), equal(1, queries), equal(1, frees))
			refused(t, q.GRequestComplete(), comm.ErrRequest, "GREQ-01")
			refused(t, r.GRequestComplete(), comm.ErrRequest, "GREQ-01")
			return errors.Join(err, r.Cancel(), second(r.Wait()))
		}, func(c *comm.Comm) error {
			return errors.Join(receiveToken(c, 0), q.GRequestComplete())
		})
	})
	t.Run("GREQ-01 cancel", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			var q *comm.Request
			cancelled := false
			q, err := c.GRequestStart(comm.GRequest{
				Query:  func(st *comm.Status) error { st.SetCancelled(cancelled); return nil },
				Cancel: func(complete bool) error { cancelled = !complete; return q.GRequestComplete() },
			})
			err2 := q.Cancel()
			st, err3 := q.Wait()
			return errors.Join(err, err2, err3, equal(true, st.Cancelled()))
		})
	})
	t.Run("GREQ-01 free comes after both completion and the end of the request", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			frees := 0
			g := comm.GRequest{Free: func() error { frees++; return nil }}
			a, err := c.GRequestStart(g)
			err = errors.Join(err, a.Free(), equal(0, frees), a.GRequestComplete(), equal(1, frees))
			b, err2 := c.GRequestStart(g)
			return errors.Join(err, err2, b.GRequestComplete(), equal(1, frees), b.Free(), equal(2, frees))
		})
	})
	t.Run("GREQ-01 errors and panics of the functions", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			boom := errors.New("boom")
			a, err := c.GRequestStart(comm.GRequest{Query: func(*comm.Status) error { return boom }})
			err = errors.Join(err, a.GRequestComplete())
			_, err2 := a.Wait()
			assert.ErrorIs(t, err2, boom)
			b, err3 := c.GRequestStart(comm.GRequest{
				Query: func(*comm.Status) error { panic("ouch") }, Free: func() error { panic("ouch") }, Cancel: func(bool) error { panic("ouch") },
			})
			err = errors.Join(err, err3)
			assert.ErrorContains(t, b.Cancel(), "panicked: ouch")
			err = errors.Join(err, b.GRequestComplete())
			_, _, err2 = b.Status()
			refused(t, err2, comm.ErrOther, "GREQ-01")
			_, err2 = comm.WaitAll(b)
			refused(t, err2, comm.ErrInStatus, "ERR-08")
			assert.ErrorContains(t, err2, "panicked: ouch")
			return err
		})
	})
	t.Run("DT-GETC-03 what cannot be counted", func(t *testing.T) {
		var st comm.Status
		refused(t, st.SetElements(types.Int32, -1), comm.ErrCount, "DT-GETC-03")
		refused(t, st.SetElements(types.Contiguous(0, types.Int32), 1), comm.ErrCount, "DT-GETC-03")
		assert.ErrorIs(t, st.SetElements(types.Contiguous(-1, types.Int32), 1), comm.ErrCount)
		assert.Equal(t, comm.Status{}, st)
	})
}

package comm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// A program sets a handler because it does not check all errors: if the handler were not
// called, the program would continue with bad data.
func TestErrhandlers(t *testing.T) {
	t.Run("ERR-01 errors are returned, unless the program wants otherwise", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			h, err := c.Errhandler()
			refused(t, c.Send(ints(1), 9, 0), comm.ErrRank, "P2P-08")
			return errors.Join(err, equal(comm.ErrorsReturn, h), c.Barrier())
		})
	})
	t.Run("ERR-04 a function is called once for each error, with its communicator", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			d, err := c.Dup()
			if err != nil {
				return err
			}
			var got []errclass.Class
			h := comm.NewErrhandler(func(on *comm.Comm, err error) {
				var e *comm.Error
				if errors.As(err, &e) && on.Name() == e.Object {
					got = append(got, e.Class)
				}
				_ = on.Send(ints(1), 9, 0) // its error is not handled again
			})
			err = d.SetErrhandler(h)
			e, err2 := d.Dup()
			if err = errors.Join(err, err2, d.SetName("first"), e.SetName("second")); err != nil {
				return err
			}
			there, err := e.Errhandler()
			refused(t, d.Send(ints(1), 7, 0), comm.ErrRank, "P2P-08")
			refused(t, c.Send(ints(1), 7, 0), comm.ErrRank, "P2P-08") // c has none
			refused(t, e.Bcast(types.Of(make([]int32, 1)), e.Rank()), comm.ErrNotSame, "GEN-05")
			q, err2 := d.IRecv(types.Of(make([]int64, 1)), 1-d.Rank(), 0)
			err = errors.Join(err, err2, d.Send(ints(1, 2), 1-d.Rank(), 0), equal([]errclass.Class{comm.ErrRank, comm.ErrNotSame}, got))
			refused(t, second(q.Wait()), comm.ErrType, "P2P-MATCH-02")
			mine := errors.New("mine")
			return errors.Join(err, equal(h, there), equal([]errclass.Class{comm.ErrRank, comm.ErrNotSame, comm.ErrType}, got),
				equal(mine, d.CallErrhandler(mine)), d.CallErrhandler(nil), d.SetErrhandler(comm.ErrorsReturn),
				equal(true, d.Send(ints(1), 7, 0) != nil), equal(3, len(got)))
		})
	})
	t.Run("ERR-04 ERR-07 a function can change what a call returns", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			class, err := c.ErrorCodes().AddErrorClass()
			handled := []error{}
			h := comm.NewErrhandlerReturning(func(on *comm.Comm, err error) error {
				handled = append(handled, err)
				if errors.Is(err, comm.ErrTag) {
					return nil // the call returns what it found
				}
				return errors.Join(on.ErrorCodes().Error(int(class)), err)
			})
			d, err2 := c.Dup()
			if err := errors.Join(err, err2, d.SetErrhandler(h)); err != nil {
				return err
			}
			calls := []func() error{
				func() error { return d.Send(ints(1), 9, 0) },                         // of the arguments
				func() error { return second(d.IRecv(ints(1).Times(-1), 0, 0)) },      // at once, with no request
				func() error { return d.Bcast(ints(1), d.Rank()) },                    // of all ranks
				func() error { return second(d.Split(-5, 0)) },                        // with no communicator
				func() error { _, _, err := d.Attr(nil); return err },                 // local
				func() error { return d.CallErrhandler(errors.New("the library's")) }, // of the program
			}
			for i, call := range calls {
				err := call()
				assert.ErrorIs(t, err, class, i)
				assert.Len(t, handled, i+1)
				assert.ErrorIs(t, err, handled[i])
			}
			q, err := d.IRecv(types.Of(make([]int64, 1)), 1-d.Rank(), 0)
			err2 = d.Send(ints(1, 2), 1-d.Rank(), 0)
			_, late := comm.WaitAll(q) // of the message, among others
			assert.ErrorIs(t, late, class)
			assert.ErrorIs(t, late, comm.ErrInStatus)
			refused(t, d.Send(ints(1), 0, -7), comm.ErrTag, "P2P-08")
			refused(t, c.SetErrhandler(comm.NewErrhandlerReturning(nil)), comm.ErrErrhandler, "ERR-04")
			return errors.Join(err, err2, equal(len(calls)+2, len(handled)))
		})
	})
	t.Run("ERR-04 nil is not a handler", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			refused(t, c.SetErrhandler(nil), comm.ErrErrhandler, "ERR-04")
			refused(t, c.SetErrhandler(comm.NewErrhandler(nil)), comm.ErrErrhandler, "ERR-04")
			return nil
		})
	})
	t.Run("ERR-05 fatal handlers end the world", func(t *testing.T) {
		for _, h := range []*comm.Errhandler{comm.ErrorsAreFatal, comm.ErrorsAbort} {
			errs := start(3, setting{}, func(c *comm.Comm) error {
				if err := c.SetErrhandler(h); err != nil {
					return err
				}
				if c.Rank() == 1 {
					_ = c.Send(ints(1), 9, 0) // nothing looks at it
				}
				return c.Barrier()
			})
			for _, err := range errs {
				var fatal *errclass.FatalError
				if assert.ErrorAs(t, err, &fatal) {
					assert.Equal(t, h.String(), fatal.Handler)
				}
				assert.ErrorIs(t, err, comm.ErrRank)
			}
		}
	})
	t.Run("ERR-06 what belongs to no object goes to the handler of COMM_SELF", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			calls := 0
			d, err := c.Dup()
			if err != nil {
				return err
			}
			count := comm.NewErrhandler(func(on *comm.Comm, _ error) {
				calls++
				assert.Equal(t, "MPI_COMM_SELF", on.Name())
			})
			never := comm.NewErrhandler(func(*comm.Comm, error) { t.Error("the handler of a freed communicator") })
			err = errors.Join(c.Self().SetErrhandler(count), d.SetErrhandler(never), d.Free())
			refused(t, d.Barrier(), comm.ErrComm, "COMM-01")
			return errors.Join(err, equal(1, calls))
		})
	})
	t.Run("ERR-04 ERR-08 several requests that fail are handled once", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			var handled []error
			err := c.SetErrhandler(comm.NewErrhandler(func(_ *comm.Comm, err error) { handled = append(handled, err) }))
			long := func(tag int) *comm.Request {
				q, e := c.IRecv(ints(0), 0, tag)
				err = errors.Join(err, e, c.Send(ints(1, 2), 0, tag))
				return q
			}
			_, e := comm.WaitAll(long(0), long(1), nil)
			refused(t, e, comm.ErrInStatus, "ERR-08")
			assert.ErrorIs(t, e, comm.ErrTruncate)
			_, _, e2 := comm.WaitSome(long(2), long(3))
			refused(t, e2, comm.ErrInStatus, "ERR-08")
			_, _, e3 := comm.TestAll(long(4))
			refused(t, e3, comm.ErrInStatus, "ERR-08")
			_, e4 := long(5).Wait()
			refused(t, e4, comm.ErrTruncate, "P2P-MATCH-03")
			_, _, e5 := comm.WaitAny(long(6))
			_, e6 := comm.WaitAll(long(7), long(8))
			refused(t, e6, comm.ErrInStatus, "ERR-08")
			assert.Equal(t, []error{e, e2, e3, e4, e5, e6}, handled)
			return err
		})
	})
	t.Run("ERR-07 codes of a rank's own", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			code, err := c.ErrorCodes().AddErrorCode(comm.ErrArg)
			if err = errors.Join(err, c.ErrorCodes().AddErrorString(code, "mine")); err != nil {
				return err
			}
			got := c.CallErrhandler(c.Self().ErrorCodes().Error(code))
			return errors.Join(equal(code, errclass.CodeOf(got)), equal(true, errors.Is(got, comm.ErrArg)), equal("mine", got.Error()),
				equal(code, c.ErrorCodes().LastUsedCode()))
		})
	})
}

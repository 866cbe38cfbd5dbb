package comm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// A library that starts up beside a computation duplicates its communicator
// without waiting for the others.
func TestIDup(t *testing.T) {
	t.Run("COMM-01 COLL-02 idup completes as dup does, among other calls", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 6).Draw(t, "ranks")
			k := rapid.IntRange(1, 3).Draw(t, "dups")
			back := rapid.Bool().Draw(t, "waited for backwards")
			s := setting{}
			if rapid.Bool().Draw(t, "seeded") {
				s = seeded(rapid.Uint64().Draw(t, "seed"))
			}
			err := errors.Join(start(n, s, func(c *comm.Comm) error {
				key := comm.NewKeyval(comm.DupAttr, nil)
				hint := comm.NewInfo()
				g, err := c.CartCreate(comm.CartDims(true, n), false)
				if err = errors.Join(err, hint.Set("a", "1"), g.SetAttr(key, 7), g.SetErrhandler(comm.ErrorsAbort)); err != nil {
					return err
				}
				dups, reqs := make([]*comm.Comm, k), make([]*comm.Request, k)
				for i := range k {
					d, q, err := g.IDupWithInfo(hint)
					if err != nil {
						return err
					}
					dups[i], reqs[i] = d, q
				}
				err = errors.Join(hint.Set("a", "2"), g.Barrier())
				for i := range k {
					if back {
						i = k - 1 - i
					}
					_, e := reqs[i].Wait()
					err = errors.Join(err, e)
				}
				for i, d := range dups {
					how, e := g.Compare(d)
					topo, e2 := d.TopoTest()
					v, _, e3 := d.Attr(key)
					in, e4 := d.Info()
					h, e5 := d.Errhandler()
					a, _ := in.Get("a")
					err = errors.Join(err, e, e2, e3, e4, e5, equal(comm.Congruent, how), equal(comm.Cart, topo), equal(7, v),
						equal("1", a), equal(comm.ErrorsAbort, h), every(d, 1, n-1, i%n, 0, false))
				}
				for _, d := range dups {
					err = errors.Join(err, d.Free())
				}
				return err
			})...)
			if err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("COMM-01 a handle is nil until its request is complete", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			d, q, err := c.IDup()
			if err != nil {
				return err
			}
			refused(t, d.Barrier(), comm.ErrComm, "COMM-01")
			_, err = q.Wait()
			return errors.Join(err, d.Barrier(), d.Free())
		})
	})
	t.Run("GEN-06 COLL-02 idup does not match dup", func(t *testing.T) {
		for _, err := range start(2, setting{}, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return second(c.Dup())
			}
			_, q, err := c.IDup()
			if err != nil {
				return nil
			}
			return second(q.Wait())
		}) {
			// The first rank to return ends the world, so the other may get that error.
			assert.ErrorIs(t, err, comm.ErrNotSame)
		}
	})
}

// A library on a coupled program duplicates the intercommunicator that it is
// given, and must not wait for the other program to do so.
func TestIDupIntercomm(t *testing.T) {
	t.Run("COMM-02 COLL-02 idup of an intercommunicator", func(t *testing.T) {
		side := []int{0, 1, 0, 1, 1}
		ranks(t, len(side), func(c *comm.Comm) error {
			d, err := bridge(c, side, [2]int{0, 0})
			if err != nil {
				return err
			}
			key, hint := comm.NewKeyval(comm.DupAttr, nil), comm.NewInfo()
			if err := errors.Join(hint.Set("a", "1"), d.SetAttr(key, 7)); err != nil {
				return err
			}
			far := both(side)[1-side[c.Rank()]]
			first, q, err := d.IDup()
			second, q2, err2 := d.IDupWithInfo(hint)
			refused(t, first.Barrier(), comm.ErrComm, "COMM-01")
			if err := errors.Join(err, err2, d.Barrier()); err != nil {
				return err
			}
			_, err = q2.Wait() // in another order than they were started in
			_, err2 = q.Wait()
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			for _, e := range []*comm.Comm{first, second} {
				how, err := d.Compare(e)
				inter, err2 := e.TestInter()
				v, _, err3 := e.Attr(key)
				if err := errors.Join(err, err2, err3, equal(comm.Congruent, how), equal(true, inter), equal(7, v),
					crossTalk(e, c.Rank(), far), e.Barrier()); err != nil {
					return err
				}
			}
			in, err := second.Info()
			a, _ := in.Get("a")
			again, err2 := first.Dup()
			return errors.Join(err, err2, equal("1", a), again.Free(), first.Free(), second.Free(), d.Free())
		})
	})
	t.Run("COMM-02 COLL-02 a message of the duplicate is not one of the original", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			d, err := bridge(c, []int{0, 1}, [2]int{0, 0})
			if err != nil {
				return err
			}
			e, q, err := d.IDup()
			if err != nil {
				return err
			}
			if _, err := q.Wait(); err != nil {
				return err
			}
			s1, err := d.ISend(ints(1), 0, 0)
			s2, err2 := e.ISend(ints(2), 0, 0)
			x, y := make([]int32, 1), make([]int32, 1)
			_, err3 := e.Recv(types.Of(y), 0, 0)
			_, err4 := d.Recv(types.Of(x), 0, 0)
			_, err5 := comm.WaitAll(s1, s2)
			return errors.Join(err, err2, err3, err4, err5, equal([]int32{1, 2}, []int32{x[0], y[0]}), e.Free(), d.Free())
		})
	})
	t.Run("COMM-02 an error of a copy function is an error on all ranks of both groups", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			d, err := bridge(c, []int{0, 1, 1}, [2]int{0, 0})
			if err != nil {
				return err
			}
			if c.Rank() == 2 {
				err = d.SetAttr(comm.NewKeyval(func(*comm.Comm, *comm.Keyval, any) (any, bool, error) { return nil, false, errors.New("no") }, nil), 1)
			}
			e, q, err2 := d.IDup()
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			_, err = q.Wait()
			refused(t, err, comm.ErrOther, "COMM-01")
			refused(t, e.Barrier(), comm.ErrComm, "COMM-01")
			return d.Free()
		})
	})
}

package comm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
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
			// The first to return ends the world, so the other may hear of it that way.
			assert.ErrorIs(t, err, comm.ErrNotSame)
		}
	})
}

package comm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
)

// If reports named the Dup inside another call, a student would look for a call
// that the program does not have.
func TestDupFor(t *testing.T) {
	t.Run("COMM-01 works as Dup", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			d := new(comm.Comm)
			if err := port.Dup(c, d, "Open", nil, nil); err != nil {
				return err
			}
			return errors.Join(equal("", d.Name()), equal(c.Rank(), d.Rank()), d.Barrier())
		})
	})
	t.Run("COMM-01 the parts of all ranks are joined once", func(t *testing.T) {
		for _, s := range []setting{{}, seeded(1)} {
			joined := new(int)
			errs := start(3, s, func(c *comm.Comm) error {
				part := new(int)
				err := port.Dup(c, new(comm.Comm), "Open", part, func(parts []any) {
					for r, p := range parts {
						*p.(*int) = 10 + r
					}
					*joined++
				})
				return errors.Join(err, equal(10+c.Rank(), *part))
			})
			assert.NoError(t, errors.Join(errs...))
			assert.Equal(t, 1, *joined)
		}
	})
	t.Run("COMM-01 nothing is joined by ranks in different calls", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			call := []string{"Open", "Shut"}[c.Rank()]
			err := port.Dup(c, new(comm.Comm), call, nil, func([]any) { t.Error("joined") })
			refused(t, err, comm.ErrNotSame, "GEN-06")
			return nil
		})
	})
	t.Run("GEN-06 a deadlock names the outer call", func(t *testing.T) {
		for _, s := range []setting{{}, seeded(1)} {
			errs := start(2, s, func(c *comm.Comm) error {
				if c.Rank() == 1 {
					return nil
				}
				return port.Dup(c, new(comm.Comm), "Open", nil, nil)
			})
			var dead *sched.DeadlockError
			if assert.ErrorAs(t, errs[0], &dead) {
				assert.Equal(t, "Open on COMM_WORLD", dead.Ranks[0].Why)
			}
			var e *comm.Error
			if assert.ErrorAs(t, errs[0], &e) {
				assert.Equal(t, "Open", e.Op)
			}
		}
	})
	t.Run("GEN-06 a mismatch names the outer call", func(t *testing.T) {
		for _, other := range []func(c *comm.Comm) error{
			(*comm.Comm).Barrier,
			func(c *comm.Comm) error { return second(c.Dup()) },
		} {
			ranks(t, 2, func(c *comm.Comm) error {
				err := error(nil)
				if c.Rank() == 1 {
					err = other(c)
				} else {
					err = port.Dup(c, new(comm.Comm), "Open", nil, nil)
				}
				refused(t, err, comm.ErrNotSame, "GEN-06")
				assert.ErrorContains(t, err, "rank 0 in Open (dupfor_test.go:")
				return nil
			})
		}
	})
	t.Run("GEN-06 the program's own collectives are counted", func(t *testing.T) {
		hidden := func(c *comm.Comm) error { return port.Dup(c, new(comm.Comm), "Open", nil, nil) }
		for _, s := range []setting{{}, seeded(1)} {
			errs := start(2, s, func(c *comm.Comm) error {
				if err := errors.Join(hidden(c), c.Barrier(), hidden(c)); err != nil || c.Rank() == 1 {
					return err
				}
				return c.Barrier()
			})
			assert.ErrorContains(t, errs[0], "waits in Barrier (2nd collective) on COMM_WORLD")
		}
		ranks(t, 2, func(c *comm.Comm) error {
			if err := errors.Join(hidden(c), c.Barrier(), hidden(c)); err != nil {
				return err
			}
			err := []func() error{func() error { return hidden(c) }, c.Barrier}[c.Rank()]()
			assert.ErrorContains(t, err, "as the 2nd collective on COMM_WORLD;")
			err = port.Dup(c, new(comm.Comm), []string{"Open", "Shut"}[c.Rank()], nil, nil)
			assert.ErrorContains(t, err, "), on COMM_WORLD;")
			return nil
		})
	})
	t.Run("COMM-02 both steps of making an intercommunicator are one call", func(t *testing.T) {
		errs := start(3, setting{}, func(c *comm.Comm) error {
			d, err := c.Split(c.Rank()/2, 0)
			if err != nil {
				return err
			}
			_, err = d.IntercommCreate(0, c, 2-c.Rank()/2*2, 1)
			if err != nil || c.Rank() > 0 {
				return err
			}
			return d.Barrier()
		})
		assert.ErrorContains(t, errs[0], "waits in Barrier (2nd collective) on split 0 of COMM_WORLD")
	})
}

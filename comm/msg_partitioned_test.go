package comm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// Partitions that are cut unlike at both ends, in any order, over many rounds:
// a wrong count would complete a request early and show old data.
func TestPartitioned(t *testing.T) {
	t.Run("P2P-07 partitions of any size at both ends, in any order", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a, b := rapid.IntRange(1, 6).Draw(t, "sent"), rapid.IntRange(1, 6).Draw(t, "received")
			k := rapid.IntRange(0, 3).Draw(t, "items") * a * b
			if rapid.Bool().Draw(t, "long") {
				k *= 997
			}
			seed := rapid.Uint64().Draw(t, "order")
			s := setting{}
			if rapid.Bool().Draw(t, "unlike") {
				s = unlike(reps.LP64LE, reps.ILP32BE)
			}
			if rapid.Bool().Draw(t, "seeded") {
				s.sched = seeded(seed).sched
			}
			out, in := rapid.IntRange(0, layouts-1).Draw(t, "out"), rapid.IntRange(0, layouts-1).Draw(t, "in")
			if err := errors.Join(start(2, s, func(c *comm.Comm) error {
				if c.Rank() == 0 {
					return sendParts(c, a, k, out, seed)
				}
				return receiveParts(c, b, k, in, seed)
			})...); err != nil {
				t.Fatal(err)
			}
		})
	})
}

const partRounds = 3

func sendParts(c *comm.Comm, parts, k, layout int, seed uint64) error {
	x := newField(c, layout, vals(0, 0, k))
	q, err := c.PSendInit(x.Buffer, parts, 1, 4)
	if err != nil {
		if x.Count()%int64(parts) != 0 {
			return c.Send(ints(1), 1, 9)
		}
		return err
	}
	if err := c.Send(ints(0), 1, 9); err != nil {
		return err
	}
	bad := ints(0)
	if _, err := c.Recv(bad, 1, 9); err != nil || bad.Mem()[0] != 0 {
		return errors.Join(err, q.Free())
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for round := range partRounds {
		y := newField(c, layout, vals(round, 1, k))
		copy(x.Mem(), y.Mem())
		if err := q.Start(); err != nil {
			return err
		}
		order := rng.Perm(parts)
		cut := rng.IntN(parts + 1)
		if err := q.PReadyList(order[:cut]); err != nil {
			return err
		}
		for _, i := range order[cut:] {
			if err := q.PReady(i); err != nil {
				return err
			}
		}
		if _, err := q.Wait(); err != nil {
			return err
		}
	}
	return q.Free()
}

func receiveParts(c *comm.Comm, parts, k, layout int, seed uint64) error {
	x := newField(c, layout, blankVals(k))
	q, err := c.PRecvInit(x.Buffer, parts, 0, 4)
	bad, mine := []int32{0}, []int32{0}
	if _, err := c.Recv(types.Of(bad), 0, 9); err != nil {
		return err
	}
	if err != nil {
		mine[0] = 1
	}
	if bad[0] != 0 {
		if err == nil {
			return q.Free()
		}
		return nil
	}
	if err := c.Send(types.Of(mine), 0, 9); err != nil || mine[0] != 0 {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	for round := range partRounds {
		if err := q.Start(); err != nil {
			return err
		}
		for i := range parts {
			if rng.IntN(2) == 0 {
				for here := false; !here; {
					if here, err = q.PArrived(i); err != nil {
						return err
					}
				}
			}
		}
		st, err := q.Wait()
		if err != nil {
			return err
		}
		if n, _ := st.Elements(types.Int32); n != int64(k) {
			return fmt.Errorf("%d items, want %d", n, k)
		}
		if err := x.check(vals(round, 1, k)); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return q.Free()
}

func TestPartitionedErrors(t *testing.T) {
	t.Run("P2P-07 arguments and states", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			x, y := make([]int32, 6), make([]int32, 6)
			_, err := c.PSendInit(types.Of(x), 4, 0, 0)
			refused(t, err, comm.ErrCount, "P2P-07")
			_, err = c.PRecvInit(types.Of(x), 2, comm.AnySource, 0)
			refused(t, err, comm.ErrArg, "P2P-07")
			s, err := c.PSendInit(types.Of(x), 3, 0, 0)
			r, err2 := c.PRecvInit(types.Of(y), 2, 0, 0)
			err = errors.Join(err, err2)
			refused(t, s.PReady(0), comm.ErrRequest, "P2P-07")
			refused(t, r.PReady(0), comm.ErrRequest, "P2P-07")
			here, err2 := r.PArrived(1)
			err = errors.Join(err, err2, equal(true, here), comm.StartAll(s, r))
			refused(t, s.PReady(3), comm.ErrArg, "P2P-07")
			refused(t, s.PReadyRange(1, 3), comm.ErrArg, "P2P-07")
			refused(t, s.PReadyList([]int{0, 0}), comm.ErrArg, "P2P-07")
			_, err2 = r.PArrived(2)
			refused(t, err2, comm.ErrArg, "P2P-07")
			err = errors.Join(err, s.PReadyRange(0, 1))
			refused(t, s.PReady(1), comm.ErrArg, "P2P-07")
			first, err2 := r.PArrived(0)
			last, err3 := r.PArrived(1)
			_, ok, err4 := s.Test()
			err = errors.Join(err, err2, err3, err4, equal(true, first), equal(false, last), equal(false, ok), s.PReady(2))
			_, err2 = comm.WaitAll(s, r)
			return errors.Join(err, err2, s.Free(), r.Free())
		})
	})
	t.Run("P2P-07 both ends must agree on the items", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			r, err := c.PRecvInit(types.Of(make([]float32, 2)), 1, 0, 0)
			err = errors.Join(err, r.Start()) // before its other end is there
			s, err2 := c.PSendInit(ints(1, 2), 2, 0, 0)
			err = errors.Join(err, err2, s.Start(), s.PReadyRange(0, 1))
			_, err2 = s.Wait()
			assert.ErrorIs(t, err2, comm.ErrType)
			_, err2 = r.Wait()
			assert.ErrorIs(t, err2, comm.ErrType)
			return errors.Join(err, s.Free(), r.Free())
		})
	})
	t.Run("P2P-07 freed ends and no rank are matched with none", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			dead, err := c.PSendInit(ints(1, 1), 1, 0, 0)
			y := []int32{0, 0}
			err = errors.Join(err, dead.Free())
			s, err2 := c.PSendInit(ints(2, 2), 1, 0, 0)
			r, err3 := c.PRecvInit(types.Of(y), 2, 0, 0)
			n, err4 := c.PSendInit(ints(1), 1, comm.ProcNull, 0)
			err = errors.Join(err, err2, err3, err4, comm.StartAll(s, r, n), s.PReady(0), n.PReady(0))
			sts, err2 := comm.WaitAll(s, r, n)
			return errors.Join(err, err2, equal([]int32{2, 2}, y), equal(0, sts[1].Source), s.Free(), r.Free(), n.Free())
		})
	})
	t.Run("P2P-07 an abort releases both ends", func(t *testing.T) {
		boom := errors.New("boom")
		for _, err := range start(3, setting{}, func(c *comm.Comm) error {
			var q *comm.Request
			var err error
			switch c.Rank() {
			case 0:
				q, err = c.PSendInit(ints(1, 2), 2, 1, 0)
			case 1:
				q, err = c.PRecvInit(ints(1, 2), 2, 0, 0)
			default:
				return boom
			}
			return errors.Join(err, q.Start(), second(q.Wait()))
		}) {
			assert.ErrorIs(t, err, boom)
		}
	})
}

package comm_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// The record behind a request is reused when the request is complete. A copy that worked
// would complete the message of another request.
func TestCopiedRequests(t *testing.T) {
	calls := map[string]func(q *comm.Request) error{
		"Wait":            func(q *comm.Request) error { return second(q.Wait()) },
		"Test":            func(q *comm.Request) error { _, _, err := q.Test(); return err },
		"Status":          func(q *comm.Request) error { _, _, err := q.Status(); return err },
		"Free":            (*comm.Request).Free,
		"Cancel":          (*comm.Request).Cancel,
		"Start":           (*comm.Request).Start,
		"PReady":          func(q *comm.Request) error { return q.PReady(0) },
		"PArrived":        func(q *comm.Request) error { return second(q.PArrived(0)) },
		"GRequest":        (*comm.Request).GRequestComplete,
		"WaitAll":         func(q *comm.Request) error { return second(comm.WaitAll(nil, q)) },
		"WaitAny":         func(q *comm.Request) error { _, _, err := comm.WaitAny(q); return err },
		"WaitSome":        func(q *comm.Request) error { _, _, err := comm.WaitSome(q); return err },
		"TestAll":         func(q *comm.Request) error { _, _, err := comm.TestAll(q); return err },
		"TestAny":         func(q *comm.Request) error { _, _, _, err := comm.TestAny(q); return err },
		"TestSome":        func(q *comm.Request) error { _, _, err := comm.TestSome(q); return err },
		"StatusAll":       func(q *comm.Request) error { _, _, err := comm.StatusAll(nil, q); return err },
		"StatusAny":       func(q *comm.Request) error { _, _, _, err := comm.StatusAny(q); return err },
		"StatusSome":      func(q *comm.Request) error { _, _, err := comm.StatusSome(q); return err },
		"StartAll":        func(q *comm.Request) error { return comm.StartAll(q) },
		"WaitAll, others": func(q *comm.Request) error { return second(comm.WaitAll(new(comm.Request), q)) },
	}
	for name, call := range calls {
		t.Run("P2P-02 a copy in "+name, func(t *testing.T) {
			ranks(t, 2, func(c *comm.Comm) error {
				next, last := 1-c.Rank(), 1-c.Rank()
				a := []int32{-1}
				q, err := c.IRecv(ints(0), last, 1)
				if err != nil {
					return err
				}
				twin := copyOf(q)
				check := func(when string) {
					err := call(twin)
					refused(t, err, comm.ErrRequest, "P2P-02")
					assert.ErrorContains(t, err, "the Request is a copy", when)
				}
				check("under way")
				if err := errors.Join(c.Send(ints(5), next, 1), second(q.Wait())); err != nil {
					return err
				}
				check("complete")
				other, err := c.IRecv(types.Of(a), last, 2) // may have what q had
				if err != nil {
					return err
				}
				check("used again")
				if err := errors.Join(c.Send(ints(7), next, 2), second(other.Wait())); err != nil {
					return err
				}
				return errors.Join(equal([]int32{7}, a), second(q.Wait()), second(other.Wait()))
			})
		})
	}
	t.Run("P2P-02 P2P-06 P2P-07 COLL-02 GREQ-01 copies of other requests", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			for _, kind := range arguments[reflect.TypeFor[*comm.Request]()] {
				q := kind.Make(c).(*comm.Request)
				if q == nil {
					continue
				}
				was := q.String()
				twin := copyOf(q)
				for name, call := range calls {
					if err := call(twin); err != nil { // a null request has nothing to copy
						assert.ErrorIs(t, err, comm.ErrRequest, "%s of %s", name, kind.Name)
					}
				}
				if err := equal(was, q.String()); err != nil {
					return fmt.Errorf("%s: %w", kind.Name, err)
				}
			}
			return nil
		})
	})
}

// copyOf copies a value that vet does not allow this test to copy.
func copyOf(q *comm.Request) *comm.Request {
	twin := reflect.New(reflect.TypeFor[comm.Request]())
	twin.Elem().Set(reflect.ValueOf(q).Elem())
	return twin.Interface().(*comm.Request)
}

// Programs keep arrays of requests in which some are not set, some occur twice, and some
// completed long ago.
func TestRequestArrays(t *testing.T) {
	lists := map[string]func(c *comm.Comm) []*comm.Request{
		"no list":  func(*comm.Comm) []*comm.Request { return nil },
		"empty":    func(*comm.Comm) []*comm.Request { return []*comm.Request{} },
		"all nil":  func(*comm.Comm) []*comm.Request { return make([]*comm.Request, 3) },
		"inactive": inactive,
	}
	for name, list := range lists {
		t.Run("P2P-02 nothing to complete: "+name, func(t *testing.T) {
			ranks(t, 1, func(c *comm.Comm) error {
				reqs := list(c)
				sts, err := comm.WaitAll(reqs...)
				sts2, ok2, err2 := comm.TestAll(reqs...)
				i3, st3, err3 := comm.WaitAny(reqs...)
				i4, _, ok4, err4 := comm.TestAny(reqs...)
				done5, sts5, err5 := comm.WaitSome(reqs...)
				done6, sts6, err6 := comm.TestSome(reqs...)
				for _, st := range append(sts, append(sts2, st3)...) {
					err = errors.Join(err, equal(comm.AnySource, st.Source), equal(comm.AnyTag, st.Tag), equal(false, st.Cancelled()))
				}
				return errors.Join(err, err2, err3, err4, err5, err6, equal(len(reqs), len(sts)), equal(len(reqs), len(sts2)),
					equal(true, ok2), equal(comm.Undefined, i3), equal(comm.Undefined, i4), equal(true, ok4),
					equal(true, done5 == nil), equal(true, done6 == nil), equal(0, len(sts5)+len(sts6)))
			})
		})
	}
	for how := range finishes {
		t.Run(fmt.Sprintf("P2P-02 P2P-06 P2P-07 COLL-02 GREQ-01 a mixture, some twice, way %d", how), func(t *testing.T) {
			ranks(t, 2, func(c *comm.Comm) error { return mixture(c, how) })
		})
	}
}

// inactive is a list of requests that are all over, or never started.
func inactive(c *comm.Comm) []*comm.Request {
	p, err := c.SendInit(ints(1), 0, 0)
	r, err2 := c.PRecvInit(ints(1), 1, 0, 0)
	k, err3 := c.BarrierInit()
	s, err4 := c.ISend(ints(1), comm.ProcNull, 0)
	if err := errors.Join(err, err2, err3, err4, second(s.Wait())); err != nil {
		panic(err)
	}
	return []*comm.Request{p, new(comm.Request), r, nil, k, s, p}
}

// mixture completes requests of every kind together, each listed twice among
// others that are over. None may be completed twice.
func mixture(c *comm.Comm, how int) error {
	other := 1 - c.Rank()
	got := [4][]int32{{0}, {0}, {0, 0}, {0}}
	recv, err := c.IRecv(types.Of(got[0]), other, 1)
	again, err2 := c.RecvInit(types.Of(got[1]), other, 2)
	parts, err3 := c.PRecvInit(types.Of(got[2]), 2, other, 3)
	out, err4 := c.PSendInit(ints(8, 9), 2, other, 3)
	if err := errors.Join(err, err2, err3, err4, again.Start(), parts.Start(), out.Start(), out.PReadyList([]int{1, 0})); err != nil {
		return err
	}
	sum, err := c.IAllReduce(ints(int32(1+c.Rank())), types.Of(got[3]), comm.Sum)
	own, err2 := c.GRequestStart(comm.GRequest{})
	sent, err3 := c.ISSend(ints(5), other, 1)
	if err := errors.Join(err, err2, err3, c.Send(ints(6), other, 2), own.GRequestComplete()); err != nil {
		return err
	}
	live := []*comm.Request{recv, again, parts, out, sum, own, sent}
	reqs := append(append([]*comm.Request{nil, new(comm.Request)}, live...), live...)
	completed := map[*comm.Request]bool{}
	for left := len(live); left > 0; {
		sts, err := finishes[how](reqs)
		if err != nil {
			return err
		}
		for i := range sts {
			switch q := reqs[i]; {
			case how == 0 || how == 1 || how == 6: // a status for each, whatever it is
				left = min(left, len(reqs)-len(sts))
			case completed[q]:
				return fmt.Errorf("request %d was completed twice", i)
			default:
				completed[q] = true
				left--
			}
		}
	}
	return errors.Join(equal([4][]int32{{5}, {6}, {8, 9}, {3}}, got), again.Free(), parts.Free(), out.Free())
}

package comm_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// A job is Work that another rank makes ready, or its own if lazy.
type job struct {
	lazy      bool
	left      atomic.Int32 // until it is ready
	finished  int
	abandoned bool
	err       error
}

func (j *job) String() string { return "job" }
func (j *job) Ready() bool    { return j.lazy || j.left.Load() == 0 }
func (j *job) Abandon()       { j.abandoned = true }
func (j *job) Finish() (comm.Status, error) {
	j.finished++
	return comm.Status{Tag: 77}, j.err
}

// If kinds of requests could not be mixed, a program that overlaps a file access
// with a message would have to poll, or would never wake up.
func TestMixedRequests(t *testing.T) {
	for _, wait := range []string{"WaitAll", "WaitAny", "WaitSome", "TestAll", "TestAny", "TestSome"} {
		t.Run("P2P-02 messages and work of other packages together: "+wait, func(t *testing.T) {
			var j, lazy [3]job
			var qs [3]*comm.Request
			ranks(t, 3, func(c *comm.Comm) error {
				me := c.Rank()
				j[me], lazy[me] = job{}, job{lazy: true}
				j[me].left.Store(1)
				qs[me] = port.NewRequest(c, &j[me])
				x := []int32{0}
				r, err := c.IRecv(types.Of(x), (me+2)%3, 1)
				if err != nil {
					return err
				}
				if err := c.Barrier(); err != nil {
					return err
				}
				reqs := []*comm.Request{qs[me], r, port.NewRequest(c, &lazy[me]), nil}
				next := (me + 1) % 3
				if err := c.Send(ints(int32(me)), next, 1); err != nil {
					return err
				}
				j[next].left.Add(-1)
				port.Wake(qs[next])
				if err := waitBy(wait, reqs); err != nil {
					return err
				}
				err = errors.Join(equal(1, j[me].finished), equal(1, lazy[me].finished), equal(int32((me+2)%3), x[0]))
				return errors.Join(err, c.Barrier())
			})
		})
	}
}

// If statuses that no one reads were made all the same, they would be most of the garbage of
// a window of messages.
func TestWaitAllIgnore(t *testing.T) {
	t.Run("P2P-02 ERR-08 completes as WaitAll does", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			me := c.Rank()
			short, whole := make([]int32, 1), make([]int32, 2)
			var reqs []*comm.Request
			for _, buf := range []types.Buffer{types.Of(short), types.Of(whole)} {
				q, err := c.IRecv(buf, 1-me, comm.AnyTag)
				if err != nil {
					return err
				}
				reqs = append(reqs, q)
			}
			for range reqs {
				if err := c.Send(ints(1, 2), 1-me, 0); err != nil {
					return err
				}
			}
			err := comm.WaitAllIgnore(append(reqs, nil)...)
			if !errors.Is(err, comm.ErrInStatus) || !errors.Is(err, comm.ErrTruncate) {
				return fmt.Errorf("two integers received into one: %w", err)
			}
			return errors.Join(equal([]int32{1, 2}, whole), comm.WaitAllIgnore(reqs...)) // now they are inactive
		})
	})
	t.Run("P2P-02 allocates next to nothing", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			buf, reqs := types.Of(make([]byte, 8)), make([]*comm.Request, 64)
			var failed error
			n := testing.AllocsPerRun(50, func() {
				for i := range reqs {
					call := c.ISend
					if i%2 == 1 {
						call = c.IRecv
					}
					q, err := call(buf, 0, 0)
					reqs[i], failed = q, errors.Join(failed, err)
				}
				failed = errors.Join(failed, comm.WaitAllIgnore(reqs...))
			})
			if n > 2 { // requests come in blocks of 64
				failed = errors.Join(failed, fmt.Errorf("%v pieces of memory for 64 requests", n))
			}
			return failed
		})
	})
}

// waitBy completes reqs by calls of one kind and checks what these return.
func waitBy(call string, reqs []*comm.Request) error {
	tags := map[int]int{}
	left := 0
	for _, q := range reqs {
		if q != nil {
			left++
		}
	}
	for left > 0 {
		switch call {
		case "WaitAll", "TestAll":
			sts, ok, err := []comm.Status(nil), true, error(nil)
			if call == "WaitAll" {
				sts, err = comm.WaitAll(reqs...)
			} else {
				sts, ok, err = comm.TestAll(reqs...)
			}
			if err != nil {
				return err
			}
			if ok {
				for i, st := range sts {
					if reqs[i] != nil {
						tags[st.Tag]++
						left--
					}
				}
			}
		case "WaitAny", "TestAny":
			i, st, ok, err := 0, comm.Status{}, true, error(nil)
			if call == "WaitAny" {
				i, st, err = comm.WaitAny(reqs...)
			} else {
				i, st, ok, err = comm.TestAny(reqs...)
			}
			if err != nil {
				return err
			}
			if ok {
				if i < 0 || reqs[i] == nil {
					return fmt.Errorf("%s completed request %d", call, i)
				}
				tags[st.Tag]++
				left--
			}
		default:
			some := comm.WaitSome
			if call == "TestSome" {
				some = comm.TestSome
			}
			done, sts, err := some(reqs...)
			if err != nil {
				return err
			}
			if call == "WaitSome" && len(done) == 0 || done == nil {
				return fmt.Errorf("%s completed nothing", call)
			}
			for _, st := range sts {
				tags[st.Tag]++
				left--
			}
		}
	}
	// Nothing is active any more.
	i, _, err := comm.WaitAny(reqs...)
	done, _, err2 := comm.WaitSome(reqs...)
	none, _, err3 := comm.TestSome(reqs...)
	k, _, ok, err4 := comm.TestAny(reqs...)
	_, all, err5 := comm.TestAll(reqs...)
	return errors.Join(err, err2, err3, err4, err5, equal(map[int]int{77: 2, 1: 1}, tags), equal(comm.Undefined, i), equal([]int(nil), done),
		equal([]int(nil), none), equal(comm.Undefined, k), equal(true, ok), equal(true, all))
}

func TestExternalRequests(t *testing.T) {
	t.Run("P2P-02 Status leaves the request", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			j := job{lazy: true}
			q := port.NewRequest(c, &j)
			st, ok, err := q.Status()
			st2, ok2, err2 := q.Status()
			st3, err3 := q.Wait()
			st4, err4 := q.Wait()
			return errors.Join(err, err2, err3, err4, equal(true, ok && ok2), equal(st, st2), equal(st, st3), equal(77, st.Tag),
				equal(comm.AnyTag, st4.Tag), equal(1, j.finished))
		})
	})
	t.Run("P2P-02 Free lets an operation complete by itself", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			var lazy, later job
			lazy.lazy = true
			later.left.Store(1)
			a, b := port.NewRequest(c, &lazy), port.NewRequest(c, &later)
			err := errors.Join(a.Free(), b.Free(), equal(1, lazy.finished), equal(0, later.finished))
			later.left.Store(0)
			other := port.NewRequest(c, &job{lazy: true})
			_, err2 := other.Wait()
			refused(t, a.Free(), comm.ErrRequest, "P2P-02")
			refused(t, (*comm.Request)(nil).Free(), comm.ErrRequest, "P2P-02")
			return errors.Join(err, err2, equal(1, later.finished))
		})
	})
	t.Run("ERR-08 every status has its own error", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			boom := errors.New("boom")
			bad, good := &job{lazy: true, err: boom}, &job{lazy: true}
			sts, err := comm.WaitAll(port.NewRequest(c, bad), port.NewRequest(c, good))
			refused(t, err, comm.ErrInStatus, "ERR-08")
			assert.ErrorIs(t, err, boom)
			_, sts2, err2 := comm.WaitSome(port.NewRequest(c, good), port.NewRequest(c, bad))
			refused(t, err2, comm.ErrInStatus, "ERR-08")
			_, st, err3 := comm.WaitAny(port.NewRequest(c, bad))
			assert.Equal(t, boom, err3, "one operation: its own error")
			return errors.Join(equal(boom, sts[0].Err), equal(nil, sts[1].Err), equal(boom, sts2[1].Err), equal(nil, sts2[0].Err), equal(nil, st.Err))
		})
	})
	t.Run("P2P-02 an abort abandons what is open", func(t *testing.T) {
		boom := errors.New("boom")
		for _, s := range []setting{{}, seeded(3)} {
			var j [3]job
			errs := start(4, s, func(c *comm.Comm) error {
				if c.Rank() == 3 {
					return boom
				}
				k := &j[c.Rank()]
				k.left.Store(1)
				q := port.NewRequest(c, k)
				r, err := c.IRecv(ints(0), comm.AnySource, comm.AnyTag)
				switch c.Rank() {
				case 0:
					_, err = comm.WaitAll(q, r)
				case 1:
					_, _, err = comm.WaitAny(r, q)
				case 2:
					_, _, err = comm.WaitSome(r, q)
				}
				return err
			})
			for i, err := range errs {
				assert.ErrorIs(t, err, boom)
				if i < 3 {
					assert.True(t, j[i].abandoned)
				}
			}
		}
	})
}

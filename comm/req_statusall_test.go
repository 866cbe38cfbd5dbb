package comm_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// An asked is one request of a list, with the status that it returns when asked alone.
type asked struct {
	kind   string
	q      *comm.Request
	active bool
}

var askedKinds = []string{"nil", "complete", "inactive", "open receive", "receive", "too short", "open work", "work", "failed work", "generalized"}

// askedOf makes a request that involves only the calling rank.
func askedOf(c *comm.Comm, kind string, tag int) (a asked, err error) {
	a = asked{kind: kind, active: true}
	switch kind {
	case "nil":
		a.active = false
	case "complete":
		a.active = false
		a.q, err = c.ISend(ints(1), comm.ProcNull, 0)
		err = errors.Join(err, second(a.q.Wait()))
	case "inactive":
		a.active = false
		a.q, err = c.RecvInit(ints(1), 0, tag)
	case "open receive":
		a.q, err = c.IRecv(ints(0), 0, tag)
	case "receive":
		a.q, err = c.IRecv(ints(0), 0, tag)
		err = errors.Join(err, c.Send(ints(1), 0, tag))
	case "too short":
		a.q, err = c.IRecv(ints(0), 0, tag)
		err = errors.Join(err, c.Send(ints(1, 2), 0, tag))
	case "open work":
		j := &job{}
		j.left.Store(1)
		a.q = port.NewRequest(c, j)
	case "work":
		a.q = port.NewRequest(c, &job{lazy: true})
	case "failed work":
		a.q = port.NewRequest(c, &job{lazy: true, err: errors.New("boom")})
	case "generalized":
		a.q, err = c.GRequestStart(comm.GRequest{Query: func(st *comm.Status) error { return st.SetElements(types.Int32, int64(tag)) }})
		err = errors.Join(err, a.q.GRequestComplete())
	}
	return a, err
}

// answer returns the result of a call on several requests as text. Texts of errors name the
// line of the call, so those of this package are reported by class and rule.
func answer(done []int, sts []comm.Status, ok bool, err error) string {
	report := func(err error) string {
		if e, is := err.(*comm.Error); is {
			return fmt.Sprint(e.Class, " ", e.Rule)
		}
		return fmt.Sprint(err)
	}
	text := fmt.Sprint(done, done == nil, ok, report(err))
	for _, st := range sts {
		text += fmt.Sprintf("; from %d tag %d, %d ints, %v", st.Source, st.Tag, count(st, types.Int32), report(st.Err))
	}
	return text
}

// If asking changed a request, a call that completes it would find nothing, and if
// the two returned different states, a program would free a buffer that is in use.
func TestStatusOfRequests(t *testing.T) {
	t.Run("P2P-02 ERR-08 as each request by itself, and as the Test that follows", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			kinds := rapid.SliceOfN(rapid.SampledFrom(askedKinds), 0, 6).Draw(rt, "kinds")
			s := seeded(1)
			if rapid.Bool().Draw(rt, "free") {
				s = setting{}
			}
			which := rapid.SampledFrom([]string{"all", "any", "some"}).Draw(rt, "which")
			err := errors.Join(start(1, s, func(c *comm.Comm) error { return askSeveral(c, kinds, which) })...)
			if err != nil {
				rt.Fatalf("%v: %v", kinds, err)
			}
		})
	})
	t.Run("ERR-04 ERR-08 each call returns its errors, and has them handled once", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			var handled []error
			err := c.SetErrhandler(comm.NewErrhandler(func(_ *comm.Comm, err error) { handled = append(handled, err) }))
			short := func(tag int) *comm.Request {
				q, e := c.IRecv(ints(0), 0, tag)
				err = errors.Join(err, e, c.Send(ints(1, 2), 0, tag))
				return q
			}
			a, b := short(0), short(1)
			_, ok, e := comm.StatusAll(a, b)
			_, _, e2 := comm.StatusSome(a, nil, b)
			_, e3 := comm.WaitAll(a, b)
			for _, e := range []error{e, e2, e3} {
				refused(t, e, comm.ErrInStatus, "ERR-08")
				assert.ErrorIs(t, e, comm.ErrTruncate)
			}
			assert.Equal(t, []error{e, e2, e3}, handled)
			return errors.Join(err, equal(true, ok))
		})
	})
	t.Run("P2P-02 asking until a message of another rank has come", func(t *testing.T) {
		for _, ask := range []func(reqs ...*comm.Request) (bool, error){
			func(reqs ...*comm.Request) (bool, error) { _, ok, err := comm.StatusAll(reqs...); return ok, err },
			func(reqs ...*comm.Request) (bool, error) { _, _, ok, err := comm.StatusAny(reqs...); return ok, err },
			func(reqs ...*comm.Request) (bool, error) {
				done, _, err := comm.StatusSome(reqs...)
				return len(done) > 0, err
			},
		} {
			ranks(t, 2, func(c *comm.Comm) error {
				if c.Rank() == 1 {
					return c.Send(ints(5), 0, 1)
				}
				got := []int32{0}
				q, err := c.IRecv(types.Of(got), 1, 1)
				for ok := false; !ok && err == nil; {
					ok, err = ask(nil, q)
				}
				st, err2 := q.Wait()
				return errors.Join(err, err2, equal([]int32{5}, got), equal(1, st.Source))
			})
		}
	})
	t.Run("WORLD-01 an abort is reported, and ends the requests", func(t *testing.T) {
		boom := errors.New("boom")
		for _, s := range []setting{{}, seeded(3)} {
			errs := start(4, s, func(c *comm.Comm) error {
				if c.Rank() == 3 {
					return boom
				}
				q, err := c.IRecv(ints(0), 3, 1)
				for err == nil {
					switch c.Rank() {
					case 0:
						_, _, err = comm.StatusAll(q)
					case 1:
						_, _, _, err = comm.StatusAny(q)
					case 2:
						_, _, err = comm.StatusSome(q)
					}
				}
				return err
			})
			for _, err := range errs {
				assert.ErrorIs(t, err, boom)
			}
		}
	})
}

// askSeveral asks requests of kinds together, twice, and then tests them by the
// call of the same kind: it is to say the same, and so is each by itself.
func askSeveral(c *comm.Comm, kinds []string, which string) error {
	var all []asked
	var reqs []*comm.Request
	for i, kind := range kinds {
		a, err := askedOf(c, kind, i)
		if err != nil {
			return err
		}
		all, reqs = append(all, a), append(reqs, a.q)
	}

	// The reference: one after the other.
	var done []int
	var sts []comm.Status
	var failed error
	active, ready := 0, 0
	for i, a := range all {
		st, ok, err := a.q.Status()
		if a.active {
			active++
		}
		if !ok || !a.active && which != "all" {
			continue
		}
		if a.active {
			ready++
		}
		if which != "any" {
			st.Err = err
		}
		if err != nil && (which != "any" || len(done) == 0) {
			failed = err
		}
		if which != "any" || len(done) == 0 {
			done, sts = append(done, i), append(sts, st)
		}
	}
	want := func() string {
		var err error
		if which == "any" {
			switch {
			case active == 0:
				return answer([]int{comm.Undefined}, []comm.Status{{Source: comm.AnySource, Tag: comm.AnyTag}}, true, nil)
			case ready == 0:
				return answer([]int{comm.Undefined}, []comm.Status{{}}, false, nil)
			}
			return answer(done, sts, true, failed)
		}
		if which == "all" {
			done = nil
			if ready < active {
				return answer(nil, nil, false, nil)
			}
		}
		if which == "some" && active > 0 && done == nil {
			done = []int{}
		}
		if failed != nil {
			err = &comm.Error{Class: comm.ErrInStatus, Rule: "ERR-08"}
		}
		return answer(done, sts, which == "all", err)
	}()

	ask := func(test bool) string {
		switch which {
		case "all":
			call := comm.StatusAll
			if test {
				call = comm.TestAll
			}
			sts, ok, err := call(reqs...)
			return answer(nil, sts, ok, err)
		case "any":
			call := comm.StatusAny
			if test {
				call = comm.TestAny
			}
			i, st, ok, err := call(reqs...)
			return answer([]int{i}, []comm.Status{st}, ok, err)
		}
		call := comm.StatusSome
		if test {
			call = comm.TestSome
		}
		done, sts, err := call(reqs...)
		return answer(done, sts, false, err)
	}
	first, again, tested := ask(false), ask(false), ask(true)
	err := errors.Join(equal(want, first), equal(first, again), equal(first, tested))

	// Leave nothing open.
	for i, a := range all {
		switch {
		case a.kind == "open receive":
			err = errors.Join(err, a.q.Cancel(), second(a.q.Wait()))
		case a.kind == "inactive", a.kind == "open work":
			err = errors.Join(err, a.q.Free())
		default:
			_, _ = reqs[i].Wait()
		}
	}
	return err
}

// MPI_Request_get_status promises that the request it found complete may be freed, for any
// operation.
func TestFreeCompleteRequests(t *testing.T) {
	for _, v := range []struct {
		name  string
		start func(c *comm.Comm, into []int32) (*comm.Request, func() error, error)
	}{
		{"IAllGather", func(c *comm.Comm, into []int32) (*comm.Request, func() error, error) {
			q, err := c.IAllGather(ints(int32(c.Rank()+1)), types.Of(into))
			return q, func() error { return nil }, err
		}},
		{"AllGatherInit", func(c *comm.Comm, into []int32) (*comm.Request, func() error, error) {
			q, err := c.AllGatherInit(ints(int32(c.Rank()+1)), types.Of(into))
			return q, func() error { return nil }, errors.Join(err, q.Start())
		}},
		{"IDup", func(c *comm.Comm, into []int32) (*comm.Request, func() error, error) {
			d, q, err := c.IDup()
			return q, func() error {
				return errors.Join(d.AllGather(ints(int32(c.Rank()+1)), types.Of(into)), d.Free())
			}, err
		}},
	} {
		t.Run("P2P-02 COLL-02 free of a complete "+v.name, func(t *testing.T) {
			ranks(t, 3, func(c *comm.Comm) error {
				into := make([]int32, 3)
				q, then, err := v.start(c, into)
				if err != nil {
					return err
				}
				if c.Rank() == 0 { // the others are not asked, so theirs may not be freed
					for ok := false; !ok; {
						if _, ok, err = q.Status(); err != nil {
							return err
						}
					}
					err = q.Free()
				} else {
					refused(t, q.Free(), comm.ErrRequest, "COLL-02")
					_, err = q.Wait()
				}
				err = errors.Join(err, then(), equal([]int32{1, 2, 3}, into))
				if c.Rank() == 0 {
					refused(t, q.Free(), comm.ErrRequest, "P2P-02")
				} else if v.name == "AllGatherInit" {
					err = errors.Join(err, q.Free())
				}
				return err
			})
		})
	}
}

package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// A finish is the result of completing one of several requests: its status, and its own
// error.
type finish struct {
	st  comm.Status
	err error
}

// completions complete all of reqs by calls of one kind, and return what each did.
// bad is the place of one that is to fail, or less than 0.
var completions = map[string]func(reqs []*comm.Request, bad int) (map[int]finish, error){
	"WaitAll": func(reqs []*comm.Request, bad int) (map[int]finish, error) {
		sts, err := comm.WaitAll(reqs...)
		return finishedAll(sts, err, bad)
	},
	"TestAll": func(reqs []*comm.Request, bad int) (map[int]finish, error) {
		for {
			if sts, ok, err := comm.TestAll(reqs...); ok || err != nil {
				return finishedAll(sts, err, bad)
			}
		}
	},
	"StatusAll and WaitAll": func(reqs []*comm.Request, bad int) (map[int]finish, error) {
		for {
			if _, ok, err := comm.StatusAll(reqs...); ok || err != nil {
				if wrong := judged(err, bad >= 0); wrong != nil {
					return nil, wrong
				}
				sts, err := comm.WaitAll(reqs...)
				return finishedAll(sts, err, bad)
			}
		}
	},
	"WaitSome": func(reqs []*comm.Request, bad int) (map[int]finish, error) {
		return finishedSome(comm.WaitSome, reqs, bad)
	},
	"TestSome": func(reqs []*comm.Request, bad int) (map[int]finish, error) {
		return finishedSome(comm.TestSome, reqs, bad)
	},
	"WaitAny": func(reqs []*comm.Request, bad int) (map[int]finish, error) {
		return finishedOnes(func() (int, comm.Status, bool, error) {
			i, st, err := comm.WaitAny(reqs...)
			return i, st, true, err
		}, bad)
	},
	"TestAny": func(reqs []*comm.Request, bad int) (map[int]finish, error) {
		return finishedOnes(func() (int, comm.Status, bool, error) { return comm.TestAny(reqs...) }, bad)
	},
}

// judged returns an error unless err is the right result of a call that completed several
// requests; failed says whether one of them failed.
func judged(err error, failed bool) error {
	if failed != errors.Is(err, comm.ErrInStatus) || failed != (err != nil) {
		return fmt.Errorf("one failed: %v; the error of all: %w", failed, err)
	}
	return nil
}

func finishedAll(sts []comm.Status, err error, bad int) (map[int]finish, error) {
	all := map[int]finish{}
	for i, st := range sts {
		all[i] = finish{st, st.Err}
	}
	return all, judged(err, bad >= 0)
}

func finishedSome(call func(...*comm.Request) ([]int, []comm.Status, error), reqs []*comm.Request, bad int) (map[int]finish, error) {
	all := map[int]finish{}
	for {
		done, sts, err := call(reqs...)
		if wrong := judged(err, slices.Contains(done, bad)); wrong != nil {
			return all, wrong
		}
		if done == nil {
			return all, nil
		}
		for k, i := range done {
			if _, twice := all[i]; twice {
				return all, fmt.Errorf("request %d was completed twice", i)
			}
			all[i] = finish{sts[k], sts[k].Err}
		}
	}
}

func finishedOnes(call func() (int, comm.Status, bool, error), bad int) (map[int]finish, error) {
	all := map[int]finish{}
	for {
		i, st, ok, err := call()
		switch {
		case !ok && err == nil:
			continue
		case err != nil && i != bad:
			return all, fmt.Errorf("request %d: %w", i, err)
		case i == comm.Undefined:
			return all, nil
		}
		if _, twice := all[i]; twice {
			return all, fmt.Errorf("request %d was completed twice", i)
		}
		all[i] = finish{st, err}
	}
}

// everyRun runs body on n ranks in a free world, under a seed, and under some of all
// schedules, and fails with its error.
func everyRun(t *testing.T, n int, made func() func(context.Context, *comm.Comm) error) {
	t.Helper()
	for range 5 {
		assert.NoError(t, world.Run(t.Context(), n, made()))
	}
	for seed := range uint64(20) {
		assert.NoError(t, world.Run(t.Context(), n, made(), world.Seed(seed)), "seed %d", seed)
	}
	all, err := world.Explore(t.Context(), n, func() (func(context.Context, *comm.Comm) error, func() any) {
		return made(), nil
	}, world.Limit(world.Limits{Schedules: 40}))
	if !errors.Is(err, world.ErrLimit) {
		assert.NoError(t, err)
	}
	assert.NotEmpty(t, all.Outcomes)
	for _, o := range all.Outcomes {
		assert.NoError(t, o.Err)
	}
}

// A medley is requests of all kinds under way on one rank.
type medley struct {
	reqs  []*comm.Request
	names []string
	check []func(f finish) error
}

func (m *medley) add(name string, q *comm.Request, err error, check func(f finish) error) error {
	m.reqs, m.names, m.check = append(m.reqs, q), append(m.names, name), append(m.check, check)
	return err
}

// place returns the index of the request with that name, or -1.
func (m *medley) place(name string) int { return slices.Index(m.names, name) }

// moved checks that an operation succeeded and moved n bytes.
func moved(n int64) func(f finish) error {
	return func(f finish) error {
		if got, ok := f.st.Count(types.Byte); f.err != nil || !ok || got != n {
			return fmt.Errorf("moved %d bytes, %v: %w", got, ok, f.err)
		}
		return nil
	}
}

// failing checks that an operation failed with an error of a class.
func failing(class error) func(f finish) error {
	return func(f finish) error {
		if !errors.Is(f.err, class) {
			return fmt.Errorf("failed with %w, not %w", f.err, class)
		}
		return nil
	}
}

// start starts the requests. Each rank's generalized request is completed by the
// rank before it, whose own calls come first.
func (m *medley) start(c *comm.Comm, f, broken *iofile.File, late []*comm.Request, bad string) error {
	me, n := c.Rank(), c.Size()
	next, last := (me+1)%n, (me+n-1)%n
	var err error
	late[me], err = c.GRequestStart(comm.GRequest{Query: func(st *comm.Status) error {
		if bad == "generalized" {
			return errors.New("boom")
		}
		return st.SetElements(types.Byte, 3)
	}})
	old, err2 := c.ISend(ints(1), comm.ProcNull, 0)
	err = errors.Join(err, err2, second(old.Wait()), c.Barrier())

	msg, room := make([]int32, 2), 8
	if bad == "message" {
		room = 4
	}
	q, e := c.IRecv(types.Of(msg[:room/4]), last, 1)
	received := func(fin finish) error {
		if msg[0] != int32(last) || fin.st.Source != last || fin.st.Tag != 1 {
			return fmt.Errorf("%v from %d tag %d", msg, fin.st.Source, fin.st.Tag)
		}
		return moved(8)(fin)
	}
	if bad == "message" {
		received = failing(comm.ErrTruncate)
	}
	err = errors.Join(err, m.add("message", q, e, received))
	got := make([]byte, 2)
	q, e = f.IReadAtAll(types.Of(got), iofile.Offset(2*me))
	err = errors.Join(err, m.add("collective read", q, e, func(fin finish) error {
		if want := "abcdef"[2*me : 2*me+2]; string(got) != want {
			return fmt.Errorf("read %q, not %q", got, want)
		}
		return moved(2)(fin)
	}), m.add("nil", nil, nil, nil))
	q, e = c.ISend(types.Of([]int32{int32(me), 7}), next, 1)
	err = errors.Join(err, m.add("send", q, e, func(fin finish) error { return fin.err }))
	q, e = f.IWriteAt(types.Of([]byte{'A' + byte(me)}), iofile.Offset(10+me))
	err = errors.Join(err, m.add("write", q, e, moved(1)))
	sum := []int32{0}
	q, e = c.IAllReduce(types.Of([]int32{int32(me + 1)}), types.Of(sum), comm.Sum)
	err = errors.Join(err, m.add("collective", q, e, func(fin finish) error {
		if want := int32(n * (n + 1) / 2); sum[0] != want {
			return fmt.Errorf("the sum is %d, not %d", sum[0], want)
		}
		return fin.err
	}), m.add("complete", old, nil, nil))
	came := moved(3)
	if bad == "generalized" {
		came = func(fin finish) error {
			if fin.err == nil || fin.err.Error() != "boom" {
				return fmt.Errorf("failed with %w", fin.err)
			}
			return nil
		}
	}
	err = errors.Join(err, m.add("generalized", late[me], nil, came))
	q, e = f.IWriteShared(types.Of([]byte{'s', 's'}))
	err = errors.Join(err, m.add("shared write", q, e, moved(2)))
	if bad == "file" {
		q, e = broken.IWriteAt(types.Of([]byte("lost")), iofile.Offset(4*me))
		err = errors.Join(err, m.add("file", q, e, failing(iofile.ErrIO)))
	}
	return errors.Join(err, late[next].GRequestComplete())
}

// A program that overlaps computing with messages and with files has requests of
// both in one list. If a call of the Wait family saw only one kind, or gave the
// error of one to another, it would hang, or take bytes that never came.
func TestRequestsOfAllKinds(t *testing.T) {
	for call, complete := range completions {
		for _, bad := range []string{"", "message", "generalized", "file"} {
			name := "none fails"
			if bad != "" {
				name = "the " + bad + " fails"
			}
			t.Run("P2P-02 ERR-08 GREQ-01 IO-NBC-04 "+call+", "+name, func(t *testing.T) {
				everyRun(t, 3, func() func(context.Context, *comm.Comm) error {
					plan, err := faults.NewPlan(faults.Must("write error=io file=broken")...)
					assert.NoError(t, err)
					fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX), iofile.WithFaults(plan))
					put(t, fsys, "f", "abcdef")
					late := make([]*comm.Request, 3)
					return func(_ context.Context, c *comm.Comm) error {
						f, err := iofile.Open(c, fsys, "f", create)
						broken, err2 := iofile.Open(c.Self(), fsys, "broken", create)
						if err = errors.Join(err, err2); err != nil {
							return err
						}
						if err := f.SeekShared(20, iofile.SeekSet); err != nil {
							return err
						}
						var m medley
						if err := m.start(c, f, broken, late, bad); err != nil {
							return err
						}
						ends, err := complete(m.reqs, m.place(bad))
						if err != nil {
							return err
						}
						for i, check := range m.check {
							end, is := ends[i]
							switch {
							case check == nil && is && (end.err != nil || end.st.Source != comm.AnySource): // of a call that completes all
								err = errors.Join(err, fmt.Errorf("%s: source %d: %w", m.names[i], end.st.Source, end.err))
							case check != nil && !is:
								err = errors.Join(err, fmt.Errorf("%s was not completed", m.names[i]))
							case check != nil:
								if e := check(end); e != nil {
									err = errors.Join(err, fmt.Errorf("%s: %w", m.names[i], e))
								}
							}
						}
						_, none, e := comm.TestAll(m.reqs...)
						if !none {
							err = errors.Join(err, errors.New("something is active still"))
						}
						err = errors.Join(err, e, f.Sync(), c.Barrier(), f.Sync())
						whole := make([]byte, 26)
						if _, e := f.ReadAt(types.Of(whole), 0); e != nil || string(whole[:6])+string(whole[10:13])+string(whole[20:]) != "abcdefABCssssss" {
							err = errors.Join(err, fmt.Errorf("the file is %q: %w", whole, e))
						}
						return errors.Join(err, f.Close(), broken.Close())
					}
				})
			})
		}
	}
}

// A wrong list of requests must be an error before any request is touched, so that the
// program can complete them rightly afterwards.
func TestRequestsOfAllKindsMisused(t *testing.T) {
	for call, complete := range completions {
		t.Run("IO-CLOSE-02 a file closed early, then "+call, func(t *testing.T) {
			everyRun(t, 2, func() func(context.Context, *comm.Comm) error {
				fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
				put(t, fsys, "f", "abcdef")
				return func(_ context.Context, c *comm.Comm) error {
					f, err := iofile.Open(c, fsys, "f", create)
					if err != nil {
						return err
					}
					got, msg := make([]byte, 2), make([]int32, 1)
					q, e := f.IReadAtAll(types.Of(got), iofile.Offset(2*c.Rank()))
					w, e2 := f.IWriteAt(types.Of([]byte("x")), iofile.Offset(10+c.Rank()))
					r, e3 := c.IRecv(types.Of(msg), 1-c.Rank(), 0)
					if err := errors.Join(e, e2, e3); err != nil {
						return err
					}
					refused(t, f.Close(), iofile.ErrOther, "IO-CLOSE-02")
					if err := c.Send(types.Of([]int32{5}), 1-c.Rank(), 0); err != nil {
						return err
					}
					ends, err := complete([]*comm.Request{q, nil, r, w}, -1)
					if want := "abcd"[2*c.Rank():][:2]; string(got) != want || msg[0] != 5 {
						err = errors.Join(err, fmt.Errorf("read %q, received %d", got, msg))
					}
					return errors.Join(err, moved(2)(ends[0]), moved(4)(ends[2]), moved(1)(ends[3]), f.Close())
				}
			})
		})
		t.Run("P2P-02 another rank's access to a file among one's own requests: "+call, func(t *testing.T) {
			everyRun(t, 2, func() func(context.Context, *comm.Comm) error {
				fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
				reqs := make([]*comm.Request, 2)
				return func(_ context.Context, c *comm.Comm) error {
					f, err := iofile.Open(c, fsys, "f", create)
					if err != nil {
						return err
					}
					me, other, msg := c.Rank(), 1-c.Rank(), make([]int32, 1)
					r, e := c.IRecv(types.Of(msg), other, 0)
					w, e2 := f.IWriteAt(types.Of([]byte("x")), iofile.Offset(me))
					reqs[me] = w
					if err := errors.Join(e, e2, c.Barrier()); err != nil {
						return err
					}
					theirs := reqs[other]
					for _, list := range [][]*comm.Request{{r, w, theirs}, {theirs, r}, {nil, w, theirs}} {
						_, err := complete(list, -1)
						refused(t, err, comm.ErrRequest, "P2P-02")
					}
					if err := errors.Join(c.Barrier(), c.Send(types.Of([]int32{5}), other, 0)); err != nil {
						return err
					}
					ends, err := complete([]*comm.Request{r, w}, -1)
					return errors.Join(err, moved(4)(ends[0]), moved(1)(ends[1]), f.Close())
				}
			})
		})
	}
}

package comm_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// An affine map x -> a*x + b, composed from left to right: it is associative and
// does not commute.
type affine struct{ A, B int64 }

func (f affine) then(g affine) affine { return affine{f.A * g.A, g.A*f.B + g.B} }

// own is an operation that one rank made for itself, with the calls of its function. It
// needs no lock: only that rank uses it.
type own struct {
	*comm.Op
	calls int
	mine  []affine // the rank's data, as its function got them
}

func newOwn(name string, wrong func() error) *own {
	o := new(own)
	o.Op = comm.NewOp(name, func(in, inout types.Buffer) error {
		o.calls++
		if wrong != nil {
			return wrong()
		}
		for i := range inout.Count() {
			f, g := itemOf(in, i), itemOf(inout, i)
			o.mine = append(o.mine, g)
			setItem(inout, i, f.then(g))
		}
		return nil
	})
	return o
}

func itemOf(b types.Buffer, i int64) affine {
	var x [1]affine
	mem, _ := types.Of(x[:]).Contiguous(types.Host)
	b.Pack(mem, 16*i, types.Host)
	return x[0]
}

func setItem(b types.Buffer, i int64, x affine) {
	mem, _ := types.Of([]affine{x}).Contiguous(types.Host)
	b.Unpack(mem, 16*i, types.Host)
}

// TestUserOpPerRank: the natural place to make an operation is where it is
// used, in the body of a rank, where its function uses the variables of the rank.
func TestUserOpPerRank(t *testing.T) {
	const n = 4
	item := func(rank, i int) affine { return affine{int64(rank + 2), int64(10*rank + i)} }
	upTo := func(last, i int) affine {
		x := item(0, i)
		for r := 1; r <= last; r++ {
			x = x.then(item(r, i))
		}
		return x
	}
	input := func(c *comm.Comm) []affine {
		x := make([]affine, n)
		for i := range x {
			x[i] = item(c.Rank(), i)
		}
		return x
	}
	whole := func(last int) []affine {
		x := make([]affine, n)
		for i := range x {
			x[i] = upTo(last, i)
		}
		return x
	}
	for _, v := range []struct {
		name string
		want func(rank int) []affine
		size int // of the result
		call func(c *comm.Comm, in, out types.Buffer, op *comm.Op) []func() (*comm.Request, error)
	}{
		{"Reduce", func(r int) []affine {
			if r != 1 {
				return make([]affine, n)
			}
			return whole(n - 1)
		}, n, func(c *comm.Comm, in, out types.Buffer, op *comm.Op) []func() (*comm.Request, error) {
			return []func() (*comm.Request, error){
				func() (*comm.Request, error) { return nil, c.Reduce(in, out, op, 1) },
				func() (*comm.Request, error) { return c.IReduce(in, out, op, 1) },
				func() (*comm.Request, error) { return c.ReduceInit(in, out, op, 1) },
			}
		}},
		{"AllReduce", func(int) []affine { return whole(n - 1) }, n, func(c *comm.Comm, in, out types.Buffer, op *comm.Op) []func() (*comm.Request, error) {
			return []func() (*comm.Request, error){
				func() (*comm.Request, error) { return nil, c.AllReduce(in, out, op) },
				func() (*comm.Request, error) { return c.IAllReduce(in, out, op) },
				func() (*comm.Request, error) { return c.AllReduceInit(in, out, op) },
			}
		}},
		{"Scan", whole, n, func(c *comm.Comm, in, out types.Buffer, op *comm.Op) []func() (*comm.Request, error) {
			return []func() (*comm.Request, error){
				func() (*comm.Request, error) { return nil, c.Scan(in, out, op) },
				func() (*comm.Request, error) { return c.IScan(in, out, op) },
				func() (*comm.Request, error) { return c.ScanInit(in, out, op) },
			}
		}},
		{"ExScan", func(r int) []affine {
			if r == 0 {
				return make([]affine, n)
			}
			return whole(r - 1)
		}, n, func(c *comm.Comm, in, out types.Buffer, op *comm.Op) []func() (*comm.Request, error) {
			return []func() (*comm.Request, error){
				func() (*comm.Request, error) { return nil, c.ExScan(in, out, op) },
				func() (*comm.Request, error) { return c.IExScan(in, out, op) },
				func() (*comm.Request, error) { return c.ExScanInit(in, out, op) },
			}
		}},
		{"ReduceScatterBlock", func(r int) []affine { return whole(n - 1)[r : r+1] }, 1, func(c *comm.Comm, in, out types.Buffer, op *comm.Op) []func() (*comm.Request, error) {
			return []func() (*comm.Request, error){
				func() (*comm.Request, error) { return nil, c.ReduceScatterBlock(in, out, op) },
				func() (*comm.Request, error) { return c.IReduceScatterBlock(in, out, op) },
				func() (*comm.Request, error) { return c.ReduceScatterBlockInit(in, out, op) },
			}
		}},
	} {
		for form, rule := range []string{"COLL-03", "COLL-02 COLL-03", "COLL-02 COLL-03"} {
			title := [3]string{"", "started ", "persistent "}[form]
			t.Run(rule+" made by each rank for itself, "+title+v.name, func(t *testing.T) {
				ranks(t, n, func(c *comm.Comm) error {
					op, out := newOwn("compose", nil), make([]affine, v.size)
					in := input(c)
					rounds := 0
					q, err := v.call(c, types.Of(in), types.Of(out), op.Op)[form]()
					for ; rounds < 3 && err == nil; rounds++ {
						if form == 2 {
							clear(out)
							err = q.Start()
						}
						if form > 0 && err == nil {
							op.calls++ // the rank goes on with its own variables
							op.calls--
							_, err = q.Wait()
						}
						if err = errors.Join(err, equal(v.want(c.Rank()), out)); form < 2 {
							rounds++
							break
						}
					}
					if form == 2 {
						err = errors.Join(err, q.Free())
					}
					calls, mine := rounds, []affine{}
					if c.Rank() == 0 {
						calls = 0
					}
					for range calls {
						mine = append(mine, in...)
					}
					return errors.Join(err, equal(calls, op.calls), equal(mine, append([]affine{}, op.mine...)))
				})
			})
		}
	}
	t.Run("COLL-02 COLL-03 a rank that waits elsewhere does its part", func(t *testing.T) {
		for range 20 {
			ranks(t, 3, func(c *comm.Comm) error {
				op, out := newOwn("compose", nil), make([]affine, n)
				q, err := c.IAllReduce(types.Of(input(c)), types.Of(out), op.Op)
				if err != nil {
					return err
				}
				token := make([]int32, 1)
				if c.Rank() == 1 { // ranks 0 and 2 wait for its part before they send
					_, err = c.Recv(types.Of(token), 2, 0)
					err = errors.Join(err, second(q.Wait()))
				} else {
					_, err = q.Wait()
					if c.Rank() == 2 {
						err = errors.Join(err, c.Send(ints(1), 1, 0))
					}
				}
				x := item(0, 1).then(item(1, 1)).then(item(2, 1))
				return errors.Join(err, equal(x, out[1]), equal(min(c.Rank(), 1), op.calls))
			})
		}
	})
	t.Run("COLL-02 COLL-03 several at once, ended in any order", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			var reqs []*comm.Request
			outs := make([][]affine, 5)
			for i := range outs {
				outs[i] = make([]affine, n)
				q, err := c.IScan(types.Of(input(c)), types.Of(outs[i]), newOwn("compose", nil).Op)
				if err != nil {
					return err
				}
				reqs = append(reqs, q)
			}
			for i := range reqs {
				if _, err := reqs[(i*(c.Rank()+1)+c.Rank())%5].Wait(); err != nil {
					return err
				}
			}
			_, err := comm.WaitAll(reqs...)
			for _, out := range outs {
				err = errors.Join(err, equal(whole(c.Rank()), out))
			}
			return err
		})
	})
	for _, form := range []string{"AllReduce", "IAllReduce"} {
		t.Run("COLL-03 COMM-02 between two groups, "+form, func(t *testing.T) {
			side := []int{0, 1, 0, 1, 1}
			ranks(t, 5, func(c *comm.Comm) error {
				d, err := bridge(c, side, [2]int{0, 0})
				if err != nil {
					return err
				}
				op, out := newOwn("compose", nil), make([]affine, n)
				if form == "AllReduce" {
					err = d.AllReduce(types.Of(input(c)), types.Of(out), op.Op)
				} else {
					q, err2 := d.IAllReduce(types.Of(input(c)), types.Of(out), op.Op)
					err = errors.Join(err2, second(q.Wait()))
				}
				far := both(side)[1-side[c.Rank()]]
				want := item(far[0], 2)
				for _, r := range far[1:] {
					want = want.then(item(r, 2))
				}
				return errors.Join(err, equal(want, out[2]), equal(min(d.Rank(), 1), op.calls), d.Free())
			})
		})
		t.Run("COLL-03 an error in one rank's function is an error of all, "+form, func(t *testing.T) {
			for name, wrong := range map[string]func() error{
				"an error": func() error { return errors.New("no luck") },
				"a panic":  func() error { panic("no luck") },
			} {
				ranks(t, 4, func(c *comm.Comm) error {
					op, out := newOwn("compose", nil), make([]affine, n)
					if c.Rank() == 2 {
						op = newOwn("compose", wrong)
					}
					var err error
					if form == "AllReduce" {
						err = c.AllReduce(types.Of(input(c)), types.Of(out), op.Op)
					} else {
						q, err2 := c.IAllReduce(types.Of(input(c)), types.Of(out), op.Op)
						assert.NoError(t, err2)
						_, err = q.Wait()
					}
					refused(t, err, comm.ErrOp, "COLL-03")
					assert.ErrorContains(t, err, "no luck", name)
					return errors.Join(equal([]int{0, 1, 1, 0}[c.Rank()], op.calls), equal(make([]affine, n), out), c.Barrier())
				})
			}
		})
	}
	t.Run("COLL-03 a function that ends its rank", func(t *testing.T) {
		errs := start(3, setting{}, func(c *comm.Comm) error {
			op := newOwn("compose", nil)
			if c.Rank() == 1 {
				op = newOwn("compose", func() error { runtime.Goexit(); return nil })
			}
			q, err := c.IAllReduce(types.Of(input(c)), types.Of(make([]affine, n)), op.Op)
			if err != nil {
				return err
			}
			_, err = q.Wait()
			return err
		})
		for i, err := range errs {
			assert.Error(t, err, fmt.Sprint(i))
		}
	})
	t.Run("COLL-03 other names are other operations", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			f := func(_, _ types.Buffer) error { return nil }
			err := c.AllReduce(ints(1), ints(0), comm.NewOp(fmt.Sprint("mine ", c.Rank()), f))
			refused(t, err, comm.ErrNotSame, "COLL-03")
			op := comm.NewOp("mine", f)
			if c.Rank() == 1 {
				op = comm.NewCommutativeOp("mine", f)
			}
			err = c.AllReduce(ints(1), ints(0), op)
			refused(t, err, comm.ErrNotSame, "COLL-03")
			assert.ErrorContains(t, err, "one commutes and the other does not")
			op = comm.Sum
			if c.Rank() == 1 {
				op = comm.NewCommutativeOp("Sum", f)
			}
			refused(t, c.AllReduce(ints(1), ints(0), op), comm.ErrNotSame, "COLL-03")
			return nil
		})
	})
}

package comm_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// pair runs a sender on rank 0 and a receiver on rank 1, once with the receive
// posted first and once with the message there first.
func pair(t *testing.T, s setting, send, recv func(c *comm.Comm) error) {
	t.Helper()
	for _, first := range []int{0, 1} {
		err := errors.Join(start(2, s, func(c *comm.Comm) error {
			if c.Rank() == first {
				return errors.Join(sendToken(c, 1-first), map[int]func(*comm.Comm) error{0: send, 1: recv}[first](c))
			}
			return errors.Join(receiveToken(c, first), map[int]func(*comm.Comm) error{0: send, 1: recv}[c.Rank()](c))
		})...)
		assert.NoError(t, err, "rank %d first", first)
	}
}

const doorbell = 99

func sendToken(c *comm.Comm, to int) error { return c.Send(types.Of([]byte{1}), to, doorbell) }

func receiveToken(c *comm.Comm, from int) error {
	_, err := c.Recv(types.Of(make([]byte, 1)), from, doorbell)
	return err
}

// If type matching were lax, a program that sends doubles and receives ints
// would run here and compute garbage on a real machine.
func TestTypeMatching(t *testing.T) {
	doubles := func() types.Buffer { return types.Of(make([]float64, 10)) }
	for _, v := range []struct {
		name       string
		send, recv types.Buffer
		class      errclass.Class // of the receive
		rule       string
		bytes      int64
	}{
		{"P2P-MATCH-02 INT and INT32_T are two names", ints(1).As(types.Int), ints(0), errclass.Type, "P2P-MATCH-02", 0},
		{"P2P-MATCH-02 LONG and INT64_T are two names", types.Of([]int64{1}).As(types.Long), types.Of([]int64{0}), errclass.Type, "P2P-MATCH-02", 0},
		{"P2P-MATCH-02 C and Fortran", ints(1).As(types.Int), ints(0).As(types.Integer), errclass.Type, "P2P-MATCH-02", 0},
		{"P2P-MATCH-03 a receive may be longer", ints(1, 2), ints(0, 0, 0), errclass.Success, "", 8},
		{"P2P-MATCH-03 a prefix across datatypes", ints(1, 2), types.Raw(make([]byte, 12), 1, types.Contiguous(3, types.Int32)), errclass.Success, "", 8},
		{"P2P-MATCH-03 a message too long", ints(1, 2, 3), ints(0, 0), errclass.Truncate, "P2P-MATCH-03", 0},
		{"P2P-MATCH-03 too long and of another type", ints(1, 2, 3), types.Of([]float32{0}), errclass.Type, "P2P-MATCH-02", 0},
		{"P2P-MATCH-04 holes play no part", types.Raw(make([]byte, 64), 3, types.Resized(types.Int32, 0, 20)), ints(0, 0, 0), errclass.Success, "", 12},
		{
			"P2P-MATCH-04 order does", types.Raw(make([]byte, 8), 1, types.Struct(types.Field{Count: 1, Type: types.Int}, types.Field{Count: 1, Disp: 4, Type: types.Float})),
			types.Raw(make([]byte, 8), 1, types.Struct(types.Field{Count: 1, Type: types.Float}, types.Field{Count: 1, Disp: 4, Type: types.Int})), errclass.Type, "P2P-MATCH-02", 0,
		},
		{"P2P-MATCH-06 reals to bytes", types.Of(make([]float32, 10)), types.Of(make([]byte, 40)), errclass.Type, "P2P-MATCH-02", 0},
		{"P2P-MATCH-06 bytes to more bytes", types.Of(make([]byte, 40)), types.Of(make([]byte, 60)), errclass.Success, "", 40},
		{"P2P-MATCH-06 bytes to bytes of any variable", doubles().As(types.Byte), types.Of(make([]byte, 80)), errclass.Success, "", 80},
		{"P2P-MATCH-07 packed to plain", doubles().As(types.Packed), doubles(), errclass.Success, "", 80},
		{"P2P-MATCH-07 plain to packed", doubles(), types.Raw(make([]byte, 100), 100, types.Packed), errclass.Success, "", 80},
		{"P2P-MATCH-07 packed that ends inside an item", types.Raw(make([]byte, 12), 12, types.Packed), doubles(), errclass.Type, "P2P-MATCH-07", 0},
		{"P2P-MATCH-07 packed too long", types.Raw(make([]byte, 88), 88, types.Packed), doubles(), errclass.Truncate, "P2P-MATCH-03", 0},
		{"P2P-MATCH-03 nothing fits everything", types.Of([]int32{}), doubles(), errclass.Success, "", 0},
		{"P2P-MATCH-03 nothing into nothing", types.Of([]int32{}), types.Of([]float64{}), errclass.Success, "", 0},
	} {
		t.Run(v.name, func(t *testing.T) {
			for _, eager := range []int64{0, -1} {
				pair(t, setting{comm: commport.LaunchOptions{Eager: eager}},
					func(c *comm.Comm) error { return c.Send(v.send, 1, 5) },
					func(c *comm.Comm) error {
						st, err := c.Recv(v.recv, 0, 5)
						if v.class != errclass.Success {
							refused(t, err, v.class, v.rule)
							err = nil
						}
						n, _ := st.Count(types.Byte)
						return errors.Join(err, equal(0, st.Source), equal(5, st.Tag), equal(v.bytes, n))
					})
			}
		})
	}
}

// A message that does not match must not stay behind: the next receive would
// get it.
func TestTypeMismatchConsumesMessage(t *testing.T) {
	t.Run("P2P-MATCH-10 a mismatch is found at the receiver, the message is used up", func(t *testing.T) {
		pair(t, setting{},
			func(c *comm.Comm) error {
				return errors.Join(c.Send(types.Of([]float32{1}), 1, 0), c.Send(ints(7), 1, 0))
			},
			func(c *comm.Comm) error {
				x := []int32{5}
				_, err := c.Recv(types.Of(x), 0, 0)
				refused(t, err, comm.ErrType, "P2P-MATCH-02")
				untouched := equal([]int32{5}, x)
				_, err = c.Recv(types.Of(x), 0, 0)
				return errors.Join(untouched, err, equal([]int32{7}, x))
			})
	})
}

// Between unlike machines values must survive and bytes must not be touched.
func TestHeterogeneousMachines(t *testing.T) {
	for _, size := range []int{1, 5, 3000, 40_000} {
		t.Run(fmt.Sprintf("P2P-MATCH-08 bytes travel as they are, values may be converted: %d items", size), func(t *testing.T) {
			// A long is 8 bytes on one machine and 4 on the other.
			recipe := types.Struct(
				types.Field{Count: 1, Disp: 0, Type: types.Long}, types.Field{Count: 3, Disp: 8, Type: types.Byte},
				types.Field{Count: 1, Disp: 16, Type: types.Double})
			pair(t, unlike(reps.LP64LE, reps.ILP32BE),
				func(c *comm.Comm) error {
					b := types.Raw(make([]byte, 24*size), int64(size), recipe)
					for i := range size {
						at := b.Mem()[24*i:]
						native.PutUint64(at, uint64(-int64(i)))
						copy(at[8:], []byte{1, 2, 3})
						native.PutUint64(at[16:], math.Float64bits(float64(i)/4))
					}
					return c.Send(b, 1, 0)
				},
				func(c *comm.Comm) error {
					_, step := recipe.Extent(c.Arch())
					b := types.Raw(make([]byte, int(step)*size), int64(size), recipe)
					st, err := c.Recv(b, 0, 0)
					if err != nil {
						return err
					}
					for i := range size {
						at := b.Mem()[int(step)*i:]
						err = errors.Join(err, equal(int32(-i), int32(native.Uint32(at))), equal([]byte{1, 2, 3}, at[8:11]),
							equal(float64(i)/4, math.Float64frombits(native.Uint64(at[16:]))))
					}
					return errors.Join(err, equal(int64(size), count(st, recipe)))
				})
		})
	}
	t.Run("P2P-MATCH-08 a value that does not fit is not a value", func(t *testing.T) {
		pair(t, unlike(reps.LP64LE, reps.ILP32LE),
			func(c *comm.Comm) error { return c.Send(types.Of([]int64{1 << 40}).As(types.Long), 1, 0) },
			func(c *comm.Comm) error {
				_, err := c.Recv(types.Raw(make([]byte, 4), 1, types.Long), 0, 0)
				refused(t, err, comm.ErrConversion, "REP-X32-09")
				return nil
			})
	})
	t.Run("P2P-MATCH-07 packed matches anything, on unlike machines too", func(t *testing.T) {
		pair(t, unlike(reps.LP64LE, reps.ILP32LE),
			func(c *comm.Comm) error {
				longs := types.Of([]int64{3, 4})
				return errors.Join(c.Send(longs.As(types.Long), 1, 0), c.Send(longs.As(types.Packed), 1, 0))
			},
			func(c *comm.Comm) error {
				x := make([]int32, 2)
				p, err := c.Recv(types.Of(x).As(types.Packed), 0, 0)
				plain := equal([]int32{3, 4}, x)
				q, err2 := c.Recv(types.Raw(make([]byte, 8), 2, types.Long), 0, 0)
				return errors.Join(err, plain, err2, equal(int64(8), count(p, types.Byte)), equal(int64(2), count(q, types.Long)))
			})
	})
}

// If a later message could overtake an earlier one, no protocol would work.
func TestOrder(t *testing.T) {
	t.Run("P2P-04 messages of a pair do not overtake each other", func(t *testing.T) {
		const n = 300
		for _, s := range []setting{{}, seeded(3), {comm: commport.LaunchOptions{Eager: 4}}} {
			err := errors.Join(start(3, s, func(c *comm.Comm) error {
				if c.Rank() > 0 {
					var all []*comm.Request
					for i := range int32(n) {
						p, err := c.ISend(types.Of(make([]int32, i%5)), 0, int(i%3))
						q, err2 := c.ISend(ints(i), 0, 7)
						if err := errors.Join(err, err2); err != nil {
							return err
						}
						all = append(all, p, q)
					}
					return second(comm.WaitAll(all...))
				}
				next := [3]int32{}
				for range 2 * n { // while these are received, the others pile up
					x := []int32{-1}
					st, err := c.Recv(types.Of(x), comm.AnySource, 7)
					if err != nil {
						return err
					}
					if err := equal(next[st.Source], x[0]); err != nil {
						return err
					}
					next[st.Source]++
				}
				for src := 1; src < 3; src++ {
					for i := range int64(n) {
						st, err := c.Recv(types.Of(make([]int32, 9)), src, comm.AnyTag)
						if err := errors.Join(err, equal(i%5, count(st, types.Int32)), equal(int(i%3), st.Tag)); err != nil {
							return err
						}
					}
				}
				return nil
			})...)
			assert.NoError(t, err)
		}
	})
	t.Run("P2P-04 contexts do not mix", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			d, err := c.Dup()
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				return errors.Join(c.Send(ints(1), 1, 0), d.Send(ints(2), 1, 0))
			}
			x, y := []int32{0}, []int32{0}
			_, err = d.Recv(types.Of(y), comm.AnySource, comm.AnyTag)
			_, err2 := c.Recv(types.Of(x), comm.AnySource, comm.AnyTag)
			return errors.Join(err, err2, equal([]int32{1}, x), equal([]int32{2}, y))
		})
	})
	t.Run("P2P-04 PROC_NULL completes at once", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			x := []int32{5}
			st, err := c.Recv(types.Of(x), comm.ProcNull, comm.AnyTag)
			q, err2 := c.IRecv(types.Of(x), comm.ProcNull, 3)
			st2, err3 := q.Wait()
			_, err4 := c.SendRecv(types.Of(x), comm.To{Rank: comm.ProcNull}, types.Of(x), comm.From{Rank: comm.ProcNull})
			return errors.Join(err, err2, err3, err4, c.Send(types.Of(x), comm.ProcNull, 1), equal([]int32{5}, x), equal(st, st2),
				equal(comm.ProcNull, st.Source), equal(comm.AnyTag, st.Tag), equal(int64(0), count(st, types.Int)))
		})
	})
}

// Under a seed a race must come out the same way every time, or a failure could
// not be looked at again; over seeds it must come out both ways, or it would
// never be found.
func TestSeededRaces(t *testing.T) {
	t.Run("P2P-04 two messages race for a wildcard receive", func(t *testing.T) {
		winners := map[int]int{}
		for seed := range uint64(30) {
			won := [3]int{}
			for again := range won {
				err := errors.Join(start(3, seeded(seed), func(c *comm.Comm) error {
					if c.Rank() > 0 {
						return c.Send(ints(1), 0, 0)
					}
					st, err := c.Recv(ints(0), comm.AnySource, comm.AnyTag)
					won[again] = st.Source
					return errors.Join(err, second(c.Recv(ints(0), comm.AnySource, comm.AnyTag)))
				})...)
				assert.NoError(t, err)
			}
			assert.Equal(t, [3]int{won[0], won[0], won[0]}, won, "seed %d", seed)
			winners[won[0]]++
		}
		assert.Len(t, winners, 2, "%v", winners)
	})
}

// Bad arguments must be found before anything happens, and named.
func TestArguments(t *testing.T) {
	ok := func() types.Buffer { return ints(1, 2) }
	twice := types.Indexed([]types.Block{{Len: 1}, {Len: 1}}, types.Int32)
	beyond := comm.MaxTag
	beyond++ // where an int has 32 bits it is then negative
	for _, v := range []struct {
		name  string
		call  func(c *comm.Comm) error
		class errclass.Class
		rule  string
	}{
		{"P2P-08 rank too large", func(c *comm.Comm) error { return c.Send(ok(), 2, 0) }, comm.ErrRank, "P2P-08"},
		{"P2P-08 rank negative", func(c *comm.Comm) error { return c.Send(ok(), -7, 0) }, comm.ErrRank, "P2P-08"},
		{"P2P-08 send to any source", func(c *comm.Comm) error { return c.Send(ok(), comm.AnySource, 0) }, comm.ErrRank, "P2P-08"},
		{"P2P-08 receive from too large a rank", func(c *comm.Comm) error { return second(c.Recv(ok(), 2, 0)) }, comm.ErrRank, "P2P-08"},
		{"P2P-08 AnyTag as source", func(c *comm.Comm) error { return second(c.Recv(ok(), comm.AnyTag, 0)) }, comm.ErrRank, "P2P-08"},
		{"P2P-08 tag negative", func(c *comm.Comm) error { return c.Send(ok(), 1, -5) }, comm.ErrTag, "P2P-08"},
		{"P2P-08 send with any tag", func(c *comm.Comm) error { return c.Send(ok(), 1, comm.AnyTag) }, comm.ErrTag, "P2P-08"},
		{"P2P-08 tag too large", func(c *comm.Comm) error { return second(c.IRecv(ok(), 1, beyond)) }, comm.ErrTag, "P2P-08"},
		{"P2P-08 AnySource as tag", func(c *comm.Comm) error { return second(c.Recv(ok(), 1, comm.AnySource)) }, comm.ErrTag, "P2P-08"},
		{"P2P-08 count negative", func(c *comm.Comm) error { return c.Send(ok().Times(-1), 1, 0) }, comm.ErrCount, "DT-ARG-01"},
		{"P2P-08 memory too small", func(c *comm.Comm) error { return second(c.ISend(ok().Times(3), 1, 0)) }, comm.ErrBuffer, "P2P-08"},
		{"P2P-08 no datatype", func(c *comm.Comm) error { return c.Send(types.Raw(nil, 1, nil), 1, 0) }, comm.ErrType, "DT-ARG-01"},
		{"P2P-08 a place received twice", func(c *comm.Comm) error {
			return second(c.Recv(types.Raw(make([]byte, 4), 1, twice), 1, 0))
		}, comm.ErrType, "P2P-08"},
		{"P2P-MATCH-05 a datatype that the memory is not", func(c *comm.Comm) error {
			return c.Send(types.Of([]float64{1}).As(types.Int64), 1, 0)
		}, comm.ErrType, "P2P-MATCH-11"},
		{"P2P-MATCH-11 a Go type without datatype", func(c *comm.Comm) error {
			return c.Send(types.Of([]string{"x"}), 1, 0)
		}, comm.ErrType, "P2P-MATCH-11"},
		{"P2P-08 probe of a wrong rank", func(c *comm.Comm) error { return second(c.Probe(9, 0)) }, comm.ErrRank, "P2P-08"},
		{"COMM-01 nil", func(*comm.Comm) error { return (*comm.Comm)(nil).Send(ok(), 0, 0) }, comm.ErrComm, "COMM-01"},
		{"COMM-01 nil collective", func(*comm.Comm) error { return (*comm.Comm)(nil).Barrier() }, comm.ErrComm, "COMM-01"},
		{"COMM-01 nil dup", func(*comm.Comm) error { return second((*comm.Comm)(nil).Dup()) }, comm.ErrComm, "COMM-01"},
		{"COMM-01 world freed", func(c *comm.Comm) error { return c.Free() }, comm.ErrComm, "COMM-01"},
		{"COMM-01 self freed", func(c *comm.Comm) error { return c.Self().Free() }, comm.ErrComm, "COMM-01"},
	} {
		t.Run(v.name, func(t *testing.T) {
			assert.NoError(t, errors.Join(start(2, setting{}, func(c *comm.Comm) error {
				refused(t, v.call(c), v.class, v.rule)
				return nil
			})...))
		})
	}
}

func second[T any](_ T, err error) error { return err }

// Requests complete once, in any order, and are harmless afterwards.
func TestRequests(t *testing.T) {
	t.Run("P2P-02 nonblocking messages and their completion", func(t *testing.T) {
		for _, eager := range []int64{0, -1} {
			for _, s := range []setting{{}, seeded(4), seeded(5)} {
				s.comm.Eager = eager
				assert.NoError(t, errors.Join(start(4, s, exchange)...))
			}
		}
	})
	t.Run("P2P-02 inactive and nil requests", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			q, err := c.ISend(ints(1), 0, 0)
			_, err2 := c.Recv(ints(0), 0, 0)
			_, err3 := q.Wait()
			st, err4 := q.Wait()
			st2, ok, err5 := (*comm.Request)(nil).Test()
			return errors.Join(err, err2, err3, err4, err5, equal(comm.AnySource, st.Source), equal(st, st2), equal(true, ok))
		})
	})
	t.Run("P2P-02 Test until complete", func(t *testing.T) {
		pair(t, setting{comm: commport.LaunchOptions{Eager: -1}}, func(c *comm.Comm) error {
			q, err := c.ISend(ints(8), 1, 0)
			for ok := false; err == nil && !ok; {
				_, ok, err = q.Test()
			}
			return err
		}, func(c *comm.Comm) error {
			x := []int32{0}
			q, err := c.IRecv(types.Of(x), 0, 0)
			st := comm.Status{}
			for ok := false; err == nil && !ok; {
				st, ok, err = q.Test()
			}
			return errors.Join(err, equal([]int32{8}, x), equal(int64(1), count(st, types.Int32)))
		})
	})
	t.Run("P2P-02 errors of some requests", func(t *testing.T) {
		pair(t, setting{}, func(c *comm.Comm) error {
			return errors.Join(c.Send(ints(1), 1, 0), c.Send(ints(2, 3), 1, 1))
		}, func(c *comm.Comm) error {
			x, y := []int32{0}, []int32{0}
			a, err := c.IRecv(types.Of(x), 0, 0)
			b, err2 := c.IRecv(types.Of(y), 0, 1)
			sts, err3 := comm.WaitAll(a, b, nil)
			refused(t, err3, comm.ErrInStatus, "ERR-08")
			assert.ErrorIs(t, err3, comm.ErrTruncate)
			return errors.Join(err, err2, equal([]int32{1}, x), equal(1, sts[1].Tag), equal(comm.AnySource, sts[2].Source))
		})
	})
}

// exchange sends a numbered message from every rank to every rank, itself
// included, receives posted in the opposite order of sends.
func exchange(c *comm.Comm) error {
	n, me := c.Size(), c.Rank()
	var reqs []*comm.Request
	in := make([][]int32, n)
	for i := n - 1; i >= 0; i-- {
		in[i] = make([]int32, 3)
		q, err := c.IRecv(types.Of(in[i]), i, me)
		if err != nil {
			return err
		}
		reqs = append(reqs, q)
	}
	for i := range n {
		q, err := c.ISend(ints(int32(me), int32(i)), i, i)
		if err != nil {
			return err
		}
		reqs = append(reqs, q)
	}
	sts, err := comm.WaitAll(reqs...)
	for i := range n {
		err = errors.Join(err, equal([]int32{int32(i), int32(me), 0}, in[i]), equal(i, sts[n-1-i].Source))
	}
	return err
}

func TestSendRecv(t *testing.T) {
	t.Run("P2P-03 a ring without deadlock, however little is buffered", func(t *testing.T) {
		for _, n := range []int{1, 2, 5} {
			for _, eager := range []int64{0, -1} {
				assert.NoError(t, errors.Join(start(n, setting{comm: commport.LaunchOptions{Eager: eager}}, func(c *comm.Comm) error {
					x := []int32{-1}
					st, err := c.SendRecv(ints(int32(c.Rank())), comm.To{Rank: (c.Rank() + 1) % n, Tag: 3}, types.Of(x), comm.From{Rank: (c.Rank() + n - 1) % n, Tag: 3})
					return errors.Join(err, equal((c.Rank()+n-1)%n, st.Source), equal(int32(st.Source), x[0]))
				})...))
			}
		}
	})
}

func TestProbe(t *testing.T) {
	t.Run("P2P-05 probes describe what a receive will get and leave it there", func(t *testing.T) {
		for _, s := range []setting{{}, {comm: commport.LaunchOptions{Eager: -1}}, unlike(reps.LP64LE, reps.ILP32BE)} {
			pair(t, s, func(c *comm.Comm) error { return c.Send(types.Of([]int64{1, 2, 3}).As(types.Long), 1, 4) },
				func(c *comm.Comm) error {
					_, none, err := c.IProbe(0, 5)
					st, err2 := c.Probe(comm.AnySource, comm.AnyTag)
					again, ok, err3 := c.IProbe(0, 4)
					n := count(st, types.Long)
					buf := types.Raw(make([]byte, n*types.Long.Size(c.Arch())), n, types.Long)
					got, err4 := c.Recv(buf, st.Source, st.Tag)
					return errors.Join(err, err2, err3, err4, equal(false, none), equal(true, ok), equal(int64(3), n), equal(st, again), equal(st, got))
				})
		}
	})
}

func TestStatus(t *testing.T) {
	t.Run("STAT-01 count and elements", func(t *testing.T) {
		two := types.Contiguous(2, types.Int32)
		pair(t, setting{}, func(c *comm.Comm) error { return c.Send(ints(1, 2, 3), 1, 9) },
			func(c *comm.Comm) error {
				st, err := c.Recv(types.Of(make([]int32, 4)), comm.AnySource, comm.AnyTag)
				_, whole := st.Count(two)
				n, ok := st.Elements(two)
				return errors.Join(err, equal(0, st.Source), equal(9, st.Tag), equal(int64(3), count(st, types.Int32)),
					equal(false, whole), equal(true, ok), equal(int64(3), n))
			})
	})
	t.Run("STAT-01 the zero status", func(t *testing.T) {
		assert.EqualValues(t, 0, count(comm.Status{}, types.Int))
		assert.EqualValues(t, 7, comm.NewStatus(7, reps.LP64LE).Bytes())
		late := comm.NewStatus(7, reps.LP64LE)
		late.SetCancelled(true)
		assert.EqualValues(t, 7, late.Bytes())
		assert.EqualValues(t, -1, count(comm.NewStatus(7, reps.LP64LE), types.Int))
	})
}

// A program that cannot go on must say so at once and say which rank waits for what.
func TestDeadlock(t *testing.T) {
	stuck := func(t *testing.T, n int, s setting, body func(c *comm.Comm) error) *sched.DeadlockError {
		t.Helper()
		var d *sched.DeadlockError
		for _, err := range start(n, s, body) {
			if !assert.ErrorAs(t, err, &d) {
				return &sched.DeadlockError{Ranks: make([]sched.Waiting, n)}
			}
			var e *comm.Error
			assert.ErrorAs(t, err, &e)
		}
		return d
	}
	for name, s := range map[string]setting{"free": {}, "seeded": seeded(6)} {
		t.Run("P2P-04 two ranks that receive first "+name, func(t *testing.T) {
			d := stuck(t, 2, s, func(c *comm.Comm) error { return second(c.Recv(ints(0), 1-c.Rank(), 7)) })
			assert.Equal(t, "Recv from 1 tag 7 on COMM_WORLD", d.Ranks[0].Why)
			assert.Contains(t, d.Ranks[1].Place.File, "msg_mprobe_test.go")
		})
		t.Run("P2P-01 long sends do not rely on buffering "+name, func(t *testing.T) {
			d := stuck(t, 2, s, func(c *comm.Comm) error {
				return c.Send(types.Of(make([]byte, comm.DefaultEager+1)), 1-c.Rank(), 0)
			})
			assert.Equal(t, "Send to 0 tag 0 on COMM_WORLD", d.Ranks[1].Why)
		})
		t.Run("COLL-01 a rank that does not come "+name, func(t *testing.T) {
			d := stuck(t, 3, s, func(c *comm.Comm) error {
				if c.Rank() == 2 {
					return second(c.Recv(ints(0), 0, 1))
				}
				return c.Barrier()
			})
			assert.Equal(t, "Barrier (1st collective) on COMM_WORLD", d.Ranks[0].Why)
		})
		t.Run("P2P-05 a probe for a message that never comes "+name, func(t *testing.T) {
			d := stuck(t, 1, s, func(c *comm.Comm) error { return second(c.Probe(comm.AnySource, 2)) })
			assert.Equal(t, "Probe from any source tag 2 on COMM_WORLD", d.Ranks[0].Why)
		})
	}
}

// When one rank fails, the others are released from wherever they wait.
func TestAbort(t *testing.T) {
	boom := errors.New("boom")
	for _, s := range []setting{{}, seeded(7)} {
		errs := start(6, s, func(c *comm.Comm) error {
			q, err := c.IRecv(ints(0), 0, 3)
			if err != nil {
				return err
			}
			switch c.Rank() {
			case 0:
				return boom
			case 1:
				return c.Barrier()
			case 2:
				return second(c.Recv(ints(0), 1, 0))
			case 3:
				return c.Send(types.Of(make([]byte, 1<<20)), 1, 0)
			case 4:
				return second(c.Probe(0, 1))
			}
			return second(q.Wait())
		})
		for _, err := range errs {
			assert.ErrorIs(t, err, boom)
		}
	}
}

// A call that an abort cuts short must not go on to use the caller's memory:
// under -race this test would fail.
func TestAbortLeavesBuffersAlone(t *testing.T) {
	boom := errors.New("boom")
	const n, size = 4, 64 << 10
	for round := range 20 {
		errs := start(n, setting{comm: commport.LaunchOptions{Eager: int64(round%2) * 64}}, func(c *comm.Comm) error {
			me := c.Rank()
			send, recv := make([]byte, n*size), make([]byte, n*size)
			for i := 0; ; i++ {
				if me == 0 && i == 3 {
					go func() { // at a moment of its own
						for range 5 * round {
							runtime.Gosched()
						}
						port.Thread(c).Sched().Abort(boom)
					}()
				}
				err := c.AllToAll(types.Of(send), types.Of(recv))
				if err == nil {
					_, err = c.SendRecv(types.Of(send), comm.To{Rank: (me + 1) % n}, types.Of(recv), comm.From{Rank: (me + n - 1) % n})
				}
				if err != nil {
					for i := range send {
						send[i], recv[i] = 1, 1
					}
					return err
				}
			}
		})
		for _, err := range errs {
			assert.ErrorIs(t, err, boom)
		}
	}
}

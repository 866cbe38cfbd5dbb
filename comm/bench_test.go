package comm_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// pump runs body on n ranks as often as the benchmark wants; rank 0 counts.
func pump(b *testing.B, n int, s setting, body func(c *comm.Comm) func() error) {
	b.Helper()
	b.ReportAllocs()
	err := errors.Join(start(n, s, func(c *comm.Comm) error {
		step, again, more := body(c), []int32{1}, true
		for more {
			if c.Rank() == 0 && !b.Loop() {
				again[0] = 0
			}
			for range 64 { // one check whether to go on for many steps
				if err := step(); err != nil {
					return err
				}
			}
			if err := c.Bcast(types.Of(again), 0); err != nil {
				return err
			}
			more = again[0] == 1
		}
		return nil
	})...)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/step")
}

// BenchmarkPingPong: a step is there and back, so half of it is what peers call
// half round trip.
func BenchmarkPingPong(b *testing.B) {
	for _, size := range []int{0, 8, 1 << 10, 8 << 10, 64 << 10, 1 << 20} {
		for name, s := range map[string]setting{"free": {}, "seeded": seeded(1)} {
			b.Run(fmt.Sprintf("%s/%dB", name, size), func(b *testing.B) {
				pump(b, 2, s, func(c *comm.Comm) func() error {
					buf := types.Of(make([]byte, size))
					if c.Rank() == 1 {
						return func() error {
							if _, err := c.Recv(buf, 0, 1); err != nil {
								return err
							}
							return c.Send(buf, 0, 1)
						}
					}
					return func() error {
						if err := c.Send(buf, 1, 1); err != nil {
							return err
						}
						_, err := c.Recv(buf, 1, 1)
						return err
					}
				})
			})
		}
	}
}

// BenchmarkStream: a step is a window of 64 messages and an answer.
func BenchmarkStream(b *testing.B) {
	for _, size := range []int{8, 1 << 10, 64 << 10} {
		for name, s := range map[string]setting{"free": {}, "seeded": seeded(1)} {
			b.Run(fmt.Sprintf("%s/%dB", name, size), func(b *testing.B) {
				pump(b, 2, s, func(c *comm.Comm) func() error {
					buf, ack := types.Of(make([]byte, size)), types.Of(make([]byte, 1))
					return func() error {
						for range 64 {
							var err error
							if c.Rank() == 0 {
								err = c.Send(buf, 1, 1)
							} else {
								_, err = c.Recv(buf, 0, 1)
							}
							if err != nil {
								return err
							}
						}
						if c.Rank() == 1 {
							return c.Send(ack, 0, 2)
						}
						_, err := c.Recv(ack, 1, 2)
						return err
					}
				})
			})
		}
	}
}

// BenchmarkWindow: a step is a window of 64 messages under way at once, and an
// answer.
func BenchmarkWindow(b *testing.B) {
	for _, size := range []int{8, 1 << 10} {
		for name, s := range map[string]setting{"free": {}, "seeded": seeded(1)} {
			b.Run(fmt.Sprintf("%s/%dB", name, size), func(b *testing.B) {
				pump(b, 2, s, func(c *comm.Comm) func() error {
					buf, ack := types.Of(make([]byte, size)), types.Of(make([]byte, 1))
					reqs := make([]*comm.Request, 64)
					return func() error {
						for i := range reqs {
							var err error
							if c.Rank() == 0 {
								reqs[i], err = c.ISend(buf, 1, 1)
							} else {
								reqs[i], err = c.IRecv(buf, 0, 1)
							}
							if err != nil {
								return err
							}
						}
						if err := comm.WaitAllIgnore(reqs...); err != nil {
							return err
						}
						if c.Rank() == 1 {
							return c.Send(ack, 0, 2)
						}
						_, err := c.Recv(ack, 1, 2)
						return err
					}
				})
			})
		}
	}
}

// BenchmarkUnexpected: the cost of a message when n others wait, all received
// in reverse order of their tags.
func BenchmarkUnexpected(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			err := errors.Join(start(1, setting{}, func(c *comm.Comm) error {
				buf := types.Of(make([]byte, 8))
				for b.Loop() {
					for tag := range n {
						if err := c.Send(buf, 0, tag); err != nil {
							return err
						}
					}
					for tag := n - 1; tag >= 0; tag-- {
						if _, err := c.Recv(buf, 0, tag); err != nil {
							return err
						}
					}
				}
				return nil
			})...)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/message")
		})
	}
}

func BenchmarkCollective(b *testing.B) {
	for _, n := range []int{2, 4, 8, 16, 64} {
		for _, v := range []struct {
			name string
			body func(c *comm.Comm) func() error
		}{
			{"Barrier", func(c *comm.Comm) func() error { return c.Barrier }},
			{"AllReduce8B", allReduces(1)},
			{"AllReduce64KiB", allReduces(8 << 10)},
			{"Bcast64KiB", func(c *comm.Comm) func() error {
				buf := types.Of(make([]byte, 64<<10))
				return func() error { return c.Bcast(buf, 0) }
			}},
			{"AllToAll8B", allToAlls(8)},
			{"AllToAll4KiB", allToAlls(4 << 10)},
		} {
			b.Run(fmt.Sprintf("%s/n=%d", v.name, n), func(b *testing.B) { pump(b, n, setting{}, v.body) })
		}
	}
}

func allReduces(items int) func(c *comm.Comm) func() error {
	return func(c *comm.Comm) func() error {
		send, recv := types.Of(make([]float64, items)), types.Of(make([]float64, items))
		return func() error { return c.AllReduce(send, recv, comm.Sum) }
	}
}

func allToAlls(size int) func(c *comm.Comm) func() error {
	return func(c *comm.Comm) func() error {
		send, recv := types.Of(make([]byte, size*c.Size())), types.Of(make([]byte, size*c.Size()))
		return func() error { return c.AllToAll(send, recv) }
	}
}

// BenchmarkWorld: a world of n ranks from start to end, with barrier,
// allreduce, a message round the ring and a split.
func BenchmarkWorld(b *testing.B) {
	for _, n := range []int{128, 10_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if err := errors.Join(start(n, setting{}, wholeLife)...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func wholeLife(c *comm.Comm) error {
	n, me := c.Size(), c.Rank()
	if err := c.Barrier(); err != nil {
		return err
	}
	sum := []int64{0}
	if err := c.AllReduce(types.Of([]int64{int64(me)}), types.Of(sum), comm.Sum); err != nil {
		return err
	}
	if want := int64(n) * int64(n-1) / 2; sum[0] != want {
		return fmt.Errorf("sum of ranks: %d, want %d", sum[0], want)
	}
	in := []int32{-1}
	if _, err := c.SendRecv(ints(int32(me)), comm.To{Rank: (me + 1) % n}, types.Of(in), comm.From{Rank: (me + n - 1) % n}); err != nil {
		return err
	}
	half, err := c.Split(me%2, 0)
	if err != nil {
		return err
	}
	return errors.Join(equal(int32((me+n-1)%n), in[0]), equal(me/2, half.Rank()))
}

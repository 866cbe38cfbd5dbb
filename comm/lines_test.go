package comm_test

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// The reader of a report about ranks that disagree looks for the calls: the report must have
// the lines of all ranks, each line once and not once for each rank.
func TestMismatchNamesLines(t *testing.T) {
	one, two := func() types.Buffer { return ints(1) }, func() types.Buffer { return ints(1, 2) }
	_, _, top, _ := runtime.Caller(0) // the calls of row k are 5k+5 and 5k+6 lines below
	for k, row := range []struct {
		name          string
		others, third func(c *comm.Comm) error
		says          string
	}{
		{
			"GEN-05 roots",
			func(c *comm.Comm) error { return c.Bcast(one(), 0) },
			func(c *comm.Comm) error { return c.Bcast(one(), 1) }, "roots differ: rank 0 gave 0, rank 2 gave 1; Bcast",
		},
		{
			"COLL-03 operations",
			func(c *comm.Comm) error { return c.AllReduce(one(), one(), comm.Sum) },
			func(c *comm.Comm) error { return c.AllReduce(one(), one(), comm.Max) }, "rank 0 gave Sum, rank 2 gave Max; AllReduce",
		},
		{
			"COLL-01 counts of a reduction",
			func(c *comm.Comm) error { return c.AllReduce(one(), one(), comm.Sum) },
			func(c *comm.Comm) error { return c.AllReduce(two(), two(), comm.Sum) }, "rank 2 brings 2 x int32; AllReduce",
		},
		{
			"COLL-01 counts of a broadcast",
			func(c *comm.Comm) error { return c.Bcast(one(), 0) },
			func(c *comm.Comm) error { return c.Bcast(two(), 0) }, "2 x int32 awaited; Bcast",
		},
		{
			"COLL-01 datatypes",
			func(c *comm.Comm) error { return c.Bcast(one(), 0) },
			func(c *comm.Comm) error { return c.Bcast(types.Of([]float32{1}), 0) }, "received 1 x float; Bcast",
		},
		{
			"COLL-02 roots of calls that do not wait",
			func(c *comm.Comm) error { return wait(c.IBcast(one(), 0)) },
			func(c *comm.Comm) error { return wait(c.IBcast(one(), 1)) }, "roots differ: rank 0 gave 0, rank 2 gave 1; IBcast",
		},
	} {
		t.Run(row.name+" differ", func(t *testing.T) {
			for _, opts := range [][]world.Option{{}, {world.Seed(3)}, {world.Replay("roundrobin")}} {
				err := world.Run(t.Context(), 4, func(_ context.Context, c *comm.Comm) error {
					if c.Rank() == 2 {
						return row.third(c)
					}
					return row.others(c)
				}, opts...)
				at := top + 5*k + 8
				want := fmt.Sprintf(`%s was called by ranks 0-1, 3 at lines_test.go:%d < lines_test.go:\d+, rank 2 at lines_test.go:%d < lines_test.go:\d+`, regexp.QuoteMeta(row.says), at, at+1)
				assert.Regexp(t, want, err)
				if !strings.HasPrefix(row.name, "COLL-02") { // there the first rank to get the error ends the others
					assert.ErrorContains(t, err, "ranks 0-3: comm: ")
				}
			}
		})
	}
	t.Run("COLL-01 all ranks on one line", func(t *testing.T) {
		err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error { return c.Bcast(one(), c.Rank()/2) })
		assert.ErrorContains(t, err, "rank 2 gave 1; all called Bcast at lines_test.go:")
	})
	for _, row := range []struct {
		name, says string
		send       types.Buffer
	}{
		{"P2P-MATCH-02 another datatype", "sent as double and received as int32", types.Of([]float64{1})},
		{"P2P-MATCH-03 a message too long", "3 x int32 do not fit in 2 x int32", ints(1, 2, 3)},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, eager := range []int64{0, 100} {
				for _, lines := range []bool{false, true} {
					opts := []world.Option{world.Eager(eager)}
					if lines {
						opts = append(opts, world.Check(world.Handles))
					}
					_, _, at, _ := runtime.Caller(0)
					err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
						if c.Rank() == 0 {
							return c.Send(row.send, 1, 7)
						}
						return second(c.Recv(two(), 0, 7))
					}, opts...)
					sent := fmt.Sprintf(" at lines_test.go:%d", at+3)
					if !lines && !sched.QuickLines {
						assert.Regexp(t, `sent it with tag 7 (at lines_test.go:\d+|\(world.Check\(world.Handles\) shows where\)) `, err)
						continue
					}
					assert.ErrorContains(t, err, row.says)
					assert.ErrorContains(t, err, fmt.Sprintf("; rank 0 sent it with tag 7%s (", sent))
					assert.ErrorContains(t, err, fmt.Sprintf(`rank 1: comm: Recv "COMM_WORLD": at lines_test.go:%d: `, at+5))
				}
			}
		})
	}
}

// wait completes a request that has just been started.
func wait(q *comm.Request, err error) error {
	if err != nil {
		return err
	}
	return second(q.Wait())
}

package world_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// wires is a machine of one rank a node whose messages take 3 s and 1 s for each 10 bytes.
func wires() machine.Machine {
	m := machine.Lustre(4, 1<<20)
	m.RanksPerNode, m.Network = 1, machine.Link{Latency: 1, Overhead: 1, Bandwidth: 10}
	return m
}

// TestOnTime: WTime returns the model's time while the program runs, and its last value on
// a rank is the time in the report.
func TestOnTime(t *testing.T) {
	for name, schedule := range map[string]world.Option{"by turns": world.Replay("roundrobin"), "random": world.Seed(5), "pct": world.Replay("pct:3:7")} {
		t.Run(name, func(t *testing.T) {
			const n = 3
			var times [n][]float64
			rep, err := world.RunReport(t.Context(), n, func(ctx context.Context, c *comm.Comm) error {
				at := func() { times[c.Rank()] = append(times[c.Rank()], c.WTime()) }
				r := &runner{}
				at()
				switch c.Rank() {
				case 0:
					r.do(machine.Compute(c, 10))
					at()
					r.do(c.Send(types.Of(make([]byte, 20)), 1, 0))
				case 1:
					_, err := c.Recv(types.Of(make([]byte, 20)), 0, 0)
					r.do(err)
				}
				at()
				r.do(c.Barrier())
				at()
				return r.err
			}, world.On(wires()), schedule)
			require.NoError(t, err)
			assert.InDeltaSlice(t, []float64{0, 10, 13, 21}, times[0], 1e-9)
			assert.InDeltaSlice(t, []float64{0, 15, 21}, times[1], 1e-9)
			assert.InDeltaSlice(t, []float64{0, 1e-6, 21}, times[2], 1e-9, "a second look at the clock takes a microsecond")
			require.NotNil(t, rep.Model)
			for rank := range n {
				assert.InDelta(t, rep.Model.Ends[rank], times[rank][len(times[rank])-1], 1e-12)
			}
			assert.Contains(t, rep.String(), "model's time")
		})
	}
}

// TestOnIsReproducible: times read during the run agree with the report of the run, for all kinds of
// calls, and a second run has the same report.
func TestOnIsReproducible(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7} {
		ends, text := make([]float64, n), ""
		for _, asks := range []bool{true, true, false} {
			fsys := iofile.NewMem()
			rep, err := world.RunReport(t.Context(), n, func(ctx context.Context, c *comm.Comm) error {
				err := everyCall(fsys)(ctx, c)
				if asks {
					ends[c.Rank()] = c.WTime()
				}
				return err
			}, world.On(machine.Lustre(4, 1<<20)))
			require.NoError(t, err)
			assert.InDeltaSlice(t, rep.Model.Ends, ends, 1e-12)
			if text != "" {
				assert.Equal(t, text, rep.Model.String())
			}
			text = rep.Model.String()
			_, err = json.Marshal(rep)
			require.NoError(t, err)
		}
	}
}

// A loop that waits for time to pass, or for a message, ends.
func TestOnLoops(t *testing.T) {
	rep, err := world.RunReport(t.Context(), 2, func(ctx context.Context, c *comm.Comm) error {
		for c.WTime() < 1e-4 {
			continue
		}
		if c.Rank() == 0 {
			return c.Send(types.Of(make([]byte, 1)), 1, 0)
		}
		for {
			if _, ok, err := c.IProbe(0, 0); ok || err != nil {
				_, err := c.Recv(types.Of(make([]byte, 1)), 0, 0)
				return err
			}
			c.WTime()
		}
	}, world.On(wires()))
	require.NoError(t, err)
	assert.Greater(t, rep.Model.Seconds, 3.0)
}

// Mistakes are found as ever, and a run that fails neither hangs nor hides why.
func TestOnChecks(t *testing.T) {
	race := func(ctx context.Context, c *comm.Comm) error {
		r := &runner{}
		f, err := iofile.Open(c, sharedFS, "race", iofile.Create|iofile.ReadWrite)
		r.do(err)
		_, err = f.WriteAt(types.Of([]int32{1}), 0)
		r.do(err)
		c.WTime()
		r.do(f.Close())
		return r.err
	}
	sharedFS = iofile.NewMem()
	rep, err := world.RunReport(t.Context(), 2, race, world.On(wires()))
	var found *consistency.RaceError
	require.ErrorAs(t, err, &found)
	assert.NotNil(t, rep.Model, "a program that races has a cost, too")

	_, err = world.RunReport(t.Context(), 2, func(ctx context.Context, c *comm.Comm) error {
		c.WTime()
		_, err := c.Recv(types.Of(make([]byte, 1)), 1-c.Rank(), 0)
		return err
	}, world.On(wires()))
	var stuck *world.DeadlockError
	require.ErrorAs(t, err, &stuck)

	wrong := errors.New("rank 1 fails")
	_, err = world.RunReport(t.Context(), 3, func(ctx context.Context, c *comm.Comm) error {
		if c.Rank() == 1 {
			return wrong
		}
		err := c.Barrier()
		c.WTime()
		return err
	}, world.On(wires()))
	require.ErrorIs(t, err, wrong)
}

var sharedFS *iofile.FS

func TestOnRefuses(t *testing.T) {
	m := wires()
	m.Servers = 0
	body := func(context.Context, *comm.Comm) error { return nil }
	assert.ErrorIs(t, world.Run(t.Context(), 1, body, world.On(m)), errclass.Arg)
	_, err := world.Explore(t.Context(), 1, func() (func(context.Context, *comm.Comm) error, func() any) { return body, nil }, world.On(wires()))
	require.Error(t, err)
	require.NoError(t, world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
		for _, x := range []float64{-1, math.NaN(), math.Inf(1), 2e6} {
			assert.ErrorIs(t, machine.Compute(c, x), errclass.Arg)
		}
		return machine.Compute(c, 1) // does nothing without a machine
	}))
}

// Partitioned messages and calls between two groups have a cost, too.
func TestOnPartitionedAndIntercomm(t *testing.T) {
	rep, err := world.RunReport(t.Context(), 4, func(ctx context.Context, c *comm.Comm) error {
		r, mem := &runner{}, types.Of(make([]int32, 4))
		var q *comm.Request
		var err error
		switch c.Rank() {
		case 0:
			q, err = c.PSendInit(mem, 2, 1, 0)
		case 1:
			q, err = c.PRecvInit(mem, 2, 0, 0)
		}
		r.do(err)
		for range 2 * max(0, 1-c.Rank()/2) {
			r.do(q.Start())
			if c.Rank() == 0 {
				r.do(q.PReady(0))
				r.do(q.PReady(1))
			}
			_, err = q.Wait()
			r.do(err)
		}
		if q != nil {
			r.do(q.Free())
		}
		half, err := c.Split(c.Rank()%2, 0)
		r.do(err)
		inter, err := half.IntercommCreate(0, c, 1-c.Rank()%2, 7)
		r.do(err)
		r.do(inter.Barrier())
		r.do(inter.AllReduce(types.Of([]int32{1}), types.Of(make([]int32, 1)), comm.Sum))
		at := c.WTime()
		r.do(inter.Free())
		r.do(half.Free())
		assert.Positive(t, at)
		return r.err
	}, world.On(wires()))
	require.NoError(t, err)
	assert.Positive(t, rep.Model.Seconds)
}

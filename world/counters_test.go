package world_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// interleaved has ranks write 8 blocks of 64 bytes each, rank after rank, then read the
// first one. Rank 1 computes first.
func interleaved(fsys *iofile.FS, opts ...iofile.OpenOption) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		r := &runner{}
		if c.Rank() == 1 {
			r.do(machine.Compute(c, 1))
		}
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite, opts...)
		if err != nil {
			return err
		}
		block := types.Resized(types.Contiguous(64, types.Byte), 0, int64(64*c.Size()))
		r.do(f.SetView(iofile.View{Disp: int64(64 * c.Rank()), Etype: types.Byte, Filetype: block}))
		_, err = f.WriteAtAll(types.Of(make([]byte, 512)), 0)
		r.do(err)
		_, err = f.ReadAtAll(types.Of(make([]byte, 64)), 0)
		r.do(err)
		r.do(f.Close())
		return r.err
	}
}

// TestCounters: the report has Darshan's counters of the requests that a strategy makes.
func TestCounters(t *testing.T) {
	report := func(opts []iofile.OpenOption, more ...world.Option) *world.Report {
		rep, err := world.RunReport(context.Background(), 4, interleaved(iofile.NewMem(), opts...), append(more, world.Seed(1))...)
		require.NoError(t, err)
		require.Len(t, rep.Files, 1)
		f := &rep.Files[0]
		var reads, writes int64
		for i := range f.Counters.SizeReads {
			reads, writes = reads+f.Counters.SizeReads[i], writes+f.Counters.SizeWrites[i]
		}
		assert.Equal(t, f.Requests.Reads, reads)
		assert.Equal(t, f.Requests.Writes, writes)
		assert.Contains(t, rep.String(), `requests of "f", as Darshan counts them`)
		return rep
	}
	c := report(nil).Files[0].Counters
	assert.Equal(t, int64(32), c.SizeWrites[0])
	assert.Equal(t, int64(4), c.SizeReads[0])
	assert.Equal(t, int64(28), c.SequentialWrites, "all but each rank's first")
	assert.Zero(t, c.ConsecutiveWrites)
	assert.Equal(t, int64(4096), c.Alignment)
	assert.Equal(t, int64(34), c.Unaligned, "all but the write and the read at 0")
	assert.Equal(t, int64(4), c.Switches)
	assert.Equal(t, world.Spread{Min: 9, Median: 9, Max: 9}, c.Aggregators.Requests)
	assert.Equal(t, world.Spread{Min: 576, Median: 576, Max: 576}, c.Ranks.Bytes)
	assert.Zero(t, c.Ranks.Variance)
	assert.Nil(t, c.Fastest)
	assert.Contains(t, report(nil).String(), "fastest and slowest rank need a machine's model")

	two := []iofile.OpenOption{iofile.WithStrategy(strategy.TwoPhase{Nodes: 2, Buffer: 256})}
	c = report(two).Files[0].Counters
	assert.Equal(t, int64(8), c.SizeWrites[1], "of 256 bytes")
	assert.Equal(t, int64(6), c.ConsecutiveWrites)
	assert.Equal(t, 4, c.Aggregators.Count, "each rank reads by itself")
	assert.Equal(t, world.Spread{Min: 1, Median: 5, Max: 5}, c.Aggregators.Requests)

	rep := report(two, world.On(machine.Lustre(2, 512)))
	c = rep.Files[0].Counters
	assert.Equal(t, int64(512), c.Alignment, "the machine's stripes")
	require.NotNil(t, c.Fastest)
	assert.LessOrEqual(t, c.Fastest.Seconds, c.Slowest.Seconds)
	assert.Less(t, c.Slowest.Seconds, 1.0, "computing is not an access")
	assert.Equal(t, int64(576), c.Slowest.Bytes)
	sum, squares := 0.0, 0.0
	for _, p := range rep.Model.Parts {
		s := p.Sum() - p[machine.InCompute] - p[machine.InPeers]
		sum, squares = sum+s, squares+s*s
	}
	assert.InDelta(t, squares/4-sum*sum/16, c.TimeVariance, 1e-12)
	assert.Contains(t, rep.String(), "variance")
	text, err := json.Marshal(rep.Files[0])
	require.NoError(t, err)
	assert.Contains(t, string(text), `"size_writes":{"100-1K":4}`)
	var again world.FileReport
	require.NoError(t, json.Unmarshal(text, &again))
	assert.Equal(t, rep.Files[0], again)
}

// TestPlans: the function gets each plan of a run, where Plan has the last one.
func TestPlans(t *testing.T) {
	for _, s := range []strategy.Strategy{nil, strategy.Direct{}, strategy.Sieve{}, strategy.List{}, strategy.TwoPhase{Nodes: 2, Buffer: 256}} {
		seen := make([][]*strategy.Plan, 4)
		var opts []iofile.OpenOption
		if s != nil {
			opts = append(opts, iofile.WithStrategy(s))
		}
		fsys := iofile.NewMem()
		require.NoError(t, world.Run(context.Background(), 4, func(ctx context.Context, c *comm.Comm) error {
			me := c.Rank()
			opts := append(opts[:len(opts):len(opts)], iofile.WithCallbacks(iofile.Callbacks{Plan: func(p *strategy.Plan) { seen[me] = append(seen[me], p) }}))
			return interleaved(fsys, opts...)(ctx, c)
		}, world.Seed(1)))
		for me := range seen {
			require.Len(t, seen[me], 2, "%v", s)
			assert.True(t, seen[me][0].Write)
			assert.False(t, seen[me][1].Write)
			assert.Equal(t, "WriteAtAll", seen[me][0].Op)
			assert.NotEmpty(t, seen[me][0].Requests)
		}
	}
}

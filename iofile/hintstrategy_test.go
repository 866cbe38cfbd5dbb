package iofile_test

import (
	"context"
	"errors"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// interleave has four ranks write every fourth of 4,000 doubles each, with hints.
func interleave(hints map[string]string, open ...iofile.OpenOption) func(context.Context, *comm.Comm) error {
	fsys := iofile.NewMem()
	return func(_ context.Context, c *comm.Comm) error {
		info := comm.NewInfo()
		for k, v := range hints {
			if err := info.Set(k, v); err != nil {
				return err
			}
		}
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly, append(open, iofile.WithInfo(info))...)
		if err != nil {
			return err
		}
		e1 := f.SetView(iofile.View{Disp: 8 * int64(c.Rank()), Etype: types.Double, Filetype: types.Resized(types.Double, 0, 32)})
		_, e2 := f.WriteAtAll(types.Of(make([]float64, 4000)), 0)
		return errors.Join(e1, e2, f.Close())
	}
}

// TestHintsChoose: hints choose the strategy as ROMIO follows them.
func TestHintsChoose(t *testing.T) {
	for _, c := range []struct {
		name   string
		hints  map[string]string
		open   []iofile.OpenOption
		opts   []world.Option
		writes int64
		by     string
	}{
		{name: "IO-HINT-04 none", writes: 16000, by: "Direct"},
		{name: "IO-HINT-04 cb_nodes", hints: map[string]string{"cb_nodes": "4", "romio_cb_write": "enable"}, writes: 4, by: "TwoPhase{cb_nodes 4, romio_cb_write enable}"},
		{name: "IO-HINT-04 no aggregators", hints: map[string]string{"romio_cb_write": "disable"}, writes: 4, by: "TwoPhase{romio_cb_write disable}"},
		{
			name: "IO-HINT-01 no collective buffering", hints: map[string]string{"collective_buffering": "false", "romio_ds_write": "disable"}, writes: 16000,
			by: "TwoPhase{romio_cb_read disable, romio_cb_write disable} over Sieve{romio_ds_write disable}",
		},
		{name: "IO-HINT-04 sieving alone", hints: map[string]string{"ind_wr_buffer_size": "65536"}, writes: 8, by: "Sieve{ind_wr_buffer_size 65536}"},
		{name: "IO-INFO-04 hints that choose nothing", hints: map[string]string{"file_perm": "0600", "cb_node": "4"}, writes: 16000, by: "Direct"},
		{name: "IO-HINT-04 an option counts more", hints: map[string]string{"cb_nodes": "4"}, open: []iofile.OpenOption{iofile.WithStrategy(strategy.List{})}, writes: 252, by: "List"},
		{name: "IO-HINT-04 the world's strategy", opts: []world.Option{world.Strategy(strategy.ROMIO)}, writes: 1, by: "TwoPhase"},
		{name: "IO-HINT-04 the world's strategy with hints", hints: map[string]string{"cb_nodes": "2"}, opts: []world.Option{world.Strategy(strategy.ROMIO)}, writes: 2, by: "TwoPhase{cb_nodes 2}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := world.RunReport(context.Background(), 4, interleave(c.hints, c.open...), c.opts...)
			require.NoError(t, err)
			require.Len(t, r.Files, 1)
			assert.Equal(t, c.writes, r.Files[0].Requests.Writes)
			assert.Equal(t, c.by, r.Files[0].Strategy)
			assert.Contains(t, r.String(), "These requests are planned, by "+c.by)
		})
	}
}

// TestSetInfoChooses: hints of an open file choose from then on.
func TestSetInfoChooses(t *testing.T) {
	fsys := iofile.NewMem()
	r, err := world.RunReport(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		e1 := f.SetView(iofile.View{Disp: 8 * int64(c.Rank()), Etype: types.Double, Filetype: types.Resized(types.Double, 0, 32)})
		_, e2 := f.WriteAtAll(types.Of(make([]float64, 10)), 0)
		info := comm.NewInfo()
		e3 := info.Set("cb_nodes", "2")
		e4 := f.SetInfo(info)
		_, e5 := f.WriteAtAll(types.Of(make([]float64, 10)), 10)
		return errors.Join(e1, e2, e3, e4, e5, f.Close())
	})
	require.NoError(t, err)
	assert.Equal(t, int64(40+2), r.Files[0].Requests.Writes)
}

func TestStrategyVariable(t *testing.T) {
	t.Setenv(world.StrategyVariable, "romio")
	r, err := world.RunReport(context.Background(), 4, interleave(nil))
	require.NoError(t, err)
	assert.Equal(t, int64(1), r.Files[0].Requests.Writes)
	t.Setenv(world.StrategyVariable, "romeo")
	_, err = world.RunReport(context.Background(), 4, interleave(nil))
	assert.ErrorContains(t, err, "romio, direct, sieve")
}

func TestStrategyFromHints(t *testing.T) {
	assert.Empty(t, strategy.HintsOf(nil))
	for _, name := range strategy.Names {
		s, ok := strategy.Named(name)
		require.True(t, ok)
		var h strategy.Hints
		for _, hint := range strategy.HintsOf(s) {
			var err error
			h, err = h.Set(hint.Key, hint.Value)
			require.NoError(t, err, "%s: %v", name, hint)
		}
	}
	assert.Contains(t, strategy.HintsOf(strategy.TwoPhase{Nodes: 4, Buffer: 1 << 20}), strategy.Hint{Key: "cb_nodes", Value: "4"})
}

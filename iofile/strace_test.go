package iofile_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomAccess draws an access, in the library's form and in ours.
func randomAccess(rng *rand.Rand, ranks int) (peers.Traced, strategy.Strategy) {
	a := peers.Traced{Write: rng.IntN(2) == 0, All: rng.IntN(4) > 0}
	for range ranks {
		p := peers.TracedPart{Disp: rng.Int64N(40), From: rng.Int64N(30), N: 1 + rng.Int64N(60)}
		at := rng.Int64N(3)
		for range 1 + rng.IntN(3) {
			n := 1 + rng.Int64N(12)
			p.Blocks = append(p.Blocks, [2]int64{at, n})
			at += n
			if rng.IntN(3) > 0 {
				at += rng.Int64N(12)
			}
		}
		p.Extent = at + rng.Int64N(2)*rng.Int64N(20)
		a.Parts = append(a.Parts, p)
	}
	hint := func(key string, value any) { a.Hints = append(a.Hints, [2]string{key, fmt.Sprint(value)}) }
	size := func(key string) int64 {
		n := 1 + rng.Int64N(40)
		hint(key, n)
		return n
	}
	toggle := func(key string) strategy.Switch {
		s := strategy.Switch(rng.IntN(3))
		hint(key, s)
		return s
	}
	s := strategy.TwoPhase{
		Nodes: 1 + rng.IntN(ranks), Buffer: size("cb_buffer_size"), Read: toggle("romio_cb_read"), Write: toggle("romio_cb_write"),
		Sieve: strategy.Sieve{
			ReadBuffer: size("ind_rd_buffer_size"), WriteBuffer: size("ind_wr_buffer_size"),
			Read: toggle("romio_ds_read"), Write: toggle("romio_ds_write"),
		},
	}
	hint("cb_config_list", "*:"+strconv.Itoa(s.Nodes))
	if rng.IntN(3) == 0 {
		s.MinDomain = 1 + rng.Int64N(60)
		hint("romio_min_fdomain_size", s.MinDomain)
	}
	if rng.IntN(3) == 0 {
		s.Stripe = 1 + rng.Int64N(40)
		hint("striping_unit", s.Stripe)
	}
	return a, s
}

// plannedCalls returns the calls that our plan has for each rank.
func plannedCalls(t *testing.T, a *peers.Traced, s strategy.Strategy) []peers.Calls {
	parts := make([]strategy.Part, len(a.Parts))
	for r, p := range a.Parts {
		var blocks []types.Block
		for _, b := range p.Blocks {
			blocks = append(blocks, types.Block{Disp: b[0], Len: b[1]})
		}
		l, err := types.Resized(types.HIndexed(blocks, types.Byte), 0, p.Extent).Layout(types.Host)
		require.NoError(t, err)
		parts[r] = strategy.Part{At: types.Tiling{L: l, Disp: p.Disp}, From: p.From, N: p.N}
	}
	p, err := strategy.NewPlan(s, a.Write, a.All, parts)
	require.NoError(t, err)
	calls := make([]peers.Calls, len(parts))
	for _, r := range p.Requests {
		calls[r.Rank].Requests = append(calls[r.Rank].Requests, peers.Call{Write: r.Write, Off: r.Off, Len: r.Len})
		if r.Lock {
			calls[r.Rank].Locks++
		}
	}
	return calls
}

var traced = flag.Int("traced", 8, "how many accesses of 1 to 4 ranks TestPlanTraced compares")

// TestPlanTraced: if it fails, the requests of a real library have other bytes, or another
// order, than our plans.
func TestPlanTraced(t *testing.T) {
	thorough.Only(t)
	if err := peers.MPICH.Missing(); err != nil {
		t.Skip(err)
	}
	if err := peers.CanTrace(); err != nil {
		t.Skip(err)
	}
	for ranks := 1; ranks <= 4; ranks++ {
		t.Run(fmt.Sprintf("CONS-LAY-01 %d ranks of MPICH", ranks), func(t *testing.T) {
			seed := rand.Uint64()
			rng := rand.New(rand.NewPCG(seed, uint64(ranks)))
			var list []peers.Traced
			var how []strategy.Strategy
			for range *traced {
				a, s := randomAccess(rng, ranks)
				list, how = append(list, a), append(how, s)
			}
			seen, err := peers.MPICH.Trace(ranks, 1<<16, list)
			require.NoError(t, err)
			wrong := 0
			for i := 0; i < len(list) && wrong < 3; i++ {
				for r, want := range plannedCalls(t, &list[i], how[i]) {
					if !assert.Equal(t, seen[i][r], want, "rank %d of\n%+v\n%v\nseed %d", r, list[i], how[i], seed) {
						wrong++
					}
				}
			}
		})
	}
}

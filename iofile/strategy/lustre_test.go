package strategy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
)

// strided returns the parts of an IOR run with --mpiio.useStridedDatatype: segments of one block of each rank.
func strided(t *testing.T, ranks, segments, block int64) []strategy.Part {
	parts := make([]strategy.Part, ranks)
	for r := range parts {
		l, err := types.Resized(types.Contiguous(block, types.Byte), 0, ranks*block).Layout(types.Host)
		require.NoError(t, err)
		parts[r] = strategy.Part{At: types.Tiling{L: l, Disp: int64(r) * block}, N: segments * block}
	}
	return parts
}

// TestPolaris: if it fails, the plans have other requests than a Darshan log of Cray's MPICH on Polaris (IOR, 640
// ranks on 20 nodes, 1,000 blocks of 10,000 bytes each, 160 stripes of 1 MiB; radix-io/io-sleuthing,
// examples/noncontig/polaris).
func TestPolaris(t *testing.T) {
	t.Run("CONS-LAY-01 collective", func(t *testing.T) {
		h := strategy.Hints{Driver: strategy.Cray, Stripes: 160, Unit: 1 << 20}.On(nil, 640, 20, 32)
		assert.EqualValues(t, 160, h.Nodes, "the log's cb_nodes")
		o, err := strategy.NewOutline(strategy.ROMIO.With(h), true, strided(t, 640, 1000, 10_000))
		require.NoError(t, err)
		assert.EqualValues(t, strategy.Counts{Writes: 6104, WriteBytes: 6_400_000_000, Useful: 6_400_000_000, Rounds: 39}, without(o.Counts()))
		assert.Len(t, o.Carriers, 160)
	})
}

// without returns the counts without the bytes between ranks.
func without(n strategy.Counts) strategy.Counts {
	n.Sent = 0
	return n
}

// TestAggregators: if it fails, another number of ranks writes than by the rules of ROMIO and Cray's MPICH.
func TestAggregators(t *testing.T) {
	lustre, cray := strategy.Lustre, strategy.Cray
	tests := []struct {
		name                  string
		h                     strategy.Hints
		ranks, nodes, perNode int
		nodesHint, writers    int64
	}{
		{"one of a node", strategy.Hints{}, 64, 4, 16, 4, 4},
		{"cb_nodes is not more than one of a node", strategy.Hints{Nodes: 16}, 64, 1, 64, 1, 1},
		{"two of a node", strategy.Hints{Nodes: 16, PerHost: 2}, 64, 4, 16, 8, 8},
		{"a last node with few ranks", strategy.Hints{PerHost: 4}, 10, 3, 4, 10, 10},
		{"nodes are unknown", strategy.Hints{Nodes: 3}, 8, 0, 0, 3, 3},
		{"nodes are unknown, no hint", strategy.Hints{}, 8, 0, 0, 1, 1},
		{"as many as stripes", strategy.Hints{Driver: lustre, Stripes: 8}, 256, 16, 16, 16, 8},
		{"a divisor of the stripes", strategy.Hints{Driver: lustre, Stripes: 60}, 128, 8, 16, 8, 6},
		{"a multiple of the stripes", strategy.Hints{Driver: lustre, Stripes: 20, PerServer: 3}, 42, 42, 1, 42, 40},
		{"Cray's are one for a stripe", strategy.Hints{Driver: cray, Stripes: 48}, 1536, 64, 24, 48, 48},
		{"Cray's multiplier", strategy.Hints{Driver: cray, Stripes: 8, Multiplier: 2}, 1536, 64, 24, 16, 16},
	}
	for _, tt := range tests {
		t.Run("CONS-LAY-01 "+tt.name, func(t *testing.T) {
			h := tt.h.On(nil, tt.ranks, tt.nodes, tt.perNode)
			assert.Equal(t, tt.nodesHint, h.Nodes)
			h.Unit, h.CBWrite = 1, strategy.Enable
			o, err := strategy.NewOutline(strategy.ROMIO.With(h), true, strided(t, int64(tt.ranks), 4, 1))
			require.NoError(t, err)
			assert.Len(t, o.Carriers, int(tt.writers))
		})
	}
}

// TestHintsSet: if it fails, a hint is lost or a wrong value is accepted.
func TestHintsSet(t *testing.T) {
	for key, value := range map[string]string{
		"cb_config_list": "*:2", "striping_factor": "8", "romio_no_indep_rw": "true", "romio_lustre_co_ratio": "2", "romio_lustre_coll_threshold": "4",
		"romio_lustre_ds_in_coll": "disable", "cray_cb_nodes_multiplier": "2",
	} {
		h, err := strategy.Hints{}.Set(key, value)
		require.NoError(t, err, key)
		assert.NotEqual(t, strategy.Hints{}, h, key)
	}
	for _, kv := range [][2]string{{"romio_cb_pfr", "disable"}, {"romio_cb_fr_alignment", "4096"}, {"romio_lustre_coll_threshold", "0"}} {
		h, err := strategy.Hints{}.Set(kv[0], kv[1])
		require.NoError(t, err, kv[0])
		assert.Equal(t, strategy.Hints{}, h, kv[0])
	}
	for _, kv := range [][2]string{
		{"cb_config_list", "host7:2"}, {"romio_cb_pfr", "enable"}, {"romio_no_indep_rw", "yes"}, {"romio_lustre_co_ratio", "0"}, {"striping_factor", "-1"},
	} {
		_, err := strategy.Hints{}.Set(kv[0], kv[1])
		assert.ErrorIs(t, err, errclass.Arg, kv[0])
	}
}

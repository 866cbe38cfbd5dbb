package peers_test

import (
	"math"
	"testing"

	"github.com/commworld/commworld/internal/peers"
	"github.com/stretchr/testify/assert"
)

// If rounds that a library did not do in time counted, or figures of unlike
// rounds were compared, tables would praise the wrong side.
func TestFigures(t *testing.T) {
	nan := math.NaN()
	assert.True(t, math.IsNaN(peers.Median(nil)))
	assert.Equal(t, 2.0, peers.Median([]float64{3, 1, 2}))
	assert.Equal(t, 2.5, peers.Median([]float64{4, 1, 2, 3}))
	assert.Equal(t, 2.0, peers.Ratio([]float64{2, 40, 600}, []float64{1, 20, 100}))
	assert.Equal(t, 3.0, peers.Ratio([]float64{3, 4, 5}, []float64{1}), "the rounds of both")
	assert.True(t, math.IsNaN(peers.Ratio(nil, []float64{1})))
	for want, m := range map[string]float64{"-": nan, "0.23": 0.234, "9.99": 9.99, "13.9": 13.94, "101": 101.4} {
		assert.Equal(t, want, peers.Short(m))
	}
}

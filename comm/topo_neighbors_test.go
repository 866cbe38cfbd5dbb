package comm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// A neighbourhood collective finds by its ties which block goes where. If two
// ends of a tie did not agree, blocks would change places.
func TestTopologyNeighbors(t *testing.T) {
	t.Run("COLL-04 TOPO-01 in a grid every tie has its other end", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			g := grid(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) CartDim {
				return CartDim{rapid.IntRange(1, 4).Draw(t, "size"), rapid.Bool().Draw(t, "periodic")}
			}), 1, 3).Draw(t, "dims"))
			n, _ := g.ranks()
			for r := range n {
				s := g.around(r)
				labels := map[int]bool{}
				for i, out := range s.out {
					assert.False(t, labels[out.label], "blocks for one rank have labels of their own")
					labels[out.label] = true
					d, step := i/2, 2*(i%2)-1 // before, then after
					assert.Equal(t, g.shifted(r, d, step), out.peer)
					assert.Equal(t, out.peer, s.in[i].peer, "the two lists name the same ranks")
					if out.peer == ProcNull {
						continue
					}
					// A block that goes forward arrives in the slot for the previous
					// neighbour, even if both neighbours are the same rank.
					there := g.around(out.peer).in[i^1]
					assert.Equal(t, tie{r, out.label}, there)
				}
			}
		})
	})
	t.Run("COLL-04 TOPO-01 in a graph edges keep their order and number", func(t *testing.T) {
		a := adjacency{{1, 1, 0}, {0, 0}}
		assert.Equal(t, neighborhood{[]tie{{1, 0}, {1, 0}, {0, 0}}, []tie{{1, 0}, {1, 0}, {0, 0}}}, a.around(0))
		n := &Neighborhood{Sources: []Neighbor{{Rank: 2}}, Destinations: []Neighbor{{Rank: 1}, {Rank: 1}}}
		assert.Equal(t, neighborhood{[]tie{{2, 0}}, []tie{{1, 0}, {1, 0}}}, n.around(0))
	})
}

package sched

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// The rank that comes next in a circle is that of the definition, in both directions.
func TestInTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "ranks")
		s := &Sched{ranks: make([]Rank, n)}
		turns := &turns{s: s}
		for i := range s.ranks {
			s.ranks[i].s, s.ranks[i].id = s, int32(i)
		}
		for _, i := range rapid.Permutation(rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, n, rapid.ID[int]).Draw(t, "ready")).Draw(t, "order") {
			turns.addReady(&s.ranks[i])
		}
		p := &inTurn{last: rapid.IntRange(0, n-1).Draw(t, "last"), reverse: rapid.Bool().Draw(t, "reverse")}
		turns.pick = p
		for len(turns.ready) > 0 {
			want := turns.ready[p.among(turns.ready)]
			for i := range s.ranks {
				s.ranks[i].state.Store(ready)
			}
			assert.Same(t, want, turns.next())
		}
	})
}

//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a call has changed is copied back, and nothing beside it: the process may have written there.
func TestChangesOfMemory(t *testing.T) {
	type part struct{ low, high int }
	for seed := range uint64(500) {
		rnd := rand.New(rand.NewPCG(36, seed))
		n := 1 + rnd.IntN(3*4096)
		f := &fetched{base: make([]byte, n), local: make([]byte, n), dense: rnd.IntN(2) == 0}
		for range rnd.IntN(5) {
			at, length := rnd.IntN(n), 1+rnd.IntN(5000)
			for i := at; i < min(n, at+length); i++ {
				f.local[i] = byte(rnd.IntN(2))
			}
		}
		var got, want []part
		f.changes(func(low, high int) { got = append(got, part{low, high}) })
		for i := range n {
			switch {
			case f.local[i] == f.base[i]:
			case len(want) > 0 && (f.dense || want[len(want)-1].high == i):
				want[len(want)-1].high = i + 1
			default:
				want = append(want, part{i, i + 1})
			}
		}
		require.Equal(t, want, got, "seed %d", seed)
	}
}

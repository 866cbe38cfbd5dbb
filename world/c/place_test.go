//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/sched"
)

// A program with more lines than the fast table has entries gets the right one for each.
func TestPlaces(t *testing.T) {
	r := &rank{places: map[lines]*sched.Place{}}
	var f frame
	for i := range 4 * recentPlaces {
		f.lines[0], f.lines[1] = 0x1000, 0x1000
		f.lines[i%2] += 16 * lineAddress(i)
		r.places[f.lines] = &sched.Place{Line: i}
	}
	for range 2 {
		for key, want := range r.places {
			f.lines = key
			require.Same(t, want, r.place(&f))
			require.Same(t, want, r.place(&f))
			require.Same(t, want, r.lastPlace)
		}
	}
}

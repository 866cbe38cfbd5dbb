package lab

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// A program whose first schedule takes longer than the page waits, as in a slow browser, still
// has an answer: one run with its races, said not to be all.
func TestLate(t *testing.T) {
	const text = "ranks 3\nall: open h f rdwr|create\nall: write_at h 0 int 1\nall: read_at h 0 int -> x\nall: close h\n"
	s, err := script.Parse(text)
	require.NoError(t, err)
	InTime(t)
	t.Run("explore", func(t *testing.T) {
		rep, err := exploreFor(t.Context(), 0, s, script.Options{})
		require.NoError(t, err)
		assert.Len(t, rep.Outcomes, 1)
		assert.NotEmpty(t, rep.Races)
		assert.False(t, rep.Complete)
		assert.Equal(t, errMore, rep.Stopped)
	})
	t.Run("models", func(t *testing.T) {
		m, err := newMatrixFor(t.Context(), 0, time.Minute, s, script.Options{})
		require.NoError(t, err)
		assert.NotEmpty(t, m.Rows)
		assert.Equal(t, make([]bool, len(compared)), m.Complete)
		for i := range compared {
			assert.NotEmpty(t, m.Races[i])
		}
		assert.Contains(t, m.Note(), "nor by 0 further runs")
	})
	t.Run("fix", func(t *testing.T) {
		_, err := fixFor(t.Context(), 0, &Request{Script: text})
		require.ErrorContains(t, err, "make the program smaller")
	})
	t.Run("no model", func(t *testing.T) {
		m, err := newMatrixFor(t.Context(), 0, 0, s, script.Options{})
		require.NoError(t, err)
		assert.Empty(t, m.Rows)
		assert.Equal(t, make([]bool, len(compared)), m.Complete)
		assert.Contains(t, m.Why[3], "make the program smaller")
	})
}

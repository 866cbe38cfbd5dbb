package script_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

// A class sees a barrier as one step of all its ranks, and a stale read after the sync that
// fetched nothing.
func TestStages(t *testing.T) {
	s, err := script.Parse(`ranks 3
file f = 00*4
all:
  open h f rdwr
0:
  write_at h 0 byte 1
all:
  sync h
  barrier
1,2:
  read_at h 0 byte*1 -> x
all:
  close h
`)
	require.NoError(t, err)
	rep, err := script.Run(t.Context(), s, script.Options{Moments: true})
	require.NoError(t, err)
	var got []string
	events := 0
	for _, stage := range rep.Stages() {
		got = append(got, stage.String())
		assert.Equal(t, rep.Log[events:stage.Last+1], stage.Events)
		events = stage.Last + 1
		assert.Same(t, stage.Events[len(stage.Events)-1], rep.Moments[events].Event)
	}
	assert.Len(t, rep.Log, events)
	assert.Contains(t, got, "ranks 0 to 2, line 9: barrier")
	assert.Contains(t, got, "ranks 0 to 2, line 4: open h f rdwr")
	assert.Regexp(t, `^ranks 0 to 2, line 8: sync h \(rank \d, then rank \d, then rank \d\)$`, got[2])
}

// Each statement is in one step, and the ranks of a step are different.
func TestStagesHaveEachStatement(t *testing.T) {
	all := consistency.Twins()
	names, err := fs.Glob(all, "*.mpio")
	require.NoError(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(all, name)
		require.NoError(t, err)
		s, err := script.Parse(string(text))
		require.NoError(t, err)
		rep, err := script.Run(t.Context(), s, script.Options{})
		require.NoError(t, err)
		var events []*script.Event
		for _, stage := range rep.Stages() {
			ranks := map[int]bool{}
			for _, e := range stage.Events {
				assert.False(t, ranks[e.Rank], "%s: %v", name, stage)
				ranks[e.Rank] = true
			}
			events = append(events, stage.Events...)
		}
		assert.Equal(t, rep.Log, events, name)
	}
}

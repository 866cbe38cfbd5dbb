package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

const hinted = `ranks 4
all:
  open h f rdwr|create cb_nodes=2 romio_cb_write=enable
0:
  write_at_all h 0 int 1
1:
  write_at_all h 4 int 2
2:
  write_at_all h 8 int 3
3:
  write_at_all h 12 int 4
all:
  close h
allow file f = 01000000020000000300000004000000
`

// TestHints: the hints of an open choose how the file's bytes move.
func TestHints(t *testing.T) {
	s, err := script.Parse(hinted)
	require.NoError(t, err)
	open := s.Blocks[0].Stmts[0]
	assert.Equal(t, []script.Hint{{Key: "cb_nodes", Value: "2"}, {Key: "romio_cb_write", Value: "enable"}}, open.Hints)
	assert.Contains(t, open.String(), " cb_nodes=2 romio_cb_write=enable")
	again, err := script.Parse(s.String())
	require.NoError(t, err)
	assert.Equal(t, open.Hints, again.Blocks[0].Stmts[0].Hints)
	rep, err := script.Run(t.Context(), s, script.Options{})
	require.NoError(t, err)
	assert.True(t, rep.OK(), "%v", rep.Unmet)
	require.Len(t, rep.World.Files, 1)
	assert.Equal(t, int64(2), rep.World.Files[0].Requests.Writes, "one of each aggregator")
	assert.Contains(t, rep.World.Files[0].Strategy, "TwoPhase")

	for text, want := range map[string]string{
		"cb_nodes":              `expected "="`,
		"cb_nodes=":             "expected the value of the hint",
		"=2":                    "expected a hint",
		"cb_nodes=2 cb_nodes=3": "is given twice",
	} {
		_, err := script.Parse("ranks 1\nall:\n  open h f rdwr|create " + text + "\n")
		assert.ErrorContains(t, err, want, text)
	}
	open.Hints[0].Value = ""
	_, err = script.Run(t.Context(), s, script.Options{})
	assert.ErrorContains(t, err, "it needs key and value")
}

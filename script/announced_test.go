package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/commworld/commworld/script"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If this fails, a script passes although another statement failed than the one that it
// names, or for another reason, or a request is taken for complete.
func TestAnnouncedResults(t *testing.T) {
	const failing = "ranks 2\nall:\n  self open h f rdwr|create\n  read_at h -1 int*1 -> x\n  close h\n"
	const testing = "ranks 2\n0:\n  irecv 1 0 int*1 -> x as q\n  test q -> early\n  barrier\n  wait q\n  test q -> late\n1:\n  barrier\n  send 0 0 int 7\n"
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{failing + "error ARG at 0:4\nerror ARG at 1:4\n", true},
		{failing + "error ARG at 0:4\n", false},
		{failing + "error ARG at 0:4\nerror COUNT at 1:4\n", false},
		{failing + "error ARG at 0:4\nerror ARG at 1:5\n", false},
		{testing + "allow 0:early = 0, 0:late = 1, 0:x = 7\n", true},
		{testing + "allow 0:early = 1, 0:late = 1, 0:x = 7\n", false},
	} {
		s, err := script.Parse(c.text)
		require.NoError(t, err, c.text)
		rep, err := script.Run(t.Context(), s, script.Options{})
		require.NoError(t, err, c.text)
		assert.Equal(t, c.ok, rep.OK(), "%s: %v", c.text, rep.Unmet)
	}
	s, err := script.Parse(strings.Replace(example, "\nrace\n", "\nrace reader-sync\n", 1))
	require.NoError(t, err)
	rep, err := script.Run(t.Context(), s, script.Options{})
	require.NoError(t, err)
	require.Len(t, rep.Races, 1)
	assert.Contains(t, fmt.Sprint(rep.Unmet), "race 1 is not one of those that the script names")
}

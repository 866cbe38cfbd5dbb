package scale

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/tools/internal/measure"
)

// figures runs the steps that match.
func figures(ranks int, checked bool, match string) (seen []figure, text string, err error) {
	c := Command()
	c.Run = func(s *measure.Session) error {
		seen, err = run(s, ranks, checked)
		return err
	}
	c.Flags = func(*flag.FlagSet) {}
	var out strings.Builder
	err = measure.Run([]*measure.Command{c}, []string{"scale", match}, &out)
	return seen, out.String(), err
}

// The documentation quotes the figures, so the measured calls must do what it says.
func TestRun(t *testing.T) {
	for _, checked := range []bool{false, true} {
		seen, text, err := figures(50, checked, "")
		require.NoError(t, err)
		assert.Len(t, seen, 1+len(all))
		for _, s := range all {
			assert.Contains(t, text, "\n"+s.name+" ")
		}
	}
	seen, _, err := figures(3, true, "open|barrier") // and is closed at the end
	require.NoError(t, err)
	assert.Equal(t, "start barrier open", strings.Join([]string{seen[0].step, seen[1].step, seen[2].step}, " "))
	for _, bad := range []string{"opne", "sync", "close", "write_at_all"} {
		_, _, err := figures(2, false, bad)
		assert.Error(t, err, bad)
	}
	_, _, err = figures(0, false, "")
	assert.Error(t, err)
}

// A million ranks fit into a machine because each is small. An open file and a write take
// about 4 KiB (4,198 bytes) of a rank, including the written bytes and the detector, and its
// stack stays at 4 KiB: a deeper call would double it on every rank.
func TestMemoryPerRank(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector of Go makes everything larger")
	}
	const ranks, steps = 2000, "barrier|open|write_at_all"
	_, _, err := figures(2, true, steps) // objects made once count for no rank
	require.NoError(t, err)
	seen, _, err := figures(ranks, true, steps)
	require.NoError(t, err)
	assert.Less(t, (seen[2].more.heap+seen[3].more.heap)/ranks, int64(4<<10+128))
	assert.Less(t, (seen[2].more.stack+seen[3].more.stack)/ranks, int64(512))
}

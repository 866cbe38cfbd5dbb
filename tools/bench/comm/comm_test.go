package comm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/tools/internal/measure"
)

// If a step of ours were wrong, no one would notice before the next
// measurement.
func TestSteps(t *testing.T) {
	for _, r := range rows() {
		if r.arg > 1000 && r.verb == "unexpected" {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			c := &contest{Session: &measure.Session{Seconds: 1e-6}}
			figs, err := measure.Take(1, []*row{r}, c.ours(we))
			assert.NoError(t, err)
			assert.Len(t, figs[r][we], 1)
			assert.Positive(t, measure.Median(figs[r][we]))
		})
	}
}

// If this module and a library ran different steps, or an answer went to another row, the
// ratio would mean nothing.
func TestRun(t *testing.T) {
	var out strings.Builder
	assert.NoError(t, measure.Run([]*measure.Command{Command()}, []string{"comm", "-rounds", "1", "-seconds", "1e-4", "8 B half"}, &out))
	assert.Equal(t, 1, strings.Count(out.String(), "\n8 B half round trip  "), out.String())
	assert.Contains(t, out.String(), "seeded")
	assert.Contains(t, out.String(), "unchecked")
	assert.Contains(t, out.String(), "switches")
	for _, lib := range peers.All() {
		if err := lib.Missing(); err != nil {
			t.Log(err)
			assert.Contains(t, out.String(), err.Error())
		}
	}
}

// If two worlds were joined that one process cannot run, or a row was lost, the table would
// be wrong.
func TestGroups(t *testing.T) {
	n := 0
	for _, g := range groups(rows(), func(string) bool { return true }) {
		for _, r := range g {
			assert.Equal(t, g[0].ranks, r.ranks)
			assert.True(t, r.verb != start || len(g) == 1)
			n++
		}
	}
	assert.Len(t, rows(), n)
	assert.Len(t, groups(rows(), func(name string) bool { return name == "barrier, 16 ranks" }), 1)
}

package main

import (
	"strings"
	"testing"

	"github.com/commworld/commworld/internal/peers"
	"github.com/stretchr/testify/assert"
)

// If a step of ours were wrong, nobody would see it before the next time
// somebody wonders about speed.
func TestSteps(t *testing.T) {
	for _, r := range rows() {
		if r.arg > 1000 && r.verb == "unexpected" {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			figs, err := ours([]*row{r}, 1e-6)
			assert.NoError(t, err)
			assert.Len(t, figs, 1)
			assert.Positive(t, figs[0])
		})
	}
}

// If a library and we were asked for unlike steps, or its answer went to
// another row, the ratio would mean nothing.
func TestRun(t *testing.T) {
	var out strings.Builder
	assert.NoError(t, run([]string{"-rounds", "1", "-seconds", "1e-4", "8 B half"}, &out))
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
	assert.Error(t, run([]string{"-rounds"}, &out))
}

// If two worlds were joined that one cannot run, or a row was lost, the table
// would lie.
func TestGroups(t *testing.T) {
	n := 0
	for _, g := range groups(rows(), "") {
		for _, r := range g {
			assert.Equal(t, g[0].ranks, r.ranks)
			assert.True(t, r.verb != start || len(g) == 1)
			n++
		}
	}
	assert.Len(t, rows(), n)
	assert.Len(t, groups(rows(), "barrier, 16 ranks"), 1)
}

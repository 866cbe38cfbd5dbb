package file

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/tools/internal/measure"
)

// If calls of ours were wrong, or raced, no one would notice before the next
// measurement.
func TestOurs(t *testing.T) {
	for _, r := range rows() {
		for _, ranks := range []int{4, 16} {
			for _, v := range []*variant{posix, weakest, posixX, weakX, plain, floor} {
				if v == floor && r.verb != "contiguous" {
					continue
				}
				j := &job{r, ranks, max(1<<20, 2*int64(ranks)*r.arg)}
				took, err := ours(j, v, 1)
				if assert.NoError(t, err, "%s, %d ranks, %s", r.name, ranks, v.name) {
					assert.NotEmpty(t, took)
				}
			}
		}
	}
}

// If this module and a library made different calls, or an answer went to another row, the
// ratio would mean nothing.
func TestRun(t *testing.T) {
	var out strings.Builder
	run := func(args ...string) error {
		return measure.Run([]*measure.Command{Command()}, append([]string{"file"}, args...), &out)
	}
	assert.NoError(t, run("-rounds", "1", "-dir", t.TempDir(), "-reps", "1", "-mib", "1", "-ranks", "2", "64 B"))
	assert.Equal(t, 1, strings.Count(out.String(), "\n64 B blocks, holes in both, read"), out.String())
	for _, lib := range peers.All() {
		if err := lib.Missing(); err != nil {
			t.Log(err)
			assert.Contains(t, out.String(), err.Error())
		}
	}
	assert.Error(t, run("-reps", "0"))
	assert.Error(t, run("-ranks", "4,x"))
	assert.ErrorContains(t, run("-peers=false", "-mib", "1", "1 MiB"), "whole number")
}

// If a repetition that was cut short counted like the others, the library's time would be
// too low and the table wrong.
func TestLimit(t *testing.T) {
	for _, lib := range peers.All() {
		if err := lib.Missing(); err != nil {
			t.Log(err)
			continue
		}
		p, err := lib.Compile(source)
		if !assert.NoError(t, err) {
			continue
		}
		c := &contest{Session: &measure.Session{Dir: t.TempDir()}, reps: 3, limit: time.Nanosecond}
		took, whole, err := c.theirs(&job{rows()[0], 2, 1 << 16}, &side{lib.Name, p, nil})
		assert.NoError(t, err)
		assert.Len(t, took["write"], 1)
		assert.False(t, whole)
		assert.Len(t, c.notes, 2)
		assert.NoError(t, p.Close())
	}
}

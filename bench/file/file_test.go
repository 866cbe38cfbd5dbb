package main

import (
	"strings"
	"testing"
	"time"

	"github.com/commworld/commworld/internal/peers"
	"github.com/stretchr/testify/assert"
)

// If calls of ours were wrong, or raced, nobody would see it before the next
// time somebody wonders about speed.
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

// If a library and we were asked for unlike calls, or its answer went to another
// row, the ratio would mean nothing.
func TestRun(t *testing.T) {
	var out strings.Builder
	assert.NoError(t, run([]string{"-rounds", "1", "-reps", "1", "-mib", "1", "-ranks", "2", "64 B"}, &out))
	assert.Equal(t, 1, strings.Count(out.String(), "\n64 B blocks, holes in both, read"), out.String())
	for _, lib := range peers.All() {
		if err := lib.Missing(); err != nil {
			t.Log(err)
			assert.Contains(t, out.String(), err.Error())
		}
	}
	assert.Error(t, run([]string{"-rounds"}, &out))
	assert.Error(t, run([]string{"-reps", "0"}, &out))
	assert.Error(t, run([]string{"-ranks", "4,x"}, &out))
	assert.ErrorContains(t, run([]string{"-peers=false", "no such row"}, &out), "-list")
	assert.Error(t, run([]string{"("}, &out))
	var names strings.Builder
	assert.NoError(t, run([]string{"-list", "3-D|open"}, &names))
	assert.Equal(t, "3-D blocks\nopen + close\n", names.String())
	assert.ErrorContains(t, run([]string{"-peers=false", "-mib", "1", "1 MiB"}, &out), "whole number")
}

// If a repetition that was cut short looked like others, the table would praise
// us for the library's haste.
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
		c := &contest{dir: t.TempDir(), reps: 3, limit: time.Nanosecond}
		took, whole, err := c.theirs(&job{rows()[0], 2, 1 << 16}, &side{lib.Name, p, nil})
		assert.NoError(t, err)
		assert.Len(t, took["write"], 1)
		assert.False(t, whole)
		assert.Len(t, c.notes, 2)
		assert.NoError(t, p.Close())
	}
}

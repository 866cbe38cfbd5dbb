package lab_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In the stale read each model has its own answer for the read of rank 1: after the write
// only a laptop has the new value; after the syncs a burst buffer has it, too; and a network
// file system has it only if the sync of rank 1 took effect last, which it did not in this run.
// The standard allows both always.
func TestCompareModels(t *testing.T) {
	text := ask(t, map[string]any{"do": "lesson", "name": "01-stale"})["script"]
	var compared map[string]any
	at := func(routine string) map[string]string {
		run := ask(t, map[string]any{"do": "run", "script": text})
		n := 1 + slices.IndexFunc(run["steps"].([]any), func(s any) bool { return strings.Contains(s.(map[string]any)["text"].(string), ": "+routine) })
		require.Positive(t, n)
		a := ask(t, map[string]any{"do": "step", "script": text, "step": n, "compare": true})
		compared = a["files"].([]any)[0].(map[string]any)["compared"].(map[string]any)
		got := map[string]string{}
		for _, m := range compared["models"].([]any) {
			m := m.(map[string]any)
			for _, h := range m["handles"].([]any) {
				if h := h.(map[string]any); h["rank"] == 1.0 {
					for _, v := range h["may"].([]any)[0].(map[string]any)["values"].([]any) {
						got[m["model"].(string)] += v.(map[string]any)["from"].(string) + " "
					}
				}
			}
		}
		return got
	}
	assert.Equal(t, map[string]string{"weakest": "start write ", "session": "start ", "commit": "start ", "POSIX": "write "}, at("write_at"))
	assert.Equal(t, map[string]string{"weakest": "start write ", "session": "start ", "commit": "write ", "POSIX": "write "}, at("read_at"))
	assert.Contains(t, compared["drawing"], "under each model")
	assert.Contains(t, compared["words"], "rank 1, h: POSIX (every write so far, as on a laptop)")
	assert.NotContains(t, ask(t, map[string]any{"do": "step", "script": text, "step": 5})["files"].([]any)[0], "compared")
}

// Every lesson, litmus test and twin can be compared, in the middle and at the end.
func TestCompareEverything(t *testing.T) {
	for _, name := range names(t) {
		text := ask(t, map[string]any{"do": "lesson", "name": name})["script"]
		steps := ask(t, map[string]any{"do": "run", "script": text})["steps"].([]any)
		for _, n := range []int{len(steps) / 2, len(steps)} {
			a := ask(t, map[string]any{"do": "step", "script": text, "step": n, "compare": true})
			if !assert.NotContains(t, a, "problem", "%s, step %d", name, n) {
				continue
			}
			for _, f := range a["files"].([]any) {
				models := f.(map[string]any)["compared"].(map[string]any)["models"].([]any)
				assert.Len(t, models, 4)
			}
		}
	}
}

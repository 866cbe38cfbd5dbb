package lab_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// whatIf returns the answer, and by outcome where it occurs: "before", "after" or "both".
func whatIf(t *testing.T, text string, change map[string]any) (a map[string]any, where map[string]string) {
	t.Helper()
	a = ask(t, map[string]any{"do": "whatif", "script": text, "whatif": change})
	where = map[string]string{}
	rows, _ := a["rows"].([]any)
	for _, r := range rows {
		r := r.(map[string]any)
		sides := r["sides"].([]any)
		in := "both"
		switch {
		case sides[0] == nil:
			in = "after"
		case sides[1] == nil:
			in = "before"
		}
		where[r["text"].([]any)[0].(string)] = in
	}
	return a, where
}

// The repaired stale read needs each of its three steps; atomic mode and POSIX need none.
func TestWhatIf(t *testing.T) {
	fixed := "ranks 2\nfile f = 00*4\nall:\n  open h f rdwr\n  view h 0 int int native\n0:\n  write_at h 0 int 5\nall:\n  sync h\n  barrier\n  sync h\n1:\n  read_at h 0 int*1 -> x\nall:\n  close h\nnorace\nallow 1:x = 5\n"
	for _, line := range []int{9, 10, 11} {
		a, where := whatIf(t, fixed, map[string]any{"remove": line})
		assert.Equal(t, map[string]string{"1.x = 5": "both", "1.x = 0": "after"}, where, "line %d", line)
		assert.Equal(t, "1 outcome can occur that could not before; there is now a race.", a["text"])
		assert.Contains(t, a["script"], "# allow 1:x = 5", "it need not hold any more")
	}
	stale := lessonText(t, "01-stale")
	a, where := whatIf(t, stale, map[string]any{"remove": 10})
	assert.Equal(t, map[string]string{"1.x = 5": "both", "1.x = 0": "both"}, where)
	assert.Equal(t, "The outcomes stay the same.", a["text"])
	a, where = whatIf(t, stale, map[string]any{"atomic": true})
	assert.Equal(t, map[string]string{"1.x = 5": "both", "1.x = 0": "before"}, where)
	assert.Equal(t, "1 outcome can no longer occur; there is no race any more.", a["text"])
	_, where = whatIf(t, stale, map[string]any{"model": "POSIX"})
	assert.Equal(t, map[string]string{"1.x = 5": "both", "1.x = 0": "before"}, where)
	for _, wrong := range []map[string]any{{"remove": 3}, {"model": "none"}, {}} {
		assert.Contains(t, try(t, map[string]any{"do": "whatif", "script": stale, "whatif": wrong}), "problem")
	}
}

// Each change that the page offers for a lesson can be tried.
func TestChanges(t *testing.T) {
	for _, name := range []string{"01-stale", "04-atomic", "05-message", "08-shared", "09-deadlock", "19-pending", "25-checkpoint"} {
		text := lessonText(t, name)
		changes := ask(t, map[string]any{"do": "changes", "script": text})["changes"].([]any)
		assert.GreaterOrEqual(t, len(changes), 3, name)
		for _, c := range changes {
			c := c.(map[string]any)
			a := ask(t, map[string]any{"do": "whatif", "script": text, "whatif": c["whatif"]})
			assert.NotContains(t, a, "problem", "%s: %v", name, c["text"])
			assert.Equal(t, c["text"], a["change"])
		}
	}
}

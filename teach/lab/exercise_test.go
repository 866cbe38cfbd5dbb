package lab_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/teach/exercise"
)

// The page marks as the terminal does: by the same function.
func TestMark(t *testing.T) {
	e, err := exercise.Find("17")
	require.NoError(t, err)
	a := ask(t, map[string]any{"do": "mark", "name": e.Lesson, "script": e.Solution})
	assert.Equal(t, "right", a["verdict"])
	text, sentence, ok := e.Mistake("no-second-sync")
	require.True(t, ok)
	a = ask(t, map[string]any{"do": "mark", "name": e.Lesson, "script": text})
	assert.Equal(t, "wrong", a["verdict"])
	assert.Equal(t, sentence, a["summary"])
	assert.NotEmpty(t, a["findings"])
	a = ask(t, map[string]any{"do": "mark", "name": e.Lesson, "script": "ranks"})
	assert.Equal(t, "not marked", a["verdict"])
	for field, request := range map[string]map[string]any{
		"name":   {"do": "mark", "name": "99"},
		"script": {"do": "mark", "name": "17", "script": "ranks 65\n"},
		"step":   {"do": "judge", "name": "17", "step": 9},
	} {
		p, ok := try(t, request)["problem"].(map[string]any)
		if assert.True(t, ok, field) {
			assert.Equal(t, field, p["field"])
		}
	}
}

// An answer is judged with the remarks on all.
func TestJudge(t *testing.T) {
	for step, right := range []bool{false, false, true} {
		a := ask(t, map[string]any{"do": "judge", "name": "17", "step": step})
		assert.Equal(t, right, a["right"])
		assert.Equal(t, 2.0, a["answer"])
		assert.Len(t, a["remarks"], 3)
	}
}

// Two aggregators make two requests.
func TestTraffic(t *testing.T) {
	e, err := exercise.Find("16")
	require.NoError(t, err)
	files := ask(t, map[string]any{"do": "traffic", "script": e.Solution})["files"].([]any)
	require.Len(t, files, 1)
	f := files[0].(map[string]any)
	assert.Equal(t, "f", f["name"])
	assert.Equal(t, 2.0, f["writes"])
	assert.Equal(t, 32.0, f["write_bytes"])
	assert.Positive(t, f["sent"])
}

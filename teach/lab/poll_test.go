package lab_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/teach/lab"
)

// TestPoll: a question about a script has each value that an exploration finds, with a run that has it, and
// does not print the answer with the program.
func TestPoll(t *testing.T) {
	text := ask(t, map[string]any{"do": "lesson", "name": "01-stale"})["script"].(string)
	p := ask(t, map[string]any{"do": "poll", "script": text})
	assert.Equal(t, "1.x", p["variable"])
	assert.Equal(t, []any{"1.x", "file f"}, p["variables"])
	assert.NotContains(t, p["program"], "allow")
	var values []string
	for _, v := range p["values"].([]any) {
		v := v.(map[string]any)
		values = append(values, v["text"].(string))
		steps := v["steps"].([]any)
		assert.Contains(t, steps[len(steps)-2], "read_at h 0 int*1 -> x = "+v["text"].(string))
		again := ask(t, map[string]any{"do": "run", "script": text, "replay": v["witness"]})
		assert.Len(t, again["steps"], len(steps))
	}
	assert.Equal(t, []string{"0", "5"}, values)
	p = ask(t, map[string]any{"do": "poll", "script": text, "name": "file f"})
	assert.Len(t, p["values"], 1)
	refused := problemOf(t, `{"do":"poll","name":"0.y","script":`+strconv.Quote(text)+`}`)
	assert.Equal(t, "name", refused["field"])
	assert.Contains(t, refused["text"], "it has 1.x, file f")
	none := problemOf(t, `{"do":"poll","script":"ranks 1\nall:\n  barrier\n"}`)
	assert.Contains(t, none["text"], "no result")
}

// problemOf returns the problem of a request.
func problemOf(t *testing.T, request string) map[string]any {
	t.Helper()
	var a struct{ Problem map[string]any }
	require.NoError(t, json.Unmarshal(lab.Answer(t.Context(), []byte(request)), &a))
	require.NotNil(t, a.Problem)
	return a.Problem
}

// Values that a teacher adds have the form of those that may come out.
func TestPollExtra(t *testing.T) {
	text := ask(t, map[string]any{"do": "lesson", "name": "01-stale"})["script"].(string)
	p := ask(t, map[string]any{"do": "poll", "script": text, "extra": " 7, 5,7 ,"})
	assert.Equal(t, []any{"7"}, p["extra"], "5 may come out")
	refused := problemOf(t, `{"do":"poll","extra":"7, abc","script":`+strconv.Quote(text)+`}`)
	assert.Equal(t, "extra", refused["field"])
	assert.Equal(t, "abc cannot be a value of 1.x, which is a number, such as 5", refused["text"])
	text = ask(t, map[string]any{"do": "lesson", "name": "04-atomic"})["script"].(string)
	p = ask(t, map[string]any{"do": "poll", "script": text, "name": "2.x", "extra": "ABAB"})
	assert.Equal(t, []any{`"ABAB"`}, p["extra"])
}

// A vote needs all values: those of a program that is too large are not told.
func TestPollIncomplete(t *testing.T) {
	lab.Hurry(t)
	text := "ranks 8\nfile f = 00*4\nall:\n  open h f rdwr\n  write_at h 0 int r\n  close h\n"
	refused := problemOf(t, `{"do":"poll","name":"file f","script":`+strconv.Quote(text)+`}`)
	assert.Equal(t, "script", refused["field"])
	assert.Contains(t, refused["text"], "make it smaller")
}

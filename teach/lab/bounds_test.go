package lab_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/teach/lab"
)

// A program of a stranger takes bounded memory, and the page says which bound it exceeds.
func TestBounds(t *testing.T) {
	race := "all:\n  open h f rdwr|create\n  set_size h %s\n  write_at h 0 byte r\n  close h\n"
	for _, c := range []struct{ do, script, want string }{
		{"run", "ranks 4096\nall:\n" + strings.Repeat("  barrier\n", 60), "4096 ranks: the page shows at most 64"},
		{"explore", "ranks 65\nall: barrier\n", "65 ranks: the page shows at most 64"},
		{"step", "ranks 64\nall:\n" + strings.Repeat("  barrier\n", 126), "the ranks make 8064 calls together: the page shows at most 8000"},
		{"run", "ranks 2\n" + strings.ReplaceAll(race, "%s", "5000000"), "file f has 5000000 bytes: at most 4194304 are looked at"},
		{"step", "ranks 2\n" + strings.ReplaceAll(race, "%s", "5000000"), "file f has 5000000 bytes"},
		{"explore", "ranks 2\n" + strings.ReplaceAll(race, "%s", "5000000"), "file f has 5000000 bytes"},
		{"models", "ranks 2\n" + strings.ReplaceAll(race, "%s", "5000000"), "file f has 5000000 bytes"},
		{"fix", "ranks 2\n" + strings.ReplaceAll(race, "%s", "5000000"), "file f has 5000000 bytes"},
		{"explore", "ranks 4\n" + strings.ReplaceAll(race, "%s", "900000"), "incomplete"},
		{"run", "ranks 64\nall:\n" + strings.Repeat("  barrier\n", 125), ""},
	} {
		request, err := json.Marshal(map[string]any{"do": c.do, "script": c.script, "compare": c.do == "step"})
		require.NoError(t, err)
		text := lab.Answer(t.Context(), request)
		assert.Less(t, len(text), 33<<20)
		var a map[string]any
		require.NoError(t, json.Unmarshal(text, &a))
		switch {
		case c.want == "":
			assert.NotContains(t, a, "problem")
		case c.want == "incomplete":
			assert.Equal(t, false, a["complete"])
			assert.Equal(t, "the outcomes have more than 4194304 bytes together", a["why"])
		case assert.Contains(t, a, "problem", c.do):
			assert.Contains(t, a["problem"].(map[string]any)["text"], c.want)
		}
	}
}

// Six ranks that write and read the same bytes have far more schedules than a page can try:
// it shows what it has found, and says that this is not all.
func TestManySchedules(t *testing.T) {
	lab.InTime(t)
	const text = "ranks 6\nfile f = 00000000\nall: open h f rdwr\nall: write_at h 0 int r\nall: read_at h 0 int -> x\nall: close h\n"
	ask := func(do string, into any) {
		q, err := json.Marshal(map[string]any{"do": do, "script": text})
		require.NoError(t, err)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		answer := lab.Answer(ctx, q)
		assert.NoError(t, ctx.Err(), "the answer comes by itself")
		assert.False(t, strings.Contains(string(answer), "deadline exceeded"), do)
		require.NoError(t, json.Unmarshal(answer, into), "%.200s", answer)
	}
	var found struct {
		Outcomes []any
		Complete bool
		Why      string
		Races    []any
	}
	ask("explore", &found)
	assert.NotEmpty(t, found.Outcomes)
	assert.NotEmpty(t, found.Races)
	assert.False(t, found.Complete)
	assert.Contains(t, found.Why, "make the program smaller")

	var models struct {
		Rows     []any
		Complete []bool
		Why      []string
	}
	ask("models", &models)
	assert.NotEmpty(t, models.Rows)
	require.Len(t, models.Complete, 4)
	assert.False(t, models.Complete[0])
	assert.Contains(t, models.Why[0], "make the program smaller")

	var fixed struct {
		Script  string
		Problem struct{ Text string }
	}
	ask("fix", &fixed)
	if fixed.Script == "" { // a slow machine; TestLate has a search that cannot end
		assert.Contains(t, fixed.Problem.Text, "make the program smaller")
	} else {
		assert.Contains(t, fixed.Script, "norace")
	}
}

package lab_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/teach/lab"
)

// How long the page waits for an answer of a native lab.
func BenchmarkAnswer(b *testing.B) {
	lab.InTime(b)
	for _, c := range []struct{ do, lesson string }{
		{"lessons", ""},
		{"run", "01-stale"},
		{"step", "01-stale"},
		{"explore", "01-stale"},
		{"models", "01-stale"},
		{"step", "lit-34"},
		{"explore", "lit-34"},
	} {
		b.Run(c.do+" "+c.lesson, func(b *testing.B) {
			q := map[string]any{"do": c.do}
			if c.lesson != "" {
				q["script"], q["step"] = ask(b, map[string]any{"do": "lesson", "name": c.lesson})["script"], 5
			}
			request, err := json.Marshal(q)
			require.NoError(b, err)
			for b.Loop() {
				lab.Answer(b.Context(), request)
			}
		})
	}
	b.Run("explore the slowest of all", func(b *testing.B) {
		for b.Loop() {
			slowest, name := time.Duration(0), ""
			for _, n := range names(b) {
				request, err := json.Marshal(map[string]any{"do": "explore", "script": ask(b, map[string]any{"do": "lesson", "name": n})["script"]})
				require.NoError(b, err)
				start := time.Now()
				lab.Answer(b.Context(), request)
				if d := time.Since(start); d > slowest {
					slowest, name = d, n
				}
			}
			b.ReportMetric(float64(slowest)/1e6, "ms/slowest")
			b.Log(name, slowest)
		}
	})
}

// A class does not wait: a step of the page takes at most 50 ms and the first answer 100 ms.
// The fastest of some tries counts, because other programs run on the machine, too.
func TestLatency(t *testing.T) {
	text := lessonText(t, "01-stale")
	for _, c := range []struct {
		request map[string]any
		most    time.Duration
	}{
		{map[string]any{"do": "run", "script": text}, 100 * time.Millisecond},
		{map[string]any{"do": "explore", "script": text}, 100 * time.Millisecond},
		{map[string]any{"do": "step", "script": text, "step": 5}, 50 * time.Millisecond},
		{map[string]any{"do": "token", "script": text, "line": 9, "column": 4}, 10 * time.Millisecond},
	} {
		request, err := json.Marshal(c.request)
		require.NoError(t, err)
		fastest := time.Hour
		for range 20 {
			start := time.Now()
			lab.Answer(t.Context(), request)
			if fastest = min(fastest, time.Since(start)); fastest < c.most {
				break
			}
		}
		require.Less(t, fastest, c.most, "%v", c.request["do"])
	}
}

// An answer that is not wanted any more ends between two runs of its exploration.
func TestCancelledExploration(t *testing.T) {
	text := "ranks 6\nall:\n  open h f rdwr|create\n" + strings.Repeat("  write_at h 0 int r\n  read_at h 0 int -> x\n", 1) + "  close h\n"
	request, err := json.Marshal(map[string]any{"do": "explore", "script": text})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	pauses := 0
	answer := lab.Answer(lab.WithPause(ctx, func() {
		if pauses++; pauses == 2 {
			stop()
		}
	}), request)
	require.Equal(t, 2, pauses, "no run began after the end")
	require.NotEmpty(t, answer)
}

// The editor's sentences and words come from the language itself.
func TestToken(t *testing.T) {
	a := ask(t, map[string]any{"do": "token", "script": "ranks 2\nall:\n  open h f rd", "line": 3, "column": 13})
	require.Equal(t, "open HANDLE FILE MODE [HINT=VALUE ...]", a["form"])
	require.Equal(t, []any{"rdonly", "rdwr"}, a["options"])
	require.Equal(t, 2.0, a["typed"])
	require.Len(t, ask(t, map[string]any{"do": "token", "script": "", "line": 1, "column": 0})["options"], 12)
}

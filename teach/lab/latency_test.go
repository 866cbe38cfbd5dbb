package lab_test

import (
	"encoding/json"
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

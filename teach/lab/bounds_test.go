package lab_test

import (
	"encoding/json"
	"strings"
	"testing"

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

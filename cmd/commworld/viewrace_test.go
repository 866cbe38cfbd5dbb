package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

// shellWords cuts a command line as every shell does that knows double quotes.
func shellWords(line string) []string {
	var all []string
	for _, w := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
		all = append(all, w[1]+w[2])
	}
	return all
}

// TestViewRaceCommands: if it fails, the command that a race about views gives does not
// draw the views, or draws others than those that overlap.
func TestViewRaceCommands(t *testing.T) {
	names, err := fs.Glob(consistency.Twins(), "*-racy.mpio")
	require.NoError(t, err)
	drawn := 0
	for _, name := range names {
		text, err := fs.ReadFile(consistency.Twins(), name)
		require.NoError(t, err)
		s, err := script.Parse(string(text))
		require.NoError(t, err)
		rep, err := script.Explore(t.Context(), s, script.Options{})
		require.NoError(t, err)
		for _, r := range rep.Races {
			_, line := r.Views()
			if line == "" {
				continue
			}
			drawn++
			assert.NotContains(t, line, "'")
			args := shellWords(line)
			require.Equal(t, "commworld", args[0])
			var out, errs strings.Builder
			require.Equal(t, 0, run(context.Background(), append(args[1:], "--json"), &out, &errs), "%s\n%s", line, &errs)
			var got struct {
				Overlaps []struct {
					Bytes [2]int64 `json:"bytes"`
				} `json:"overlaps"`
			}
			require.NoError(t, json.Unmarshal([]byte(out.String()), &got))
			shown := false
			for _, o := range got.Overlaps {
				shown = shown || o.Bytes[0] <= r.Lo && r.Lo < o.Bytes[1]
			}
			assert.True(t, shown, "%s: %s: byte %d\n%s", name, line, r.Lo, &out)
		}
	}
	assert.GreaterOrEqual(t, drawn, 4)
}

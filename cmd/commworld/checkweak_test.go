package main

import (
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/show/child"
)

// If this fails, a program hides a mistake from commworld check by an option of its own.
func TestCheckOverrulesOptions(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	dir := t.TempDir()
	prog, err := child.Build(context.Background(), "./testdata/check/weak", dir, io.Discard)
	require.NoError(t, err)
	require.NotEmpty(t, prog)
	for option, want := range map[string]struct{ kind, note string }{
		"Unchecked":            {"race", "world.Unchecked"},
		"WithRaceDetector Off": {"race", "iofile.WithRaceDetector"},
		"WithRaceDetector":     {"race", "iofile.WithRaceDetector"},
		"WithModel":            {"race", "iofile.WithModel"},
		"WithModel of an open": {"race", "iofile.WithModel"},
		"WithPoison":           {"error", "iofile.WithModel"},
		"WithMatch":            {"error", "iofile.WithMatch"},
		"Eager":                {"deadlock", "world.Eager"},
		"LibraryOrder":         {"race", "world.LibraryOrder"},
		"Careful":              {"lint", "what world.Careful allows"},
		"Replay":               {"error", ""},
		"Seed":                 {"error", ""},
		"PCT":                  {"error", ""},
		"WithoutBytes":         {"unchecked", ""},
		"Setenv":               {"error", ""},
		"none":                 {},
	} {
		t.Run("WORLD-01 "+option, func(t *testing.T) {
			c := checkCommand{Target: "weak", Args: []string{option}, Timeout: 10 * time.Minute, Memory: "256MB"}
			memory, err := c.validate()
			require.NoError(t, err)
			all := &checked{both: map[int]bool{}}
			require.NoError(t, c.passes(t.Context(), all, 0, 0, prog, t.TempDir(), orders, memory, io.Discard))
			all.compare()
			kinds := []string{}
			for _, f := range all.Findings {
				kinds = append(kinds, string(f.Kind))
			}
			notes := strings.Join(all.Runs[0].Notes, "\n")
			if want.kind == "" {
				assert.Empty(t, all.Findings)
				assert.NotContains(t, notes, "without effect")
				return
			}
			assert.Contains(t, kinds, want.kind)
			assert.Equal(t, want.note != "", strings.Contains(notes, "without effect in a check: "), notes)
			assert.Contains(t, notes, want.note)
		})
	}
	t.Run("WORLD-01 the program's own schedule is run, too", func(t *testing.T) {
		c := checkCommand{Target: "weak", Args: []string{"Seed"}, Timeout: 10 * time.Minute, Memory: "256MB"}
		all := &checked{both: map[int]bool{}}
		require.NoError(t, c.passes(t.Context(), all, 0, 0, prog, filepath.Clean(t.TempDir()), orders, 256<<20, io.Discard))
		assert.Contains(t, all.Runs[0].Notes, "run under the program's own schedule, too")
		assert.True(t, all.Findings[0].in[checkPass{0, ownOrder}] || all.Findings[0].in[checkPass{0, "forward"}])
	})
}

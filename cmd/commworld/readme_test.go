package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadme: what the README shows of the program is what it prints.
func TestReadme(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	readme := string(b)
	_, script, found := strings.Cut(readme, "Of this script\n\n```\n")
	require.True(t, found)
	script, _, _ = strings.Cut(script, "```")
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("stale.mpio", []byte(script), 0o600))
	for _, c := range []struct {
		line string
		code int
		args []string
	}{
		{"run --explore stale.mpio", exitRace, []string{"run", "--explore", "stale.mpio"}},
		{
			"view --ranks 3 --etype int --disp 'r*4' --filetype 'resized(int, 0, n*4)' --bytes 40", 0,
			[]string{"view", "--ranks", "3", "--etype", "int", "--disp", "r*4", "--filetype", "resized(int, 0, n*4)", "--bytes", "40"},
		},
		{"type 'vector(3, 2, 4, int)' --copies 2", 0, []string{"type", "vector(3, 2, 4, int)", "--copies", "2"}},
	} {
		var out, errs strings.Builder
		assert.Equal(t, c.code, run(context.Background(), c.args, &out, &errs), errs.String())
		assert.Contains(t, readme, "$ go run ./cmd/commworld "+c.line+"\n"+out.String()+"```")
	}
}

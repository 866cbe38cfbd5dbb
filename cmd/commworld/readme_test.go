package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadme: the README shows the actual output of the program.
func TestReadme(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	readme := string(b)
	script, err := os.ReadFile("../../examples/stale.mpio")
	require.NoError(t, err)
	assert.Contains(t, readme, "```\n"+string(script)+"```", "the script that README shows")
	t.Chdir("../..") // as the reader of README
	t.Run("the fixes work as printed", func(t *testing.T) {
		fixed := filepath.Join(t.TempDir(), "fixed.mpio")
		lines := strings.Split(string(script), "\n")
		fixes := regexp.MustCompile(`(?m)^  (?:fix|or) +after line (\d+) add, on all ranks: (.*)$`).FindAllStringSubmatch(readme, -1)
		require.Len(t, fixes, 2)
		for _, f := range fixes {
			n, err := strconv.Atoi(f[1])
			require.NoError(t, err)
			text := strings.Join(slices.Insert(slices.Clone(lines), n, "all:\n  "+f[2]), "\n")
			if !strings.HasSuffix(lines[n], ":") { // the block goes on
				text = strings.Join(slices.Insert(slices.Clone(lines), n, "  "+f[2]), "\n")
			}
			require.NoError(t, os.WriteFile(fixed, []byte(text+"norace\n"), 0o600))
			var out, errs strings.Builder
			assert.Equal(t, 0, run(context.Background(), []string{"run", "--explore", fixed}, &out, &errs), "%s\n%s%s", text, &out, &errs)
		}
		var out, errs strings.Builder
		assert.Equal(t, 0, run(context.Background(), []string{"run", "--fix", "examples/stale.mpio"}, &out, &errs), errs.String())
		require.NoError(t, os.WriteFile(fixed, []byte(out.String()), 0o600))
		assert.Equal(t, 0, run(context.Background(), []string{"run", "--explore", fixed}, &out, &errs), errs.String())
	})
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/thorough"
)

// The four lines of the README must make a module that builds, or a newcomer would not get
// to the program.
func TestOwnModule(t *testing.T) {
	thorough.Only(t)
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(b), "## A program in your own module\n")
	require.True(t, found)
	block := func(fence string) string { // the next fenced block of that kind
		_, after, found := strings.Cut(rest, fence+"\n")
		require.True(t, found, fence)
		text, after, _ := strings.Cut(after, "```")
		rest = after
		return text
	}
	setup, program, output := block("```sh"), block("```go"), block("```")

	parent := t.TempDir()
	require.NoError(t, os.Symlink(root, filepath.Join(parent, "commworld")))
	dir := parent
	for line := range strings.Lines(setup) {
		line, _, _ = strings.Cut(line, "#")
		args := strings.Fields(line)
		switch {
		case len(args) == 0:
		case args[0] == "mkdir":
			require.NoError(t, os.Mkdir(filepath.Join(dir, args[1]), 0o700))
		case args[0] == "cd":
			dir = filepath.Join(dir, args[1])
			require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600))
		default:
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s: %s", line, out)
			if args[0] == "go" && args[1] == "run" {
				assert.Equal(t, output, string(out))
			}
		}
	}
}

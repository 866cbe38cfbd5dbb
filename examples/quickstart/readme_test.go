package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// place is a line of a program as it is in reports.
var place = regexp.MustCompile(`\w+\.go:\d+`)

// TestReadme: a newcomer must see what the README promises to the letter.
func TestReadme(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	readme := place.ReplaceAllString(string(b), "LINE")
	shown := func(text, indent string) {
		text = place.ReplaceAllString(text, "LINE")
		text = indent + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+indent)
		assert.Contains(t, readme, text)
	}

	err = world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
		_, err := iofile.Open(c, iofile.NewMem(), "grid", iofile.ReadOnly)
		return err
	})
	var e *iofile.Error
	require.ErrorAs(t, err, &e)
	shown(e.Error(), "    ")

	err = world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			_, err := c.Recv(types.Of(make([]byte, 1)), 1, 7)
			return err
		}
		return c.Barrier()
	})
	require.Error(t, err)
	shown(err.Error(), "    ")
}

// TestReadmeProgram: the README promises that its first program writes the same file with any
// number of ranks.
func TestReadmeProgram(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	program := regexp.MustCompile("(?ms)^```go\n(package main\n.*?)^```").FindStringSubmatch(string(b))
	require.NotNil(t, program, "README has a program")
	first, _, _ := strings.Cut(string(b), "## Install")
	fragment := regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindStringSubmatch(first)
	require.NotNil(t, fragment, "README begins with a part of it")
	assert.Contains(t, strings.ReplaceAll(program[1], "\n\t\t\t", "\n"), "\n"+fragment[1])
	for _, line := range regexp.MustCompile(`(?m)^    (\d+ .*)$`).FindAllStringSubmatch(first, -1) {
		assert.Contains(t, string(b), "\n"+line[1]+" <nil>\n", "it shows the output of the program")
	}
	const numbers, others = "[]int{1, 2, 3, 4, 6}", "[]int{1, 2, 3, 5, 7, 24, 25, 100}"
	require.Contains(t, program[1], numbers)
	dir := t.TempDir()
	main := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(main, []byte(strings.Replace(program[1], numbers, others, 1)), 0o600))
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "examples", "readme", "main.go"): main}})
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o600))
	cmd := exec.Command("go", "run", "-overlay", file, "./examples/readme")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	var want strings.Builder
	for _, n := range []int{1, 2, 3, 5, 7, 24, 25, 100} {
		fmt.Fprintf(&want, "%d the quick brown fox jump <nil>\n", n)
	}
	assert.Equal(t, want.String(), string(out))
}

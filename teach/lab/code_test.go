package lab_test

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/thorough"
)

// The code of the view designer works when copied: the Go code compiles and runs, the C code
// compiles if there is an mpicc, and the script runs without errors.
func TestCodeToCopy(t *testing.T) {
	thorough.Only(t)
	mpicc, noC := exec.LookPath("mpicc")
	for i, p := range ask(t, map[string]any{"do": "presets"})["presets"].([]any) {
		p := p.(map[string]any)
		t.Run(p["name"].(string), func(t *testing.T) {
			code := ask(t, map[string]any{"do": "view", "view": p["view"]})["code"].(map[string]any)
			ran := ask(t, map[string]any{"do": "run", "script": code["a rank script"]})
			assert.Empty(t, ran["errors"])

			text := []byte(code["Go"].(string))
			formatted, err := format.Source(text)
			require.NoError(t, err)
			assert.Equal(t, string(formatted), string(text))
			dir := t.TempDir()
			file := filepath.Join(dir, "main.go")
			require.NoError(t, os.WriteFile(file, text, 0o666))
			if i == 0 || i == 8 { // they differ in the text of the views only
				run := exec.CommandContext(t.Context(), "go", "run", file)
				run.Dir = "../.."
				said, err := run.CombinedOutput()
				assert.NoError(t, err, "%s", said)
			}
			c, _ := code["C"].(string)
			if !assert.NotEmpty(t, c) || noC != nil {
				return
			}
			file = filepath.Join(dir, "main.c")
			require.NoError(t, os.WriteFile(file, []byte(c), 0o666))
			said, err := exec.CommandContext(t.Context(), mpicc, "-Wall", "-Werror", "-fsyntax-only", file).CombinedOutput()
			assert.NoError(t, err, "%s", said)
		})
	}
	if noC != nil {
		t.Log("SKIPPED: no mpicc here: the programs in C are not compiled")
	}
}

//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHelp: the help fits a terminal, and a wrong flag is answered with the one that was meant.
func TestHelp(t *testing.T) {
	r := play(t, "", "--help")
	require.Equal(t, 0, r.status)
	assert.Contains(t, r.out, "  -n, --ranks=NUMBER\n")
	assert.Contains(t, r.out, "      --model=MODEL\n")
	for line := range strings.Lines(r.out) {
		assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 80, line)
	}
	assert.Equal(t, result{errs: "commworldrun: unknown flag --modle, did you mean --model?\n", status: 2}, play(t, "", "--modle", "posix"))
	assert.Contains(t, play(t, "", "--xyzzy").errs, "unknown flag --xyzzy; commworldrun --help")
	assert.Equal(t, 2, play(t, "", "--color", "blue", "prog.so").status)
	assert.Contains(t, play(t, compile(t, "hello"), "--ranks", "3", "PROGRAM").out, "rank 2 of 3")
}

// TestColours: reports have colours where they are asked for.
func TestColours(t *testing.T) {
	so := compile(t, "stale")
	assert.Contains(t, play(t, so, "-n", "2", "--color=always", "PROGRAM").errs, "\x1b[1;31mrace on \"stale.dat\", bytes 0 to 3\x1b[0m\n")
	assert.NotContains(t, play(t, so, "-n", "2", "PROGRAM").errs, "\x1b")
}

// TestCompletionOfShells: shells read the completions, and bash completes flags and their values;
// man shows the page without a warning.
func TestCompletionOfShells(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		r := play(t, "", "--completion", shell)
		require.Equal(t, 0, r.status, r.errs)
		file := filepath.Join(t.TempDir(), "completion")
		require.NoError(t, os.WriteFile(file, []byte(r.out), 0o600))
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("no %s here: its completions were not read", shell)
			continue
		}
		out, err := exec.Command(shell, "-n", file).CombinedOutput()
		require.NoError(t, err, "%s: %s", shell, out)
		if shell == "bash" {
			out, err := exec.Command("bash", "-c", `. "$0"; COMP_WORDS=(commworldrun --mod); COMP_CWORD=1; _commworldrun; echo "${COMPREPLY[@]}"; `+
				`COMP_WORDS=(commworldrun --model p); COMP_CWORD=2; _commworldrun; echo "${COMPREPLY[@]}"`, file).CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Equal(t, "--model\nposix\n", string(out))
		}
	}
	assert.Equal(t, 2, play(t, "", "--completion", "csh").status)
	page := play(t, "", "--man").out
	assert.Contains(t, page, ".B \\-n,\\: \\-\\-ranks=NUMBER\n")
	if _, err := exec.LookPath("man"); err != nil {
		t.Skip("no man here: the page was not read")
	}
	file := filepath.Join(t.TempDir(), "commworldrun.1")
	require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	out, err := exec.Command("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.NotContains(t, string(out), "warning")
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/show/shell"
)

// completionOf writes the completions of a shell into a file, and skips the test where there is no such
// shell.
func completionOf(t *testing.T, shell string) string {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("no %s here: its completions are not tried", shell)
	}
	name := filepath.Join(t.TempDir(), "_commworld")
	code, _, errs := cli("completion", shell, "-o", name)
	require.Zero(t, code, errs)
	return name
}

// If bash offered other words than the parser accepts, completing would lead to errors.
func TestBashCompletion(t *testing.T) {
	name := completionOf(t, "bash")
	complete := func(words ...string) []string {
		script := "source " + name + "; COMP_WORDS=(commworld"
		for _, w := range words {
			script += " " + shell.Quoted(w)
		}
		script += `); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _commworld; printf '%s\n' "${COMPREPLY[@]}"`
		out, err := exec.Command("bash", "-c", script).CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.Fields(string(out))
	}
	assert.Equal(t, []string{"check", "convert", "completion", "course", "cost"}, inOrder(complete("c"), "check", "convert", "completion", "course", "cost"))
	assert.Equal(t, []string{"mark"}, complete("course", "ma"))
	assert.Equal(t, []string{"--explore"}, complete("run", "--expl"))
	assert.Equal(t, []string{"sarif"}, complete("run", "--format", "=", "s"))
	assert.Equal(t, []string{"bash"}, complete("completion", "ba"))
	for _, command := range commandNames(t) {
		offered := complete(append(strings.Fields(command), "--")...)
		assert.Contains(t, offered, "--help", command)
		assert.Contains(t, offered, "--out", command)
	}
}

// inOrder returns those of the wanted words that are in a list.
func inOrder(list []string, wanted ...string) (found []string) {
	for _, w := range wanted {
		if contains(list, w) {
			found = append(found, w)
		}
	}
	return found
}

func TestZshCompletion(t *testing.T) {
	name := completionOf(t, "zsh")
	out, err := exec.Command("zsh", "-n", name).CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.Command("zsh", "-fc", "autoload -U compinit; compinit -D -u; source "+name+"; print ${_comps[commworld]}").CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, "_commworld\n", string(out))
}

func TestFishCompletion(t *testing.T) {
	name := completionOf(t, "fish")
	complete := func(line string) string {
		cmd := exec.Command("fish", "--no-config", "-c", "source "+name+"; complete -C"+shell.Quoted(line))
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	assert.Contains(t, complete("commworld course ma"), "mark\tMark a submission.")
	assert.Contains(t, complete("commworld run --format="), "--format=sarif")
	assert.NotContains(t, complete("commworld run --"), "--machine")
}

// If troff complained about the page, or a command were missing, a package could not ship it.
func TestManPage(t *testing.T) {
	code, page, errs := cli("man")
	require.Zero(t, code, errs)
	for _, name := range commandNames(t) {
		assert.Contains(t, page, `.SS "`+shell.Roff(name), name)
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, ".") {
			assert.Regexp(t, `^\.(TH|ad|nh|SH|SS|TP|PP|B|I|RI|nf|fi)\b`, line, "no text is taken for a request")
		}
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("no groff here: it does not judge the page")
	}
	name := filepath.Join(t.TempDir(), "commworld.1")
	require.NoError(t, os.WriteFile(name, []byte(page), 0o600))
	out, err := exec.Command("groff", "-man", "-ww", "-z", "-Tutf8", name).CombinedOutput()
	require.NoError(t, err)
	assert.Empty(t, string(out))
}

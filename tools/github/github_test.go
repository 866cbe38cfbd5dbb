package github

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

const root = "../.."

// The workflows have no mistake that actionlint knows; with shellcheck here, their commands neither.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, ".github/workflows/*.yml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Log("SKIPPED: no shellcheck here: commands of the workflows were not looked at")
	}
	l, err := actionlint.NewLinter(os.Stderr, &actionlint.LinterOptions{Shellcheck: shellcheck})
	require.NoError(t, err)
	found, err := l.LintFiles(files, nil)
	require.NoError(t, err)
	assert.Empty(t, found)
}

type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []struct {
			Run, Shell       string
			WorkingDirectory string `yaml:"working-directory"`
			Env              map[string]string
		}
	}
}

// runAction carries out the steps of action.yml as GitHub does. It returns what they print and the exit status of the
// first that fails.
func runAction(t *testing.T, inputs map[string]string) (string, int) {
	text, err := os.ReadFile(filepath.Join(root, "action.yml"))
	require.NoError(t, err)
	var a action
	require.NoError(t, yaml.Unmarshal(text, &a))
	require.Equal(t, "composite", a.Runs.Using)
	for name, in := range a.Inputs {
		if _, ok := inputs[name]; !ok {
			inputs[name] = in.Default
		}
	}
	fill := func(s string) string {
		return regexp.MustCompile(`\$\{\{ *inputs\.([a-z-]+) *\}\}`).ReplaceAllStringFunc(s, func(use string) string {
			name := strings.Trim(strings.TrimSuffix(use[3:], "}}"), " ")
			value, ok := inputs[strings.TrimPrefix(name, "inputs.")]
			require.True(t, ok, use)
			return value
		})
	}
	here, err := filepath.Abs(root)
	require.NoError(t, err)
	temp := t.TempDir()
	added := filepath.Join(temp, "path")
	var out strings.Builder
	for _, step := range a.Runs.Steps {
		require.Equal(t, "bash", step.Shell)
		name := filepath.Join(temp, "step.sh")
		require.NoError(t, os.WriteFile(name, []byte(fill(step.Run)), 0o600))
		path, err := os.ReadFile(added)
		if err != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
		}
		paths := append(strings.Fields(string(path)), os.Getenv("PATH"))
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", name)
		cmd.Dir = here
		if dir := fill(step.WorkingDirectory); filepath.IsAbs(dir) {
			cmd.Dir = dir
		}
		cmd.Env = append(os.Environ(), "PATH="+strings.Join(paths, ":"), "RUNNER_TEMP="+temp, "GITHUB_PATH="+added, "GITHUB_ACTION_PATH="+here)
		for k, v := range step.Env {
			cmd.Env = append(cmd.Env, k+"="+fill(v))
		}
		cmd.Stdout, cmd.Stderr = &out, &out
		var failed *exec.ExitError
		if err := cmd.Run(); errors.As(err, &failed) {
			return out.String(), failed.ExitCode()
		} else {
			require.NoError(t, err)
		}
	}
	return out.String(), 0
}

// half is a program of which rank 1 leaves out a collective call.
const half = `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

func main() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			return c.Barrier()
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
`

// The action annotates the lines of a wrong program of a stranger's module, and is silent about a right one.
func TestAction(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it runs the steps by bash")
	}
	dir := t.TempDir()
	here, err := filepath.Abs(root)
	require.NoError(t, err)
	script, err := os.ReadFile(filepath.Join(root, "examples/stale.mpio"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stale.mpio"), script, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "half"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "half/main.go"), []byte(half), 0o600))
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(gomod), "\n")
	rest += "\nrequire github.com/commworld/commworld v0.0.0\n\nreplace github.com/commworld/commworld => " + here + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/half\n"+rest), 0o600))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o600))

	said, status := runAction(t, map[string]string{"working-directory": dir, "target": "stale.mpio"})
	assert.Equal(t, 3, status, said)
	assert.Regexp(t, `(?m)^::error file=stale\.mpio,line=8,title=race`, said)

	said, status = runAction(t, map[string]string{"working-directory": dir, "target": "./half", "ranks": "2"})
	assert.Equal(t, 1, status, said)
	assert.Regexp(t, `(?m)^::error file=half/main\.go,line=15,`, said)

	said, status = runAction(t, map[string]string{"target": "examples/checkpoint.mpio"})
	assert.Equal(t, 0, status, said)
	assert.NotContains(t, said, "::error")
}

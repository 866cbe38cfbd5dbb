package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const racy = "ranks 2\nall:\n  open h f rdwr|create\n0:\n  write_at h 0 int 7\n1:\n  read_at h 0 int*1 -> x\nall:\n  close h\n"

func called(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, &o, &e)
	return code, o.String(), e.String()
}

// TestOut: -o writes to a file what the command prints without it, so that no shell is needed
// whose > changes bytes; a file that is read may be the one that is written.
func TestOut(t *testing.T) {
	script := filepath.Join(t.TempDir(), "s.mpio")
	file := filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.WriteFile(script, []byte(racy), 0o600))
	for _, args := range [][]string{
		{"run", script},
		{"run", "--fix", script},
		{"run", "--json", script},
		{"run", "--steps", script},
		{"run", "--svg", "-", script},
		{"export", "--c", script},
		{"export", "--go", script},
		{"dump", "--who", script},
		{"view", "--ranks", "2", "--etype", "int", "--disp", "r*4", "--filetype", "resized(int,0,n*4)"},
		{"type", "vector(3, 2, 4, int)"},
		{"explain", "etype"},
		{"explain", "--sheet", "html"},
		{"litmus", "--show", "lit-04"},
		{"litmus", "--quiz", "barrier-only"},
		{"course", "list"},
		{"course", "show", "04", "--wrong"},
		{"suite", "list"},
		{"pattern", "list"},
		{"plan", "--ranks", "2", "--etype", "int", "--filetype", "resized(int,0,n*4)"},
	} {
		code, want, errs := called(t, args...)
		for _, args := range [][]string{append([]string{"-o", file}, args...), append(args[:len(args):len(args)], "-o", file)} {
			got, out, said := called(t, args...)
			assert.Equal(t, code, got, "%v: %s", args, said)
			assert.Equal(t, errs, said, args)
			assert.Empty(t, out, args)
			text, err := os.ReadFile(file)
			require.NoError(t, err, args)
			assert.Equal(t, want, string(text), args)
			require.NoError(t, os.Remove(file))
		}
	}
	_, want, _ := called(t, "run", "--fix", script)
	code, _, errs := called(t, "run", "--fix", script, "-o", script)
	assert.Equal(t, 0, code, errs)
	text, err := os.ReadFile(script)
	require.NoError(t, err)
	assert.Equal(t, want, string(text))
	t.Run("a command that fails leaves the file", func(t *testing.T) {
		for _, args := range [][]string{{"explain", "nosuchname"}, {"run", "nosuchfile"}, {"litmus", "--show", "nosuchtest"}} {
			code, _, _ := called(t, append(args, "-o", script)...)
			assert.Equal(t, exitUsage, code, args)
			again, err := os.ReadFile(script)
			require.NoError(t, err)
			assert.Equal(t, text, again, args)
		}
	})
}

// TestOutputs: a file that cannot be written is refused before the command works, and nothing
// is left of the attempt.
func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	script, absent := filepath.Join(dir, "s.mpio"), filepath.Join(dir, "absent", "x")
	require.NoError(t, os.WriteFile(script, []byte(racy+"this is not a statement\n"), 0o600))
	for _, args := range [][]string{
		{"run", script, "--svg"},
		{"run", script, "--html"},
		{"run", script, "--trace"},
		{"run", script, "-o"},
		{"view", "--ranks", "0", "--svg"},
		{"type", "nonsense", "--svg"},
		{"cost", "--pattern", "nonsense", "--svg"},
		{"cost", "--pattern", "nonsense", "--trace"},
		{"cost", "--pattern", "nonsense", "--dxt"},
		{"replay", script, "--svg"},
		{"replay", script, "--dxt"},
	} {
		code, out, errs := called(t, append(args[:len(args):len(args)], absent)...)
		assert.Equal(t, exitUsage, code, args)
		assert.Empty(t, out, args)
		assert.Contains(t, errs, absent+" cannot be written: ", args) // and not a word of what else is wrong
		_, _, errs = called(t, append(args, dir)...)
		assert.Contains(t, errs, dir+" is a directory", args)
	}
	names, err := fs.Glob(os.DirFS(dir), "*")
	require.NoError(t, err)
	assert.Equal(t, []string{"s.mpio"}, names)
}

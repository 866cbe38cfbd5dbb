package course

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/thorough"
)

// put writes a file and the folders above it.
func put(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

const foreignModule = "module lesson01\n\ngo 1.26\n\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => /home/ada/commworld\n"

// If this fails, a teacher cannot build submissions: a student's go.mod names a folder of the
// student's machine, or is missing.
func TestBuildElsewhere(t *testing.T) {
	thorough.Only(t)
	l, err := Find("1")
	require.NoError(t, err)
	program := l.read("skeleton/main.go")
	for name, mod := range map[string]string{"foreign": foreignModule, "a b ü": ""} {
		dir := filepath.Join(t.TempDir(), name)
		put(t, filepath.Join(dir, "main.go"), program)
		put(t, filepath.Join(filepath.Dir(dir), "go.work"), "go 1.26\n")
		if mod != "" {
			put(t, filepath.Join(dir, "go.mod"), mod)
		}
		prog, said, err := l.build(t.Context(), dir, t.TempDir(), Limits{})
		require.NoError(t, err)
		assert.NotEmpty(t, prog, said)
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, files, 1+min(1, len(mod)), "the submission stays as it is")
	}
}

// A submission is a module where its go.mod is, and is built with the marker's clone.
func TestModuleOfSubmission(t *testing.T) {
	l, err := Find("1")
	require.NoError(t, err)
	clone, err := filepath.Abs("../..")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		mods map[string]string // by folder
		root string
		name string
	}{
		"none":           {nil, "hw/l1", "lesson01"},
		"own":            {map[string]string{"hw/l1": foreignModule}, "hw/l1", "lesson01"},
		"above":          {map[string]string{".": "module ada\nrequire " + modulePath + " v0.0.0\n"}, ".", "ada"},
		"above, other":   {map[string]string{".": "module grading\n"}, "hw/l1", "lesson01"},
		"says it is us":  {map[string]string{".": "module " + modulePath + "\n"}, "hw/l1", "lesson01"},
		"is us, in here": {map[string]string{"hw/l1": "module " + modulePath + "\n"}, "hw/l1", "lesson01"},
	} {
		t.Run(name, func(t *testing.T) {
			top, tmp := t.TempDir(), t.TempDir()
			dir := filepath.Join(top, "hw", "l1")
			put(t, filepath.Join(dir, "main.go"), "package main\n")
			for at, mod := range c.mods {
				put(t, filepath.Join(top, at, "go.mod"), mod)
			}
			flags, err := l.moduleFlags(dir, tmp, clone)
			require.NoError(t, err)
			require.Len(t, flags, 2)
			var overlay struct{ Replace map[string]string }
			text, err := os.ReadFile(filepath.Join(tmp, "overlay.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &overlay))
			ours := overlay.Replace[filepath.Join(top, c.root, "go.mod")]
			require.NotEmpty(t, ours, "%v", overlay)
			text, err = os.ReadFile(ours)
			require.NoError(t, err)
			assert.Equal(t, c.name, moduleName(string(text)))
			assert.Contains(t, string(text), "replace "+modulePath+" => "+quotedPath(clone)+"\n")
		})
	}
	flags, err := l.moduleFlags(filepath.Join(l.Name, "skeleton"), t.TempDir(), clone)
	require.NoError(t, err)
	require.Len(t, flags, 1, "a folder of the clone keeps its go.mod")
	assert.Contains(t, flags[0], "-overlay=")
	_, err = l.moduleFlags(".", t.TempDir(), t.TempDir())
	assert.ErrorContains(t, err, "is not a clone")
}

// A file that is not a program is reported as such at once.
func TestNoProgram(t *testing.T) {
	l, err := Find("17")
	require.NoError(t, err)
	long := string(make([]byte, mostSource+1))
	for name, c := range map[string]struct{ file, text, want string }{
		"nothing":     {"README.md", "", "no Go file and no script"},
		"library":     {"main.go", "package lib\n", "its package is a library"},
		"test":        {"x_test.go", "package main\n", "no non-test Go files"},
		"long":        {"main.go", long, "are enough for an exercise"},
		"long script": {"x.mpio", long, "are enough for an exercise"},
		"no script":   {"x.mpio", "\x00", "line 1"},
		"no text":     {"main.go", "\xff\xfe", "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, filepath.Join(dir, c.file), c.text)
			m, err := l.Mark(t.Context(), dir, Limits{})
			if err != nil {
				m = l.Unmarked(err)
			}
			assert.Equal(t, Unmarked, m.Verdict)
			assert.Contains(t, m.Findings[0].Text, c.want)
		})
	}
	_, err = submittedScript(os.DevNull)
	assert.Error(t, err)
	dir := t.TempDir()
	if os.Symlink(os.DevNull, filepath.Join(dir, "main.go")) == nil {
		_, err = submittedScript(dir)
		assert.ErrorContains(t, err, "is not a regular file")
	}
}

// A submission that keeps the compiler busy does not keep the teacher waiting.
func TestBuildTime(t *testing.T) {
	l, err := Find("1")
	require.NoError(t, err)
	m, err := l.Mark(t.Context(), filepath.Join(l.Name, "skeleton"), Limits{Build: time.Nanosecond})
	require.NoError(t, err)
	assert.Equal(t, Unmarked, m.Verdict)
	assert.Contains(t, m.Findings[0].Text, "was ended after 1ns")
}

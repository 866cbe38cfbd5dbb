package main

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/teach/course"
	"github.com/commworld/commworld/teach/exercise"
)

// classOf writes a class with submissions of lesson 17: scripts, which are marked quickly.
func classOf(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	e, err := exercise.Find("17")
	require.NoError(t, err)
	var wrong bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"course", "show", "17", "--wrong", "script-barrier-only"}, &wrong, &wrong))
	for name, text := range map[string]string{
		"ada/lesson17/17.mpio": e.Solution, "ada/lesson16/x.mpio": "ranks", "bob/17.mpio": wrong.String(),
		"=cmd|'calc'!A1/17.mpio": e.Solution, "dan.mpio": e.Solution, "eve/readme.txt": "nothing", "notes.txt": "of the teacher",
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o700))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
	}
	return dir
}

// TestCourseMarkAll: a class gets one line for each student, also for those whose submission is
// missing, and no cell of the table is a formula.
func TestCourseMarkAll(t *testing.T) {
	dir, file := classOf(t), filepath.Join(t.TempDir(), "class.csv")
	var out, errs bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"course", "mark", "17", dir, "--all", "--points", "2.5", "--csv", file}, &out, &errs), errs.String())
	assert.Contains(t, out.String(), "5 submissions: 3 right, 1 wrong, 1 not marked")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	got := map[string]string{}
	for _, l := range lines[1:] {
		got[l[0]] = strings.Join(l[2:5], " ")
	}
	assert.Equal(t, map[string]string{"'=cmd|'calc'!A1": "right 2.5 2.5", "ada": "right 2.5 2.5", "bob": "wrong 0 2.5", "dan": "right 2.5 2.5", "eve": "not marked 0 2.5"}, got)
	assert.Equal(t, "student", lines[0][0])
	for _, args := range [][]string{
		{dir, "--csv", file},
		{dir, "--all", "--json"},
		{dir, "--all", "--results", "gradescope"},
		{dir, "--all", "--points", "-1"},
		{dir, "--all", "--points", "NaN"},
		{t.TempDir(), "--all"},
		{filepath.Join(dir, "none"), "--all"},
		{dir, "--results", "classroom", "--json"},
	} {
		assert.Equal(t, exitUsage, run(t.Context(), append([]string{"course", "mark", "17"}, args...), &out, &errs), args)
	}
}

// If this fails, a teacher does not see the reason that a student gives for a mistake, which is
// for the teacher to judge.
func TestCourseReason(t *testing.T) {
	m := &course.Marking{Lesson: "18-atomic", Verdict: course.Right, Summary: "Right.", Runs: 3, Reason: "two calls\nare two accesses"}
	var out bytes.Buffer
	require.NoError(t, printMarking(&out, m))
	assert.Contains(t, out.String(), "reason given, for the teacher to judge:\n  two calls\n  are two accesses\n")
	out.Reset()
	code, err := (&formatFlags{Format: "json"}).printMark(&out, "course mark", "x", m)
	require.NoError(t, err)
	assert.Zero(t, code)
	assert.Contains(t, out.String(), `"reason":"two calls\nare two accesses"`)
	out.Reset()
	require.NoError(t, (&courseMark{}).writeCSV(&out, []graded{{student: "ada", marking: m}}))
	lines, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, m.Reason, lines[1][len(lines[1])-1])
}

// TestCourseResults: the results have the fields of Gradescope's specification of results.json, and of
// what the reporter of GitHub Classroom decodes.
func TestCourseResults(t *testing.T) {
	dir := classOf(t)
	for name, want := range map[string]struct {
		code                int
		gradescope, classes string
		score               float64
	}{"dan.mpio": {0, "passed", "pass", 4}, "bob": {1, "failed", "fail", 0}, "eve": {2, "failed", "error", 0}} {
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"course", "mark", "17", filepath.Join(dir, name), "--points", "4", "--results", "gradescope"}, &out, &errs)
		assert.Equal(t, want.code, code, errs.String())
		var g struct {
			Output string  `json:"output"`
			Time   float64 `json:"execution_time"`
			Tests  []struct {
				Score, Max_score     float64
				Name, Output, Status string
			} `json:"tests"`
		}
		d := json.NewDecoder(&out)
		d.DisallowUnknownFields() // each field is one of the specification
		require.NoError(t, d.Decode(&g))
		require.Len(t, g.Tests, 1)
		assert.Equal(t, want.score, g.Tests[0].Score)
		assert.Equal(t, 4.0, g.Tests[0].Max_score)
		assert.Equal(t, want.gradescope, g.Tests[0].Status)
		assert.NotEmpty(t, g.Tests[0].Output)

		out.Reset()
		code = run(t.Context(), []string{"course", "mark", "17", filepath.Join(dir, name), "--points", "4", "--results", "classroom"}, &out, &errs)
		assert.Equal(t, want.code, code)
		packed, ok := strings.CutPrefix(strings.TrimSpace(out.String()), "result=")
		require.True(t, ok)
		assert.NotContains(t, packed, "\n", "an output of a step is one line")
		text, err := base64.StdEncoding.DecodeString(packed)
		require.NoError(t, err)
		var c struct {
			Version   int
			Status    string
			Max_score float64
			Tests     []struct{ Name, Status, Message string }
		}
		require.NoError(t, json.Unmarshal(text, &c))
		assert.Equal(t, 1, c.Version)
		assert.Equal(t, 4.0, c.Max_score)
		require.Len(t, c.Tests, 1, "the reporter gives the share of tests that pass")
		assert.Equal(t, want.classes, c.Tests[0].Status)
		assert.Equal(t, want.classes, c.Status)
		assert.Equal(t, want.code != 0, c.Tests[0].Message != "")
	}
}

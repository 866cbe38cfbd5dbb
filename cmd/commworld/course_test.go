package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/teach/course"
	"github.com/commworld/commworld/teach/exercise"
)

// If the exit status or the JSON of mark differed from the page for teachers, a class would
// be graded wrongly.
func TestCourseMark(t *testing.T) {
	lesson := "../../teach/course/17-missing-sync/"
	var names, text bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"course", "show", "17", "--wrong"}, &names, &names), names.String())
	assert.Contains(t, names.String(), "script-barrier-only\n")
	require.Zero(t, run(t.Context(), []string{"course", "show", "17", "--wrong", "script-barrier-only"}, &text, &text), text.String())
	wrong := filepath.Join(t.TempDir(), "17.mpio")
	require.NoError(t, os.WriteFile(wrong, text.Bytes(), 0o600))
	text.Reset()
	require.Zero(t, run(t.Context(), []string{"course", "show", "17", "--script"}, &text, &text), text.String())
	start, solution := filepath.Join(t.TempDir(), "17.mpio"), filepath.Join(t.TempDir(), "17.mpio")
	require.NoError(t, os.WriteFile(start, text.Bytes(), 0o600))
	e, err := exercise.Find("17")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(solution, []byte(e.Solution), 0o600))
	for _, args := range [][]string{{"17", "sleeps"}, {"17", "--wrong", "no-such"}, {"17", "--wrong", "--script"}} {
		assert.Equal(t, exitUsage, run(t.Context(), append([]string{"course", "show"}, args...), io.Discard, io.Discard), args)
	}
	for dir, want := range map[string]struct {
		code    int
		verdict course.Verdict
	}{
		solution:                           {0, course.Right},
		start:                              {1, course.Wrong},
		wrong:                              {1, course.Wrong},
		filepath.Join(t.TempDir(), "none"): {2, course.Unmarked},
		t.TempDir():                        {2, course.Unmarked},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"course", "mark", "17", dir, "--json"}, &out, &errs)
		assert.Equal(t, want.code, code, "%s %s", dir, errs.String())
		var m course.Marking
		require.NoError(t, json.Unmarshal(out.Bytes(), &m), "%s: %s", dir, out.String())
		assert.Equal(t, want.verdict, m.Verdict, dir)
		assert.Equal(t, want.code != 0, len(m.Findings) > 0, dir)
	}
	for _, args := range [][]string{{"99", lesson + "solution"}, {"17", lesson + "solution", "--clone", t.TempDir()}, {"17", lesson + "solution", "--memory", "x"}} {
		var out, errs bytes.Buffer
		assert.Equal(t, exitUsage, run(t.Context(), append([]string{"course", "mark"}, args...), &out, &errs), args)
		assert.NotEmpty(t, errs.String(), args)
	}
}

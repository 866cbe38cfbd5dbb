package exercise

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// If this fails, a lesson has no exercise of its own, or its marker is wrong: a right script is
// refused, or a typical wrong one is not recognised.
func TestExercises(t *testing.T) {
	all := All()
	require.Len(t, all, 24)
	for _, e := range all {
		t.Run(e.Lesson, func(t *testing.T) {
			t.Parallel()
			assert.NotEmpty(t, e.Task)
			s, err := script.Parse(e.Solution)
			require.NoError(t, err)
			rep, err := script.Explore(t.Context(), s, script.Options{})
			require.NoError(t, err)
			assert.True(t, rep.OK() && rep.Complete, "the expectations of the solution: %+v", rep.Unmet)

			m := marked(t, e, e.Solution)
			assert.Equal(t, Right, m.Verdict, "%+v", m)
			m = marked(t, e, e.Start)
			assert.Equal(t, Wrong, m.Verdict, "the script to complete")
			assert.GreaterOrEqual(t, len(e.Mistakes()), 3)
			for _, name := range e.Mistakes() {
				text, sentence, ok := e.Mistake(name)
				require.True(t, ok)
				m := marked(t, e, text)
				assert.Equal(t, Wrong, m.Verdict, "%s:\n%s", name, text)
				assert.Equal(t, sentence, m.Summary, "%s: %+v", name, m.Findings)
				assert.NotEmpty(t, m.Findings, name)
			}
		})
	}
}

func marked(t *testing.T, e *Exercise, text string) *Marking {
	t.Helper()
	m, err := e.Mark(t.Context(), text)
	require.NoError(t, err)
	return m
}

// A question has at least three answers with a sentence each; one is right.
func TestQuestions(t *testing.T) {
	for _, e := range All() {
		q := e.Question
		assert.Contains(t, q.Text, "?", e.Lesson)
		assert.GreaterOrEqual(t, len(q.Answers), 3, e.Lesson)
		right := 0
		for _, a := range q.Answers {
			assert.True(t, strings.HasSuffix(a.Remark, "."), "%s: %s", e.Lesson, a.Remark)
			if a.Right {
				right++
			}
		}
		assert.Equal(t, 1, right, e.Lesson)
	}
}

// A submission that has the right bytes in another way than the task asks for gets the condition.
func TestConditionsOfTwoPhase(t *testing.T) {
	e, err := Find("16")
	require.NoError(t, err)
	const head = "ranks 4\nall:\n  open h f wronly|create "
	for name, c := range map[string]struct{ text, want string }{
		"two ranks write alone": {
			head + "\n0:\n  write_at h 0 int 0 1 2 3\n1:\n  write_at h 16 int 10 11 12 13\nall:\n  close h\n", "collective call",
		},
		"one aggregator, twice": {
			head + "cb_nodes=1 romio_cb_write=enable\n  view h r*4 int resized(int,0,n*4) native\n  write_all h int r\n  write_all h int {r+10}\n  close h\n", "one collective call",
		},
	} {
		m := marked(t, e, c.text)
		assert.Equal(t, Wrong, m.Verdict, name)
		require.NotEmpty(t, m.Findings, name)
		assert.Contains(t, m.Findings[0].Text, c.want, name)
	}
}

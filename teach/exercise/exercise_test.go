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

// exchange is a script for lesson 21 with these messages of the ranks.
func exchange(zero, one string) string {
	return "ranks 2\nall:\n  open h ring wronly|create\n0:\n  " + zero + "\n  write_at_all h 0 int\n1:\n  " + one + "\n  write_at_all h 0 int 10\nall:\n  close h\n"
}

// Each rank writes its own bytes, whatever calls the others make without items; a call without items writes
// nothing; and a program that ends when no send is buffered is safe.
func TestConditions(t *testing.T) {
	for _, c := range []struct{ name, lesson, text, want string }{
		{
			"rank 0 writes all, rank 1 nothing", "05",
			"ranks 2\nall:\n  open h f rdwr\n  view h 4 char char native\n0:\n  write_at_all h 0 char \"aaAAbbBBccCC\"\n1:\n  write_at_all h 0 char\nall:\n  close h\n",
			"here a rank writes nothing",
		},
		{
			"rank 0 writes all but one letter", "05",
			"ranks 2\nall:\n  open h f rdwr\n  view h 4 char char native\n0:\n  write_at_all h 0 char \"aaAAbbBBccC\"\n1:\n  write_at_all h 11 char \"C\"\nall:\n  close h\n",
			"bytes of another",
		},
		{
			"the reader takes part in the write", "17",
			"ranks 2\nfile f = 00*4\nall:\n  open h f rdwr\n  view h 0 int int native\n0:\n  write_at_all h 0 int 5\n1:\n  write_at_all h 0 int\nall:\n  sync h\n  barrier\n  sync h\n1:\n  read_at h 0 int*1 -> x\nall:\n  close h\n",
			"",
		},
		{"send in the safe order", "21", exchange("send 1 7 int 10\n  recv 1 7 int*1 -> x", "recv 0 7 int*1 -> x\n  send 0 7 int 20"), ""},
		{
			"isend first, wait last", "21",
			exchange("isend 1 7 int 10 as q\n  recv 1 7 int*1 -> x\n  wait q", "isend 0 7 int 20 as q\n  recv 0 7 int*1 -> x\n  wait q"), "",
		},
		{
			"isend and wait first", "21",
			exchange("isend 1 7 int 10 as q\n  wait q\n  recv 1 7 int*1 -> x", "isend 0 7 int 20 as q\n  wait q\n  recv 0 7 int*1 -> x"), "waits in",
		},
	} {
		e, err := Find(c.lesson)
		require.NoError(t, err)
		m := marked(t, e, c.text)
		if c.want == "" {
			assert.Equal(t, Right, m.Verdict, "%s: %+v", c.name, m)
			continue
		}
		assert.Equal(t, Wrong, m.Verdict, c.name)
		require.NotEmpty(t, m.Findings, c.name)
		assert.Contains(t, m.Findings[0].Text, c.want, c.name)
	}
}

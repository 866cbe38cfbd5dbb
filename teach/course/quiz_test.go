package course_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/course"
)

// quizzes lists the names of all quizzes.
func quizzes(t testing.TB) []string {
	var all []string
	lit, err := fs.Glob(consistency.Litmus(), "*.mpio")
	require.NoError(t, err)
	for _, name := range lit {
		all = append(all, strings.TrimSuffix(name, ".mpio"))
	}
	twins, err := fs.Glob(consistency.Twins(), "*-racy.mpio")
	require.NoError(t, err)
	for _, name := range twins {
		all = append(all, strings.TrimSuffix(name, "-racy.mpio"))
	}
	require.Greater(t, len(all), 120)
	return all
}

// The full answer to each quiz is right. Without its last outcome, or with the opposite
// verdict about races, it is wrong. An empty text is not an answer.
func TestQuizAnswers(t *testing.T) {
	for _, name := range quizzes(t) {
		t.Run(name, func(t *testing.T) {
			q, err := course.NewQuiz(name)
			require.NoError(t, err)
			text, err := q.Text(t.Context())
			require.NoError(t, err)
			m, err := q.Mark(t.Context(), text)
			require.NoError(t, err)
			assert.Equal(t, course.Unmarked, m.Verdict)

			rep, err := script.Explore(t.Context(), q.Given, script.Options{})
			require.NoError(t, err)
			race, contrary, ends := "norace\n", "race\n", []string{}
			if len(rep.Races) > 0 {
				race, contrary = contrary, race
			}
			for i := range rep.Outcomes {
				ends = append(ends, rep.Outcomes[i].Ending.AsAllowed())
			}
			more := ""
			for _, f := range rep.Failures {
				more += failure(f)
			}
			if rep.Deadlock != nil {
				more += "deadlock\n"
			}
			allow := func(ends []string) string {
				if len(ends) == 0 {
					return ""
				}
				return "allow " + strings.Join(ends, " | ") + "\n"
			}
			for answer, want := range map[string]course.Verdict{
				race + more + allow(ends):     course.Right,
				contrary + more + allow(ends): course.Wrong,
				race:                          course.Wrong,
				more + allow(ends):            course.Wrong,
			} {
				m, err := q.Mark(t.Context(), text+answer)
				require.NoError(t, err)
				assert.Equal(t, want, m.Verdict, "%s\n%+v", answer, m.Findings)
			}
			if len(ends) > 1 && name != "test-is-no-wait" { // its two ends differ only in the result of a test, which the quiz does not ask for
				m, err := q.Mark(t.Context(), text+race+more+allow(ends[1:]))
				require.NoError(t, err)
				assert.Equal(t, course.Wrong, m.Verdict)
				require.NotEmpty(t, m.Findings)
				assert.NotContains(t, m.Findings[len(m.Findings)-1].Text, ends[0], "the finding gives the answer away")
			}
		})
	}
}

func failure(f *script.Failure) string {
	return script.Expectation{Kind: script.Error, Class: f.Class(), Rank: f.Rank, At: f.Stmt.Line}.String() + "\n"
}

// The corrected program of each mistake repairs it, and the script as given does not.
func TestQuizRepairs(t *testing.T) {
	twins, err := fs.Glob(consistency.Twins(), "*-clean.mpio")
	require.NoError(t, err)
	for _, name := range twins {
		t.Run(name, func(t *testing.T) {
			q, err := course.NewQuiz(name)
			require.NoError(t, err)
			clean, err := fs.ReadFile(consistency.Twins(), name)
			require.NoError(t, err)
			m, err := q.Mark(t.Context(), string(clean))
			require.NoError(t, err)
			assert.Equal(t, course.Right, m.Verdict, "%+v", m.Findings)
		})
	}
}

// A wrong submission, honest or not, gets the finding that names its mistake.
func TestQuizWrong(t *testing.T) {
	const head = "ranks 2\nfile f = 00*4\nall: open h f rdwr\n     view h 0 int int native\n"
	for _, c := range []struct{ name, text, kind, finding string }{
		{"not a script", "ranks 2\nall: opne h f rdwr\n", course.KindBuild, "opne"},
		{"nothing", "", course.KindBuild, ""},
		{"binary", "\x00\xff\x1b[2J", course.KindBuild, ""},
		{"one sync only", head + "0: write_at h 0 int 5\nall: sync h\n     barrier\n1: read_at h 0 int*1 -> x\nall: close h\n", "race", "race"},
		{"the read before the write", head + "1: read_at h 0 int*1 -> x\nall: sync h\n     barrier\n     sync h\n0: write_at h 0 int 5\nall: close h\n", course.KindOutcome, "1:x = 0"},
		{"a message in place of the read", head + "0: write_at h 0 int 5\n   send 1 0 int 5\n1: recv 0 0 int*1 -> x\nall: close h\n", course.KindRequests, "1:x"},
		{"no write", "ranks 2\nfile f = 05 00*3\nall: open h f rdwr\n     view h 0 int int native\n1: read_at h 0 int*1 -> x\nall: close h\n", course.KindWorld, "files"},
		{"another world", "ranks 3\nfile f = 00*4\n", course.KindWorld, "ranks"},
		{"sync on one rank", head + "0: write_at h 0 int 5\n   sync h\nall: barrier\n1: sync h\n   read_at h 0 int*1 -> x\nall: close h\n", "deadlock", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := course.NewQuiz("barrier-only")
			require.NoError(t, err)
			m, err := q.Mark(t.Context(), c.text)
			require.NoError(t, err)
			assert.NotEqual(t, course.Right, m.Verdict)
			require.NotEmpty(t, m.Findings)
			assert.Equal(t, c.kind, m.Findings[0].Kind, "%+v", m.Findings)
			assert.Contains(t, m.Findings[0].Text, c.finding)
		})
	}
	for _, name := range []string{"lit-99", "", "../x", "-racy"} {
		_, err := course.NewQuiz(name)
		assert.ErrorContains(t, err, "there is no test", name)
	}
}

package script_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

// twin is one half of a pair.
func twin(t *testing.T, name string) (s *script.Script, text string) {
	t.Helper()
	bs, err := fs.ReadFile(consistency.Twins(), name)
	require.NoError(t, err)
	s, err = script.Parse(string(bs))
	require.NoError(t, err, name)
	s.Name = name
	return s, string(bs)
}

// pairs are the names that the twins have in common.
func pairs(t *testing.T) []string {
	t.Helper()
	all, err := fs.Glob(consistency.Twins(), "*-racy.mpio")
	require.NoError(t, err)
	clean, err := fs.Glob(consistency.Twins(), "*-clean.mpio")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	require.Len(t, clean, len(all))
	for i, name := range all {
		all[i] = strings.TrimSuffix(name, "-racy.mpio")
	}
	return all
}

// TestTwins: if a pair fails, a common mistake is not found, is reported with a wrong line
// or a wrong missing call, or a right program is called wrong.
func TestTwins(t *testing.T) {
	for _, name := range pairs(t) {
		racy, racyText := twin(t, name+"-racy.mpio")
		clean, cleanText := twin(t, name+"-clean.mpio")
		rule, _, _ := strings.Cut(strings.TrimPrefix(racyText, "# "), " ")
		t.Run(rule+" "+name, func(t *testing.T) {
			oneEdit(t, racyText, cleanText)
			rep, err := script.Explore(t.Context(), racy, script.Options{})
			require.NoError(t, err)
			assert.True(t, rep.Complete)
			assert.Empty(t, rep.Unmet) // the race that the script expects, and no other
			shownAgain(t, rep)

			rep, err = script.Explore(t.Context(), clean, script.Options{})
			require.NoError(t, err)
			assert.True(t, rep.Complete)
			assert.Empty(t, rep.Unmet)
			assert.Empty(t, rep.Races)
			ways := allowed(clean)
			assert.Len(t, rep.Outcomes, ways)
			assert.True(t, ways == 1 || strings.Contains(cleanText, "atomic h on"), "only atomic accesses may come in any order")
			for _, o := range rep.Outcomes {
				assert.True(t, o.Allowed)
			}
			shownAgain(t, rep)
			for seed, m := range []consistency.Model{
				consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX, consistency.Chaos(1), consistency.Chaos(2),
			} {
				o := script.Options{Seed: uint64(seed), Model: m}
				rep, err := script.Run(t.Context(), clean, o)
				require.NoError(t, err)
				assert.Empty(t, rep.Unmet, "%v", m)
				rep, err = script.Run(t.Context(), racy, o)
				require.NoError(t, err)
				for _, u := range rep.Unmet { // a race that this schedule does not have
					assert.Contains(t, []string{"no race was found", "no such race was found"}, u.Text, "%v", m)
				}
			}
		})
	}
}

// shownAgain checks that each witness shows its outcome again.
func shownAgain(t *testing.T, rep *script.Report) {
	t.Helper()
	for _, o := range rep.Outcomes {
		again, err := script.Run(t.Context(), rep.Script, script.Options{Replay: o.Witness})
		if assert.NoError(t, err) && assert.Len(t, again.Outcomes, 1) {
			assert.Equal(t, o.String(), again.Outcomes[0].String(), o.Witness)
		}
	}
}

// allowed is how many outcomes a script allows.
func allowed(s *script.Script) (n int) {
	for _, e := range s.Expect {
		n += len(e.Outcomes)
	}
	return n
}

// oneEdit checks that twins differ in one place only, by a few lines: sync, barrier, sync,
// or one line that moves to another place.
func oneEdit(t *testing.T, racy, clean string) {
	t.Helper()
	a, b := body(racy), body(clean)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	assert.NotEmpty(t, append(slices.Clone(a), b...))
	assert.LessOrEqual(t, max(len(a), len(b)), 5, "%q\n%q", a, b)
}

// body is a script without comments and expectations.
func body(text string) []string {
	var lines []string
	for l := range strings.Lines(text) {
		first, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		if !slices.Contains([]string{"", "#", "allow", "race", "norace"}, first) {
			lines = append(lines, strings.TrimSpace(l))
		}
	}
	return lines
}

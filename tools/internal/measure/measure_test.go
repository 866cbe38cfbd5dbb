package measure

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If rounds counted in which a library timed out, or figures of different rounds were
// compared, tables would show a wrong winner.
func TestFigures(t *testing.T) {
	nan := math.NaN()
	assert.True(t, math.IsNaN(Median(nil)))
	assert.Equal(t, 2.0, Median([]float64{3, 1, 2}))
	assert.Equal(t, 2.5, Median([]float64{4, 1, 2, 3}))
	assert.Equal(t, 2.0, Ratio([]float64{2, 40, 600}, []float64{1, 20, 100}))
	assert.Equal(t, 3.0, Ratio([]float64{3, 4, 5}, []float64{1}), "the rounds of both")
	assert.True(t, math.IsNaN(Ratio(nil, []float64{1})))
	for want, m := range map[string]float64{"-": nan, "0.23": 0.234, "9.99": 9.99, "13.9": 13.94, "101": 101.4} {
		assert.Equal(t, want, Short(m))
	}
	assert.Equal(t, []string{"", ">= 2", ">= 2 !", ">= 2", "<= 2 !"}, []string{Goal(0, 1), Goal(2, 2), Goal(2, 1), Goal(2, nan), Limit(2, 3)})
	s := Sides{"a": {3, 3}, "b": {2, 9}, "c": nil}
	assert.Equal(t, "a", s.Better("a", "b", "c"))
	assert.Empty(t, s.Better("c", "d"))
}

// If a side's figure were assigned to another row or round, ratios would mean nothing.
func TestTake(t *testing.T) {
	turn := 0
	side := func(name string) Side[int] {
		return Side[int]{name, func(rows []int, note func(int, float64)) error {
			turn++
			for _, r := range rows {
				if r > 1 || name == "a" {
					note(r, float64(100*r+turn))
				}
			}
			return nil
		}}
	}
	figs, err := Take(2, []int{1, 2}, side("a"), side("b"))
	require.NoError(t, err)
	assert.Equal(t, Figures[int]{1: {"a": {101, 103}}, 2: {"a": {201, 203}, "b": {202, 204}}}, figs)
	_, err = Take(2, []int{1}, Side[int]{"c", func([]int, func(int, float64)) error { return errors.New("no") }})
	assert.Error(t, err)
}

func TestStep(t *testing.T) {
	var all []int
	one, err := Step(4, func(n int) (float64, error) { all = append(all, n); return float64(n) / 4, nil }, Alone)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2, 4, 4, 4, 4}, all)
	assert.Equal(t, 0.25, one)
}

// If a wrong command line measured nothing and printed no error, that would look like a
// result.
func TestRun(t *testing.T) {
	ran := 0
	c := &Command{Name: "c", Rounds: 2, Files: true, Rows: func() []string { return []string{"a of 2^3", "b"} }, Run: func(s *Session) error {
		assert.DirExists(t, s.Dir)
		ran += s.Rounds
		return nil
	}}
	run := func(args ...string) (string, error) {
		var out strings.Builder
		err := Run([]*Command{c}, args, &out)
		return out.String(), err
	}
	out, err := run()
	assert.NoError(t, err)
	assert.Contains(t, out, "bench COMMAND")
	for _, args := range [][]string{{"d"}, {"c", "-rounds"}, {"c", "-rounds", "0"}, {"c", "no such row"}, {"c", "("}, {"c", "-dir", "/no/such"}} {
		_, err := run(args...)
		assert.Error(t, err, args)
	}
	out, err = run("c", "-list", "2^3")
	assert.NoError(t, err)
	assert.Equal(t, "a of 2^3\n", out)
	assert.Zero(t, ran)
	out, err = run("c", "-dir", t.TempDir(), "-rounds", "7", "^b")
	assert.NoError(t, err)
	assert.Contains(t, out, "load average")
	assert.Equal(t, 7, ran)
}

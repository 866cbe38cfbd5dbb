package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/testkit/spec"
)

// stream is go test -json of outcomes in package p of this module.
func stream(tests ...outcome) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, o := range tests {
		pkg := module + "p"
		if o.output != "" {
			_ = enc.Encode(event{Action: "output", Package: pkg, Test: o.test, Output: o.output})
		}
		_ = enc.Encode(event{Action: o.action, Package: pkg, Test: o.test})
	}
	return b.Bytes()
}

func coverageOf(t *testing.T, tests ...outcome) (coverage, []string) {
	t.Helper()
	read, _, err := outcomes(bytes.NewReader(stream(tests...)), new(bytes.Buffer))
	assert.NoError(t, err)
	return cover(read)
}

// If a rule counted as covered by a test that did nothing, the table would
// promise what no one has checked.
func TestCover(t *testing.T) {
	c, unknown := coverageOf(t,
		outcome{test: "TestA/IO-OPEN-01_IO-OPEN-02_both", action: "pass"},
		outcome{test: "TestA/IO-OPEN-03_failed", action: "fail"},
		outcome{test: "TestPeersA/IO-OPEN-08", action: "pass"},
		outcome{test: "TestA/IO-OPEN-04_skipped", action: "skip"},
		outcome{test: "TestA/IO-OPEN-05_gap", action: "skip", output: "    x.go:1: gap IO-OPEN-05: not yet\n"},
		outcome{test: "TestA/IO-OPEN-06_parent/child", action: "skip"},
		outcome{test: "TestA/IO-OPEN-06_parent", action: "pass"},
		outcome{test: "TestA/IO-OPEN-07_parent/child", action: "pass"},
		outcome{test: "TestA/IO-OPEN-07_parent", action: "pass"},
		outcome{test: "TestA/group/IO-OPEN-08", action: "pass"},
		outcome{test: "TestA/group", action: "pass"},
		outcome{test: "TestA/IO-OPEN-99_typo", action: "pass"},
		outcome{test: "TestA", action: "pass"},
	)
	assert.Equal(t, map[string][]string{
		"IO-OPEN-01": {"p/TestA/IO-OPEN-01_IO-OPEN-02_both"},
		"IO-OPEN-02": {"p/TestA/IO-OPEN-01_IO-OPEN-02_both"},
		"IO-OPEN-07": {"p/TestA/IO-OPEN-07_parent"},
		"IO-OPEN-08": {"p/TestA/group/IO-OPEN-08"},
	}, c.tests)
	assert.Equal(t, map[string][]string{"IO-OPEN-05": {"not yet"}}, c.gaps)
	assert.Equal(t, []string{"IO-OPEN-99 is not an id that internal/testkit/spec/ids.txt knows, but names p/TestA/IO-OPEN-99_typo"}, unknown)
}

// If mistakes between tests and tables were not found, a rule could stay
// untested for good, or stay listed as a gap after it was built.
func TestMistakes(t *testing.T) {
	rules := []spec.Rule{
		{ID: "IO-OPEN-01", Title: "covered"},
		{ID: "IO-OPEN-02", Title: "forgotten"},
		{ID: "RMA-01", Title: "listed, yet covered"},
		{ID: "SPAWN-01", Title: "listed"},
		{ID: "IO-OPEN-03", Title: "skipped, yet covered"},
	}
	c := coverage{
		tests: map[string][]string{"IO-OPEN-01": {"p/A"}, "RMA-01": {"p/B"}, "IO-OPEN-03": {"p/C"}},
		gaps:  map[string][]string{"IO-OPEN-03": {"later"}},
	}
	assert.Equal(t, []string{
		"IO-OPEN-02 has neither a test nor a reason in internal/testkit/spec/gaps.txt: forgotten",
		"RMA-01 is in internal/testkit/spec/gaps.txt, but p/B covers it",
		"IO-OPEN-03 is skipped as a gap (later), but p/C covers it",
	}, c.mistakes(rules))
}

// If the table depended on the order of tests, CI would fail by chance.
func TestDeterministic(t *testing.T) {
	var tests []outcome
	for _, r := range spec.Rules()[:40] {
		for _, test := range []string{"TestA/", "TestB/", "TestC/"} {
			tests = append(tests, outcome{test: test + r.ID, action: "pass"})
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		rng.Shuffle(len(tests), func(i, j int) { tests[i], tests[j] = tests[j], tests[i] })
		c, _ := coverageOf(t, tests...)
		return markdown(spec.Rules(), c)
	}
	first := text()
	assert.Contains(t, first, "**40 of ")
	assert.Contains(t, first, "`p/TestA/GEN-01`, `p/TestB/GEN-01` and others")
	for range 5 {
		assert.Equal(t, first, text())
	}
}

// If the check did not notice a false row, the committed table would promise what no test
// shows; if it compared text, each new test would make it fail.
func TestCheck(t *testing.T) {
	rules := []spec.Rule{{ID: "IO-OPEN-01", Title: "a"}, {ID: "IO-OPEN-02", Title: "b"}, {ID: "IO-OPEN-03", Title: "new"}}
	name := filepath.Join(t.TempDir(), "C.md")
	covered := func(ids ...string) coverage {
		c := coverage{tests: map[string][]string{}}
		for _, id := range ids {
			c.tests[id] = []string{"p/TestA/" + id}
		}
		return c
	}
	assert.NoError(t, os.WriteFile(name, []byte(markdown(rules[:2], covered("IO-OPEN-01"))), 0o644))
	assert.NoError(t, compare(name, rules, covered("IO-OPEN-01", "IO-OPEN-03")))
	assert.ErrorContains(t, compare(name, rules, covered()), "IO-OPEN-01 is called covered and is a gap")
	assert.ErrorContains(t, compare(name, rules, covered("IO-OPEN-01", "IO-OPEN-02")), "IO-OPEN-02 is called a gap and is covered by p/TestA/IO-OPEN-02")
	assert.ErrorContains(t, compare(name, rules[1:], covered("IO-OPEN-01")), "IO-OPEN-01 is not a rule")
	rules[1].Chapter = "Size" // a row of the table of chapters is not one of a rule
	assert.NoError(t, os.WriteFile(name, []byte(markdown(rules[:2], covered("IO-OPEN-01"))), 0o644))
	assert.NoError(t, compare(name, rules, covered("IO-OPEN-01")))
	assert.ErrorIs(t, compare(name+"x", rules, covered()), os.ErrNotExist)
	assert.NoError(t, os.WriteFile(name, []byte("# Conformance\n"), 0o644))
	assert.ErrorContains(t, compare(name, rules, covered()), "has no rows")
}

// If the results were swallowed, a failure in CI could not be understood.
func TestPrintsLikeGoTest(t *testing.T) {
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, e := range []event{
		{Action: "build-output", ImportPath: "x", Output: "x.go:1: no\n"},
		{Action: "output", Package: "q", Test: "TestGood", Output: "quiet\n"},
		{Action: "pass", Package: "q", Test: "TestGood"},
		{Action: "output", Package: "q", Test: "TestBad", Output: "loud\n"},
		{Action: "fail", Package: "q", Test: "TestBad"},
		{Action: "output", Package: "q", Output: "PASS\n"},
		{Action: "output", Package: "q", Output: "ok  \tq\t0.1s\n"},
		{Action: "fail", Package: "q"},
	} {
		_ = enc.Encode(e)
	}
	in.WriteString("go: plain words\n")
	var out strings.Builder
	tests, failed, err := outcomes(&in, &out)
	assert.NoError(t, err)
	assert.Len(t, tests, 2)
	assert.Equal(t, []string{"q"}, failed)
	assert.Equal(t, "x.go:1: no\nloud\nok  \tq\t0.1s\ngo: plain words\n", out.String())
}

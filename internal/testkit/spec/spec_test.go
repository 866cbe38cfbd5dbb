package spec

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If the tables could not be read, no test would say what it covers and the
// conformance report would be empty while looking fine.
func TestTables(t *testing.T) {
	rules, err := parseRules(idsText)
	assert.NoError(t, err)
	assert.Greater(t, len(rules), 500)
	_, err = parseGaps(gapsText, rules)
	assert.NoError(t, err)
}

// If the reader let mistakes pass, a rule could vanish by a slip of the pen.
func TestMistakesInTables(t *testing.T) {
	for _, c := range []struct{ name, ids, gaps, want string }{
		{"no id", "== A\nio-open a title", "", `ids.txt:2: "io-open" is not an id`},
		{"no number", "== A\nIO a title", "", `ids.txt:2: "IO" is not an id`},
		{"no title", "== A\nIO-OPEN-01", "", "ids.txt:2: IO-OPEN-01 has no title"},
		{"no chapter", "IO-OPEN-01 a title", "", "ids.txt:1: IO-OPEN-01 comes before the first chapter"},
		{"twice", "== A\nIO-A-1 a\nIO-A-1 b", "", "ids.txt:3: IO-A-1 appears twice"},
		{"no reason", "== A\nIO-A-1 a", "IO-A-1 |", "gaps.txt:1: no reason"},
		{"matches nothing", "== A\nIO-A-1 a", "# x\nIO-B-* | later", "gaps.txt:2: IO-B-* matches no id"},
		{"bad pattern", "== A\nIO-A-1 a", "IO-[ | later", "gaps.txt:1: IO-[ matches no id"},
		{"two reasons", "== A\nIO-A-1 a", "IO-A-1 | x\nIO-* | y", "gaps.txt:2: IO-* matches IO-A-1, which IO-A-1 already does"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, err := parseRules(c.ids)
			if err == nil {
				_, err = parseGaps(c.gaps, rules)
			}
			assert.EqualError(t, err, c.want)
		})
	}
}

// If ids were not found in a test's name, the rule would count as untested;
// if other words were taken for ids, it would count as tested by accident.
func TestIDs(t *testing.T) {
	for name, want := range map[string][]string{
		"IO-OPEN-01 a title":           {"IO-OPEN-01"},
		"IO-OPEN-01_a_title":           {"IO-OPEN-01"},
		"DT-VEC-01_DT-HVEC-01_vectors": {"DT-VEC-01", "DT-HVEC-01"},
		"EX-V4a hole":                  {"EX-V4a"},
		"IO-OPEN-01#02":                {"IO-OPEN-01"},
		"IO-OPEN-01: colon":            {"IO-OPEN-01"},
		"IO-NONE-99 unknown":           {"IO-NONE-99"},
		"UTF-8 text":                   nil,
		"two doubles of IO-OPEN-01":    nil,
		"IO-ordered":                   nil,
	} {
		assert.Equal(t, want, IDs(name), name)
	}
	assert.True(t, Known("IO-OPEN-01"))
	assert.False(t, Known("IO-NONE-99"))
}

// If gaps were not shown by go test -v, a reader would take silence for
// coverage.
func TestGaps(t *testing.T) {
	for _, r := range Rules() {
		if reason, gap := Reason(r.ID); gap {
			t.Run(r.ID+" "+r.Title, func(t *testing.T) { t.Skipf("gap %s: %s", r.ID, reason) })
		}
	}
}

// If the list of wrong rows named a rule that does not exist, a reader could not look it up.
func TestAudited(t *testing.T) {
	all, err := Audited()
	assert.NoError(t, err)
	assert.NotEmpty(t, all)
	for _, text := range []string{"IO-NONE-99 x | y", "GEN-01 x | y\nGEN-01 x | y", "GEN-01 x", "GEN-01 | y"} {
		_, err := parseAudits(text)
		assert.ErrorContains(t, err, "audited.txt:", text)
	}
}

// If a rule had no section, a reader could not look it up.
func TestSections(t *testing.T) {
	rules := Rules()
	texts := 0
	for _, r := range rules {
		assert.NotEmpty(t, r.Section(), r.ID)
		if r.Text != "" {
			texts++
		}
	}
	assert.Greater(t, texts, 200)
	assert.ErrorContains(t, addTexts(rules[:1:1], "IO-NONE-99 x"), "IO-NONE-99 is not a rule")
}

// TestNoUnknownIDs: a rule that does not exist would be given to a user, or its test would cover none.
func TestNoUnknownIDs(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	parts := []string{"IO-VIEW-55", "IO-VIEW-1", "IO-TM-S", "IO-TM"} // what a user may type, or a part of an id
	found := 0
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testkit" || d.Name() != ".." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir // testkit has ids that are wrong on purpose
		case strings.HasSuffix(name, ".mpio"):
			text, err := os.ReadFile(name)
			for _, id := range IDs(string(text)) {
				found++
				assert.True(t, Known(id), "%s: ids.txt has no %s", name, id)
			}
			return err
		case !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var s scanner.Scanner
		file := token.NewFileSet().AddFile(name, -1, len(text))
		s.Init(file, text, nil, 0)
		for pos, tok, lit := s.Scan(); tok != token.EOF; pos, tok, lit = s.Scan() {
			value, err := strconv.Unquote(lit)
			if tok != token.STRING || err != nil {
				continue
			}
			for _, id := range IDs(value) {
				found++
				assert.True(t, Known(id) || slices.Contains(parts, id), "%v: ids.txt has no %s", file.Position(pos), id)
			}
		}
		return nil
	}))
	assert.NotZero(t, found)
}

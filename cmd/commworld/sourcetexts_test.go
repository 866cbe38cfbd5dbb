package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A statement is a row of docs/source-texts.md.
type statement struct {
	number, verdict, command, exit string
	shows                          []string
}

// statementsIn returns the rows of the page's tables of statements.
func statementsIn(page string) (all []statement) {
	row := regexp.MustCompile(`(?m)^\| (\d{3}-\d+) \| [^|]+ \| ([^|]+) \| ([^|]+) \| ([^|]*) \|(.*)\|$`)
	code := regexp.MustCompile("`([^`]+)`")
	for _, m := range row.FindAllStringSubmatch(page, -1) {
		s := statement{number: m[1], verdict: m[2], command: strings.Trim(m[3], "`"), exit: strings.TrimSpace(m[4])}
		for _, c := range code.FindAllStringSubmatch(m[5], -1) {
			s.shows = append(s.shows, c[1])
		}
		all = append(all, s)
	}
	return all
}

// If this fails, a statement of the source texts is not shown by the command that the page
// gives for it, or the page has lost a statement.
func TestSourceTexts(t *testing.T) {
	text, err := os.ReadFile("../../docs/source-texts.md")
	require.NoError(t, err)
	t.Chdir("../..")
	page := string(text)
	all := statementsIn(page)
	count := map[string]int{}
	verdict := regexp.MustCompile(`^(holds|in part: |decided otherwise|cannot be checked: )`)
	for _, s := range all {
		kind := verdict.FindString(s.verdict)
		count[s.number[:3]]++
		count[kind]++
		assert.Equal(t, fmt.Sprintf("%s-%d", s.number[:3], count[s.number[:3]]), s.number)
		t.Run(s.number, func(t *testing.T) {
			require.NotEmpty(t, kind, "no verdict: %s", s.verdict)
			if s.command == "none" {
				assert.Greater(t, len(s.verdict), len("cannot be checked: "), "no command, and no reason")
				assert.Contains(t, s.verdict, ":")
				assert.Empty(t, s.shows)
				return
			}
			require.NotEmpty(t, s.shows)
			want, err := strconv.Atoi(s.exit)
			require.NoError(t, err)
			line, ours := strings.CutPrefix(s.command, "commworld ")
			require.True(t, ours, s.command)
			var out, errs strings.Builder
			code := run(context.Background(), argumentsOf(line), &out, &errs)
			assert.Equal(t, want, code, "%s%s", &out, &errs)
			got := strings.Join(strings.Fields(out.String()+errs.String()), " ")
			for _, part := range s.shows {
				assert.Contains(t, " "+got+" ", part)
			}
		})
	}
	for of, want := range map[string]int{"000": 16, "001": 22, "002": 23, "003": 19, "004": 13} {
		assert.Equal(t, want, count[of], "statements of text %s", of)
	}
	sums := fmt.Sprintf("Of %d statements %d hold, ", len(all), count["holds"])
	if n := count["in part: "]; n > 0 {
		sums += fmt.Sprintf("%d hold in part, ", n)
	}
	sums += fmt.Sprintf("%d were decided otherwise, %d cannot be checked.", count["decided otherwise"], count["cannot be checked: "])
	assert.Contains(t, page, sums)
	scripts, err := filepath.Glob("examples/source-texts/*.mpio")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, path := range scripts {
		assert.Contains(t, page, filepath.Base(path), "no row uses this script")
	}
}

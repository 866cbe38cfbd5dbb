package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
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

// programs is the folder of the Go program that shows what no script can.
const programs = "examples/source-texts"

// commandOf runs a command of the page, and returns its exit status and output. The Go
// program was built as program.
func commandOf(t *testing.T, command, program string) (code int, output string) {
	if number, ok := strings.CutPrefix(command, "go run ./"+programs+" "); ok {
		cmd := exec.Command(program, number)
		out, err := cmd.CombinedOutput()
		require.NotNil(t, cmd.ProcessState, "%v", err)
		return cmd.ProcessState.ExitCode(), string(out)
	}
	line, ours := strings.CutPrefix(command, "commworld ")
	require.True(t, ours, command)
	var out, errs strings.Builder
	code = run(context.Background(), argumentsOf(line), &out, &errs)
	return code, out.String() + errs.String()
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
	program := filepath.Join(t.TempDir(), "source-texts.exe")
	built, err := exec.Command("go", "build", "-o", program, "./"+programs).CombinedOutput()
	require.NoError(t, err, "%s", built)
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
			code, output := commandOf(t, s.command, program)
			assert.Equal(t, want, code, output)
			got := strings.Join(strings.Fields(output), " ")
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

package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/teach/course"
	"github.com/commworld/commworld/teach/suite"
)

// A shown is a command line of a page, with the output that the page shows.
type shown struct {
	page, line, output string
}

// shownIn returns the commands of a page's fenced blocks that begin with "$ commworld ".
func shownIn(page, text string) (all []shown) {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case !fenced:
		case strings.HasPrefix(line, "$ commworld "):
			all = append(all, shown{page: page, line: strings.TrimPrefix(line, "$ commworld ")})
		case strings.HasPrefix(line, "$ "):
			all = append(all, shown{page: page}) // of another program: not run here
		case len(all) > 0:
			all[len(all)-1].output += line + "\n"
		}
		if strings.HasPrefix(line, "```") && !fenced {
			all = append(all, shown{page: page}) // the following lines belong to no command
		}
	}
	return all
}

var word = regexp.MustCompile(`"([^"]*)"|(\S+)`)

// argumentsOf cuts a command line as every shell does that knows double quotes.
func argumentsOf(line string) (args []string) {
	for _, m := range word.FindAllStringSubmatch(line, -1) {
		args = append(args, m[1]+m[2])
	}
	return args
}

// matches compares an output with the output that a page shows. A line "..." of the page
// represents any number of lines.
func matches(want, got string) bool {
	want, got = strings.TrimSpace(want)+"\n", strings.TrimSpace(got)+"\n"
	parts := strings.Split(regexp.QuoteMeta(want), `\.\.\.`+"\n")
	return regexp.MustCompile(`^`+strings.Join(parts, `(?s:.*\n)`)+`$`).MatchString(got) || want == got
}

// If a page showed another output than the command prints, a newcomer would not trust the
// rest of the page.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	lessons, err := filepath.Glob("../../teach/course/*/lesson.md")
	require.NoError(t, err)
	pages = append(pages, lessons...)
	t.Chdir("../..")
	var all []shown
	for _, page := range append(pages, "../../README.md") {
		page = strings.TrimPrefix(filepath.ToSlash(page), "../../")
		b, err := os.ReadFile(page)
		require.NoError(t, err)
		all = append(all, shownIn(page, string(b))...)
	}
	tried := 0
	for _, s := range all {
		if s.line == "" {
			continue
		}
		tried++
		t.Run(s.page+" "+s.line, func(t *testing.T) {
			var out, errs strings.Builder
			code := run(context.Background(), argumentsOf(s.line), &out, &errs)
			require.NotEqual(t, 2, code, errs.String())
			if !matches(s.output, out.String()) {
				assert.Equal(t, strings.TrimSpace(s.output), strings.TrimSpace(out.String()))
			}
		})
	}
	require.NotZero(t, tried)
}

// TestCounts: a page that promises more lessons, tests or mistakes than there are is not believed.
func TestCounts(t *testing.T) {
	t.Chdir("../..")
	scripts := func(of fs.FS) int {
		all, err := fs.Glob(of, "*.mpio")
		require.NoError(t, err)
		return len(all)
	}
	mistakes, err := os.ReadFile("docs/mistakes.md")
	require.NoError(t, err)
	kinds := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^## \d+\.`).FindAllString(string(mistakes), -1) {
		kinds[m] = true
	}
	there := map[string]int{
		"lessons":          len(course.Lessons()),
		"litmus tests":     scripts(consistency.Litmus()),
		"tests of the":     scripts(consistency.Litmus()),
		"mistakes of real": scripts(consistency.Twins()) / 2,
		"common mistakes":  scripts(consistency.Twins()) / 2,
		"pairs":            len(suite.Names()),
		"of the pairs":     scripts(consistency.Twins()) / 2,
		"kinds of mistake": len(kinds),
	}
	pages, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	found := map[string]bool{}
	count := regexp.MustCompile(`(\d+)\s(lessons|litmus tests|tests of the|mistakes of real|common mistakes|pairs|of the pairs|kinds of mistake)\b`)
	for _, page := range append(pages, "README.md", "teach/suite/README.md") {
		b, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range count.FindAllStringSubmatch(string(b), -1) {
			found[m[2]] = true
			assert.Equal(t, fmt.Sprint(there[m[2]]), m[1], "%s of %s", m[2], page)
		}
	}
	assert.Len(t, found, len(there))
}

// If a link were broken, a reader would not find the page with the details.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	lessons, err := filepath.Glob("../../teach/course/*/lesson.md")
	require.NoError(t, err)
	for _, page := range append(append(pages, lessons...), "../../README.md", "../../ARCHITECTURE.md", "../../CONTRIBUTING.md", "../../proptest/TESTING.md") {
		b, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(page), m[1]))
			assert.NoError(t, err, "%s links to %s", page, m[1])
		}
	}
}

// A teacher who runs the commands of docs/teaching.md in a clone finds each of them working,
// and nothing in the clone that git would commit.
func TestTeachingLeavesNothing(t *testing.T) {
	git := func(args ...string) string {
		out, err := exec.Command("git", args...).CombinedOutput()
		if err != nil {
			t.Skipf("needs git and a clone: %v\n%s", err, out)
		}
		return string(out)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	git("clone", "-q", "--shared", "../..", clone)
	text, err := os.ReadFile("../../docs/teaching.md")
	require.NoError(t, err)
	ignored, err := os.ReadFile("../../.gitignore")
	require.NoError(t, err)
	t.Chdir(clone)
	require.NoError(t, os.WriteFile(".gitignore", ignored, 0o600)) // of this tree, committed or not
	require.NoError(t, os.Mkdir("class", 0o700))                   // the page's own mkdir
	before := git("status", "--porcelain")
	var tried, builds int
	for _, m := range regexp.MustCompile("`(commworld|mkdir) ([^`]*)`").FindAllStringSubmatch(string(text), -1) {
		args := argumentsOf(m[2])
		switch {
		case m[1] == "mkdir":
			require.NoError(t, os.MkdirAll(args[0], 0o700))
			continue
		case regexp.MustCompile(`--open|--class|FILE|PACKAGE|NN|start$`).MatchString(m[2]), len(args) < 2:
			continue // served until it is interrupted, or to be completed by the reader
		case args[0] == "course" && (args[1] == "start" || args[1] == "mark" && filepath.Ext(args[3]) == ""), args[0] == "lab":
			if builds++; testing.Short() || !thorough.All() { // it calls the go command
				continue
			}
		}
		tried++
		var out, errs strings.Builder
		code := run(t.Context(), args, &out, &errs)
		switch {
		case args[0] == "course" && args[1] == "mark": // the page marks typical mistakes
			assert.Equal(t, 1, code, "%s: %s", m[0], errs.String())
		case args[0] == "run" && !slices.Contains(args, "--fix"):
			assert.Contains(t, []int{0, 1, exitRace}, code, "%s: %s", m[0], errs.String())
		case args[0] == "view": // some show what is refused
			assert.NotEmpty(t, out.String()+errs.String(), m[0])
		default:
			assert.Equal(t, 0, code, "%s: %s", m[0], errs.String())
		}
	}
	assert.Greater(t, tried, 25)
	assert.Greater(t, builds, 5)
	assert.Equal(t, before, git("status", "--porcelain"))
}

// TestProseWidth: a diff of longer lines cannot be read.
func TestProseWidth(t *testing.T) {
	t.Chdir("../..")
	pages := []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, more := range []string{"docs/*.md", "teach/course/*/lesson.md", "*/*/README.md"} {
		found, err := filepath.Glob(more)
		require.NoError(t, err)
		pages = append(pages, found...)
	}
	for _, page := range pages {
		b, err := os.ReadFile(page)
		require.NoError(t, err)
		fenced, n := false, 0
		for line := range strings.Lines(string(b)) {
			n++
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if !fenced && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "    ") {
				assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSpace(line)), 120, "%s:%d", page, n)
			}
		}
	}
	require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") { // tests show output
			return err
		}
		b, err := os.ReadFile(name)
		n := 0
		for line := range strings.Lines(string(b)) {
			n++
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "// ") {
				assert.LessOrEqual(t, utf8.RuneCountInString(line), 120, "%s:%d", name, n)
			}
		}
		return err
	}))
}

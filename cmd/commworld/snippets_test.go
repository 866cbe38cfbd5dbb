package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/thorough"
)

// guides returns the pages for users, by their paths from the root of the module.
func guides(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	docs, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, p := range append(docs, "../../README.md", "../../proptest/TESTING.md") {
		b, err := os.ReadFile(p)
		require.NoError(t, err)
		all[strings.TrimPrefix(filepath.ToSlash(p), "../../")] = string(b)
	}
	return all
}

// commandLines returns the command lines of a page that begin with one of this
// module's programs, in code of a sentence or in blocks; not those whose output is
// shown, see TestPages.
func commandLines(text string) (all []string) {
	inSentence := regexp.MustCompile("`((?:commworld|go run \\./(?:cmd/commworld|examples/\\w+)) [^`]+)`")
	inBlock := regexp.MustCompile(`(?m)^(?:    )?((?:commworld|go run \./(?:cmd/commworld|examples/\w+)) .*)$`)
	for _, pattern := range []*regexp.Regexp{inSentence, inBlock} {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			line, _, _ := strings.Cut(m[1], "  #")
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// otherTexts returns texts whose commands must be accepted, with any result: lessons, the
// page of the suite, and the commands' own help.
func otherTexts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	lessons, err := filepath.Glob("../../teach/course/*/lesson.md")
	require.NoError(t, err)
	for _, p := range append(lessons, "../../teach/suite/README.md") {
		b, err := os.ReadFile(p)
		require.NoError(t, err)
		all[strings.TrimPrefix(filepath.ToSlash(p), "../../")] = string(b)
	}
	for _, name := range []string{"view", "plan", "explain", "pattern", "course"} {
		var out strings.Builder
		run(context.Background(), []string{name, "--help"}, &out, &out)
		all["commworld "+name+" --help"] = out.String()
	}
	return all
}

// TestDocumentedCommands: if it fails, a command of a page does not do what the page says.
// Commands that take long are left to the thorough run.
func TestDocumentedCommands(t *testing.T) {
	open, quoted := regexp.MustCompile(`\b[A-Z]{2,}\b|\.\.\.`), regexp.MustCompile(`"[^"]*"`) // placeholders for the reader to fill in
	long := regexp.MustCompile(`^(go run|commworld (check|cost|verify|litmus|suite)) `)
	elsewhere := []string{"lab ", "check PACKAGE", "check ./pkg", "check --ranks", "check .", "course ", "suite score"} // tests of these commands try them
	promised := []struct {                                                                                              // by the words in the line, the last match counts; other lines end with 0
		has    string
		status int
	}{
		{"run examples/stale.mpio", exitRace},
		{"run --explore", exitRace},
		{"run --html", exitRace},
		{"run --svg", exitRace},
		{"run --report", exitRace},
		{"run --steps", exitRace},
		{"check examples/stale.mpio", exitRace},
		{"check trace", exitRace},
		{"check --format sarif", exitRace},
		{"run --format github", exitRace},
		{"cost examples/stale.mpio", exitRace},
		{`--filetype "indexed([1,1],[2,0],int)"`, exitUsage}, // it breaks a rule
		{"teach/course/18-atomic/18.mpio", 0},
		{"teach/lab/lessons/09-deadlock.mpio", 1},
	}
	placeholders := strings.NewReplacer(
		"FILE.mpio", "examples/stale.mpio", "--show NAME", "--show lit-04", "show NAME", "show ior", "examples/NAME -h", "examples/quickstart",
		"examples/NAME", "examples/quickstart", "...", `--pattern "blocks -w" --ranks 4`)
	alone := []string{"litmus", "verify"} // commands that need no argument; of others a page has the name
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	scratch := t.TempDir()
	for _, dir := range []string{"examples", "teach/course", "teach/lab/lessons", "consistency/testdata"} { // commands may write files next to their input
		if _, err := os.Stat(filepath.Join(root, dir)); err == nil {
			require.NoError(t, os.CopyFS(filepath.Join(scratch, dir), os.DirFS(filepath.Join(root, dir))))
		}
	}
	require.NoError(t, os.Mkdir(filepath.Join(scratch, "class"), 0o700)) // docs/teaching.md makes it
	require.NoError(t, os.CopyFS(filepath.Join(scratch, "trace"), os.DirFS(staleTrace(t))))
	tried := 0
	texts, others := guides(t), otherTexts(t)
	delete(texts, "docs/source-texts.md") // TestSourceTexts runs its commands
	maps.Copy(texts, others)
	for page, text := range texts {
		for _, line := range commandLines(text) {
			if slices.ContainsFunc(elsewhere, func(k string) bool { return strings.HasPrefix(line, "commworld "+k) }) {
				continue
			}
			if strings.ContainsAny(line, "$>|") {
				continue // a line for a shell
			}
			if _, ok := others[page]; ok && open.MatchString(quoted.ReplaceAllString(line, "")) {
				continue
			}
			if long.MatchString(line) && (testing.Short() || !thorough.All()) {
				continue
			}
			tried++
			t.Run(page+" "+line, func(t *testing.T) {
				want := 0
				for _, p := range promised {
					if strings.Contains(placeholders.Replace(line), p.has) {
						want = p.status
					}
				}
				args := argumentsOf(placeholders.Replace(line))
				if args[0] == "go" && !strings.HasSuffix(args[2], "cmd/commworld") {
					cmd := exec.Command(args[0], args[1:]...)
					cmd.Dir = root
					out, err := cmd.CombinedOutput()
					require.NoError(t, err, string(out))
					return
				}
				t.Chdir(scratch)
				if args[0] == "go" {
					args = args[2:]
				}
				if len(args) == 2 && !slices.Contains(alone, args[1]) {
					args = append(args, "--help")
				}
				var out, errs strings.Builder
				code := run(context.Background(), args[1:], &out, &errs)
				if _, ok := others[page]; ok {
					assert.NotEqual(t, exitUsage, code, "%s%s", &out, &errs)
					return
				}
				assert.Equal(t, want, code, "%s%s", &out, &errs)
			})
		}
	}
	assert.Greater(t, tried, 40, "fewer commands than there were")
}

// TestGoSnippets: if it fails, Go code of a page does not compile. "..." in a page becomes
// an empty body.
func TestGoSnippets(t *testing.T) {
	thorough.Only(t)
	if testing.Short() {
		t.Skip("compiles packages")
	}
	fence := regexp.MustCompile("(?ms)^```go\n(.*?)^```")
	packages := map[string]string{}
	for page, text := range guides(t) {
		if page == "docs/mistakes.md" {
			continue // TestMistakes of package world writes it from programs
		}
		whole := ""
		for i, m := range fence.FindAllStringSubmatch(text, -1) {
			switch code := m[1]; {
			case strings.HasPrefix(code, "package "):
				packages[fmt.Sprint(page, i)] = code
			case regexp.MustCompile(`^(func|type|var|const) `).MatchString(code):
				whole += code // other blocks belong to a module that needs an MPI library, or are parts of a declaration
			}
		}
		if whole != "" {
			packages[page] = completed(whole)
		}
	}
	require.GreaterOrEqual(t, len(packages), 2)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	scratch := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	args := []string{"build", "-overlay", filepath.Join(scratch, "overlay.json")}
	for page, code := range packages {
		name := fmt.Sprintf("snippet%d", len(args))
		file := filepath.Join(scratch, name+".go")
		require.NoError(t, os.WriteFile(file, []byte(code), 0o600))
		overlay.Replace[filepath.Join(root, "examples", name, "x.go")] = file
		args = append(args, "./examples/"+name)
		t.Log(name, "belongs to", page)
	}
	b, err := json.Marshal(overlay)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(args[2], b, 0o600))
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

// completed returns a test file of some declarations, with all imports that it needs to
// compile.
func completed(code string) string {
	code = strings.ReplaceAll(code, "struct{ ... }", "struct{}")
	code = strings.ReplaceAll(code, "{ ... }", `{ panic("left out") }`)
	code = regexp.MustCompile(`(?m)^(func \(f \*file\)[^{}\n]*?\)|func \(f \*file\)[^{}\n]*? error)( *//.*)?$`).ReplaceAllString(code, `$1 { panic("left out") }`)
	var imports strings.Builder
	for name, path := range map[string]string{
		"comm": ours + "comm", "iofile": ours + "iofile", "types": ours + "types", "proptest": ours + "proptest", "gen": ours + "proptest/gen",
		"maps": "maps", "os": "os", "testing": "testing", "context": "context", "fmt": "fmt", "world": ours + "world", "rapid": "pgregory.net/rapid",
	} {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(code) {
			fmt.Fprintf(&imports, "import %q\n", path)
		}
	}
	return "package snippet\n\n" + imports.String() + "\n" + code
}

const ours = "github.com/commworld/commworld/"

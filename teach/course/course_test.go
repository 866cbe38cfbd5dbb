package course

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/teach/exercise"
)

// corpus is one program that contains all programs of the course: its first argument
// selects one. Linking a hundred programs would take minutes.
var corpus = struct {
	once sync.Once
	path string
	err  error
}{}

func TestMain(m *testing.M) {
	mostTime *= 40 // for slow machines
	code := m.Run()
	if corpus.path != "" {
		_ = os.RemoveAll(filepath.Dir(corpus.path))
	}
	os.Exit(code)
}

// corpusProgram builds the program.
func corpusProgram(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	corpus.once.Do(func() {
		dir, err := os.MkdirTemp("", "commworld-course-")
		if err != nil {
			corpus.err = err
			return
		}
		corpus.path = filepath.Join(dir, "corpus.exe")
		corpus.err = buildCorpus(dir, corpus.path)
	})
	require.NoError(t, corpus.err)
	return corpus.path
}

// buildCorpus makes one package of all programs, because each package takes half a second to
// compile. Each declared name gets the number of its program as a prefix. An overlay puts
// the package into this module.
func buildCorpus(dir, prog string) error {
	here, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	replace := map[string]string{}
	var cases strings.Builder
	put := func(name, text string) error {
		replace[filepath.Join(here, "corpus", name)] = filepath.Join(dir, name)
		return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
	}
	trees, err := programs()
	if err != nil {
		return err
	}
	for _, tree := range trees {
		err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Base(name) != "main.go" {
				return err
			}
			text, err := fs.ReadFile(tree, name)
			if err != nil {
				return err
			}
			prefix := fmt.Sprintf("p%d", len(replace))
			fmt.Fprintf(&cases, "\tcase %q:\n\t\t%smain()\n", path.Dir(name), prefix)
			renamed, err := prefixed(string(text), prefix)
			if err != nil {
				return err
			}
			return put(prefix+".go", "//line main.go:1\n"+renamed)
		})
		if err != nil {
			return err
		}
	}
	main := "package main\n\nimport \"os\"\n\nfunc main() {\n\tname := os.Args[1]\n\tos.Args = append(os.Args[:1], os.Args[2:]...)\n\tswitch name {\n" +
		cases.String() + "\tdefault:\n\t\tos.Exit(99)\n\t}\n}\n"
	if err := put("corpus.go", main); err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, overlay, 0o600); err != nil {
		return err
	}
	out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-overlay", name, "-o", prog, "./corpus").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// prefixed puts a prefix in front of every use of the program's package-level names, and
// keeps line numbers.
func prefixed(text, prefix string) (string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "main.go", text, 0)
	if err != nil {
		return "", err
	}
	//lint:ignore SA1019 all names belong to one file, so objects are enough
	own := map[*ast.Object]bool{}
	for _, o := range file.Scope.Objects {
		own[o] = true
	}
	var at []int
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Obj != nil && own[id.Obj] {
			at = append(at, set.Position(id.Pos()).Offset)
		}
		return true
	})
	slices.Sort(at)
	for _, i := range slices.Backward(slices.Compact(at)) {
		text = text[:i] + prefix + text[i:]
	}
	return text, nil
}

// mark marks a program of the course.
func mark(t *testing.T, l *Lesson, name string, limits Limits) *Marking {
	t.Helper()
	m, err := l.markProgram(t.Context(), corpusProgram(t), []string{name}, t.TempDir(), limits)
	require.NoError(t, err)
	dir := t.TempDir()
	trees, err := programs()
	require.NoError(t, err)
	for _, tree := range trees {
		if text, err := fs.ReadFile(tree, name+"/main.go"); err == nil {
			put(t, filepath.Join(dir, "main.go"), string(text))
		}
	}
	l.judgeSource(m, dir)
	return m
}

// programs returns the programs of the course.
func programs() ([]fs.FS, error) {
	wrong, err := wrongPrograms()
	return []fs.FS{files, wrong, os.DirFS("testdata")}, err
}

// wrongPrograms returns the wrong submissions as files LESSON/wrong/NAME/main.go, and those of
// testdata/marked.txtar as marked/NAME/main.go.
func wrongPrograms() (fs.FS, error) {
	all := fstest.MapFS{}
	for _, l := range Lessons() {
		for _, name := range l.Wrong() {
			file, text, err := l.WrongSubmission(name)
			if err != nil {
				return nil, err
			}
			if file != "main.go" {
				continue
			}
			all[path.Join(l.Name, "wrong", name, file)] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	archive, err := txtar.ParseFile("testdata/marked.txtar")
	if err != nil {
		return nil, err
	}
	for _, f := range archive.Files {
		number, _, _ := strings.Cut(f.Name, "-")
		l, err := Find(number)
		if err != nil {
			return nil, err
		}
		text, err := exercise.Patch(l.read("solution/main.go"), string(f.Data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		all[path.Join("marked", f.Name)] = &fstest.MapFile{Data: []byte(text)}
	}
	return all, nil
}

// If an edit did not apply where it should, a wrong submission would be another program.
func TestWrongSubmission(t *testing.T) {
	rows := map[string]bool{}
	for _, l := range Lessons() {
		names := l.Wrong()
		assert.GreaterOrEqual(t, len(names), 3, l.Name)
		for _, name := range names {
			file, text, err := l.WrongSubmission(name)
			require.NoError(t, err)
			if strings.HasPrefix(name, wrongScript) {
				assert.Equal(t, l.scriptFile(), file)
				continue
			}
			assert.NotEqual(t, l.read("solution/"+file), text, "%s/%s", l.Name, name)
			rows[l.Name+"/"+name] = true
		}
		_, _, err := l.WrongSubmission("no-such")
		assert.ErrorContains(t, err, "--wrong lists them")
	}
	for row := range expected {
		assert.True(t, rows[row], "%s is not a wrong submission", row)
	}

	const text = "a\nb\nc\n\nb\nc\nd\n"
	for diff, want := range map[string]string{
		"@@ -2,2 +2,1 @@\n b\n-c\n":                        "a\nb\n\nb\nc\nd\n",
		"@@ -6,2 +6,1 @@\n b\n-c\n":                        "a\nb\nc\n\nb\nd\n",
		"@@ -40,2 +40,2 @@\n c\n-d\n+e\n":                  "a\nb\nc\n\nb\nc\ne\n",
		"@@ -1 +1 @@\n-a\n+x\n+y\n@@ -4,2 +5,2 @@\n\n-b\n": "x\ny\nb\nc\n\nc\nd\n",
	} {
		got, err := exercise.Patch(text, diff)
		require.NoError(t, err, diff)
		assert.Equal(t, want, got, diff)
	}
	for diff, want := range map[string]string{
		"":                                   "no hunks",
		"a\n@@ -1 +1 @@\n-a\n":               "no hunks",
		"@@ -x +1 @@\n-a\n":                  "no line number",
		"@@ -1 +1 @@\n?a\n":                  "begins with none of",
		"@@ -1 +1 @@\n-x\n":                  "does not have these lines:\nx",
		"@@ -3 +3 @@\n-c\n@@ -1 +1 @@\n-a\n": "does not have these lines:\na",
	} {
		_, err := exercise.Patch(text, diff)
		assert.ErrorContains(t, err, want, diff)
	}
}

// If this fails, a right submission is marked wrong, or a wrong one is not marked by the
// finding that names its mistake.
func TestMark(t *testing.T) {
	for _, l := range Lessons() {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			m := mark(t, l, l.Name+"/solution", Limits{Time: time.Minute})
			assert.Equal(t, Right, m.Verdict, "%+v", m.Findings)
			assert.Equal(t, l.task.reason != "", m.Reason != "", m.Reason)
			m = mark(t, l, l.Name+"/skeleton", Limits{Time: time.Minute})
			assert.Equal(t, Wrong, m.Verdict, "the skeleton")
			for _, name := range l.Wrong() {
				if strings.HasPrefix(name, wrongScript) {
					continue // package exercise marks them
				}
				want := expected[l.Name+"/"+name]
				if !assert.NotEmpty(t, want, "a row for %s/%s", l.Name, name) {
					continue
				}
				m := mark(t, l, path.Join(l.Name, "wrong", name), Limits{Time: time.Minute})
				assert.Equal(t, Wrong, m.Verdict, name)
				if assert.NotEmpty(t, m.Findings, name) {
					f := &m.Findings[0]
					assert.Equal(t, want, strings.TrimSpace(f.Kind+" "+f.Rule), "%s: %s\n%s", name, f.Text, f.Fix)
					assert.Contains(t, f.Text+"\n"+f.Fix, said[l.Name+"/"+name], name)
				}
			}
		})
	}
}

// A script is marked as package exercise marks it, in a file or in a folder; its tests mark all.
func TestMarkScript(t *testing.T) {
	for _, name := range []string{"17", "20"} {
		l, err := Find(name)
		require.NoError(t, err)
		e, err := exercise.Find(l.Name)
		require.NoError(t, err)
		for text, want := range map[string]Verdict{e.Solution: Right, e.Start: Wrong, "ranks": Unmarked} {
			dir := t.TempDir()
			put(t, filepath.Join(dir, "my.mpio"), text)
			m, err := l.Mark(t.Context(), dir, Limits{})
			require.NoError(t, err)
			assert.Equal(t, want, m.Verdict, "%+v", m)
			same, err := e.Mark(t.Context(), text)
			require.NoError(t, err)
			assert.Equal(t, same, m)
		}
	}
}

// If this fails, a student who left the read out, or renamed its result, hears of a line that
// the script does not have, and gets no mark.
func TestMarkScriptWithoutResult(t *testing.T) {
	for _, name := range []string{"17", "18"} {
		e, err := exercise.Find(name)
		require.NoError(t, err)
		text, _, _ := strings.Cut(e.Solution, "\nallow")
		require.Contains(t, text, "-> x")
		m, err := e.Mark(t.Context(), strings.ReplaceAll(text, "-> x", "-> y")+"\n")
		require.NoError(t, err)
		assert.Equal(t, Wrong, m.Verdict, name)
		if assert.Len(t, m.Findings, 1) {
			assert.Equal(t, KindOutcome, m.Findings[0].Kind)
			assert.Contains(t, m.Findings[0].Text, "has no result x")
			assert.NotContains(t, m.Findings[0].Text, "line")
		}
	}
}

// If this fails, a submission makes the teacher's machine unusable, or passes although it
// does nothing.
func TestMarkHostile(t *testing.T) {
	thorough.Only(t)
	for name, want := range map[string]string{
		"loop": KindTimeout, "loop-in-rank": KindTimeout, "exit": KindExit, "prints-only": KindWorld, "exit-at-once": KindWorld,
		"bomb": KindMemory, "panics": "panic", "writes-no-file": KindBytes, "one-rank": KindWorld, "floods": KindTimeout, "forges": KindReport,
	} {
		t.Run(name, func(t *testing.T) {
			if want == KindMemory && runtime.GOOS != "linux" {
				t.Skip("memory is bounded on Linux")
			}
			l, err := Find("17")
			require.NoError(t, err)
			limits := Limits{Time: time.Minute, Memory: 256 << 20}
			if want == KindTimeout {
				limits.Time = time.Second
			}
			m := mark(t, l, "hostile/"+name, limits)
			assert.Equal(t, Wrong, m.Verdict)
			if assert.NotEmpty(t, m.Findings) {
				assert.Equal(t, want, m.Findings[0].Kind, m.Findings[0].Text)
			}
		})
	}
}

var goRun = regexp.MustCompile(`(?m)^\$ go run \./teach/course/(\S+)(.*)\n((?:.*\n)*?)(?:\n*` + "```" + `|\$ )`)

// If a page showed what the program does not print, a student would trust neither.
func TestPagesOfPrograms(t *testing.T) {
	for _, l := range Lessons() {
		found := goRun.FindAllStringSubmatch(l.Text(), -1)
		assert.NotEmpty(t, found, "%s: no run of the program", l.Name)
		for _, m := range found {
			name, args, want := m[1], strings.Fields(m[2]), m[3]
			cmd := exec.Command(corpusProgram(t), append([]string{name}, args...)...)
			out, err := cmd.Output()
			require.NoError(t, err, "%s %v", name, args)
			assert.Equal(t, strings.TrimSpace(trimLines(want)), strings.TrimSpace(trimLines(string(out))), "%s %v", name, args)
		}
	}
}

// trimLines is a text without blanks at the ends of lines.
func trimLines(text string) string {
	return regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(text, "")
}

// Every lesson has what the course promises.
func TestLessons(t *testing.T) {
	for _, l := range Lessons() {
		t.Run(l.Name, func(t *testing.T) {
			text := l.Text()
			assert.NotEmpty(t, l.Title)
			assert.True(t, strings.HasPrefix(text, fmt.Sprintf("# %d. ", l.Number)), "the title")
			for _, part := range []string{"The idea", "On real libraries", "Exercise", "Further reading"} {
				assert.Contains(t, text, "\n## "+part+"\n")
			}
			_, idea, _ := strings.Cut(text, "\n## The idea\n")
			idea, _, _ = strings.Cut(idea, "\n## ")
			assert.Regexp(t, `,\s+section\s+"`, idea, "where the standard says so")
			assert.Less(t, strings.Count(text, "\n"), 140, "more than a page")
			assert.NotEmpty(t, l.Task())
			lines := strings.Count(l.read("main.go"), "\n")
			assert.Less(t, lines, 90, "main.go")
			assert.Positive(t, lines)
			assert.Contains(t, l.read("main.go"), `"ranks"`)
			assert.NotNil(t, l.task)
		})
	}
}

// Start makes a module that builds, wherever the clone is.
func TestStart(t *testing.T) {
	clone, err := filepath.Abs("../..")
	require.NoError(t, err)
	all := Lessons()
	tried := []*Lesson{all[0], all[len(all)-1]}
	if !thorough.All() {
		tried = tried[:1]
	}
	for _, l := range tried {
		dir := filepath.Join(t.TempDir(), "a b")
		require.NoError(t, l.Start(t.Context(), dir, clone))
		require.Error(t, l.Start(t.Context(), dir, clone), "not empty")
		readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
		require.NoError(t, err)
		mark := fmt.Sprintf("commworld course mark %02d --clone %s .", l.Number, shellWord(clone))
		assert.Contains(t, string(readme), "    "+mark+"\n", "a copied command finds no clone by itself")
		assert.Equal(t, mark, l.MarkCommand(dir, clone))
		assert.Equal(t, fmt.Sprintf("commworld course mark %02d .", l.Number), l.MarkCommand(filepath.Join(clone, "x"), ""))
		cmd := exec.CommandContext(t.Context(), "go", "vet", ".")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		m, err := l.Mark(t.Context(), dir, Limits{})
		require.NoError(t, err)
		assert.Equal(t, Wrong, m.Verdict)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() { undefined() }\n"), 0o600))
		m, err = l.Mark(t.Context(), dir, Limits{})
		require.NoError(t, err)
		assert.Equal(t, Unmarked, m.Verdict)
		assert.Contains(t, m.Findings[0].Text, "undefined")
	}
	assert.ErrorContains(t, all[0].Start(context.Background(), t.TempDir()+"/x", t.TempDir()), "is not a clone")
	_, err = all[0].Mark(t.Context(), t.TempDir(), Limits{})
	assert.ErrorContains(t, err, "nothing to mark")
}

// If this fails, the file or the output of a solution depends on the number of ranks for
// some size, which the course promises it does not.
func TestAnyNumberOfRanks(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for _, number := range []int{1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 19, 20, 21, 22, 23, 24} {
		l, err := Find(fmt.Sprint(number))
		require.NoError(t, err)
		random := *l.task
		random.cases = nil
		for range 4 {
			ranks := 1 + draw.IntN(9)
			c := Case{Ranks: ranks, N: ranks + draw.IntN(12)}
			if random.worlds == 2 {
				c.More = []string{fmt.Sprint("-readers=", 1+draw.IntN(c.N))}
			}
			random.cases = append(random.cases, c)
		}
		l.task = &random
		m := mark(t, l, l.Name+"/solution", Limits{Time: time.Minute})
		assert.Equal(t, Right, m.Verdict, "%s %+v", l.Name, m.Findings)
	}
}

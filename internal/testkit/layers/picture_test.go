package layers

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "draw the picture of layers in ARCHITECTURE.md again")

const (
	pictureBegins = "<!-- floors -->\n```\n"
	pictureEnds   = "```\n<!-- end of floors -->"
)

// Programs of teaching and examples import what they like; the table of packages leaves them out.
func listed(pkg string) bool {
	return !strings.HasPrefix(pkg, "examples/") && !strings.HasPrefix(pkg, "teach/course/")
}

// Helpers of tests and generators are in no layer that a reader looks for.
func drawn(pkg string) bool {
	return listed(pkg) && !strings.HasPrefix(pkg, "internal/testkit/") && !strings.HasSuffix(pkg, "/generate") && !strings.HasSuffix(pkg, "/gorun")
}

// width is that of the picture, in characters.
const width = 118

// A reader of ARCHITECTURE.md trusts its picture: it has to be that of the imports.
func TestPicture(t *testing.T) {
	file := filepath.Join(root, "ARCHITECTURE.md")
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(page), pictureBegins)
	require.True(t, ok, "ARCHITECTURE.md has no picture")
	picture, after, ok := strings.Cut(rest, pictureEnds)
	require.True(t, ok, "the picture in ARCHITECTURE.md has no end")

	want := floors(sources(t))
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(before+pictureBegins+want+pictureEnds+after), 0o644))
		return
	}
	assert.Equal(t, want, picture, "go test ./internal/testkit/layers -run TestPicture -update")
}

// Each package has its row in the table of ARCHITECTURE.md.
func TestTableOfPackages(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	require.NoError(t, err)
	for _, pkg := range packages(sources(t)) {
		if listed(pkg) && !strings.Contains(string(page), "`"+pkg+"`") {
			t.Errorf("ARCHITECTURE.md has no row for %s", pkg)
		}
	}
}

// A package's comment says first how to use it.
func TestStartHere(t *testing.T) {
	for _, pkg := range packages(sources(t)) {
		text, command := comment(t, pkg)
		if (command || !listed(pkg)) && !strings.Contains(text, "# Map") {
			continue // a small program: its comment only says what it does
		}
		assert.Contains(t, text, "Start here", "the comment of package %s", pkg)
		if before, after, ok := strings.Cut(text, "# Map"); ok {
			assert.Contains(t, before, "Start here", "package %s: the map of files comes last", pkg)
			assert.NotContains(t, after, "Start here", "package %s", pkg)
		}
	}
}

// comment returns the comment of a package, and whether it is a command.
func comment(t *testing.T, pkg string) (text string, command bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
		require.NoError(t, err)
		command = command || f.Name.Name == "main"
		if f.Doc != nil && !ast.IsGenerated(f) {
			text += f.Doc.Text()
		}
	}
	return text, command
}

// packages returns the folders that have Go files which are not tests.
func packages(all []source) []string {
	var pkgs []string
	for _, s := range all {
		if !s.test {
			pkgs = append(pkgs, s.pkg)
		}
	}
	slices.Sort(pkgs)
	return slices.Compact(pkgs)
}

// floors draws packages in lines, the highest first: each is one line above the
// highest that it imports.
func floors(all []source) string {
	imports := map[string][]string{}
	for _, s := range all {
		if s.test {
			continue
		}
		for _, imp := range s.imports {
			if ours, ok := strings.CutPrefix(imp, module); ok {
				imports[s.pkg] = append(imports[s.pkg], ours)
			}
		}
	}
	level := map[string]int{}
	var of func(pkg string) int
	of = func(pkg string) int {
		n, known := level[pkg]
		if known {
			return n
		}
		for _, imp := range imports[pkg] {
			n = max(n, of(imp)+1)
		}
		level[pkg] = n
		return n
	}
	var lines [][]string
	for _, pkg := range packages(all) {
		if !drawn(pkg) {
			continue
		}
		n := of(pkg)
		for len(lines) <= n {
			lines = append(lines, nil)
		}
		lines[n] = append(lines[n], pkg)
	}
	var b strings.Builder
	for n, pkgs := range slices.Backward(lines) {
		slices.SortStableFunc(pkgs, func(a, b string) int { // what users import comes first
			return cmp.Compare(inside(a), inside(b))
		})
		line := fmt.Sprintf("%2d", n)
		for _, pkg := range pkgs {
			if len(line)+2+len(pkg) > width {
				fmt.Fprintln(&b, line)
				line = "  "
			}
			line += "  " + pkg
		}
		fmt.Fprintln(&b, line)
	}
	return b.String()
}

// The map of files in ARCHITECTURE.md leads a reader to a file: each one that it names is there.
func TestMapOfFiles(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	require.NoError(t, err)
	_, files, ok := strings.Cut(string(page), "\n## Files\n")
	require.True(t, ok)
	sections := strings.Split(files, "\n### ")[1:]
	assert.NotEmpty(t, sections)
	for _, section := range sections {
		pkg, text, _ := strings.Cut(section, "\n")
		for i, name := range strings.Split(text, "`") {
			if i%2 == 0 || filepath.Ext(name) == "" {
				continue // not code, or not a file
			}
			found, err := filepath.Glob(filepath.Join(root, pkg, name))
			require.NoError(t, err)
			assert.NotEmpty(t, found, "ARCHITECTURE.md names %s of %s", name, pkg)
		}
	}
}

func inside(pkg string) int {
	if strings.HasPrefix(pkg, "internal/") {
		return 1
	}
	return 0
}

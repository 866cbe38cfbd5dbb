package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// A colourer colours lines as an editor does. It returns a scope for each byte.
type colourer struct {
	rules []rule
	match []*regexp.Regexp
}

func newColourer(t *testing.T) colourer {
	c := colourer{rules: newGrammar().Patterns}
	for _, r := range c.rules {
		re, err := regexp.Compile(r.Match)
		require.NoError(t, err)
		c.match = append(c.match, re)
	}
	return c
}

func (c colourer) line(text string) []string {
	scopes := make([]string, len(text))
	for pos := 0; pos < len(text); {
		best, rule := []int(nil), 0
		for i, re := range c.match {
			at := firstFrom(re, text, pos)
			if at != nil && (best == nil || at[0] < best[0]) {
				best, rule = at, i
			}
		}
		if best == nil || best[1] == best[0] {
			break
		}
		fill(scopes, best[0], best[1], c.rules[rule].Name)
		for group, captured := range c.rules[rule].Captures {
			var n int
			_, _ = fmt.Sscan(group, &n)
			if best[2*n] >= 0 {
				fill(scopes, best[2*n], best[2*n+1], captured.Name)
			}
		}
		pos = best[1]
	}
	return scopes
}

// firstFrom returns the first match that starts at or behind pos; ^ is the start of the line alone.
func firstFrom(re *regexp.Regexp, text string, pos int) []int {
	for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
		if at[0] >= pos {
			return at
		}
	}
	if pos == 0 || strings.HasPrefix(re.String(), "^") {
		return nil
	}
	at := re.FindStringSubmatchIndex(text[pos:])
	for i := range at {
		if at[i] >= 0 {
			at[i] += pos
		}
	}
	return at
}

func fill(scopes []string, from, to int, scope string) {
	for i := from; i < to && scope != ""; i++ {
		scopes[i] = scope
	}
}

func scripts(t *testing.T) []string {
	out, err := exec.Command("git", "-C", "../..", "ls-files", "*.mpio").Output()
	require.NoError(t, err)
	all := strings.Fields(string(out))
	require.Greater(t, len(all), 400)
	return all
}

// Every character of every script has a colour, and every statement that the parser finds is coloured as one.
func TestGrammarColoursAllScripts(t *testing.T) {
	c := newColourer(t)
	names := map[string]bool{}
	for _, s := range script.Statements() {
		called, _, _ := strings.Cut(s, " ")
		names[called] = true
	}
	for _, file := range scripts(t) {
		content, err := os.ReadFile(filepath.Join("../..", file))
		require.NoError(t, err)
		coloured := map[int][]string{}
		for i, text := range strings.Split(strings.ReplaceAll(string(content), "\r", ""), "\n") {
			scopes := c.line(text)
			for at, scope := range scopes {
				if text[at] != ' ' && text[at] != '\t' {
					require.NotEmptyf(t, scope, "%s:%d:%d: %s", file, i+1, at+1, text)
				}
				if scope == statement && (at == 0 || scopes[at-1] != statement) {
					end := at
					for end < len(text) && scopes[end] == statement {
						end++
					}
					coloured[i+1] = append(coloured[i+1], text[at:end])
				}
			}
		}
		s, err := script.Parse(string(content))
		if err != nil {
			continue // scripts that show an error of the language
		}
		want := map[int][]string{}
		for _, b := range s.Blocks {
			for _, stmt := range b.Stmts {
				require.True(t, names[stmt.Routine])
				if !slices.Contains(want[stmt.Line], stmt.Routine) {
					want[stmt.Line] = append(want[stmt.Line], stmt.Routine)
				}
			}
		}
		for line, routines := range want {
			for _, r := range routines {
				assert.Containsf(t, coloured[line], r, "%s:%d", file, line)
			}
		}
		for line, routines := range coloured {
			assert.Lenf(t, routines, 1, "%s:%d", file, line)
		}
	}
}

func TestGrammarScopes(t *testing.T) {
	c := newColourer(t)
	for _, one := range []struct{ text, part, scope string }{
		{"ranks 2 # two", "# two", comment},
		{"ranks 2 # two", "ranks", declaration},
		{"  write_at h 0 int 5*10", "write_at", statement},
		{"  write_at h 0 int 5*10", "int", typeName},
		{"0: repeat 3: write h int r", "repeat", declaration},
		{"0: repeat 3: write h int r", "write", statement},
		{"0-1, 3: self open h open rdwr|create", "self", word},
		{"0: self open h read rdwr|create", "read", name},
		{"  read_at h 0 int*1 -> sync", "sync", name},
		{`  write h "a#b"`, `"a#b"`, text},
		{"type col = resized(vector(4, 1, 4, int), 0, 4)", "vector", typeName},
	} {
		scopes := c.line(one.text)
		at := strings.Index(one.text, one.part)
		for i := range one.part {
			assert.Equalf(t, one.scope, scopes[at+i], "%s: %s", one.text, one.part)
		}
	}
}

// The file has what an editor looks for, and the matcher reads what check prints.
func TestPack(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, pack(&b))
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	parts := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		parts[f.Name], err = io.ReadAll(r)
		require.NoError(t, err)
	}
	var manifest struct {
		Version, Main string
		Contributes   struct {
			Languages, Grammars []map[string]any
			ProblemMatchers     []struct {
				Pattern struct {
					Regexp                              string
					Severity, File, Line, Code, Message int
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(parts["extension/package.json"], &manifest))
	assert.Equal(t, version, manifest.Version)
	for _, p := range []any{
		manifest.Main, manifest.Contributes.Languages[0]["configuration"], manifest.Contributes.Grammars[0]["path"], "extension.js", "README.md",
	} {
		assert.Contains(t, parts, filepath.Join("extension", p.(string)))
	}
	var g grammar
	require.NoError(t, json.Unmarshal(parts["extension/mpio.tmLanguage.json"], &g))
	assert.Equal(t, "source.mpio", g.ScopeName)

	out, err := exec.Command("go", "-C", "../..", "run", "./cmd/commworld", "check", "--format=github", "examples/stale.mpio").CombinedOutput()
	require.Error(t, err, "the script has a race")
	p := manifest.Contributes.ProblemMatchers[0].Pattern
	found := regexp.MustCompile("(?m)" + p.Regexp).FindSubmatch(out)
	require.NotNil(t, found, string(out))
	assert.Equal(t, "error", string(found[p.Severity]))
	assert.Equal(t, "examples/stale.mpio", string(found[p.File]))
	assert.Equal(t, "8", string(found[p.Line]))
	assert.Contains(t, string(found[p.Message]), "race on")

	if node, err := exec.LookPath("node"); err != nil {
		t.Log("SKIPPED: no node here: extension.js was not parsed")
	} else {
		out, err := exec.Command(node, "--check", "extension/extension.js").CombinedOutput()
		assert.NoError(t, err, string(out))
	}
}

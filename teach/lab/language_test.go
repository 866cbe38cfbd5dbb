package lab_test

import (
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/teach/lab"
)

// TestLanguage: the page has the description of the language itself, for classes without a
// network. -update writes it from the documentation of package script.
func TestLanguage(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../script/doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	require.NoError(t, err)
	doc := new(comment.Parser).Parse(file.Doc.Text())
	want := string((&comment.Printer{TextWidth: 96}).Text(doc))
	if *update {
		require.NoError(t, os.WriteFile("page/language.txt", []byte(want), 0o666))
	}
	got, err := fs.ReadFile(lab.Page(), "language.txt")
	require.NoError(t, err)
	assert.Equal(t, want, string(got), "-update writes it anew")
	index, err := lab.Index()
	require.NoError(t, err)
	assert.Contains(t, index, `href="language.txt"`)
	assert.NotContains(t, index, "https://")
}

// TestDeadlockText: the end of a run that hangs names lines of the script.
func TestDeadlockText(t *testing.T) {
	a := try(t, map[string]any{"do": "run", "script": "ranks 2\n0:\n  recv 1 0 int*1 -> x\n1:\n  recv 0 0 int*1 -> x\n"})
	text, _ := a["text"].(string)
	assert.Contains(t, text, "script:3")
	assert.NotContains(t, text, " .:")
	bad := try(t, map[string]any{"do": "run", "script": "ranks 2\nall:\n  open h f rdwr|creat\n"})
	assert.Contains(t, problem(bad), "line 3, column")
	page, err := fs.ReadFile(lab.Page(), "lab.js")
	require.NoError(t, err)
	assert.NotContains(t, string(page), "column ${", "the text of a problem begins with its place")
}

package iofile_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/commworld/commworld/internal/trace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If reports did not know which calls are collective, a picture would show a collective call
// as calls of single ranks, and a fix would be judged by too few of them.
func TestFileCollective(t *testing.T) {
	says := regexp.MustCompile(`\bCollective[.:;,]`)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	methods := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !f.Name.IsExported() {
				continue
			}
			star, ok := f.Recv.List[0].Type.(*ast.StarExpr)
			if !ok || star.X.(*ast.Ident).Name != "File" {
				continue
			}
			methods++
			assert.Equal(t, says.MatchString(f.Doc.Text()), trace.FileCollective(f.Name.Name), f.Name.Name)
		}
	}
	assert.Greater(t, methods, 50)
	assert.True(t, trace.FileCollective("Open"))
}

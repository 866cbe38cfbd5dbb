package iofile_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A user reads the whole list of options to find the one that he needs. A new option takes the
// place of another, or becomes a value of one.
func TestNumberOfOptions(t *testing.T) {
	const most = 14
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var names []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil {
				continue
			}
			if result, ok := f.Type.Results.List[0].Type.(*ast.Ident); ok && strings.HasSuffix(result.Name, "Option") {
				names = append(names, f.Name.Name)
			}
		}
	}
	t.Logf("%d options", len(names))
	assert.LessOrEqual(t, len(names), most, "%v", names)
	assert.Contains(t, names, "WithModel")
}

package layers

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
	for _, row := range []struct {
		pkg, one string
		most     int
	}{
		{"world", "Seed", 16},
		{"iofile", "WithModel", 14},
	} {
		t.Run(row.pkg, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join("../../..", row.pkg, "*.go"))
			require.NoError(t, err)
			var names []string
			for _, name := range files {
				if !strings.HasSuffix(name, "_test.go") {
					file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
					require.NoError(t, err)
					names = append(names, optionsIn(file)...)
				}
			}
			t.Logf("%d options", len(names))
			assert.LessOrEqual(t, len(names), row.most, "%v", names)
			assert.Contains(t, names, row.one)
		})
	}
}

// optionsIn returns the names of the exported functions that return an option.
func optionsIn(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil {
			continue
		}
		if result, ok := f.Type.Results.List[0].Type.(*ast.Ident); ok && strings.HasSuffix(result.Name, "Option") {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

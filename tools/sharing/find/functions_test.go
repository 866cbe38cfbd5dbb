package find

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If a call that receives were not known by name, receiving into shared memory would not
// be reported.
func TestReceivers(t *testing.T) {
	known := 0
	for _, dir := range []string{"comm", "iofile"} {
		files, err := filepath.Glob(filepath.Join("../../..", dir, "*.go"))
		require.NoError(t, err)
		for _, name := range files {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range f.Decls {
				m, ok := d.(*ast.FuncDecl)
				if !ok || m.Recv == nil || !m.Name.IsExported() || !slices.Contains([]string{"Comm", "Message", "File"}, receiver(m)) || strings.HasSuffix(name, "_test.go") {
					continue
				}
				last := lastBuffer(m)
				if at := receives("", m.Name.Name); at >= 0 {
					known++
					assert.Equal(t, at, last, "%s: %s", name, m.Name.Name)
				} else if last >= 0 {
					sends := slices.ContainsFunc([]string{"Send", "Write", "Pack", "Guard"}, func(s string) bool { return strings.Contains(m.Name.Name, s) })
					assert.True(t, sends, "%s: %s receives into nothing", name, m.Name.Name)
				}
			}
		}
	}
	assert.Greater(t, known, 60)
}

// receiver returns the receiver type of a method.
func receiver(m *ast.FuncDecl) string {
	t := m.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	id, _ := t.(*ast.Ident)
	return id.String()
}

// lastBuffer returns the index of the last parameter that is a buffer, or several; -1 if
// there is none.
func lastBuffer(m *ast.FuncDecl) int {
	last, n := -1, 0
	for _, field := range m.Type.Params.List {
		t := field.Type
		if list, ok := t.(*ast.ArrayType); ok {
			t = list.Elt
		}
		sel, ok := t.(*ast.SelectorExpr)
		n += max(1, len(field.Names))
		if ok && sel.Sel.Name == "Buffer" {
			last = n - 1
		}
	}
	return last
}

package iofile_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The handle is embedded in the carrier of a file that an engine has opened. A method of
// carriers that only the handle had would act in this process on a file that is not here, and
// the compiler would not notice.
func TestFarCarriesEveryCall(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var carried []string
	far := map[string]bool{"alive": true} // it only checks the handle
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if receiver(d) == "far" {
					far[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					carried = append(carried, methodsOf(s, "carrier")...)
				}
			}
		}
	}
	require.Greater(t, len(carried), 20)
	for _, name := range carried {
		assert.True(t, far[name], "far has no method %s", name)
	}
}

// receiver returns the name of the type that a method belongs to, without its star.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// methodsOf returns the methods of s if it declares an interface of that name.
func methodsOf(s ast.Spec, name string) (methods []string) {
	t, ok := s.(*ast.TypeSpec)
	if !ok || t.Name.Name != name {
		return nil
	}
	if i, ok := t.Type.(*ast.InterfaceType); ok {
		for _, m := range i.Methods.List {
			methods = append(methods, m.Names[0].Name)
		}
	}
	return methods
}

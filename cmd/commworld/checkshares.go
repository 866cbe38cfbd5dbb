package main

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/show/child"
)

// mayShare reports whether ranks of a program may share Go variables, as far as its source shows
// at a glance: it starts goroutines, or functions of ranks assign, or send to, variables from
// outside. The analyzer sharing knows better.
func mayShare(ctx context.Context, target string) bool {
	dir, arg := child.InDirectory(target)
	list := exec.CommandContext(ctx, "go", "list", "-f", `{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`, "--", arg)
	list.Dir = dir
	out, err := list.Output()
	if err != nil {
		return true // unknown
	}
	var files []*ast.File
	for _, name := range strings.Fields(string(out)) {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return true
		}
		files = append(files, f)
	}
	return filesShare(files)
}

func filesShare(files []*ast.File) bool {
	global := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, s := range g.Specs {
					for _, id := range s.(*ast.ValueSpec).Names {
						global[id.Name] = true
					}
				}
			}
		}
	}
	shares := false
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				shares = true
			case *ast.FuncDecl:
				once := n.Recv == nil && (n.Name.Name == "main" || n.Name.Name == "init")
				shares = shares || !once && n.Body != nil && changes(n, func(name string) bool { return global[name] })
			case *ast.FuncLit:
				if ofRank(n.Type) {
					shares = shares || changes(n, func(string) bool { return true })
				}
			}
			return !shares
		})
	}
	return shares
}

// ofRank reports whether a function has a communicator, as the body of a rank has.
func ofRank(t *ast.FuncType) bool {
	return slices.ContainsFunc(t.Params.List, func(f *ast.Field) bool {
		p, ok := f.Type.(*ast.StarExpr)
		if !ok {
			return false
		}
		s, ok := p.X.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Comm"
	})
}

// changes reports whether a function assigns, or sends to or receives from, a variable that it
// does not declare and that matters.
func changes(function ast.Node, matters func(name string) bool) (found bool) {
	own := map[string]bool{"_": true}
	declare := func(all ...ast.Expr) {
		for _, x := range all {
			if id, ok := x.(*ast.Ident); ok {
				own[id.Name] = true
			}
		}
	}
	ast.Inspect(function, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				declare(id)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				declare(id)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				declare(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				declare(n.Key, n.Value)
			}
		}
		return true
	})
	use := func(all ...ast.Expr) {
		for _, x := range all {
			name := root(x)
			found = found || name != "" && !own[name] && matters(name)
		}
	}
	ast.Inspect(function, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			use(n.Lhs...)
		case *ast.IncDecStmt:
			use(n.X)
		case *ast.SendStmt:
			use(n.Chan)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				use(n.X)
			}
		}
		return !found
	})
	return found
}

// root returns the name of the variable that an expression is part of; empty if there is none.
func root(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.ParenExpr:
		return root(x.X)
	case *ast.SelectorExpr:
		return root(x.X)
	case *ast.IndexExpr:
		return root(x.X)
	case *ast.StarExpr:
		return root(x.X)
	}
	return ""
}

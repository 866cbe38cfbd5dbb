package find

import (
	"go/ast"
	"go/types"
	"strings"
)

// isRank reports whether e is the rank of the caller that evaluates it, and nothing else.
func (w *walker) isRank(e ast.Expr) bool { return w.all(e, map[*types.Var]bool{}) }

func (w *walker) all(e ast.Expr, seen map[*types.Var]bool) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.all(e.X, seen)
	case *ast.CallExpr:
		if w.isType(e.Fun) && len(e.Args) == 1 {
			return w.all(e.Args[0], seen)
		}
		sel, ok := e.Fun.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Rank" && len(e.Args) == 0
	case *ast.Ident:
		v, ok := w.object(e).(*types.Var)
		if !ok || seen[v] || len(w.values[v]) == 0 {
			return false
		}
		seen[v] = true
		for _, x := range w.values[v] {
			if len(x.part)+len(x.at) > 0 || x.result > 0 || !w.in(x.u, func() bool { return w.all(x.e, seen) }) {
				return false
			}
		}
		return true
	}
	return false
}

// ranked reports whether e is computed from the rank of the caller that evaluates it.
func (w *walker) ranked(e ast.Expr) bool { return w.any(e, map[*types.Var]bool{}) }

func (w *walker) any(e ast.Expr, seen map[*types.Var]bool) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && strings.HasSuffix(sel.Sel.Name, "Rank") {
				found = true
			}
		case *ast.Ident:
			v, ok := w.object(n).(*types.Var)
			if !ok || seen[v] {
				break
			}
			seen[v] = true
			for _, x := range w.values[v] {
				found = found || w.in(x.u, func() bool { return w.any(x.e, seen) })
			}
		}
		return !found
	})
	return found
}

package sharing

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A way is how an expression leads to memory from a variable.
type way struct {
	v       *types.Var
	through bool // by a pointer, slice or map: the memory is not the variable's own
	taken   bool // it is an address
	mine    bool // by an index that is the rank
	ranked  bool // by an index that is computed from the rank
}

// where finds the variable that e leads from; nil if there is none.
func (w *walker) where(e ast.Expr) way {
	switch e := e.(type) {
	case *ast.Ident:
		v, _ := w.object(e).(*types.Var)
		if v != nil && v.IsField() {
			v = nil
		}
		return way{v: v}
	case *ast.ParenExpr:
		return w.where(e.X)
	case *ast.StarExpr:
		p := w.where(e.X)
		p.through = true
		return p
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok {
			if _, ok := w.object(id).(*types.PkgName); ok {
				v, _ := w.object(e.Sel).(*types.Var)
				return way{v: v}
			}
		}
		p := w.where(e.X)
		p.through = p.through || refers(w.typeOf(e.X))
		return p
	case *ast.IndexExpr:
		p := w.where(e.X)
		p.through = p.through || refers(w.typeOf(e.X))
		p.mine, p.ranked = p.mine || w.isRank(e.Index), p.ranked || w.ranked(e.Index)
		return p
	case *ast.SliceExpr:
		p := w.where(e.X)
		p.through = p.through || refers(w.typeOf(e.X))
		p.taken = p.taken || !p.through
		if e.Low != nil {
			p.mine, p.ranked = p.mine || w.isRank(e.Low), p.ranked || w.ranked(e.Low)
		}
		return p
	case *ast.TypeAssertExpr:
		return w.where(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			p := w.where(e.X)
			p.taken = true
			return p
		}
	case *ast.CallExpr:
		return w.passed(e)
	}
	return way{}
}

// passed looks through calls that hand on what they are given: conversions, append
// and what makes buffers.
func (w *walker) passed(e *ast.CallExpr) way {
	if len(e.Args) > 0 && (w.isType(e.Fun) || w.builtin(e.Fun) == "append") {
		return w.where(e.Args[0])
	}
	sel, ok := e.Fun.(*ast.SelectorExpr)
	if !ok {
		return way{}
	}
	if sel.Sel.Name == "As" {
		return w.where(sel.X)
	}
	if id, ok := sel.X.(*ast.Ident); ok && len(e.Args) > 0 && (sel.Sel.Name == "Of" || sel.Sel.Name == "Raw") {
		if p, ok := w.object(id).(*types.PkgName); ok && p.Imported().Path() == library+"types" {
			return w.where(e.Args[0])
		}
	}
	return way{}
}

// refers reports whether a value of type t leads to memory elsewhere. An unknown
// type may.
func refers(t types.Type) bool {
	if t == nil {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Interface:
		return true
	case *types.Basic:
		return u.Kind() == types.Invalid
	}
	return false
}

// holds reports whether a value of type t is or contains what refers.
func holds(t types.Type) bool {
	if refers(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	case *types.Signature:
		return false // what it captured is looked at where it is written
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// A value is one that a variable gets, and the package that says so.
type value struct {
	e ast.Expr
	u *unit
}

// bind notes that v gets the value of e, which stands in package u.
func (w *walker) bind(v *types.Var, u *unit, e ast.Expr) {
	if v != nil && e != nil {
		w.values[v] = append(w.values[v], value{e, u})
	}
}

// stands calls tell for each variable whose memory v may lead to, v itself not
// among them.
func (w *walker) stands(v *types.Var, tell func(way)) {
	if !holds(v.Type()) {
		return
	}
	for _, x := range w.values[v] {
		w.in(x.u, func() bool {
			if p := w.where(x.e); p.v != nil && p.v != v {
				tell(p)
			}
			return true
		})
	}
}

// isRank reports whether e is the rank of whoever evaluates it, and nothing else.
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
			if !w.in(x.u, func() bool { return w.all(x.e, seen) }) {
				return false
			}
		}
		return true
	}
	return false
}

// ranked reports whether e is computed from the rank of whoever evaluates it.
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

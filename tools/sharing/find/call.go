package find

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// call walks a call: its effects on its arguments, and the functions that it runs.
func (w *walker) call(n *ast.CallExpr) {
	if w.isType(n.Fun) {
		w.args(n.Args, -1)
		return
	}
	builtin := w.builtin(n.Fun)
	if len(n.Args) == 0 {
		builtin = ""
	}
	switch builtin {
	case "copy", "delete", "clear":
		w.change(n.Args[0], written, false)
		w.args(n.Args[1:], -1)
		return
	case "close":
		w.change(n.Args[0], "closed", false)
		return
	case "len", "cap":
		switch w.underlying(n.Args[0]).(type) {
		case *types.Slice, *types.Array:
			w.rest(n.Args[0])
			return
		}
	}
	if f := w.callee(n); f.node != nil {
		w.parameters(f, w.unit, n)
		if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
			w.rest(sel.X)
		}
		for _, e := range n.Args {
			w.given(e, true)
		}
		w.visit(f)
		return
	}
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if ok && w.method(sel, n) {
		return
	}
	if ok && fills(w.qualified(sel)) && len(n.Args) > 0 {
		w.change(n.Args[0], written, false)
		w.args(n.Args[1:], -1)
		return
	}
	if ok && prints(w.qualified(sel)) {
		for _, e := range n.Args {
			if x, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && x.Op == token.AND {
				e = x.X
			}
			w.read(e)
		}
		return
	}
	if w.isFunction(n.Fun) {
		w.held(n.Fun, n, w.unit, map[any]bool{})
	} else { // a method about which nothing is known
		w.held(n.Fun, nil, nil, w.run)
	}
	w.read(n.Fun)
	into := -1
	if ok {
		into = receives(w.qualified(sel))
	}
	w.args(n.Args, into)
}

// args reads arguments, and writes to the one that a call receives into.
func (w *walker) args(args []ast.Expr, into int) {
	for i, e := range args {
		if i == into && w.where(e).begins() && w.wrapsVariable(e, map[*types.Var]bool{}) {
			w.mention(mention{e: e, pos: e.Pos(), verb: "received into", deep: true})
			continue
		}
		w.read(e)
	}
}

// method handles a call of a method of the standard library's types. It returns false for
// other calls.
func (w *walker) method(sel *ast.SelectorExpr, n *ast.CallExpr) bool {
	t := w.typeOf(sel.X)
	if t == nil {
		return false
	}
	k, ok := kindOf(t)
	switch {
	case !ok:
		return false
	case k == harmless:
		if p := w.where(sel.X); p.v != nil && w.inside(p.v) && !p.leads() {
			break // each rank calls it
		}
		return true // each process runs it once
	case looks[sel.Sel.Name]:
		w.look(sel.X)
	default:
		w.mention(mention{e: sel.X, pos: sel.X.Pos(), verb: sel.Sel.Name, reads: k != lock, locks: k == lock, deep: true})
		w.rest(sel.X)
	}
	w.args(n.Args, -1)
	return true
}

// callee returns the function of the program that a call certainly runs.
func (w *walker) callee(n *ast.CallExpr) function {
	fun := ast.Unparen(n.Fun)
	switch x := fun.(type) { // a generic function
	case *ast.IndexExpr:
		if w.isFunction(x.X) {
			fun = x.X
		}
	case *ast.IndexListExpr:
		fun = x.X
	}
	var f *types.Func
	switch x := fun.(type) {
	case *ast.FuncLit:
		return function{x, w.unit}
	case *ast.Ident:
		f, _ = w.object(x).(*types.Func)
	case *ast.SelectorExpr:
		f, _ = w.object(x.Sel).(*types.Func)
	}
	return w.source(f)
}

// source returns the declaration of f, if it is in the program.
func (w *walker) source(f *types.Func) function {
	if f == nil || f.Pkg() == nil {
		return function{}
	}
	if u := w.loaded[f.Pkg().Path()]; u != nil {
		w.index(u)
	}
	return w.decls[f.Origin()]
}

func (w *walker) isFunction(e ast.Expr) bool {
	_, ok := w.underlying(e).(*types.Signature)
	return ok
}

// parameters binds the arguments of a call, made in package u, to the parameters of f.
func (w *walker) parameters(f function, u *unit, n *ast.CallExpr) {
	for v, values := range w.arguments(f, n, u) {
		for _, x := range values {
			w.bind(v, x)
		}
	}
}

// arguments returns the values that a call, made in package u, passes to the parameters
// of f, including the receiver.
func (w *walker) arguments(f function, n *ast.CallExpr, u *unit) map[*types.Var][]value {
	all := map[*types.Var][]value{}
	give := func(list *ast.FieldList, i int, x value) {
		if v := parameter(f.unit, list, i); v != nil {
			all[v] = append(all[v], x)
		}
	}
	args := n.Args
	if d, ok := f.node.(*ast.FuncDecl); ok && d.Recv != nil {
		sel, _ := ast.Unparen(n.Fun).(*ast.SelectorExpr)
		switch s := u.info.Selections[sel]; {
		case s == nil:
		case s.Kind() == types.MethodVal:
			give(d.Recv, 0, value{e: sel, u: u})
		case s.Kind() == types.MethodExpr && len(args) > 0: // T.method(x, ...)
			give(d.Recv, 0, value{e: args[0], u: u})
			args = args[1:]
		}
	}
	t, _ := f.parts()
	last := t.Params.NumFields() - 1
	for i, e := range args {
		x := value{e: e, u: u}
		if i >= last && variadic(t) && !n.Ellipsis.IsValid() {
			x.at = []step{deref, element}
		}
		give(t.Params, i, x)
	}
	return all
}

func variadic(t *ast.FuncType) bool {
	n := len(t.Params.List)
	if n == 0 {
		return false
	}
	_, ok := t.Params.List[n-1].Type.(*ast.Ellipsis)
	return ok
}

// parameter returns the parameter with index i; the last one of a variadic function takes
// all further arguments.
func parameter(u *unit, list *ast.FieldList, i int) *types.Var {
	var names []*ast.Ident
	for _, field := range list.List {
		names = append(names, field.Names...)
	}
	if len(names) == 0 {
		return nil
	}
	v, _ := u.info.Defs[names[min(i, len(names)-1)]].(*types.Var)
	return v
}

// held walks the functions that e, or values in it, may hold; call, made in package u,
// calls one of them. If call is nil, they may run, and seen is w.run.
func (w *walker) held(e ast.Expr, call *ast.CallExpr, u *unit, seen map[any]bool) {
	enter := func(f function) {
		if t, _ := f.parts(); call != nil && t != nil && (t.Params.NumFields() == len(call.Args) || variadic(t)) {
			w.parameters(f, u, call)
		}
		w.visit(f)
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			enter(function{n, w.unit})
			return false
		case *ast.SelectorExpr:
			enter(w.taken(n))
		case *ast.CallExpr:
			return w.walkResults(n, call, u, seen)
		case *ast.Ident:
			switch o := w.object(n).(type) {
			case *types.Func:
				enter(w.source(o))
			case *types.Var:
				if seen[o] || !mayHold(o.Type()) {
					break
				}
				seen[o] = true
				all := slices.Concat(w.values[o], w.handed[o])
				if len(all) > 1 {
					w.choices++
				}
				for _, x := range all {
					w.in(x.u, func() bool { w.held(x.e, call, u, seen); return true })
				}
				if len(all) > 1 {
					w.choices--
				}
			}
		}
		return true
	})
}

// walkResults walks the functions that a call inside an expression seen by held may return: its
// results or, if these are unknown, its arguments.
func (w *walker) walkResults(n, call *ast.CallExpr, u *unit, seen map[any]bool) (look bool) {
	f := w.callee(n)
	if f.node == nil {
		sel, ok := n.Fun.(*ast.SelectorExpr)
		return !ok || !once(w.qualified(sel))
	}
	if !seen[n] {
		seen[n] = true
		for _, results := range w.returns(f) {
			for _, e := range results {
				w.in(f.unit, func() bool { w.held(e, call, u, seen); return true })
			}
		}
	}
	return false
}

// qualified returns the package and name of a called function; the package of a method is
// empty.
func (w *walker) qualified(sel *ast.SelectorExpr) (pkg, name string) {
	if id, ok := sel.X.(*ast.Ident); ok {
		if p, ok := w.object(id).(*types.PkgName); ok {
			return p.Imported().Path(), sel.Sel.Name
		}
	}
	return "", sel.Sel.Name
}

// wrapsVariable reports whether e is a buffer made from the content of a variable. Package types
// is not analysed; its functions are known by name.
func (w *walker) wrapsVariable(e ast.Expr, seen map[*types.Var]bool) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		lent := w.lent(e)
		return lent != nil && !w.isType(e.Fun) && w.where(lent).begins()
	case *ast.Ident:
		v, ok := w.object(e).(*types.Var)
		if !ok || seen[v] {
			return false
		}
		seen[v] = true
		for _, x := range w.values[v] {
			if w.in(x.u, func() bool { return w.wrapsVariable(x.e, seen) }) {
				return true
			}
		}
	}
	return false
}

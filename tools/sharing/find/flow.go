package find

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A value is assigned to a variable, or to a part of it; it has the package of the
// assignment.
type value struct {
	e      ast.Expr
	u      *unit
	result int       // of a call
	part   []step    // of e
	at     []step    // the assigned part of the variable
	pos    token.Pos // of the assignment; none for parameters
}

// A renewal is an assignment that runs before all later code of a block: there, earlier
// values of the variable or field do not matter.
type renewal struct {
	at            []step
	pos, from, to token.Pos
}

// renewals records the assignments among the statements of a block.
func (w *walker) renewals(list []ast.Stmt, end token.Pos) {
	for _, s := range list {
		a, ok := s.(*ast.AssignStmt)
		if !ok || a.Tok != token.ASSIGN && a.Tok != token.DEFINE {
			continue
		}
		for _, e := range a.Lhs {
			if p := w.where(e); p.v != nil && !slices.Contains(p.steps, element) { // of which there may be others
				w.renews[p.v] = append(w.renews[p.v], renewal{p.steps, a.Pos(), a.End(), end})
			}
		}
	}
}

// renewed returns the position of the last renewal before p.
func (w *walker) renewed(p way) (since token.Pos) {
	for _, r := range w.renews[p.v] {
		if r.from <= p.from && p.from < r.to && begin(p.steps, r.at) {
			since = max(since, r.pos)
		}
	}
	return since
}

// bind records a value of v.
func (w *walker) bind(v *types.Var, x value) {
	same := func(y value) bool { return y.e == x.e && y.result == x.result }
	if v == nil || x.e == nil || slices.ContainsFunc(w.values[v], same) {
		return
	}
	w.values[v] = append(w.values[v], x)
	if w.run[v] {
		w.in(x.u, func() bool { w.held(x.e, nil, nil, w.run); return true })
	}
}

// A place is the origin of a way: a variable in one call of its function.
type place struct {
	v    *types.Var
	made ast.Expr
	call *ast.CallExpr
}

// A start is the key of a way from a variable: the facts that decide where it leads.
type start struct {
	v                     *types.Var
	steps                 string
	since                 token.Pos
	changed, mine, ranked bool
}

// reached returns the ways from variables outside of the body by which p leads to its
// memory, for a change or a read of that memory.
func (w *walker) reached(p way, changed bool) []way {
	at := start{p.v, fmt.Sprint(p.steps), w.renewed(p), changed, p.mine, p.ranked}
	found, known := w.ways[at]
	if known && p.made == nil {
		return found
	}
	seen := map[place]bool{}
	var reach func(way)
	reach = func(p way) {
		at, local := place{v: p.v, made: p.made}, false
		if f := p.frame; f != nil {
			at.call = f.call
			local = p.v != nil && within(f.of.node, p.v)
		}
		if seen[at] {
			return
		}
		seen[at] = true
		copied := changed && !p.leads() && p.v == w.bound && p.v != nil && !refers(p.v.Type())
		if p.v != nil && !local && !copied && !w.inside(p.v) {
			found = append(found, p)
		}
		if p.leads() {
			w.follow(p, reach)
		}
	}
	reach(p)
	if p.made == nil {
		w.ways[at] = found
	}
	return found
}

// follow calls visit for each path from the beginning of p to the memory at its end. It
// leaves out variables of which p is a copy.
func (w *walker) follow(p way, visit func(way)) {
	on := func(x value, f *frame, steps []step) {
		if !(way{steps: steps}).leads() {
			return
		}
		q, known := w.begun[x.e]
		if !known {
			w.in(x.u, func() bool { q = w.where(x.e); return true })
			w.begun[x.e] = q
		}
		if !q.begins() {
			return
		}
		if q.made != nil {
			q.result = x.result
		}
		q.frame, q.mine, q.ranked = f, q.mine || p.mine, q.ranked || p.ranked
		visit(q.then(x.part...).then(steps...))
	}
	switch made := p.made.(type) {
	case *ast.CompositeLit:
		w.in(p.unit, func() bool {
			w.elements(made, p.steps, func(e ast.Expr, steps []step) { on(value{e: e, u: p.unit}, p.frame, steps) })
			return true
		})
	case *ast.CallExpr:
		w.in(p.unit, func() bool { w.results(made, p, on); return true })
	}
	if p.v == nil || !holds(p.v.Type()) {
		return
	}
	values, f := w.values[p.v], p.frame
	if f != nil && f.args[p.v] != nil {
		values, f = f.args[p.v], f.outer
	}
	since := w.renewed(p)
	for _, x := range values {
		if x.pos < since {
			continue
		}
		if begin(p.steps, x.at) {
			on(x, f, p.steps[len(x.at):])
		}
	}
}

// begin reports whether steps begin with at.
func begin(steps, at []step) bool { return len(at) <= len(steps) && slices.Equal(steps[:len(at)], at) }

// elements calls visit for each element of a literal that steps may lead to, with the
// remaining steps.
func (w *walker) elements(lit *ast.CompositeLit, steps []step, visit func(ast.Expr, []step)) {
	t := w.underlying(lit)
	if to, ok := t.(*types.Pointer); ok {
		t = to.Elem().Underlying()
	}
	of, isStruct := t.(*types.Struct)
	if !isStruct && refers(t) && len(steps) > 0 { // a slice or map
		steps = steps[1:]
	}
	if len(steps) == 0 {
		return
	}
	for i, e := range lit.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		if keyed {
			e = kv.Value
		}
		if isStruct {
			var field *types.Var
			switch {
			case keyed:
				id, _ := kv.Key.(*ast.Ident)
				field, _ = w.object(id).(*types.Var)
			case i < of.NumFields():
				field = of.Field(i)
			}
			if field == nil || field.Origin() != steps[0].field {
				continue
			}
		}
		visit(e, steps[1:])
	}
}

// results calls on for each value that a call may return.
func (w *walker) results(call *ast.CallExpr, p way, on func(value, *frame, []step)) {
	if w.builtin(call.Fun) == "append" && len(call.Args) > 0 {
		w.appended(call, p, on)
		return
	}
	f := w.callee(call)
	if f.node == nil {
		return
	}
	inside := &frame{call, f, w.arguments(f, call, w.unit), p.frame}
	for _, results := range w.returns(f) {
		switch {
		case p.result < len(results):
			on(value{e: results[p.result], u: f.unit}, inside, p.steps)
		case len(results) == 1: // results of another call
			on(value{e: results[0], u: f.unit, result: p.result}, inside, p.steps)
		}
	}
}

// appended calls on for the slice that was appended to, and for the appended elements.
func (w *walker) appended(call *ast.CallExpr, p way, on func(value, *frame, []step)) {
	if !fresh(call.Args[0]) {
		on(value{e: call.Args[0], u: p.unit}, p.frame, p.steps)
	}
	if len(p.steps) < 2 {
		return
	}
	within := way{steps: p.steps[2:]}
	for _, e := range call.Args[1:] {
		if !call.Ellipsis.IsValid() {
			on(value{e: e, u: p.unit}, p.frame, within.steps)
		} else if within.leads() { // the elements are copies
			on(value{e: e, u: p.unit}, p.frame, p.steps)
		}
	}
}

// fresh reports whether e is a slice without capacity, so that append copies.
func fresh(e ast.Expr) bool {
	s, ok := e.(*ast.SliceExpr)
	if !ok || s.Max == nil {
		return false
	}
	n, ok := s.Max.(*ast.BasicLit)
	return ok && n.Value == "0"
}

// returns returns the expressions of each return statement of f.
func (w *walker) returns(f function) [][]ast.Expr {
	t, body := f.parts()
	all, known := w.returned[f.node]
	if known || body == nil {
		return all
	}
	var named []ast.Expr
	if t.Results != nil {
		for _, field := range t.Results.List {
			for _, id := range field.Names {
				named = append(named, id)
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) == 0 {
				all = append(all, named)
			} else {
				all = append(all, n.Results)
			}
		}
		return true
	})
	w.returned[f.node] = all
	return all
}

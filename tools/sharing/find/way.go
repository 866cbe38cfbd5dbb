package find

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A step leads from memory to other memory.
type step struct {
	does  byte       // 'd': to the memory it points to, 'f': to a field, 'e': to an element, 'a': back to its address
	field *types.Var // nil if unknown
}

var (
	deref   = step{does: 'd'}
	element = step{does: 'e'}
	address = step{does: 'a'}
)

// A way is how an expression leads to memory: from a variable, or from the result of a
// call or a literal.
type way struct {
	v      *types.Var
	made   ast.Expr  // *ast.CallExpr or *ast.CompositeLit; nil if it begins at v
	result int       // of the call
	unit   *unit     // the package of made
	frame  *frame    // the enclosing call; nil: any call
	from   token.Pos // position of v
	steps  []step
	mine   bool // through an index that is the rank
	ranked bool // through an index computed from the rank
}

// A frame is a call whose function is being analysed.
type frame struct {
	call  *ast.CallExpr
	of    function
	args  map[*types.Var][]value
	outer *frame
}

func (p way) begins() bool { return p.v != nil || p.made != nil }

// then appends steps. A dereference cancels an address.
func (p way) then(steps ...step) way {
	if n := len(p.steps); n > 0 && len(steps) > 0 && p.steps[n-1] == address && steps[0] == deref {
		p.steps = p.steps[:n-1]
		return p.then(steps[1:]...)
	}
	switch {
	case len(p.steps) == 0:
		p.steps = steps
	case len(steps) > 0:
		p.steps = slices.Concat(p.steps, steps)
	}
	return p
}

// leads reports whether a copy of the beginning of p leads to the same memory.
func (p way) leads() bool { return slices.Contains(p.steps, deref) }

// where returns the way from which e leads.
func (w *walker) where(e ast.Expr) way {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := w.object(e).(*types.Var)
		if v != nil && v.IsField() {
			v = nil
		}
		return way{v: v, from: e.Pos()}
	case *ast.StarExpr:
		return w.where(e.X).then(deref)
	case *ast.SelectorExpr:
		return w.selected(e)
	case *ast.IndexExpr:
		return w.at(w.where(e.X).then(inner(w.typeOf(e.X))...), e.Index)
	case *ast.SliceExpr:
		p := w.where(e.X)
		if _, ok := w.underlying(e.X).(*types.Array); ok {
			p = p.then(address)
		}
		return w.at(p, e.Low)
	case *ast.TypeAssertExpr:
		return w.where(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return w.where(e.X).then(address)
		}
	case *ast.CompositeLit:
		p := way{made: e, unit: w.unit}
		if _, ok := w.underlying(e).(*types.Pointer); ok { // in a list of pointers
			p = p.then(address)
		}
		return p
	case *ast.CallExpr:
		if lent := w.lent(e); lent != nil {
			return w.where(lent)
		}
		if !w.isType(e.Fun) {
			return way{made: e, unit: w.unit}
		}
	}
	return way{}
}

// at returns p with what its index, which may be nil, says about ranks.
func (w *walker) at(p way, index ast.Expr) way {
	if index != nil {
		p.mine, p.ranked = p.mine || w.isRank(index), p.ranked || w.ranked(index)
	}
	return p
}

// inner returns the steps from a value of type t to its elements. A value of unknown type
// counts as a slice or map.
func inner(t types.Type) []step {
	if refers(t) {
		return []step{deref, element}
	}
	return []step{element}
}

// selected returns the way to a field, or to the receiver of a method, through embedded
// fields. A value of unknown type counts as a struct.
func (w *walker) selected(e *ast.SelectorExpr) way {
	if id, ok := e.X.(*ast.Ident); ok {
		if _, ok := w.object(id).(*types.PkgName); ok {
			v, _ := w.object(e.Sel).(*types.Var)
			return way{v: v}
		}
	}
	p, s := w.where(e.X), w.unit.info.Selections[e]
	if s == nil {
		return p.then(step{does: 'f'})
	}
	t, fields := s.Recv(), s.Index()
	if s.Kind() != types.FieldVal {
		fields = fields[:len(fields)-1]
	}
	for _, i := range fields {
		if to, ok := t.Underlying().(*types.Pointer); ok {
			p, t = p.then(deref), to.Elem()
		}
		in, ok := t.Underlying().(*types.Struct)
		if !ok {
			break
		}
		p, t = p.then(step{'f', in.Field(i).Origin()}), in.Field(i).Type()
	}
	if f, ok := s.Obj().(*types.Func); ok && f.Signature().Recv() != nil { // with the receiver that the method expects
		_, have := t.Underlying().(*types.Pointer)
		_, want := f.Signature().Recv().Type().Underlying().(*types.Pointer)
		switch {
		case want && !have && !types.IsInterface(t):
			p = p.then(address)
		case have && !want:
			p = p.then(deref)
		}
	}
	return p
}

// lent returns the argument that a call passes on: of a conversion that does not copy, or
// of a function that makes a buffer; nil for other calls.
func (w *walker) lent(e *ast.CallExpr) ast.Expr {
	sel, ok := e.Fun.(*ast.SelectorExpr)
	switch {
	case len(e.Args) > 0 && w.isType(e.Fun):
		if isString(w.typeOf(e.Fun)) == isString(w.typeOf(e.Args[0])) {
			return e.Args[0]
		}
	case !ok:
	case w.unknown(sel.X) && (sel.Sel.Name == "As" || sel.Sel.Name == "Times" || sel.Sel.Name == "At"):
		return sel.X
	case len(e.Args) > 0 && (sel.Sel.Name == "Of" || sel.Sel.Name == "Raw"):
		if pkg, _ := w.qualified(sel); pkg == library+"types" {
			return e.Args[0]
		}
	}
	return nil
}

// unknown reports whether the type of e is declared in source that is not read.
func (w *walker) unknown(e ast.Expr) bool {
	t := w.typeOf(e)
	return t == nil || t == types.Typ[types.Invalid]
}

func isString(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// refers reports whether a value of type t refers to memory elsewhere. An unknown type
// may.
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

// holds reports whether a value of type t refers to memory elsewhere or contains such a
// value.
func holds(t types.Type) bool {
	if refers(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	case *types.Signature:
		return false // captured variables are analysed where the function is written
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// mayHold reports whether a value of type t may contain functions.
func mayHold(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok || holds(t)
}

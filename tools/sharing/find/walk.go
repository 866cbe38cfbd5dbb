package find

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A mention is a place where code of ranks uses a variable.
type mention struct {
	e     ast.Expr // the use; which indices are the rank is known only when all code was read
	unit  *unit
	pos   token.Pos
	verb  string // the change; empty if it is only read
	reads bool
	locks bool // it only locks
	deep  bool // the use accesses memory that e refers to
	maybe bool // it is in a function that may not run
}

const written = "written"

// A function is a function of the program, with its package.
type function struct {
	node ast.Node // *ast.FuncDecl or *ast.FuncLit
	unit *unit
}

// parts returns its type and body; both are nil if it is not in the program.
func (f function) parts() (*ast.FuncType, *ast.BlockStmt) {
	switch n := f.node.(type) {
	case *ast.FuncDecl:
		return n.Type, n.Body
	case *ast.FuncLit:
		return n.Type, n.Body
	}
	return nil, nil
}

// A walker walks the code that ranks run.
type walker struct {
	*loader
	unit     *unit // package of the present code
	mentions []mention
	choices  int // number of enclosing alternatives: functions that a variable may hold
	values   map[*types.Var][]value
	handed   map[*types.Var][]value // functions passed to parameters by any code
	renews   map[*types.Var][]renewal
	decls    map[types.Object]function
	indexed  map[*unit]bool
	visited  []ast.Node
	root     ast.Node   // the body
	bound    *types.Var // the receiver of a body that is a method
	seen     map[ast.Node]bool
	begun    map[ast.Expr]way          // origins of values, after all code was read
	returned map[ast.Node][][]ast.Expr // of functions
	ways     map[start][]way           // results: ways from outside by start
	run      map[any]bool              // variables and calls whose functions were walked
}

func newWalker(l *loader) *walker {
	return &walker{
		loader: l, values: map[*types.Var][]value{}, handed: map[*types.Var][]value{}, renews: map[*types.Var][]renewal{},
		decls: map[types.Object]function{}, indexed: map[*unit]bool{}, seen: map[ast.Node]bool{}, run: map[any]bool{},
		begun: map[ast.Expr]way{}, returned: map[ast.Node][][]ast.Expr{}, ways: map[start][]way{},
	}
}

// in calls do for code of another package.
func (w *walker) in(u *unit, do func() bool) bool {
	was := w.unit
	w.unit = u
	defer func() { w.unit = was }()
	return do()
}

func (w *walker) object(id *ast.Ident) types.Object {
	if o := w.unit.info.Uses[id]; o != nil {
		return o
	}
	return w.unit.info.Defs[id]
}

func (w *walker) typeOf(e ast.Expr) types.Type { return w.unit.info.TypeOf(e) }
func (w *walker) isType(e ast.Expr) bool       { return w.unit.info.Types[e].IsType() }

func (w *walker) builtin(e ast.Expr) string {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return ""
	}
	if b, ok := w.object(id).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// index records the functions that a package declares, and the values that its code
// assigns to variables.
func (w *walker) index(u *unit) {
	if w.indexed[u] {
		return
	}
	w.indexed[u] = true
	w.in(u, func() bool {
		for _, f := range u.files {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					w.decls[u.info.Defs[n.Name]] = function{n, u}
				case *ast.AssignStmt:
					w.assigned(n.Lhs, n.Rhs)
				case *ast.ValueSpec:
					names := make([]ast.Expr, len(n.Names))
					for i, id := range n.Names {
						names[i] = id
					}
					w.assigned(names, n.Values)
				case *ast.RangeStmt:
					w.ranged(n)
				case *ast.TypeSwitchStmt:
					w.switched(n)
				case *ast.BlockStmt:
					w.renewals(n.List, n.End())
				case *ast.CaseClause:
					w.renewals(n.Body, n.End())
				case *ast.CommClause:
					w.renewals(n.Body, n.End())
				}
				return true
			})
		}
		for _, f := range u.files {
			ast.Inspect(f, w.recordArguments)
		}
		return true
	})
}

// recordArguments records which functions a call passes to which parameters: another function may
// make a rank's program from them.
func (w *walker) recordArguments(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return true
	}
	f := w.callee(call)
	if _, ok := f.node.(*ast.FuncDecl); !ok {
		return true
	}
	for v, values := range w.arguments(f, call, w.unit) {
		for _, x := range values {
			if slices.Contains(call.Args, x.e) && w.isFunction(x.e) {
				w.handed[v] = append(w.handed[v], x)
			}
		}
	}
	return true
}

func (w *walker) assigned(to, from []ast.Expr) {
	for i, e := range to {
		x := value{u: w.unit, pos: e.Pos()}
		switch {
		case len(from) == len(to):
			x.e = from[i]
		case len(from) != 1:
			continue
		default:
			x.e, x.result = from[0], i
			if _, ok := ast.Unparen(x.e).(*ast.CallExpr); !ok && i > 0 {
				continue // whether there is one
			}
		}
		p := w.where(e)
		x.at = p.steps
		w.bind(p.v, x)
	}
}

func (w *walker) ranged(n *ast.RangeStmt) {
	to := n.Value
	switch w.underlying(n.X).(type) {
	case *types.Signature:
		return
	case *types.Chan:
		to = n.Key
	}
	if id, ok := to.(*ast.Ident); ok {
		v, _ := w.object(id).(*types.Var)
		w.bind(v, value{e: n.X, u: w.unit, part: inner(w.typeOf(n.X))})
	}
}

func (w *walker) switched(n *ast.TypeSwitchStmt) {
	a, ok := n.Assign.(*ast.AssignStmt)
	if !ok {
		return
	}
	for _, c := range n.Body.List {
		v, _ := w.unit.info.Implicits[c].(*types.Var)
		w.bind(v, value{e: a.Rhs[0], u: w.unit})
	}
}

// visit walks a function that ranks run.
func (w *walker) visit(f function) {
	if w.seen[f.node] || f.node == nil {
		return
	}
	w.seen[f.node] = true
	w.visited = append(w.visited, f.node)
	w.index(f.unit)
	w.in(f.unit, func() bool {
		if _, body := f.parts(); body != nil {
			ast.Inspect(body, w.node)
		}
		return true
	})
}

// inside reports whether each rank makes a new v whenever it reaches its declaration.
func (w *walker) inside(v *types.Var) bool {
	if v == w.bound {
		return false
	}
	return slices.ContainsFunc(w.visited, func(n ast.Node) bool { return within(n, v) })
}

// within reports whether v is declared in n.
func within(n ast.Node, v *types.Var) bool { return n.Pos() <= v.Pos() && v.Pos() < n.End() }

func (w *walker) read(e ast.Expr) { ast.Inspect(e, w.node) }

// rest reads the expressions in the way to a variable, but not the variable.
func (w *walker) rest(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
		if f, ok := w.object(e).(*types.Func); ok {
			w.reach(f)
		}
	case *ast.ParenExpr:
		w.rest(e.X)
	case *ast.StarExpr:
		w.rest(e.X)
	case *ast.SelectorExpr:
		w.rest(e.X)
	case *ast.IndexExpr:
		w.rest(e.X)
		w.read(e.Index)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			w.rest(e.X)
		} else {
			w.read(e)
		}
	case *ast.SliceExpr:
		w.rest(e.X)
		for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
			if i != nil {
				w.read(i)
			}
		}
	default:
		w.read(e)
	}
}

func (w *walker) mention(m mention) {
	if p := w.where(m.e); p.begins() {
		m.unit, m.maybe = w.unit, w.choices > 0
		w.mentions = append(w.mentions, m)
	}
}

// write records that e is changed.
func (w *walker) write(e ast.Expr, verb string, reads bool) {
	w.mention(mention{e: e, pos: e.Pos(), verb: verb, reads: reads})
	w.rest(e)
}

// change records that memory which e refers to is changed.
func (w *walker) change(e ast.Expr, verb string, reads bool) {
	w.mention(mention{e: e, pos: e.Pos(), verb: verb, reads: reads, deep: true})
	w.rest(e)
}

// node is called by ast.Inspect.
func (w *walker) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			if id, ok := e.(*ast.Ident); ok && w.unit.info.Defs[id] != nil {
				continue
			}
			w.write(e, written, n.Tok != token.ASSIGN && n.Tok != token.DEFINE)
		}
		for i, e := range n.Rhs {
			w.given(e, len(n.Lhs) == len(n.Rhs) && (isIdent(n.Lhs[i]) || isMade(e)))
		}
		return false
	case *ast.ValueSpec:
		for _, e := range n.Values {
			w.given(e, true)
		}
		return false
	case *ast.IncDecStmt:
		w.write(n.X, written, true)
		return false
	case *ast.RangeStmt:
		w.ranges(n)
		return false
	case *ast.SendStmt:
		w.change(n.Chan, "sent to", false)
		w.read(n.Value)
		return false
	case *ast.UnaryExpr:
		return w.unary(n)
	case *ast.CallExpr:
		w.call(n)
		return false
	case *ast.Ident:
		w.name(n)
		return false
	case *ast.SelectorExpr:
		w.taken(n)
		w.look(n)
		return false
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			w.given(e, isMade(e))
		}
		return false
	case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr:
		w.look(n.(ast.Expr))
		return false
	case *ast.KeyValueExpr:
		if id, ok := n.Key.(*ast.Ident); ok && w.isField(id) {
			w.read(n.Value)
			return false
		}
	}
	return true
}

func isIdent(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok
}

// given walks a value. A value that refers to memory and is assigned to a variable counts
// as used where that variable is used.
func (w *walker) given(e ast.Expr, known bool) {
	switch x := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		if known {
			w.literal(x)
			return
		}
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok && known && x.Op == token.AND {
			w.given(lit, true)
			return
		}
	case *ast.CallExpr:
		if known && len(x.Args) > 0 && w.builtin(x.Fun) == "append" && !x.Ellipsis.IsValid() {
			w.read(x.Args[0])
			for _, e := range x.Args[1:] {
				w.given(e, isMade(e))
			}
			return
		}
	}
	if known && w.where(e).v != nil && refers(w.typeOf(e)) {
		w.rest(e)
		return
	}
	w.read(e)
}

func (w *walker) literal(x *ast.CompositeLit) {
	for _, e := range x.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); !ok || !w.isField(id) {
				w.read(kv.Key)
			}
			e = kv.Value
		}
		w.given(e, true)
	}
}

// isMade reports whether e is an address or a literal.
func isMade(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return x.Op == token.AND
	case *ast.CompositeLit:
		return true
	}
	return false
}

func (w *walker) isField(id *ast.Ident) bool {
	v, ok := w.object(id).(*types.Var)
	return ok && v.IsField()
}

// look records that the value of e is used. If it is a function, it may be called.
func (w *walker) look(e ast.Expr) {
	w.mention(mention{e: e, pos: e.Pos(), reads: true})
	w.rest(e)
	if w.isFunction(e) {
		w.held(e, nil, nil, w.run)
	}
}

func (w *walker) name(id *ast.Ident) {
	switch o := w.object(id).(type) {
	case *types.Func:
		w.reach(o)
	case *types.Var:
		if !o.IsField() {
			w.look(id)
		}
	}
}

// reach walks a function of the program that ranks call.
func (w *walker) reach(f *types.Func) { w.visit(w.source(f)) }

// taken returns the function of a method value, bound to its receiver.
func (w *walker) taken(sel *ast.SelectorExpr) function {
	m, _ := w.object(sel.Sel).(*types.Func)
	f := w.source(m)
	if d, ok := f.node.(*ast.FuncDecl); ok && d.Recv != nil && !w.isType(sel.X) {
		w.bind(parameter(f.unit, d.Recv, 0), value{e: sel, u: w.unit})
	}
	w.visit(f)
	return f
}

func (w *walker) unary(n *ast.UnaryExpr) bool {
	switch n.Op {
	case token.ARROW:
		w.change(n.X, "received from", true)
		return false
	case token.AND:
		if w.where(n.X).v == nil {
			return true
		}
		w.write(n.X, "address taken", true)
		return false
	}
	return true
}

func (w *walker) ranges(n *ast.RangeStmt) {
	for _, e := range []ast.Expr{n.Key, n.Value} {
		if e == nil {
			continue
		}
		if id, ok := e.(*ast.Ident); !ok || w.unit.info.Defs[id] == nil {
			w.write(e, written, false)
		}
	}
	switch w.underlying(n.X).(type) {
	case *types.Chan:
		w.change(n.X, "received from", true)
	case *types.Slice, *types.Array:
		if n.Value == nil { // only the length is used
			w.rest(n.X)
		} else {
			w.read(n.X)
		}
	default:
		w.read(n.X)
	}
	ast.Inspect(n.Body, w.node)
}

func (w *walker) underlying(e ast.Expr) types.Type {
	if t := w.typeOf(e); t != nil {
		return t.Underlying()
	}
	return nil
}

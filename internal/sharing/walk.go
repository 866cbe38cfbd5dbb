package sharing

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A mention is a place where code of ranks uses a variable.
type mention struct {
	e     ast.Expr // what it is of; which indices are the rank is known when all code was read
	unit  *unit
	pos   token.Pos
	verb  string // what is done to it; empty if it is only read
	reads bool
	locks bool // and nothing else
	deep  bool // it is done to what e refers to
}

const written = "written"

// A function is code that was found, and the package that it is in.
type function struct {
	node ast.Node // *ast.FuncDecl or *ast.FuncLit
	unit *unit
}

// A walker goes through the code that ranks run.
type walker struct {
	*loader
	unit     *unit // of the code it is at
	mentions []mention
	values   map[*types.Var][]value
	handed   map[*types.Var][]value // to parameters, by any code: functions only
	decls    map[types.Object]function
	indexed  map[*unit]bool
	visited  []ast.Node
	bound    *types.Var // the receiver of a body that is a method
	seen     map[ast.Node]bool
}

func newWalker(l *loader) *walker {
	return &walker{
		loader: l, values: map[*types.Var][]value{}, handed: map[*types.Var][]value{},
		decls: map[types.Object]function{}, indexed: map[*unit]bool{}, seen: map[ast.Node]bool{},
	}
}

// in does something at code of another package.
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

// index notes what functions a package declares, and what values its code gives to
// variables.
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
					if id, ok := n.Value.(*ast.Ident); ok {
						v, _ := w.object(id).(*types.Var)
						w.bind(v, u, n.X)
					}
				}
				return true
			})
		}
		for _, f := range u.files {
			ast.Inspect(f, w.hands)
		}
		return true
	})
}

// hands notes which functions a call hands to what parameter: that may be what a
// rank's program runs which another function has made.
func (w *walker) hands(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return true
	}
	f := w.callee(call)
	d, ok := f.node.(*ast.FuncDecl)
	if !ok {
		return true
	}
	for i, e := range call.Args {
		if _, ok := w.underlying(e).(*types.Signature); !ok {
			continue
		}
		if v := parameter(f.unit, d.Type.Params, i); v != nil {
			w.handed[v] = append(w.handed[v], value{e, w.unit})
		}
	}
	return true
}

func (w *walker) assigned(to, from []ast.Expr) {
	for i, e := range to {
		if len(from) != len(to) {
			continue // results of a call, which come from elsewhere
		}
		if id, ok := e.(*ast.Ident); ok {
			v, _ := w.object(id).(*types.Var)
			w.bind(v, w.unit, from[i])
		}
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
		switch n := f.node.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				ast.Inspect(n.Body, w.node)
			}
		case *ast.FuncLit:
			ast.Inspect(n.Body, w.node)
		}
		return true
	})
}

// inside reports whether ranks make v anew whenever they come to it.
func (w *walker) inside(v *types.Var) bool {
	if v == w.bound {
		return false
	}
	for _, n := range w.visited {
		if n.Pos() <= v.Pos() && v.Pos() < n.End() {
			return true
		}
	}
	return false
}

func (w *walker) read(e ast.Expr) { ast.Inspect(e, w.node) }

// rest reads what stands in the way to a variable, not the variable.
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
	if v := w.where(m.e).v; v != nil && v.Name() != "_" {
		m.unit = w.unit
		w.mentions = append(w.mentions, m)
	}
}

// write notes that e is changed.
func (w *walker) write(e ast.Expr, verb string, reads bool) {
	w.mention(mention{e: e, pos: e.Pos(), verb: verb, reads: reads})
	w.rest(e)
}

// change notes that what e refers to is changed.
func (w *walker) change(e ast.Expr, verb string, reads bool) {
	w.mention(mention{e: e, pos: e.Pos(), verb: verb, reads: reads, deep: true})
	w.rest(e)
}

// node is what ast.Inspect calls.
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
			w.given(e, len(n.Lhs) == len(n.Rhs) && isIdent(n.Lhs[i]))
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
		if f, ok := w.object(n.Sel).(*types.Func); ok {
			w.reach(f)
		}
		w.look(n)
		return false
	case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr:
		w.look(n.(ast.Expr))
		return false
	case *ast.KeyValueExpr:
		if id, ok := n.Key.(*ast.Ident); ok {
			if v, ok := w.object(id).(*types.Var); ok && v.IsField() {
				w.read(n.Value)
				return false
			}
		}
	}
	return true
}

func isIdent(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok
}

// given walks a value. What a variable is given that leads to memory elsewhere is
// looked at where that variable is.
func (w *walker) given(e ast.Expr, known bool) {
	if known && w.where(e).v != nil && refers(w.typeOf(e)) {
		w.rest(e)
		return
	}
	w.read(e)
}

// look notes that the value of e is used.
func (w *walker) look(e ast.Expr) {
	w.mention(mention{e: e, pos: e.Pos(), reads: true})
	w.rest(e)
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

// reach walks a function of the program that ranks come to.
func (w *walker) reach(f *types.Func) {
	if f.Pkg() == nil {
		return
	}
	if u := w.loaded[f.Pkg().Path()]; u != nil {
		w.index(u)
	}
	w.visit(w.decls[f.Origin()])
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
		if n.Value == nil { // its length alone
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

// call walks a call: what it does to what it is given, and what it runs.
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
	if ok && w.fills(w.qualified(sel)) && len(n.Args) > 0 {
		w.change(n.Args[0], written, false)
		w.args(n.Args[1:], -1)
		return
	}
	w.held(w.where(n.Fun).v, w.unit, n, map[*types.Var]bool{})
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
		if i == into && w.where(e).v != nil && w.lends(e, map[*types.Var]bool{}) {
			w.mention(mention{e: e, pos: e.Pos(), verb: "received into", deep: true})
			continue
		}
		w.read(e)
	}
}

// method is a call of a method of the standard library's types. It is false of
// others.
func (w *walker) method(sel *ast.SelectorExpr, n *ast.CallExpr) bool {
	t := w.typeOf(sel.X)
	if t == nil {
		return false
	}
	k, ok := kindOf(t)
	switch {
	case !ok:
		return false
	case k == harmless: // and what it does once is done once in each process
		return true
	case looks[sel.Sel.Name]:
		w.look(sel.X)
	default:
		w.mention(mention{e: sel.X, pos: sel.X.Pos(), verb: sel.Sel.Name, reads: k != lock, locks: k == lock, deep: true})
		w.rest(sel.X)
	}
	w.args(n.Args, -1)
	return true
}

// callee is the function of the program that a call runs for certain.
func (w *walker) callee(n *ast.CallExpr) function {
	fun := ast.Unparen(n.Fun)
	switch x := fun.(type) { // of a generic one
	case *ast.IndexExpr:
		if !w.isValue(x.X) {
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
	if f == nil || f.Pkg() == nil {
		return function{}
	}
	if u := w.loaded[f.Pkg().Path()]; u != nil {
		w.index(u)
	}
	return w.decls[f.Origin()]
}

func (w *walker) isValue(e ast.Expr) bool {
	_, ok := w.underlying(e).(*types.Signature)
	return !ok
}

// parameters binds the arguments of a call, made in package u, to what f calls them.
func (w *walker) parameters(f function, u *unit, n *ast.CallExpr) {
	var list *ast.FieldList
	switch x := f.node.(type) {
	case *ast.FuncDecl:
		list = x.Type.Params
		if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && x.Recv != nil {
			w.bind(parameter(f.unit, x.Recv, 0), u, sel.X)
		}
	case *ast.FuncLit:
		list = x.Type.Params
	}
	for i, e := range n.Args {
		w.bind(parameter(f.unit, list, i), u, e)
	}
}

// parameter is that of a number, the last one taking all that are left.
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

// held walks the functions that v, which is called in package u or has a field that
// is, may hold.
func (w *walker) held(v *types.Var, u *unit, n *ast.CallExpr, seen map[*types.Var]bool) {
	if v == nil || seen[v] {
		return
	}
	seen[v] = true
	for _, x := range slices.Concat(w.values[v], w.handed[v]) {
		w.in(x.u, func() bool {
			w.held(w.where(x.e).v, u, n, seen)
			ast.Inspect(x.e, func(m ast.Node) bool {
				switch m := m.(type) {
				case *ast.FuncLit:
					w.parameters(function{m, x.u}, u, n)
					w.visit(function{m, x.u})
					return false
				case *ast.Ident:
					if f, ok := w.object(m).(*types.Func); ok {
						w.reach(f)
					}
				}
				return true
			})
			return true
		})
	}
}

// qualified is the package and name of a function called; the package of a method
// is none.
func (w *walker) qualified(sel *ast.SelectorExpr) (pkg, name string) {
	if id, ok := sel.X.(*ast.Ident); ok {
		if p, ok := w.object(id).(*types.PkgName); ok {
			return p.Imported().Path(), sel.Sel.Name
		}
	}
	return "", sel.Sel.Name
}

// fills reports whether a function of the standard library writes to what its first
// argument refers to.
func (w *walker) fills(pkg, name string) bool {
	switch pkg {
	case "sort":
		return !strings.HasPrefix(name, "Search") && !strings.HasSuffix(name, "AreSorted") && name != "IsSorted"
	case "slices":
		return strings.HasPrefix(name, "Sort") && !strings.HasPrefix(name, "Sorted") || name == "Reverse"
	case "maps":
		return name == "Copy" || name == "DeleteFunc"
	}
	return false
}

// receives tells which argument of a method is received into, if it is one of
// packages comm or iofile; -1 for none.
func receives(pkg, name string) int {
	if pkg != "" {
		return -1
	}
	if len(name) > 1 && name[0] == 'I' && name[1] >= 'A' && name[1] <= 'Z' {
		name = name[1:]
	}
	for _, end := range []string{"Init", "Begin", "End"} {
		name = strings.TrimSuffix(name, end)
	}
	if at, ok := receivers[strings.TrimPrefix(name, "Neighbor")]; ok {
		return at
	}
	return -1
}

// lends reports whether e is a buffer, made of what a variable holds. The types of
// package types are not read, its functions are known by name.
func (w *walker) lends(e ast.Expr, seen map[*types.Var]bool) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return !w.isType(e.Fun) && w.builtin(e.Fun) == "" && w.passed(e).v != nil
	case *ast.Ident:
		v, ok := w.object(e).(*types.Var)
		if !ok || seen[v] {
			return false
		}
		seen[v] = true
		for _, x := range w.values[v] {
			if w.in(x.u, func() bool { return w.lends(x.e, seen) }) {
				return true
			}
		}
	}
	return false
}

// receivers tells which argument of a call is received into, of waiting,
// nonblocking, persistent, split and neighbourhood calls.
var receivers = map[string]int{
	"Recv": 0, "MRecv": 0, "PRecv": 0, "Bcast": 0, "SendRecvReplace": 0, "SendRecv": 3,
	"AllGather": 1, "AllGatherV": 1, "Gather": 1, "GatherV": 1, "Scatter": 1, "ScatterV": 3,
	"AllToAll": 1, "AllToAllV": 3, "AllToAllW": 1,
	"Reduce": 1, "AllReduce": 1, "Scan": 1, "ExScan": 1, "ReduceScatter": 1, "ReduceScatterBlock": 1, "ReduceLocal": 1,
	"Unpack": 2,
	"Read":   0, "ReadAt": 0, "ReadAll": 0, "ReadAtAll": 0, "ReadShared": 0, "ReadOrdered": 0,
}

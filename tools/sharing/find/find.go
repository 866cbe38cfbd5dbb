package find

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// A Kind says how ranks use a variable that they share.
type Kind uint8

// The kinds.
const (
	Shared   Kind = iota // changed and read
	Gathered             // each rank changes and reads the element at its own index
	Left                 // changed, and read by no rank
	Ordering             // a lock, or another thing that only orders
	Channel
)

// A Variable is a variable that ranks share.
type Variable struct {
	Name string
	Type string    // empty if it is not known
	Pos  token.Pos // of its declaration
	At   token.Position
	Kind Kind
	Uses []Use // by line

	// Maybe means that all its changes are in functions that the body may not run: the
	// program calls them through a variable that may hold other functions.
	Maybe bool
}

// A Use is a line that uses a variable.
type Use struct {
	Verb string // the change; empty if it only reads
	At   token.Position
}

func (u Use) verb() string { return cmp.Or(u.Verb, "read") }

// Find returns the variables that the ranks which run the bodies in the files of a
// package share, in the order of declaration. The files were parsed with fset. Find reads
// the other packages of their module from disk.
func Find(fset *token.FileSet, files []*ast.File) []Variable {
	if len(files) == 0 {
		return nil
	}
	l := newLoader(fset, filepath.Dir(fset.Position(files[0].Package).Filename))
	u := l.given(files)
	var walks []*walker
	for _, b := range bodies(l, u) {
		w := newWalker(l)
		w.index(u) // it may show the functions that a body from another package runs
		w.root, w.bound = b.node, b.receiver
		w.visit(b.function)
		walks = append(walks, w)
	}
	runs := func(w, o *walker) bool { return slices.Contains(w.visited, o.root) }
	found := map[token.Pos]Variable{}
	for i, w := range walks {
		// A body that another body runs is not a rank's whole program: its variables may
		// belong to one rank. If two bodies run each other, the first one counts.
		var within bool
		for j, o := range walks {
			within = within || i != j && runs(o, w) && !(i < j && runs(w, o))
		}
		if within {
			continue
		}
		for _, v := range w.variables() {
			found[v.Pos] = v.with(found[v.Pos])
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b Variable) int {
		return cmp.Or(cmp.Compare(a.At.Filename, b.At.Filename), a.At.Offset-b.At.Offset)
	})
}

// with adds the uses of the same variable by another body.
func (v Variable) with(o Variable) Variable {
	if o.Name == "" {
		return v
	}
	v.Kind, v.Maybe = min(v.Kind, o.Kind), v.Maybe && o.Maybe
	v.Uses = sortUses(slices.Concat(v.Uses, o.Uses))
	return v
}

func sortUses(all []Use) []Use {
	slices.SortFunc(all, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.At.Filename, b.At.Filename), cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.Verb, b.Verb))
	})
	return slices.CompactFunc(all, func(a, b Use) bool {
		return a.Verb == b.Verb && a.At.Filename == b.At.Filename && a.At.Line == b.At.Line
	})
}

// A body is a function that ranks run.
type body struct {
	function
	receiver *types.Var // of a method bound to a value, which all ranks share
}

// bodies returns the functions that ranks run, as far as they are in the files of a package
// or come from functions of other packages that the files call. It leaves out a body inside
// another one.
func bodies(l *loader, u *unit) (all []body) {
	w := newWalker(l)
	w.index(u)
	add := func(b body) {
		if !slices.ContainsFunc(all, func(o body) bool { return o.node == b.node }) {
			all = append(all, b)
		}
	}
	var in func(f function, root ast.Node, made bool)
	in = func(f function, root ast.Node, made bool) {
		calls := map[ast.Expr]bool{}
		ast.Inspect(root, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && isBody(f.unit, n.Type) {
					add(body{function: function{n, f.unit}})
					return false
				}
			case *ast.FuncLit:
				if isBody(f.unit, n.Type) {
					add(body{function: function{n, f.unit}})
					return false
				}
			case *ast.CallExpr:
				calls[ast.Unparen(n.Fun)] = true
				if made {
					break
				}
				w.in(f.unit, func() bool {
					if callee := w.callee(n); callee.node != nil && callee.unit != u {
						in(callee, callee.node, true)
					}
					return true
				})
			case *ast.SelectorExpr: // a method value
				m, _ := f.unit.info.Uses[n.Sel].(*types.Func)
				if m == nil || calls[n] || made {
					break
				}
				of := w.source(m)
				if d, ok := of.node.(*ast.FuncDecl); ok && d.Recv != nil && isBody(of.unit, d.Type) {
					add(body{of, parameter(of.unit, d.Recv, 0)})
				}
			}
			return true
		})
	}
	for _, f := range u.files {
		in(function{unit: u}, f, false)
	}
	return all
}

// isBody reports whether t is the type of a rank's program.
func isBody(u *unit, t *ast.FuncType) bool {
	if t.Params.NumFields() != 2 || t.Results.NumFields() != 1 {
		return false
	}
	last := t.Params.List[len(t.Params.List)-1].Type
	star, ok := last.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Comm" {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	p, ok := u.info.Uses[id].(*types.PkgName)
	return ok && p.Imported().Path() == library+"comm"
}

// A use is a use of a variable, direct or through another variable that refers to its
// memory.
type use struct {
	mention
	way
}

// use adds the uses of variables: those that change the memory that a variable leads to,
// or those that read it.
func (w *walker) use(uses map[*types.Var][]use, changes bool) {
	for _, m := range w.mentions {
		if changes != (m.verb != "") {
			continue
		}
		w.in(m.unit, func() bool {
			p := w.where(m.e)
			if (m.deep || !changes) && refers(w.typeOf(m.e)) {
				p = p.then(deref)
			}
			for _, to := range w.reached(p, changes) {
				uses[to.v] = append(uses[to.v], use{m, to})
			}
			return true
		})
	}
}

// variables returns the variables that ranks share.
func (w *walker) variables() []Variable {
	uses := map[*types.Var][]use{}
	w.use(uses, true)
	if len(uses) == 0 {
		return nil
	}
	w.use(uses, false)
	var found []Variable
	for v, all := range uses {
		if slices.ContainsFunc(all, func(u use) bool { return u.verb != "" }) {
			found = append(found, w.variable(v, all))
		}
	}
	return found
}

func (w *walker) variable(v *types.Var, all []use) Variable {
	found := Variable{Name: v.Name(), Pos: v.Pos(), At: w.fset.Position(v.Pos()), Kind: kindBy(v, all)}
	found.Maybe = !slices.ContainsFunc(all, func(u use) bool { return u.verb != "" && !u.maybe })
	if v.Type() != types.Typ[types.Invalid] {
		found.Type = types.TypeString(v.Type(), func(p *types.Package) string { return p.Name() })
		if strings.Contains(found.Type, "invalid type") {
			found.Type = ""
		}
	}
	for _, u := range all {
		found.Uses = append(found.Uses, Use{u.verb, w.fset.Position(u.pos)})
		if u.verb == written && u.reads {
			found.Uses = append(found.Uses, Use{"", w.fset.Position(u.pos)})
		}
	}
	found.Uses = sortUses(found.Uses)
	return found
}

func kindBy(v *types.Var, all []use) Kind {
	locks, own, looks := true, true, false
	for _, u := range all {
		locks = locks && (u.locks || u.verb == "")
		if u.verb == "" || u.reads {
			looks, own = true, own && u.mine
		}
		if u.verb != "" {
			own = own && u.ranked
		}
	}
	_, channel := v.Type().Underlying().(*types.Chan)
	switch {
	case channel:
		return Channel
	case locks:
		return Ordering
	case own:
		return Gathered
	case !looks:
		return Left
	}
	return Shared
}

package sharing

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
)

// A Kind says what ranks do with a variable that they share.
type Kind uint8

// The kinds.
const (
	Shared   Kind = iota // changed and looked at
	Gathered             // each rank changes, and looks at, what is at its own index
	Left                 // changed, and looked at by no rank
	Ordering             // a lock, or what else only orders
	Channel
)

// A Variable is one that ranks share.
type Variable struct {
	Name string
	Type string // empty if it is not known
	At   token.Position
	Kind Kind
	Uses []Use // by line

	// Maybe says that all that changes it is in functions of which it is not certain that
	// the body runs them: a variable that is called holds one of several.
	Maybe bool
}

// A Use is a line that uses a variable.
type Use struct {
	Verb string // what it does; empty if it looks
	At   token.Position
}

// A Func is a function of the program as the runtime knows it, with one of its lines.
type Func struct {
	Name string
	File string
	Line int
}

// Find tells which variables ranks share that run body. A body that is a method
// bound to a value is looked for in the package of near, as the runtime does not
// know where it is.
func Find(body, near Func) ([]Variable, error) {
	file := body.File
	if method(body.Name) != "" {
		file = near.File
	}
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	l := newLoader(file)
	w := newWalker(l)
	if l.has(near.File) { // it may say what the body runs that another package has made
		if from, err := l.beside(near.File); err == nil {
			w.index(from)
		}
	}
	u, err := l.beside(file)
	if err != nil {
		return nil, err
	}
	all := bodies(l, u, body)
	if len(all) == 0 {
		return nil, fmt.Errorf("%s, line %d: there is no %s (has the source changed since?)", file, body.Line, body.Name)
	}
	for _, n := range all {
		if d, ok := n.(*ast.FuncDecl); ok && d.Recv != nil && len(d.Recv.List) > 0 && len(d.Recv.List[0].Names) > 0 {
			w.bound, _ = u.info.Defs[d.Recv.List[0].Names[0]].(*types.Var)
		}
		w.visit(function{n, u})
	}
	return w.variables(), nil
}

// method is "T.run" if name is that of a method bound to a value.
func method(name string) string {
	name, ok := strings.CutSuffix(name, "-fm")
	if !ok {
		return ""
	}
	name = name[strings.LastIndex(name, "/")+1:]
	_, name, _ = strings.Cut(name, ".")
	return strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(name)
}

// bodies finds the innermost function around a line that takes a communicator, or
// the method. There are several if that line has several.
func bodies(l *loader, u *unit, body Func) (found []ast.Node) {
	wanted, begins := method(body.Name), 0
	for _, f := range u.files {
		if wanted == "" && l.fset.Position(f.Pos()).Filename != body.File {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			var t *ast.FuncType
			switch n := n.(type) {
			case *ast.FuncLit:
				t = n.Type
			case *ast.FuncDecl:
				t = n.Type
				if wanted != "" && n.Recv != nil && receiver(n)+"."+n.Name.Name == wanted {
					found = append(found, n)
				}
			}
			if t == nil || wanted != "" || !takesComm(t) {
				return true
			}
			from, to := l.fset.Position(n.Pos()).Line, l.fset.Position(n.End()).Line
			switch {
			case body.Line < from || to < body.Line || from < begins:
			case from > begins:
				found, begins = []ast.Node{n}, from
			default:
				found = append(found, n)
			}
			return true
		})
	}
	return found
}

// takesComm reports whether the last parameter is a *comm.Comm, as that of a rank's
// program is.
func takesComm(t *ast.FuncType) bool {
	if t.Params.NumFields() != 2 {
		return false
	}
	star, ok := t.Params.List[len(t.Params.List)-1].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch x := star.X.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == "Comm"
	case *ast.Ident:
		return x.Name == "Comm"
	}
	return false
}

func receiver(n *ast.FuncDecl) string {
	if len(n.Recv.List) == 0 {
		return ""
	}
	t := n.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// A use is one of a variable, direct or by another that stands for it.
type use struct {
	mention
	way
}

// use adds to the uses of variables those that change what they lead to, or those that
// look at it.
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

// variables are those that ranks share, in the order in which they are declared.
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
	slices.SortFunc(found, func(a, b Variable) int {
		return cmp.Or(cmp.Compare(a.At.Filename, b.At.Filename), a.At.Offset-b.At.Offset)
	})
	return found
}

func (w *walker) variable(v *types.Var, all []use) Variable {
	found := Variable{Name: v.Name(), At: w.fset.Position(v.Pos()), Kind: kindBy(v, all)}
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
	slices.SortFunc(found.Uses, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.At.Filename, b.At.Filename), a.At.Line-b.At.Line, cmp.Compare(a.Verb, b.Verb))
	})
	found.Uses = slices.CompactFunc(found.Uses, func(a, b Use) bool {
		return a.Verb == b.Verb && a.At.Filename == b.At.Filename && a.At.Line == b.At.Line
	})
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

package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A candidate is a place in a file and the text to put there.
type candidate struct {
	file      string // from the root of the module
	line      int
	unchanged []byte
	lo, hi    int // bytes of the file
	now       string
	node      ast.Node // what is changed
	negates   bool     // the change only negates the truth value of node
}

func (c candidate) String() string {
	return fmt.Sprintf("%s:%d: %q -> %q", c.file, c.line, oneLine(string(c.unchanged[c.lo:c.hi])), oneLine(c.now))
}

func (c candidate) source() []byte {
	return slices.Concat(c.unchanged[:c.lo], []byte(c.now), c.unchanged[c.hi:])
}

// A parsed package has the syntax trees of a package and what can be changed in it.
type parsed struct {
	dir   string // from the root of the module
	name  string
	set   *token.FileSet
	trees []*ast.File
	all   []candidate
}

// candidates returns every mutant of a package that this command can make.
func candidates(root, pkg string) (*parsed, error) {
	p, err := build.ImportDir(filepath.Join(root, pkg), 0)
	if err != nil {
		return nil, err
	}
	found := &parsed{dir: pkg, name: p.Name, set: token.NewFileSet()}
	for _, name := range p.GoFiles {
		file := filepath.Join(pkg, name)
		src, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		tree, err := parser.ParseFile(found.set, file, src, 0)
		if err != nil {
			return nil, err
		}
		f := finder{set: found.set, src: src, file: file}
		ast.Inspect(tree, f.node)
		found.trees, found.all = append(found.trees, tree), append(found.all, f.found...)
	}
	if len(found.all) == 0 {
		return nil, fmt.Errorf("package %s has nothing to change", pkg)
	}
	return found, nil
}

// A finder collects the candidates of a file.
type finder struct {
	set   *token.FileSet
	src   []byte
	file  string
	found []candidate
}

func (f *finder) add(n ast.Node, lo, hi token.Pos, now string, negates bool) {
	at := f.set.Position(lo)
	f.found = append(f.found, candidate{f.file, at.Line, f.src, at.Offset, f.set.Position(hi).Offset, now, n, negates})
}

func (f *finder) text(n ast.Node) string {
	return string(f.src[f.set.Position(n.Pos()).Offset:f.set.Position(n.End()).Offset])
}

// instead lists, for each operator, those by which a mutant replaces it.
var instead = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD},
	token.MUL: {token.ADD}, token.QUO: {token.MUL}, token.REM: {token.QUO},
	token.AND: {token.OR}, token.OR: {token.AND}, token.SHL: {token.SHR}, token.SHR: {token.SHL},
}

// negation gives the operator with the opposite truth value.
var negation = map[token.Token]token.Token{
	token.LSS: token.GEQ, token.LEQ: token.GTR, token.GTR: token.LEQ, token.GEQ: token.LSS,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
}

func (f *finder) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		for _, op := range instead[n.Op] {
			f.add(n, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), op.String(), negation[n.Op] == op)
		}
	case *ast.IfStmt:
		f.add(n.Cond, n.Cond.Pos(), n.Cond.End(), "!("+f.text(n.Cond)+")", true)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.add(n, n.OpPos, n.OpPos+1, "", true)
		}
	case *ast.BasicLit:
		if i, err := strconv.ParseInt(n.Value, 0, 32); n.Kind == token.INT && err == nil {
			f.add(n, n.Pos(), n.End(), strconv.FormatInt(i+1, 10), false)
		}
	case *ast.ExprStmt:
		if _, ok := n.X.(*ast.CallExpr); ok {
			f.add(n, n.Pos(), n.End(), "", false)
		}
	case *ast.IncDecStmt:
		f.add(n, n.Pos(), n.End(), "", false)
	case *ast.BranchStmt:
		if n.Label == nil && n.Tok == token.CONTINUE {
			f.add(n, n.Pos(), n.End(), "break", false)
		}
	case *ast.ArrayType: // not its length
		ast.Inspect(n.Elt, f.node)
		return false
	case *ast.GenDecl:
		return n.Tok != token.IMPORT && n.Tok != token.CONST
	}
	return true
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

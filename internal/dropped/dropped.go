//go:build !js

// Package dropped decides from the source of a program whether it drops a result of a call,
// the error or the status: the statement is the call alone, or go or defer and the call; the
// result is assigned to _, or to a variable that is assigned again, or left, before anything
// reads it. Source that cannot be read, or that leaves it open, drops nothing.
//
// Start here: [Error], [Status].
package dropped

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/commworld/commworld/errclass"
)

// Error reports whether the program drops the error of call op, which it made at a place. A
// function that returns the error passes it on to its caller, where the place goes on.
func Error(op string, at errclass.Place) bool { return drops(lastResult, op, at) }

// Status reports whether the program drops the first of several results of call op, which it
// made at a place. A function that returns all of them passes it on to its caller.
func Status(op string, at errclass.Place) bool { return drops(firstResult, op, at) }

// A result is one of the results of a call.
type result int

const (
	lastResult result = iota
	firstResult
)

func drops(r result, op string, at errclass.Place) bool {
	for p := &at; p != nil && p.Line > 0; p = p.Caller {
		f := sourceOf(p.File)
		if f == nil {
			return false
		}
		drops, passes, function := f.fate(r, op, p.Line)
		if drops || !passes {
			return drops
		}
		op = function
	}
	return false
}

// A source is a parsed file.
type source struct {
	set     *token.FileSet
	file    *ast.File
	imports map[string]bool // names of imported packages
}

var sources = struct {
	mu    sync.Mutex
	known map[string]*source // nil: not readable
}{known: map[string]*source{}}

func sourceOf(name string) *source {
	sources.mu.Lock()
	defer sources.mu.Unlock()
	s, known := sources.known[name]
	if !known {
		s = parse(name, nil)
		sources.known[name] = s
	}
	return s
}

// parse parses a file, or text in its place. It returns nil if that is not Go.
func parse(name string, text any) *source {
	s := &source{set: token.NewFileSet(), imports: map[string]bool{}}
	if !strings.HasSuffix(name, ".go") {
		return nil
	}
	var err error
	if s.file, err = parser.ParseFile(s.set, name, text, parser.SkipObjectResolution); err != nil {
		return nil
	}
	for _, i := range s.file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		short := p[strings.LastIndex(p, "/")+1:]
		if i.Name != nil {
			short = i.Name.Name
		}
		s.imports[short] = true
	}
	return s
}

// A use is a call with the nodes around it, from the file inwards; the last is the call.
type use []ast.Node

// fate says what happens to a result of call op in a line: the program drops it, or the
// function around the call returns it. function is the name of that one. Several such calls
// in the line must have the same fate.
func (s *source) fate(r result, op string, line int) (drops, passes bool, function string) {
	named, methods, deferred := s.calls(op, line)
	all := named
	if len(all) == 0 {
		all = methods
	}
	if len(all) == 0 {
		all = deferred
	}
	for i, u := range all {
		d, p := u.fate(r)
		if i > 0 && (d != drops || p != passes) {
			return false, false, ""
		}
		drops, passes, function = d, p, u.function()
	}
	return drops, passes && function != "", function
}

// calls returns the calls in a line: those of a function or method called op, other calls of
// methods, and the deferred calls of op in the function that has the line, which run where
// it returns.
func (s *source) calls(op string, line int) (named, methods, deferred []use) {
	var path use
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name, method := s.callee(call)
		switch u := slices.Clone(path); {
		case s.line(call.Lparen) == line && name == op:
			named = append(named, u)
		case s.line(call.Lparen) == line && method:
			methods = append(methods, u)
		case name == op && u.isDeferred() && u.spans(s, line):
			deferred = append(deferred, u)
		}
		return true
	})
	return named, methods, deferred
}

func (s *source) line(p token.Pos) int { return s.set.PositionFor(p, true).Line }

// callee returns the name of the function that is called, and whether it may be a method.
func (s *source) callee(call *ast.CallExpr) (name string, method bool) {
	fun := ast.Unparen(call.Fun)
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = x.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name, false
	case *ast.SelectorExpr:
		x, ok := fun.X.(*ast.Ident)
		return fun.Sel.Name, !ok || !s.imports[x.Name]
	}
	return "", false
}

func (u use) isDeferred() bool {
	d, ok := u[len(u)-2].(*ast.DeferStmt)
	return ok && d.Call == u[len(u)-1]
}

// innermost returns the function around the call, and the index of its node.
func (u use) innermost() (body *ast.BlockStmt, at int) {
	for i, n := range slices.Backward(u) {
		switch f := n.(type) {
		case *ast.FuncDecl:
			return f.Body, i
		case *ast.FuncLit:
			return f.Body, i
		}
	}
	return nil, -1
}

// spans reports whether the function around the call has a line.
func (u use) spans(s *source, line int) bool {
	body, at := u.innermost()
	return at >= 0 && body != nil && s.line(body.Lbrace) <= line && line <= s.line(body.Rbrace)
}

// function returns the name of the declared function around the call; empty if it is a
// literal.
func (u use) function() string {
	if _, at := u.innermost(); at >= 0 {
		if f, ok := u[at].(*ast.FuncDecl); ok {
			return f.Name.Name
		}
	}
	return ""
}

// fate says whether a result of the call is dropped, or returned as it is.
func (u use) fate(r result) (drops, passes bool) {
	var expr ast.Node = u[len(u)-1]
	for i := len(u) - 2; i >= 0; i-- {
		switch n := u[i].(type) {
		case *ast.ParenExpr:
			expr = n
			continue
		case *ast.ExprStmt, *ast.DeferStmt, *ast.GoStmt:
			return true, false
		case *ast.ReturnStmt:
			return false, len(n.Results) > 0 && n.Results[len(n.Results)-1] == expr && (r == lastResult || len(n.Results) == 1)
		case *ast.AssignStmt:
			return u.assigned(i, target(r, n.Lhs, n.Rhs, expr)), false
		case *ast.ValueSpec:
			names := make([]ast.Expr, len(n.Names))
			for k := range names {
				names[k] = n.Names[k]
			}
			return u.assigned(i-2, target(r, names, n.Values, expr)), false // in a GenDecl of a DeclStmt
		}
		return false, false
	}
	return false, false
}

// target returns what gets a result of a call on the right side of an assignment.
func target(r result, left, right []ast.Expr, call ast.Node) ast.Expr {
	if len(right) == 1 && r == firstResult {
		return left[0]
	}
	if len(right) == 1 {
		return left[len(left)-1]
	}
	for i, e := range right {
		if e == call && i < len(left) {
			return left[i]
		}
	}
	return nil
}

// assigned reports whether the value that statement u[at] assigns to x is lost.
func (u use) assigned(at int, x ast.Expr) bool {
	v, ok := x.(*ast.Ident)
	if !ok || at < 1 {
		return false
	}
	if v.Name == "_" {
		return true
	}
	body, function := u.innermost()
	if function < 0 || capturedIn(body, v.Name) || isResult(u[function], v.Name) {
		return false
	}
	var list []ast.Stmt
	switch b := u[at-1].(type) {
	case *ast.BlockStmt:
		list = b.List
	case *ast.CaseClause:
		list = b.Body
	case *ast.CommClause:
		list = b.Body
	}
	i := slices.IndexFunc(list, func(s ast.Stmt) bool { return s == u[at] })
	if i < 0 {
		return false
	}
	for _, next := range list[i+1:] {
		switch n := next.(type) {
		case *ast.AssignStmt:
			if mentions(v.Name, n.Rhs...) {
				return false
			}
			for _, l := range n.Lhs {
				if y, ok := l.(*ast.Ident); ok && y.Name == v.Name {
					return true
				}
			}
			if mentions(v.Name, n.Lhs...) {
				return false
			}
		case *ast.ReturnStmt:
			return !mentions(v.Name, n.Results...)
		default:
			if leaves(n) || mentions(v.Name, n) {
				return false
			}
		}
	}
	return false
}

// mentions reports whether one of the nodes has an identifier.
func mentions[N ast.Node](name string, all ...N) (found bool) {
	for _, n := range all {
		ast.Inspect(n, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == name
			return !found
		})
	}
	return found
}

// leaves reports whether a statement may jump to another place of the function.
func leaves(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BranchStmt, *ast.LabeledStmt:
			found = true
		}
		return !found
	})
	return found
}

// capturedIn reports whether a function inside the body uses a variable.
func capturedIn(body *ast.BlockStmt, name string) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok {
			found = found || mentions(name, f.Body)
		}
		return !found
	})
	return found
}

// isResult reports whether a variable is a named result of the function, which a return
// without a value returns.
func isResult(function ast.Node, name string) bool {
	var t *ast.FuncType
	switch f := function.(type) {
	case *ast.FuncDecl:
		t = f.Type
	case *ast.FuncLit:
		t = f.Type
	}
	if t == nil || t.Results == nil {
		return false
	}
	for _, field := range t.Results.List {
		for _, id := range field.Names {
			if id.Name == name {
				return true
			}
		}
	}
	return false
}

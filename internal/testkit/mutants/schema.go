package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A schema is a package that contains many mutants at once. Each is switched on by its
// number in the environment, so the tests are compiled once for all of them.
type schema struct {
	*parsed
	root    string
	chosen  []candidate  // the number of a mutant is its index
	left    map[int]bool // they are not in the compiled package
	parents map[ast.Node]ast.Node
	info    types.Info
	pkg     *types.Package
	work    string // folder of the compiled tests
}

// An edit replaces bytes [lo, hi) of a file.
type edit struct {
	lo, hi int
	text   string
	side   int // -1 closes an expression, 0 opens one, 1 replaces a token
	span   int // of the expression
	nested int // larger: nearer to the expression
}

// runtimeOf is the source of what a mutated package needs. The file named by
// MUTANTS_REACHED has a byte for each mutant, which is set when the mutant is reached.
const runtimeOf = `package %s

import (
	mutantCmp "cmp"
	mutantOS "os"
	mutantNumbers "strconv"
	mutantSyscall "syscall"
)

var mutantNow, mutantReached = mutantStart()

func mutantStart() (int, []byte) {
	reached := make([]byte, %d)
	if name := mutantOS.Getenv("MUTANTS_REACHED"); name != "" {
		f, err := mutantOS.OpenFile(name, mutantOS.O_RDWR, 0)
		if err == nil {
			reached, err = mutantSyscall.Mmap(int(f.Fd()), 0, len(reached), mutantSyscall.PROT_READ|mutantSyscall.PROT_WRITE, mutantSyscall.MAP_SHARED)
		}
		if err != nil {
			panic(err)
		}
	}
	if now, err := mutantNumbers.Atoi(mutantOS.Getenv("MUTANTS_NOW")); err == nil {
		return now, reached
	}
	return -1, reached
}

func mutantOn(id int) bool {
	mutantReached[id] = 1
	return id == mutantNow
}

type mutantInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type mutantNumber interface {
	mutantInteger | ~float32 | ~float64 | ~complex64 | ~complex128
}

func mutantPick[T any](id int, changed, unchanged T) T {
	if mutantOn(id) {
		return changed
	}
	return unchanged
}

func mutantBelow[T mutantCmp.Ordered](id int, equal bool, x, y T) bool {
	return x < y || x == y && equal != mutantOn(id)
}

func mutantAbove[T mutantCmp.Ordered](id int, equal bool, x, y T) bool {
	return x > y || x == y && equal != mutantOn(id)
}
`

// arithmetic writes the helper of an operator.
func arithmetic(name, constraint, was, now string) string {
	return fmt.Sprintf("\nfunc %s[T %s](id int, x, y T) T {\n\tif mutantOn(id) {\n\t\treturn x %s y\n\t}\n\treturn x %s y\n}\n", name, constraint, now, was)
}

var helpers = map[token.Token]string{
	token.ADD: "mutantAdd", token.SUB: "mutantSub", token.MUL: "mutantMul", token.QUO: "mutantQuo", token.REM: "mutantRem",
	token.AND: "mutantAnd", token.OR: "mutantOr", token.SHL: "mutantShl", token.SHR: "mutantShr",
}

func runtimeSource(name string, n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, runtimeOf, name, n)
	for _, op := range []token.Token{token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.SHL, token.SHR} {
		constraint := "mutantInteger"
		if op == token.ADD || op == token.SUB || op == token.MUL || op == token.QUO {
			constraint = "mutantNumber"
		}
		text := arithmetic(helpers[op], constraint, op.String(), instead[op][0].String())
		if op == token.SHL || op == token.SHR {
			text = strings.Replace(strings.Replace(text, "[T mutantInteger]", "[T, S mutantInteger]", 1), "x, y T)", "x T, y S)", 1)
		}
		b.WriteString(text)
	}
	return b.Bytes()
}

// newSchema checks the package.
func newSchema(ctx context.Context, root string, p *parsed) (*schema, error) {
	s := &schema{parsed: p, root: root, left: map[int]bool{}, parents: map[ast.Node]ast.Node{}}
	for _, tree := range p.trees {
		var stack []ast.Node
		ast.Inspect(tree, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if len(stack) > 0 {
				s.parents[n] = stack[len(stack)-1]
			}
			stack = append(stack, n)
			return true
		})
	}
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	p.all = slices.DeleteFunc(p.all, func(c candidate) bool { // strings cannot be subtracted
		n, ok := c.node.(*ast.BinaryExpr)
		if !ok || n.Op != token.ADD {
			return false
		}
		b, ok := s.info.Types[n].Type.Underlying().(*types.Basic)
		return ok && b.Info()&types.IsString != 0
	})
	return s, nil
}

// build compiles the package with all chosen mutants in it. Those that cannot be
// switched on in a running program are left out; see left.
func (s *schema) build(ctx context.Context, chosen []candidate) (err error) {
	s.chosen = chosen
	if s.work, err = os.MkdirTemp("", "mutants-"); err != nil {
		return err
	}
	for range 20 { // each time without the mutants on lines that did not compile
		wrong, err := s.compile(ctx)
		if err != nil || !wrong {
			return err
		}
	}
	return errors.New("the mutants cannot be compiled together")
}

// check finds the types of all expressions.
func (s *schema) check(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-json=ImportPath,Export", "./"+s.dir)
	cmd.Dir, cmd.Stderr = s.root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var one struct{ ImportPath, Export string }
		if err := d.Decode(&one); err != nil {
			return err
		}
		exports[one.ImportPath] = one.Export
	}
	conf := types.Config{Importer: importer.ForCompiler(s.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	s.info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	s.pkg, err = conf.Check(s.dir, s.set, s.trees, &s.info)
	return err
}

// compile reports whether there are mutants that do not compile; then they are left out from now on.
func (s *schema) compile(ctx context.Context) (wrong bool, err error) {
	replace := map[string]string{}
	put := func(file string, text []byte) error {
		changed := filepath.Join(s.work, flat(file))
		replace[filepath.Join(s.root, file)] = changed
		return os.WriteFile(changed, text, 0o600)
	}
	if err := put(filepath.Join(s.dir, "mutants_of_this_package.go"), runtimeSource(s.name, len(s.chosen))); err != nil {
		return false, err
	}
	lines := map[string][]int{}
	edits, sources := map[string][]edit{}, map[string][]byte{}
	for id, c := range s.chosen {
		if s.left[id] {
			continue
		}
		found := s.edits(id, c)
		if found == nil {
			s.left[id] = true
			continue
		}
		edits[c.file], sources[c.file] = append(edits[c.file], found...), c.unchanged
		at := fmt.Sprintf("%s:%d", flat(c.file), c.line)
		lines[at] = append(lines[at], id)
	}
	for file, list := range edits {
		if err := put(file, apply(sources[file], list)); err != nil {
			return false, err
		}
	}
	table, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err == nil {
		err = os.WriteFile(s.overlay(), table, 0o600)
	}
	if err != nil {
		return false, err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", s.overlay(), "-gcflags=-e", "./"+s.dir)
	cmd.Dir = s.root
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false, nil
	}
	for line := range strings.Lines(string(out)) {
		part := strings.SplitN(strings.TrimPrefix(line, "./"), ":", 3)
		if len(part) < 3 {
			continue
		}
		for _, id := range lines[filepath.Base(part[0])+":"+part[1]] {
			s.left[id], wrong = true, true
		}
	}
	if !wrong {
		return false, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return true, nil
}

// flat returns a name for a copy of file.
func flat(file string) string { return strings.ReplaceAll(file, string(filepath.Separator), "_") }

func (s *schema) overlay() string { return filepath.Join(s.work, "overlay.json") }

// apply makes the edits.
func apply(src []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int {
		if c := cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.side, b.side)); c != 0 {
			return c
		}
		if a.side < 0 { // the innermost is closed first
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(b.span, a.span), cmp.Compare(a.nested, b.nested))
	})
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, src[at:e.lo]...), e.text...)
		at = e.hi
	}
	return append(out, src[at:]...)
}

// edits returns the edits that make the mutant, or nil if it cannot be made in a running program.
func (s *schema) edits(id int, c candidate) []edit {
	pos := func(p token.Pos) int { return s.set.Position(p).Offset }
	around := func(n ast.Node, nested int, before, after string) []edit {
		lo, hi := pos(n.Pos()), pos(n.End())
		return []edit{{lo, lo, before, 0, hi - lo, nested}, {hi, hi, after, -1, hi - lo, nested}}
	}
	if e, ok := c.node.(ast.Expr); ok && s.info.Types[e].Value != nil {
		for up, ok := s.parents[e].(ast.Expr); ok && s.info.Types[up].Value != nil; up, ok = s.parents[e].(ast.Expr) {
			e = up
		}
		lo, hi := pos(e.Pos()), pos(e.End())
		t, ok := s.typeText(e)
		if !ok {
			return nil
		}
		changed := string(c.unchanged[lo:c.lo]) + c.now + string(c.unchanged[c.hi:hi])
		return around(e, id, fmt.Sprintf("mutantPick[%s](%d, %s, ", t, id, strings.Join(strings.Fields(changed), " ")), ")")
	}
	if c.negates {
		on, ok := s.on(id, c.node)
		if !ok {
			return nil
		}
		return around(c.node, id, "((", ") != "+on+")")
	}
	const innermost = 1 << 30
	switch n := c.node.(type) {
	case *ast.BinaryExpr:
		op := func(text string) edit { return edit{c.lo, c.hi, text, 1, 0, 0} }
		switch n.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			name := "mutantBelow"
			if n.Op == token.GTR || n.Op == token.GEQ {
				name = "mutantAbove"
			}
			t, ok := s.typeText(n)
			if !ok {
				return nil
			}
			return append(around(n, innermost, fmt.Sprintf("%s(%s(%d, %v, ", t, name, id, n.Op == token.LEQ || n.Op == token.GEQ), "))"), op(","))
		case token.LAND, token.LOR: // by De Morgan
			on, ok := s.on(id, n)
			if !ok {
				return nil
			}
			not := "!= " + on + ")"
			return append(around(n, innermost, "((((", ") "+not+") "+not), op(") "+not+" "+n.Op.String()+" (("))
		}
		t, ok := s.typeText(n)
		if !ok {
			return nil
		}
		return append(around(n, innermost, fmt.Sprintf("%s[%s](%d, ", helpers[n.Op], t, id), ")"), op(","))
	case *ast.ExprStmt:
		switch s.parents[n].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return around(n, 0, fmt.Sprintf("if !mutantOn(%d) { ", id), " }")
		}
	case *ast.IncDecStmt:
		t, ok := s.typeText(n.X)
		if !ok {
			return nil
		}
		op := map[token.Token]string{token.INC: "+=", token.DEC: "-="}[n.Tok]
		return []edit{{pos(n.TokPos), pos(n.End()), fmt.Sprintf("%s mutantPick[%s](%d, 0, 1)", op, t, id), 1, 0, 0}}
	case *ast.BranchStmt:
		return []edit{{c.lo, c.lo, fmt.Sprintf("if mutantOn(%d) { break }; ", id), 0, 0, 0}}
	}
	return nil
}

// on returns an expression of the type of the truth value n that is true if the mutant is switched on.
func (s *schema) on(id int, n ast.Node) (string, bool) {
	text, ok := s.typeText(n.(ast.Expr))
	return fmt.Sprintf("%s(mutantOn(%d))", text, id), ok
}

// typeText returns the type of an expression as the package itself writes it.
func (s *schema) typeText(e ast.Expr) (string, bool) {
	t := s.info.Types[e].Type
	if t == nil {
		return "", false
	}
	own := true
	text := types.TypeString(types.Default(t), func(p *types.Package) string {
		if p == s.pkg {
			return ""
		}
		own = own && s.imported(e, p)
		return p.Name()
	})
	return text, own
}

// imported reports whether the file of e imports the package under its own name.
func (s *schema) imported(e ast.Node, p *types.Package) bool {
	for _, tree := range s.trees {
		if tree.FileStart <= e.Pos() && e.Pos() < tree.FileEnd {
			return slices.ContainsFunc(tree.Imports, func(i *ast.ImportSpec) bool {
				path, err := strconv.Unquote(i.Path.Value)
				return err == nil && path == p.Path() && i.Name == nil
			})
		}
	}
	return false
}

// lines splits output.
func lines(out []byte) (list []string) {
	for sc := bufio.NewScanner(bytes.NewReader(out)); sc.Scan(); {
		list = append(list, sc.Text())
	}
	return list
}

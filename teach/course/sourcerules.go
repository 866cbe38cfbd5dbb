package course

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// judgeSource inspects the source of a submission that is right by its results, where the task
// asks for more than results can show.
func (l *Lesson) judgeSource(m *Marking, dir string) {
	if m.Verdict != Right || l.task.source == nil && l.task.reason == "" {
		return
	}
	reason := ""
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range names {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		reason = cmp.Or(reason, reasonOf(f))
		if l.task.source == nil {
			continue
		}
		l.task.source(f, func(at token.Pos, fix, text string, args ...any) {
			line := fmt.Sprintf("%s:%d", filepath.Base(name), set.Position(at).Line)
			m.Findings = append(m.Findings, Finding{
				Kind: KindRequests, Ranks: []int{}, Lines: []string{line}, Text: fmt.Sprintf(text, args...), Fix: fix, With: "the source",
			})
		})
	}
	if m.Reason = reason; l.task.reason != "" && len(strings.Fields(reason)) < fewWords {
		m.Findings = append(m.Findings, Finding{
			Kind: KindReason, Ranks: []int{}, Lines: []string{}, With: "the source",
			Text: "the constant reason does not say " + l.task.reason,
			Fix:  "write a sentence or two into it: which rule the program of the exercise broke, and what followed",
		})
	}
	m.Conclude()
}

// fewWords are too few for a reason.
const fewWords = 6

// reasonOf returns the value of the constant or variable reason of a file.
func reasonOf(f *ast.File) (text string) {
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			if name.Name == "reason" && i < len(spec.Values) {
				text = stringOf(spec.Values[i])
			}
		}
		return true
	})
	return text
}

// stringOf returns the value of a string literal, or of several that are joined by +.
func stringOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return stringOf(e.X) + stringOf(e.Y)
	case *ast.ParenExpr:
		return stringOf(e.X)
	}
	return ""
}

// called returns the name of the method or function of a call.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// bufferedSends finds sends from a buffer that the program attaches.
func bufferedSends(f *ast.File, wrong func(at token.Pos, fix, text string, args ...any)) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			switch name := called(call); name {
			case "BSend", "IBSend", "BSendInit":
				wrong(call.Pos(), "pair the calls so that a send finds its receive: SendRecv, ISend or IRecv, or half of the ranks receive first",
					"%s relies on a buffered send: it copies the message into a buffer that the program attaches, however the calls are ordered", name)
				return false
			}
		}
		return true
	})
}

// blindTests finds tests of requests whose answer the program drops before it starts the next
// write: a run in which each write is complete at once does not show them.
func blindTests(f *ast.File, wrong func(at token.Pos, fix, text string, args ...any)) {
	for _, d := range f.Decls {
		steps := stepsOf(d)
		for i, s := range steps {
			next := slices.IndexFunc(steps[i+1:], func(o *step) bool { return o.kind != workStep && o.request == s.request })
			if s.blind && next >= 0 && steps[i+1+next].kind == startStep {
				wrong(s.at, "wait for the request by Wait, or test it until the second result is true",
					"Test only asks whether the write is complete, and the program drops the answer")
			}
		}
	}
}

// freedWrites finds writes whose requests the program gives up: it never learns when they are
// complete, so that their buffers stay in use.
func freedWrites(f *ast.File, wrong func(at token.Pos, fix, text string, args ...any)) {
	for _, d := range f.Decls {
		steps := stepsOf(d)
		ast.Inspect(d, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || called(call) != "Free" {
				return true
			}
			of, method := call.Fun.(*ast.SelectorExpr)
			if method && slices.ContainsFunc(steps, func(s *step) bool { return s.kind == startStep && s.request == types.ExprString(of.X) }) {
				wrong(call.Pos(), "wait for the request by Wait", "after Free the program cannot learn when the write is complete and its buffer may be used again")
			}
			return true
		})
	}
}

// idleWrites finds programs that compute nothing while a write is under way.
func idleWrites(f *ast.File, wrong func(at token.Pos, fix, text string, args ...any)) {
	first := token.NoPos
	for _, d := range f.Decls {
		steps := stepsOf(d)
		for i, s := range steps {
			if s.kind != startStep {
				continue
			}
			if overlaps(steps, i) {
				return
			}
			if first == token.NoPos {
				first = s.at
			}
		}
	}
	if first != token.NoPos {
		wrong(first, "compute the next state, into another buffer, between the start of a write and the wait for it",
			"the program computes nothing between the start of a write and the wait for it: nothing overlaps")
	}
}

// A step is something that a function does between the start of a write and the wait for it.
type step struct {
	at      token.Pos
	kind    stepKind
	request string     // the expression; empty for split collectives
	blind   bool       // a test whose answer the program drops
	loops   []ast.Node // that contain the step, the innermost last
}

type stepKind int

const (
	workStep stepKind = iota
	startStep
	testStep
	waitStep
)

// overlaps reports whether a function does anything between the write that step i starts and
// the wait for it. A function that does not wait leaves that to others.
func overlaps(steps []*step, i int) bool {
	start, waits := steps[i], false
	from := i + 1
	for n := len(start.loops); n >= 0; n-- { // what follows in the loop, then around it, then behind it
		lo, hi := 0, len(steps)
		if n > 0 {
			loop := start.loops[n-1]
			lo, _ = slices.BinarySearchFunc(steps, loop.Pos(), byPlace)
			hi, _ = slices.BinarySearchFunc(steps, loop.End(), byPlace)
		}
		next := steps[from:hi]
		rest := len(next)
		if n > 0 {
			next = slices.Concat(next, steps[lo:i])
		}
		for k, s := range next {
			// In the loop's next round an element of a list is another request.
			same := s.request == start.request && (k < rest || !strings.Contains(s.request, "["))
			switch {
			case s.kind == workStep:
				return true
			case same && (s.kind == waitStep || s.kind == testStep && polls(steps, s)):
				return false
			}
			waits = waits || s.kind >= testStep
		}
		from = hi
	}
	return !waits
}

func byPlace(s *step, at token.Pos) int { return cmp.Compare(s.at, at) }

// polls reports whether a test is in a loop that only tests.
func polls(steps []*step, test *step) bool {
	if len(test.loops) == 0 {
		return false
	}
	loop := test.loops[len(test.loops)-1]
	return !slices.ContainsFunc(steps, func(s *step) bool { return s.kind < testStep && loop.Pos() <= s.at && s.at < loop.End() })
}

// idleCalls are calls that compute nothing.
var idleCalls = []string{"Of", "As", "Times", "Offset", "Join", "append", "len", "make", "Barrier", "Errorf", "Print", "Println", "Printf", "Fprintln", "Fprintf"}

// stepsOf returns the steps of a function in the order of the source.
func stepsOf(d ast.Decl) (all []*step) {
	var around []ast.Node // the nodes that contain the present one, and itself
	requests, offsets, dropped := map[ast.Expr]string{}, map[ast.Expr]bool{}, map[ast.Expr]bool{}
	add := func(at token.Pos, kind stepKind, request string) {
		s := &step{at: at, kind: kind, request: request}
		for _, n := range around {
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				s.loops = append(s.loops, n)
			}
		}
		all = append(all, s)
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		around = append(around, n)
		switch n := n.(type) {
		case *ast.AssignStmt:
			requests[n.Rhs[0]] = types.ExprString(n.Lhs[0])
			dropped[n.Rhs[0]] = len(n.Lhs) == 3 && types.ExprString(n.Lhs[1]) == "_"
			_, call := n.Rhs[0].(*ast.CallExpr)
			_, element := n.Lhs[0].(*ast.IndexExpr)
			if changes := n.Tok != token.ASSIGN && n.Tok != token.DEFINE; element && !call || changes {
				add(n.Pos(), workStep, "")
			}
		case *ast.CallExpr:
			name, receiver := called(n), ""
			if len(n.Args) == 2 && strings.Contains(name, "Write") {
				offsets[n.Args[1]] = true
			}
			if f, method := n.Fun.(*ast.SelectorExpr); method {
				receiver = types.ExprString(f.X)
			}
			switch begins, ends := strings.HasSuffix(name, "Begin"), strings.HasSuffix(name, "End"); {
			case strings.HasPrefix(name, "IWrite"):
				add(n.End(), startStep, requests[n])
			case strings.HasPrefix(name, "Write") && begins:
				add(n.End(), startStep, "")
			case strings.HasPrefix(name, "Write") && ends:
				add(n.Pos(), waitStep, "")
			case name == "Test":
				add(n.Pos(), testStep, receiver)
				all[len(all)-1].blind = dropped[n]
			case strings.HasPrefix(name, "Wait"):
				add(n.Pos(), waitStep, receiver)
			case !slices.Contains(idleCalls, name) && !offsets[n]:
				add(n.Pos(), workStep, "")
			}
		}
		return true
	})
	slices.SortStableFunc(all, func(a, b *step) int { return cmp.Compare(a.at, b.at) })
	return all
}

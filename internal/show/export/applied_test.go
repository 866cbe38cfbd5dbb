package export_test

import (
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/export"
	"github.com/commworld/commworld/internal/show/export/gorun"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/script"
)

var appliedPrograms = flag.Int("applied", 0, "random programs whose fixes are applied, with another seed each time; 0: fewer, with one seed")

// If this fails, a fix that the report of a race in a Go program prints does not work: done to
// the letter, the program ends with an error, or the race is still there. The programs are the
// twins and random ones, as Go.
//
// With -applied=300 it draws so many programs with another seed.
func TestPrintedFixesApplied(t *testing.T) {
	random, seed := 12, uint64(33)
	if thorough.All() {
		random = 80
	}
	if *appliedPrograms > 0 {
		random, seed = *appliedPrograms, uint64(time.Now().UnixNano())
	}
	t.Logf("random programs of seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	var texts []string
	add := func(name, text string) {
		s, err := script.Parse(text)
		require.NoError(t, err, "%s:\n%s", name, text)
		s.Name = name
		out, err := export.Go(s, export.Options{Name: name})
		require.NoError(t, err, name)
		texts = append(texts, out)
	}
	names, err := fs.Glob(consistency.Twins(), "*-racy.mpio")
	require.NoError(t, err)
	if !thorough.All() {
		names = slices.DeleteFunc(names, func(name string) bool {
			return draw.IntN(6) > 0 && !strings.Contains(name, "split") && !strings.Contains(name, "nonblocking")
		})
	}
	for _, name := range names {
		text, err := fs.ReadFile(consistency.Twins(), name)
		require.NoError(t, err)
		add(name, string(text))
	}
	for i := range random {
		add(fmt.Sprintf("random-%d.mpio", i), drawRacy(draw))
	}
	ctx, stop := context.WithTimeout(t.Context(), 9*time.Minute)
	defer stop()
	runs, err := gorun.Run(ctx, t.TempDir(), "../../..", texts, 1)
	require.NoError(t, err)
	var fixed []string
	var of []applied
	races, untried := 0, []string{}
	for _, r := range runs {
		for _, f := range r.Found {
			if f.Kind != "race" {
				continue
			}
			races++
			_, why, not := strings.Cut(f.Fix, "(not tried in this run: ")
			if strings.Contains(f.Fix, "none found: ") {
				why, not = "no change works", true
			}
			if not || strings.Contains(f.Fix, "same bytes") || strings.Contains(f.Fix, "one collective call") {
				if not {
					untried = append(untried, strings.TrimSuffix(why, ")"))
				}
				continue
			}
			_, ordering, writes := strings.Cut(f.Fix, consistency.OnlyIfMeant)
			if !writes {
				ordering = f.Fix
			}
			for alternative := range strings.SplitSeq(ordering, "; or ") {
				text, err := applyFix(texts[r.Program], alternative, f.GoLines)
				if assert.NoError(t, err, "%s\n%s", f.Fix, texts[r.Program]) {
					fixed, of = append(fixed, text), append(of, applied{f, alternative})
				}
			}
		}
	}
	require.NotEmpty(t, fixed)
	t.Logf("%d programs, %d races, %d fixes applied; races without a tried fix: %v", len(texts), races, len(fixed), untried)
	assert.Less(t, 3*len(untried), races, "too few races have a fix")
	const seeds = 3
	again, err := gorun.Run(ctx, t.TempDir(), "../../..", fixed, seeds)
	require.NoError(t, err)
	require.Len(t, again, seeds*len(fixed))
	for _, r := range again {
		for _, f := range r.Found {
			was := of[r.Program]
			same := f.Kind == "race" && slices.Equal(f.GoLines, was.GoLines)
			assert.False(t, same || f.Kind == "error" || f.Kind == "deadlock" || f.Kind == "mismatch",
				"applied: %s\nseed %d: %s: %s\n%s", was.alternative, r.Seed, f.Kind, f.Text, fixed[r.Program])
		}
	}
}

// An applied is a race and one of its fixes.
type applied struct {
	gorun.Found
	alternative string
}

// drawRacy returns a random script, mostly with a race.
func drawRacy(draw *rand.Rand) string {
	ranks := 2 + draw.IntN(2)
	var b strings.Builder
	fmt.Fprintf(&b, "ranks %d\nfile f = 00*16\n", ranks)
	line := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	line("all: open h f rdwr")
	handles := []string{"h"}
	switch draw.IntN(4) {
	case 0:
		line("all: self open k f rdwr")
		handles = append(handles, "k")
	case 1:
		line("all: open k f rdwr")
		handles = append(handles, "k")
	}
	n := 0
	for range 2 + draw.IntN(4) {
		n++
		h, rank, at := handles[draw.IntN(len(handles))], draw.IntN(ranks), draw.IntN(6)
		size := 1 + draw.IntN(4)
		data := fmt.Sprintf("byte %d*%d", n, size)
		switch draw.IntN(12) {
		case 0, 1:
			line("%d: write_at %s %d %s", rank, h, at, data)
		case 2, 3:
			line("%d: read_at %s %d byte*%d -> v%d", rank, h, at, size, n)
		case 4:
			line("%d: iwrite_at %s %d %s as q%d", rank, h, at, data, n)
			if draw.IntN(2) == 0 {
				line("%d: read_at %s %d byte*2 -> w%d", rank, handles[draw.IntN(len(handles))], at+2, n)
			}
			line("%d: wait q%d", rank, n)
		case 5:
			line("%d: iread_at %s %d byte*%d -> v%d as q%d", rank, h, at, size, n, n)
			line("%d: iwrite_at %s %d byte 9 as p%d", rank, h, at+8, n)
			line("%d: waitall q%d p%d", rank, n, n)
		case 6:
			line("all: write_at_all_begin h r*4 %s", data)
			if draw.IntN(2) == 0 {
				line("all: barrier")
			}
			line("all: write_at_all_end h")
		case 7:
			line("all: iwrite_at_all h r*4 %s as q%d", data, n)
			line("all: wait q%d", n)
		case 8:
			line("all: read_at_all h %d byte*%d -> v%d", at, size, n)
		case 9:
			line("all: barrier")
		case 10:
			line("all: sync h")
		case 11:
			to := (rank + 1) % ranks
			line("%d: send %d %d byte 1", rank, to, n)
			line("%d: recv %d %d byte -> m%d", to, rank, n, n)
		}
	}
	for _, h := range handles {
		line("all: close %s", h)
	}
	return b.String()
}

// The parts of a fix.
var (
	addPart     = regexp.MustCompile(`^add ((?:Sync|Barrier)(?:, (?:Sync|Barrier))*)(?: on the handle of (\w+) \(\S+:(\d+)\))? ((?:after|before) .*)$`)
	wherePart   = regexp.MustCompile(`(after|before) (the send|the receive|\w+) \(\S+:(\d+)\) on (all ranks of the file|all ranks|ranks? [\d, ]*\d)`)
	messagePart = regexp.MustCompile(`^add (Send to|Recv from) rank (\d+) (after|before) (\w+) \(\S+:(\d+)\) on rank (\d+)$`)
	atomicPart  = regexp.MustCompile(`^add SetAtomicity\(true\) after Open \(\S+:(\d+)\), on all ranks of the file(?:, and take either order)?$`)
	waitPart    = regexp.MustCompile(`^complete (\w+) \(\S+:(\d+)\) before (\w+) \(\S+:(\d+)\) on (ranks? [\d, ]*\d): wait for its request there$`)
	movePart    = regexp.MustCompile(`^move (\w+) \(\S+:(\d+)\) to before (\w+) \(\S+:(\d+)\) on (ranks? [\d, ]*\d|all ranks)$`)
	havePart    = regexp.MustCompile(` \(you have .*\)$`)
	orderPart   = regexp.MustCompile(`^for the other order, .*?: `)
)

// applyFix carries out one fix in the text of a program, word for word. Lines keep their
// numbers. The race is between calls on two lines.
func applyFix(text, fix string, lines []int) (string, error) {
	p, err := parsed(text)
	if err != nil {
		return "", err
	}
	fix = orderPart.ReplaceAllString(havePart.ReplaceAllString(fix, ""), "")
	if m := atomicPart.FindStringSubmatch(fix); m != nil {
		p.insert("after", number(m[1]), checkedCall(p.result(number(m[1]))+".SetAtomicity(true)"))
		return p.done()
	}
	if m := waitPart.FindStringSubmatch(fix); m != nil {
		p.insert("before", number(m[4]), guarded(m[5], "if _, err := "+p.result(number(m[2]))+".Wait(); err != nil { return err }"))
		return p.done()
	}
	if m := movePart.FindStringSubmatch(fix); m != nil {
		p.move(number(m[2]), number(m[4]))
		return p.done()
	}
	for part := range strings.SplitSeq(fix, ", and add ") {
		if m := messagePart.FindStringSubmatch("add " + strings.TrimPrefix(part, "add ")); m != nil {
			call := fmt.Sprintf("if err := c.Send(types.Of([]byte{}), %s, 9999); err != nil { return err }", m[2])
			if m[1] == "Recv from" {
				call = fmt.Sprintf("if _, err := c.Recv(types.Of([]byte{}), %s, 9999); err != nil { return err }", m[2])
			}
			p.insert(m[3], number(m[5]), guarded("rank "+m[6], call))
			continue
		}
		m := addPart.FindStringSubmatch("add " + strings.TrimPrefix(part, "add "))
		if m == nil {
			return "", fmt.Errorf("no such form: %q", part)
		}
		handle := p.receiver(lines[0])
		if m[3] != "" {
			handle = p.receiver(number(m[3]))
		}
		var calls []string
		for c := range strings.SplitSeq(m[1], ", ") {
			calls = append(calls, checkedCall(map[string]string{"Sync": handle + ".Sync()", "Barrier": "c.Barrier()"}[c]))
		}
		if rest := wherePart.ReplaceAllString(m[4], ""); strings.Trim(rest, ", ") != "" {
			return "", fmt.Errorf("no such form: %q", part)
		}
		for _, w := range wherePart.FindAllStringSubmatch(m[4], -1) {
			p.insert(w[1], number(w[3]), guarded(w[4], strings.Join(calls, "; ")))
		}
	}
	return p.done()
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

func checkedCall(call string) string { return "if err := " + call + "; err != nil { return err }" }

// guarded returns statements that only the named ranks make.
func guarded(ranks, stmts string) string {
	if strings.HasPrefix(ranks, "all") {
		return stmts
	}
	var is []string
	for _, n := range regexp.MustCompile(`\d+`).FindAllString(ranks, -1) {
		is = append(is, "c.Rank() == "+n)
	}
	return "if " + strings.Join(is, " || ") + " { " + stmts + " }"
}

// A patch is a program's text with changes.
type patch struct {
	text  string
	fset  *token.FileSet
	file  *ast.File
	edits []edit
	err   error
}

// An edit replaces the text between two offsets.
type edit struct {
	from, to int
	with     string
}

func parsed(text string) (*patch, error) {
	p := &patch{text: text, fset: token.NewFileSet()}
	var err error
	p.file, err = parser.ParseFile(p.fset, "", text, parser.SkipObjectResolution)
	return p, err
}

// stmt returns the innermost statement of a list that begins on a line.
func (p *patch) stmt(line int) (found ast.Stmt) {
	ast.Inspect(p.file, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		}
		for _, s := range list {
			if p.fset.Position(s.Pos()).Line == line {
				found = s
			}
		}
		return true
	})
	if found == nil && p.err == nil {
		p.err = fmt.Errorf("no statement begins on line %d", line)
	}
	return found
}

func (p *patch) offset(at token.Pos) int { return p.fset.Position(at).Offset }

// insert adds statements beside the one on a line.
func (p *patch) insert(where string, line int, stmts string) {
	s := p.stmt(line)
	switch {
	case s == nil:
	case where == "before":
		p.edits = append(p.edits, edit{p.offset(s.Pos()), p.offset(s.Pos()), stmts + "; "})
	default:
		p.edits = append(p.edits, edit{p.offset(s.End()), p.offset(s.End()), "; " + stmts})
	}
}

// move moves the statement of a line to before that of another.
func (p *patch) move(line, before int) {
	s, at := p.stmt(line), p.stmt(before)
	if p.err != nil {
		return
	}
	text := p.text[p.offset(s.Pos()):p.offset(s.End())]
	p.edits = append(p.edits, edit{p.offset(s.Pos()), p.offset(s.End()), strings.Repeat("\n", strings.Count(text, "\n"))})
	text = regexp.MustCompile(`//.*`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`\n\s*}`).ReplaceAllString(text, " }")
	p.edits = append(p.edits, edit{p.offset(at.Pos()), p.offset(at.Pos()), strings.ReplaceAll(text, "\n", " ") + "; "})
}

// call returns the call of a method on a line, of the variable that it is called on.
func (p *patch) receiver(line int) (name string) {
	ast.Inspect(p.file, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if ok && name == "" && p.fset.Position(c.Pos()).Line == line {
			if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok {
					name = x.Name
				}
			}
		}
		return true
	})
	switch {
	case name == "iofile": // Open: its result is the handle
		return p.result(line)
	case name == "" && p.err == nil:
		p.err = fmt.Errorf("line %d calls no method", line)
	}
	return name
}

// result returns the variable that the first result of the call on a line is assigned to.
func (p *patch) result(line int) (name string) {
	ast.Inspect(p.file, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if ok && name == "" && p.fset.Position(a.Pos()).Line == line {
			if x, ok := a.Lhs[0].(*ast.Ident); ok {
				name = x.Name
			}
		}
		return true
	})
	if name == "" && p.err == nil {
		p.err = fmt.Errorf("line %d assigns no result", line)
	}
	return name
}

// done returns the changed text.
func (p *patch) done() (string, error) {
	if p.err != nil {
		return "", p.err
	}
	slices.SortStableFunc(p.edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	from := 0
	for _, e := range p.edits {
		b.WriteString(p.text[from:e.from] + e.with)
		from = e.to
	}
	return b.String() + p.text[from:], nil
}

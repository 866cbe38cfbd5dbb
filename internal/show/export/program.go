package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// Options choose the head of a program and its checks.
type Options struct {
	Name    string // of the script, for the head of the program
	Comment string // lines for the head: the subject of the program

	// Expect replaces the script's own expectations. For example, a script with a mistake
	// can be checked against the expectations of its correct twin; equations about results
	// that the script does not have are left out.
	Expect []script.Expectation
	Other  bool // use Expect even if it is empty
}

// An Error reports that a statement cannot be written in the language.
type Error struct {
	Line int // of the script
	Text string
}

// Error returns line and reason.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

func refuse(line int, format string, args ...any) error {
	return &Error{line, fmt.Sprintf(format, args...)}
}

// A variable is the result of a statement, or data that outlive their statement.
type variable struct {
	ident string
	mem   memory
	data  []byte // initial content; nil: none
	text  bool   // the script writes it as text
	num   string // routine that returns it, if it is a number; empty: data
	whole bool   // it is filled by a call without a status
	need  need
}

// A need is the parts of a result that the checks use.
type need struct{ value, count, pos bool }

// status reports whether the status of the call is needed.
func (v *variable) status() bool { return v.num == "" && !v.whole && (v.need.value || v.need.count) }

// A program is a script prepared for writing it in a language.
type program struct {
	s      *script.Script
	o      Options
	allow  []script.Outcome
	expect []script.Expectation

	idents   map[string]string // by sort and name: "handle h"
	taken    map[string]bool
	derived  []*derived
	results  map[*script.Stmt]*variable
	kept     map[*script.Stmt]*variable // data of accesses that continue after their statement
	declared []*variable
	handles  []string
	requests []string

	completes map[call][]*script.Stmt // of wait, waitall, test and the ends of split calls
	names     map[call][]string       // of wait, waitall and test: requests
	tested    map[string]bool         // requests in a test
	waited    map[string]bool         // requests in a wait
	fails     map[site]errclass.Class
	unopened  map[*script.Stmt]bool // statements on a handle whose open has failed on all ranks
	opened    map[*script.Stmt]bool // statements on a handle whose open has succeeded
}

type site struct{ rank, line int }

// A call is a statement and the rank that runs it.
type call struct {
	rank int
	stmt *script.Stmt
}

// A derived is a datatype with a variable of its own.
type derived struct {
	typ   *types.Type
	ident string
	line  int
}

func prepare(s *script.Script, o Options, reserved string) (*program, error) {
	p := &program{
		s: s, o: o, expect: s.Expect, idents: map[string]string{}, taken: map[string]bool{},
		results: map[*script.Stmt]*variable{}, kept: map[*script.Stmt]*variable{},
		completes: map[call][]*script.Stmt{}, names: map[call][]string{},
		tested: map[string]bool{}, waited: map[string]bool{}, fails: map[site]errclass.Class{}, unopened: map[*script.Stmt]bool{}, opened: map[*script.Stmt]bool{},
	}
	for word := range strings.FieldsSeq(reserved) {
		p.taken[word] = true
	}
	if o.Other {
		p.expect = o.Expect
	}
	p.expectations()
	for _, b := range s.Blocks {
		for _, c := range b.Stmts {
			if err := p.declare(c); err != nil {
				return nil, err
			}
		}
	}
	for r := range s.Ranks {
		if err := p.follow(r); err != nil {
			return nil, err
		}
	}
	return p, p.needs()
}

// expectations sorts the script's expectations by kind.
func (p *program) expectations() {
	for _, e := range p.expect {
		switch e.Kind {
		case script.Allow:
			for _, out := range e.Outcomes {
				if p.o.Other {
					out = slices.DeleteFunc(slices.Clone(out), func(q script.Equation) bool { return q.File == "" && p.stmtOf(q.Rank, q.Name) == nil })
				}
				p.allow = append(p.allow, out)
			}
		case script.Error:
			p.fails[site{e.Rank, e.At}] = e.Class
		}
	}
	if p.o.Other && slices.ContainsFunc(p.allow, func(o script.Outcome) bool { return len(o) == 0 }) {
		p.allow = nil // all outcomes are allowed
	}
}

// each calls f for the statements of a rank in order.
func (p *program) each(rank int, f func(*script.Stmt)) {
	for _, b := range p.s.Blocks {
		if slices.Contains(b.Ranks, rank) {
			for _, c := range b.Stmts {
				f(c)
			}
		}
	}
}

// baseOf removes ".count" and ".pos" from the name of a result.
func baseOf(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".count"), ".pos")
}

// stmtOf returns the statement that defines a rank's result.
func (p *program) stmtOf(rank int, name string) *script.Stmt {
	var found *script.Stmt
	if rank >= p.s.Ranks {
		return nil
	}
	p.each(rank, func(c *script.Stmt) {
		if c.Into == baseOf(name) {
			found = c
		}
	})
	return found
}

// ident returns the identifier of a name of the script.
func (p *program) ident(sort, name string) string {
	if id, ok := p.idents[sort+" "+name]; ok {
		return id
	}
	id := p.fresh(name)
	p.idents[sort+" "+name] = id
	return id
}

// fresh returns an identifier that is not used yet.
func (p *program) fresh(name string) string {
	if name[0] >= '0' && name[0] <= '9' {
		name = "n" + name
	}
	for id := name; ; {
		if !p.taken[id] && !p.taken[id+"_status"] && !p.taken[id+"_pos"] {
			p.taken[id] = true
			return id
		}
		if id == name {
			id += "_"
			continue
		}
		id += "_"
	}
}

// isNumber reports whether the result of a routine is a number.
func isNumber(routine string) bool {
	switch routine {
	case "test", "probe", "type_extent", "get_byte_offset":
		return true
	}
	return strings.HasPrefix(routine, "get_")
}

// late reports whether a routine uses its memory after its statement.
func late(routine string) bool {
	return strings.HasSuffix(routine, "_begin") || routine == "isend" || routine == "irecv" ||
		strings.HasPrefix(routine, "iread") || strings.HasPrefix(routine, "iwrite")
}

// declare makes the variables of a statement.
func (p *program) declare(c *script.Stmt) error {
	if c.Routine == "open" {
		if id := p.ident("handle", c.Handle); !slices.Contains(p.handles, id) {
			p.handles = append(p.handles, id)
		}
	}
	if c.As != "" {
		if id := p.ident("request", c.As); !slices.Contains(p.requests, id) {
			p.requests = append(p.requests, id)
		}
	}
	for _, t := range []*types.Type{c.View.Etype, c.View.Filetype, c.Type} {
		p.name(t, c.Line)
	}
	if c.Data != nil {
		p.name(c.Data.Type, c.Line)
		if err := p.keep(c); err != nil {
			return err
		}
	}
	if c.Want != nil && c.Routine != "look" {
		p.name(c.Want.Type, c.Line)
	}
	return p.result(c)
}

// keep declares data that are used after their statement.
func (p *program) keep(c *script.Stmt) error {
	mem, err := memoryOf(c.Data.Type, c.Data.Count())
	if err != nil {
		return refuse(c.Line, "%v", err)
	}
	packed, err := c.Data.Encode(host)
	if err != nil {
		return refuse(c.Line, "%v", err)
	}
	v := &variable{ident: p.fresh(fmt.Sprintf("data%d", c.Line)), mem: mem, data: mem.fill(packed), text: quoted(c.Data.Values)}
	p.kept[c] = v
	if late(c.Routine) && mem.len > 0 {
		p.declared = append(p.declared, v)
	}
	return nil
}

// quoted reports whether all values are text.
func quoted(vs []script.Value) bool {
	return len(vs) > 0 && !slices.ContainsFunc(vs, func(v script.Value) bool { return !v.Quoted })
}

// result declares the result of a statement. It uses one variable for similar results of
// statements of other ranks.
func (p *program) result(c *script.Stmt) error {
	if c.Into == "" {
		return nil
	}
	v := &variable{}
	if isNumber(c.Routine) {
		v.num = c.Routine
	} else {
		t, n := p.shape(c)
		mem, err := memoryOf(t, n)
		if err != nil {
			return refuse(c.Line, "%v", err)
		}
		v.mem, v.whole = mem, !hasStatus(c.Routine)
	}
	for other, o := range p.results {
		if other.Into == c.Into && o.num == v.num && o.whole == v.whole && (v.num != "" || o.mem == v.mem) {
			p.results[c] = o
			return nil
		}
	}
	v.ident = p.fresh(c.Into)
	p.taken[v.ident+"_status"], p.taken[v.ident+"_pos"] = true, true
	p.results[c] = v
	p.declared = append(p.declared, v)
	return nil
}

// shape returns the datatype and the number of copies of a statement's result.
func (p *program) shape(c *script.Stmt) (*types.Type, int64) {
	switch {
	case c.Want != nil:
		return c.Want.Type, c.Want.Count
	case c.Routine == "gather" || c.Routine == "allgather":
		return c.Data.Type, c.Data.Count() * int64(p.s.Ranks)
	}
	return c.Data.Type, c.Data.Count()
}

// name gives a name to a datatype that is not predefined: the script's, or that of its
// constructor.
func (p *program) name(t *types.Type, line int) {
	if t == nil || t.Envelope().Combiner == types.CombinerNamed || p.derivedOf(t) != nil {
		return
	}
	d := &derived{typ: t, line: line}
	for _, a := range p.s.Aliases {
		if a.Type.Equal(t) {
			d.ident = p.fresh(a.Name)
		}
	}
	if d.ident == "" {
		word, _, _ := strings.Cut(t.String(), "(")
		d.ident = p.fresh(word)
	}
	p.derived = append(p.derived, d)
}

func (p *program) derivedOf(t *types.Type) *derived {
	for _, d := range p.derived {
		if d.typ == t || d.typ.Equal(t) {
			return d
		}
	}
	return nil
}

// follow goes through the statements of a rank. It finds which of them a wait or an end
// completes, and which have no open handle.
func (p *program) follow(rank int) error {
	pending, split, closed := map[string]*script.Stmt{}, map[string]*script.Stmt{}, map[string]bool{}
	var order []string
	var wrong error
	p.each(rank, func(c *script.Stmt) {
		switch {
		case c.Routine == "open":
			_, closed[c.Handle] = p.failure(rank, c)
		case closed[c.Handle] && !p.opened[c]:
			p.unopened[c] = true
			return
		case closed[c.Handle] || p.unopened[c]:
			wrong = refuse(c.Line, "the open of %s fails on some of the ranks of this block only: give them blocks of their own", c.Handle)
		}
		p.opened[c] = true
		switch {
		case c.As != "":
			if pending[c.As] == nil {
				order = append(order, c.As)
			}
			pending[c.As] = c
		case c.Routine == "wait" || c.Routine == "waitall" || c.Routine == "test":
			names := c.Reqs
			if c.Routine == "waitall" && len(names) == 0 {
				names = slices.DeleteFunc(slices.Clone(order), func(n string) bool { return pending[n] == nil })
			}
			p.completed(call{rank, c}, names, pending)
		case strings.HasSuffix(c.Routine, "_begin"):
			split[c.Handle] = c
		case strings.HasSuffix(c.Routine, "_end"):
			if begin := split[c.Handle]; begin != nil {
				p.completes[call{rank, c}] = []*script.Stmt{begin}
			}
			if _, fails := p.fails[site{rank, c.Line}]; !fails {
				delete(split, c.Handle)
			}
		}
	})
	return wrong
}

// completed records which statements a wait of a rank completes.
func (p *program) completed(c call, names []string, pending map[string]*script.Stmt) {
	for _, n := range names {
		p.names[c] = append(p.names[c], n)
		p.waited[n] = true
		if begun := pending[n]; begun != nil {
			p.completes[c] = append(p.completes[c], begun)
		}
		if c.stmt.Routine == "test" {
			p.tested[n] = true
		} else {
			delete(pending, n)
		}
	}
}

// failure returns the class with which a statement of a rank must fail, if it must.
func (p *program) failure(rank int, c *script.Stmt) (errclass.Class, bool) {
	class, ok := p.fails[site{rank, c.Line}]
	if ok && c.Routine == "open" && class == errclass.Other {
		return 0, false // the handle is not closed; the call itself succeeds
	}
	return class, ok
}

// needs finds which parts of results the checks use.
func (p *program) needs() error {
	for _, out := range p.allow {
		for _, q := range out {
			if q.File != "" {
				continue
			}
			c := p.stmtOf(q.Rank, q.Name)
			if c == nil {
				return fmt.Errorf("rank %d has no result %s", q.Rank, q.Name)
			}
			v := p.results[c]
			switch {
			case strings.HasSuffix(q.Name, ".count"):
				v.need.count = true
			case strings.HasSuffix(q.Name, ".pos"):
				v.need.pos = true
			default:
				v.need.value = true
			}
		}
	}
	return nil
}

// brings returns the results of a wait or an end whose status or position is needed.
func (p *program) brings(c call) []*variable {
	var all []*variable
	for _, begun := range p.completes[c] {
		if v := p.results[begun]; begun.Want != nil && v != nil && (v.status() || v.need.pos) {
			all = append(all, v)
		}
	}
	return all
}

// groups splits the ranks of a branch by the statements that c completes on them.
func (p *program) groups(b branch, c *script.Stmt) [][]int {
	var all [][]int
	same := func(r, o int) bool {
		x, y := call{r, c}, call{o, c}
		if strings.HasSuffix(c.Routine, "_end") {
			return slices.Equal(p.completes[x], p.completes[y])
		}
		return slices.Equal(p.names[x], p.names[y]) && slices.Equal(p.brings(x), p.brings(y))
	}
	for _, r := range p.ranksOf(b) {
		if i := slices.IndexFunc(all, func(g []int) bool { return same(r, g[0]) }); i >= 0 {
			all[i] = append(all[i], r)
		} else {
			all = append(all, []int{r})
		}
	}
	return all
}

// shared reports whether a routine uses the shared file pointer.
func shared(routine string) bool {
	return strings.Contains(routine, "shared") || strings.Contains(routine, "ordered")
}

// used reports whether some statement that is written uses a variable.
func (p *program) used(v *variable) bool {
	for _, m := range []map[*script.Stmt]*variable{p.results, p.kept} {
		for c, o := range m {
			if o == v && !p.unopened[c] {
				return true
			}
		}
	}
	return false
}

// says reports whether the script has an expectation of a kind.
func (p *program) says(kind script.ExpectKind) bool {
	return slices.ContainsFunc(p.s.Expect, func(e script.Expectation) bool { return e.Kind == kind })
}

package script

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// MaxRanks is the largest number of ranks of a script.
const MaxRanks = 4096

// Limits of a script, which may come from a stranger. Parse refuses one that exceeds
// them.
const (
	MaxText   = 256 << 10 // bytes of the script, with aliases of types expanded
	MaxSteps  = 256 << 10 // statements, counted for each rank that runs them
	MaxMemory = 64 << 20  // bytes of all buffers of all ranks, and of the files
)

// Parse reads a script. An error is a *[SyntaxError].
func Parse(text string) (*Script, error) { return parse(text, 0) }

// ParseRanks reads a script as Parse does, but for another number of ranks, to which "all",
// n and expressions with r and n refer. The allow lines are left out, because they hold for
// the script's own number only.
func ParseRanks(text string, ranks int) (*Script, error) {
	if ranks < 1 || ranks > MaxRanks {
		return nil, fmt.Errorf("script: %d ranks: a script has 1 to %d", ranks, MaxRanks)
	}
	return parse(text, ranks)
}

// parse reads a script, for another number of ranks unless ranks is 0.
func parse(text string, ranks int) (*Script, error) {
	if len(text) > MaxText {
		return nil, &SyntaxError{Line: 1, Column: 1, Err: fmt.Errorf("a script of %d bytes: at most %d", len(text), MaxText)}
	}
	p := &parser{
		s:     &Script{text: text, source: text},
		alias: map[string]*types.Type{},
		state: map[int]*names{},
		ranks: ranks,
	}
	if ranks != 0 {
		p.s.text, p.s.source = "", "" // the text says another number
	}
	for queue := lines(text); len(queue) > 0; {
		p.line, queue = queue[0], queue[1:]
		if p.line.repeats() {
			queue = p.repeat(queue)
		} else {
			p.statement()
		}
		if !p.failed() && !p.line.done() {
			p.fail("unexpected %s", p.line.found())
		}
		if p.failed() {
			return nil, p.err
		}
	}
	if p.finish(); p.failed() {
		return nil, p.err
	}
	return p.s, nil
}

type parser struct {
	s      *Script
	line   *line
	block  *Block // the present one
	alias  map[string]*types.Type
	state  map[int]*names
	err    error
	marked bool // there was a line of markers
	ranks  int  // in place of the number that the text says, unless 0

	self     int    // the value of r
	selfUsed bool   // the statement uses r
	lines    int    // lines made by repetitions
	rest     *Block // continues the block after a statement that was split by rank

	steps, memory int64 // totals so far
	spelt         int   // bytes of type expressions, with aliases expanded
}

// step counts a statement that this number of ranks runs.
func (p *parser) step(ranks int) {
	if p.steps += int64(ranks); p.steps > MaxSteps {
		p.fail("the ranks have more than %d statements together", MaxSteps)
	}
}

// collects counts the memory of the blocks that a rank collects from all ranks.
func (p *parser) collects(d *Data) {
	ranks := int64(p.s.Ranks)
	size := d.Type.Size(host) * d.Count()
	if size > MaxBuffer/ranks {
		p.fail("%d blocks of %d bytes: a statement has at most %d", ranks, size, MaxBuffer)
		return
	}
	p.take(size * ranks)
}

// take counts memory that each rank of the block needs.
func (p *parser) take(bytes int64) {
	if p.block != nil {
		bytes *= int64(max(len(p.block.Ranks), 1)) // below MaxBuffer before the product
	}
	if p.memory += bytes; p.memory > MaxMemory {
		p.fail("more than %d bytes of buffers and files, all ranks together", MaxMemory)
	}
}

// names holds the names that one rank has defined so far.
type names struct {
	handles, requests, results map[string]int // by name: the line that defined it
}

func (p *parser) failed() bool { return p.err != nil }

// fail records the first error, at the current column.
func (p *parser) fail(format string, args ...any) {
	p.failAt(p.line.no, p.line.text, p.line.pos, brief.Errorf(format, args...))
}

func (p *parser) failAt(no int, text string, pos int, err error) {
	if p.err == nil {
		p.err = &SyntaxError{Line: no, Column: pos + 1, Text: text, Err: err}
		p.line.pos = len(p.line.text)
	}
}

func (p *parser) expected(what string) {
	p.line.space()
	p.fail("expected %s, found %s", what, p.line.found())
}

func (p *parser) need(s string) {
	if !p.line.accept(s) {
		p.expected(strconv.Quote(s))
	}
}

// statement reads one line: a declaration, the head of a block, a call, or an
// expectation.
func (p *parser) statement() {
	at := p.line.pos
	if c := p.line.text[at]; c >= '0' && c <= '9' {
		p.head()
		return
	}
	w := p.line.word()
	if w == "all" && p.line.accept(":") {
		p.line.pos = at
		p.head()
		return
	}
	if head := p.line.blockOf(w); head != "" {
		p.line.pos = at
		p.fail("a block begins with the numbers of its ranks alone: write %s", head)
		return
	}
	if !p.declaration(w, at) && !p.expectation(w, at) {
		p.call(w, at)
	}
}

func (p *parser) declaration(w string, at int) bool {
	switch w {
	case "ranks":
		if p.s.Ranks != 0 || len(p.s.Blocks) > 0 {
			p.line.pos = at
			p.fail("give the number of ranks once, before the first block")
			return true
		}
		n := p.small("a number of ranks")
		if n < 1 || n > MaxRanks {
			p.fail("%d ranks: a script has 1 to %d", n, MaxRanks)
		}
		if p.ranks != 0 {
			n = p.ranks
		}
		p.s.Ranks = n
	case "type":
		name := p.name("a name for a type")
		p.need("=")
		if p.alias[name] != nil {
			p.fail("type %s is defined already", name)
		} else if _, err := types.Parse(name); err == nil || name == "lb" || name == "ub" {
			p.fail("%s is a predefined type", name)
		}
		t := p.typ()
		p.alias[name] = t
		p.s.Aliases = append(p.s.Aliases, Alias{p.line.no, name, t})
	case "machine":
		p.machine(at)
	case "markers":
		p.markers(at)
	case "file":
		name := p.fileName()
		p.need("=")
		if slices.ContainsFunc(p.s.Files, func(f File) bool { return f.Name == name }) {
			p.fail("file %s is defined already", name)
		}
		p.s.Files = append(p.s.Files, File{p.line.no, name, p.stretches(false)})
	default:
		return false
	}
	return true
}

// head reads the ranks of the statements that follow.
func (p *parser) head() {
	if p.s.Ranks == 0 {
		p.fail("expected the number of ranks first, such as: ranks 2")
		return
	}
	b := Block{Line: p.line.no}
	if p.line.acceptWord("all") {
		b.All = true
		p.step(p.s.Ranks)
		for r := range p.s.Ranks {
			b.Ranks = append(b.Ranks, r)
		}
	} else {
		for more := true; more && !p.failed(); more = p.line.accept(",") {
			lo := p.rank()
			hi := lo
			if p.line.accept("-") {
				hi = p.rank()
			}
			if hi < lo {
				p.fail("ranks %d-%d: the first is greater than the last", lo, hi)
			}
			p.step(max(hi-lo, 0) + 1)
			for r := lo; r <= hi && !p.failed(); r++ {
				b.Ranks = append(b.Ranks, r)
			}
		}
		slices.Sort(b.Ranks)
		b.Ranks = slices.Compact(b.Ranks)
	}
	if p.need(":"); p.failed() {
		return
	}
	p.rest = nil
	p.enter(b)
	if !p.line.done() {
		at := p.line.pos
		p.call(p.line.word(), at)
	}
}

// call reads a statement of the current block. One that uses r becomes one statement for
// each rank.
func (p *parser) call(w string, at int) {
	if p.rest != nil {
		p.enter(*p.rest)
		p.rest = nil
	}
	start := p.line.pos
	if p.selfUsed = false; p.block != nil {
		p.self = p.block.Ranks[0]
	}
	s := p.read(w, at)
	if p.failed() {
		return
	}
	if !p.selfUsed || len(p.block.Ranks) == 1 {
		p.add(s)
		return
	}
	whole := *p.block
	if len(whole.Stmts) == 0 {
		p.s.Blocks = p.s.Blocks[:len(p.s.Blocks)-1]
	}
	for _, p.self = range whole.Ranks {
		p.enter(Block{Line: whole.Line, Ranks: []int{p.self}})
		p.line.pos = start
		if s = p.read(w, at); p.failed() {
			return
		}
		p.add(s)
	}
	p.rest = &Block{Line: whole.Line, Ranks: whole.Ranks, All: whole.All}
}

// enter begins a block.
func (p *parser) enter(b Block) {
	p.s.Blocks = append(p.s.Blocks, b)
	p.block = &p.s.Blocks[len(p.s.Blocks)-1]
}

// add adds the statement that was read.
func (p *parser) add(s *Stmt) {
	p.step(len(p.block.Ranks))
	p.declare(s)
	p.block.Stmts = append(p.block.Stmts, s)
}

// read reads a statement of the current block.
func (p *parser) read(w string, at int) *Stmt {
	s := &Stmt{Line: p.line.no}
	if w == "self" {
		s.Self = true
		p.line.space()
		at = p.line.pos
		w = p.line.word()
	}
	s.Routine, s.form = w, forms[w]
	switch {
	case s.form == nil:
		p.line.pos = at
		if w == "" {
			p.expected("a statement")
		} else {
			p.fail("unknown statement %q%s", shown(w), suggest(w))
		}
		return nil
	case p.block == nil:
		p.line.pos = at
		p.fail("%s is in no block: say which ranks run it, such as all: or 0:", w)
		return nil
	case s.Self && w != "open":
		p.line.pos = at
		p.fail("only open takes self")
		return nil
	}
	for _, a := range s.form.args {
		if a.read(p, s); p.failed() {
			return nil
		}
	}
	return s
}

// declare adds the names that s defines.
func (p *parser) declare(s *Stmt) {
	for _, r := range p.block.Ranks {
		n := p.names(r)
		if s.Routine == "open" {
			n.handles[s.Handle] = s.Line
		}
		if s.As != "" {
			n.requests[s.As] = s.Line
		}
		if s.Into != "" {
			if before := n.results[s.Into]; before != 0 {
				p.fail("rank %d has a result %s already, of line %d", r, s.Into, before)
				return
			}
			n.results[s.Into] = s.Line
		}
	}
}

func (p *parser) names(rank int) *names {
	n := p.state[rank]
	if n == nil {
		n = &names{map[string]int{}, map[string]int{}, map[string]int{}}
		p.state[rank] = n
	}
	return n
}

// opened checks that every rank of the block has a handle of that name.
func (p *parser) opened(name string) {
	if p.failed() || p.block == nil {
		return
	}
	for _, r := range p.block.Ranks {
		if p.names(r).handles[name] == 0 {
			p.fail("rank %d has not opened a file as %s", r, name)
			return
		}
	}
}

func (p *parser) request() string {
	name := p.name("the name of a request")
	p.started(name)
	return name
}

// started checks that every rank of the block has started the requests.
func (p *parser) started(names ...string) {
	if p.failed() || p.block == nil {
		return
	}
	for _, r := range p.block.Ranks {
		for _, name := range names {
			if p.names(r).requests[name] == 0 {
				p.fail("rank %d has started nothing as %s", r, name)
				return
			}
		}
	}
}

func (p *parser) arrow(s *Stmt) {
	p.need("->")
	s.Into = p.name("a name for the result")
}

func (p *parser) as(s *Stmt) {
	if !p.line.acceptWord("as") {
		p.expected("as and a name for the request")
		return
	}
	s.As = p.name("a name for the request")
}

func (p *parser) name(what string) string {
	at := p.line.pos
	w := p.line.take(isName)
	if w == "" {
		p.line.pos = at
		p.expected(what)
	}
	return w
}

func (p *parser) fileName() string {
	w := p.line.take(func(c byte) bool { return isWord(c) || c == '/' || c == '-' })
	if w == "" {
		p.expected("a file name")
	}
	return w
}

func (p *parser) integer(what string) int64 {
	p.line.space()
	at := p.line.pos
	w := p.line.take(isArithmetic)
	if whole := p.line.spaced(w); whole != "" {
		p.line.pos = at
		p.fail("an expression has no blanks: write %s", whole)
		return 0
	}
	n, err := p.evaluate(w)
	if err != nil {
		p.line.pos = at
		if errors.Is(err, strconv.ErrRange) {
			p.fail("%s is beyond 64 bits", w)
		} else {
			p.expected(what)
		}
	}
	return n
}

func (p *parser) small(what string) int {
	n := p.integer(what)
	if !p.failed() && (n < math.MinInt32 || n > math.MaxInt32) {
		p.fail("%d is not %s", n, what)
	}
	return int(n)
}

// rank reads the number of a rank of the world.
func (p *parser) rank() int {
	p.line.space()
	at := p.line.pos
	w := p.line.take(func(c byte) bool { return c >= '0' && c <= '9' })
	n, err := strconv.Atoi(w)
	if err != nil {
		p.expected("a rank")
	} else if n >= p.s.Ranks {
		p.line.pos = at
		p.fail("there is no rank %d: the ranks are 0 to %d", n, p.s.Ranks-1)
	}
	return n
}

func (p *parser) mode() iofile.Mode {
	var m iofile.Mode
	for more := true; more && !p.failed(); more = p.line.accept("|") {
		m |= choose(p, "an access mode, such as rdwr|create", modes)
	}
	return m
}

// hints reads hints up to the end of the line.
func (p *parser) hints() (list []Hint) {
	for !p.failed() && !p.line.done() {
		h := Hint{Key: p.name("a hint, such as cb_nodes=4")}
		if p.need("="); p.failed() {
			break
		}
		if h.Value = p.line.take(isHint); h.Value == "" {
			p.expected("the value of the hint")
			break
		}
		if slices.ContainsFunc(list, func(o Hint) bool { return o.Key == h.Key }) {
			p.fail("the hint %s is given twice", h.Key)
		}
		if _, ok := h.Match(); h.Key == "match" && !ok {
			p.fail("no matching policy %s: final, source000, size or written", h.Value)
		}
		list = append(list, h)
	}
	return list
}

// isHint reports whether c may be part of the value of a hint.
func isHint(c byte) bool { return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=' }

func (p *parser) op() string {
	at := p.line.pos
	w := p.line.word()
	for _, o := range ops {
		if o.name == w {
			return w
		}
	}
	p.line.pos = at
	p.expected("an operation, such as sum")
	return ""
}

// typ reads a type expression, which may use the aliases of the script.
func (p *parser) typ() *types.Type {
	p.line.space()
	at := p.line.pos
	text := p.line.typeText()
	if text == "" {
		p.line.pos = at
		p.expected("a datatype")
		return nil
	}
	if t := p.alias[text]; t != nil {
		return t
	}
	whole, aliased := p.spell(text)
	if p.spelt += len(whole); p.spelt > MaxText {
		p.line.pos = at
		p.fail("the types of the script, written out, take more than %d bytes", MaxText)
		return nil
	}
	t, err := types.Parse(whole)
	if p.block != nil && slices.ContainsFunc(namesIn(whole), func(s string) bool { return s == "r" || s == "n" }) {
		t, err = types.ParseWith(whole, p.variables(whole))
	}
	if err == nil {
		return t
	}
	pos := at
	var syntax *types.SyntaxError
	if errors.As(err, &syntax) {
		var typed *types.Error
		if err = syntax.Err; errors.As(err, &typed) && typed.Err != nil {
			err = typed.Err
		}
		if !aliased {
			pos += syntax.Column - 1
		}
	}
	p.failAt(p.line.no, p.line.text, pos, err)
	return nil
}

// spell expands the script's aliases in a type expression.
func (p *parser) spell(text string) (whole string, aliased bool) {
	var b strings.Builder
	for i := 0; i < len(text) && b.Len() <= MaxText; {
		j := i
		for j < len(text) && isName(text[j]) {
			j++
		}
		if t := p.alias[text[i:j]]; t != nil {
			b.WriteString(t.String())
			aliased = true
		} else {
			b.WriteString(text[i:j])
		}
		if j < len(text) {
			b.WriteByte(text[j])
			j++
		}
		i = j
	}
	return b.String(), aliased
}

// want reads TYPE*N; N is 1 if it is missing.
func (p *parser) want() *Want {
	w := &Want{Type: p.typ(), Count: 1}
	if p.line.accept("*") {
		if w.Count = p.integer("a number of copies"); w.Count < 0 && !p.failed() {
			p.fail("%d copies of %v", w.Count, w.Type)
		}
	}
	if !p.failed() {
		p.bounded(w.Type, w.Count)
	}
	return w
}

// data reads a datatype and the values of its items.
func (p *parser) data() *Data {
	d := &Data{}
	p.line.space()
	if strings.HasPrefix(p.line.text[p.line.pos:], `"`) {
		d.Type, d.bare = types.Byte, true
	} else {
		d.Type = p.typ()
	}
	if p.failed() {
		return d
	}
	at := p.line.pos
	d.Values = p.values(func() bool {
		rest := ""
		if !p.line.done() {
			rest = p.line.text[p.line.pos:]
		}
		return rest == "" || strings.HasPrefix(rest, "as ") || strings.HasPrefix(rest, "->")
	})
	if p.failed() {
		return d
	}
	n, err := d.items()
	if err != nil {
		p.line.pos = at
		p.fail("%w", err)
		return d
	}
	if per := items(d.Type); per > 0 && n%per != 0 {
		p.line.pos = at
		p.fail("%d values are not a whole number of %v, which has %d items", n, d.Type, per)
	} else if per == 0 && n > 0 {
		p.line.pos = at
		p.fail("%v has no items, so it takes no values", d.Type)
	} else if per > 0 {
		p.bounded(d.Type, n/per)
	}
	if _, err := d.Encode(host); err != nil && !p.failed() {
		p.line.pos = at
		p.fail("%w", err)
	}
	return d
}

// MaxBuffer is the size in bytes of the largest buffer of a statement, and of the largest
// file.
const MaxBuffer = 16 << 20

// bounded refuses a buffer that is too large.
func (p *parser) bounded(t *types.Type, count int64) {
	if count == 0 || p.failed() {
		return
	}
	l, err := t.Layout(host)
	if err != nil {
		p.fail("%w", err)
		return
	}
	size, _, err := span(l, count)
	if err != nil {
		p.fail("%w", err)
		return
	}
	p.take(size + l.Size*count)
}

// maxNumber bounds the letters of one number; no kind needs more.
const maxNumber = 1000

// values reads a list of values up to a mark.
func (p *parser) values(end func() bool) []Value {
	var vs []Value
	for !p.failed() && !end() {
		v := Value{Repeat: 1}
		if strings.HasPrefix(p.line.text[p.line.pos:], `"`) {
			var ok bool
			if v.Text, ok = p.line.quoted(); !ok {
				p.fail("text is not closed or has a bad escape")
			}
			v.Quoted = true
		} else if v.Text = p.computed(); v.Text == "" {
			p.expected("a value")
		}
		if len(v.Text) > maxNumber && !v.Quoted {
			p.fail("a value of %d letters: at most %d", len(v.Text), maxNumber)
		}
		v.Repeat = p.times()
		if v.Quoted && v.Text == "" {
			v.Repeat = min(v.Repeat, 1) // an empty text repeated is empty
		}
		vs = append(vs, v)
	}
	return vs
}

// times reads *N; 1 if it is missing.
func (p *parser) times() int64 {
	if p.failed() || p.line.pos == len(p.line.text) || p.line.text[p.line.pos] != '*' {
		return 1
	}
	p.line.pos++
	n := p.integer("a number of times")
	if n < 0 && !p.failed() {
		p.fail("%d times", n)
	}
	return n
}

// stretches reads the bytes of a file.
func (p *parser) stretches(blank bool) []Stretch {
	var all []Stretch
	for total := int64(0); !p.failed() && !p.line.done(); {
		if strings.IndexByte(",|", p.line.text[p.line.pos]) >= 0 {
			break
		}
		t := Stretch{Repeat: 1}
		at := p.line.pos
		if strings.HasPrefix(p.line.text[at:], `"`) {
			s, ok := p.line.quoted()
			if !ok {
				p.fail("text is not closed or has a bad escape")
			}
			t.Bytes, t.Text = []byte(s), true
		} else {
			t.Bytes, t.Blank = p.hex(p.line.blob(), blank, at)
		}
		if t.Repeat = p.times(); p.failed() {
			break
		}
		n := int64(len(t.Bytes))
		if n > 0 && t.Repeat > (MaxBuffer-total)/n {
			p.line.pos = at
			p.fail("a file of a script starts with at most %d bytes", MaxBuffer)
		}
		total += n * t.Repeat
		all = append(all, t)
		if p.take(n * t.Repeat); n == 0 {
			all[len(all)-1].Repeat = min(t.Repeat, 1) // an empty text repeated is empty
		}
	}
	return all
}

// hex reads pairs of hexadecimal digits, or ".." if blank bytes are allowed.
func (p *parser) hex(w string, blank bool, at int) (bs []byte, isBlank bool) {
	if blank && w != "" && strings.Trim(w, ".") == "" && len(w)%2 == 0 {
		return make([]byte, len(w)/2), true
	}
	if w == "" || len(w)%2 != 0 {
		p.line.pos = at
		p.expected(`bytes: pairs of hexadecimal digits, or "text"`)
		return nil, false
	}
	for i := 0; i < len(w); i += 2 {
		b, err := strconv.ParseUint(w[i:i+2], 16, 8)
		if err != nil {
			p.line.pos = at + i
			p.fail("%q is not a byte in hexadecimal", w[i:i+2])
			return nil, false
		}
		bs = append(bs, byte(b))
	}
	return bs, false
}

// expectation reads a line about the results of the runs.
func (p *parser) expectation(w string, at int) bool {
	e := Expectation{Line: p.line.no}
	switch w {
	case "allow":
		if p.ranks != 0 {
			p.line.pos = len(p.line.text)
			return true
		}
		e.Kind = Allow
		for more := true; more && !p.failed(); more = p.line.accept("|") {
			e.Outcomes = append(e.Outcomes, p.outcome())
		}
	case "race":
		e.Kind = Race
		p.race(&e)
	case "norace":
		e.Kind = NoRace
	case "deadlock":
		e.Kind = Deadlock
	case "error":
		e.Kind = Error
		e.Class = p.class()
		if !p.line.acceptWord("at") {
			p.expected("at RANK:LINE")
			return true
		}
		e.Rank = p.rank()
		p.need(":")
		e.At = p.small("the line of a statement")
	default:
		p.line.pos = at + len(w)
		return false
	}
	if p.s.Ranks == 0 && !p.failed() {
		p.line.pos = at
		p.fail("expected the number of ranks first, such as: ranks 2")
	}
	p.s.Expect = append(p.s.Expect, e)
	return true
}

// race reads the missing part of a race, the rule, and the two statements. Each may be
// present only if the one before it is.
func (p *parser) race(e *Expectation) {
	if p.line.done() {
		return
	}
	e.Missing = choose(p, "the missing call: writer-sync, order or reader-sync", lacks)
	if p.failed() || p.line.done() {
		return
	}
	e.Rule = choose(p, "a rule: CONS-C1, CONS-C2 or CONS-C3", cases)
	if p.failed() || p.line.done() {
		return
	}
	if !p.line.acceptWord("at") {
		p.expected("at RANK:LINE RANK:LINE")
		return
	}
	for range 2 {
		var s Site
		s.Rank = p.rank()
		p.need(":")
		s.Line = p.small("the line of a statement")
		e.Sites = append(e.Sites, s)
	}
}

func (p *parser) outcome() Outcome {
	var o Outcome
	for more := true; more && !p.failed(); more = p.line.accept(",") {
		o = append(o, p.equation())
	}
	return o
}

func (p *parser) equation() Equation {
	if p.line.acceptWord("file") {
		e := Equation{File: p.fileName()}
		if p.line.acceptWord("absent") {
			e.Absent = true
			return e
		}
		p.need("=")
		e.Bytes = p.stretches(true)
		return e
	}
	e := Equation{Rank: p.rank()}
	p.need(":")
	if e.Name = p.line.word(); e.Name == "" {
		p.expected("the name of a result")
	}
	p.need("=")
	e.Values = p.values(func() bool {
		return p.line.done() || strings.IndexByte(",|", p.line.text[p.line.pos]) >= 0
	})
	n, err := countItems(e.Values)
	if err != nil {
		p.fail("%w", err)
	}
	if p.memory += n; p.memory > MaxMemory {
		p.fail("more than %d values and bytes in the script", MaxMemory)
	}
	return e
}

func (p *parser) class() errclass.Class {
	at := p.line.pos
	w := p.line.word()
	for c := range errclass.LastCode {
		if n := c.Name(); n != "" && c != errclass.Success && spelling(n) == spelling(w) {
			return c
		}
	}
	p.line.pos = at
	p.expected("an error class, such as NOT_SAME")
	return 0
}

// spelling returns the common form of the spellings of a class.
func spelling(class string) string {
	s := strings.ToUpper(strings.ReplaceAll(class, "_", ""))
	return strings.TrimPrefix(strings.TrimPrefix(s, "MPI"), "ERR")
}

// finish checks the whole script at its end.
func (p *parser) finish() {
	if p.line == nil {
		p.line = &line{no: 1}
	}
	if p.s.Ranks == 0 {
		p.fail("a script begins with the number of ranks, such as: ranks 2")
		return
	}
	if err := p.s.check(); err != nil {
		p.failAt(err.Line, "", 0, err.Err)
	}
}

// suggest returns the statement that is most similar to a misspelled one, or that stands for a function of
// MPI or a method of this module.
func suggest(w string) string {
	if len(w) > 60 {
		return "" // far from all of them
	}
	plain := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	word := strings.TrimPrefix(strings.TrimPrefix(plain(w), "mpi"), "file")
	if short := map[string]string{"setview": "view", "setatomicity": "atomic", "getbyteoffset": "get_byte_offset", "gettypeextent": "type_extent"}[word]; short != "" {
		word = plain(short)
	}
	best, least := "", 3
	for name := range forms {
		d := brief.Distance(w, name)
		if plain(name) == word {
			d = 0
		}
		if d < least || d == least && name < best {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %s?", best)
}

// blockOf returns the head of a block that a line means which begins as in "rank 0:" or "ranks 0,1:".
func (l *line) blockOf(w string) string {
	word := strings.ToLower(w)
	head, _, colon := strings.Cut(l.text[l.pos:], ":")
	head = strings.ReplaceAll(strings.TrimSpace(head), " ", "")
	if !colon || head == "" || strings.Trim(head, "0123456789,-") != "" || !slices.Contains([]string{"rank", "ranks", "process", "proc", "p"}, word) {
		return ""
	}
	return head + ":"
}

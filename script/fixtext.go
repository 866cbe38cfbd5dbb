package script

import (
	"fmt"
	"slices"
	"strings"
)

// A sourceText is the text of a script, with the line of each statement.
type sourceText struct {
	script *Script  // as read from the text
	lines  []string // of the text, without line feeds
	end    string   // of the lines that a repair adds: a carriage return if the text has them
	places []sourcePlace
	heads  map[int]*Block // by the line that names their ranks
	calls  map[int]bool   // lines with a statement
}

// A sourcePlace is the place of a statement in a source.
type sourcePlace struct {
	block *Block
	stmt  *Stmt
}

// sourceOf returns the text that s was read from. If s was not read from a text, or has
// changed since, it returns the text of String.
func sourceOf(s *Script) (*sourceText, error) {
	text := s.String()
	usual, err := Parse(text)
	if err != nil {
		return nil, err
	}
	src := &sourceText{script: usual, heads: map[int]*Block{}, calls: map[int]bool{}}
	if own, err := Parse(s.text); s.text != "" && err == nil && own.String() == text {
		src.script, text = own, s.text
	}
	src.lines = strings.Split(text, "\n")
	if strings.HasSuffix(src.lines[0], "\r") {
		src.end = "\r"
	}
	for i := range src.script.Blocks {
		b := &src.script.Blocks[i]
		src.heads[b.Line] = b
		for _, c := range b.Stmts {
			src.calls[c.Line] = true
			src.places = append(src.places, sourcePlace{b, c})
		}
	}
	return src, nil
}

// inLine reports whether the block has a statement on the line that names its ranks.
func (b *Block) inLine() bool { return len(b.Stmts) > 0 && b.Stmts[0].Line == b.Line }

// A cutLine is a line of a source in three parts.
type cutLine struct {
	before string // spaces, and the head of the block, such as "all: "
	code   string
	after  string // the comment, with the spaces before it
}

// cut cuts the line with that number.
func (s *sourceText) cut(line int) cutLine {
	text := s.lines[line-1]
	code := strings.TrimRight(uncomment(text), " \t\r")
	n := 0
	if s.heads[line] != nil {
		n = strings.IndexByte(code, ':') + 1
	}
	n += len(code[n:]) - len(strings.TrimLeft(code[n:], " \t"))
	return cutLine{code[:n], code[n:], text[len(code):]}
}

// comment returns the comment of a line whose code is removed; false if it has none.
func (c cutLine) comment() (string, bool) {
	return c.before[:indent(c.before)] + strings.TrimLeft(c.after, " \t"), strings.Contains(c.after, "#")
}

// A rewriting writes a changed listing into the text of its script: unchanged lines,
// comments and blank lines stay as they are.
type rewriting struct {
	*sourceText
	l      *listing
	stays  []bool          // by item: it stays on its line
	brings []bool          // by item: it brings the comment of its line along
	alone  map[int]bool    // lines whose statement moved away and whose comment is elsewhere
	busy   map[*Block]bool // blocks with a statement that stays
	copied int             // lines of the source that are written
	out    []newLine
	ranks  []int // of the block that the next line is in
	width  int   // of the text before the statement in the line that began that block, if it is a new block
}

// A newLine is a line of a repaired script.
type newLine struct {
	text  string
	from  int   // the line of the source that it keeps or changes; 0: it is new
	stmt  int   // the line of the source that its statement is on or comes from; 0: none
	ranks []int // of the statement
}

// rewrite returns the lines of the text with the statements of l in place of the old
// ones.
func (s *sourceText) rewrite(l *listing) []newLine {
	w := &rewriting{sourceText: s, l: l, alone: map[int]bool{}, busy: map[*Block]bool{}}
	w.stays, w.brings = make([]bool, len(l.items)), make([]bool, len(l.items))
	kept := map[int]bool{}
	for i, x := range l.items {
		if p := s.place(x); p != nil && !x.moved && slices.Equal(x.ranks, p.block.Ranks) {
			w.stays[i], w.busy[p.block], kept[p.stmt.Line] = true, true, true
		}
	}
	for i, x := range l.items {
		if p := s.place(x); p != nil && !kept[p.stmt.Line] && !w.alone[p.stmt.Line] {
			w.brings[i], w.alone[p.stmt.Line] = true, true
		}
	}
	w.write()
	return w.out
}

// place returns the source place of the statement that x is or was made from; nil if x is
// new.
func (s *sourceText) place(x listed) *sourcePlace {
	if x.of == 0 {
		return nil
	}
	return &s.places[x.of-1]
}

func (w *rewriting) write() {
	var last *sourcePlace
	for i, n := 0, len(w.l.items); ; i++ {
		first := i
		for i < n && !w.stays[i] {
			i++
		}
		if i == n {
			w.add(first, n, last)
			w.copyTo(len(w.lines))
			return
		}
		next := w.place(w.l.items[i])
		w.between(first, i, last, next)
		w.keep(w.l.items[i], next)
		last = next
	}
}

// between writes the statements between two statements that stay. It puts a new statement
// next to that one of the two which has the same ranks, if one has.
func (w *rewriting) between(first, end int, last, next *sourcePlace) {
	if last == nil && first < end {
		w.copyTo(w.above(next.block.Line))
	}
	front := end // from here on the new statements are directly before next
	items := w.l.items[first:end]
	if k := slices.IndexFunc(items, func(x listed) bool { return !slices.Equal(x.ranks, w.ranks) }); k >= 0 {
		for front > first+k && slices.Equal(w.l.items[front-1].ranks, next.block.Ranks) {
			front--
		}
	}
	near := last
	if near == nil {
		near = next
	}
	w.add(first, front, near)
	w.copyTo(w.above(next.stmt.Line))
	w.add(front, end, next)
	if w.copied >= next.block.Line && !slices.Equal(w.ranks, next.block.Ranks) {
		w.head(next.block.Ranks, next)
	}
	w.copyTo(next.stmt.Line - 1)
}

// above returns the last line before a line and the comments directly above it.
func (w *rewriting) above(line int) int {
	for line--; line > w.copied && strings.HasPrefix(strings.TrimLeft(w.lines[line-1], " \t"), "#"); {
		line--
	}
	return line
}

// keep writes a statement that stays on its line.
func (w *rewriting) keep(x listed, p *sourcePlace) {
	line := p.stmt.Line
	text := w.lines[line-1]
	if x.stmt.String() != p.stmt.String() {
		c := w.cut(line)
		text = c.before + x.stmt.String() + c.after
	}
	w.out = append(w.out, newLine{text, line, line, x.ranks})
	w.copied, w.ranks, w.width = line, p.block.Ranks, 0
}

// copyTo writes the lines of the source up to a line, without statements: keep writes
// those that stay.
func (w *rewriting) copyTo(line int) {
	for w.copied < line {
		w.copied++
		n := w.copied
		b, c := w.heads[n], w.cut(n)
		empty := b != nil && len(b.Stmts) > 0 && !w.busy[b] // a block that has lost all its statements
		if b != nil && !empty {
			w.ranks, w.width = b.Ranks, 0
		}
		if !empty && !w.calls[n] {
			w.out = append(w.out, newLine{text: w.lines[n-1], from: n})
			continue
		}
		text, noted := c.comment()
		noted = noted && !w.alone[n]
		switch {
		case b != nil && !empty && noted:
			w.out = append(w.out, newLine{text: strings.TrimRight(c.before, " \t") + c.after})
		case b != nil && !empty:
			w.out = append(w.out, newLine{text: strings.TrimRight(c.before, " \t") + w.end})
		case noted:
			w.out = append(w.out, newLine{text: text})
		}
	}
}

// add writes new and moved statements, formatted like a neighbouring statement.
func (w *rewriting) add(first, end int, near *sourcePlace) {
	for i := first; i < end; i++ {
		x := w.l.items[i]
		line := newLine{text: x.stmt.String(), ranks: x.ranks}
		after := w.end
		if p := w.place(x); p != nil {
			line.stmt = p.stmt.Line
			c := w.cut(line.stmt)
			if line.text == p.stmt.String() {
				line.text = c.code
			}
			if w.brings[i] {
				after = c.after
			}
		}
		line.text = w.lead(x.ranks, near) + line.text + after
		w.out = append(w.out, line)
	}
}

// lead returns the text before a new statement on its line. It begins a block of these
// ranks, unless the line is in one.
func (w *rewriting) lead(ranks []int, near *sourcePlace) string {
	if near == nil {
		near = &w.places[0]
	}
	before := w.cut(near.stmt.Line).before
	switch in := slices.Equal(ranks, w.ranks); {
	case !near.block.inLine() && !in:
		w.head(ranks, near)
	case near.block.inLine() && in:
		return strings.Repeat(" ", max(w.width, len(before)))
	case near.block.inLine():
		w.ranks = ranks
		head := w.cut(near.block.Line).before
		lead := fmt.Sprintf("%-*s", len(before), head[:indent(head)]+w.who(ranks)+": ")
		w.width = len(lead)
		return lead
	}
	return before
}

// head begins a block, formatted like that of a neighbouring statement.
func (w *rewriting) head(ranks []int, near *sourcePlace) {
	before := w.cut(near.block.Line).before
	w.out = append(w.out, newLine{text: before[:indent(before)] + w.who(ranks) + ":" + w.end})
	w.ranks = ranks
}

func (w *rewriting) who(ranks []int) string {
	n := w.script.Ranks
	return (&Block{Ranks: ranks, All: len(ranks) == n && n > 1}).who()
}

// indent returns the number of spaces and tabs at the start of a line.
func indent(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

// join returns the text of a repaired script. Lines about outcomes, if it has any, become
// allow, or are removed if that is nil; lines about races become norace; the deadlock
// line stays if stuck; lines about errors follow their statements.
func (s *sourceText) join(all []newLine, allow *Expectation, stuck bool) string {
	j := joining{sourceText: s, expect: map[int]Expectation{}, allow: allow, stuck: stuck}
	for _, e := range s.script.Expect {
		j.expect[e.Line] = e
		j.norace = j.norace || e.Kind == NoRace
	}
	for _, x := range all {
		e, ok := j.expect[x.from]
		if !ok {
			j.put(x, x.text)
			continue
		}
		j.expectation(x, e)
		j.last = len(j.out)
	}
	j.follow()
	if !j.norace {
		j.append("norace")
	}
	text := make([]string, len(j.out))
	for i, x := range j.out {
		text[i] = x.text
	}
	return strings.Join(text, "\n")
}

// A joining is the state of join.
type joining struct {
	*sourceText
	expect map[int]Expectation // by line of the source
	allow  *Expectation
	stuck  bool
	norace bool // the text already has a norace line
	out    []newLine
	last   int // number of lines of out up to the last expectation
}

func (j *joining) put(x newLine, text string) {
	x.text = text
	j.out = append(j.out, x)
}

// expectation writes the new form of one expectation.
func (j *joining) expectation(x newLine, e Expectation) {
	c := j.cut(x.from)
	switch {
	case e.Kind == NoRace, e.Kind == Error, e.Kind == Deadlock && j.stuck:
		j.put(x, x.text)
	case e.Kind == Race && !j.norace:
		j.norace = true
		j.put(x, c.before+"norace"+c.after)
	case e.Kind == Allow && j.allow != nil:
		j.put(x, c.before+j.allow.String()+c.after)
		j.allow = nil
	default:
		if text, ok := c.comment(); ok {
			j.put(newLine{}, text)
		}
	}
}

// follow updates the line numbers in expectations of errors.
func (j *joining) follow() {
	for i, x := range j.out {
		e, ok := j.expect[x.from]
		if !ok || e.Kind != Error {
			continue
		}
		at := slices.IndexFunc(j.out, func(y newLine) bool { return y.stmt == e.At && slices.Contains(y.ranks, e.Rank) })
		if c := j.cut(x.from); at >= 0 && at+1 != e.At {
			e.At = at + 1
			j.out[i].text = c.before + e.String() + c.after
		}
	}
}

// append adds a line after the last expectation, or at the end.
func (j *joining) append(text string) {
	if j.last > 0 {
		j.out = slices.Insert(j.out, j.last, newLine{text: text + j.end})
		return
	}
	n := len(j.out)
	for n > 0 && strings.TrimSpace(j.out[n-1].text) == "" {
		n--
	}
	j.out = append(j.out[:n], newLine{text: j.end}, newLine{text: text + j.end}, newLine{})
}

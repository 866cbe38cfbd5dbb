package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/types"
)

// Numbers of statements may be computed: r is the rank that runs the statement, n the
// number of ranks. A statement of several ranks that uses r becomes one statement for
// each rank.

// isArithmetic reports whether c may be part of an expression.
func isArithmetic(c byte) bool { return isName(c) || strings.IndexByte("+-*/%()", c) >= 0 }

// spaced returns the expression without blanks that begins with w, which was taken, if blanks around its operators
// divide it; else the empty string.
func (l *line) spaced(w string) string {
	const operators = "+-*/%"
	whole, at, open := w, l.pos, w != "" && strings.IndexByte(operators, w[len(w)-1]) >= 0
	for w != "" {
		rest := strings.TrimLeft(l.text[at:], " \t")
		blank := len(l.text)-len(rest) > at
		if rest == "" || !blank || strings.HasPrefix(rest, "->") || !open && strings.IndexByte(operators, rest[0]) < 0 {
			break
		}
		if (rest[0] == '-' || rest[0] == '+') && !open && len(rest) > 1 && rest[1] != ' ' {
			break // a number of its own
		}
		end := 0
		for end < len(rest) && isArithmetic(rest[end]) {
			end++
		}
		if end == 0 {
			break
		}
		whole += rest[:end]
		open = strings.IndexByte(operators, rest[end-1]) >= 0
		at = len(l.text) - len(rest) + end
	}
	known := func(name string) bool { return name == "r" || name == "n" || strings.Trim(name, "0123456789") == "" }
	if whole == w || slices.ContainsFunc(namesIn(whole), func(name string) bool { return !known(name) }) {
		return ""
	}
	return whole
}

// namesIn returns the names and numbers in an expression.
func namesIn(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c > 0x7f || !isName(byte(c)) })
}

// variables returns the values of r and n; text is the expression that uses them.
func (p *parser) variables(text string) map[string]int64 {
	p.s.text = "" // a line may be several statements, so repairs cannot edit the text
	if slices.Contains(namesIn(text), "r") {
		p.selfUsed = true
	}
	return map[string]int64{"r": int64(p.self), "n": int64(p.s.Ranks)}
}

// evaluate returns the value of a number or, inside a block, of an expression.
func (p *parser) evaluate(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil || p.block == nil || errors.Is(err, strconv.ErrRange) || !strings.ContainsAny(text, "rn(*/%+-") || text == "" {
		return n, err
	}
	return types.EvalWith(text, p.variables(text))
}

// computed reads a value: r, n, an expression in braces, or else text up to a mark.
func (p *parser) computed() string {
	rest := p.line.text[p.line.pos:]
	if p.block == nil || rest == "" || rest[0] != '{' {
		text := p.line.blob()
		if p.block != nil && (text == "r" || text == "n") {
			return strconv.FormatInt(p.variables(text)[text], 10)
		}
		return text
	}
	expr, _, closed := strings.Cut(rest[1:], "}")
	v, err := types.EvalWith(expr, p.variables(expr))
	if err == nil && !closed {
		err = errors.New("the brace is not closed")
	}
	if err != nil {
		p.fail("{%s: %w", expr, err)
		return "0"
	}
	p.line.pos += len(expr) + 2
	return strconv.FormatInt(v, 10)
}

// repeatHead splits the head of a repeat block into the count and the text after the
// colon.
func (l *line) repeatHead() (times, rest string, ok bool) {
	behind, ok := strings.CutPrefix(strings.TrimLeft(l.text, " \t"), "repeat")
	times, rest, colon := strings.Cut(strings.TrimLeft(behind, " \t"), ":")
	blank := behind != "" && (behind[0] == ' ' || behind[0] == '\t')
	return strings.TrimSpace(times), strings.TrimLeft(rest, " \t"), ok && blank && colon
}

// repeats reports whether a line begins a repeat block.
func (l *line) repeats() bool {
	_, _, ok := l.repeatHead()
	return ok
}

// repeatsInLine reports whether a line of the text has both the count of a repeat block and
// its statement.
func (s *Script) repeatsInLine(no int) bool {
	lines := strings.Split(s.source, "\n")
	if no > len(lines) {
		return false
	}
	l := line{text: strings.TrimRight(uncomment(lines[no-1]), " \t\r")}
	_, rest, ok := l.repeatHead()
	return ok && rest != ""
}

// indent returns the number of blanks at the start of a line.
func (l *line) indent() int { return len(l.text) - len(strings.TrimLeft(l.text, " \t")) }

// repeat expands the repeat block that the present line begins: it puts the block's
// statements (the text after the colon and the lines that are indented further) in front
// of queue, as often as the count says.
func (p *parser) repeat(queue []*line) []*line {
	text, rest, _ := p.line.repeatHead()
	p.line.pos = p.line.indent() + len("repeat")
	p.line.space()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		n, err = types.EvalWith(text, map[string]int64{"n": int64(p.s.Ranks)})
	}
	if err != nil || n < 0 || n > MaxSteps {
		p.fail("expected how often, 0 to %d, such as: repeat 3:", MaxSteps)
		return queue
	}
	var body []*line
	if rest != "" {
		body = append(body, &line{no: p.line.no, text: p.line.text[:p.line.indent()] + " " + rest})
	}
	k := 0
	for k < len(queue) && queue[k].indent() > p.line.indent() {
		k++
	}
	body = append(body, queue[:k]...)
	if len(body) == 0 {
		p.fail("nothing to repeat: write statements after the colon, or lines that are indented further")
		return queue
	}
	if n*int64(len(body)) > MaxSteps {
		p.fail("%d times %d lines: at most %d lines", n, len(body), MaxSteps)
		return queue
	}
	p.s.text = ""
	p.line.pos = len(p.line.text)
	all := make([]*line, 0, int(n)*len(body)+len(queue)-k)
	for i := range n {
		for _, l := range body {
			again := &line{no: l.no, text: repeated(l.text, i)}
			again.space()
			all = append(all, again)
		}
	}
	if p.lines += len(all); p.lines > MaxSteps {
		p.fail("repeats of more than %d lines together", MaxSteps)
	}
	return append(all, queue[k:]...)
}

// repeated returns a line for repetition i, from 0: result NAME becomes NAME_2 in the
// second repetition, NAME_3 in the third.
func repeated(text string, i int64) string {
	if i == 0 {
		return text
	}
	var b strings.Builder
	for {
		before, behind, ok := strings.Cut(text, "->")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name := strings.TrimLeft(behind, " \t")
		n := 0
		for n < len(name) && isName(name[n]) {
			n++
		}
		text = name[n:]
		if n == 0 {
			text = behind
			b.WriteString("->")
			continue
		}
		fmt.Fprintf(&b, "-> %s_%d", name[:n], i+1)
	}
}

// peer reads the number of a rank, which may be computed.
func (p *parser) peer() int {
	p.line.space()
	at := p.line.pos
	n, err := p.evaluate(p.line.take(isArithmetic))
	if err != nil {
		p.line.pos = at
		p.expected("a rank")
	} else if n < 0 || n >= int64(p.s.Ranks) {
		p.line.pos = at
		p.fail("there is no rank %d: the ranks are 0 to %d", n, p.s.Ranks-1)
	}
	return int(n)
}

// crowded reports whether some line of the script has become several statements.
func (s *Script) crowded() bool {
	seen := map[int]bool{}
	for i := range s.Blocks {
		for _, c := range s.Blocks[i].Stmts {
			if c.Line > 0 && seen[c.Line] {
				return true
			}
			seen[c.Line] = true
		}
	}
	return false
}

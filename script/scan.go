package script

import (
	"strconv"
	"strings"
)

// A line is the rest of one line of a script.
type line struct {
	no   int    // from 1
	text string // the whole line, for columns
	pos  int
}

// lines splits a script and drops comments and empty lines.
func lines(text string) []*line {
	var all []*line
	for i, s := range strings.Split(text, "\n") {
		l := &line{no: i + 1, text: strings.TrimRight(uncomment(s), " \t\r")}
		if !l.done() {
			all = append(all, l)
		}
	}
	return all
}

// uncomment cuts a line at a # that is not inside quotes.
func uncomment(s string) string {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '#' && !quoted:
			return s[:i]
		}
	}
	return s
}

func (l *line) space() {
	for l.pos < len(l.text) && (l.text[l.pos] == ' ' || l.text[l.pos] == '\t') {
		l.pos++
	}
}

// done reports whether the line is at its end.
func (l *line) done() bool {
	l.space()
	return l.pos == len(l.text)
}

// take returns the longest stretch of bytes that ok accepts, after spaces.
func (l *line) take(ok func(byte) bool) string {
	l.space()
	start := l.pos
	for l.pos < len(l.text) && ok(l.text[l.pos]) {
		l.pos++
	}
	return l.text[start:l.pos]
}

// accept takes s if it comes next, after spaces.
func (l *line) accept(s string) bool {
	l.space()
	if !strings.HasPrefix(l.text[l.pos:], s) {
		return false
	}
	l.pos += len(s)
	return true
}

// acceptWord takes a word if it is exactly what comes next.
func (l *line) acceptWord(w string) bool {
	at := l.pos
	if l.word() == w {
		return true
	}
	l.pos = at
	return false
}

// word takes a name of letters, digits, points and underscores.
func (l *line) word() string { return l.take(isWord) }

func isWord(c byte) bool { return isName(c) || c == '.' }

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// blob takes everything up to a space or one of the marks between values.
func (l *line) blob() string {
	return l.take(func(c byte) bool { return c > ' ' && strings.IndexByte(`*,|"`, c) < 0 })
}

// quoted takes a string in Go's syntax.
func (l *line) quoted() (string, bool) {
	l.space()
	whole, err := strconv.QuotedPrefix(l.text[l.pos:])
	if err != nil {
		return "", false
	}
	l.pos += len(whole)
	s, err := strconv.Unquote(whole)
	return s, err == nil
}

// typeText takes a type expression: a name and, if parentheses follow, everything between
// them.
func (l *line) typeText() string {
	name := l.take(isName)
	start, end := l.pos-len(name), l.pos
	if l.accept("(") {
		for depth := 1; depth > 0 && l.pos < len(l.text); l.pos++ {
			switch l.text[l.pos] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		end = l.pos
	}
	l.pos = end
	return l.text[start:end]
}

// found returns the next word, for messages.
func (l *line) found() string {
	if l.done() {
		return "the end of the line"
	}
	rest, _, _ := strings.Cut(l.text[l.pos:], " ")
	return strconv.Quote(shown(rest))
}

// shown shortens a word for messages.
func shown(w string) string {
	const most = 60
	if len(w) <= most {
		return w
	}
	return w[:most] + "..."
}

package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/types"
)

// A Token is a word of a script, as an editor explains and completes it.
type Token struct {
	About   string   // a sentence; empty if there is nothing to say
	Form    string   // of the statement: "write_at HANDLE OFFSET DATA"; empty if there is none
	Options []string // what may stand here and begins with the letters before the cursor, sorted
	Typed   int      // how many letters that is
}

// lineWords are the words that begin a line, apart from statements.
var lineWords = map[string]string{
	"ranks":    "The number of ranks that run the script.",
	"machine":  "Gives a rank a machine with other sizes or another byte order.",
	"markers":  "Says whether bounds of resized types act like data: sticky or weak.",
	"type":     "Gives a datatype a name.",
	"file":     "What a file holds before the ranks start.",
	"all":      "The statements that follow are run by all ranks, each in order.",
	"repeat":   "Repeats the lines up to its end.",
	"allow":    "The outcomes that may occur: all of them.",
	"race":     "The script has a data race.",
	"norace":   "The script has no data race.",
	"error":    "A statement returns an error.",
	"deadlock": "Some schedule ends in a deadlock.",
	"self":     "The open that follows is of this rank alone.",
}

// TokenAt explains the word of a text at a line, from 1, and a column, from 0. The text need
// not be a whole script: what is before the line is read as far as it is understood.
func TokenAt(text string, number, column int) Token {
	if len(text) > MaxText {
		return Token{}
	}
	all := strings.Split(text, "\n")
	if number < 1 || number > len(all) {
		return Token{}
	}
	code := strings.TrimRight(uncomment(all[number-1]), "\r")
	if column < 0 || column > len(code) {
		return Token{}
	}
	p := readUpTo(text, number)
	head := blockHead(code)
	start := indent(code) + len(head)
	if column < start || column == start && head != "" && start == len(code) && !strings.HasSuffix(code, ":") {
		if word := strings.TrimRight(head, ": \t"); word != "" {
			return Token{About: about(word)}
		}
		start = indent(code)
	}
	if head != "" {
		p.line = &line{no: number, text: head}
		p.head()
		p.err = nil
	}
	p.line = &line{no: number, text: code, pos: start}
	return p.token(column)
}

// about returns the sentence about a block's head.
func about(who string) string {
	if who == "all" {
		return lineWords["all"]
	}
	return "The statements that follow are run by rank " + who + ", in order."
}

// readUpTo reads the lines before a line, as far as they have no error.
func readUpTo(text string, number int) *parser {
	p := &parser{s: &Script{}, alias: map[string]*types.Type{}, state: map[int]*names{}}
	for queue := lines(text); len(queue) > 0 && queue[0].no < number; {
		if p.line, queue = queue[0], queue[1:]; p.line.repeats() {
			queue = p.repeat(queue)
		} else {
			p.statement()
		}
		if p.failed() {
			break
		}
	}
	p.err = nil
	return p
}

// token explains what is at a column of the statement that begins where the line is.
func (p *parser) token(column int) Token {
	p.line.space()
	word := p.line.word()
	if word == "self" && column > p.line.pos {
		p.line.space()
		word = p.line.word()
	}
	f := forms[word]
	if column <= p.line.pos || word == "" {
		t := Token{About: lineWords[word], Typed: len(word) - max(0, p.line.pos-column)}
		if f != nil {
			t.About, t.Form = f.about, f.usage()
		}
		t.Options = complete(word[:max(0, min(t.Typed, len(word)))], slices.Concat(slices.Collect(maps.Keys(forms)), slices.Collect(maps.Keys(lineWords))))
		return t
	}
	if f == nil {
		return Token{About: lineWords[word]}
	}
	s := &Stmt{Line: p.line.no, Routine: word, form: f}
	for _, a := range f.args {
		p.line.space()
		from := p.line.pos
		a.read(p, s)
		if p.failed() || column <= p.line.pos {
			before := p.line.text[min(from, column):column]
			typed := before[strings.LastIndexFunc(before, func(r rune) bool { return r > 0x7f || !isWord(byte(r)) })+1:]
			return Token{About: a.what + ": " + a.about + ".", Form: f.usage(), Typed: len(typed), Options: complete(typed, p.options(a))}
		}
	}
	return Token{About: f.about, Form: f.usage()}
}

// complete returns the words that begin with a text, sorted.
func complete(begin string, words []string) []string {
	var fits []string
	for _, w := range words {
		if strings.HasPrefix(w, begin) && w != begin {
			fits = append(fits, w)
		}
	}
	slices.Sort(fits)
	return slices.Compact(fits)
}

// options returns words that may be an argument, or a part of it; none if there are too many.
func (p *parser) options(a *arg) (words []string) {
	named := func(of func(*names) map[string]int) {
		for _, n := range p.state {
			words = append(words, slices.Collect(maps.Keys(of(n)))...)
		}
	}
	switch a {
	case handle:
		named(func(n *names) map[string]int { return n.handles })
	case req, reqs:
		named(func(n *names) map[string]int { return n.requests })
	case fileName:
		for _, f := range p.s.Files {
			words = append(words, f.Name)
		}
	case amode:
		words = namesOf(modes)
	case whence:
		words = namesOf(whences)
	case onOff:
		words = namesOf(switches)
	case reduceOp:
		words = namesOf(ops)
	case rep:
		words = []string{"native", "internal", "external32"}
	case source, anyTag:
		words = []string{"any"}
	case etype, filetype, anyType, data, want, amount, dataOrWant:
		words = slices.Collect(maps.Keys(p.alias))
		for _, k := range types.Kinds() {
			words = append(words, k.String())
		}
	}
	return words
}

func namesOf[T comparable](all []named[T]) (words []string) {
	for _, n := range all {
		words = append(words, n.name)
	}
	return words
}

// usage returns the statement with its arguments.
func (f *form) usage() string {
	text := f.name
	for _, a := range f.args {
		text += " " + a.what
	}
	return text
}

package export

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/script"
)

// A language is the form of what C and Go programs have in common.
type language struct {
	name              string
	indent            string
	rank              string // the number of the calling rank
	condition         string // format of the condition of a branch
	apart             bool   // a blank line precedes a branch
	anySource, anyTag string
	noBuffer, inPlace string
	ignored           string            // in place of a status that no check needs
	unused            string            // in place of a number that no check needs; empty: its variable
	ref               string            // format of a variable that a call sets
	declareStatus     string            // format of the declaration of a status
	sourceOf          string            // format of setting a variable to the source in a status
	pending           string            // format of a branch for a request that is not complete
	waitsNone         bool              // a wait may be given a request that a test has completed
	modes             map[string]string // access modes, by their words in scripts
	whences           map[iofile.Whence]string
	bools             map[bool]string
	op                func(string) string // reduce operation, by its word in scripts
}

// source writes the rank that a message comes from.
func (l *language) source(r int) string {
	if r == comm.AnySource {
		return l.anySource
	}
	return strconv.Itoa(r)
}

// tag writes the tag of an expected message.
func (l *language) tag(t int) string {
	if t == comm.AnyTag {
		return l.anyTag
	}
	return strconv.Itoa(t)
}

// mode writes an access mode.
func (l *language) mode(m iofile.Mode) string {
	var parts []string
	for word := range strings.SplitSeq(m.String(), "|") {
		if name := l.modes[word]; name != "" {
			parts = append(parts, name)
		}
	}
	return cmp.Or(strings.Join(parts, " | "), "0")
}

// A writer collects lines of a language with their indentation.
type writer struct {
	*language
	b     strings.Builder
	depth int
}

// line adds a line; an empty one has no indentation.
func (w *writer) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if text != "" {
		w.b.WriteString(strings.Repeat(w.indent, w.depth))
	}
	w.b.WriteString(text)
	w.b.WriteByte('\n')
}

// open adds a line and indents the following ones until close.
func (w *writer) open(format string, args ...any) {
	w.line(format, args...)
	w.depth++
}

func (w *writer) close(format string, args ...any) {
	w.depth--
	w.line(format, args...)
}

// openIf begins a branch that some ranks run; otherwise says that it is the else of the
// branch that is open.
func (w *writer) openIf(ranks []int, otherwise bool) {
	word := "if "
	if otherwise {
		w.depth--
		word = "} else if "
	}
	w.open(word+w.condition+" {", condition(w.rank, ranks))
}

// statements writes all statements of a script, in branches for their ranks.
func (w *writer) statements(p *program, d dialect) error {
	all := branches(p.s)
	for i, b := range all {
		if w.apart && i > 0 && !b.elsewhere {
			w.line("")
		}
		if b.ranks != nil {
			w.openIf(b.ranks, b.elsewhere)
		}
		for _, c := range b.stmts {
			if err := p.stmt(w, d, b, c); err != nil {
				return err
			}
		}
		if b.ranks != nil && (i == len(all)-1 || !all[i+1].elsewhere) {
			w.close("}")
		}
	}
	return nil
}

// A branch is the statements of some ranks; elsewhere means that none of its ranks is in the
// previous branch, so the two become if and else.
type branch struct {
	ranks     []int // nil: all ranks
	stmts     []*script.Stmt
	elsewhere bool
}

// branches groups the statements of blocks if that reads better.
func branches(s *script.Script) []branch {
	var all []branch
	var chain []int // ranks of consecutive branches without a common rank
	for _, b := range s.Blocks {
		ranks := b.Ranks
		if len(ranks) == s.Ranks {
			ranks = nil
		}
		if k := len(all) - 1; k >= 0 && slices.Equal(all[k].ranks, ranks) && (ranks == nil) == (all[k].ranks == nil) {
			all[k].stmts = append(all[k].stmts, b.Stmts...)
			continue
		}
		n := branch{ranks: ranks, stmts: slices.Clone(b.Stmts)}
		if ranks == nil {
			chain = nil
		} else {
			n.elsewhere = len(chain) > 0 && !slices.ContainsFunc(ranks, func(r int) bool { return slices.Contains(chain, r) })
			if !n.elsewhere {
				chain = nil
			}
			chain = append(chain, ranks...)
		}
		all = append(all, n)
	}
	return all
}

// condition returns the C or Go expression that is true on a branch's ranks.
func condition(rank string, ranks []int) string {
	var parts []string
	for i := 0; i < len(ranks); {
		j := i
		for j+1 < len(ranks) && ranks[j+1] == ranks[j]+1 {
			j++
		}
		switch {
		case i == j:
			parts = append(parts, fmt.Sprintf("%s == %d", rank, ranks[i]))
		case j == i+1:
			parts = append(parts, fmt.Sprintf("%s == %d", rank, ranks[i]), fmt.Sprintf("%s == %d", rank, ranks[j]))
		case ranks[i] == 0:
			parts = append(parts, fmt.Sprintf("%s <= %d", rank, ranks[j]))
		case len(ranks) == j-i+1:
			parts = append(parts, fmt.Sprintf("%s >= %d && %s <= %d", rank, ranks[i], rank, ranks[j]))
		default:
			parts = append(parts, fmt.Sprintf("(%s >= %d && %s <= %d)", rank, ranks[i], rank, ranks[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, " || ")
}

// ranksOf returns the ranks of a branch.
func (p *program) ranksOf(b branch) []int {
	if b.ranks != nil {
		return b.ranks
	}
	all := make([]int, p.s.Ranks)
	for r := range all {
		all[r] = r
	}
	return all
}

// wrap joins parts with separators into lines of at most width characters.
func wrap(parts []string, sep string, width int) []string {
	var lines []string
	text := ""
	for i, part := range parts {
		if i < len(parts)-1 {
			part += sep
		}
		if text != "" && len(text)+len(part) > width {
			lines = append(lines, strings.TrimRight(text, " "))
			text = ""
		}
		text += part
	}
	return append(lines, text)
}

// Head returns the comment lines at the start of a script's text.
func Head(text string) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		said, ok := strings.CutPrefix(strings.TrimSpace(l), "#")
		if !ok {
			break
		}
		b.WriteString(strings.TrimSpace(said) + "\n")
	}
	return b.String()
}

package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/script"
)

// A writer collects lines with their indentation.
type writer struct {
	b      strings.Builder
	depth  int
	indent string
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

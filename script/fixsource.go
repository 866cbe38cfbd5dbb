package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// inSource makes the changes of statements in the lines of the text that they come from, each for
// all ranks and repetitions of the line, with an offset or a displacement that may depend on r. It
// returns the script, and the new lines as text; false if lines cannot say it.
func (l *listing) inSource(changed *listing) (*Script, string, bool) {
	was, is := l.byOrigin(), changed.byOrigin()
	lines := strings.Split(l.s.source, "\n")
	var words []string
	for _, line := range slices.Sorted(maps.Keys(is)) {
		if line == 0 || line > len(lines) || len(was[line]) != len(is[line]) { // a script may have no text
			return nil, "", false
		}
		same := true
		for i, x := range is[line] {
			same = same && x.stmt.String() == was[line][i].stmt.String()
		}
		if same {
			continue
		}
		code, ok := lineOfAll(lines[line-1], was[line], is[line])
		if !ok {
			return nil, "", false
		}
		lines[line-1] = code.before + code.code + code.after
		words = append(words, fmt.Sprintf("line %d: %s", line, code.code))
	}
	s, err := Parse(strings.Join(lines, "\n"))
	if err != nil {
		return nil, "", false
	}
	s.Name, s.Markers = l.s.Name, l.s.Markers
	made := newListing(s).byOrigin()
	alike := func(a, b []onRank) bool {
		return slices.EqualFunc(a, b, func(x, y onRank) bool { return x.rank == y.rank && x.stmt.String() == y.stmt.String() })
	}
	return s, strings.Join(words, "; "), maps.EqualFunc(made, is, alike)
}

// An onRank is a statement as one rank runs it.
type onRank struct {
	rank int
	stmt *Stmt
}

// byOrigin returns what each line of the text makes ranks do: rank after rank, each in its order.
func (l *listing) byOrigin() map[int][]onRank {
	all := map[int][]onRank{}
	for _, x := range l.items {
		for _, r := range x.ranks {
			all[x.line] = append(all[x.line], onRank{r, x.stmt})
		}
	}
	for _, of := range all {
		slices.SortStableFunc(of, func(a, b onRank) int { return a.rank - b.rank })
	}
	return all
}

// place returns the offset of an access or the displacement of a view; false if s has none.
func (s *Stmt) place() (int64, bool) {
	if s.Routine == "view" {
		return s.View.Disp, true
	}
	return s.Offset, strings.Contains(s.Routine, "_at")
}

// cutWord returns the first word of a text, the blanks before it, and the rest.
func cutWord(text string) (blanks, word, rest string) {
	n := indent(text)
	end := n + len(text[n:])
	if i := strings.IndexAny(text[n:], " \t"); i >= 0 {
		end = n + i
	}
	return text[:n], text[n:end], text[end:]
}

// lineOfAll returns a line of the text with its statement changed for all ranks that run it; false
// if one line cannot say it.
func lineOfAll(text string, was, is []onRank) (cutLine, bool) {
	code := strings.TrimRight(uncomment(text), " \t\r")
	c := cutLine{before: code[:indent(code)] + blockHead(code), after: text[len(code):]}
	c.code = code[len(c.before):]
	n := indent(c.code)
	c.before, c.code = c.before+c.code[:n], c.code[n:]
	_, routine, rest := cutWord(c.code)
	blanks, handle, rest := cutWord(rest)
	if routine != was[0].stmt.Routine || handle == "" {
		return c, false
	}
	_, had := was[0].stmt.place()
	_, has := is[0].stmt.place()
	at := ""
	if had {
		var word string
		at, word, rest = cutWord(rest)
		at += word
	}
	if has {
		same := had
		for i := range is {
			a, _ := was[i].stmt.place()
			b, _ := is[i].stmt.place()
			same = same && a == b
		}
		if !same {
			of, ok := linearInRank(is)
			if !ok {
				return c, false
			}
			at = " " + of
		}
	} else {
		at = ""
	}
	c.code = is[0].stmt.Routine + blanks + handle + at + rest
	return c, true
}

// linearInRank returns the places of statements as an expression in r; false if it needs another one.
func linearInRank(all []onRank) (string, bool) {
	first, _ := all[0].stmt.place()
	last, _ := all[len(all)-1].stmt.place()
	step := int64(0)
	if ranks := int64(all[len(all)-1].rank - all[0].rank); ranks > 0 {
		step = (last - first) / ranks
	}
	base := first - step*int64(all[0].rank)
	for _, x := range all {
		if at, _ := x.stmt.place(); at != base+step*int64(x.rank) {
			return "", false
		}
	}
	switch {
	case base < 0 || step < 0:
		return "", false
	case step == 0:
		return fmt.Sprint(base), true
	case step == 1 && base == 0:
		return "r", true
	case base == 0:
		return fmt.Sprintf("r*%d", step), true
	}
	return fmt.Sprintf("%d+r*%d", base, step), true
}

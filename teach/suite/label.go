package suite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/script"
)

// A Label describes the mistake of the bad program of a pair.
type Label struct {
	Name    string `json:"name"`
	Kind    Kind   `json:"kind"`
	Rule    string `json:"rule"`              // id of the broken rule
	Missing string `json:"missing,omitempty"` // of a race: writer-sync, order or reader-sync; several with commas
	Lines   []Site `json:"lines"`             // statements of the mistake, in the script
	Ranks   int    `json:"ranks"`
	Title   string `json:"title"`
}

// A Site is a statement and the rank that runs it.
type Site struct {
	Rank int `json:"rank"`
	Line int `json:"line"`
}

// AnyRank is the rank of a site in a claim without ranks.
const AnyRank = -1

// String writes RANK:LINE, or LINE for any rank.
func (s Site) String() string {
	if s.Rank == AnyRank {
		return fmt.Sprint(s.Line)
	}
	return fmt.Sprintf("%d:%d", s.Rank, s.Line)
}

// A Kind is a kind of mistake.
type Kind string

// The kinds.
const (
	Race     Kind = "race"     // two accesses conflict and nothing orders or publishes them
	Deadlock Kind = "deadlock" // ranks wait for each other, or for a message that never comes
	Mismatch Kind = "mismatch" // ranks are in different collective calls, or give them unequal arguments
	Misuse   Kind = "error"    // a call breaks a rule by itself
	Leak     Kind = "leak"     // an object is never closed
	Wrong    Kind = "wrong"    // every call is legal, but the bytes are not the intended ones
)

// Kinds lists all kinds.
func Kinds() []Kind { return []Kind{Race, Deadlock, Mismatch, Misuse, Leak, Wrong} }

// NewLabel computes the label of a pair from its texts: the rule and the title from the
// first comment of the bad script, lines and kind from its expectations, and from a
// comment "# kind KIND [at RANK:LINE ...]" if those are not enough.
func NewLabel(name, bad, clean string) (Label, error) {
	s, err := script.Parse(bad)
	if err != nil {
		return Label{}, fmt.Errorf("%s: %w", name, err)
	}
	l := Label{Name: name, Kind: Race, Ranks: s.Ranks}
	head, _, _ := strings.Cut(strings.TrimPrefix(bad, "# "), "\n")
	l.Rule, head, _ = strings.Cut(head, " ")
	_, l.Title, _ = strings.Cut(head, ": ")
	if err := l.given(bad); err != nil {
		return l, err
	}
	if slices.ContainsFunc(s.Expect, func(e script.Expectation) bool { return e.Kind == script.NoRace }) {
		l.Kind = Wrong
	}
	l.expected(s.Expect)
	if l.Kind == Wrong || l.Kind == Race && len(l.Lines) == 0 {
		l.changed(s, bad, clean)
	}
	slices.SortFunc(l.Lines, func(a, b Site) int { return (a.Line-b.Line)*1000 + a.Rank - b.Rank })
	if len(l.Lines) == 0 {
		return l, fmt.Errorf("%s: no line of the script says where the mistake is", name)
	}
	return l, nil
}

// expected adds what is missing, and the lines, of the expected races or errors.
func (l *Label) expected(all []script.Expectation) {
	var missing []string
	for _, e := range all {
		switch {
		case e.Kind == script.Race && l.Kind == Race:
			missing = append(missing, string(e.Missing))
			for _, x := range e.Sites {
				l.add(Site{x.Rank, x.Line})
			}
		case e.Kind == script.Error && (l.Kind == Misuse || l.Kind == Leak || l.Kind == Mismatch && e.Class == errclass.NotSame):
			l.add(Site{e.Rank, e.At})
		}
	}
	slices.Sort(missing)
	l.Missing = strings.Join(slices.Compact(missing), ",")
}

// given reads the comment with the kind.
func (l *Label) given(text string) error {
	for line := range strings.Lines(text) {
		said, ok := strings.CutPrefix(strings.TrimSpace(line), "# kind ")
		if !ok {
			continue
		}
		kind, places, _ := strings.Cut(said, " at ")
		l.Kind = Kind(kind)
		if !slices.Contains(Kinds(), l.Kind) {
			return fmt.Errorf("%s: there is no kind %q", l.Name, kind)
		}
		sites, err := readSites(places)
		l.Lines = sites
		return err
	}
	return nil
}

func (l *Label) add(s Site) {
	if !slices.Contains(l.Lines, s) {
		l.Lines = append(l.Lines, s)
	}
}

// changed sets the lines to the statements that the clean twin does not have.
func (l *Label) changed(s *script.Script, bad, clean string) {
	has := map[string]bool{}
	for line := range strings.Lines(clean) {
		has[strings.TrimSpace(line)] = true
	}
	n := 0
	for line := range strings.Lines(bad) {
		n++
		if text := strings.TrimSpace(line); has[text] || text == "" || text[0] == '#' {
			continue
		}
		for _, b := range s.Blocks {
			for _, c := range b.Stmts {
				if c.Line == n {
					for _, r := range b.Ranks {
						l.add(Site{r, n})
					}
				}
			}
		}
	}
	if len(l.Lines) == 0 { // a statement is missing: the last accesses show it
		for _, b := range s.Blocks {
			for _, c := range b.Stmts {
				if c.Data != nil || c.Want != nil || c.Routine == "open" {
					l.Lines = nil
					for _, r := range b.Ranks {
						l.add(Site{r, c.Line})
					}
				}
			}
		}
	}
}

const labelHead = "name\tkind\trule\tmissing\tlines\tranks\ttitle\tlines of bad.c\tlines of bad.go\n"

// formatLabels returns the table, with tabs between the columns.
func formatLabels(labels []Label) (string, error) {
	var b strings.Builder
	b.WriteString(labelHead)
	for _, l := range labels {
		inC, err := l.In(C)
		if err != nil {
			return "", err
		}
		inGo, err := l.In(Go)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n",
			l.Name, l.Kind, l.Rule, orNone(l.Missing), sitesText(l.Lines), l.Ranks, l.Title, sitesText(inC), sitesText(inGo))
	}
	return b.String(), nil
}

func orNone(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func sitesText(all []Site) string {
	parts := make([]string, len(all))
	for i, s := range all {
		parts[i] = s.String()
	}
	return strings.Join(parts, " ")
}

func readSites(text string) ([]Site, error) {
	var all []Site
	for word := range strings.FieldsSeq(text) {
		s := Site{Rank: AnyRank}
		rank, line, ok := strings.Cut(word, ":")
		var err error
		if !ok {
			line = rank
		} else if s.Rank, err = strconv.Atoi(rank); s.Rank < 0 {
			err = strconv.ErrRange
		}
		if s.Line, err = atoi(line, err); err != nil {
			return nil, fmt.Errorf("%q is neither RANK:LINE nor LINE", word)
		}
		all = append(all, s)
	}
	return all, nil
}

// atoi parses a number, unless err is set.
func atoi(text string, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

package spec

import (
	"bufio"
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed ids.txt
var idsText string

//go:embed gaps.txt
var gapsText string

//go:embed texts.txt
var textsText string

//go:embed audited.txt
var auditedText string

// A Rule is one numbered requirement.
type Rule struct {
	ID      string // such as "IO-OPEN-01"; never changes its meaning
	Chapter string
	Title   string // a phrase, not the rule's full text
	Text    string // its text, in a sentence or two; empty if the title is enough
}

// Section returns the chapter of the standard that has the rule and, if the chapter is long,
// the section.
func (r Rule) Section() string {
	best, section := "", sections[len(sections)-1].section
	for _, s := range sections {
		if strings.HasPrefix(r.ID, s.prefix) && len(s.prefix) > len(best) {
			best, section = s.prefix, s.section
		}
	}
	return section
}

// sections has names, because the numbers of sections change between versions of the
// standard.
var sections = []struct{ prefix, section string }{
	{"GEN-", `chapter "I/O", section "Introduction"`},
	{"IO-", `chapter "I/O"`},
	{"IO-OPEN-", `chapter "I/O", section "Opening a File"`},
	{"IO-AMODE-", `chapter "I/O", section "Opening a File"`},
	{"IO-NAME-", `chapter "I/O", section "Opening a File"`},
	{"IO-CLOSE-", `chapter "I/O", section "Closing a File"`},
	{"IO-DEL-", `chapter "I/O", section "Deleting a File"`},
	{"IO-SIZE-", `chapter "I/O", section "File Manipulation"`},
	{"IO-INFO-", `chapter "I/O", section "File Info"`},
	{"IO-HINT-", `chapter "I/O", section "File Info"`},
	{"IO-VIEW-", `chapter "I/O", section "File Views"`},
	{"EX-V", `chapter "I/O", section "File Views"`},
	{"IO-DA-", `chapter "I/O", section "Data Access"`},
	{"IO-EXP-", `chapter "I/O", section "Data Access with Explicit Offsets"`},
	{"IO-IND-", `chapter "I/O", section "Data Access with Individual File Pointers"`},
	{"IO-SEEK-", `chapter "I/O", section "Data Access with Individual File Pointers"`},
	{"IO-SHP-", `chapter "I/O", section "Data Access with Shared File Pointers"`},
	{"IO-SPLIT-", `chapter "I/O", section "Split Collective Data Access Routines"`},
	{"IO-SEQ-", `chapter "I/O", section "File Consistency", sequential access`},
	{"IO-TM-", `chapter "I/O", section "Consistency and Semantics", "Type Matching"`},
	{"EX-TM", `chapter "I/O", section "Consistency and Semantics", "Type Matching"`},
	{"CONS-", `chapter "I/O", section "Consistency and Semantics", "File Consistency"`},
	{"LIT-", `chapter "I/O", section "Consistency and Semantics", "File Consistency" and "Examples"`},
	{"REP-", `chapter "I/O", section "File Interoperability"`},
	{"EX-X32-", `chapter "I/O", section "External Data Representation: external32"`},
	{"EX-", `chapter "I/O"`},
	{"PACK-", `chapter "Datatypes", section "Canonical MPI_PACK and MPI_UNPACK"`},
	{"P2P-", `chapter "Point-to-Point Communication"`},
	{"P2P-MATCH-", `chapter "Point-to-Point Communication", section "Data Type Matching and Data Conversion"`},
	{"COLL-", `chapter "Collective Communication"`},
	{"NB-", `chapter "Point-to-Point Communication", section "Nonblocking Communication"`},
	{"DT-", `chapter "Datatypes"`},
	{"TOPO", `chapter "Virtual Topologies"`},
	{"ERR-", `chapter "MPI Environmental Management", section "Error Handling"`},
	{"DIV-", "what libraries do where they depart from the standard"},
	{"", "the other chapters: groups, communicators, info, environment"},
}

// A gap is the reason why the rules that match a pattern have no test.
type gap struct {
	Pattern string // an id, or a pattern of package path such as "IO-NBC-*"
	Reason  string
}

// matches reports whether the gap covers id.
func (g gap) matches(id string) bool {
	ok, err := path.Match(g.Pattern, id)
	return ok && err == nil
}

// Rules returns all rules in the order of the table.
func Rules() []Rule { return slices.Clone(tables().rules) }

// Known reports whether id is in the table.
func Known(id string) bool { return tables().known[id] }

// Reason returns the reason why id has no test, and reports whether id is listed as a gap.
func Reason(id string) (string, bool) {
	for _, g := range tables().gaps {
		if g.matches(id) {
			return g.Reason, true
		}
	}
	return "", false
}

type read struct {
	rules    []Rule
	gaps     []gap
	known    map[string]bool
	families map[string]bool // first parts of the ids: IO, DT, ...
}

// tables reads the embedded text once. A table that cannot be read is a
// mistake of this module, which the package's own test reports line by line.
var tables = sync.OnceValue(func() read {
	rules, err := parseRules(idsText)
	if err == nil {
		err = addTexts(rules, textsText)
	}
	if err != nil {
		panic("spec: " + err.Error())
	}
	gaps, err := parseGaps(gapsText, rules)
	if err != nil {
		panic("spec: " + err.Error())
	}
	t := read{rules: rules, gaps: gaps, known: map[string]bool{}, families: map[string]bool{}}
	for _, r := range rules {
		t.known[r.ID] = true
		t.families[family(r.ID)] = true
	}
	return t
})

var idForm = regexp.MustCompile(`^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+[a-z]?$`)

// An Audit is a rule whose test did not check it, or only a part of it.
type Audit struct {
	ID      string
	Missing string // what the test did not check
	Now     string // what a test checks now
}

// Audited returns the rules whose tests were wrong, in the order of audited.txt.
func Audited() ([]Audit, error) { return parseAudits(auditedText) }

// parseAudits reads lines of the form "ID missing | now".
func parseAudits(text string) ([]Audit, error) {
	var all []Audit
	seen := map[string]bool{}
	for n, line := range lines(text) {
		id, rest, _ := strings.Cut(line, " ")
		missing, now, _ := strings.Cut(rest, "|")
		a := Audit{ID: id, Missing: strings.TrimSpace(missing), Now: strings.TrimSpace(now)}
		switch {
		case !Known(id), seen[id]:
			return nil, fmt.Errorf("audited.txt:%d: %s is not a rule, or appears twice", n, id)
		case a.Missing == "", a.Now == "":
			return nil, fmt.Errorf("audited.txt:%d: %s does not say what was missing and what is checked now", n, id)
		}
		seen[id] = true
		all = append(all, a)
	}
	return all, nil
}

func family(id string) string {
	first, _, _ := strings.Cut(id, "-")
	return first
}

func parseRules(text string) ([]Rule, error) {
	var rules []Rule
	chapter := ""
	seen := map[string]bool{}
	for n, line := range lines(text) {
		if title, ok := strings.CutPrefix(line, "== "); ok {
			chapter = strings.TrimSpace(title)
			continue
		}
		id, title, _ := strings.Cut(line, " ")
		title = strings.TrimSpace(title)
		switch {
		case !idForm.MatchString(id):
			return nil, fmt.Errorf("ids.txt:%d: %q is not an id", n, id)
		case seen[id]:
			return nil, fmt.Errorf("ids.txt:%d: %s appears twice", n, id)
		case title == "":
			return nil, fmt.Errorf("ids.txt:%d: %s has no title", n, id)
		case chapter == "":
			return nil, fmt.Errorf("ids.txt:%d: %s comes before the first chapter", n, id)
		}
		seen[id] = true
		rules = append(rules, Rule{ID: id, Chapter: chapter, Title: title})
	}
	return rules, nil
}

// addTexts gives rules their texts.
func addTexts(rules []Rule, text string) error {
	for n, line := range lines(text) {
		id, said, _ := strings.Cut(line, " ")
		i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
		if i < 0 || rules[i].Text != "" {
			return fmt.Errorf("texts.txt:%d: %s is not a rule, or appears twice", n, id)
		}
		rules[i].Text = strings.TrimSpace(said)
	}
	return nil
}

// parseGaps reads lines of the form "PATTERN... | reason". Each pattern has to
// match some rule, and no rule may have two reasons.
func parseGaps(text string, rules []Rule) ([]gap, error) {
	var gaps []gap
	by := map[string]string{}
	for n, line := range lines(text) {
		patterns, reason, _ := strings.Cut(line, "|")
		reason = strings.TrimSpace(reason)
		if reason == "" {
			return nil, fmt.Errorf("gaps.txt:%d: no reason", n)
		}
		for _, p := range strings.Fields(patterns) {
			g := gap{Pattern: p, Reason: reason}
			found := false
			for _, r := range rules {
				if !g.matches(r.ID) {
					continue
				}
				if other, dup := by[r.ID]; dup {
					return nil, fmt.Errorf("gaps.txt:%d: %s matches %s, which %s already does", n, p, r.ID, other)
				}
				by[r.ID], found = p, true
			}
			if !found {
				return nil, fmt.Errorf("gaps.txt:%d: %s matches no id", n, p)
			}
			gaps = append(gaps, g)
		}
	}
	return gaps, nil
}

// lines yields the lines of text that are not empty or comments, with their numbers.
func lines(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		s := bufio.NewScanner(strings.NewReader(text))
		for n := 1; s.Scan(); n++ {
			line := strings.TrimSpace(s.Text())
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if !yield(n, line) {
				return
			}
		}
	}
}

// IDs returns the ids at the beginning of the name of a subtest. Its spaces may be written
// as such or as package testing rewrites them. IDs also returns an id that looks right but
// is in no table; see [Known].
func IDs(subtest string) []string {
	var ids []string
	for word := range strings.FieldsFuncSeq(subtest, func(r rune) bool { return r == ' ' || r == '_' }) {
		word, _, _ = strings.Cut(word, "#") // package testing numbers equal names
		word = strings.TrimRight(word, ":,")
		if !idForm.MatchString(word) || !tables().families[family(word)] {
			break
		}
		ids = append(ids, word)
	}
	return ids
}

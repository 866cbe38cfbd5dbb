package explain

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/docs"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/internal/testkit/spec"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/suite"
)

// An Answer explains a name.
type Answer struct {
	Name    string   `json:"name"`
	Sort    string   `json:"sort"` // "rule", "routine", "Go name", "error class", "statement", "datatype", "marker" or "term"
	Text    []string `json:"text"` // sentences
	Facts   []Fact   `json:"facts"`
	Shows   string   `json:"script,omitempty"`      // a script that shows it; empty: none
	ShowsAs string   `json:"script_name,omitempty"` // its name
	Breaks  string   `json:"broken_by,omitempty"`   // pair of the suite; its bad half breaks it
}

// A Fact is a line of an answer with its heading.
type Fact struct {
	What string `json:"what"`
	Is   string `json:"is"`
}

// String returns the answer as text.
func (a *Answer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n\n", a.Name, a.Sort)
	for _, s := range a.Text {
		for _, l := range plain.Fold(s, 96) {
			fmt.Fprintf(&b, "%s\n", l)
		}
	}
	b.WriteString("\n")
	for _, f := range a.Facts {
		for i, l := range plain.Fold(f.Is, 84) {
			what := f.What
			if i > 0 {
				what = ""
			}
			fmt.Fprintf(&b, "%-11s %s\n", what, l)
		}
	}
	if a.Breaks != "" {
		fmt.Fprintf(&b, "%-11s commworld suite show %s/bad    (a program that breaks it; %[2]s/clean does not)\n", "broken by", a.Breaks)
	}
	if a.Shows != "" {
		fmt.Fprintf(&b, "\n%s shows it:\n\n", a.ShowsAs)
		for l := range strings.Lines(strings.TrimRight(a.Shows, "\n") + "\n") {
			b.WriteString(strings.TrimRight("  "+l, " \n") + "\n")
		}
	}
	return b.String()
}

// Find explains a name. If the name is unknown, it returns the most similar names
// instead.
func Find(asked string) (*Answer, []string) {
	name := strings.TrimSpace(asked)
	if len(name) > 1000 {
		return nil, nil // longer than anything with a name
	}
	for _, look := range []func(string) *Answer{rule, class, routine, term, absentRoutine, goName, statement} {
		if a := look(name); a != nil {
			return a, nil
		}
	}
	return nil, nearest(name)
}

// nearest returns up to five names that are most similar to name.
func nearest(name string) []string {
	if len(name) > 100 {
		return nil // longer than all names
	}
	type near struct {
		name     string
		distance int
	}
	var all []near
	plain := strings.ToLower(strings.TrimPrefix(name, "MPI_"))
	for _, n := range everything() {
		d := brief.Distance(plain, strings.ToLower(strings.TrimPrefix(n, "MPI_")))
		if i := strings.LastIndexByte(n, '.'); i >= 0 {
			d = min(d, brief.Distance(plain, strings.ToLower(n[i+1:])))
		}
		if strings.Contains(strings.ToLower(n), plain) && len(plain) > 2 {
			d = min(d, 2)
		}
		if d <= max(2, len(plain)/2) {
			all = append(all, near{n, d})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return a.distance - b.distance })
	var names []string
	for _, n := range all[:min(5, len(all))] {
		names = append(names, n.name)
	}
	return names
}

// everything lists all names that Find knows.
var everything = sync.OnceValue(func() []string {
	var all []string
	for _, r := range spec.Rules() {
		all = append(all, r.ID)
	}
	for mpi := range prototypes() {
		all = append(all, mpi)
	}
	for _, n := range names() {
		all = append(all, n.Package+"."+n.Name)
		if n.MPI != "" && prototypes()[n.MPI] == "" {
			all = append(all, n.MPI)
		}
	}
	for _, c := range classes() {
		all = append(all, c.Name())
	}
	for _, form := range script.Statements() {
		word, _, _ := strings.Cut(form, " ")
		all = append(all, word)
	}
	all = append(all, termNames()...)
	slices.Sort(all)
	return slices.Compact(all)
})

// A sample is a script that may be an example.
type sample struct {
	name, text string
	words      map[string]bool // of its statements
}

//go:embed more/*.mpio
var more embed.FS

// samples returns scripts without a mistake, short ones first.
var samples = sync.OnceValue(func() []sample {
	var all []sample
	add := func(name, text string) {
		if strings.Contains(text, "norace") {
			all = append(all, sample{name, text, wordsOf(text)})
		}
	}
	litmus, _ := fs.Glob(consistency.Litmus(), "*.mpio")
	for _, name := range litmus {
		text, _ := fs.ReadFile(consistency.Litmus(), name)
		add("commworld litmus --show "+strings.TrimSuffix(name, ".mpio"), string(text))
	}
	for _, name := range suite.Names() {
		text, _ := suite.Text(name, suite.Clean)
		add("commworld suite show "+name+"/clean", text)
	}
	slices.SortStableFunc(all, func(a, b sample) int { return len(a.text) - len(b.text) })
	extra, _ := fs.Glob(more, "more/*.mpio")
	for _, name := range extra {
		text, _ := fs.ReadFile(more, name)
		add("This script", string(text))
	}
	return all
})

// wordsOf returns the words of a script that are in no comment.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for word := range strings.FieldsSeq(strings.ReplaceAll(line, ":", ": ")) {
			words[word] = true
		}
	}
	return words
}

// showing returns the shortest script that matches.
func showing(match func(sample) bool) (as, text string) {
	for _, s := range samples() {
		if match(s) {
			return s.name, s.text
		}
	}
	return "", ""
}

// mistakes returns the words on the lines of each label.
var mistakes = sync.OnceValue(func() map[string]map[string]bool {
	of := map[string]map[string]bool{}
	for _, l := range suite.Labels() {
		text, _ := suite.Text(l.Name, suite.Bad)
		lines := strings.Split(text, "\n")
		var said strings.Builder
		for _, s := range l.Lines {
			said.WriteString(lines[s.Line-1] + "\n")
		}
		of[l.Name] = wordsOf(said.String())
	}
	return of
})

// tests returns the tests that carry an id, as docs/CONFORMANCE.md lists them.
func tests(id string) string {
	for line := range strings.Lines(docs.Conformance) {
		if f := strings.Split(line, " | "); len(f) == 3 && f[0] == "| "+id {
			return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSpace(f[2]), " |"), "`", "")
		}
	}
	return ""
}

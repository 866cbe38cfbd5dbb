package explain

import (
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/testkit/spec"
	"github.com/commworld/commworld/teach/suite"
)

// rule explains the id of a rule; case does not matter.
func rule(id string) *Answer {
	rules := spec.Rules()
	i := slices.IndexFunc(rules, func(r spec.Rule) bool { return strings.EqualFold(r.ID, id) })
	if i < 0 {
		return nil
	}
	r := rules[i]
	a := &Answer{Name: r.ID, Sort: "rule", Text: []string{sentence(r.Title)}}
	if r.Text != "" {
		a.Text = append(a.Text, r.Text)
	}
	a.fact("standard", r.Section())
	a.fact("group", r.Chapter)
	a.fact("Go", strings.Join(namesFor(r.ID), ", "))
	a.fact("tests", tests(r.ID))
	if reason, gap := spec.Reason(r.ID); gap {
		a.fact("no test", reason)
	}
	a.mistake(func(l suite.Label) bool { return l.Rule == r.ID })
	a.ShowsAs, a.Shows = showing(func(s sample) bool {
		head, _, _ := strings.Cut(s.text, "\n")
		return strings.HasPrefix(head, "# "+r.ID+" ") || strings.HasPrefix(head, "# "+r.ID+":")
	})
	if a.Shows == "" && a.Breaks == "" {
		a.mistake(func(l suite.Label) bool { return family(l.Rule) == family(r.ID) && l.Kind == suite.Race })
		if a.Breaks != "" {
			a.Facts = append(a.Facts, Fact{"near it", "no program of the corpus breaks this rule; the one below belongs to its group"})
		}
	}
	return a
}

// sentence makes a phrase a sentence.
func sentence(phrase string) string {
	return strings.ToUpper(phrase[:1]) + phrase[1:] + "."
}

func family(id string) string { return id[:strings.LastIndex(id, "-")] }

func (a *Answer) fact(what, is string) {
	if is != "" {
		a.Facts = append(a.Facts, Fact{what, is})
	}
}

// mistake adds the first pair whose label matches.
func (a *Answer) mistake(match func(suite.Label) bool) {
	for _, l := range suite.Labels() {
		if match(l) {
			a.Breaks = l.Name
			a.fact("mistake", l.Title)
			return
		}
	}
}

// namesFor returns the Go names whose comments name a rule.
func namesFor(id string) []string {
	var all []string
	for _, n := range names() {
		if slices.Contains(n.Rules, id) && len(all) < 6 {
			all = append(all, n.String())
		}
	}
	return all
}

package main

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/internal/testkit/spec"
)

// shown is the number of covering subtests that a row names; the others are counted.
const shown = 2

// A chapter is a group of rules, with the number of those that are covered.
type chapter struct {
	title   string
	rules   []spec.Rule
	covered int
}

func chapters(rules []spec.Rule, c coverage) []chapter {
	var all []chapter
	for _, r := range rules {
		if len(all) == 0 || all[len(all)-1].title != r.Chapter {
			all = append(all, chapter{title: r.Chapter})
		}
		last := &all[len(all)-1]
		last.rules = append(last.rules, r)
		if len(c.tests[r.ID]) > 0 {
			last.covered++
		}
	}
	return all
}

// markdown returns the text of docs/CONFORMANCE.md. It depends only on names and outcomes,
// not on the order or the time of the tests.
func markdown(rules []spec.Rule, c coverage) string {
	var b strings.Builder
	all := chapters(rules, c)
	covered := 0
	for _, ch := range all {
		covered += ch.covered
	}
	b.WriteString("# Conformance\n\n")
	b.WriteString("Which rule is covered by which test. Written by `go run ./internal/testkit/conformance`, not by hand.\n\n")
	fmt.Fprintf(&b, "**%d of %d rules covered, %d gaps.**\n\n", covered, len(rules), len(rules)-covered)
	b.WriteString("| chapter | rules | covered | gaps |\n| --- | ---: | ---: | ---: |\n")
	for _, ch := range all {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", cell(ch.title), len(ch.rules), ch.covered, len(ch.rules)-ch.covered)
	}
	writeAudits(&b)
	for _, ch := range all {
		fmt.Fprintf(&b, "\n## %s\n\n| id | title | covered by |\n| --- | --- | --- |\n", ch.title)
		for _, r := range ch.rules {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", r.ID, cell(r.Title), coveredBy(r.ID, c))
		}
	}
	return b.String()
}

// writeAudits writes which rows were wrong. TestAudited of package spec checks the list.
func writeAudits(b *strings.Builder) {
	b.WriteString("\n## Rows that were wrong\n\n")
	b.WriteString("These rules counted as covered by tests that did not check them, or only a part.\n\n")
	b.WriteString("| id | the test did not check | a test checks now |\n| --- | --- | --- |\n")
	all, err := spec.Audited()
	if err != nil {
		panic(err)
	}
	for _, a := range all {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", a.ID, cell(a.Missing), cell(a.Now))
	}
}

func coveredBy(id string, c coverage) string {
	tests := c.tests[id]
	if len(tests) == 0 {
		return "gap: " + cell(c.reason(id))
	}
	var names []string
	for _, t := range tests[:min(shown, len(tests))] {
		names = append(names, "`"+cell(t)+"`")
	}
	text := strings.Join(names, ", ")
	if len(tests) > shown {
		text += " and others" // their number would change with every test
	}
	return text
}

// cell makes text safe inside a row.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "`", "'").Replace(text)
}

// Package bugtable keeps the table of a README that says which tool finds which bug of an
// example: tests make it, and check that each tool still finds the same bugs.
//
// Start here: [Test], with the columns [Suite] and [Exploring] and those of the example.
package bugtable

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/world"
)

// A Tool is a column of the table.
type Tool struct {
	Head string

	// Find searches for a bug, and returns the amount of work that found it, "" if it was
	// not found. said is the result in the present table, "" while a new table is made.
	Find func(t *testing.T, bug, said string) string

	Missing bool // this machine lacks a program that Find needs, so the table's result is accepted
}

// checks is the number of checks that the suite makes of each group, by default.
const checks = 100

// Suite runs the groups of the conformance suite one after the other. To find a bug again it
// runs only the group that found it or, if asked to, every group up to it.
func Suite(layers func(bug string) proptest.Maker, every bool) Tool {
	return Tool{Head: "suite: checks, group, seconds", Find: func(t *testing.T, bug, said string) string {
		start := time.Now()
		groups, err := proptest.Groups(layers(bug))
		if err != nil {
			return "at the first open"
		}
		before := 0
		for i := range groups {
			g := &groups[i]
			if g.Skipped != "" || said != "" && !every && !strings.Contains(said+",", ", "+g.Name+",") {
				continue
			}
			if f := g.Find(t.Name()); f != nil {
				return fmt.Sprintf("%d, %s, %.1f", before+f.Tests+1, g.Name, time.Since(start).Seconds())
			}
			before += checks
		}
		return ""
	}}
}

// Exploring tries up to 100 schedules of a program of two ranks, and returns the number of
// the first one that fails.
func Exploring(setup func(t *testing.T, bug string) world.Setup) Tool {
	return Tool{Head: "exploring: schedules", Find: func(t *testing.T, bug, _ string) string {
		const most = 100
		fails := func(n int) bool {
			x, err := world.Explore(t.Context(), 2, setup(t, bug), world.Limit(world.Limits{Schedules: n}))
			return err != nil || slices.ContainsFunc(x.Outcomes, func(o world.Outcome) bool { return o.Err != nil })
		}
		if !fails(most) {
			return ""
		}
		return fmt.Sprint(1 + sort.Search(most-1, func(n int) bool { return fails(n + 1) }))
	}}
}

const begin, end = "<!-- table -->\n", "<!-- end -->\n"

// Test checks that each tool finds each bug that it finds according to the page, and that
// some tool finds each bug. With update it runs every tool on every bug and on the program
// without bugs, which takes long, and writes a new table into the page.
func Test(t *testing.T, page string, update bool, bugs []string, tools ...Tool) {
	for name, v := range map[string]string{"rapid.seed": "1", "rapid.checks": fmt.Sprint(checks), "rapid.nofailfile": "true", "rapid.shrinktime": "0"} {
		set(t, name, v)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(text), begin)
	old, tail, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no place for a table", page)
	}
	said := rows(old, len(tools))
	table := newTable(tools)
	if update {
		table.add("none", ask(t, "", nil, tools))
	}
	for _, b := range bugs {
		before := said[b]
		if update {
			before = nil
		} else if before == nil {
			t.Errorf("%s has no row for %q: make it by -update", page, b)
			continue
		}
		table.add(b, ask(t, b, before, tools))
	}
	if update && !t.Failed() {
		if err := os.WriteFile(page, []byte(head+begin+table.String()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// ask returns the result of each tool for a bug. If the bug has a row, only tools that found
// it are run.
func ask(t *testing.T, bug string, before []string, tools []Tool) []string {
	row := make([]string, len(tools))
	found := false
	for i, tool := range tools {
		said := ""
		if before != nil {
			if said = before[i]; said == "" {
				continue
			}
		}
		if row[i] = said; !tool.Missing {
			row[i] = tool.Find(t, bug, said)
		} else if before == nil {
			t.Fatalf("%s: this machine has not what it needs", tool.Head)
		}
		if said != "" && row[i] == "" {
			t.Errorf("%s: %q is found no more", tool.Head, bug)
		}
		found = found || row[i] != ""
	}
	t.Logf("%s: %q", cmp.Or(bug, "no bug"), row)
	if found != (bug != "") {
		t.Errorf("%q: found %v, want %v", bug, found, bug != "")
	}
	return row
}

// A table is a Markdown table.
type table struct{ strings.Builder }

func newTable(tools []Tool) *table {
	t := new(table)
	t.WriteString("| bug |")
	for _, tool := range tools {
		fmt.Fprintf(t, " %s |", tool.Head)
	}
	t.WriteString("\n| --- |" + strings.Repeat(" --- |", len(tools)) + "\n")
	return t
}

func (t *table) add(bug string, row []string) {
	fmt.Fprintf(t, "| %s | %s |\n", bug, strings.Join(row, " | "))
}

// rows are the cells of a table by bug.
func rows(table string, columns int) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != columns+3 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		all[cells[1]] = cells[2 : columns+2]
	}
	return all
}

// set sets a flag while a test runs.
func set(t *testing.T, name, v string) {
	old := flag.Lookup(name).Value.String()
	if err := flag.Set(name, v); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set(name, old) })
}

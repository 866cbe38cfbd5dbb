package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/world"
)

// A checkSheet prints the result of a check for people.
type checkSheet struct {
	all     *checked
	out     io.Writer
	colours bool
}

func (p *checkSheet) loud(text string) string {
	if p.colours {
		return "\x1b[1;31m" + text + "\x1b[0m"
	}
	return text
}

func (p *checkSheet) write() {
	for _, r := range p.all.Runs {
		p.run(r)
	}
	for _, note := range p.all.Notes {
		fmt.Fprintf(p.out, "\nnote: %s\n", strings.Join(plain.Fold(note, 74), "\n      "))
	}
	for i, f := range p.all.Findings {
		p.finding(i+1, f)
	}
	if p.all.OK && p.all.mayShare { // what is found comes first
		fmt.Fprintf(p.out, "\nnot looked for: %s\n", p.all.Unchecked)
	}
	if p.all.OK {
		fmt.Fprintf(p.out, "\nno findings\n")
		return
	}
	if p.all.Interrupted {
		fmt.Fprintf(p.out, "\ninterrupted: not all was checked\n")
	}
	why := ""
	if p.all.exit() == exitRace {
		why = ", all races"
	}
	fmt.Fprintf(p.out, "\n%s%s (exit status %d)\n", plain.Count(len(p.all.Findings), "finding"), why, p.all.exit())
}

// run prints a line about one run.
func (p *checkSheet) run(r *checkRun) {
	var about []string
	if r.Worlds > len(r.Ranks) {
		about = append(about, plain.Count(r.Worlds, "world"))
	}
	if r.Ended != "" {
		about = append(about, "ended: "+r.Ended)
	} else if r.Exit != 0 {
		about = append(about, fmt.Sprintf("exit status %d", r.Exit))
	}
	about = append(about, r.Notes...)
	fmt.Fprintln(p.out, strings.TrimRight(fmt.Sprintf("%-9s  %s", numbersText(r.Ranks), strings.Join(about, "; ")), " "))
}

// finding prints one finding.
func (p *checkSheet) finding(n int, f *checkFinding) {
	head := fmt.Sprintf("finding %d: %s", n, f.Kind)
	if f.Rule != "" {
		head += " (" + f.Rule + ")"
	}
	where := ""
	if len(f.Ranks) > 0 {
		where = " on " + rankList(f.Ranks)
	}
	if at := placeList(f.Places); at != "" {
		where += " at " + at
	}
	if len(p.all.Runs) > 1 && len(f.With) > 0 {
		where += fmt.Sprintf(", of %s", withRanksText(f.With))
	}
	if f.Order != "" {
		where += ", only " + turns[f.Order]
	}
	fmt.Fprintf(p.out, "\n%s%s\n", p.loud(head), where)
	for line := range strings.Lines(strings.TrimSpace(f.Text)) {
		fmt.Fprintf(p.out, "  %s\n", strings.TrimRight(line, "\n"))
	}
	if !findings.Says(f.Text, f.Fix) {
		fmt.Fprintf(p.out, "  fix      %s\n", strings.ReplaceAll(f.Fix, "\n", "\n           "))
	}
	if f.Replay != "" && !strings.Contains(f.Text, f.Replay) {
		fmt.Fprintf(p.out, "  replay   %s\n", f.Replay)
	}
}

func rankList(ranks []int) string {
	const few = 8
	list := []string{}
	for i, r := range ranks {
		if i == few {
			list = append(list, fmt.Sprintf("and %d more", len(ranks)-i))
			break
		}
		list = append(list, fmt.Sprint(r))
	}
	if len(ranks) == 1 {
		return "rank " + list[0]
	}
	return "ranks " + strings.Join(list, ", ")
}

func placeList(places []world.Place) string {
	var list []string
	for _, at := range places {
		if text := placeText(at); text != "" {
			list = append(list, text)
		}
	}
	return strings.Join(list, ", ")
}

// placeText returns a place as [world.Place].String does, with the folders of its files.
func placeText(at world.Place) string {
	const most = 3
	var list []string
	for p := &at; p != nil && p.Line > 0 && len(list) < most; p = p.Caller {
		list = append(list, fmt.Sprintf("%s:%d", p.File, p.Line))
	}
	return strings.Join(list, " < ")
}

// withRanksText names the runs in which a finding appeared.
func withRanksText(with []int) string {
	if len(with) == 1 {
		return "the run with " + numbersText(with)
	}
	return "the runs with " + numbersText(with)
}

// numbersText returns numbers as text: "2, 3, 4 ranks".
func numbersText(numbers []int) string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = fmt.Sprint(n)
	}
	switch {
	case len(numbers) == 0:
		return "no world"
	case len(numbers) == 1:
		return plain.Count(numbers[0], "rank")
	}
	return strings.Join(list, ", ") + " ranks"
}

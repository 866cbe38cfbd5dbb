package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
)

// A runSheet prints the result of a script for people.
type runSheet struct {
	rep      *script.Report
	fixes    []*script.Fix // of its races
	explored bool
	out      io.Writer
	colours  bool
	width    int  // length of lines; 0: no limit
	whole    bool // all rows and races are printed
}

// Limits of the output for a run, unless all of it is requested.
const (
	mostRows   = 500
	mostRaces  = 50
	mostErrors = 50
)

// cut prints that n of something were left out, if any were.
func (p *runSheet) cut(n int, what string) {
	if n > 0 {
		p.printf("%s; --whole shows all\n", plain.Count(n, "more "+what))
	}
}

// shown returns how many of n things are printed if the limit is most.
func (p *runSheet) shown(n, most int) int {
	if p.whole {
		return n
	}
	return min(n, most)
}

func (p *runSheet) printf(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

// loud marks a text that must not be missed.
func (p *runSheet) loud(text string) string {
	if p.colours {
		return "\x1b[1;31m" + text + "\x1b[0m"
	}
	return text
}

func (p *runSheet) write() {
	if !p.explored {
		p.diagram()
	}
	p.outcomes()
	p.races()
	p.lints()
	p.failures()
	p.verdict()
}

// diagram draws the run: ranks side by side, time from top to bottom. Steps of several
// ranks on one line of the script share a row where possible.
func (p *runSheet) diagram() {
	rows := lab.Rows(p.rep)
	if len(rows) == 0 {
		return
	}
	shown := p.rep.Script.Ranks
	cell := (p.width-5)/shown - 2
	if p.width == 0 {
		cell = widest(rows)
	} else if cell < 16 { // four ranks on a line of 80
		cell = 16
		shown = max(1, (p.width-5)/(cell+2))
	}
	head := "line "
	for r := range shown {
		head += fmt.Sprintf(" %-*s ", cell, fmt.Sprint("rank ", r))
	}
	p.printf("%s\n", strings.TrimRight(head, " "))
	var notes cutCells
	for _, row := range rows[:p.shown(len(rows), mostRows)] {
		p.printf("%4d ", row.Line)
		var b strings.Builder
		for r := range shown {
			text, racy := cellOf(row, r)
			whole := text
			if text = pad(clip(text, cell), cell); cells(whole) > cell {
				notes.add(row.Line, r, whole)
			}
			if racy {
				text = p.loud(text)
			}
			b.WriteString(" " + text + " ")
		}
		p.printf("%s\n", strings.TrimRight(b.String(), " "))
	}
	p.cut(len(rows)-p.shown(len(rows), mostRows), "row")
	if shown < p.rep.Script.Ranks {
		p.printf("     without %s: --width 0 shows all\n", plain.Count(p.rep.Script.Ranks-shown, "further rank"))
	}
	for i, c := range notes {
		if i == 0 {
			p.printf("\ncut above:\n")
		}
		p.printf("%4d  %s: %s\n", c.line, plain.Ranks(c.ranks), c.text)
	}
	p.printf("\n")
}

// widest returns the length of the longest cell.
func widest(rows []*lab.Row) int {
	n := 6 // the length of "rank 0"
	for _, row := range rows {
		for r := range row.Cells {
			text, _ := cellOf(row, r)
			n = max(n, cells(text))
		}
	}
	return n
}

// cellOf returns the text of a rank in a row, and whether it must not be missed.
func cellOf(row *lab.Row, rank int) (text string, loud bool) {
	if c := row.Cells[rank]; c != nil {
		return c.Text()
	}
	return "|", false
}

// cutCells are the cells of one table that were shortened; equal ones of a row count once.
type cutCells []cutCell

type cutCell struct {
	line  int
	ranks []int
	text  string
}

func (all *cutCells) add(line, rank int, text string) {
	for i := len(*all) - 1; i >= 0 && (*all)[i].line == line; i-- {
		if c := &(*all)[i]; c.text == text && c.ranks[len(c.ranks)-1] < rank {
			c.ranks = append(c.ranks, rank)
			return
		}
	}
	*all = append(*all, cutCell{line, []int{rank}, text})
}

// value returns a value of a list, shortened if lines have a maximum length.
func (p *runSheet) value(text string) string {
	const longest = 60
	if p.width == 0 || cells(text) <= longest {
		return text
	}
	return clip(text, longest) + " (--width 0 shows all)"
}

func (p *runSheet) outcomes() {
	if p.explored {
		p.printf("%s; %s\n", plain.Count(p.rep.Schedules, "schedule"), plain.Count(len(p.rep.Outcomes), "outcome"))
		if !p.rep.Complete {
			p.printf("%s %s\n", p.loud("incomplete:"), strings.Join(plain.Fold(fmt.Sprint(p.rep.Stopped), 78), "\n  "))
		}
	}
	for i := range p.rep.Outcomes {
		o := &p.rep.Outcomes[i]
		if p.explored {
			word := "allowed"
			if !o.Allowed {
				word = p.loud("NOT ALLOWED")
			}
			p.printf("\n%5d  %s, witness %s\n", o.Schedules, word, o.Witness)
		}
		for _, v := range o.Ending.List() {
			p.printf("       %-8s %s\n", v.Name, p.value(v.Text()))
		}
		names := make([]string, 0, len(o.Ending.Files))
		for name := range o.Ending.Files {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			c := o.Ending.Files[name]
			between := " "
			if c.HasItems() {
				between = ", "
			}
			p.printf("       file %s: %s%s%s\n", name, plain.Count(len(c.Bytes), "byte"), between, p.value(c.Text()))
		}
		if o.Why != "" {
			word := "when"
			if !o.Always {
				word = "one way"
			}
			p.printf("       %-8s %s\n", word, strings.Join(plain.Fold(o.Why, 64), "\n                "))
		}
	}
	if !p.explored {
		return
	}
	for i, k := range p.rep.Mixing() {
		if i == 0 {
			p.printf("\n")
		}
		p.printf("race %d: bytes of the two writes may also mix; not tried (run --model chaos:SEED mixes some)\n", k+1)
	}
}

func (p *runSheet) races() {
	all := p.shown(len(p.rep.Races), mostRaces)
	for i, r := range p.rep.Races[:all] {
		like := ""
		if r.Count > 1 && !p.explored {
			like = ", and " + r.Alike()
		}
		p.printf("\n%s on file %s, %s%s\n", p.loud(fmt.Sprintf("race %d", i+1)), r.File, r.Extent(), like)
		for _, side := range []*consistency.Party{&r.A, &r.B} {
			p.printf("  line %-4d rank %d: %s\n", side.Place.Line, side.Rank, lab.RoutineAt(p.rep, side.Place.Line, side.Op))
			if side.View != "" {
				p.printf("            through %s\n", side.View)
			}
		}
		p.fix(r, p.fixes[i])
		p.printReplay(r.Replay)
	}
	p.cut(len(p.rep.Races)-all, "race")
	if n := consistency.Races(p.rep.Races).Total() - len(p.rep.Races); n > 0 {
		p.printf("%s not listed: a run lists at most %d of a file\n", plain.Count(n, "further race"), consistency.MostRaces)
	}
}

// lints prints each lint once for all ranks that have it.
func (p *runSheet) lints() {
	const most = 20
	for i, l := range p.rep.Lints {
		if i == 0 {
			p.printf("\nLegal, but probably not what you meant:\n")
		}
		if i == most && !p.whole {
			p.printf("  and %d more; --whole shows all\n", len(p.rep.Lints)-i)
			return
		}
		line, _ := strconv.Atoi(l.Place[strings.LastIndexByte(l.Place, ':')+1:]) // a name may contain colons, too
		p.printf("  line %d, rank %d: %s: %s (%s)\n", line, l.Rank, lab.RoutineAt(p.rep, line, l.Op), l.Text, l.Rule)
	}
}

// printReplay prints how to replay a result.
func (p *runSheet) printReplay(witness string) {
	if p.explored {
		p.printf("  replay    %s\n", witness)
	}
}

// fix prints the missing calls of a race, the existing syncs, and the change.
func (p *runSheet) fix(r *consistency.RaceError, f *script.Fix) {
	say := func(name, text string) {
		p.printf("  %-9s %s\n", name, strings.Join(plain.Fold(text, 100), "\n            "))
	}
	if views, draw := r.Views(); views != "" {
		say("views", fmt.Sprintf("%s (%s)", views, r.Rule))
		if draw != "" {
			p.printf("  %-9s %s\n", "draw", draw)
		}
	} else {
		if m := r.Mistake(); m != nil {
			say("cause", m.Cause)
		}
		lacks := strings.ReplaceAll(r.Lacks(), "Sync", "sync")
		if f.Late != "" {
			lacks += ": " + f.Late
		}
		say("missing", fmt.Sprintf("%s (%s)", lacks, r.Rule))
	}
	if len(f.Have) > 0 {
		say("you have", strings.Join(f.Have, ", "))
	}
	say("fix", f.Mistake()+f.First())
	for _, o := range f.Or {
		say("or", o)
	}
}

func (p *runSheet) failures() {
	groups := sameFailures(p.rep)
	all := p.shown(len(groups), mostErrors)
	for _, group := range groups[:all] {
		f := group[0]
		if len(group) == 1 {
			p.printf("\nline %d, rank %d: %s\n", f.Stmt.Line, f.Rank, failureText(f))
			continue
		}
		ranks := make([]int, len(group))
		for i, g := range group {
			ranks[i] = g.Rank
		}
		p.printf("\nline %d, %s: %s\n", f.Stmt.Line, plain.Ranks(ranks), failureText(f))
	}
	p.cut(len(groups)-all, "error")
	if p.rep.Deadlock != nil {
		p.printf("\n%s\n", script.InWords(p.rep.Deadlock.Error()))
		p.printReplay(p.rep.Stuck)
	}
}

func (p *runSheet) verdict() {
	p.printf("\n")
	unmet := slices.DeleteFunc(slices.Clone(p.rep.Unmet), func(u script.Unmet) bool { return u.Brief == "" })
	shown := p.shown(len(unmet), mostErrors)
	for _, u := range unmet[:shown] {
		where := ""
		if u.Line > 0 {
			where = fmt.Sprintf("line %d: ", u.Line)
		}
		p.printf("%s %s%s\n", p.loud("not as expected:"), where, u.Brief)
	}
	p.cut(len(unmet)-shown, "unmet expectation")
	if n := unexpectedErrors(p.rep); n > 0 {
		p.printf("%s that the script does not expect, see above\n", p.loud(plain.Count(n, "error")))
	}
	if p.rep.Deadlock != nil && !expects(p.rep, script.Deadlock) {
		p.printf("%s that the script does not expect, see above\n", p.loud("a deadlock"))
	}
	switch {
	case !p.rep.OK():
	case p.rep.Unannounced():
		p.printf("%s. The script says neither `race` nor `norace`, so it fails (exit status %d).\n", p.loud(consistency.Races(p.rep.Races).Summary()), exitRace)
	case len(p.rep.Script.Expect) == 0:
		p.printf("no errors, no races\n")
	default:
		p.printf("as expected\n")
	}
}

// sameFailures groups equal failures of several ranks on one line.
func sameFailures(rep *script.Report) (groups [][]*script.Failure) {
	type alike struct {
		line int
		text string
	}
	at := map[alike]int{}
	for _, f := range rep.Failures {
		key := alike{f.Stmt.Line, failureText(f)}
		i, known := at[key]
		if !known {
			at[key] = len(groups)
			groups = append(groups, []*script.Failure{f})
		} else if g := groups[i]; g[len(g)-1].Rank != f.Rank {
			groups[i] = append(g, f)
		}
	}
	return groups
}

// failureText returns the text of a failure, in the words of scripts, with the rule.
func failureText(f *script.Failure) string {
	if rule := f.Rule(); rule != "" {
		return f.Text() + " (" + rule + ")"
	}
	return f.Text()
}

// unexpectedErrors returns the number of errors that no line of the script expects; equal
// errors of several ranks count once.
func unexpectedErrors(rep *script.Report) (n int) {
	for _, group := range sameFailures(rep) {
		if slices.ContainsFunc(group, func(f *script.Failure) bool { return !rep.Expected(f) }) {
			n++
		}
	}
	return n
}

// expects reports whether a script has an expectation of the given kind.
func expects(rep *script.Report, kind script.ExpectKind) bool {
	return slices.ContainsFunc(rep.Script.Expect, func(e script.Expectation) bool { return e.Kind == kind })
}

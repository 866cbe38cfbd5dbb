package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

// A runSheet prints what came out of a script for people.
type runSheet struct {
	rep      *script.Report
	explored bool
	out      io.Writer
	colours  bool
	width    int
}

func (p *runSheet) printf(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

// loud marks what has to be seen.
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

// diagram draws the run: ranks side by side, the time of each from top to bottom.
// What several ranks do on one line of the script is one row if it can be.
func (p *runSheet) diagram() {
	rows := rowsOf(p.rep)
	if len(rows) == 0 {
		return
	}
	shown := p.rep.Script.Ranks
	cell := (p.width-5)/shown - 2
	if cell < 16 { // four ranks on a line of 80
		cell = 16
		shown = max(1, (p.width-5)/(cell+2))
	}
	head := "line "
	for r := range shown {
		head += fmt.Sprintf(" %-*s ", cell, fmt.Sprint("rank ", r))
	}
	p.printf("%s\n", strings.TrimRight(head, " "))
	for _, row := range rows {
		p.printf("%4d ", row.line)
		var b strings.Builder
		for r := range shown {
			text, racy := row.cell(r)
			text = fmt.Sprintf("%-*s", cell, clip(text, cell))
			if racy {
				text = p.loud(text)
			}
			b.WriteString(" " + text + " ")
		}
		p.printf("%s\n", strings.TrimRight(b.String(), " "))
	}
	if shown < p.rep.Script.Ranks {
		p.printf("     without %s\n", counted(p.rep.Script.Ranks-shown, "further rank"))
	}
	p.printf("\n")
}

// A diagramRow is what happened on one line of the script at one time.
type diagramRow struct {
	line  int
	cells map[int]*diagramCell
}

type diagramCell struct {
	event *script.Event
	races []int // numbers of races that it is part of
	stuck string
}

// rowsOf puts the events of a run into rows.
func rowsOf(rep *script.Report) []*diagramRow {
	var rows []*diagramRow
	add := func(rank, line int, c *diagramCell) {
		// Nothing that the rank did lies between here and the others' row.
		for k := len(rows) - 1; k >= 0 && rows[k].cells[rank] == nil; k-- {
			if rows[k].line == line {
				rows[k].cells[rank] = c
				return
			}
		}
		rows = append(rows, &diagramRow{line, map[int]*diagramCell{rank: c}})
	}
	for _, e := range rep.Log {
		c := &diagramCell{event: e}
		for i, race := range rep.Races {
			if isAt(&race.A, e) || isAt(&race.B, e) {
				c.races = append(c.races, i+1)
			}
		}
		add(e.Rank, e.Stmt.Line, c)
	}
	if rep.Deadlock != nil {
		for _, w := range rep.Deadlock.Ranks {
			if !w.Ended {
				add(w.Rank, w.Place.Line, &diagramCell{stuck: w.Why})
			}
		}
	}
	return rows
}

func isAt(p *consistency.Party, e *script.Event) bool {
	return p.Rank == e.Rank && p.Place.Line == e.Stmt.Line
}

// cell is what a rank did in the row. A race has its number in front.
func (row *diagramRow) cell(rank int) (text string, loud bool) {
	c := row.cells[rank]
	switch {
	case c == nil:
		return "|", false
	case c.stuck != "":
		return "waits: " + c.stuck, true
	}
	if len(c.races) > 0 {
		text = fmt.Sprintf("(%s) ", strings.Trim(strings.ReplaceAll(fmt.Sprint(c.races), " ", ","), "[]"))
	}
	text += c.event.Stmt.String()
	if res, ok := c.event.Result(); ok {
		text = strings.TrimSuffix(text, " -> "+c.event.Stmt.Into) + " -> " + c.event.Stmt.Into + " = " + res.Text()
	}
	if c.event.Err != nil {
		return text + "  FAILS", true
	}
	return text, len(c.races) > 0
}

// clip shortens a text to so many characters.
func clip(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-2]) + ".."
}

// longestValue bounds a value in a list.
const longestValue = 60

func (p *runSheet) outcomes() {
	if p.explored {
		p.printf("%s", counted(p.rep.Schedules, "schedule"))
		if !p.rep.Complete {
			p.printf(", and that is NOT ALL: %v", p.rep.Stopped)
		}
		p.printf("; %s\n", counted(len(p.rep.Outcomes), "outcome"))
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
			p.printf("       %-8s %s\n", v.Name, clip(v.Text(), longestValue))
		}
		names := make([]string, 0, len(o.Ending.Files))
		for name := range o.Ending.Files {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			c := o.Ending.Files[name]
			p.printf("       file %s: %s %s\n", name, counted(len(c.Bytes), "byte"), clip(c.String(), longestValue))
		}
	}
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}

func (p *runSheet) races() {
	for i, r := range p.rep.Races {
		p.printf("\n%s on file %s, %s\n", p.loud(fmt.Sprintf("race %d", i+1)), r.File, r.Extent())
		for _, side := range []*consistency.Party{&r.A, &r.B} {
			p.printf("  line %-4d rank %d: %s\n", side.Place.Line, side.Rank, routineAt(p.rep, side.Place.Line, side.Op))
			if side.View != "" {
				p.printf("            through %s\n", side.View)
			}
		}
		p.printf("  missing   %s (%s)\n", strings.ReplaceAll(r.Lacks(), "Sync", "sync"), r.Rule)
		p.printf("  edit      %s\n", inScript(p.rep, r))
		p.again(r.Replay)
	}
}

// lints tells of what is legal and suspicious, once for all ranks that did it.
func (p *runSheet) lints() {
	const most = 20
	for i, l := range p.rep.Lints {
		if i == 0 {
			p.printf("\nlegal, suspicious:\n")
		}
		if i == most {
			p.printf("  and %d more\n", len(p.rep.Lints)-i)
			return
		}
		line, _ := strconv.Atoi(l.Place[strings.LastIndexByte(l.Place, ':')+1:]) // a name may have colons, too
		p.printf("  line %d, rank %d: %s: %s (%s)\n", line, l.Rank, routineAt(p.rep, line, l.Op), l.Text, l.Rule)
	}
}

// again says how to see something again.
func (p *runSheet) again(witness string) {
	if p.explored {
		p.printf("  replay    %s\n", witness)
	}
}

// inScript is the edit that mends a race, in the words of scripts.
func inScript(rep *script.Report, r *consistency.RaceError) string {
	edit := r.Edit
	for _, side := range []*consistency.Party{&r.A, &r.B} {
		edit = strings.ReplaceAll(edit, fmt.Sprintf("%s (%v)", side.Op, side.Place), fmt.Sprintf("line %d", side.Place.Line))
	}
	return strings.NewReplacer("Sync", "sync").Replace(edit)
}

// routineAt is the name that the script has for a call on one of its lines.
func routineAt(rep *script.Report, line int, otherwise string) string {
	for _, b := range rep.Script.Blocks {
		for _, s := range b.Stmts {
			if s.Line == line {
				return s.Routine
			}
		}
	}
	return otherwise
}

func (p *runSheet) failures() {
	for _, f := range p.rep.Failures {
		p.printf("\nline %d, rank %d: %v\n", f.Stmt.Line, f.Rank, f.Err)
	}
	if p.rep.Deadlock != nil {
		p.printf("\n%v\n", p.rep.Deadlock)
		p.again(p.rep.Stuck)
	}
}

func (p *runSheet) verdict() {
	p.printf("\n")
	for _, u := range p.rep.Unmet {
		where := ""
		if u.Line > 0 {
			where = fmt.Sprintf("line %d: ", u.Line)
		}
		p.printf("%s %s%s\n", p.loud("not as expected:"), where, u.Text)
	}
	switch {
	case !p.rep.OK():
	case p.rep.Unannounced():
		p.printf("%s, and no line of the script is about races\n", p.loud(counted(len(p.rep.Races), "race")))
	default:
		p.printf("as expected\n")
	}
}

// className is the class of a failure as scripts write it.
func className(f *script.Failure) string { return strings.TrimPrefix(f.Class().Name(), "MPI_ERR_") }

package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/script"
)

// maxDrawn bounds calls times ranks of a diagram, which has a vector clock for each call.
const maxDrawn = 1 << 22

// SpaceTime returns the space-time diagram of one run as SVG: rank beside rank, with
// messages, collective calls, races and, for a deadlock, arrows between waiting ranks. A run
// that is too large to draw is an error.
func SpaceTime(rep *script.Report) (string, error) {
	if err := drawable(rep); err != nil {
		return "", err
	}
	return spaceTime(rep).Draw().SVG(), nil
}

func drawable(rep *script.Report) error {
	if most := maxDrawn / rep.Script.Ranks; len(rep.Log) > most {
		return fmt.Errorf("%d calls of %d ranks are too many to draw: at most %d", len(rep.Log), rep.Script.Ranks, most)
	}
	return nil
}

func spaceTime(rep *script.Report) *picture.SpaceTime {
	d := &picture.SpaceTime{Title: titleOf(rep)}
	for r := range rep.Script.Ranks {
		d.Lanes = append(d.Lanes, fmt.Sprint("rank ", r))
	}
	links, spots := rep.Links(), make([]picture.Spot, len(rep.Log))
	meetings := map[int]int{}
	for i, m := range links.Meetings {
		for _, e := range m.Events {
			meetings[e] = i
		}
	}
	rows := rowsOf(rep, meetings)
	step := make([]int, len(rep.Log)) // by event: the step that it belongs to, from 1
	for k, stage := range rep.Stages() {
		for i := range stage.Events {
			step[stage.Last-i] = k + 1
		}
	}
	for i, row := range rows {
		p := picture.Row{Label: row.label(), Cells: make([]*picture.Cell, rep.Script.Ranks)}
		for rank, c := range row.Cells {
			text, _ := c.Text()
			one := &picture.Cell{Text: text}
			switch {
			case c.Stuck != "" || c.Event.Err != nil:
				one.Class = "fails"
			case len(c.Races) > 0:
				one.Class = "racy"
			}
			if c.Step > 0 {
				one.Step, one.Clock = step[c.Step-1], links.Clocks[c.Step-1]
				spots[c.Step-1] = picture.Spot{Row: i, Lane: rank}
			}
			p.Cells[rank] = one
		}
		d.Rows = append(d.Rows, p)
	}
	d.Spans = spans(rep, spots)
	for _, m := range links.Messages {
		from := rep.Log[m[0]]
		d.Arrows = append(d.Arrows, picture.Arrow{From: spots[m[0]], To: spots[m[1]], Tip: from.Stmt.String()})
	}
	for _, m := range links.Meetings {
		if len(m.Events) == 1 {
			continue
		}
		row := &d.Rows[spots[m.Events[0]].Row]
		if row.Bar = picture.Collective; m.Barrier {
			row.Bar = picture.Barrier
		}
	}
	d.Races = races(rep, rows)
	if rep.Deadlock != nil {
		d.Waits = waits(rep)
	}
	return d
}

// titleOf returns the name of the script and the options of the run.
func titleOf(rep *script.Report) string {
	title := fmt.Sprintf("%d ranks", rep.Script.Ranks)
	if rep.Script.Ranks == 1 {
		title = "1 rank"
	}
	if rep.Script.Name != "" {
		title = rep.Script.Name + ", " + title
	}
	if len(rep.Outcomes) == 1 && rep.Outcomes[0].Witness != "" {
		title += ", schedule " + rep.Outcomes[0].Witness
	}
	return title
}

// label returns the lines of a row.
func (row *Row) label() string {
	lines := map[int]bool{row.Line: true}
	for _, c := range row.Cells {
		if c.Event != nil {
			lines[c.Event.Stmt.Line] = true
		}
	}
	var all []string
	for _, n := range slices.Sorted(maps.Keys(lines)) {
		all = append(all, fmt.Sprint(n))
	}
	if len(all) == 1 {
		return "line " + all[0]
	}
	return "lines " + strings.Join(all, ", ")
}

// races returns an arc for each race, from the last call of one line to the last call of the
// other.
func races(rep *script.Report, rows []*Row) (all []picture.Race) {
	for i, r := range rep.Races {
		var ends []picture.Spot
		for _, p := range []script.Site{{Rank: r.A.Rank, Line: r.A.Place.Line}, {Rank: r.B.Rank, Line: r.B.Place.Line}} {
			for row := len(rows) - 1; row >= 0; row-- {
				if c := rows[row].Cells[p.Rank]; c != nil && c.Event != nil && c.Event.Stmt.Line == p.Line && slices.Contains(c.Races, i+1) {
					ends = append(ends, picture.Spot{Row: row, Lane: p.Rank})
					break
				}
			}
		}
		if len(ends) == 2 && ends[0] != ends[1] {
			label := picture.Lack(string(r.Missing))
			if views, _ := r.Views(); views != "" {
				label = "the views overlap"
			}
			all = append(all, picture.Race{A: ends[0], B: ends[1], Name: fmt.Sprint("race ", i+1), Label: label})
		}
	}
	return all
}

// spans returns the events between which each handle is open.
func spans(rep *script.Report, spots []picture.Spot) (all []picture.Span) {
	type handle struct {
		rank int
		name string
	}
	open := map[handle]int{}
	for i, e := range rep.Log {
		k, row := handle{e.Rank, e.Stmt.Handle}, spots[i].Row
		at, ok := open[k]
		switch {
		case e.Stmt.Routine == "open" && e.Err == nil:
			open[k] = len(all)
			all = append(all, picture.Span{Lane: e.Rank, Name: fmt.Sprintf("file %s, %s,", e.Stmt.File, e.Stmt.Handle), From: row, To: -1})
		case !ok:
		case e.Stmt.Routine == "close":
			all[at].To = row
			delete(open, k)
		case e.Stmt.Routine == "sync" && e.Err == nil:
			all[at].Syncs = append(all[at].Syncs, row)
		}
	}
	return all
}

// waits returns, for a deadlock, which rank waits for which others.
func waits(rep *script.Report) (all [][2]int) {
	for _, w := range rep.Deadlock.Ranks {
		for _, on := range w.For {
			if !w.Ended && on >= 0 && on < rep.Script.Ranks {
				all = append(all, [2]int{w.Rank, on})
			}
		}
	}
	return all
}

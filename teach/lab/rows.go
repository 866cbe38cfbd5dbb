package lab

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/script"
)

// A Row has the events on one line of a script at one time: ranks that run the same
// statement side by side share a row, and so do ranks that call a collective together.
type Row struct {
	Line  int
	Cells map[int]*Cell // by rank
}

// A Cell is the event of one rank in a row.
type Cell struct {
	Event *script.Event
	Step  int    // the event's number in the run, from 1
	Races []int  // numbers of the races that it is part of
	Stuck string // instead of an event: the call that the rank waits for in a deadlock
}

// Rows puts the events of a run into rows.
func Rows(rep *script.Report) []*Row { return rowsOf(rep, nil) }

// rowsOf puts the events of a run into rows. Events of one meeting share a row, although
// they may be on several lines; events are given by their index in rep.Log.
func rowsOf(rep *script.Report, meetings map[int]int) []*Row {
	var rows []*Row
	newest := map[int]int{} // the last row of a line or meeting, counted from 1
	last := map[int]int{}   // the last row of a rank
	put := func(rank, line, key int, c *Cell) {
		// The rank has no event between this one and the row of the others.
		if newest[key] > last[rank] {
			rows[newest[key]-1].Cells[rank] = c
			last[rank] = newest[key]
			return
		}
		rows = append(rows, &Row{line, map[int]*Cell{rank: c}})
		newest[key], last[rank] = len(rows), len(rows)
	}
	races := racesBySite(rep)
	for i, e := range rep.Log {
		key := e.Stmt.Line
		if m, ok := meetings[i]; ok {
			key = -1 - m
		}
		put(e.Rank, e.Stmt.Line, key, &Cell{Event: e, Step: i + 1, Races: races[script.Site{Rank: e.Rank, Line: e.Stmt.Line}]})
	}
	if rep.Deadlock != nil {
		for _, w := range rep.Deadlock.Ranks {
			if !w.Ended {
				put(w.Rank, w.Place.Line, w.Place.Line, &Cell{Stuck: script.InWords(w.Why)})
			}
		}
	}
	return rows
}

// racesBySite returns the numbers of the races that each statement is part of.
func racesBySite(rep *script.Report) map[script.Site][]int {
	at := map[script.Site][]int{}
	for i, race := range rep.Races {
		a, b := script.Site{Rank: race.A.Rank, Line: race.A.Place.Line}, script.Site{Rank: race.B.Rank, Line: race.B.Place.Line}
		at[a] = append(at[a], i+1)
		if b != a {
			at[b] = append(at[b], i+1)
		}
	}
	return at
}

// Text returns the event as text, with the numbers of its races in front, and reports
// whether it is an error or part of a race.
func (c *Cell) Text() (text string, loud bool) {
	if c.Stuck != "" {
		return "waits: " + c.Stuck, true
	}
	if n := len(c.Races); n > 0 {
		const most = 8
		text = "(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Races[:min(n, most)]), " ", ","), "[]")
		if n > most {
			text += fmt.Sprintf(" and %d more", n-most)
		}
		text += ") "
	}
	text += c.Event.Text()
	if c.Event.Err != nil {
		return "FAILS: " + text, true
	}
	return text, len(c.Races) > 0
}

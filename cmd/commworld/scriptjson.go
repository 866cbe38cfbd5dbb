package main

import (
	"encoding/json"
	"io"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

// A raceParty is one of the two calls of a race.
type raceParty struct {
	Rank int    `json:"rank"`
	Line int    `json:"line"`
	Op   string `json:"op"`
}

func partyOf(rep *script.Report, p *consistency.Party) raceParty {
	return raceParty{p.Rank, p.Place.Line, routineAt(rep, p.Place.Line, p.Op)}
}

// printRunJSON prints what came out of a script for machines.
func printRunJSON(w io.Writer, rep *script.Report, fixes []*script.Fix) {
	type outcome struct {
		Vars      map[string]any    `json:"vars"`
		Files     map[string]string `json:"files"`
		Schedules int               `json:"schedules"`
		Allowed   bool              `json:"allowed"`
		Witness   string            `json:"witness"`
	}
	type race struct {
		File    string    `json:"file"`
		Bytes   [2]int64  `json:"bytes"`
		A       raceParty `json:"a"`
		B       raceParty `json:"b"`
		Missing string    `json:"missing"`
		Rule    string    `json:"rule"`
		Fix     string    `json:"fix"`
		Have    []string  `json:"have"`
		Late    string    `json:"late"`
		Or      []string  `json:"or"`
		Views   string    `json:"views"`
		Draw    string    `json:"view_command"`
		Replay  string    `json:"replay"`
	}
	type failure struct {
		Rank  int    `json:"rank"`
		Line  int    `json:"line"`
		Class string `json:"class"`
		Rule  string `json:"rule"`
		Text  string `json:"text"`
	}
	type message struct {
		Source int    `json:"source"`
		Tag    int    `json:"tag"`
		Comm   string `json:"comm"`
		Count  int    `json:"count"`
		Line   int    `json:"line"`
	}
	type waiting struct {
		Rank       int       `json:"rank"`
		Line       int       `json:"line"`
		Waits      string    `json:"waits"`
		Needs      string    `json:"needs"`
		Missing    []int     `json:"missing"`
		Unreceived []message `json:"unreceived"`
	}
	type deadlock struct {
		Ranks  []waiting `json:"ranks"`
		Replay string    `json:"replay"`
	}
	type unmet struct {
		Line int    `json:"line"`
		Text string `json:"text"`
	}
	all := struct {
		OK        bool      `json:"ok"`
		Outcomes  []outcome `json:"outcomes"`
		Races     []race    `json:"races"`
		Errors    []failure `json:"errors"`
		Deadlock  *deadlock `json:"deadlock"`
		Unmet     []unmet   `json:"unmet"`
		Schedules int       `json:"schedules"`
		Complete  bool      `json:"complete"`
	}{
		OK: rep.OK(), Outcomes: []outcome{}, Races: []race{}, Errors: []failure{}, Unmet: []unmet{},
		Schedules: rep.Schedules, Complete: rep.Complete,
	}
	for i := range rep.Outcomes {
		o := &rep.Outcomes[i]
		files := map[string]string{}
		for name, c := range o.Ending.Files {
			files[name] = c.String()
		}
		all.Outcomes = append(all.Outcomes, outcome{o.Ending.Vars(rep.Script), files, o.Schedules, o.Allowed, o.Witness})
	}
	for i, r := range rep.Races {
		f := fixes[i]
		views, draw := r.Views()
		all.Races = append(all.Races, race{
			File: r.File, Bytes: [2]int64{r.Lo, r.Hi},
			A: partyOf(rep, &r.A), B: partyOf(rep, &r.B),
			Missing: string(r.Missing), Rule: r.Rule, Fix: f.First(), Replay: r.Replay,
			Have: notNil(f.Have), Late: f.Late, Or: notNil(f.Or), Views: views, Draw: draw,
		})
	}
	for _, f := range rep.Failures {
		all.Errors = append(all.Errors, failure{f.Rank, f.Stmt.Line, className(f), f.Rule(), f.Err.Error()})
	}
	if d := rep.Deadlock; d != nil {
		all.Deadlock = &deadlock{Replay: rep.Stuck}
		for _, r := range d.Ranks {
			if r.Ended {
				continue
			}
			w := waiting{Rank: r.Rank, Line: r.Place.Line, Waits: r.Why, Needs: r.Needs, Missing: []int{}, Unreceived: []message{}}
			if r.Needs != "" {
				w.Missing = r.For
			}
			for _, u := range r.Unreceived {
				w.Unreceived = append(w.Unreceived, message{u.Source, u.Tag, u.Comm, u.Count, u.Place.Line})
			}
			all.Deadlock.Ranks = append(all.Deadlock.Ranks, w)
		}
	}
	for _, u := range rep.Unmet {
		all.Unmet = append(all.Unmet, unmet{u.Line, u.Text})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(all) // a writer that fails has nobody to tell
}

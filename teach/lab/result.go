package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

// A Result has the results of a script, as run --json prints them.
type Result struct {
	OK        bool      `json:"ok"`
	Outcomes  []Outcome `json:"outcomes"`
	Races     []Race    `json:"races"`
	Errors    []Failure `json:"errors"`
	Deadlock  *Deadlock `json:"deadlock" jsonschema:"nullable"`
	Unmet     []Unmet   `json:"unmet"`
	Looks     []Look    `json:"looks"` // of one run
	Schedules int       `json:"schedules"`
	Complete  bool      `json:"complete"`      // the outcomes are all that are possible
	Why       string    `json:"why,omitempty"` // why Complete is false, if all schedules were to be run
}

// An Outcome is one possible end of a script.
type Outcome struct {
	Vars      map[string]any    `json:"vars"`  // by RANK.NAME: data in hexadecimal, or numbers
	Files     map[string]string `json:"files"` // in hexadecimal, ".." for a byte that no rank wrote
	Schedules int               `json:"schedules"`
	Allowed   bool              `json:"allowed"`
	Witness   string            `json:"witness"`
	Text      []string          `json:"text"`   // the results as text prints them: "1.x = 5", "file f = int 5"
	Reason    string            `json:"reason"` // what tells its runs from others; empty: there is no short reason
	Always    bool              `json:"always"` // every run with the outcome has this reason
}

// A Race is one data race, with its fix.
type Race struct {
	File    string   `json:"file"`
	Bytes   [2]int64 `json:"bytes"` // from the first up to, not including, the second
	A       Call     `json:"a"`
	B       Call     `json:"b"`
	Missing string   `json:"missing"`
	Rule    string   `json:"rule"`
	Fix     string   `json:"fix"`
	Have    []string `json:"have"`
	Late    string   `json:"late"`
	Or      []string `json:"or"`
	Views   string   `json:"views"`
	Draw    string   `json:"view_command"`
	Replay  string   `json:"replay"`
}

// A Call is one of the two calls of a race.
type Call struct {
	Rank int    `json:"rank"`
	Line int    `json:"line"`
	Op   string `json:"op"`
}

// A Failure is a statement that returned an error.
type Failure struct {
	Rank  int    `json:"rank"`
	Line  int    `json:"line"`
	Class string `json:"class"`
	Rule  string `json:"rule"`
	Text  string `json:"text"`
}

// A Deadlock says which ranks wait, and the schedule that shows it.
type Deadlock struct {
	Ranks  []Waiting `json:"ranks"`
	Replay string    `json:"replay"`
}

// A Waiting is a rank that waits.
type Waiting struct {
	Rank       int       `json:"rank"`
	Line       int       `json:"line"`
	Waits      string    `json:"waits"`
	Needs      string    `json:"needs"`      // of a collective call: the ranks that it needs
	Missing    []int     `json:"missing"`    // the ranks that have not come
	Unreceived []Message `json:"unreceived"` // messages that have arrived and that no receive of the rank matches
}

// A Message is a message that a rank has sent, Count times.
type Message struct {
	Source int    `json:"source"`
	Tag    int    `json:"tag"`
	Comm   string `json:"comm"`
	Count  int    `json:"count"`
	Line   int    `json:"line"`
}

// A Look is the result of a look statement.
type Look struct {
	Rank        int        `json:"rank"`
	Line        int        `json:"line"`
	Text        string     `json:"text"`
	Version     int64      `json:"version"`     // of the file, that the rank sees; -1: each new one at once
	Newest      int64      `json:"newest"`      // version of the file
	Unpublished [][2]int64 `json:"unpublished"` // bytes that the rank wrote and did not publish
	May         []Readable `json:"may"`
	Unknown     string     `json:"unknown,omitempty"` // why may is not known
}

// A Readable has the values that a read of some bytes may return.
type Readable struct {
	Bytes  [2]int64 `json:"bytes"` // from the first up to, not including, the second
	Values []Value  `json:"values"`
}

// A Value is one of the values that a read may return.
type Value struct {
	From string `json:"from"` // start, write, hole, end or any length
	Rank int    `json:"rank"` // of the write, else -1
	Line int    `json:"line"` // of the write, else 0
	Hex  string `json:"hex"`
}

// An Unmet is an expectation of the script that was not met.
type Unmet struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// NewResult returns the results of a script. fixes has the fixes of its races, in their
// order, or is nil if none were searched for.
func NewResult(rep *script.Report, fixes []*script.Fix) *Result {
	all := &Result{
		OK: rep.OK(), Outcomes: []Outcome{}, Races: []Race{}, Errors: []Failure{}, Unmet: []Unmet{}, Looks: []Look{},
		Schedules: rep.Schedules, Complete: rep.Complete,
	}
	if rep.Stopped != nil {
		all.Why = rep.Stopped.Error()
	}
	for i := range rep.Outcomes {
		o := &rep.Outcomes[i]
		files := map[string]string{}
		for name, c := range o.Ending.Files {
			files[name] = c.String()
		}
		all.Outcomes = append(all.Outcomes, Outcome{o.Ending.Vars(rep.Script), files, o.Schedules, o.Allowed, o.Witness, o.Ending.Texts(), o.Why, o.Always})
	}
	for i, r := range rep.Races {
		f := &script.Fix{}
		if fixes != nil {
			f = fixes[i]
		}
		views, draw := r.Views()
		all.Races = append(all.Races, Race{
			File: r.File, Bytes: [2]int64{r.Lo, r.Hi}, A: CallOf(rep, &r.A), B: CallOf(rep, &r.B),
			Missing: string(r.Missing), Rule: r.Rule, Fix: firstFix(f), Replay: r.Replay,
			Have: NotNil(f.Have), Late: f.Late, Or: NotNil(f.Or), Views: views, Draw: draw,
		})
	}
	for _, f := range rep.Failures {
		all.Errors = append(all.Errors, Failure{f.Rank, f.Stmt.Line, ClassName(f), f.Rule(), f.Text()})
	}
	if d := rep.Deadlock; d != nil {
		all.Deadlock = &Deadlock{Replay: rep.Stuck}
		for _, r := range d.Ranks {
			if r.Ended {
				continue
			}
			w := Waiting{Rank: r.Rank, Line: r.Place.Line, Waits: script.InWords(r.Why), Needs: script.InWords(r.Needs), Missing: []int{}, Unreceived: []Message{}}
			if r.Needs != "" {
				w.Missing = append(w.Missing, r.For...)
			}
			for _, u := range r.Unreceived {
				w.Unreceived = append(w.Unreceived, Message{u.Source, u.Tag, u.Comm, u.Count, u.Place.Line})
			}
			all.Deadlock.Ranks = append(all.Deadlock.Ranks, w)
		}
	}
	for _, e := range rep.Log {
		if e.Look != nil {
			h := stateOf(e.Look.Handle)
			all.Looks = append(all.Looks, Look{e.Rank, e.Stmt.Line, e.Look.Text(), h.Version, h.Newest, h.Unpublished, h.May, h.Unknown})
		}
	}
	for _, u := range rep.Unmet {
		all.Unmet = append(all.Unmet, Unmet{u.Line, u.Text})
	}
	return all
}

func mayOf(r script.Readable) Readable {
	may := Readable{Bytes: [2]int64{r.Lo, r.Hi}}
	for _, c := range r.Choices {
		v := Value{From: c.From.String(), Rank: c.Rank, Hex: fmt.Sprintf("%x", c.Bytes)}
		if c.Stmt != nil {
			v.Line = c.Stmt.Line
		}
		may.Values = append(may.Values, v)
	}
	return may
}

// CallOf returns one side of a race.
func CallOf(rep *script.Report, p *consistency.Party) Call {
	return Call{p.Rank, p.Place.Line, RoutineAt(rep, p.Place.Line, p.Op)}
}

// RoutineAt returns the name that the script has for a call on one of its lines.
func RoutineAt(rep *script.Report, line int, otherwise string) string {
	blocks := rep.Script.Blocks // blocks and statements are in the order of the text, unless lines are repeated
	i, _ := slices.BinarySearchFunc(blocks, line+1, func(b script.Block, line int) int { return cmp.Compare(b.Line, line) })
	if i > 0 {
		stmts := blocks[i-1].Stmts
		if k, found := slices.BinarySearchFunc(stmts, line, func(s *script.Stmt, line int) int { return cmp.Compare(s.Line, line) }); found {
			return stmts[k].Routine
		}
	}
	for i := range blocks {
		for _, s := range blocks[i].Stmts {
			if s.Line == line {
				return s.Routine
			}
		}
	}
	return otherwise
}

// ClassName returns the name that scripts have for the class of a failure.
func ClassName(f *script.Failure) string { return strings.TrimPrefix(f.Class().Name(), "MPI_ERR_") }

// NotNil returns list, or an empty list in place of nil: JSON shows that as a list, too.
func NotNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// firstFix returns what to do first about a race.
func firstFix(f *script.Fix) string {
	if f.Race == nil {
		return f.First()
	}
	return f.Mistake() + f.First()
}

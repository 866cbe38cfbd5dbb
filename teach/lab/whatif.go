package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/script"
)

// A WhatIf names one change of a program; see [changesOf].
type WhatIf struct {
	Remove int    `json:"remove"` // a line with a sync or a barrier; 0: none
	Atomic bool   `json:"atomic"` // every open is followed by "atomic HANDLE on"
	Model  string `json:"model"`  // another model; empty: the same
}

// A change is a [WhatIf] as a button shows it.
type change struct {
	Text   string `json:"text"`
	WhatIf WhatIf `json:"whatif"`
}

// changesAnswer has the changes that make sense for a program.
type changesAnswer struct {
	Changes []change `json:"changes"`
}

// mostRemovals bounds the lines that are offered for removal.
const mostRemovals = 12

// changesOf lists what a reader may try: each line with a sync or a barrier away, atomic mode,
// and the other models.
func changesOf(_ context.Context, q *Request) (any, error) {
	s, o, err := q.program()
	if err != nil {
		return nil, err
	}
	a := &changesAnswer{Changes: []change{}}
	atomic, opens := false, false
	seen := map[int]bool{}
	eachCall(s, func(st *script.Stmt) {
		atomic, opens = atomic || st.Routine == "atomic" && st.On, opens || st.Routine == "open"
		if st.Routine != "sync" && st.Routine != "barrier" || seen[st.Line] || len(seen) == mostRemovals {
			return
		}
		seen[st.Line] = true
		a.Changes = append(a.Changes, change{fmt.Sprintf("without the %s in line %d", st.Routine, st.Line), WhatIf{Remove: st.Line}})
	})
	if opens && !atomic {
		a.Changes = append(a.Changes, change{"in atomic mode", WhatIf{Atomic: true}})
	}
	for _, m := range compared {
		if m != o.Model {
			a.Changes = append(a.Changes, change{"under " + m.String(), WhatIf{Model: m.String()}})
		}
	}
	return a, nil
}

// A whatIfAnswer has the outcomes of a program before and after a change.
type whatIfAnswer struct {
	Change string      `json:"change"`
	Script string      `json:"script"` // the changed program
	Rows   []whatIfRow `json:"rows"`
	Sides  [2]side     `json:"sides"` // before and after
	Text   string      `json:"text"`  // what the change does, in a sentence
}

// A whatIfRow is one outcome, with its place before and after the change.
type whatIfRow struct {
	Text  []string    `json:"text"`
	Sides [2]*outcome `json:"sides"` // nil: not an outcome there
}

// An outcome is what one side has of a row.
type outcome struct {
	Allowed bool   `json:"allowed"`
	Witness string `json:"witness"`
	Reason  string `json:"reason"`
	Always  bool   `json:"always"`
}

// A side is a program before or after a change.
type side struct {
	Complete  bool     `json:"complete"`
	Why       string   `json:"why"`
	Schedules int      `json:"schedules"`
	Races     []string `json:"races"` // what is missing, each once
	Deadlock  bool     `json:"deadlock"`
	Errors    []string `json:"errors"`
}

// whatIf explores a program and the program with one change.
func whatIf(ctx context.Context, q *Request) (any, error) {
	if q.WhatIf == nil {
		return nil, &fieldError{"whatif", errors.New("the request has no change")}
	}
	s, o, err := q.program()
	if err != nil {
		return nil, err
	}
	after := *q
	name, err := q.WhatIf.apply(s, &after)
	if err != nil {
		return nil, &fieldError{"whatif", err}
	}
	t, p, err := after.program()
	if err != nil {
		return nil, &fieldError{"whatif", fmt.Errorf("the changed program: %w", err)}
	}
	o.Replay, p.Replay = "", ""
	was, err := exploreFor(ctx, longest.exploring, s, o)
	if err != nil {
		return nil, err
	}
	is, err := exploreFor(ctx, longest.exploring, t, p)
	if err != nil {
		return nil, err
	}
	a := &whatIfAnswer{Change: name, Script: after.Script, Rows: []whatIfRow{}}
	for i, rep := range []*script.Report{was, is} {
		a.add(i, rep)
	}
	a.Text = a.words()
	return a, nil
}

// apply makes the change in a request, and returns its name. Expectations of the program become
// comments: they need not hold after the change.
func (w *WhatIf) apply(s *script.Script, q *Request) (name string, err error) {
	lines := strings.Split(q.Script, "\n")
	for _, e := range s.Expect {
		lines[e.Line-1] = "# " + lines[e.Line-1]
	}
	switch {
	case w.Remove != 0:
		name, err = remove(s, lines, w.Remove)
	case w.Atomic:
		name = "in atomic mode"
		lines, err = inAtomicMode(s, lines)
	case w.Model != "":
		_, err = ModelOf(w.Model)
		q.Model, name = w.Model, "under "+w.Model
	default:
		err = errors.New("the change is empty")
	}
	q.Script = strings.Join(lines, "\n")
	return name, err
}

// remove turns the sync or the barrier of a line into a comment, so that all lines keep their
// numbers.
func remove(s *script.Script, lines []string, line int) (name string, err error) {
	routine := ""
	eachCall(s, func(st *script.Stmt) {
		if st.Line == line && (st.Routine == "sync" || st.Routine == "barrier") {
			routine = st.Routine
		}
	})
	if routine == "" {
		return "", fmt.Errorf("line %d has neither a sync nor a barrier", line)
	}
	text := lines[line-1]
	at := strings.Index(text, routine)
	lines[line-1] = text[:at] + "# " + text[at:]
	return fmt.Sprintf("without the %s in line %d", routine, line), nil
}

// inAtomicMode adds a statement to each open.
func inAtomicMode(s *script.Script, lines []string) ([]string, error) {
	handles := map[int]string{} // by line
	eachCall(s, func(st *script.Stmt) {
		if st.Routine == "open" {
			handles[st.Line] = st.Handle
		}
	})
	if len(handles) == 0 {
		return nil, errors.New("the program opens no file")
	}
	var all []string
	for i, text := range lines {
		all = append(all, text)
		if h, ok := handles[i+1]; ok {
			all = append(all, "  atomic "+h+" on")
		}
	}
	return all, nil
}

// eachCall calls do with every statement of a script.
func eachCall(s *script.Script, do func(*script.Stmt)) {
	for _, b := range s.Blocks {
		for _, st := range b.Stmts {
			do(st)
		}
	}
}

// add adds the outcomes of one side.
func (a *whatIfAnswer) add(at int, rep *script.Report) {
	s := &a.Sides[at]
	s.Complete, s.Schedules, s.Deadlock = rep.Complete, rep.Schedules, rep.Deadlock != nil
	s.Races, s.Errors = []string{}, []string{}
	if rep.Stopped != nil {
		s.Why = rep.Stopped.Error()
	}
	for _, r := range rep.Races {
		if text := lacksOf(r); !slices.Contains(s.Races, text) {
			s.Races = append(s.Races, text)
		}
	}
	for _, f := range rep.Failures {
		s.Errors = append(s.Errors, fmt.Sprintf("rank %d, line %d: %s", f.Rank, f.Stmt.Line, f.Text()))
	}
	for _, o := range rep.Outcomes {
		texts := o.Ending.Texts()
		i := slices.IndexFunc(a.Rows, func(r whatIfRow) bool { return slices.Equal(r.Text, texts) })
		if i < 0 {
			i, a.Rows = len(a.Rows), append(a.Rows, whatIfRow{Text: texts})
		}
		a.Rows[i].Sides[at] = &outcome{o.Allowed, o.Witness, o.Why, o.Always}
	}
}

// words says in a sentence what the change does.
func (a *whatIfAnswer) words() string {
	gone, come := 0, 0
	for _, r := range a.Rows {
		switch {
		case r.Sides[1] == nil:
			gone++
		case r.Sides[0] == nil:
			come++
		}
	}
	var parts []string
	if gone > 0 && a.Sides[1].Complete {
		parts = append(parts, plain.Count(gone, "outcome")+" can no longer occur")
	} else if gone > 0 {
		parts = append(parts, plain.Count(gone, "outcome")+" was not found after the change")
	}
	if come > 0 && a.Sides[0].Complete {
		parts = append(parts, plain.Count(come, "outcome")+" can occur that could not before")
	} else if come > 0 {
		parts = append(parts, plain.Count(come, "outcome")+" was not found before the change")
	}
	if gone+come == 0 {
		parts = append(parts, "the outcomes stay the same")
	}
	switch before, after := len(a.Sides[0].Races), len(a.Sides[1].Races); {
	case before > 0 && after == 0:
		parts = append(parts, "there is no race any more")
	case before == 0 && after > 0:
		parts = append(parts, "there is now a race")
	}
	switch before, after := a.Sides[0].Deadlock, a.Sides[1].Deadlock; {
	case before && !after:
		parts = append(parts, "there is no deadlock any more")
	case !before && after:
		parts = append(parts, "there is now a deadlock")
	}
	text := strings.Join(parts, "; ") + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

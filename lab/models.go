package lab

import (
	"context"
	"fmt"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

// A modelsAnswer says which model leads to which results.
type modelsAnswer struct {
	Models []string   `json:"models"`
	Rows   []modelRow `json:"rows"`
}

// A modelRow is one result and under how many schedules each model shows it.
type modelRow struct {
	Text      string `json:"text"`
	Schedules []int  `json:"schedules"`
}

// models explores a script under every model.
func models(ctx context.Context, q *Request) (any, error) {
	all := []consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX}
	a := &modelsAnswer{Rows: []modelRow{}}
	at := map[string]int{}
	for i, m := range all {
		a.Models = append(a.Models, m.String())
		s, o, err := q.program()
		if err != nil {
			return nil, err
		}
		o.Model, o.Replay = m, ""
		rep, err := script.Explore(ctx, s, o)
		if err != nil {
			return nil, err
		}
		if !rep.Complete && rep.Stopped != nil {
			return nil, fmt.Errorf("model %v: %w", m, rep.Stopped)
		}
		add := func(text string, n int) {
			row, known := at[text]
			if !known {
				row = len(a.Rows)
				at[text] = row
				a.Rows = append(a.Rows, modelRow{text, make([]int, len(all))})
			}
			a.Rows[row].Schedules[i] += n
		}
		for _, o := range rep.Outcomes {
			add(o.Ending.Text(s), o.Schedules)
		}
		if rep.Deadlock != nil {
			add("deadlock", 1)
		}
	}
	return a, nil
}

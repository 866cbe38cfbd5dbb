package lab

import (
	"context"
	"fmt"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

// compared lists the models of a comparison, weakest first.
var compared = [...]consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX}

// A Matrix has the results of a script under each consistency model.
type Matrix struct {
	Models []string    `json:"models"`
	Rows   []MatrixRow `json:"rows"`
	Races  [][]string  `json:"races"` // by model: the missing calls of its races, each once; empty: no race
}

// A MatrixRow is one result, with the number of schedules under which each model shows it.
type MatrixRow struct {
	Text      string `json:"text"`      // in the form of an allow line
	Schedules []int  `json:"schedules"` // by model

	key string // equal for equal results
}

// NewMatrix explores a script under every model, weakest first. o.Model and o.Replay are not
// used. An error names the model under which the script could not be run under every
// schedule.
func NewMatrix(ctx context.Context, s *script.Script, o script.Options) (*Matrix, error) {
	a := &Matrix{Rows: []MatrixRow{}}
	for i, m := range compared {
		a.Models = append(a.Models, m.String())
		o.Model, o.Replay = m, ""
		rep, err := script.Explore(ctx, s, o)
		if err == nil && !rep.Complete && rep.Stopped != nil {
			err = rep.Stopped
		}
		if err != nil {
			return nil, fmt.Errorf("model %v: %w", m, err)
		}
		a.add(i, len(compared), rep)
	}
	return a, nil
}

// add enters the results under the model of a column.
func (a *Matrix) add(column, columns int, rep *script.Report) {
	count := func(text, key string, n int) {
		row := slices.IndexFunc(a.Rows, func(r MatrixRow) bool { return r.key == key })
		if row < 0 {
			row = len(a.Rows)
			a.Rows = append(a.Rows, MatrixRow{text, make([]int, columns), key})
		}
		a.Rows[row].Schedules[column] += n
	}
	for _, o := range rep.Outcomes {
		count(o.Ending.AsAllowed(), o.Ending.Text(rep.Script), o.Schedules)
	}
	if rep.Deadlock != nil {
		count("deadlock", "deadlock", 1)
	}
	missing := []string{}
	for _, r := range rep.Races {
		if !slices.Contains(missing, string(r.Missing)) {
			missing = append(missing, string(r.Missing))
		}
	}
	a.Races = append(a.Races, missing)
}

// models explores a script under every model.
func models(ctx context.Context, q *Request) (any, error) {
	s, o, err := q.program()
	if err != nil {
		return nil, err
	}
	return NewMatrix(ctx, s, o)
}

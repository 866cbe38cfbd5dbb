package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/world"
)

// compared lists the models of a comparison, weakest first.
var compared = [...]consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX}

// shownRuns is the number of single runs by which [NewMatrix] looks for results under a
// model whose exploration is incomplete.
const shownRuns = 300

// A Matrix has the results of a script under each consistency model. Under a model that is
// not complete it has the results that were shown, and no claim that others are impossible.
type Matrix struct {
	Models []string    `json:"models"`
	Rows   []MatrixRow `json:"rows"`
	Races  [][]string  `json:"races"` // by model: the missing calls of its races, each once; empty: no race

	// Complete says, by model, that the rows have all its results; Why has the reason if not,
	// else "".
	Complete []bool   `json:"complete"`
	Why      []string `json:"why"`

	tried []int // by model: single runs beyond the exploration
}

// A MatrixRow is one result, with the number of explored schedules and of further single
// runs that showed it under each model.
type MatrixRow struct {
	Text      string `json:"text"`      // such as 1.x = 5, file f = int 5
	Schedules []int  `json:"schedules"` // by model
	Runs      []int  `json:"runs"`      // by model; 0 unless the exploration is incomplete

	key string // equal for equal results
}

// Words for a result under a model, see [Matrix.Verdict].
const (
	Shown      = "yes"
	Impossible = "-"
	NotShown   = "?"
)

// Verdict says whether a model gives the result of a row: [Shown]; [Impossible], which only
// a complete exploration can say; or [NotShown]: no run showed it, but not all was tried.
func (a *Matrix) Verdict(row, column int) string {
	switch r := &a.Rows[row]; {
	case r.Schedules[column] > 0 || r.Runs[column] > 0:
		return Shown
	case a.Complete[column]:
		return Impossible
	}
	return NotShown
}

// Note returns a sentence about the columns that are not complete, empty if there is none.
func (a *Matrix) Note() string {
	var open []string
	var tried []int
	for i, m := range a.Models {
		if !a.Complete[i] {
			open, tried = append(open, m), append(tried, a.tried[i])
		}
	}
	if len(open) == 0 {
		return ""
	}
	runs := plain.Count(slices.Max(tried), "further run")
	if least := slices.Min(tried); least < slices.Max(tried) {
		runs = fmt.Sprintf("%d to %s", least, runs)
	}
	return fmt.Sprintf("%s under %s: not shown by the exploration, which does not try everything there, nor by %s; it may be possible.",
		NotShown, strings.Join(open, " and "), runs)
}

// NewMatrix explores a script under every model, weakest first. Where an exploration is
// incomplete because of races, the matrix has its results and those of further runs. o.Model
// and o.Replay are not used. An error names the model under which the script could not be run,
// or the limit by which the exploration ended.
func NewMatrix(ctx context.Context, s *script.Script, o script.Options) (*Matrix, error) {
	a := &Matrix{Rows: []MatrixRow{}}
	for _, m := range compared {
		o.Model, o.Replay = m, ""
		rep, err := script.Explore(ctx, s, o)
		if err == nil {
			err = a.addModel(ctx, rep, o)
		}
		if err != nil {
			return nil, fmt.Errorf("model %v: %w", m, err)
		}
	}
	return a, nil
}

// newMatrixFor is NewMatrix for a limited time, for one model and for all. A model whose time
// ends is incomplete, with the results that were found until then.
func newMatrixFor(ctx context.Context, one, all time.Duration, s *script.Script, o script.Options) (*Matrix, error) {
	ctx, stop := context.WithTimeoutCause(ctx, all, errMore)
	defer stop()
	a := &Matrix{Rows: []MatrixRow{}}
	for _, m := range compared {
		short, stop := context.WithTimeoutCause(ctx, one, errMore)
		o.Model, o.Replay = m, ""
		rep, err := exploreFor(ctx, one, s, o)
		if errors.Is(err, errMore) { // not one run has come to its end
			rep, err = &script.Report{Script: s, Stopped: errMore}, nil
		}
		if err == nil {
			err = a.addModel(short, rep, o)
		}
		stop()
		if err != nil {
			return nil, fmt.Errorf("model %v: %w", m, err)
		}
	}
	return a, nil
}

// addModel adds the column of o.Model: the results of its exploration and of further runs.
func (a *Matrix) addModel(ctx context.Context, rep *script.Report, o script.Options) error {
	why := ""
	if rep.Stopped != nil {
		if !errors.Is(rep.Stopped, world.ErrUntried) && !errors.Is(rep.Stopped, errMore) {
			return rep.Stopped
		}
		why = rep.Stopped.Error()
	}
	a.Models, a.Complete, a.Why = append(a.Models, o.Model.String()), append(a.Complete, rep.Complete), append(a.Why, why)
	a.Races, a.tried = append(a.Races, missingCalls(rep)), append(a.tried, 0)
	column := len(a.Models) - 1
	a.add(column, rep, false)
	return a.showMore(ctx, column, rep.Script, o)
}

// showMore adds what single runs show under the model of a column whose exploration is
// incomplete. If they show every result that the weakest model has, the column is complete,
// because no model has others.
func (a *Matrix) showMore(ctx context.Context, column int, s *script.Script, o script.Options) error {
	for k := 0; k < shownRuns && !a.Complete[column]; k++ {
		if column > 0 && a.Complete[0] && !slices.ContainsFunc(a.Rows, func(r MatrixRow) bool { return r.Schedules[column]+r.Runs[column] == 0 }) {
			a.Complete[column], a.Why[column] = true, ""
			break
		}
		o.Replay = fmt.Sprint("random:", k/2)
		if k%2 == 1 {
			o.Replay = fmt.Sprint("pct:3:", k/2)
		}
		rep, err := script.Run(ctx, s, o)
		if errors.Is(err, errMore) {
			break
		}
		if err != nil {
			return err
		}
		a.tried[column]++
		a.add(column, rep, true)
	}
	return nil
}

// add enters the results of a report under the model of a column; single says that it is
// about one run.
func (a *Matrix) add(column int, rep *script.Report, single bool) {
	count := func(text, key string, n int) {
		row := slices.IndexFunc(a.Rows, func(r MatrixRow) bool { return r.key == key })
		if row < 0 {
			row = len(a.Rows)
			a.Rows = append(a.Rows, MatrixRow{text, make([]int, len(compared)), make([]int, len(compared)), key})
		}
		if single {
			a.Rows[row].Runs[column] += n
		} else {
			a.Rows[row].Schedules[column] += n
		}
	}
	for _, o := range rep.Outcomes {
		count(strings.Join(o.Ending.Texts(), ", "), o.Ending.Text(rep.Script), o.Schedules)
	}
	if rep.Deadlock != nil {
		count("deadlock", "deadlock", 1)
	}
}

// missingCalls returns the missing calls of the races of a report, each once.
func missingCalls(rep *script.Report) []string {
	missing := []string{}
	for _, r := range rep.Races {
		if !slices.Contains(missing, string(r.Missing)) {
			missing = append(missing, string(r.Missing))
		}
	}
	return missing
}

// A modelsAnswer is a matrix with what the page says about it.
type modelsAnswer struct {
	*Matrix
	Verdicts [][]string `json:"verdicts"` // by row and model
	Note     string     `json:"note"`
}

// models explores a script under every model.
func models(ctx context.Context, q *Request) (any, error) {
	s, o, err := q.program()
	if err != nil {
		return nil, err
	}
	m, err := newMatrixFor(ctx, longest.model, longest.models, s, o)
	if err != nil {
		return nil, err
	}
	a := &modelsAnswer{Matrix: m, Verdicts: [][]string{}, Note: m.Note()}
	for row := range m.Rows {
		var all []string
		for column := range m.Models {
			all = append(all, m.Verdict(row, column))
		}
		a.Verdicts = append(a.Verdicts, all)
	}
	return a, nil
}

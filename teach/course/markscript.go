package course

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/script"
)

// Bounds of the exploration of a submitted script; tests wait longer.
const mostSchedules = 20_000

var mostTime = 10 * time.Second

// markScript marks a rank script: under every schedule it must have the results that the
// task requires. The initial files and the expectations of the lesson replace those of the
// script.
func (l *Lesson) markScript(ctx context.Context, name string) (*Marking, error) {
	if l.task == nil || l.task.script == "" {
		return nil, fmt.Errorf("lesson %s has no exercise for a script: submit a Go program", l.Name)
	}
	file, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	text, err := script.Decode(file)
	if err != nil {
		return l.unmarked("The script cannot be read.", err.Error()), nil
	}
	m, j := l.marking(), &judge{task: l.task}
	s, err := script.Parse(text)
	if err != nil {
		return l.unmarked("The script cannot be read.", err.Error()), nil
	}
	given, err := script.Parse(l.read(l.script()) + "\n" + l.task.script)
	if err != nil {
		return nil, err
	}
	s.Name, s.Files, s.Expect = filepath.Base(name), given.Files, given.Expect
	if s.Ranks != given.Ranks {
		j.script(Finding{Kind: KindWorld, Text: fmt.Sprintf("the script is for %d ranks, the task for %d", s.Ranks, given.Ranks)})
	} else if err := j.exploration(ctx, s); err != nil {
		return nil, err
	}
	m.Runs = 1
	m.Findings = append(m.Findings, j.sorted()...)
	m.conclude()
	return m, nil
}

func (j *judge) script(f Finding) {
	j.add(&ran{order: "forward"}, f)
	j.found[len(j.found)-1].With = "every schedule"
}

// exploration adds the findings of the runs of a script.
func (j *judge) exploration(ctx context.Context, s *script.Script) error {
	ctx, stop := context.WithTimeoutCause(ctx, mostTime, errTooMuch)
	defer stop()
	rep, err := script.Explore(ctx, s, script.Options{MaxSchedules: mostSchedules})
	var missing *script.SyntaxError
	if errors.As(err, &missing) { // the script was parsed: a result that the lesson expects is not in it
		j.script(Finding{
			Kind: KindOutcome, Text: fmt.Sprintf("the task asks for a result that the script does not have: %v", missing.Err),
			Fix: "let the same rank read into the same name as in the script of the exercise",
		})
		return nil
	}
	if err != nil {
		return err
	}
	for i, fix := range script.Fixes(ctx, rep, script.Options{}) {
		r := rep.Races[i]
		text, _, _ := strings.Cut(r.Report(), "\n  fix ")
		ranks := []int{r.A.Rank, r.B.Rank}
		slices.Sort(ranks)
		j.script(Finding{
			Kind: kindRace, Rule: r.Rule, Ranks: slices.Compact(ranks), Text: text, Fix: fix.String(),
			Lines: []string{r.A.Place.String(), r.B.Place.String()},
		})
	}
	for _, f := range rep.Failures {
		kind := kindError
		if f.Class() == errclass.NotSame {
			kind = kindMismatch
		}
		j.script(Finding{Kind: kind, Rule: f.Rule(), Ranks: []int{f.Rank}, Lines: []string{fmt.Sprint("line ", f.Stmt.Line)}, Text: f.Err.Error()})
	}
	if rep.Deadlock != nil {
		j.script(Finding{Kind: kindDeadlock, Text: rep.Deadlock.Error()})
	}
	if rep.Err != nil {
		j.script(Finding{Kind: kindError, Text: rep.Err.Error()})
	}
	if len(j.found) > 0 {
		return nil
	}
	for _, u := range rep.Unmet {
		j.script(Finding{Kind: KindOutcome, Text: u.Text})
	}
	if len(j.found) == 0 && !rep.Complete {
		j.script(Finding{Kind: KindTimeout, Text: fmt.Sprintf("the script has more schedules than can be tried: %v", rep.Stopped)})
	}
	return nil
}

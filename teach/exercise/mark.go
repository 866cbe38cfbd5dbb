package exercise

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/script"
)

// Limits of the exploration of a script.
const mostSchedules = 20_000

const mostTime = 8 * time.Second

var errTooMuch = errors.New("too many schedules for the time of marking")

// Mark marks a rank script: under every schedule it must have the outcomes of the solution,
// no race and no error, and keep the conditions of the task. The initial files, machines and
// expectations are those of the solution, whatever the script says. A script that behaves
// like a typical wrong one gets the sentence about it as its summary. An error means that the
// exercise itself cannot be read, or that ctx has ended.
func (e *Exercise) Mark(ctx context.Context, text string) (*Marking, error) {
	m := &Marking{Lesson: e.Lesson, Findings: []Finding{}}
	s, err := script.Parse(text)
	if err != nil {
		m.Refuse(KindBuild, "The script cannot be read.", err.Error())
		return m, nil
	}
	given, err := script.Parse(e.Solution)
	if err != nil {
		return nil, fmt.Errorf("the solution of lesson %s: %w", e.Lesson, err)
	}
	if s.Ranks != given.Ranks {
		m.Find(KindWorld, nil, "the script is for %d ranks, the task for %d", s.Ranks, given.Ranks)
		m.Conclude()
		return m, nil
	}
	j := &judge{e: e, given: given, m: m}
	behaviour, err := j.script(ctx, s)
	if err != nil {
		return nil, err
	}
	m.Conclude()
	if m.Verdict == Wrong && behaviour != "" {
		if sentence := e.recognise(ctx, given, behaviour); sentence != "" {
			m.Summary = sentence
		}
	}
	return m, nil
}

// recognise returns the sentence about the typical wrong script that behaves so; empty if
// there is none.
func (e *Exercise) recognise(ctx context.Context, given *script.Script, behaviour string) string {
	for _, w := range e.mistakes {
		s, err := script.Parse(w.text)
		if err != nil {
			continue // a test reads all
		}
		j := &judge{e: e, given: given, m: &Marking{}, brief: true}
		if b, err := j.script(ctx, s); err == nil && b == behaviour {
			return w.sentence
		}
	}
	return ""
}

// A judge collects findings about a script.
type judge struct {
	e     *Exercise
	given *script.Script
	m     *Marking
	brief bool // no search for fixes
}

// script adds the findings about a script, and returns what it does in all schedules:
// scripts that return the same text have made the same mistake.
func (j *judge) script(ctx context.Context, s *script.Script) (behaviour string, err error) {
	s.Name = j.e.Lesson[:2] + ".mpio" // in the places of calls
	s.Files, s.Machines, s.Markers, s.Expect = j.given.Files, j.given.Machines, j.given.Markers, j.given.Expect
	limited, stop := context.WithTimeoutCause(ctx, mostTime, errTooMuch)
	defer stop()
	rep, err := script.Explore(limited, s, script.Options{MaxSchedules: mostSchedules, Unbuffered: j.e.sendsWait()})
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if missing := (*script.SyntaxError)(nil); errors.As(err, &missing) { // the script was parsed: an expected result is not in it
		j.m.add(Finding{
			Kind: KindOutcome, Text: fmt.Sprintf("the task asks for a result that the script does not have: %v", missing.Err),
			Fix: "let the same rank read into the same name as in the script of the exercise",
		})
		return "", nil
	}
	if err != nil && context.Cause(limited) != errTooMuch {
		return "", err
	}
	if err != nil {
		j.m.Find(KindTimeout, nil, "the script has more schedules than can be tried: %v", errTooMuch)
		return "", nil
	}
	j.m.Runs += rep.Schedules
	j.races(limited, rep)
	j.failures(rep)
	if len(j.m.Findings) == 0 {
		for _, u := range rep.Unmet {
			if !strings.HasPrefix(u.Text, neverSeen) {
				j.m.Find(KindOutcome, nil, "%s", inTask(u.Text))
			}
		}
		if err := j.missing(ctx, rep); err != nil {
			return "", err
		}
		if len(rep.Unmet) == 0 && !rep.Complete {
			j.m.Find(KindTimeout, nil, "the script has more schedules than can be tried: %v", rep.Stopped)
		}
		j.fromFiles(s)
		if err := j.conditions(ctx, s); err != nil {
			return "", err
		}
	}
	return j.behaviour(rep), nil
}

// neverSeen begins what a report says of an expected outcome that no schedule has.
const neverSeen = "allowed, but no schedule gives it"

// missing adds a finding for each outcome of the task that the script never has, as the solution shows it.
func (j *judge) missing(ctx context.Context, rep *script.Report) error {
	if !rep.Complete {
		return nil
	}
	var solved *script.Report
	for _, e := range j.given.Expect {
		if e.Kind != script.Allow {
			continue
		}
		for _, o := range e.Outcomes {
			fits := func(s script.Seen) bool { return s.Ending.Fits(o) }
			if slices.ContainsFunc(rep.Outcomes, fits) {
				continue
			}
			if solved == nil {
				var err error
				if solved, err = script.Explore(ctx, j.given, script.Options{MaxSchedules: mostSchedules}); err != nil {
					return err
				}
			}
			if i := slices.IndexFunc(solved.Outcomes, fits); i >= 0 {
				j.m.Find(KindOutcome, nil, "no schedule ends as the task asks: %s", strings.Join(solved.Outcomes[i].Ending.Texts(), ", "))
			}
		}
	}
	return nil
}

// inTask puts what is said about the lines of a script in terms of the task.
func inTask(text string) string {
	return strings.Replace(text, "an outcome that no line allows: ", "the script can end as the task does not allow: ", 1)
}

func (j *judge) races(ctx context.Context, rep *script.Report) {
	fixes := make([]*script.Fix, len(rep.Races))
	if !j.brief {
		fixes = script.Fixes(ctx, rep, script.Options{})
	}
	for i, r := range rep.Races {
		fix := ""
		if fixes[i] != nil {
			fix = fixes[i].String()
		}
		ranks := []int{r.A.Rank, r.B.Rank}
		slices.Sort(ranks)
		j.m.add(Finding{
			Kind: kindRace, Rule: r.Rule, Ranks: slices.Compact(ranks), Text: raceText(rep, r), Fix: fix,
			Lines: []string{fmt.Sprint("line ", r.A.Place.Line), fmt.Sprint("line ", r.B.Place.Line)},
		})
	}
}

// raceText describes a race by the lines of the script.
func raceText(rep *script.Report, r *consistency.RaceError) string {
	text := fmt.Sprintf("race on file %s, bytes %d to %d", r.File, r.Lo, r.Hi-1)
	for _, p := range []consistency.Party{r.A, r.B} {
		text += fmt.Sprintf("\n  line %-4d rank %d: %s", p.Place.Line, p.Rank, script.InWords(p.Op))
	}
	what, why := "missing", r.Lacks()
	if views, _ := r.Views(); views != "" {
		what, why = "views", views
	}
	return text + fmt.Sprintf("\n  %-9s %s", what, script.InWords(why))
}

func (j *judge) failures(rep *script.Report) {
	for _, f := range rep.Failures {
		kind := kindError
		if f.Class() == errclass.NotSame {
			kind = kindMismatch
		}
		j.m.add(Finding{Kind: kind, Rule: f.Rule(), Ranks: []int{f.Rank}, Lines: []string{fmt.Sprint("line ", f.Stmt.Line)}, Text: f.Text()})
	}
	if rep.Deadlock != nil {
		j.m.Find(kindDeadlock, nil, "%s", script.InWords(rep.Deadlock.Error()))
	}
	if rep.Err != nil {
		j.m.Find(kindError, nil, "%v", rep.Err)
	}
}

// fromFiles adds a finding for each required result that does not come from a file as it
// does in the solution.
func (j *judge) fromFiles(s *script.Script) {
	have := fileReads(s)
	for _, name := range slices.Sorted(maps.Keys(fileReads(j.given))) {
		if !have[name] {
			j.m.Find(KindRequests, nil, "no statement reads %s from the file", name)
		}
	}
}

// fileReads returns the results that come from files, as RANK:NAME.
func fileReads(s *script.Script) map[string]bool {
	all := map[string]bool{}
	for _, b := range s.Blocks {
		for _, st := range b.Stmts {
			if st.Into == "" || st.Handle == "" || st.Routine == "type_extent" {
				continue
			}
			for _, r := range b.Ranks {
				all[fmt.Sprintf("%d:%s", r, st.Into)] = true
			}
		}
	}
	return all
}

func (j *judge) conditions(ctx context.Context, s *script.Script) error {
	var run, given *script.Report
	for i := range j.e.conditions {
		c := &j.e.conditions[i]
		var err error
		if c.file != "" && run == nil {
			run, err = script.Run(ctx, s, script.Options{})
		}
		if c.writers && given == nil && err == nil {
			given, err = script.Run(ctx, j.given, script.Options{})
		}
		if err != nil {
			return err
		}
		if text := c.broke(s, run, given); text != "" {
			j.m.Find(KindRequests, nil, "%s", text)
		}
	}
	return nil
}

// sendsWait reports whether send and isend wait for their receive.
func (e *Exercise) sendsWait() bool {
	return slices.ContainsFunc(e.conditions, func(c condition) bool { return c.waits })
}

func lettersOnly(c rune) rune {
	if c >= '0' && c <= '9' {
		return -1
	}
	return c
}

// behaviour returns the outcomes, with only the results that the solution has, and the
// kinds of all findings.
func (j *judge) behaviour(rep *script.Report) string {
	var all []string
	wanted := map[string]bool{}
	for _, b := range j.given.Blocks {
		for _, st := range b.Stmts {
			for _, r := range b.Ranks {
				wanted[fmt.Sprintf("%d.%s", r, st.Into)] = true
			}
		}
	}
	for i := range rep.Outcomes {
		e := rep.Outcomes[i].Ending
		text := "ends"
		for _, v := range e.List() {
			if wanted[v.Name] {
				text += fmt.Sprintf(" %s=%s", v.Name, v.Text())
			}
		}
		for _, name := range slices.Sorted(maps.Keys(e.Files)) {
			text += fmt.Sprintf(" %s=%v", name, e.Files[name])
		}
		all = append(all, text)
	}
	for _, r := range rep.Races {
		_, why, _ := strings.Cut(r.Report(), "\n  missing ")
		why = strings.Join(strings.Fields(strings.Map(lettersOnly, why)), " ") // without lines and ranks
		all = append(all, fmt.Sprintf("race %s %s %s %s", r.Missing, r.A.Op, r.B.Op, why))
	}
	if rep.Deadlock != nil {
		for _, r := range rep.Deadlock.Ranks {
			all = append(all, fmt.Sprint("rank ", r.Rank, " waits in ", r.Why))
		}
	}
	for _, f := range j.m.Findings {
		switch f.Kind {
		case kindRace:
		case KindRequests:
			all = append(all, f.Text)
		default:
			all = append(all, fmt.Sprint(f.Kind, f.Ranks, strings.Map(lettersOnly, f.Text)))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "\n")
}

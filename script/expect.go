package script

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
)

// finish compares the results of the runs with the expectations of the script.
func (x *collector) finish() *Report {
	r := x.report
	for _, race := range x.races {
		r.Races = append(r.Races, race)
	}
	slices.SortFunc(r.Races, compareRaces)
	slices.SortStableFunc(r.Failures, func(a, b *Failure) int {
		return cmp.Or(cmp.Compare(a.Stmt.Line, b.Stmt.Line), cmp.Compare(a.Rank, b.Rank))
	})
	r.expectOutcomes()
	r.expectRaces()
	r.expectFailures()
	r.expectDeadlock()
	if r.Err != nil {
		r.unmet(0, "the run ended early: %v", r.Err)
	}
	return r
}

func compareRaces(a, b *consistency.RaceError) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.A.Place.Line, b.A.Place.Line),
		cmp.Compare(a.B.Place.Line, b.B.Place.Line), cmp.Compare(a.A.Rank, b.A.Rank),
		cmp.Compare(a.B.Rank, b.B.Rank), cmp.Compare(a.Missing, b.Missing))
}

func (r *Report) unmet(line int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.Unmet = append(r.Unmet, Unmet{Line: line, Text: text, Brief: text})
}

// unmetBrief adds an unmet expectation whose details are elsewhere in the report; brief
// leaves them out.
func (r *Report) unmetBrief(line int, brief, format string, args ...any) {
	r.Unmet = append(r.Unmet, Unmet{Line: line, Text: fmt.Sprintf(format, args...), Brief: brief})
}

// lines returns the expectations of a kind.
func (r *Report) lines(kind ExpectKind) []Expectation {
	return slices.DeleteFunc(slices.Clone(r.Script.Expect), func(e Expectation) bool { return e.Kind != kind })
}

// expectOutcomes checks every outcome against the allow lines and the standard. If all
// schedules were run, each outcome that is allowed must also have been seen.
func (r *Report) expectOutcomes() {
	allow := r.lines(Allow)
	for i := range r.Outcomes {
		seen := &r.Outcomes[i]
		fits := slices.ContainsFunc(allow, func(e Expectation) bool { return slices.ContainsFunc(e.Outcomes, seen.Ending.Fits) })
		if len(allow) > 0 && !fits {
			r.unmet(allow[0].Line, "an outcome that no line allows: %s", seen.Ending.shown(r.Script))
		}
		switch {
		case !seen.Judged:
			seen.Allowed = fits || len(allow) == 0
		case !seen.Allowed && len(r.Failures) == 0:
			r.unmet(0, "an outcome that the standard does not allow: %s", seen.Ending.shown(r.Script))
		}
	}
	if !r.Complete {
		return
	}
	for _, e := range allow {
		for _, o := range e.Outcomes {
			if !slices.ContainsFunc(r.Outcomes, func(s Seen) bool { return s.Ending.Fits(o) }) {
				r.unmet(e.Line, "allowed, but no schedule gives it: %v", o)
			}
		}
	}
}

func (r *Report) expectRaces() {
	expected, named := r.lines(Race), false
	for _, e := range expected {
		named = named || e.Missing != ""
		switch {
		case len(r.Races) == 0:
			r.unmet(e.Line, "no race was found")
		case !slices.ContainsFunc(r.Races, e.matches):
			r.unmet(e.Line, "no such race was found")
		}
	}
	for i, race := range r.Races {
		if named && !slices.ContainsFunc(expected, func(e Expectation) bool { return e.matches(race) }) {
			r.unmetBrief(expected[0].Line, fmt.Sprintf("race %d is not one of those that the script names", i+1), "there is another race: %v", race)
		}
	}
	for _, e := range r.lines(NoRace) {
		if len(r.Races) > 0 {
			r.unmetBrief(e.Line, "the script says norace", "there is a race: %v", r.Races[0])
		}
	}
}

func (r *Report) expectFailures() {
	expected := r.lines(Error)
	for _, e := range expected {
		if !slices.ContainsFunc(r.Failures, e.is) {
			r.unmet(e.Line, "the statement of rank %d on line %d did not fail so", e.Rank, e.At)
		}
	}
	for _, f := range r.Failures {
		if !r.Expected(f) {
			r.unmetBrief(0, "", "line %d fails on rank %d: %v", f.Stmt.Line, f.Rank, f.Err)
		}
	}
}

// Expected reports whether a line of the script expects f.
func (r *Report) Expected(f *Failure) bool {
	return slices.ContainsFunc(r.lines(Error), func(e Expectation) bool { return e.is(f) })
}

// matches reports whether a race is the one that the line expects.
func (e Expectation) matches(race *consistency.RaceError) bool {
	if e.Missing != "" && e.Missing != race.Missing || e.Rule != "" && e.Rule != race.Rule {
		return false
	}
	a, b := Site{race.A.Rank, race.A.Place.Line}, Site{race.B.Rank, race.B.Place.Line}
	return e.Sites == nil || slices.Equal(e.Sites, []Site{a, b}) || slices.Equal(e.Sites, []Site{b, a})
}

// is reports whether f is the failure that the line expects.
func (e Expectation) is(f *Failure) bool {
	return e.Rank == f.Rank && e.At == f.Stmt.Line && f.Class() == e.Class
}

// Class returns the class of the statement's error.
func (f *Failure) Class() errclass.Class {
	var e *errclass.Error
	if errors.As(f.Err, &e) {
		return e.Class
	}
	return errclass.Other
}

// Rule returns the rule that the statement broke, "" if unknown.
func (f *Failure) Rule() string {
	var e *errclass.Error
	if errors.As(f.Err, &e) {
		return e.Rule
	}
	return ""
}

func (r *Report) expectDeadlock() {
	expected := r.lines(Deadlock)
	switch {
	case r.Deadlock == nil && len(expected) > 0:
		r.unmet(expected[0].Line, "there was no deadlock")
	case r.Deadlock != nil && len(expected) == 0:
		r.unmetBrief(0, "", "%v", r.Deadlock)
	}
}

package world

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
)

// A Kind is the kind of a [Finding].
type Kind string

// Kinds of findings.
const (
	KindRace         Kind = "race"         // two accesses of a file that the standard does not order
	KindDeadlock     Kind = "deadlock"     // no rank can continue
	KindMismatch     Kind = "mismatch"     // ranks are in different collective calls, or gave different arguments
	KindLeak         Kind = "leak"         // a rank left something open at the end
	KindPanic        Kind = "panic"        // a rank panicked
	KindExit         Kind = "exit"         // a rank left by runtime.Goexit
	KindAbort        Kind = "abort"        // a rank called Abort
	KindCancelled    Kind = "cancelled"    // the context ended
	KindUncontrolled Kind = "uncontrolled" // the program depends on something besides its messages
	KindError        Kind = "error"        // a call broke a rule, or the program returned an error of its own
	KindIgnored      Kind = "ignored"      // a call returned an error that the program ignored
	KindLint         Kind = "lint"         // legal, but probably not what the program means
	KindValue        Kind = "bad value"    // a read found bytes that are not a value of its type
	KindUnchecked    Kind = "unchecked"    // an option of the program weakens the checks; see [CareVariable]
)

// A Finding is one mistake that a run has shown, with the ranks it concerns. It marshals to
// JSON with the names given here.
type Finding struct {
	Kind   Kind    `json:"kind"`
	Class  string  `json:"class,omitempty"`  // of the standard, such as MPI_ERR_TYPE
	Rule   string  `json:"rule,omitempty"`   // id of the rule, such as IO-VIEW-05
	Ranks  []int   `json:"ranks"`            // in the world, in order; empty: no particular rank
	Places []Place `json:"places"`           // lines of the program, each with the lines that led to it
	Text   string  `json:"text"`             // what happened, for people
	Fix    string  `json:"fix,omitempty"`    // what to do, if known separately from the text
	Replay string  `json:"replay,omitempty"` // the schedule with which [Replay] repeats it
	Err    error   `json:"-"`                // the typed error: a *[Error], *[DeadlockError], *consistency.RaceError, ...
}

// Findings returns the findings in an error of [Run], [Explore], [Strict] or of one call:
// each cause once, with all its ranks, however errors are nested or joined. Errors that
// only repeat another one's cause are left out. The list is empty if and only if err is
// nil.
func Findings(err error) []Finding {
	var l findings
	l.collect(err, around{})
	return l.all
}

// Findings returns the findings in the error of the run, and the lints.
func (r *Report) Findings() []Finding {
	if r == nil {
		return nil
	}
	var l findings
	l.collect(r.Err, around{})
	for i := range r.Lints {
		l.lint(&r.Lints[i], nil, around{}, r.Lints[i].Rank)
	}
	return l.all
}

// An around is the context that the wrapping errors give to an error.
type around struct {
	rank   int    // one more than the rank in the world; 0: unknown
	text   string // text of an error of the program that wraps this one; may be empty
	replay string
	leaked bool
}

type findings struct {
	all  []Finding
	keys []string // keys that findings of the same cause have in common
}

// collect adds the findings in err, and reports whether there were any.
func (l *findings) collect(err error, at around) bool {
	switch e := public(err).(type) {
	case nil:
		return false
	case *RunError:
		return l.run(e, at)
	case *RankError:
		at.rank = e.Rank + 1
		return l.collect(e.Err, at)
	case consistency.Races:
		for _, r := range e {
			l.race(r)
		}
		return len(e) > 0
	case *consistency.RaceError:
		l.race(e)
	case *DeadlockError:
		l.deadlock(e, at)
	case *PanicError:
		l.add(at.finding(KindPanic, err, "", e.Place))
	case *GoexitError:
		l.add(at.finding(KindExit, err, "", e.Place))
	case *AbortError:
		at.rank = e.Rank + 1
		l.add(at.finding(KindAbort, err, "WORLD-01", e.Place))
	case *UncontrolledError:
		at.rank = e.Rank + 1
		l.add(at.finding(KindUncontrolled, err, "", e.BeforeAt, e.NowAt))
	case *CarefulError:
		at.replay = e.Schedule
		found := false
		for _, x := range e.Unwrap() {
			found = l.collect(x, at) || found
		}
		return found
	case *LintError:
		l.lint(&e.Lint, e, at, e.Ranks...)
	case *IgnoredError:
		f := at.finding(KindIgnored, err, e.Err.Rule, e.Place)
		f.Class, f.Ranks = e.Err.Class.Name(), slices.Clone(e.Ranks)
		l.add(f)
	case *Error:
		return l.call(e, at)
	default:
		return l.other(err, at)
	}
	return true
}

// run adds the cause and the ranks' errors of a world.
func (l *findings) run(e *RunError, at around) bool {
	at.replay, at.leaked = e.Schedule, e.Left
	found := l.collect(e.Cause, at)
	for _, r := range e.Ranks {
		found = l.collect(r, at) || found
	}
	return found
}

func (l *findings) race(e *consistency.RaceError) {
	f := Finding{
		Kind: KindRace, Rule: e.Rule, Places: placesOf(e.A.Place, e.B.Place), Text: e.Report(), Fix: e.Fix, Replay: e.Replay, Err: e,
	}
	if f.Ranks = []int{e.A.Rank, e.B.Rank}; e.A.Rank == e.B.Rank {
		f.Ranks = f.Ranks[:1]
	}
	slices.Sort(f.Ranks)
	if e.Forgiven != "" {
		f.Kind = KindLint
	}
	l.add(f)
}

func (l *findings) deadlock(e *DeadlockError, at around) {
	f := at.finding(KindDeadlock, e, "")
	f.Ranks = nil
	for _, w := range e.Ranks {
		if !w.Ended {
			f.Ranks, f.Places = append(f.Ranks, w.Rank), withPlace(f.Places, w.Place)
		}
	}
	for _, w := range e.Ranks { // after the lines at which ranks wait
		if len(w.Unreceived) > 0 {
			f.Places = withPlace(f.Places, w.Unreceived[0].Place)
		}
	}
	l.add(f)
}

func (l *findings) lint(x *Lint, err error, at around, ranks ...int) {
	l.add(Finding{
		Kind: x.Kind(), Rule: x.Rule, Ranks: slices.Clone(ranks), Places: placesOf(x.At),
		Text: x.Op + " " + quoted(x.File) + ": " + x.Text, Replay: at.replay, Err: err,
	})
}

// call adds the error of a call. An error that only repeats the failure of another call, or
// the end of the world, is left out if the list has that one.
func (l *findings) call(e *Error, at around) bool {
	if repeatsEnd(e) {
		at.text = ""
		return l.collect(e.Err, at)
	}
	kind := KindError
	switch {
	case at.leaked:
		kind = KindLeak
	case e.Class == errclass.NotSame:
		kind = KindMismatch
	}
	f := at.finding(kind, e, e.Rule, e.Place)
	f.Class = e.Class.Name()
	if at.rank == 0 && e.Rank != errclass.NoRank {
		f.Ranks = []int{e.Rank}
	}
	f.Text = strings.Replace(f.Text, e.Error(), general(e).Error(), 1)
	if at.text == "" && e.Err != nil {
		l.put(f, causeOf(e))
	} else {
		l.add(f)
	}
	return true
}

// repeatsEnd reports whether e only repeats the cause for which the world ended.
func repeatsEnd(e *Error) bool {
	switch public(e.Err).(type) {
	case nil:
		return false
	case *RankError, *DeadlockError, *AbortError, *UncontrolledError:
		return e.Class == errclass.ProcAborted || e.Class == errclass.Other && e.Rule == ""
	}
	return e.Class == errclass.ProcAborted
}

// other adds an error of another type: the errors that it joins or wraps, with its text
// around them, or the error itself.
func (l *findings) other(err error, at around) bool {
	all := parts(err)
	if len(all) > 1 || all[0].err != err {
		found := false
		for _, p := range all {
			inner := at
			if inner.text == "" && p.words() {
				inner.text = p.text(p.err.Error())
			}
			found = l.collect(p.err, inner) || found
		}
		return found
	}
	if x, ok := err.(interface{ Unwrap() []error }); ok {
		found := false
		for _, next := range x.Unwrap() {
			if typed(next) {
				found = l.collect(next, at) || found
			}
		}
		if found {
			return true
		}
	}
	kind := KindError
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		kind = KindCancelled
	}
	l.add(at.finding(kind, err, ""))
	return true
}

// ours reports whether err is an error with its own kind.
func ours(err error) bool {
	switch public(err).(type) {
	case *RunError, *RankError, consistency.Races, *consistency.RaceError, *DeadlockError, *PanicError, *GoexitError,
		*AbortError, *UncontrolledError, *CarefulError, *LintError, *IgnoredError, *Error:
		return true
	}
	return false
}

// typed reports whether err contains an error with its own kind.
func typed(err error) bool {
	if ours(err) {
		return true
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		return typed(x.Unwrap())
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(x.Unwrap(), typed)
	}
	return false
}

// finding returns a finding for err, with the fields that all kinds have.
func (c around) finding(kind Kind, err error, rule string, at ...Place) Finding {
	f := Finding{Kind: kind, Rule: rule, Places: placesOf(at...), Text: c.text, Replay: c.replay, Err: err}
	if f.Text == "" {
		f.Text = err.Error()
	}
	if c.rank > 0 {
		f.Ranks = []int{c.rank - 1}
	}
	return f
}

// add adds f to the list, or adds its ranks and places to an equal finding.
func (l *findings) add(f Finding) { l.put(f, f.Text) }

func (l *findings) put(f Finding, key string) {
	if f.Ranks == nil {
		f.Ranks = []int{}
	}
	if f.Places == nil {
		f.Places = []Place{}
	}
	for i := range l.all {
		g := &l.all[i]
		if g.Kind == f.Kind && g.Rule == f.Rule && l.keys[i] == key {
			g.Ranks = append(g.Ranks, f.Ranks...)
			slices.Sort(g.Ranks)
			g.Ranks = slices.Compact(g.Ranks)
			for _, p := range f.Places {
				g.Places = withPlace(g.Places, p)
			}
			return
		}
	}
	l.all, l.keys = append(l.all, f), append(l.keys, key)
}

func placesOf(at ...Place) (known []Place) {
	for _, p := range at {
		known = withPlace(known, p)
	}
	return known
}

// withPlace adds p to the list if it is known and not in the list.
func withPlace(list []Place, p Place) []Place {
	if p.IsZero() || slices.ContainsFunc(list, func(q Place) bool { return q.Chain() == p.Chain() && q.File == p.File }) {
		return list
	}
	return append(list, p)
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `\"`) + `"` }

// joined is several errors of a run.
type joined struct{ errs []error }

// join is errors.Join with a result that marshals to JSON. Nil errors are left out.
func join(errs ...error) error {
	var all []error
	for _, err := range errs {
		if more, ok := err.(*joined); ok {
			all = append(all, more.errs...)
		} else if err != nil {
			all = append(all, err)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return &joined{all}
}

// Error returns the errors, each on separate lines.
func (j *joined) Error() string {
	lines := make([]string, len(j.errs))
	for i, err := range j.errs {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors.
func (j *joined) Unwrap() []error { return j.errs }

// MarshalJSON writes the text and the findings.
func (j *joined) MarshalJSON() ([]byte, error) { return marshal(j, "") }

// MarshalJSON writes the text, the findings (see [Findings]) and the schedule.
func (e *RunError) MarshalJSON() ([]byte, error) { return marshal(e, e.Schedule) }

// MarshalJSON writes the text, the findings (see [Findings]) and the schedule.
func (e *CarefulError) MarshalJSON() ([]byte, error) { return marshal(e, e.Schedule) }

// MarshalJSON writes the text and the finding.
func (e *LintError) MarshalJSON() ([]byte, error) { return marshal(e, "") }

// MarshalJSON writes the text and the finding.
func (e *IgnoredError) MarshalJSON() ([]byte, error) { return marshal(e, "") }

func marshal(err error, replay string) ([]byte, error) {
	return json.Marshal(struct {
		Text     string    `json:"text"`
		Findings []Finding `json:"findings"`
		Replay   string    `json:"replay,omitempty"`
	}{err.Error(), Findings(err), replay})
}

// MarshalJSON writes the outcome with its findings. A value that cannot be marshalled is
// written as its text.
func (o Outcome) MarshalJSON() ([]byte, error) {
	f := struct {
		Value     any       `json:"value"`
		Err       any       `json:"error"`
		Findings  []Finding `json:"findings"`
		Schedules int       `json:"schedules"`
		Witness   string    `json:"witness"`
	}{sched.AnyInJSON(o.Value), sched.InJSON(o.Err), Findings(o.Err), o.Schedules, o.Witness}
	if f.Findings == nil {
		f.Findings = []Finding{}
	}
	return json.Marshal(f)
}

// MarshalJSON writes the exploration with all outcomes.
func (x *Exploration) MarshalJSON() ([]byte, error) {
	f := struct {
		Outcomes  []Outcome `json:"outcomes"`
		Schedules int       `json:"schedules"`
		Redundant int       `json:"redundant"`
		Complete  bool      `json:"complete"`
		Stopped   string    `json:"stopped,omitempty"`
	}{x.Outcomes, x.Schedules, x.Redundant, x.Complete, ""}
	if f.Outcomes == nil {
		f.Outcomes = []Outcome{}
	}
	if x.Stopped != nil {
		f.Stopped = x.Stopped.Error()
	}
	return json.Marshal(f)
}

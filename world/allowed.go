package world

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/show/plain"
)

// A Judgement compares, for one file, the results of reads that the standard allows with
// those found in the runs of an exploration. Values are named by rank and line, as in
// "1.main.go:40"; a line that reads again has "#2", and so on.
type Judgement struct {
	File string

	// Allowed are the outcomes that the standard allows for the order of each run. Question
	// marks stand for bytes that a race makes undefined.
	Allowed consistency.Outcomes

	// Found are the results of reads in the runs. The final content of files is not
	// included.
	Found consistency.Outcomes

	// Forbidden are those of Found that the standard does not allow. There are none unless
	// this module has a bug.
	Forbidden consistency.Outcomes
}

// Missing returns the outcomes that the standard allows but that no run has shown: the
// program must expect them from other implementations.
func (j *Judgement) Missing() (list consistency.Outcomes) {
	for _, a := range j.Allowed {
		if !slices.ContainsFunc(j.Found, consistency.Outcomes{a}.Allows) {
			list = append(list, a)
		}
	}
	return list
}

// String lists the allowed outcomes, one on a line, and marks those that no run has shown.
func (j *Judgement) String() string {
	text := fmt.Sprintf("file %q: the standard allows %s", j.File, plain.Count(len(j.Allowed), "outcome"))
	missing := j.Missing()
	for _, a := range j.Allowed {
		text += "\n  " + a.String()
		if slices.ContainsFunc(missing, func(m consistency.Outcome) bool { return m.String() == a.String() }) {
			text += "   (in no run)"
		}
	}
	for _, f := range j.Forbidden {
		text += "\n  forbidden, and found: " + f.String()
	}
	return text
}

// Allowed compares the runs of an exploration with the standard: for each file, in the order
// in which the first run opened them, the possible results of its reads. It uses the runs
// that ended without errors or only with races. Errors: Explore was called without [Check]([Results]);
// the calls cannot be compared, because of accesses through views that convert, accesses
// that failed, or a model that shows more than the standard requires; and those of
// [consistency.Allowed], which handles up to 64 accesses to a file.
func (x *Exploration) Allowed() ([]Judgement, error) {
	if x == nil || x.judged == nil {
		return nil, errors.New("world: Allowed: nothing was kept of the runs; give Explore the option world.Check(world.Results)")
	}
	var all []Judgement
	for _, h := range x.judged.list {
		if h.why != nil {
			return nil, fmt.Errorf("world: Allowed: %w", h.why)
		}
		i := slices.IndexFunc(all, func(j Judgement) bool { return j.File == h.file })
		if i < 0 {
			i = len(all)
			all = append(all, Judgement{File: h.file})
		}
		if err := all[i].take(h); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// take adds what a history allows, and the results of the runs that had it.
func (j *Judgement) take(h *history) error {
	allowed, err := consistency.Allowed(h.History)
	if err != nil {
		return err
	}
	for _, a := range allowed {
		j.Allowed = with(j.Allowed, a)
	}
	for _, f := range h.found {
		j.Found = with(j.Found, f)
		if !allowed.Allows(f) {
			j.Forbidden = with(j.Forbidden, f)
		}
	}
	return nil
}

// with adds an outcome if the list does not contain it.
func with(list consistency.Outcomes, o consistency.Outcome) consistency.Outcomes {
	if slices.ContainsFunc(list, func(x consistency.Outcome) bool { return x.String() == o.String() }) {
		return list
	}
	return append(list, o)
}

// A judged holds the different histories of the runs.
type judged struct {
	known map[string]*history
	list  []*history
}

// A history has the steps of ranks on one file in some runs, in one order, and the results
// of their reads.
type history struct {
	file string
	consistency.History
	found []consistency.Outcome
	why   error // why it cannot be judged, or nil
}

// add adds a run that ended with err.
func (j *judged) add(s *sched.Sched, err error, rec *journal.Recorder) {
	if _, races := onlyRaces(err); s.Cause() != nil || err != nil && !races {
		return
	}
	for _, x := range rec.Recordings() {
		h := &history{file: x.Name, History: x.History(), why: x.Why}
		key := fmt.Sprint(h.file, h.why, h.History)
		if j.known[key] == nil {
			j.known[key] = h
			j.list = append(j.list, h)
		}
		h = j.known[key]
		h.found = with(h.found, consistency.Outcome{Vars: x.Values})
	}
}

// recorded returns body with a recorder for each rank.
func recorded(body func(context.Context, *comm.Comm) error, rec *journal.Recorder) func(context.Context, *comm.Comm) error {
	return func(ctx context.Context, c *comm.Comm) error {
		port.Keep(c, journal.RecorderKey{}, rec)
		return body(ctx, c)
	}
}

package script

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/world"
)

// witness returns the witness of a single run.
func (o *Options) witness() string {
	if o.Replay != "" {
		return o.Replay
	}
	return fmt.Sprintf("random:%d", o.Seed)
}

// A collector combines the results of the runs of a script.
type collector struct {
	opts   Options
	plan   plan
	poison int
	quotes map[string]bool
	forms  map[string]fileForm
	report *Report
	races  map[raceKey]*consistency.RaceError
	facts  map[int]consistency.Known // of the calls in races, by their lines
	failed map[failureKey]bool
	known  map[string]int // outcomes by their keys
	kept   map[string]bool
	bytes  int64 // in kept

	verdicts map[string]verdict // by outcome, if every run has the same history; else nil
}

type verdict struct{ allowed, judged bool }

type raceKey struct {
	file         string
	aRank, bRank int
	aLine, bLine int
}

type failureKey struct {
	rank, line int
	text       string
}

func newCollector(s *Script, o Options) *collector {
	x := &collector{
		opts: o, plan: newPlan(s), report: &Report{Script: s},
		races: map[raceKey]*consistency.RaceError{}, failed: map[failureKey]bool{}, known: map[string]int{},
	}
	x.poison, x.quotes = x.plan.poisonOf(s), s.quotes()
	x.forms = s.fileForms()
	if s.isFixed() {
		x.verdicts = map[string]verdict{}
	}
	return x
}

// isFixed reports whether every run of a script does the same, because none of its messages,
// tests or pointers depends on the order of ranks.
func (s *Script) isFixed() bool {
	for _, b := range s.Blocks {
		for _, c := range b.Stmts {
			at := strings.Contains(c.Routine, "_at")
			switch {
			case c.Routine == "look": // changes nothing
			case c.Want != nil && c.Handle != "" && !at, c.Data != nil && c.Handle != "" && !at,
				c.Peer == comm.AnySource, c.Routine == "test", c.Routine == "delete":
				return false
			}
		}
	}
	return true
}

// files returns the options of the store of one run.
func (x *collector) files() []iofile.Option {
	model := x.opts.Model
	if x.poison != noPoison {
		model = model.WithPoison(byte(x.poison))
	}
	return []iofile.Option{iofile.WithModel(model), iofile.WithTracking(iofile.Provenance), iofile.WithCapacity(MaxMemory)}
}

// run prepares one run: its ranks and its store.
func (x *collector) run() (*run, error) {
	r, err := newRun(x.report.Script, x.plan, x.files()...)
	if err == nil {
		r.model, r.how, r.poison, r.zero, r.quotes, r.forms = x.opts.Model, x.opts.Open, x.poison, x.opts.Model.Poison(1) == 0, x.quotes, x.forms
		r.most = x.opts.MaxBytes
	}
	return r, err
}

// drop frees the memory of a run's files.
func (r *run) drop(e *Ending) {
	for name := range e.Files {
		_ = iofile.Delete(r.fsys, name) // files with other names disappear with the store
	}
}

// ended records how the world of a run ended; witness repeats that run.
func (x *collector) ended(err error, witness string) {
	for _, race := range racesIn(err) {
		a, b := &race.A, &race.B // other schedules may have them the other way round
		if cmp.Or(cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Rank, b.Rank)) > 0 {
			a, b = b, a
		}
		k := raceKey{race.File, a.Rank, b.Rank, a.Place.Line, b.Place.Line}
		if x.races[k] == nil {
			report := *race
			for _, p := range []*consistency.Party{&report.A, &report.B} {
				facts, ok := x.facts[p.Place.Line]
				if !ok {
					facts = x.report.Script.factsOf(p.Place.Line)
					put(&x.facts, p.Place.Line, facts)
				}
				p.Repeated, p.ByAll, p.Updates = facts.Repeated, facts.ByAll, facts.Updates
			}
			report.Replay = witness
			x.races[k] = &report
		}
	}
	var stuck *world.DeadlockError
	switch {
	case errors.As(err, &stuck):
		if x.report.Deadlock == nil {
			x.report.Deadlock, x.report.Stuck = stuck, witness
		}
	case err != nil:
		x.report.Err = cmp.Or(x.report.Err, worldFailure(err))
	}
}

// recordFailures records the statements that failed in a run.
func (x *collector) recordFailures(r *run) {
	if r.broken() {
		return
	}
	for _, k := range r.ranks {
		for _, f := range slices.Concat(k.failures, r.unclosed(k)) {
			key := failureKey{f.Rank, f.Stmt.Line, f.Err.Error()}
			if !x.failed[key] {
				x.failed[key] = true
				x.report.Failures = append(x.report.Failures, f)
			}
		}
	}
}

// broken reports whether an exploration does not count the run.
func (r *run) broken() bool {
	c := r.ranks[0].comm
	return c != nil && port.Thread(c).Sched().Broken()
}

// unclosed returns an error for each handle that a rank has left open. If a rank could
// not run to its end, it returns nothing: that rank's error explains the open handles.
func (r *run) unclosed(k *rank) (all []*Failure) {
	if slices.ContainsFunc(r.ranks, func(k *rank) bool { return !k.ended }) {
		return nil
	}
	for _, s := range k.unclosed {
		all = append(all, &Failure{k.id, s, &unclosedError{k.id, s}})
	}
	return all
}

// racesIn returns all races in an error.
func racesIn(err error) []*consistency.RaceError {
	var found []*consistency.RaceError
	walk(err, func(err error) bool {
		race, ok := err.(*consistency.RaceError)
		if ok {
			found = append(found, race)
		}
		return !ok
	})
	return found
}

// walk calls f for err and, while f returns true, for the errors that it wraps.
func walk(err error, f func(error) bool) {
	if err == nil || !f(err) {
		return
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		walk(e.Unwrap(), f)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			walk(err, f)
		}
	}
}

// worldFailure returns the part of a world's error that a script cannot intend: not its
// races, and not the files and requests left open.
func worldFailure(err error) error {
	var run *world.RunError
	if errors.As(err, &run) && run.Cause != nil {
		return run.Cause
	}
	var panicked *world.PanicError
	if errors.As(err, &panicked) {
		return panicked
	}
	return nil
}

// seen returns the outcome of one run.
func (x *collector) seen(r *run, witness string, schedules int) (Seen, error) {
	e := &Ending{}
	for _, k := range r.ranks {
		e.Results = append(e.Results, k.results)
	}
	var err error
	if e.Files, err = r.contents(x.opts.MaxBytes); err != nil {
		return Seen{}, err
	}
	s := Seen{Ending: e, Schedules: schedules, Witness: witness, text: e.Text(r.s)}
	if v, ok := x.verdicts[s.text]; ok {
		s.Allowed, s.Judged = v.allowed, v.judged
		return s, nil
	}
	s.Allowed, s.Judged = r.judge(e)
	if x.verdicts != nil {
		x.verdicts[s.text] = verdict{s.Allowed, s.Judged}
	}
	return s, nil
}

// count adds an outcome of an exploration, or merges it with one that differs only in the
// races found.
func (x *collector) count(seen *Seen, out world.Outcome) {
	i, known := x.known[seen.text]
	if !known {
		i = len(x.report.Outcomes)
		x.known[seen.text] = i
		seen.Witness, seen.switches = out.Witness, out.Switches
		x.report.Outcomes = append(x.report.Outcomes, *seen)
	}
	o := &x.report.Outcomes[i]
	if o.Schedules += out.Schedules; out.Switches < o.switches {
		o.Witness, o.switches = out.Witness, out.Switches
	}
}

// keep counts an outcome that an exploration keeps. It returns the reason to stop the
// exploration, nil if it may go on.
func (x *collector) keep(seen *Seen) error {
	if x.opts.MaxBytes == 0 || x.kept[seen.text] {
		return nil
	}
	put(&x.kept, seen.text, true)
	if x.bytes += int64(len(seen.text)); x.bytes > x.opts.MaxBytes {
		return fmt.Errorf("the outcomes have more than %d bytes together", x.opts.MaxBytes)
	}
	return nil
}

// mostJudged is the size of the largest file whose bytes are judged one by one.
const mostJudged = 64 << 10

// judge reports whether the standard allows an ending. judged is false if the judge cannot
// handle the program.
func (r *run) judge(e *Ending) (allowed, judged bool) {
	for _, c := range e.Files {
		if len(c.Bytes) > mostJudged {
			return false, false
		}
	}
	all, err := r.histories()
	if err != nil {
		return false, false
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		o, err := r.observed(name, e)
		if err != nil {
			return false, false
		}
		ok, err := consistency.Explains(all[name], o)
		if err != nil {
			return false, false
		}
		if !ok {
			return false, true
		}
	}
	return true, true
}

// hexOf returns the bytes that a read found in its file, in hexadecimal; ".." is a byte
// that no rank wrote, "??" one that is not known.
func (r *run) hexOf(res Result) string {
	text := []byte(hex.EncodeToString(res.InFile))
	for i, b := range res.InFile {
		switch {
		case res.truths != nil && res.truths[i]:
			text[2*i], text[2*i+1] = '?', '?'
		case res.Blank != nil && int(b) == r.poison:
			text[2*i], text[2*i+1] = '.', '.'
		}
	}
	return string(text)
}

// observed returns the results of reads of one file, and its content at the end.
func (r *run) observed(file string, e *Ending) (consistency.Outcome, error) {
	o := consistency.Outcome{Vars: map[string]string{}, File: hex.EncodeToString(e.Files[file].Bytes)}
	for i, k := range r.ranks {
		for name, res := range k.results {
			if k.history.handles[res.Stmt.Handle].file != file {
				continue
			}
			key := fmt.Sprintf("%d.%s", i, name)
			switch {
			case res.InFile != nil:
				o.Vars[key] = r.hexOf(res) + strings.Repeat("??", int(res.cut))
			case res.Stmt.Routine == "get_size":
				o.Vars[key] = fmt.Sprint(res.Number)
			}
		}
	}
	return o, nil
}

package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/script"
)

// longest holds the longest times that parts of an answer may take: exploring, exploring under
// one model and under all of them, and the search for fixes.
var longest = struct{ exploring, model, models, fixing time.Duration }{3 * time.Second, time.Second, 6 * time.Second, 2 * time.Second}

// exploreFor explores a script for a limited time. If that ends, the report has what was
// found so far, and says so: at least one run, unless ctx ends, too.
func exploreFor(ctx context.Context, d time.Duration, s *script.Script, o script.Options) (*script.Report, error) {
	short, stop := context.WithTimeoutCause(ctx, d, errMore)
	defer stop()
	o.Reasons = true
	o.Before = pausing(ctx)
	rep, err := script.Explore(short, s, o)
	late := context.Cause(short) == errMore
	if late && err != nil { // no run has come to its end
		rep, err = script.Run(ctx, s, o)
	}
	if late && err == nil && !rep.Complete {
		rep.Stopped = errMore
	}
	return rep, err
}

type pauseKey struct{}

// WithPause makes explorations call pause every few milliseconds, between two runs. A program
// with one thread, such as a page's worker, lets others run there, and so learns that an
// answer is not wanted any more.
func WithPause(ctx context.Context, pause func()) context.Context {
	return context.WithValue(ctx, pauseKey{}, pause)
}

// pausing returns a function for script.Options.Before, nil without [WithPause].
func pausing(ctx context.Context) func() {
	pause, ok := ctx.Value(pauseKey{}).(func())
	if !ok {
		return nil
	}
	last := time.Now()
	return func() {
		if time.Since(last) > 20*time.Millisecond {
			pause()
			last = time.Now()
		}
	}
}

var errMore = errors.New("there are more schedules than the page tries; make the program smaller, or use commworld run --explore")

// pageWide is the width, in pixels, of the page's pictures where its window has 1400.
const pageWide = 840

// A runAnswer is one run of a script.
type runAnswer struct {
	Witness   string     `json:"witness"` // the schedule; as Request.Replay it repeats the run
	SpaceTime string     `json:"space_time"`
	Words     string     `json:"words"` // the diagram in words
	Ranks     int        `json:"ranks"`
	Steps     []stepLine `json:"steps"`
	*Result              // its races have no fixes: "explore" looks for them
	Text      string     `json:"text"` // how it ended, for people
}

// A stepLine is one step of a run: a statement of one rank, or one collective call.
type stepLine struct {
	Text  string     `json:"text"` // ranks, lines and statements
	Calls []stepCall `json:"calls"`
}

// A stepCall is the statement of one rank in a step.
type stepCall struct {
	Rank  int    `json:"rank"`
	Line  int    `json:"line"`
	Error string `json:"error,omitempty"`
}

// run runs a script under one schedule.
func run(ctx context.Context, q *Request) (any, error) {
	s, o, err := q.program()
	if err != nil {
		return nil, err
	}
	rep, err := script.Run(ctx, s, o)
	if err != nil {
		return nil, err
	}
	d := spaceTime(rep)
	d.Wide = pageWide
	d.Title = fmt.Sprint(plain.Count(s.Ranks, "rank"), ", ", o.Model)
	drawing := d.Draw()
	a := &runAnswer{
		Witness: witnessOf(o), SpaceTime: drawing.Fragment(), Words: drawing.Description(), Ranks: s.Ranks, Steps: []stepLine{},
		Result: NewResult(rep, nil), Text: endOf(rep),
	}
	for _, stage := range rep.Stages() {
		a.Steps = append(a.Steps, stepOf(stage))
	}
	return a, nil
}

func stepOf(stage script.Stage) stepLine {
	line := stepLine{Text: stage.String()}
	for _, e := range stage.Events {
		c := stepCall{Rank: e.Rank, Line: e.Stmt.Line}
		c.Error = e.ErrorText()
		line.Calls = append(line.Calls, c)
	}
	return line
}

func witnessOf(o script.Options) string {
	if o.Replay != "" {
		return o.Replay
	}
	return "random:0"
}

// endOf returns a sentence about the end of a run.
func endOf(rep *script.Report) string {
	switch {
	case rep.Deadlock != nil:
		return script.InWords(rep.Deadlock.Error())
	case rep.Err != nil:
		return rep.Err.Error()
	case len(rep.Failures) > 0:
		return plain.Count(len(rep.Failures), "statement") + " failed"
	case len(rep.Races) > 0:
		return consistency.Races(rep.Races).Summary()
	}
	return "no errors, no races"
}

// A stepAnswer has the bytes that each rank sees after some steps of a run.
type stepAnswer struct {
	Step  int       `json:"step"`
	Of    int       `json:"of"`
	Now   *stepLine `json:"now"` // the step that was made last
	Board []panelOf `json:"board"`

	Exchange      string `json:"exchange,omitempty"` // a drawing of a collective access in two phases
	ExchangeWords string `json:"exchange_words,omitempty"`

	Files []fileState `json:"files"`
}

type fileState struct {
	Name    string        `json:"name"`
	Drawing string        `json:"drawing"`
	Words   string        `json:"words"`
	Handles []handleState `json:"handles"`

	Compared *comparison `json:"compared,omitempty"`
}

// A handleState has the bytes that one rank may read through a handle.
type handleState struct {
	Rank        int        `json:"rank"`
	Handle      string     `json:"handle"`
	Atomic      bool       `json:"atomic"`
	Version     int64      `json:"version"`     // of the file, that the handle sees; -1: each new one at once
	Newest      int64      `json:"newest"`      // version of the file
	Unpublished [][2]int64 `json:"unpublished"` // bytes, from the first up to, not including, the second
	May         []Readable `json:"may"`
	Unknown     string     `json:"unknown,omitempty"`
}

// step runs a script under one schedule and shows the state after some steps.
func step(ctx context.Context, q *Request) (any, error) {
	s, o, err := q.program()
	if err != nil {
		return nil, err
	}
	o.Moments = true
	made := &madePlans{}
	o.Open = append(o.Open, made.option())
	rep, err := script.Run(ctx, s, o)
	if err != nil {
		return nil, err
	}
	stages := rep.Stages()
	n := len(stages)
	if q.Step < 0 || q.Step > n {
		return nil, &fieldError{"step", fmt.Errorf("step %d: this run has steps 0 to %d", q.Step, n)}
	}
	b, err := newBoard(ctx, rep, stages, q.Step)
	if err != nil {
		return nil, err
	}
	m := b.moment
	a := &stepAnswer{Step: q.Step, Of: n, Board: b.panels(), Files: []fileState{}}
	if q.Step > 0 {
		now := stepOf(b.now)
		a.Now = &now
		if x := accessOf(b.now); x != nil {
			if p := made.planned(x); p != nil {
				d := exchangeOf(p, s.Ranks)
				a.Exchange, a.ExchangeWords = d.Fragment(), d.Description()
			}
		}
	}
	for _, on := range b.files {
		name, handles := on.name, on.handles
		d := stripOf(m, name, handles).Draw()
		f := fileState{Name: name, Drawing: d.Fragment(), Words: d.Description(), Handles: []handleState{}}
		for _, h := range handles {
			f.Handles = append(f.Handles, stateOf(h))
		}
		if q.Compare {
			if f.Compared, err = compare(ctx, m, name, handles); err != nil {
				return nil, err
			}
		}
		a.Files = append(a.Files, f)
	}
	return a, nil
}

func stateOf(h *script.HandleMoment) handleState {
	s := handleState{Rank: h.Rank, Handle: h.Handle, Atomic: h.Atomic, Version: h.Version, Newest: h.Newest, Unpublished: [][2]int64{}, May: []Readable{}, Unknown: h.Unknown}
	for _, w := range h.Unpublished {
		s.Unpublished = append(s.Unpublished, [2]int64{w.Lo, w.Hi})
	}
	for _, r := range h.May {
		s.May = append(s.May, mayOf(r))
	}
	return s
}

// An exploreAnswer has all possible results of a script.
type exploreAnswer struct {
	*Result
	Verdict string   `json:"verdict"`
	Cards   []string `json:"cards"` // of each race: the missing call, for people
	Mixing  []int    `json:"mixing"`
}

// explore runs a script under every schedule that makes a difference.
func explore(ctx context.Context, q *Request) (any, error) {
	s, o, err := q.program()
	if err != nil {
		return nil, err
	}
	rep, err := exploreFor(ctx, longest.exploring, s, o)
	if err != nil {
		return nil, err
	}
	o.Before = pausing(ctx)
	search, stop := context.WithTimeoutCause(ctx, longest.fixing, errNoFix)
	defer stop()
	a := &exploreAnswer{Result: NewResult(rep, script.Fixes(search, rep, o)), Cards: []string{}, Mixing: []int{}, Verdict: verdictOf(rep)}
	for _, r := range rep.Races {
		a.Cards = append(a.Cards, lacksOf(r))
	}
	for _, i := range rep.Mixing() {
		a.Mixing = append(a.Mixing, i+1)
	}
	return a, nil
}

func lacksOf(r *consistency.RaceError) string {
	if views, _ := r.Views(); views != "" {
		return views
	}
	return script.InWords(r.Lacks())
}

// verdictOf returns a sentence that says whether the script met its expectations.
func verdictOf(rep *script.Report) string {
	switch {
	case !rep.OK():
		var first string
		if u := rep.Unmet[0]; u.Text != "" {
			first = ": " + u.Text
		}
		return "not as the script expects" + first
	case rep.Unannounced():
		return consistency.Races(rep.Races).Summary()
	case len(rep.Script.Expect) == 0:
		return "no errors, no races"
	}
	return "as the script expects"
}

// A fixAnswer is a script without its races.
type fixAnswer struct {
	Script string   `json:"script"`
	Fixes  []string `json:"fixes"`
}

// fix repairs a script.
func fix(ctx context.Context, q *Request) (any, error) { return fixFor(ctx, longest.exploring, q) }

// fixFor is fix with at most d for the search.
func fixFor(ctx context.Context, d time.Duration, q *Request) (any, error) {
	s, o, err := q.program()
	if err != nil {
		return nil, err
	}
	o.Replay = ""
	rep, err := exploreFor(ctx, longest.exploring, s, o)
	if err != nil {
		return nil, err
	}
	if len(rep.Races) == 0 {
		return nil, errors.New("the script has no race: there is nothing to fix")
	}
	o.Before = pausing(ctx)
	search, stop := context.WithTimeoutCause(ctx, d, errNoFix)
	defer stop()
	fixed, err := script.Repair(search, rep, o)
	if err != nil {
		return nil, err
	}
	a := &fixAnswer{Script: fixed.Text, Fixes: []string{}}
	for _, f := range fixed.Fixes {
		if text := f.First(); !slices.Contains(a.Fixes, text) {
			a.Fixes = append(a.Fixes, text)
		}
	}
	return a, nil
}

var errNoFix = errors.New("no change was shown to work under all schedules in the time that the page has; make the program smaller, or use commworld run --fix")

// A tokenAnswer explains the word at a place of a script, for its editor.
type tokenAnswer struct {
	About   string   `json:"about"` // a sentence
	Form    string   `json:"form"`  // of the statement, with its arguments
	Options []string `json:"options"`
	Typed   int      `json:"typed"` // letters of the options that are there already
}

// token explains the word at a place of a script, which need not be a whole one.
func token(_ context.Context, q *Request) (any, error) {
	t := script.TokenAt(q.Script, q.Line, q.Column)
	a := &tokenAnswer{About: t.About, Form: t.Form, Options: NotNil(t.Options), Typed: t.Typed}
	if len(a.Options) > mostOptions {
		a.Options = a.Options[:mostOptions]
	}
	return a, nil
}

// mostOptions bounds the completions of a word: of more, further letters leave some.
const mostOptions = 12

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/show/child"
	"github.com/commworld/commworld/internal/show/outputs"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/world"
)

// checkScript checks a script with each number of ranks that it allows.
func (c *checkCommand) checkScript(outer context.Context, all *checked, stderr io.Writer) (int, error) {
	if len(c.Args) > 0 {
		return 0, errors.New("a script takes no arguments")
	}
	numbers := c.Ranks
	if len(numbers) == 0 {
		numbers = []int{0}
	}
	text, shown, err := scriptText(outer, c.Target)
	if err != nil {
		return exitUsage, err
	}
	own := parseScript(text, shown, stderr)
	if own == nil {
		return exitUsage, nil
	}
	for i, n := range numbers {
		all.doing("number of ranks %d of %d", i+1, len(numbers))
		s := own
		r := &checkRun{CheckRun: outputs.CheckRun{Ranks: []int{s.Ranks}, Asked: s.Ranks, Worlds: 1}}
		all.Runs = append(all.Runs, r)
		if n != 0 && n != s.Ranks {
			r.Ranks = []int{n}
			s, err = withRanks(own, text, n)
			if err != nil {
				r.Worlds = 0
				r.Notes = append(r.Notes, "not run: "+err.Error())
				continue
			}
			if len(s.Expect) < len(own.Expect) {
				r.Notes = append(r.Notes, "without the script's allow lines")
			}
		}
		if err := setMarkers(s, c.Markers); err != nil {
			return exitUsage, err
		}
		ctx, stop := context.WithTimeoutCause(outer, c.Timeout, child.ErrTimeout)
		run, err := bounded(c.Timeout, func() (*scriptRun, error) { return c.scriptFindings(ctx, s) })
		stop()
		if err != nil {
			return exitUsage, err
		}
		r.Notes = append(r.Notes, run.notes...)
		all.add(s.Ranks, named(run.found, s.Name, filepath.ToSlash(filepath.Clean(c.Target))))
		if outer.Err() != nil {
			break
		}
	}
	return 0, nil
}

// named returns findings whose texts and places name the script as the user did, with its
// folder.
func named(found []world.Finding, base, name string) []world.Finding {
	for i := range found {
		f := &found[i]
		for k := range f.Places {
			if f.Places[k].File == base {
				f.Places[k].File = name
			}
		}
		f.Text = strings.ReplaceAll(f.Text, base+":", name+":")
		f.Fix = strings.ReplaceAll(f.Fix, base+":", name+":")
	}
	return found
}

// withRanks returns a script with another number of ranks, or the reason why that is
// impossible.
func withRanks(own *script.Script, text string, n int) (*script.Script, error) {
	for _, e := range own.Expect {
		if e.Kind == script.Race || e.Kind == script.Error || e.Kind == script.Deadlock {
			return nil, fmt.Errorf("line %d expects a race, an error or a deadlock, which means the script's own %s", e.Line, plain.Count(own.Ranks, "rank"))
		}
	}
	s, err := script.ParseRanks(text, n)
	var wrong *script.SyntaxError
	if errors.As(err, &wrong) {
		return nil, fmt.Errorf("line %d: %w", wrong.Line, wrong.Err)
	}
	if err != nil {
		return nil, err
	}
	s.Name = own.Name
	return s, nil
}

// A scriptRun is what a script's runs have shown.
type scriptRun struct {
	found []world.Finding
	notes []string
}

// scriptFindings runs a script under every schedule, then once as a careful world.
func (c *checkCommand) scriptFindings(ctx context.Context, s *script.Script) (*scriptRun, error) {
	const schedules = 100_000
	open, err := matching(c.Match)
	if err != nil {
		return nil, err
	}
	rep, err := script.Explore(ctx, s, script.Options{MaxSchedules: schedules, Open: open})
	if err != nil {
		return nil, err
	}
	var fixes []*script.Fix
	if rep.Unannounced() {
		fixes = script.Fixes(ctx, rep, script.Options{Open: open})
	}
	r := &scriptRun{found: findingsIn(rep, fixes), notes: []string{plain.Count(rep.Schedules, "schedule")}}
	if !rep.Complete {
		r.notes = append(r.notes, fmt.Sprintf("not complete: %v", rep.Stopped))
	}
	if ctx.Err() != nil {
		return r, nil
	}
	careful := func(more ...world.Option) (*script.Report, error) {
		return script.Run(ctx, s, script.Options{Open: open, World: append([]world.Option{world.Careful("ignored")}, more...)})
	}
	once, err := careful()
	if err == nil && once.Deadlock != nil && rep.Deadlock == nil {
		r.found = append(r.found, world.Finding{
			Kind: world.KindDeadlock, Rule: "P2P-03", Ranks: []int{}, Places: waitingPlaces(once.Deadlock),
			Text: "the script relies on buffered sends, which the standard does not promise: without them it ends in a deadlock\n" + script.InWords(once.Deadlock.Error()),
			Fix:  "let one side receive first, or use sendrecv or isend", Replay: once.Stuck,
		})
		once, err = careful(world.Eager(comm.DefaultEager))
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return r, nil
	case err != nil:
		return nil, err
	}
	for _, l := range once.Lints {
		if !slices.Contains(c.Allow, l.Rule) {
			r.found = append(r.found, world.Finding{
				Kind: l.Kind(), Rule: l.Rule, Ranks: []int{l.Rank}, Places: lintPlaces(s, l), Text: fmt.Sprintf("%s %q: %s", l.Op, l.File, l.Text),
			})
		}
	}
	return r, nil
}

// findingsIn returns the findings in the runs of a script that the script did not expect; fixes
// has a fix for each of its races, if it expects none.
func findingsIn(rep *script.Report, fixes []*script.Fix) (found []world.Finding) {
	if rep.Unannounced() {
		for i, r := range rep.Races {
			text, _, _ := strings.Cut(r.Report(), "\n  fix ") // a fix for a Go program, not for a script
			found = append(found, world.Finding{
				Kind: world.KindRace, Rule: r.Rule, Ranks: sortedRanks(r.A.Rank, r.B.Rank), Places: []world.Place{r.A.Place, r.B.Place},
				Text: text, Fix: fixes[i].String(), Replay: r.Replay,
			})
		}
	}
	expects := slices.ContainsFunc(rep.Script.Expect, func(e script.Expectation) bool { return e.Kind == script.Error || e.Kind == script.Deadlock })
	if !expects {
		for _, f := range rep.Failures {
			found = append(found, world.Finding{
				Kind: world.KindError, Rule: f.Rule(), Ranks: []int{f.Rank}, Places: []world.Place{linePlace(rep.Script, f.Stmt.Line)}, Text: f.Text(),
			})
		}
		if d := rep.Deadlock; d != nil {
			found = append(found, world.Finding{Kind: world.KindDeadlock, Ranks: []int{}, Places: waitingPlaces(d), Text: script.InWords(d.Error()), Replay: rep.Stuck})
		}
	}
	if len(found) > 0 {
		return found
	}
	for _, u := range rep.Unmet {
		found = append(found, world.Finding{Kind: world.KindError, Ranks: []int{}, Places: []world.Place{linePlace(rep.Script, u.Line)}, Text: u.Text})
	}
	return found
}

func sortedRanks(a, b int) []int {
	list := []int{a, b}
	slices.Sort(list)
	return slices.Compact(list)
}

// waitingPlaces returns the lines at which ranks wait in a deadlock.
func waitingPlaces(d *world.DeadlockError) (places []world.Place) {
	for _, w := range d.Ranks {
		if !w.Ended {
			places = append(places, w.Place)
		}
	}
	return places
}

func linePlace(s *script.Script, line int) world.Place {
	if line == 0 {
		return world.Place{}
	}
	return world.Place{File: s.Name, Line: line}
}

// lintPlaces returns the line of the script that a lint is about.
func lintPlaces(s *script.Script, l world.Lint) []world.Place {
	_, line, ok := strings.Cut(l.Place, ":")
	n := 0
	if _, err := fmt.Sscan(line, &n); !ok || err != nil {
		return nil
	}
	return []world.Place{linePlace(s, n)}
}

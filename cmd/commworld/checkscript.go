package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
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
	for _, n := range numbers {
		s, err := readScript(outer, c.Target, stderr)
		if err != nil || s == nil {
			return exitUsage, err
		}
		r := &checkRun{Ranks: []int{s.Ranks}, Asked: s.Ranks, Worlds: 1}
		all.Runs = append(all.Runs, r)
		if n != 0 && n != s.Ranks {
			r.Ranks = []int{n}
			expects := len(s.Expect)
			if why := withRanks(s, n); why != "" {
				r.Worlds = 0
				r.Notes = append(r.Notes, "not run: "+why)
				continue
			}
			if len(s.Expect) < expects {
				r.Notes = append(r.Notes, "without the script's allow lines")
			}
		}
		ctx, stop := context.WithTimeoutCause(outer, c.Timeout, errTimeout)
		found, err := c.scriptFindings(ctx, r, s)
		stop()
		if err != nil {
			return exitUsage, err
		}
		all.add(s.Ranks, found)
		if outer.Err() != nil {
			break
		}
	}
	return 0, nil
}

// withRanks gives a script another number of ranks, or says why it cannot have that.
func withRanks(s *script.Script, n int) string {
	for _, e := range s.Expect {
		if e.Kind == script.Race || e.Kind == script.Error || e.Kind == script.Deadlock {
			return fmt.Sprintf("line %d expects a race, an error or a deadlock, which means the script's own %s", e.Line, counted(s.Ranks, "rank"))
		}
	}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		if b.All {
			b.Ranks = b.Ranks[:0:0]
			for r := range n {
				b.Ranks = append(b.Ranks, r)
			}
		}
		for _, r := range b.Ranks {
			if r >= n {
				return fmt.Sprintf("line %d is for rank %d", b.Line, r)
			}
		}
		for _, m := range b.Stmts {
			if m.Peer >= n {
				return fmt.Sprintf("line %d names rank %d", m.Line, m.Peer)
			}
		}
	}
	s.Ranks = n
	s.Expect = slices.DeleteFunc(s.Expect, func(e script.Expectation) bool { return e.Kind == script.Allow })
	return ""
}

// scriptFindings runs a script under every schedule, then once as a careful world.
func (c *checkCommand) scriptFindings(ctx context.Context, r *checkRun, s *script.Script) (found []world.Finding, err error) {
	const schedules = 100_000
	rep, err := script.Explore(ctx, s, script.Options{MaxSchedules: schedules})
	if err != nil {
		return nil, err
	}
	found = findingsIn(ctx, rep)
	r.Notes = append(r.Notes, counted(rep.Schedules, "schedule"))
	if !rep.Complete {
		r.Notes = append(r.Notes, fmt.Sprintf("not complete: %v", rep.Stopped))
	}
	if ctx.Err() != nil {
		return found, nil
	}
	careful := func(more ...world.Option) (*script.Report, error) {
		return script.Run(ctx, s, script.Options{World: append([]world.Option{world.Careful("ignored")}, more...)})
	}
	once, err := careful()
	if err == nil && once.Deadlock != nil && rep.Deadlock == nil {
		found = append(found, world.Finding{
			Kind: world.KindDeadlock, Rule: "P2P-03", Ranks: []int{}, Places: waitingPlaces(once.Deadlock),
			Text: "the script relies on buffered sends, which the standard does not promise: without them it ends in a deadlock\n" + once.Deadlock.Error(),
			Fix:  "let one side receive first, or use sendrecv or isend", Replay: once.Stuck,
		})
		once, err = careful(world.Eager(comm.DefaultEager))
	}
	if err != nil {
		if ctx.Err() != nil {
			return found, nil
		}
		return found, err
	}
	for _, l := range once.Lints {
		if !slices.Contains(c.Allow, l.Rule) {
			found = append(found, world.Finding{
				Kind: world.KindLint, Rule: l.Rule, Ranks: []int{l.Rank}, Places: lintPlaces(s, l), Text: fmt.Sprintf("%s %q: %s", l.Op, l.File, l.Text),
			})
		}
	}
	return found, nil
}

// findingsIn lists what the runs of a script showed and it did not expect.
func findingsIn(ctx context.Context, rep *script.Report) (found []world.Finding) {
	if rep.Unannounced() {
		fixes := script.Fixes(ctx, rep, script.Options{})
		for i, r := range rep.Races {
			text, _, _ := strings.Cut(r.Report(), "\n  fix ") // which is that of a Go program
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
				Kind: world.KindError, Rule: f.Rule(), Ranks: []int{f.Rank}, Places: []world.Place{linePlace(rep.Script, f.Stmt.Line)}, Text: f.Err.Error(),
			})
		}
		if d := rep.Deadlock; d != nil {
			found = append(found, world.Finding{Kind: world.KindDeadlock, Ranks: []int{}, Places: waitingPlaces(d), Text: d.Error(), Replay: rep.Stuck})
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

// waitingPlaces are the lines at which ranks wait in a deadlock.
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

// lintPlaces is the line of the script that a lint is about.
func lintPlaces(s *script.Script, l world.Lint) []world.Place {
	_, line, ok := strings.Cut(l.Place, ":")
	n := 0
	if _, err := fmt.Sscan(line, &n); !ok || err != nil {
		return nil
	}
	return []world.Place{linePlace(s, n)}
}

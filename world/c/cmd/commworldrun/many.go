package main

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/world"
	"github.com/commworld/commworld/world/c"
)

func sumOf(text []byte) uint32 { return crc32.ChecksumIEEE(text) }

// many reports whether the program is run more than once.
func (cmd *command) many() bool { return cmd.seeds != "" || cmd.explore }

// single returns an error if flags contradict many runs.
func (cmd *command) single() error {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"--free", cmd.free},
		{"--replay", cmd.replay != ""},
		{"--trace", cmd.trace != ""},
		{"--report", cmd.list},
		{"--output", cmd.output != ""},
		{"--label", cmd.label},
		{"--seeds with --explore", cmd.seeds != "" && cmd.explore},
	} {
		if f.set {
			return fmt.Errorf("%s is for one run: leave it out with --seeds or --explore, and run the program again with the seed or schedule that they print", f.name)
		}
	}
	if cmd.runs < 0 {
		return fmt.Errorf("--runs %d: at least 1, or 0 for as many as there are", cmd.runs)
	}
	return nil
}

// seedsOf reads the flag --seeds.
func seedsOf(text string) (first, last uint64, err error) {
	from, to, ok := strings.Cut(text, "..")
	if ok {
		if first, err = strconv.ParseUint(from, 10, 64); err == nil {
			last, err = strconv.ParseUint(to, 10, 64)
		}
	}
	if !ok || err != nil || last < first {
		return 0, 0, fmt.Errorf("--seeds %.40q: give the first and the last one, as in 1..200", text)
	}
	return first, last, nil
}

// A found is a finding of one or more runs.
type found struct {
	findings.Finding
	key string
	in  []uint64 // the seeds or outcomes that have it
}

// A union has the findings of all runs, each once.
type union struct {
	list []*found
	runs int
}

// add adds the findings of a run.
func (u *union) add(cmd *command, run uint64, e *ending) {
	u.runs++
	seen := map[string]bool{}
	for _, f := range cmd.found(e) {
		if seen[f.key] {
			continue
		}
		seen[f.key] = true
		i := slices.IndexFunc(u.list, func(g *found) bool { return g.key == f.key })
		if i < 0 {
			i = len(u.list)
			u.list = append(u.list, f)
		}
		u.list[i].in = append(u.list[i].in, run)
	}
}

// report adds the findings to those for programs; flag repeats a run, by its number.
func (u *union) report(cmd *command, flag func(uint64) string) {
	for _, f := range u.list {
		f.Run = flag(f.in[0])
		cmd.add(f.Finding)
	}
}

// status returns the exit status.
func (u *union) status() int {
	switch {
	case len(u.list) == 0:
		return 0
	case slices.ContainsFunc(u.list, func(f *found) bool { return f.Kind != world.KindRace }):
		return exitFindings
	}
	return exitRace
}

// runSeeds runs the program under each seed, prints all findings, each with its first seed, and
// makes the first run that has one again, with what its ranks print.
func (cmd *command) runSeeds(ctx context.Context, p *c.Program, opts []world.Option) (int, error) {
	first, last, err := seedsOf(cmd.seeds)
	if err != nil {
		return exitUsage, err
	}
	box, err := newSandbox(cmd.dir)
	if err != nil {
		return exitUsage, err
	}
	defer box.close()
	one := func(seed uint64, prints bool) (*ending, error) {
		q, err := cmd.again(p, box, prints)
		if err != nil {
			return nil, err
		}
		e := cmd.once(ctx, q, append(opts[:len(opts):len(opts)], world.Seed(seed)))
		if prints {
			e.print(cmd.text, cmd.language())
		}
		return e, q.Close()
	}
	all := &union{}
	for seed := first; ctx.Err() == nil; seed++ {
		e, err := one(seed, false)
		if err != nil {
			return exitFindings, err
		}
		if ctx.Err() == nil {
			all.add(cmd, seed, e)
		}
		if seed == last {
			break
		}
	}
	fmt.Fprintf(cmd.text, "%d of %d seeds: %s\n", all.runs, last-first+1, count(len(all.list), "finding"))
	for i, f := range all.list {
		fmt.Fprintf(cmd.text, "\nfinding %d, in %s, first with --seed %d\n  %s\n", i+1, count(len(f.in), "run"), f.in[0], indented(f.Text))
	}
	all.report(cmd, func(seed uint64) string { return fmt.Sprint("--seed ", seed) })
	if ctx.Err() != nil {
		cmd.report.Error = fmt.Sprint("stopped: ", context.Cause(ctx))
		fmt.Fprintf(cmd.text, "\nstopped: %v\n", context.Cause(ctx))
		return max(all.status(), exitFindings), nil
	}
	if len(all.list) == 0 {
		return 0, nil
	}
	again := all.list[0] // found first
	fmt.Fprintf(cmd.text, "\n--seed %d once more, with what its ranks print:\n", again.in[0])
	e, err := one(again.in[0], true)
	if err != nil {
		return exitFindings, err
	}
	twice := &union{}
	if twice.add(cmd, again.in[0], e); !slices.ContainsFunc(twice.list, func(f *found) bool { return f.key == again.key }) {
		fmt.Fprintln(cmd.text, "note: this run did not repeat the finding. Something decides what the program does that is not in its seed, such as a clock, random numbers, or files of other directories")
	}
	return all.status(), nil
}

// again returns the program for a new run, in a new copy of its files. Unless it prints, what its
// ranks print goes to the sandbox.
func (cmd *command) again(p *c.Program, box *sandbox, prints bool) (*c.Program, error) {
	survived() // the last run
	files, output, err := box.next()
	if err != nil {
		return nil, err
	}
	q := p.Again()
	q.Dir = files
	if box.moves {
		q.Copy, q.Original = filepath.Join(box.top, "files"), box.from
	}
	q.Files = append(slices.Clip(q.Files), iofile.WithDir(iofile.DirSettings{Undurable: true})) // the copies are removed after the run
	if !prints {
		q.Output = output
	}
	return q, nil
}

// runExplored runs the program under every schedule that makes a difference, and prints the
// outcomes: what ranks printed, files that they made or changed, and findings.
func (cmd *command) runExplored(ctx context.Context, p *c.Program, opts []world.Option) (int, error) {
	box, err := newSandbox(cmd.dir)
	if err != nil {
		return exitUsage, err
	}
	defer box.close()
	var last *c.Program
	end := func() error {
		if last == nil {
			return nil
		}
		q := last
		last = nil
		return q.Close()
	}
	setup := func() (func(context.Context, *comm.Comm) error, func() any) {
		q, err := cmd.again(p, box, false)
		if err = errors.Join(end(), err); err != nil {
			panic(err) // Explore returns it
		}
		last = q
		return q.Rank, func() any {
			q.Flush()
			lines, err := box.left()
			if err != nil {
				panic(err)
			}
			o := outcome{lines: lines}
			for _, f := range q.Failed() {
				if f.Dropped {
					o.findings = append(o.findings, f.Error())
				}
			}
			for _, p := range q.PosixCalls() {
				if p.Wrong {
					o.findings = append(o.findings, p.Error())
				}
			}
			return o
		}
	}
	limited := opts
	if cmd.runs > 0 {
		limited = append(opts[:len(opts):len(opts)], world.Limit(world.Limits{Schedules: cmd.runs}))
	}
	x, err := world.Explore(ctx, cmd.ranks, setup, limited...)
	err = errors.Join(err, end())
	if wrong, ok := errors.AsType[*world.UncontrolledError](err); ok {
		return exitFindings, fmt.Errorf("%w\na C program can be explored if its ranks do not use clocks, random numbers, threads, or files of other directories, and share nothing but messages and files; for one that does, --seeds 1..200 makes single runs", wrong)
	}
	if x == nil || err != nil {
		return exitFindings, err
	}
	return cmd.printExplored(context.WithoutCancel(ctx), p, box, x, opts)
}

// An outcome is what a run has left: what its ranks printed and the files that they changed, and
// findings that are not errors of the run.
type outcome struct{ lines, findings []string }

// String differs for different outcomes.
func (o outcome) String() string {
	return strings.Join(o.lines, "\n") + "\x00" + strings.Join(o.findings, "\n")
}

// printExplored prints the outcomes of an exploration and their findings, and returns the exit
// status. It makes one run of each outcome again, because a report with lines of the program is
// made while the program is loaded.
func (cmd *command) printExplored(ctx context.Context, p *c.Program, box *sandbox, x *world.Exploration, opts []world.Option) (int, error) {
	w := cmd.text
	fmt.Fprintf(w, "%s; %s; ", count(x.Schedules, "run"), count(len(x.Outcomes), "outcome"))
	if x.Complete {
		fmt.Fprintln(w, "complete")
	} else {
		fmt.Fprintln(w, "incomplete:", cmd.in(x.Stopped.Error()))
	}
	all := &union{}
	for i, o := range x.Outcomes {
		q, err := cmd.again(p, box, false)
		if err != nil {
			return exitFindings, err
		}
		e := cmd.once(ctx, q, append(opts[:len(opts):len(opts)], world.Replay(o.Witness)))
		all.add(cmd, uint64(i+1), e)
		lines, err := box.left()
		if err = errors.Join(err, q.Close()); err != nil {
			return exitFindings, err
		}
		fmt.Fprintf(w, "\noutcome %d, in %s, first with --replay %s\n", i+1, count(o.Schedules, "run"), o.Witness)
		for _, line := range lines {
			fmt.Fprintln(w, "  "+line)
		}
		if len(lines) == 0 {
			fmt.Fprintln(w, "  no output, no files")
		}
	}
	for i, f := range all.list {
		fmt.Fprintf(w, "\nfinding %d, in %s\n  %s\n", i+1, numbered("outcome", f.in), indented(f.Text))
	}
	all.report(cmd, func(i uint64) string { return "--replay " + x.Outcomes[i-1].Witness })
	if !x.Complete {
		cmd.report.Error = fmt.Sprint("incomplete: ", x.Stopped)
	}
	if code := all.status(); code != 0 || x.Complete {
		return code, nil
	}
	return exitFindings, nil
}

// numbered returns "outcome 1", "outcomes 1, 2", of many the first ones.
func numbered(of string, all []uint64) string {
	const most = 10
	if len(all) == 1 {
		return fmt.Sprint(of, " ", all[0])
	}
	text := fmt.Sprint(all[:min(len(all), most)])
	text = of + "s " + strings.ReplaceAll(text[1:len(text)-1], " ", ", ")
	if n := len(all) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// indented returns text with its further lines indented as the first one will be.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// count returns "no runs", "1 run", "2 runs".
func count(n int, of string) string {
	switch n {
	case 0:
		return "no " + of + "s"
	case 1:
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

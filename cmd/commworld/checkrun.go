package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/careenv"
	"github.com/commworld/commworld/internal/show/child"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/world"
)

// Kinds of findings about the process of a program.
const (
	kindTimeout   world.Kind = "timeout"
	kindMemory    world.Kind = "memory"
	kindProcesses world.Kind = "processes"
	kindExit      world.Kind = "exit status"
	kindSharing   world.Kind = "sharing" // found by the analyzer
	kindFiles     world.Kind = "files"   // a file depends on the number of ranks
)

const tailBytes = 8 << 10 // bytes of the output that are kept

// once runs the program and adds its findings. An error means that it could not be run.
func (c *checkCommand) once(ctx context.Context, all *checked, r *checkRun, ranks int, prog, report string, memory int64, stderr io.Writer) error {
	cmd := &child.Command{
		Path: prog, Args: c.Args, Care: c.careSetting(ranks, all.now.order, r.other), Report: report, Timeout: c.Timeout, Memory: memory, Keep: tailBytes,
	}
	if c.Output {
		cmd.Shown = stderr
	}
	did, err := cmd.Run(ctx)
	if err != nil {
		return err
	}
	r.Exit, r.Output = did.Exit, did.Output
	if did.Ended != nil {
		r.Ended = did.Ended.Error()
		if ctx.Err() != nil {
			r.Ended = "interrupted"
		}
	}
	return c.judge(all, r, ranks, did.Records)
}

// careSetting returns the setting, for the environment, of the checks in the program's worlds.
func (c *checkCommand) careSetting(ranks int, order string, other bool) string {
	words := []string{"on", "overrule", "files"}
	if other {
		words = append(words, "other")
	}
	if ranks > 0 {
		words = append(words, fmt.Sprint("ranks=", ranks))
	}
	if order != ownOrder && order != "" {
		words = append(words, "order="+order)
	}
	for _, rule := range c.Allow {
		if rule != string(kindSharing) {
			words = append(words, "allow="+rule)
		}
	}
	if c.Match != "" {
		words = append(words, "match="+c.Match)
	}
	if c.Markers != "" {
		words = append(words, "markers="+c.Markers)
	}
	if dir, err := os.Getwd(); err == nil {
		words = append(words, careenv.WordFrom(dir))
	}
	// A world that ends by itself reports where its ranks were.
	end := cmp.Or(c.WorldEnd, c.Timeout-min(c.Timeout/5, 2*time.Second))
	words = append(words, fmt.Sprint("timeout=", end))
	return strings.Join(words, ",")
}

// judge adds the findings of the worlds of a run, and those about the end of the process.
func (c *checkCommand) judge(all *checked, r *checkRun, ranks int, records []world.CareRecord) error {
	open, found := r.worlds(all, records)
	inside, places := "", []world.Place{}
	for _, rec := range open {
		inside = fmt.Sprintf("; world.Run at %v, with %s, had not returned", placeText(relative(rec.Place)), plain.Count(rec.Ranks, "rank"))
		places = append(places, rec.Place)
	}
	add := func(kind world.Kind, text, fix string) {
		all.add(ranks, []world.Finding{{Kind: kind, Ranks: []int{}, Places: places, Text: text, Fix: fix}})
	}
	switch {
	case r.Ended == "interrupted":
	case r.Ended == child.ErrTimeout.Error():
		add(kindTimeout, fmt.Sprintf("the program ran for %v and was ended%s", c.Timeout, inside),
			"look for a loop that makes no call of a rank, or a wait outside this module; if ranks wait for each other by locks or channels, give --free; or give a longer --timeout")
	case r.Ended == child.ErrMemory.Error():
		add(kindMemory, fmt.Sprintf("the program took more memory than %s and was ended%s", c.Memory, inside), "use less memory, or give a larger --memory")
	case r.Ended == child.ErrProcesses.Error():
		add(kindProcesses, fmt.Sprintf("the program had %v and was ended%s", child.ErrProcesses, inside), "start fewer processes")
	case r.Ended != "":
		add(kindExit, "the program was ended: "+r.Ended+inside, "")
	case len(open) > 0 && strings.Contains(r.Output, asleep):
		add(kindExit, "ranks wait for each other by channels or locks, which they cannot do while they run one at a time"+inside+r.lastWords(),
			"give --free, which lets all ranks run at once, in one order only; or let ranks wait for each other by messages")
	case len(open) > 0:
		add(kindExit, fmt.Sprintf("the program ended with exit status %d inside a world%s%s", r.Exit, inside, r.lastWords()),
			"return an error from the body of the rank; os.Exit and log.Fatal end the process before the world can report")
	case r.Worlds == 0 && r.Exit == 0:
		return fmt.Errorf("%s starts no world: it ended, with exit status 0, without a call of world.Run or world.RunReport", c.Target)
	case r.Exit != 0 && !found:
		add(kindExit, fmt.Sprintf("the program ended with exit status %d%s", r.Exit, r.lastWords()), "")
	}
	return nil
}

// worlds adds the findings of the worlds of a run. It returns the worlds that have not ended,
// and whether there is any finding.
func (r *checkRun) worlds(all *checked, records []world.CareRecord) (open map[int64]world.CareRecord, found bool) {
	open = map[int64]world.CareRecord{}
	for _, rec := range records {
		switch rec.Event {
		case "begin":
			if r.Worlds++; r.Worlds == 1 {
				r.Asked = rec.Asked
			}
			if !slices.Contains(r.Ranks, rec.Ranks) {
				r.Ranks = append(r.Ranks, rec.Ranks)
			}
			r.own = r.own || rec.Own != ""
			switch {
			case strings.HasPrefix(rec.Schedule, "roundrobin"):
				r.takesTurns = true
			case rec.Schedule == "free":
				r.why = all.free
			}
			open[rec.World] = rec
		case "end":
			delete(open, rec.World)
			r.overruled = rec.Overruled
			all.add(rec.Ranks, rec.Findings)
			found = found || len(rec.Findings) > 0
			r.failed = r.failed || slices.ContainsFunc(rec.Findings, fails)
			r.concealed = append(r.concealed, rec.Concealed...)
			rec.Findings = nil
			r.files = append(r.files, rec)
			r.reported = r.reported || rec.Error != ""
		}
	}
	return open, found
}

// fails reports whether the bytes of a world's files are not what the program says, or not
// determined.
func fails(f world.Finding) bool {
	return f.Kind != world.KindLint && f.Kind != world.KindIgnored && f.Kind != world.KindLeak && f.Kind != world.KindUnchecked
}

// asleep is the text that Go prints for a program in which nothing can run.
const asleep = "all goroutines are asleep"

// lastWords returns the end of the output of a program that ended with a status.
func (r *checkRun) lastWords() string {
	if text := strings.TrimSpace(r.Output); r.Exit != 0 && text != "" {
		return "; the end of its output:\n" + text
	}
	return ""
}

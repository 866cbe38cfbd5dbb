package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/world"
)

// Kinds of findings about the process of a program.
const (
	kindTimeout   world.Kind = "timeout"
	kindMemory    world.Kind = "memory"
	kindProcesses world.Kind = "processes"
	kindExit      world.Kind = "exit status"
	kindSharing   world.Kind = "sharing" // found by the analyzer
)

// Why check ended a process.
var (
	errTimeout   = errors.New("longer than --timeout")
	errMemory    = errors.New("more memory than --memory")
	errProcesses = fmt.Errorf("more than %d processes", mostProcesses)
)

const (
	mostProcesses = 64
	tailBytes     = 8 << 10 // of the output that are kept
	shownBytes    = 1 << 20 // of the output that --output shows
	mostReport    = 8 << 20 // bytes of a report that are read
)

// drain is how long the output of a process that has ended is waited for: another may
// hold its pipe.
const drain = 5 * time.Second

// once runs the program and adds what it found. An error says that it could not be run.
func (c *checkCommand) once(outer context.Context, all *checked, r *checkRun, ranks int, prog, report string, memory int64, stderr io.Writer) error {
	ctx, stop := context.WithTimeoutCause(outer, c.Timeout, errTimeout)
	defer stop()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	cmd := exec.CommandContext(ctx, prog, c.Args...)
	cmd.Env = append(os.Environ(), world.CareVariable+"="+c.care(ranks, all.now.order, report))
	if os.Getenv("GOMEMLIMIT") == "" {
		cmd.Env = append(cmd.Env, "GOMEMLIMIT="+strconv.FormatInt(memory/10*9, 10))
	}
	tail := &tail{}
	if c.Output {
		tail.shown, tail.left = stderr, shownBytes
	}
	cmd.Stdout, cmd.Stderr = tail, tail
	contain(cmd)
	if kill := cmd.Cancel; kill != nil {
		cmd.Cancel = func() error {
			defer endOthers(report) // or one that has left the group holds the pipe of the output
			return kill()
		}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	watched := make(chan struct{})
	over := make(chan struct{})
	go func() {
		defer close(watched)
		guardProcess(cmd.Process.Pid, report, memory, over, end)
	}()
	failed := cmd.Wait()
	close(over)
	<-watched
	endOthers(report)
	r.Exit = cmd.ProcessState.ExitCode()
	r.Output = tail.String()
	if cause := context.Cause(ctx); cause != nil && failed != nil {
		r.Exit, r.Ended = -1, cause.Error()
		if outer.Err() != nil {
			r.Ended = "interrupted"
		}
	}
	return c.judge(all, r, ranks, report)
}

// care is what the environment asks of the program's worlds.
func (c *checkCommand) care(ranks int, order, report string) string {
	words := []string{"on"}
	if ranks > 0 {
		words = append(words, fmt.Sprint("ranks=", ranks))
	}
	if order != "" {
		words = append(words, "order="+order)
	}
	for _, rule := range c.Allow {
		if rule != string(kindSharing) {
			words = append(words, "allow="+rule)
		}
	}
	// A world that ends by itself says where its ranks were.
	end := cmp.Or(c.WorldEnd, c.Timeout-min(c.Timeout/5, 2*time.Second))
	words = append(words, fmt.Sprint("timeout=", end), "report="+report)
	return strings.Join(words, ",")
}

// judge adds what the worlds of a run reported, and how the process ended.
func (c *checkCommand) judge(all *checked, r *checkRun, ranks int, report string) error {
	open := map[int64]world.CareRecord{}
	before := len(all.Findings)
	found := false
	for _, rec := range readReport(report) {
		switch rec.Event {
		case "begin":
			if r.Worlds++; r.Worlds == 1 {
				r.Asked = rec.Asked
			}
			if !slices.Contains(r.Ranks, rec.Ranks) {
				r.Ranks = append(r.Ranks, rec.Ranks)
			}
			switch {
			case strings.HasPrefix(rec.Schedule, "roundrobin"):
				r.takesTurns = true
			case rec.Schedule == "free":
				r.why = all.free
			default:
				r.why = "the program gives world.Run a schedule"
			}
			open[rec.World] = rec
		case "end":
			delete(open, rec.World)
			all.add(rec.Ranks, rec.Findings)
			found = found || len(rec.Findings) > 0
		}
	}
	found = found || len(all.Findings) > before
	if ranks > 0 && r.Asked != ranks && r.Worlds > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("the program asks for %s itself", counted(r.Asked, "rank")))
	}
	inside, places := "", []world.Place{}
	for _, rec := range open {
		inside = fmt.Sprintf("; world.Run at %v, with %s, had not returned", rec.Place, counted(rec.Ranks, "rank"))
		places = append(places, rec.Place)
	}
	add := func(kind world.Kind, text, fix string) {
		all.add(ranks, []world.Finding{{Kind: kind, Ranks: []int{}, Places: places, Text: text, Fix: fix}})
	}
	switch {
	case r.Ended == "interrupted":
	case r.Ended == errTimeout.Error():
		add(kindTimeout, fmt.Sprintf("the program ran for %v and was ended%s", c.Timeout, inside),
			"look for a loop that makes no call of a rank, or a wait that is no call of this module; if ranks wait for each other by locks or channels, give --free; or give a longer --timeout")
	case r.Ended == errMemory.Error():
		add(kindMemory, fmt.Sprintf("the program took more memory than %s and was ended%s", c.Memory, inside), "use less memory, or give a larger --memory")
	case r.Ended == errProcesses.Error():
		add(kindProcesses, fmt.Sprintf("the program had %v and was ended%s", errProcesses, inside), "start fewer processes")
	case r.Ended != "":
		add(kindExit, "the program was ended: "+r.Ended+inside, "")
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

// lastWords is the end of what a program printed that ended with a status.
func (r *checkRun) lastWords() string {
	if text := strings.TrimSpace(r.Output); r.Exit != 0 && text != "" {
		return "; the end of its output:\n" + text
	}
	return ""
}

// readReport reads the records of a report. Lines that are none are left out: the
// program may have written them.
func readReport(name string) (all []world.CareRecord) {
	f, err := os.Open(name)
	if err != nil {
		return nil // no world began
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, mostReport))
	for line := range bytes.Lines(text) {
		var rec world.CareRecord
		if json.Unmarshal(line, &rec) == nil {
			all = append(all, rec)
		}
	}
	return all
}

// A tail keeps the end of what a program prints, and passes the beginning on.
type tail struct {
	mu    sync.Mutex
	kept  []byte
	lost  int64
	shown io.Writer
	left  int
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shown != nil {
		n := min(t.left, len(p))
		_, _ = t.shown.Write(p[:n])
		if t.left -= n; t.left == 0 {
			fmt.Fprintf(t.shown, "\ncommworld: the program prints more than %d bytes; the rest is not shown\n", shownBytes)
			t.shown = nil
		}
	}
	t.kept = append(t.kept, p[max(0, len(p)-tailBytes):]...)
	if over := len(t.kept) - tailBytes; over > 0 {
		t.kept = slices.Delete(t.kept, 0, over)
		t.lost = min(t.lost+int64(over), math.MaxInt64/2)
	}
	return len(p), nil
}

// String is the end of the output. Control characters are shown as question marks.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := brief.Show(string(t.kept))
	if t.lost > 0 {
		return "..." + text
	}
	return text
}

// inDirectory makes the go command work on a directory of another module, too: dir is
// where it runs, and target what it is given.
func inDirectory(target string) (dir, arg string) {
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return filepath.Clean(target), "."
	}
	return "", target
}

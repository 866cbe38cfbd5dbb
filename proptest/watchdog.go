package proptest

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/commworld/commworld/proptest/gen"
)

// A HangError reports that no rank has finished an operation for so long that the program
// cannot be expected to end: a rank holds a lock while it waits for another rank, a
// goroutine of the layer never answers, or a loop has no end. Ranks that wait for each
// other only by their communicator give a *world.DeadlockError at once instead.
type HangError struct {
	Program *gen.Program
	After   time.Duration
	Ranks   []Standstill
}

// callOf returns the text of an operation, empty if it is behind the last.
func (e *HangError) callOf(k int) string {
	if k < len(e.Program.Ops) {
		return e.Program.Ops[k].Call()
	}
	return ""
}

// A Standstill is the place of one rank when no rank made progress.
type Standstill struct {
	Op    int    // of the program; -1: before the first, len(Ops): after the last
	Done  bool   // the rank has run the whole program
	Stack string // functions with their lines, innermost first; of other packages, too
}

// Error returns a paragraph for each rank.
func (e *HangError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no rank finished an operation within %v", e.After)
	for r, s := range e.Ranks {
		switch {
		case s.Done:
			fmt.Fprintf(&b, "\nrank %d has ended", r)
			continue
		case s.Op < 0:
			fmt.Fprintf(&b, "\nrank %d is in open", r)
		case e.callOf(s.Op) == "":
			fmt.Fprintf(&b, "\nrank %d is in close", r)
		default:
			fmt.Fprintf(&b, "\nrank %d is in operation %d, %s", r, s.Op, e.callOf(s.Op))
		}
		b.WriteString(s.Stack)
	}
	return b.String()
}

// patience is the time without progress after which a program counts as hung. It is
// generous, because operations take microseconds.
var patience = 10 * time.Second

// timeLimit returns patience, at most fuzzTime in a fuzzer's worker.
func timeLimit() time.Duration {
	if fuzzing() {
		return min(patience, fuzzTime)
	}
	return patience
}

// A watchdog counts the operations that ranks finish, and reports when they stop
// finishing any.
type watchdog struct {
	p     *gen.Program
	steps atomic.Int64
	ranks []position
}

type position struct {
	op        atomic.Int64
	goroutine atomic.Uint64
	done      atomic.Bool
}

func newWatchdog(p *gen.Program) *watchdog {
	w := &watchdog{p: p, ranks: make([]position, p.Ranks)}
	for r := range w.ranks {
		w.ranks[r].op.Store(-1)
	}
	return w
}

// enter records that a rank begins operation k.
func (w *watchdog) enter(rank, k int) {
	if w == nil {
		return
	}
	if k < 0 {
		w.ranks[rank].goroutine.Store(goroutine())
	}
	w.ranks[rank].op.Store(int64(k))
	w.steps.Add(1)
}

// leave records that a rank has run the program.
func (w *watchdog) leave(rank int) {
	if w != nil {
		w.ranks[rank].done.Store(true)
		w.steps.Add(1)
	}
}

// goroutine returns the number of the calling goroutine, as stack traces show it.
func goroutine() (id uint64) {
	var buf [40]byte
	for _, digit := range buf[len("goroutine "):runtime.Stack(buf[:], false)] {
		if digit < '0' || digit > '9' {
			break
		}
		id = 10*id + uint64(digit-'0')
	}
	return id
}

// over runs a program, and returns a *HangError if it makes no progress. It then leaves
// the program's goroutines running, because nothing can end them.
func (w *watchdog) over(limit time.Duration, run func(context.Context) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	last := w.steps.Load()
	const looks = 4 // intervals of equal length without a step
	tick := time.NewTicker(limit / looks)
	defer tick.Stop()
	idle := 0
	for {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
			now := w.steps.Load()
			if idle++; now != last {
				idle, last = 0, now
			}
			if idle == looks {
				return w.report(limit)
			}
		}
	}
}

func (w *watchdog) report(after time.Duration) error {
	buf := make([]byte, 4<<20)
	all := bytes.Split(buf[:runtime.Stack(buf, true)], []byte("\n\n"))
	e := &HangError{Program: w.p, After: after}
	for r := range w.ranks {
		at := &w.ranks[r]
		s := Standstill{Op: int(at.op.Load()), Done: at.done.Load()}
		head := fmt.Sprintf("goroutine %d ", at.goroutine.Load())
		for _, g := range all {
			if strings.HasPrefix(string(g), head) {
				s.Stack = framesOf(string(g))
			}
		}
		e.Ranks = append(e.Ranks, s)
	}
	return e
}

// mostFrames bounds the functions that a report shows for a rank.
const mostFrames = 12

// framesOf returns the functions of a goroutine, from its present one to the suite.
func framesOf(stack string) string {
	lines := strings.Split(stack, "\n")
	var b strings.Builder
	for i, shown := 1, 0; i+1 < len(lines) && shown < mostFrames; i += 2 {
		name, place := lines[i], strings.TrimSpace(lines[i+1])
		if strings.Contains(name, "proptest.(*player)") || strings.Contains(name, "proptest.(*keyedSession") {
			break
		}
		if strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "iter.") || strings.HasPrefix(name, "internal/") {
			continue
		}
		if at := strings.LastIndex(name, "("); at > 0 {
			name = name[:at]
		}
		if at := strings.LastIndex(place, " +"); at > 0 {
			place = place[:at]
		}
		fmt.Fprintf(&b, "\n    %s  %s", name, place)
		shown++
	}
	return b.String()
}

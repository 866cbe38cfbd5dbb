package proptest

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/proptest/gen"
)

// A Failure is the smallest program that a layer fails, and the error.
type Failure struct {
	Group   string
	Program *gen.Program // nil if the group has no programs
	Err     error
	Tests   int    // number of programs that passed before it
	Again   string // the command that repeats it
	Note    string // a further remark
	Rule    string // id of the broken rule; "commworld explain" has its text
	Oracle  string // the function that judges the program, as a regression test calls it
	Test    string // line of the test that called [Conformance]
}

// Error returns the program, then the error, then how to run it again.
func (f *Failure) Error() string {
	var b strings.Builder
	err := f.Err
	var of *programError
	if errors.As(err, &of) {
		err = of.err
		fmt.Fprintf(&b, "%v", of.p)
	}
	fmt.Fprintf(&b, "%v\n", err)
	if f.Note != "" {
		fmt.Fprintf(&b, "note: %s\n", f.Note)
	}
	if f.Again != "" {
		fmt.Fprintf(&b, "%d programs passed before. Again: %s\n", f.Tests, f.Again)
	}
	if f.Program != nil && f.Oracle != "" {
		fmt.Fprintf(&b, "As a regression test: proptest.%s(newLayer, gen.MustParse(`the program above`))\n", f.Oracle)
	}
	if f.Test != "" {
		fmt.Fprintf(&b, "Test: %s\n", f.Test)
	}
	if f.Rule != "" {
		fmt.Fprintf(&b, "Broken: %s (commworld explain %[1]s)", f.Rule)
	}
	return strings.TrimSpace(b.String())
}

// Unwrap returns the error of the program.
func (f *Failure) Unwrap() error { return f.Err }

// A programError is an error of a layer with the program that shows it.
type programError struct {
	p   *gen.Program
	err error
}

func (e *programError) Error() string { return fmt.Sprintf("%v\nprogram: %v", e.err, e.p) }
func (e *programError) Unwrap() error { return e.err }

// Find draws as many programs as rapid's flags say, under the name of a test, and returns
// the smallest that fails, nil if none does.
func (g *Group) Find(test string) *Failure {
	h := &hunt{group: g}
	r := &recorder{name: test}
	rapid.Check(r, h.prop)
	h.done()
	if !r.failed {
		return nil
	}
	f := h.found
	if f == nil { // an error of rapid itself
		f = &Failure{Err: errors.New(strings.TrimSpace(r.said.String()))}
	}
	f.Group, f.Again = g.Name, replayCommand(test, r.said.String())
	f.Rule, f.Oracle = cmp.Or(ruleOf(f.Err), g.rule()), g.oracle
	if m := afterTests.FindStringSubmatch(r.said.String()); m != nil {
		f.Tests, _ = strconv.Atoi(m[1])
	}
	return f
}

var (
	afterTests = regexp.MustCompile(`(?:failed|panic) after (\d+) tests`)
	seedFlag   = regexp.MustCompile(`-rapid\.seed=\d+`)
	fileFlag   = regexp.MustCompile(`-rapid\.failfile="[^"]*"`)
)

// replayCommand returns the command that repeats one subtest with the program it has drawn.
func replayCommand(test, said string) string {
	var parts []string
	for _, part := range strings.Split(test, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	with := seedFlag.FindString(said)
	if with == "" {
		with = fileFlag.FindString(said)
	}
	return strings.TrimSpace(fmt.Sprintf("go test -run '%s' %s", strings.Join(parts, "/"), with))
}

// A hunt is one run of a property. It shrinks the first failing program itself, and then
// keeps rapid from searching further.
type hunt struct {
	group   *Group
	from    string // the text of the program that failed first
	runs    int    // since then
	found   *Failure
	restore func() // resets rapid's time limit for shrinking
}

// done ends the hunt: rapid shrinks again.
func (h *hunt) done() {
	if h.restore != nil {
		h.restore()
		h.restore = nil
	}
}

func (h *hunt) prop(t *rapid.T) {
	if h.group.draw == nil {
		if h.found == nil {
			h.group.asked.programs++
		}
		if err := h.group.alone(t); err != nil {
			h.group.asked.frozen = true
			h.found = &Failure{Err: err}
			t.Fatal(err)
		}
		return
	}
	if h.found != nil {
		if h.runs++; h.runs > 1 {
			return // rapid calls the property again to find a smaller program
		}
	}
	for range max(1, h.group.times) {
		p := h.group.draw.Draw(t, "program")
		if h.found == nil {
			h.group.asked.add(p)
			if err := h.group.check(p); err != nil {
				h.from = p.String()
				h.shrink(p, err)
				h.restore = noShrinking()
			}
		}
		if h.found != nil && h.from == p.String() {
			t.Fatal(h.found.Err)
		}
	}
}

// mostTries and mostTime bound the runs for making a program smaller.
const (
	mostTries = 2000
	mostTime  = 10 * time.Second
)

// shrink makes a failing program smaller, within rapid's time limit.
func (h *hunt) shrink(p *gen.Program, err error) {
	h.found = &Failure{Program: p, Err: err}
	var hung *HangError
	if errors.As(err, &hung) {
		return // each try would take the watchdog's time limit
	}
	until := time.Now().Add(shrinkTime())
	fails := func(q *gen.Program) bool {
		for range runsOf(q) {
			if time.Now().After(until) {
				return false
			}
			if err := h.group.check(q); err != nil && !errors.As(err, &hung) {
				h.found.Program, h.found.Err = q, err
				return true
			}
		}
		return false
	}
	if p.Schedule == gen.Free {
		for seed := range uint64(64) { // prefer a schedule that can be repeated
			q := *p
			if q.Schedule, q.Seed = "", seed; fails(&q) {
				p = &q
				break
			}
		}
	}
	small := gen.Smaller(p, fails, mostTries)
	if shrinkTime() == 0 {
		return
	}
	again := 0
	for range 3 {
		if h.group.check(small) != nil {
			again++
		}
	}
	if again < 3 {
		h.found.Note = fmt.Sprintf("run again three times, the program failed %d times. The layer has goroutines of its own, or what it does depends on time, on the order of a map or on earlier programs, or the ranks ran under the schedule %q", again, gen.Free)
	}
}

// runsOf returns how often a program must pass to count as passed.
func runsOf(p *gen.Program) int {
	if p.Schedule == gen.Free {
		return 10
	}
	return 1
}

// failing guards rapid's flag while noShrinking has changed it.
var failing sync.Mutex

// noShrinking stops rapid from shrinking a program until the returned function is called.
// rapid remembers all that it tries: gigabytes, if a check draws several programs.
func noShrinking() (restore func()) {
	f := flag.Lookup("rapid.shrinktime")
	if f == nil {
		return func() {}
	}
	failing.Lock()
	was := f.Value.String()
	_ = f.Value.Set("0s")
	return func() {
		_ = f.Value.Set(was)
		failing.Unlock()
	}
}

// shrinkTime returns rapid's time limit for shrinking, at most mostTime, and at most fuzzTime
// in a fuzzer's worker.
func shrinkTime() time.Duration {
	d := mostTime
	if f := flag.Lookup("rapid.shrinktime"); f != nil {
		if set, err := time.ParseDuration(f.Value.String()); err == nil {
			d = min(d, set)
		}
	}
	if fuzzing() {
		return min(d, fuzzTime)
	}
	return d
}

// fuzzTime bounds shrinking, and the wait for a program that hangs, in a fuzzer's worker:
// the fuzzer kills a worker that needs 10 s for one input, and its report is lost.
const fuzzTime = 3 * time.Second

// fuzzing reports whether the process is a worker of go test -fuzz.
func fuzzing() bool {
	f := flag.Lookup("test.fuzzworker")
	return f != nil && f.Value.String() == "true"
}

// A recorder is a testing.TB to which rapid reports.
type recorder struct {
	name   string
	failed bool
	said   strings.Builder
}

func (r *recorder) say(format string, args ...any) { fmt.Fprintf(&r.said, format+"\n", args...) }

func (r *recorder) Helper()                           {}
func (r *recorder) Name() string                      { return r.name }
func (r *recorder) Logf(format string, args ...any)   { r.say(format, args...) }
func (r *recorder) Log(args ...any)                   { r.say("%s", fmt.Sprint(args...)) }
func (r *recorder) Skipf(format string, args ...any)  { r.say(format, args...) }
func (r *recorder) Skip(args ...any)                  { r.Log(args...) }
func (r *recorder) SkipNow()                          {}
func (r *recorder) Errorf(format string, args ...any) { r.failed = true; r.say(format, args...) }
func (r *recorder) Error(args ...any)                 { r.failed = true; r.Log(args...) }
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }
func (r *recorder) Fatal(args ...any)                 { r.Error(args...) }
func (r *recorder) FailNow()                          { r.failed = true } // the last call of rapid.Check
func (r *recorder) Fail()                             { r.failed = true }
func (r *recorder) Failed() bool                      { return r.failed }

// reach returns an upper bound of the file's size in a program. A reader that never finds
// the end of the file stops there.
func reach(p *gen.Program) int64 {
	const grows = 1 << 23 // bound on the bytes that one rank's part of an operation may add
	most := int64(1 << 16)
	for k := range p.Ops {
		o := &p.Ops[k]
		for r := range p.Ranks {
			off, n := o.Args(r)
			if off >= p.Far {
				off -= p.Far
			}
			most += min((off+n+1)*512, grows)
		}
		most += max(0, o.Size-p.Far)
		for _, v := range o.Views {
			most += max(0, v.Disp-p.Far)
		}
	}
	return most
}

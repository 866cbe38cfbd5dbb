package proptest_test

import (
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/proptest"
)

// A recorder is the test that a property of a mutant fails.
type recorder struct {
	name   string
	failed bool
	said   strings.Builder
}

func (r *recorder) say(format string, args ...any) { fmt.Fprintf(&r.said, format+"\n", args...) }

func (r *recorder) Helper()                           {}
func (r *recorder) Name() string                      { return r.name }
func (r *recorder) Logf(format string, args ...any)   { r.say(format, args...) }
func (r *recorder) Log(args ...any)                   { r.say("%s", fmt.Sprintln(args...)) }
func (r *recorder) Skipf(format string, args ...any)  { r.say(format, args...) }
func (r *recorder) Skip(args ...any)                  { r.Log(args...) }
func (r *recorder) SkipNow()                          {}
func (r *recorder) Errorf(format string, args ...any) { r.failed = true; r.say(format, args...) }
func (r *recorder) Error(args ...any)                 { r.failed = true; r.Log(args...) }
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }
func (r *recorder) Fatal(args ...any)                 { r.Error(args...) }
func (r *recorder) FailNow()                          { r.failed = true } // the last thing that rapid.Check calls
func (r *recorder) Fail()                             { r.failed = true }
func (r *recorder) Failed() bool                      { return r.failed }

// A catch is how a mutant was found out.
type catch struct {
	group      string
	ranks, ops int
	text       string
	took       time.Duration
}

var (
	headLine = regexp.MustCompile(`ranks (\d+), schedule`)
	opLine   = regexp.MustCompile(`^\s+\d+  (\d+|all): `)
)

// size reads the ranks and operations off the last program that a report shows,
// which is what somebody sees who has to find the fault.
func (c *catch) size() {
	heads := headLine.FindAllStringSubmatchIndex(c.text, -1)
	if heads == nil {
		return
	}
	last := heads[len(heads)-1]
	c.ranks, _ = strconv.Atoi(c.text[last[2]:last[3]])
	for _, line := range strings.Split(c.text[last[1]:], "\n") {
		if opLine.MatchString(line) {
			c.ops++
		}
	}
}

// catchOf runs the suite on a layer until a property fails.
func catchOf(t *testing.T, mk proptest.Maker) *catch {
	groups, err := proptest.Groups(mk)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for _, g := range groups {
		if g.Skipped != "" {
			continue
		}
		r := &recorder{name: g.Name}
		rapid.Check(r, g.Prop)
		if r.failed {
			c := &catch{group: g.Name, text: r.said.String(), took: time.Since(start)}
			c.size()
			return c
		}
	}
	return nil
}

// withFlags sets flags of rapid while a test runs.
func withFlags(t *testing.T, values map[string]string) {
	for name, v := range values {
		f := flag.Lookup(name)
		old := f.Value.String()
		if err := f.Value.Set(v); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Value.Set(old) })
	}
}

// untilSmallest lets rapid go on until nothing makes a program smaller: a limit of
// time would leave larger ones where the machine has other work.
const untilSmallest = "24h"

// TestMutants: if it fails, the suite lets a broken layer pass, or tells its
// author so much that nobody finds the fault.
func TestMutants(t *testing.T) {
	checks := "500"
	if testing.Short() {
		checks = "2500" // of which rapid makes a fifth
	}
	withFlags(t, map[string]string{"rapid.nofailfile": "true", "rapid.checks": checks, "rapid.shrinktime": untilSmallest})
	if flag.Lookup("rapid.seed").Value.String() == "0" { // the same every day, unless somebody asks for another
		withFlags(t, map[string]string{"rapid.seed": "1"})
	}
	for i, m := range mutants {
		if raceEnabled && i%6 != 0 {
			continue // ten times as slow under the race detector, which finds the same in a few
		}
		t.Run(m.name, func(t *testing.T) {
			c := catchOf(t, m.layer)
			if c == nil {
				t.Fatal("passes the suite")
			}
			t.Logf("caught by %q in %v: %d ranks, %d operations", c.group, c.took.Round(time.Millisecond), c.ranks, c.ops)
			if c.ranks < 1 || c.ranks > 3 || c.ops < 1 || c.ops > 3 {
				t.Errorf("%d ranks and %d operations are more than 3 and 3:\n%s", c.ranks, c.ops, c.text)
			}
			if testing.Verbose() {
				t.Log(c.text)
			}
		})
	}
}

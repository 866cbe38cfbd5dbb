package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A unit is one test of one package, and which mutants it reaches.
type unit struct {
	binary, dir string
	name        string
	flags       []string
	took        time.Duration // of processor time
	reached     []byte
}

// A suite has the compiled tests of a schema.
type suite struct {
	*schema
	units []unit
	limit time.Duration
}

type suiteOptions struct {
	limit   time.Duration // of a run
	slowest time.Duration // tests that need more processor time are left out
	run     string        // a regular expression of their names
	checks  int           // draws of package rapid; 0: its default
}

// newSuite compiles the tests of the packages on top of the schema and runs each once.
// Those that fail or are too slow are left out.
func newSuite(ctx context.Context, s *schema, o suiteOptions, pkgs []string) (*suite, error) {
	all := &suite{schema: s, limit: o.limit}
	for i, pkg := range pkgs {
		binary := filepath.Join(s.work, fmt.Sprintf("tests%d", i))
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", s.overlay(), "-o", binary, pkg)
		cmd.Dir = s.root
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go test -c %s: %w\n%s", pkg, err, out)
		}
		dir := filepath.Join(s.root, pkg)
		flags := []string{"-test.short", "-test.failfast"}
		quick := []string{"-rapid.nofailfile", "-rapid.shrinktime=1ms"}
		if o.checks > 0 {
			quick = append(quick, fmt.Sprintf("-rapid.checks=%d", o.checks))
		}
		if exec.CommandContext(ctx, binary, append(quick, "-test.list", "^$")...).Run() == nil {
			flags = append(flags, quick...)
		}
		cmd = exec.CommandContext(ctx, binary, "-test.list", o.run)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			return nil, err
		}
		for _, name := range lines(out) {
			u := unit{binary: binary, dir: dir, name: name, flags: flags}
			why, err := all.measure(ctx, &u)
			if err != nil {
				return nil, err
			}
			if why == "" && u.took > o.slowest {
				why = fmt.Sprintf("takes %v", u.took)
			}
			if why != "" {
				fmt.Printf("not used: %s %s %s\n", pkg, name, why)
				continue
			}
			all.units = append(all.units, u)
		}
	}
	if len(all.units) == 0 {
		return nil, errors.New("no test passes without a mutant")
	}
	slices.SortStableFunc(all.units, func(a, b unit) int { return cmp.Compare(a.took, b.took) })
	return all, nil
}

// measure runs a test without a mutant; why says why it cannot be used.
func (s *suite) measure(ctx context.Context, u *unit) (why string, err error) {
	record := filepath.Join(s.work, "reached")
	if err := os.WriteFile(record, make([]byte, len(s.chosen)), 0o600); err != nil {
		return "", err
	}
	passed, took, err := s.run(ctx, -1, record, []unit{*u})
	if err != nil {
		return "", err
	}
	u.took = took
	if !passed {
		return "fails without a mutant", nil
	}
	u.reached, err = os.ReadFile(record)
	return "", err
}

// mutant runs the tests that reach a mutant until one fails: first those that take half a
// second together, then four times as many, and so on. tests is the number of tests that reach it.
func (s *suite) mutant(ctx context.Context, id int) (v verdict, tests int, err error) {
	rest := slices.DeleteFunc(slices.Clone(s.units), func(u unit) bool { return u.reached[id] == 0 })
	tests = len(rest)
	for most := 500 * time.Millisecond; len(rest) > 0; most *= 4 {
		n, total := 1, rest[0].took
		for ; n < len(rest) && total < most; n++ {
			total += rest[n].took
		}
		round := slices.Clone(rest[:n])
		rest = rest[n:]
		slices.SortStableFunc(round, func(a, b unit) int { return cmp.Compare(a.binary, b.binary) })
		for len(round) > 0 {
			n := slices.IndexFunc(round, func(u unit) bool { return u.binary != round[0].binary })
			if n < 0 {
				n = len(round)
			}
			passed, _, err := s.run(ctx, id, "", round[:n])
			if err != nil || !passed {
				return noticed, tests, err
			}
			round = round[n:]
		}
	}
	return survived, tests, nil
}

// run runs tests of one binary with a mutant, or without any if id is negative. took is
// the processor time.
func (s *suite) run(ctx context.Context, id int, record string, group []unit) (passed bool, took time.Duration, err error) {
	budget, names := 10*time.Second, []string(nil)
	for _, u := range group {
		budget += 5 * u.took
		names = append(names, regexp.QuoteMeta(u.name))
	}
	if id < 0 {
		budget = s.limit
	}
	// a mutant that runs for ever or fills the memory is stopped
	bounds := fmt.Sprintf("ulimit -v 12582912; ulimit -t %d; exec \"$@\"", int(budget.Seconds())+1)
	args := []string{"-c", bounds, "sh", group[0].binary, "-test.run", "^(" + strings.Join(names, "|") + ")$"}
	args = append(args, group[0].flags...)
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	cmd := exec.CommandContext(limited, "sh", args...)
	cmd.Dir = group[0].dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("MUTANTS_NOW=%d", id), "MUTANTS_REACHED="+record)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return false, 0, ctx.Err()
	}
	if cmd.ProcessState == nil {
		return false, 0, err
	}
	took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if err == nil && bytes.Contains(out, []byte("no tests to run")) {
		return false, took, fmt.Errorf("%v runs no test", names)
	}
	return err == nil, took, nil
}

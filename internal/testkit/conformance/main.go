package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/testkit/spec"
	"github.com/commworld/commworld/internal/testkit/thorough"
)

// options are the flags of the command.
type options struct {
	from  string
	out   string
	check bool
}

func main() {
	var o options
	flag.StringVar(&o.from, "from", "", "take the output of go test -json from `FILE` (- for stdin) and run nothing")
	flag.StringVar(&o.out, "out", "docs/CONFORMANCE.md", "the `FILE` to write, or to compare with")
	flag.BoolVar(&o.check, "check", false, "write nothing; fail if the file calls a rule covered that is not, or a gap that is covered")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(o options, w io.Writer) error {
	tests, failed, err := load(o.from, w)
	if err != nil {
		return err
	}
	if len(failed) > 0 {
		return fmt.Errorf("tests failed in %s", strings.Join(failed, ", "))
	}
	if len(tests) == 0 {
		return errors.New("no test ran")
	}
	c, unknown := cover(tests)
	rules := spec.Rules()
	if bad := append(unknown, c.mistakes(rules)...); len(bad) > 0 {
		return fmt.Errorf("tests and tables disagree %d times:\n  %s", len(bad), strings.Join(bad, "\n  "))
	}
	if o.check {
		return compare(o.out, rules, c)
	}
	return os.WriteFile(o.out, []byte(markdown(rules, c)), 0o644)
}

// load reads test events from a file, or runs all tests of the module.
func load(from string, w io.Writer) ([]outcome, []string, error) {
	switch from {
	case "":
		return runTests(w)
	case "-":
		return outcomes(os.Stdin, w)
	}
	f, err := os.Open(from)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return outcomes(f, w)
}

func runTests(w io.Writer) ([]outcome, []string, error) {
	cmd := exec.Command("go", "test", "-json", "./...")
	cmd.Env = append(os.Environ(), thorough.Variable+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	tests, failed, err := outcomes(out, w)
	if ended := cmd.Wait(); err == nil && len(failed) == 0 {
		err = ended
	}
	return tests, failed, err
}

// row finds the id of a rule and what covers it in a row of the table.
var row = regexp.MustCompile(`(?m)^\| ([A-Z][A-Za-z0-9]*-[A-Za-z0-9-]+) \| .* \| (.*) \|$`)

// compare reports the rules that the committed file calls covered though they are gaps, or
// gaps though they are covered, and those that no longer exist. It compares no text: which
// tests cover a rule changes with every test.
func compare(name string, rules []spec.Rule, c coverage) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	rows := row.FindAllStringSubmatch(string(text), -1)
	if len(rows) == 0 {
		return fmt.Errorf("%s has no rows", name)
	}
	var bad []string
	for _, m := range rows {
		id, covered := m[1], !strings.HasPrefix(m[2], "gap: ")
		switch {
		case !slices.ContainsFunc(rules, func(r spec.Rule) bool { return r.ID == id }):
			bad = append(bad, id+" is not a rule")
		case covered && len(c.tests[id]) == 0:
			bad = append(bad, id+" is called covered and is a gap")
		case !covered && len(c.tests[id]) > 0:
			bad = append(bad, id+" is called a gap and is covered by "+c.tests[id][0])
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("%s is out of date, run go generate ./internal/testkit/conformance:\n  %s", name, strings.Join(bad, "\n  "))
	}
	return nil
}

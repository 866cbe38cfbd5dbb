package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/commworld/commworld/internal/spec"
	"github.com/commworld/commworld/internal/thorough"
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
	flag.BoolVar(&o.check, "check", false, "write nothing; fail if the file is not what the tests say")
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
	text := markdown(rules, c)
	if o.check {
		return compare(o.out, text)
	}
	return os.WriteFile(o.out, []byte(text), 0o644)
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

// compare reports the first line in which the committed file differs.
func compare(name, want string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if string(text) == want {
		return nil
	}
	have, lines := strings.Split(string(text), "\n"), strings.Split(want, "\n")
	n := 0
	for n < len(have) && n < len(lines) && have[n] == lines[n] {
		n++
	}
	at := func(lines []string) string {
		if n < len(lines) {
			return lines[n]
		}
		return "(end of file)"
	}
	return fmt.Errorf("%s is out of date, run go run ./internal/conformance; line %d\n  has    %s\n  should %s", name, n+1, at(have), at(lines))
}

// Package thorough decides which tests run, and how many inputs they try. `go test ./...` is
// for new clones and for laptops: it leaves out tests that build many programs, compare with
// installed MPI libraries or repeat other tests with more inputs, and random tests try fewer
// inputs. All tests run in full if [Variable] is set, as in .ci/run, or if the command line
// selects tests.
//
// Start here: a long test begins with [Only].
package thorough

import (
	"flag"
	"os"
	"slices"
	"strings"
)

// Variable is set in the environment for all tests to run.
const Variable = "COMMWORLD_THOROUGH"

// All reports whether tests must run in full: Variable is set, or -run selects tests.
func All() bool {
	run := flag.Lookup("test.run")
	return os.Getenv(Variable) != "" || run != nil && run.Value.String() != ""
}

// Only skips a test unless tests run in full.
func Only(t interface {
	Helper()
	Skip(args ...any)
},
) {
	t.Helper()
	if !All() {
		t.Skip("takes long: runs if -run names it, or with " + Variable + "=1")
	}
}

// Fewer makes rapid try 30 inputs for each test instead of 100, unless tests run in full. A
// test file calls it in init, when rapid's flags exist and the command line is not parsed yet,
// so that -rapid.checks still overrides it.
func Fewer() {
	named := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.run=") })
	if os.Getenv(Variable) == "" && !named {
		if err := flag.Set("rapid.checks", "30"); err != nil {
			panic(err)
		}
	}
}

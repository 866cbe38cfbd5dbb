// Package thorough says how much tests try. `go test ./...` is for who has just cloned the
// module and for laptops: tests that build many programs, compare with installed MPI
// libraries or repeat what others show at length are left out, and random tests try fewer
// inputs. Everything is tried where [Variable] is set, as in .ci/run, and where the command
// line says which tests to run.
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

// All reports whether tests are to try all they can: Variable is set, or -run names tests.
func All() bool {
	run := flag.Lookup("test.run")
	return os.Getenv(Variable) != "" || run != nil && run.Value.String() != ""
}

// Only skips a test unless all are to run.
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

// Fewer has rapid try 30 inputs a test, not its usual 100, unless all tests are to run. A test
// file calls it in init, when rapid's flags exist and the command line is not read yet:
// -rapid.checks there comes first.
func Fewer() {
	named := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.run=") })
	if os.Getenv(Variable) == "" && !named {
		if err := flag.Set("rapid.checks", "30"); err != nil {
			panic(err)
		}
	}
}

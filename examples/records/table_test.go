package records_test

import (
	"context"
	"flag"
	"fmt"
	"os/exec"
	"testing"

	"github.com/commworld/commworld/examples/records"
	"github.com/commworld/commworld/internal/testkit/bugtable"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/world"
)

var (
	update = flag.Bool("update", false, "write what the tests print into README.md and testdata")
	every  = flag.Bool("every", false, "ask all groups of the suite for each bug up to the one that finds it, not that one alone")
)

// Each of these looks for a bug with one tool. It returns the part that found the bug and
// the amount of work, or "".

// most is how many combinations byPatterns tries.
const most = 100

func byPatterns(_ *testing.T, b, _ string) string {
	p := pattern(records.Bug(b))
	ways := proptest.Combinations(p)
	for i := range most {
		if proptest.Combine(p, ways.Example(i)) != nil {
			return fmt.Sprint(i + 1)
		}
	}
	return ""
}

func byCare(t *testing.T, b, _ string) string {
	if careful(t.Context(), records.Bug(b)) != nil {
		return "1"
	}
	return ""
}

func byNcdump(t *testing.T, b, _ string) string {
	dir := t.TempDir()
	if err := dump(context.Background(), dir, records.Bug(b)); err != nil {
		return "" // the run itself reports the bug
	}
	if ncdump(dir, false) != nil {
		return "1"
	}
	return ""
}

// TestTable asks each tool for each bug that README.md says it finds, the suite only for the group
// that README.md names; with -every for those before it, too. If it fails, a tool has become worse.
// With -update it asks every tool for every bug, which takes minutes, and writes the table again.
func TestTable(t *testing.T) {
	if testing.Short() && !*update {
		t.Skip("runs the suite on every bug")
	}
	_, missing := exec.LookPath("ncdump")
	if missing != nil {
		t.Log("SKIPPED: no ncdump here, it judges no file: apt-get install netcdf-bin")
	}
	var bugs []string
	for _, b := range records.Bugs() {
		bugs = append(bugs, string(b))
	}
	bugtable.Test(t, "README.md", *update, bugs,
		bugtable.Suite(func(b string) proptest.Maker { return layers(records.Bug(b)) }, *every),
		bugtable.Tool{Head: "patterns: combinations", Find: byPatterns},
		bugtable.Tool{Head: "careful runs", Find: byCare},
		bugtable.Exploring(func(_ *testing.T, b string) world.Setup { return meet(records.Bug(b)) }),
		bugtable.Tool{Head: "ncdump: files", Find: byNcdump, Missing: missing != nil},
	)
}

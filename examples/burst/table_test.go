package burst_test

import (
	"flag"
	"testing"

	"github.com/commworld/commworld/examples/burst"
	"github.com/commworld/commworld/internal/testkit/bugtable"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/world"
)

var update = flag.Bool("update", false, "write the table of README.md again")

// Each of these looks for a bug with one tool. It returns the amount of work that found the
// bug, or "".

func byCare(t *testing.T, b, _ string) string {
	if careful(t.Context(), t.TempDir(), burst.Bug(b)) != nil {
		return "1"
	}
	return ""
}

func byLong(t *testing.T, b, _ string) string {
	if long(t.TempDir(), burst.Bug(b)) != nil {
		return "1"
	}
	return ""
}

// TestTable asks each tool for each bug that README.md says it finds. If it fails, a tool
// has become worse. With -update it asks every tool for every bug, which takes minutes, and
// writes the table again.
func TestTable(t *testing.T) {
	if testing.Short() && !*update {
		t.Skip("runs the suite on every bug")
	}
	var bugs []string
	for _, b := range burst.Bugs() {
		bugs = append(bugs, string(b))
	}
	bugtable.Test(t, "README.md", *update, bugs,
		bugtable.Suite(func(b string) proptest.Maker { return layers(burst.Bug(b)) }, false),
		bugtable.Tool{Head: "careful runs", Find: byCare},
		bugtable.Exploring(func(t *testing.T, b string) world.Setup { return meet(t.TempDir(), burst.Bug(b)) }),
		bugtable.Tool{Head: "600 syncs", Find: byLong},
	)
}

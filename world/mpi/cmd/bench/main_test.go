package main

import (
	"os"
	"strings"
	"testing"

	"github.com/commworld/commworld/internal/peers"
	"github.com/commworld/commworld/world/mpi"
)

// ranksVariable tells this test's program that it is started as a rank.
const ranksVariable = "COMMWORLD_TEST_BENCH"

// TestMain is the command where the command has started this program.
func TestMain(m *testing.M) {
	if os.Getenv(ranksVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// If a body ended in an error on one of the sides, or wrote another file there,
// nobody would see it before the next time somebody wonders about speed.
func TestBench(t *testing.T) {
	lib := peers.MPICH
	if strings.HasPrefix(mpi.Library(), peers.OpenMPI.Name) {
		lib = peers.OpenMPI
	}
	if err := lib.Missing(); err != nil {
		t.Skip("SKIPPED:", err)
	}
	t.Setenv(ranksVariable, "1")
	var out strings.Builder
	c := contest{w: &out}
	if err := c.run([]string{"-rounds", "1", "-seconds", "1e-5", "-dir", t.TempDir()}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, r := range rows {
		if strings.Count(out.String(), "\n"+r.name+", 2 ranks ") != 1 {
			t.Errorf("no row %q:\n%s", r.name, &out)
		}
	}
	if strings.Contains(out.String(), " -") {
		t.Errorf("a row without a figure:\n%s", &out)
	}
	for _, args := range [][]string{{"-rounds"}, {"no such row"}, {"-row", "99"}} {
		if err := (&contest{w: &out}).run(args); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}

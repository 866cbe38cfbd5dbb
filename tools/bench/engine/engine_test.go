//go:build mpich || openmpi

package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/tools/internal/measure"
	"github.com/commworld/commworld/world/mpi"
)

// TestMain is a rank of a job where the command has started this program as one.
func TestMain(m *testing.M) {
	if is, err := Rank(); is {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// If a body ended in an error on one of the sides, or wrote another file there,
// no one would notice before the next measurement.
func TestBench(t *testing.T) {
	lib := peers.MPICH
	if strings.HasPrefix(mpi.Library(), peers.OpenMPI.Name) {
		lib = peers.OpenMPI
	}
	if err := lib.Missing(); err != nil {
		t.Skip("SKIPPED:", err)
	}
	var out strings.Builder
	if err := measure.Run([]*measure.Command{Command()}, []string{"engine", "-rounds", "1", "-seconds", "1e-5", "-dir", t.TempDir()}, &out); err != nil {
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
	t.Setenv(jobVariable, "99,1,.")
	if is, err := Rank(); !is || err == nil {
		t.Error("a rank of no row: no error")
	}
}

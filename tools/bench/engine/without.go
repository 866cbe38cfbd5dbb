//go:build !mpich && !openmpi

package engine

import (
	"errors"

	"github.com/commworld/commworld/tools/internal/measure"
)

// Command returns the benchmark, which this program was built without.
func Command() *measure.Command {
	return &measure.Command{
		Name: "engine", Short: "the same ranks in this process and on an MPI library; needs -tags mpich or openmpi",
		Rows: func() []string { return []string{"all"} },
		Run: func(*measure.Session) error {
			return errors.New("this program was built without an MPI library: go run -tags mpich ./bench engine, or -tags openmpi")
		},
	}
}

// Rank reports that this process is not a rank of a job.
func Rank() (is bool, err error) { return false, nil }

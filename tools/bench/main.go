// Bench measures this module, beside the MPI libraries that are installed:
//
//	go run ./bench                      the benchmarks
//	go run ./bench comm -h              the flags of one
//	go run ./bench file -list           the names of its rows
//	go run ./bench comm -rounds 9 8 B   the rows that match
//
// It is run in tools, a module of its own. All sides take turns in one run; see package
// measure. RESULTS.md in this directory has the figures and the attempts to improve
// them.
//
// # Map
//
//   - comm: messages and collectives
//   - file, filerep: files, and files in external32
//   - pack: datatypes
//   - scale: worlds of very many ranks
//   - engine: the same ranks in this process and on an MPI library (-tags mpich, openmpi)
package main

import (
	"fmt"
	"os"

	"github.com/commworld/commworld/tools/bench/comm"
	"github.com/commworld/commworld/tools/bench/engine"
	"github.com/commworld/commworld/tools/bench/file"
	"github.com/commworld/commworld/tools/bench/filerep"
	"github.com/commworld/commworld/tools/bench/pack"
	"github.com/commworld/commworld/tools/bench/scale"
	"github.com/commworld/commworld/tools/internal/measure"
)

func main() {
	is, err := engine.Rank()
	if !is {
		err = measure.Run([]*measure.Command{
			comm.Command(), file.Command(), filerep.Command(), pack.Command(), scale.Command(), engine.Command(),
		}, os.Args[1:], os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// Package measure is the harness of the benchmarks. Start here: a benchmark is a
// [Command] with named rows; [Run] reads the command line and calls the command with a
// [Session]; [Take] gives each [Side] its turns and returns the [Figures];
// [Session.Table] prints them.
//
//	figs, err := measure.Take(s.Rounds, rows, measure.Side[*row]{Name: "ours", Turn: ours}, ...)
//	t := s.Table("us", 36, "ours", "MPICH", "better/o")
//	t.Row(r.name, figs[r].Short("ours", 1e6), ...)
//
// Sides take turns because one figure alone says more about the host and its load than
// about the code.
//
// # Map
//
//   - command.go: the command line, the choice of rows, the libraries
//   - turns.go: sides, rounds and figures
//   - time.go: how often to repeat a step; repetitions of many ranks
//   - table.go: printing
//   - conditions.go: the machine and how busy it is
package measure

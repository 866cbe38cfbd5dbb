// Package find is an analyzer for memory that the ranks of one process share, and that
// ranks in processes of their own would not share. Start here: [Analyzer] is for drivers of
// analyzers, such as go vet; [Find] is the analysis of one package.
//
// A rank's program is a function with the parameters (context.Context, *comm.Comm) that
// returns an error. The analyzer reads it, and the functions of the program's module that
// it reaches, for variables declared outside of it that it changes or receives into, and
// for locks, channels and other things that work in one process only.
//
//   - analyzer.go: the analyzer, and what it reports
//   - load.go: the packages of a program, type-checked as far as their source is available
//   - stubs.go: types of the standard library that change when they are used
//   - functions.go: functions of the standard library and of commworld that change what
//     they are given, or do not
//   - walk.go: which variables the code of ranks mentions, and how
//   - call.go: the effects of calls, and which functions they may run
//   - way.go: how an expression leads to memory from a variable
//   - flow.go: by which variables, calls and literals memory came to a variable
//   - rank.go: which indices are the rank
//   - find.go: the bodies of ranks, and the findings about their variables
//
// A variable is reported if some way leads from it to memory that ranks change. A copy is
// distinguished from the original, each call of a function from the others, and an
// assignment that comes before a use hides earlier values. Otherwise order does not matter:
// code that may run is assumed to run.
//
// Only the source of the program's own module is read. The analysis does not know what a
// function of another module does to its arguments, nor which method a call through an
// interface runs. If one function puts memory into a field or a list of its argument, and
// another takes it out, that is not found.
//
// The analysis is not built on SSA form: there, a copy of a struct, an append to a slice
// without room and a field that is set in one branch are stores like others, and a driver
// gives the SSA of one package at a time, but ranks reach variables through several.
package find

// Package sharing reads the source of a rank's program for memory that ranks of
// one process share, and that ranks in processes of their own would not: variables
// declared outside of the program's body which the body, or a function it reaches,
// changes, and things such as locks and channels, which work in one process only.
//
//   - load.go: the packages of a program, type-checked as far as their source is here
//   - stubs.go: types of the standard library that change when they are used
//   - functions.go: functions of the standard library and of this module that change
//     what they are given, or do not
//   - walk.go: which variables the code of ranks mentions, and how
//   - call.go: what calls do, and which functions they may run
//   - way.go: how an expression leads to memory from a variable
//   - flow.go: by which variables, calls and literals memory came to a variable
//   - rank.go: which indices are the rank
//   - find.go: the body of a rank, and what its variables come to
//
// A variable is told of if some way leads from it to memory that ranks change. Copies
// are told from what they are of, calls of one function from each other, and what a
// variable held before an assignment that comes before its use does not count.
// Otherwise order does not matter: what might run is taken to run.
//
// Only the source of the program's own module is read. So what a function of another
// module does to what it is given is not known, nor is which method a call through an
// interface comes to. What one function puts into a field or a list of something that
// it is given, another that takes it out is not seen to share.
package sharing

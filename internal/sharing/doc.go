// Package sharing reads the source of a rank's program for memory that ranks of
// one process share, and that ranks in processes of their own would not: variables
// declared outside of the program's body which the body, or a function it reaches,
// changes, and things such as locks and channels, which work in one process only.
//
//   - load.go: the packages of a program, type-checked as far as their source is here
//   - stubs.go: types of the standard library that change when they are used
//   - walk.go: which variables the code of ranks mentions, and how
//   - flow.go: what variables stand for others, which indices are the rank
//   - find.go: the body of a rank, and what its variables come to
//
// Only the source of the program's own module is read. So what a function of
// another module does to what it is given is not known, nor is which method a call
// through an interface comes to; everything else that might run is taken to run.
package sharing

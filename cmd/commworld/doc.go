// Command commworld shows the simulated MPI world at work.
//
//	commworld verify                  on this program's own bytes
//	commworld verify FILE --type int --width 100 --ranks 1,5,12
//	commworld verify FILE --json      one JSON object
//	commworld verify FILE --keep DIR  leaves the written files in DIR
//
//	commworld type 'vector(3, 2, 4, int)'
//	commworld type EXPR --sizes lp64le,external32 --copies 3 --markers weak
//	commworld type --json < FILE      one answer for each line
//
// verify takes FILE as a 2-D array and has every number of ranks write it
// through every decomposition and representation into a new shared file. Every
// number of ranks then reads it through another decomposition, collectively and
// independently. All files of one representation have to be equal, native ones
// equal to FILE, and every reader has to get FILE's bytes. The exit status is 0
// if all are identical, 1 if not, 2 for wrong use or a file that cannot be read
// or written.
//
// type explains a datatype: size, bounds, signature, loop nest, and a map of
// its first copies byte by byte. Without EXPR it reads expressions from standard
// input, one a line. The exit status is 0, or 2 if an expression was wrong.
//
// # Map
//
//   - main.go: the command line
//   - verify.go: flags of verify, progress, the order of the output
//   - input.go: FILE as an array and a tail
//   - decompose.go: who owns what, as arithmetic and as views
//   - ownership.go: the arithmetic asked once for each element, and comparing by it
//   - engine.go, trial.go: writing and reading; they print nothing
//   - compare.go: comparing a file with what it should hold
//   - type.go, typereport.go, typejson.go: the answers of type
//   - typemap.go, typemapbands.go, typemapoverlap.go: its picture
//   - result.go, report.go, picture.go: what came of it, as text, JSON and drawing
//
// # Borders
//
// A program like any other: it uses the public packages only.
package main

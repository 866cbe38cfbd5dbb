// Package export writes a rank script as a program: in C for real MPI libraries, and
// in Go for this module.
//
//	s, err := script.Parse(text)
//	c, err := export.C(s, export.Options{Name: "stale.mpio"})
//	g, err := export.Go(s, export.Options{Name: "stale.mpio"})
//
// Start here: both programs make the calls of the script in its order, with branches on the
// rank. A failed call ends the program with the line of the script, a line "error" of the
// script is a call that has to fail, and lines "allow" are checks at the end. Exit status of
// C: 0 all checks passed, 1 a value or a file differs, 2 a call failed, 3 a call did not
// fail as it should. A statement that has no form in the language is an [Error] with its
// line.
//
// # Map
//
//   - program.go: the data of a script that both languages need: names, variables, types,
//     which statement a wait or an end completes
//   - flow.go: lines of a language, and blocks as branches
//   - statement.go: the calls that a statement becomes, whichever the language; what a
//     dialect does
//   - memory.go: buffers as arrays of one element type
//   - c.go, cstmt.go, ctype.go, ccheck.go: C; cstmt.go is its dialect
//   - golang.go, gostmt.go, gocheck.go: Go; gostmt.go is its dialect
//
// # Borders
//
// It reads scripts and writes text; it runs nothing.
package export

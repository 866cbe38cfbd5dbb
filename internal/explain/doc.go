// Package explain answers what a rule, a routine of MPI, a Go name, an error class or a
// statement of rank scripts is: from the list of rules, doc comments, the grammar of
// scripts and the corpus of mistakes, all of which it carries with it.
//
//	a, ok := explain.Find("IO-VIEW-05")
//	fmt.Print(a)
//
// Start here: [Find] returns one answer or the names nearest to what was asked.
//
// # Map
//
//   - explain.go: finding and answering
//   - rule.go, name.go: answers about rules, and about routines, Go names, classes, statements
//   - names.go: Go names and routines, as names.txt has them
//   - absent.go: routines that this module does not have, and why
//   - cheatsheet.go, printed.go: the cheat sheet, as a document and as a page to print
//   - names.txt, types.txt, tests.txt: made by `go run ./internal/explain/generate` from doc comments
//     and docs/CONFORMANCE.md; prototypes.txt: the standard's C bindings
//
// # Borders
//
// It knows no rule and no routine by itself.
package explain

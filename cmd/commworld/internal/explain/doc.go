// Package explain explains a rule, a routine or datatype of MPI, a Go name, an error
// class, a statement of rank scripts or a term such as etype. Its sources are the list
// of rules, doc comments, the grammar of scripts and the corpus of mistakes, all built
// in.
//
//	a, ok := explain.Find("IO-VIEW-05")
//	fmt.Print(a)
//
// Start here: [Find] returns one answer, or the names most similar to the one asked for.
//
// # Map
//
//   - explain.go: finding and answering
//   - rule.go, name.go: answers about rules, and about routines, Go names, classes, statements
//   - term.go: predefined datatypes, markers and terms
//   - names.go: Go names and routines, as names.txt has them
//   - absent.go: routines that this module does not have, and why
//   - cheatsheet.go, printed.go: the cheat sheet, as a document and as a page to print
//   - names.txt, types.txt: made by `go generate` from doc comments; prototypes.txt: the standard's C bindings
//
// # Borders
//
// The package defines no rules and no routines of its own.
package explain

//go:generate go run -C ../../../.. ./cmd/commworld/internal/explain/generate

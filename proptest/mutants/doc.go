// Package mutants has layers that are broken on purpose, to measure what the
// conformance suite of package proptest finds. Start here: [All] lists the broken
// layers, each one layer with one bug switched on; [Correct] lists the same layers
// without bugs. Layers are over files of the operating system, over a key-value
// store and over this module's own files.
//
//	for _, m := range mutants.All() {
//		groups, err := proptest.Groups(m.Maker(t.TempDir()), proptest.With(m.With...))
//		...
//	}
//
// docs/catchrates.md has the table of how often the suite finds each, at its
// default number of programs. To make it again:
//
//	go test ./proptest/mutants -run TestCatchRates -rates.seeds=20 -rates.out=docs/catchrates.md
//
// # Map
//
//   - mutant.go: the lists
//   - plain.go: a layer that reads and writes a file of the operating system directly
//   - paged.go: one that reads, changes and writes whole pages, and keeps some
//   - behind.go: one that keeps writes until a sync
//   - clients.go: one whose ranks open a file once for all their handles
//   - framed.go: one whose files have a header with the length of the data
//   - objects.go: one that cuts files into values of a key-value store
//   - segments.go: one that appends writes to logs in a key-value store
//   - records.go: containers with a header and records over this module's files
//   - engine.go: this module's own layer with one method broken
//
// # Borders
//
// Layers are written as their authors would: by package comm, a file or a store.
// They know nothing of how the suite draws programs.
package mutants

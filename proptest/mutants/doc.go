// Package mutants tests what the conformance suite of package proptest finds, by layers
// that are broken on purpose. It is all tests. Start here: All in mutant_test.go lists the
// broken layers, each one layer with one bug switched on; Correct lists the same layers
// without bugs. Layers are over files of the operating system, over a key-value store and
// over this module's own files.
//
// docs/catchrates.md has the table of how often the suite finds each, at its
// default number of programs. To make it again:
//
//	go test ./proptest/mutants -run TestCatchRates -rates.seeds=20 -rates.out=rates.md
//
// # Map
//
//   - rates_test.go: the suite finds the broken layers; oracles_test.go: so does each oracle
//   - mutant_test.go: the lists
//   - plain_test.go: a layer that reads and writes a file of the operating system directly
//   - paged_test.go: one that reads, changes and writes whole pages, and keeps some
//   - behind_test.go: one that keeps writes until a sync
//   - clients_test.go: one whose ranks open a file once for all their handles
//   - framed_test.go: one whose files have a header with the length of the data
//   - objects_test.go: one that cuts files into values of a key-value store
//   - segments_test.go: one that appends writes to logs in a key-value store
//   - records_test.go: containers with a header and records over this module's files
//   - engine_test.go: this module's own layer with one method broken
//
// # Borders
//
// Layers are written as their authors would: by package comm, a file or a store.
// They know nothing of how the suite draws programs.
package mutants

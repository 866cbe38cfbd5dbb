// Package mutants tests what the conformance suite of package proptest finds, by layers
// that are broken on purpose. It is all tests. Start here: All in mutant_test.go lists the
// broken layers, each one layer with one bug switched on; Correct lists the same layers
// without bugs. Layers are over files of the operating system, over a key-value store and
// over this module's own files.
//
// By default a sample of the broken layers is tried, and few programs over the correct ones;
// .ci/long tries all, and 50,000 programs over correct layers (TestCorrectForLong).
//
// docs/catchrates.md has the table of how often the suite finds each, at its
// default number of programs. To make it again:
//
//	go test ./proptest/mutants -run TestCatchRates -rates.seeds=20 -rates.out=rates.md
//
// # Borders
//
// Layers are written as their authors would: by package comm, a file or a store.
// They know nothing of how the suite draws programs.
package mutants

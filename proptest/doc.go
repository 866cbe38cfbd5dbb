// Package proptest is for tests of parallel I/O by property: generators of
// views, programs and schedules, a reference model, and a conformance suite
// that authors of other layers run against theirs.
//
// It holds nothing yet. Until it does, the tests of each package draw their own
// random input: types (gen_test.go), comm (random programs), iofile
// (reference_test.go, the reference model in small) and consistency
// (reference_test.go). Datatypes are laid out by the definition in types/naive.
//
// # Borders
//
// May import every other package; it is the only one that programs can import
// which itself imports rapid.
package proptest

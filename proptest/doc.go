// Package proptest is for tests of parallel I/O by property: a reference model
// of MPI-IO, oracles, and a conformance suite that authors of other layers run
// against theirs. What testing/fstest is to file systems, it is to files that
// many ranks share.
//
// Start here: one call in a test of your layer.
//
//	func TestMyLayer(t *testing.T) {
//		proptest.Conformance(t, func() (proptest.Layer, error) { return mylayer.New(), nil })
//	}
//
// A failure is the smallest program that shows it: few ranks, few operations,
// the bytes that differ with who wrote them, and how to run it again.
//
// # Borders
//
// May import every other package; with package gen it is the only one that
// programs can import which itself imports rapid. The reference shares no code
// with the engines: for types it uses package naive alone.
package proptest

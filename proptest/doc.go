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
// # Map
//
//   - TESTING.md: how to test your own layer, from the adapter to reading a failure
//   - layer.go: what a layer must have, and what it may have
//   - conformance.go: the suite, as subtests, as properties, as fuzz targets
//   - oracles.go: the questions of the suite, each usable alone
//   - reference.go, unit.go: MPI-IO by the definition: flat bytes and lists
//   - serial.go: atomic accesses in some order
//   - promises.go: what holds when files fail
//   - layerraces.go: races of the layer itself; shared writes at one time
//   - find.go: the smallest program that fails, and how to see it again; watchdog.go: programs that do not end
//   - yielding.go: scheduling points for layers over files and stores
//   - rank.go: one rank of a program, in a world of the caller's
//   - disagree.go: what differs, for people
//   - run.go: how a program of package gen is run on a layer
//   - pattern.go, arrays.go: patterns that must not depend on the number of ranks
//   - ours.go, files.go: this module's files and plain files as layers
//
// Package gen, below this one, draws the programs. Datatypes are laid out by
// the definition in types/naive.
//
// # Borders
//
// May import every other package; with package gen it is the only one that
// programs can import which itself imports rapid. The reference shares no code
// with the engines: it knows of types only what naive says.
package proptest

// Command conformance writes docs/CONFORMANCE.md: for every rule of package internal/testkit/spec
// the tests that cover it, or the reason why there is none.
//
// Start here: the three ways to run it.
//
//	go run ./internal/testkit/conformance             run all tests, write the file
//	go run ./internal/testkit/conformance -check      write nothing; compare the ids of the committed file with the tests
//	go run ./internal/testkit/conformance -from FILE  take the output of go test -json from FILE, - for stdin
//
// A rule is covered when a subtest whose name begins with its id passed. A subtest skipped
// with the words "gap ID: reason" is a gap. Mistakes end the command with status 1: a failed
// test, an id that no table knows, a rule with neither test nor reason, a reason for a rule
// that has a test. Tests whose names begin with TestPeers are ignored: they need other MPI
// libraries, and the file must not depend on the machine. For the same reason it is made
// without the race detector, under which some worlds are smaller.
//
// The file is made for a release. -check compares ids, not text: what the file calls covered
// has to be covered, and what it calls a gap has to be a gap.
//
// # Map
//
//   - main.go: flags, running the tests, writing or comparing
//   - events.go: the stream of go test -json, and printing it as go test does
//   - coverage.go: the subtests that cover each rule
//   - table.go: the file
package main

//go:generate go run -C ../../.. ./internal/testkit/conformance

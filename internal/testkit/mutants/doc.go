// Command mutants puts small faults into the sources of this module, one at a
// time, and reports those that the tests do not notice.
//
// Start here:
//
//	go test ./internal/testkit/mutants                      # the kept table still fits the sources
//	go test ./internal/testkit/mutants -kept                # run each kept mutant against the test that must notice it
//	go run ./internal/testkit/mutants -n 20 ./types         # 20 random mutants of a package against its own tests
//	go run ./internal/testkit/mutants -n 20 -with ./script ./internal/race # and against tests of packages that use it
//
// A mutant is one changed expression or statement: a comparison off by one,
// `&&` for `||`, a negated condition, a constant changed by one, a call left
// out. The go command compiles it from an overlay, so the tree is never touched.
//
// Random mutants are compiled into one package, and a number in the environment switches one
// of them on. Each test runs once without a mutant to find which mutants it reaches; then
// each mutant meets only the tests that reach it, the fastest first. A mutant in a
// place where a running program cannot choose, such as the index of an array
// literal, is compiled on its own. A draw of package rapid may reach other mutants in
// the next run: repeat the survivors (-only, with more -checks) before you judge them.
//
// The kept table (table_test.go) holds the mutants that once survived: each names the
// test that notices it today, or the reason why none does.
package main

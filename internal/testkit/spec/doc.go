// Package spec is the numbered list of the requirements of a complete simulated MPI world:
// every rule's id, chapter and title, and for rules that are not built yet the reason. Tests
// carry the ids in their names; command internal/testkit/conformance joins both into
// docs/CONFORMANCE.md.
//
// Start here: all rules, in their order.
//
//	for _, r := range spec.Rules() { fmt.Println(r.ID, r.Title) }
//
// # Map
//
//   - ids.txt: the rules; to add one, add a line
//   - texts.txt: the texts of rules whose title is not enough
//   - gaps.txt: ids or patterns that no test covers yet, with the reason; when
//     the test is written, its line goes
//   - spec.go: reading both, and finding the ids in a test's name
//
// # Borders
//
// The comments of the code that implements a rule have its details. This package imports
// nothing of this module.
package spec

// Package gen draws what tests of parallel I/O need: worlds, datatypes, views, data and
// whole programs. All are generators of rapid that begin with the simple: few ranks, short
// types, offset 0. So a failing case shrinks to one that a person can read.
//
// Start here: draw a program, let proptest run it.
//
//	p := gen.Programs(gen.Limits{Ranks: 4, Ops: 20, Use: gen.Everything}).Draw(t, "program")
//
// # Map
//
//   - world.go: ranks, architectures, schedules, hints, representations, models
//   - recipe.go: datatypes, of five classes
//   - view.go: views, alone and complementary
//   - data.go: bytes that encode who wrote them
//   - op.go: what a program is made of
//   - program.go: programs that are legal, and what they may use; legal.go: what they must not do
//   - shape.go: orders of operations that bugs of layers need
//   - smaller.go: the smallest program that still fails
//   - pattern.go: how arrays are cut, for patterns that any number of ranks run
//   - fault.go: rules by which files fail
//
// # Borders
//
// It draws programs and runs none; package proptest defines what they should do.
package gen

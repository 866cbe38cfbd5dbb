// Package gen draws what tests of parallel I/O need: worlds, datatypes, views, data and
// whole programs. All are generators of rapid that begin with the simple: few ranks, short
// types, offset 0. So a failing case shrinks to one that a person can read.
//
// Start here: draw a program, let proptest run it.
//
//	p := gen.Programs(gen.Limits{Ranks: 4, Ops: 20, Use: gen.Everything}).Draw(t, "program")
//
// # Borders
//
// It draws programs and runs none; package proptest defines what they should do.
package gen

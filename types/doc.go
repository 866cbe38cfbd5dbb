// Package types has datatypes: recipes that say where data are and what they
// are, in memory, in messages and in files.
//
// Start here: the five calls of a typical program.
//
//	buf := types.Of(xs)                                  // a slice as a buffer: memory, count, datatype
//	column := types.Vector(4, 1, 8, types.Double)        // one of 8 columns, 4 rows
//	half := []types.Slab{{Size: 8, Sub: 4}, {Size: 8, Sub: 4, Start: 4}}
//	tile := types.Subarray(types.OrderC, half, types.Double) // for a view
//	part := types.Of(matrix).As(column).At(3 * 8)        // column 3 of a matrix
//	if err := part.Check(types.Host); err != nil { ... } // does it fit the memory?
//
// A [Type] is an immutable tree of constructor calls, as the standard has them.
// Laid out under some [Sizes] it becomes a [Layout]: under a rank's architecture
// that is memory, under a file's representation it is the file. The same recipe
// is evaluated where the data live, so byte displacements stay and element
// strides scale.
//
// # How layouts work
//
// A layout is a nest of loops, not a list: a run of bytes, a repetition at a
// stride, or an irregular list with prefix sums. Touching runs are joined and
// nested strides collapsed, so types built in different ways end up as one
// nest. What a view or a buffer needs follows from it without walking: which
// byte is the n-th ([Tiling.At]), how many come before an offset
// ([Tiling.Below]), which interval an access covers ([Tiling.Span]). Each costs
// one step for each level, and a binary search where a level is irregular; a
// layout takes memory in proportion to its recipe. Signatures are kept likewise,
// with a hash that composes, so two of 10^12 items are compared at once.
//
// # Not here, and why
//
//   - MPI_Type_commit: a layout is compiled when it is first asked for, and kept
//   - MPI_Type_free: types are immutable values, which are garbage collected; [Type.DeleteAttrs]
//     is what it does to attributes
//
// # Borders
//
// Bytes are moved, never converted: that is package reps, driven by
// [Signature.Items]. Whether types may be used for a view (order, overlap, holes)
// is asked of a [Layout] by package iofile, which decides. Package naive, below
// this one, lays types out as lists; the engine is tested against it.
package types

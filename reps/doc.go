// Package reps says how items look in a file: architectures with their byte
// orders and sizes, the data representations "native", "internal", "external32"
// and those that users register, and the conversions between memory and file.
//
//	rep, err := reps.Lookup("external32", reps.LP64LE)
//	err = rep.Pack(file, reps.Memory{Buffer: buf, Arch: reps.LP64LE}, items)
//
// A rank's memory has the sizes and alignments of its architecture and the
// byte order of the host. The same recipe of a datatype laid out under
// Rep.Sizes is the file, laid out under the architecture it is memory; both
// hold the same items in the same order, and a conversion walks them together.
//
// # Map
//
//   - arch.go: architectures
//   - external32.go: the sizes of the portable representation
//   - rep.go: representations by name
//   - registry.go, memory.go: representations of the user's own, and what their functions see
//   - pack.go: packing and unpacking by representation
//   - gather.go: conversion between a buffer and the items in a file
//   - turn.go: what only turns the bytes of items round, by vectors
//   - convert.go, wide.go: conversion of runs of items of one kind
//   - legal.go: which bytes are values
//
// # Borders
//
// Which items there are is decided in package types, where they go in a file
// in package iofile. This package converts packed items and knows no files.
package reps

// Package reps defines how items are stored in a file: architectures with their byte orders
// and sizes, the data representations "native", "internal", "external32" and those that
// users register, and the conversions between memory and file.
//
// Start here: a program needs [Lookup], and architectures such as [LP64BE] to give ranks
// different memories.
//
//	rep, err := reps.Lookup("external32", reps.LP64LE)
//	err = rep.Pack(file, reps.Memory{Buffer: buf, Arch: reps.LP64LE}, items)
//
// A rank's memory has the sizes and alignments of its architecture and the byte order of
// the host. A datatype laid out under Rep.Sizes describes the file, and laid out under the
// architecture it describes memory; both have the same items in the same order, and a
// conversion visits them together.
//
// # Borders
//
// Package types defines the items, package iofile their places in a file. This package
// converts packed items and knows no files.
//
// # Map
//
//   - arch.go: architectures
//   - external32.go: the sizes of the portable representation
//   - rep.go: representations by name
//   - registry.go, memory.go: representations of the user's own, and the arguments of their functions
//   - pack.go: packing and unpacking by representation
//   - gather.go: conversion between a buffer and the items in a file
//   - swap.go: conversion that only swaps bytes within items, by vectors
//   - convert.go, wide.go: conversion of runs of items of one kind
//   - legal.go: which bytes are values
package reps

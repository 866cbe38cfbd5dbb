// Package reps says how items look in a file: architectures with their byte
// orders and sizes, the data representations "native", "internal" and
// "external32", and the conversions between memory and file.
//
//	rep, err := reps.Lookup("external32", reps.LP64LE)
//	err = rep.Encode(file, memory, reps.LP64LE, sig, 0, items)
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
//   - pack.go: packing and unpacking by representation
//   - convert.go, kernels.go, wide.go: conversion of runs of items of one kind
//
// # Borders
//
// Which items there are is decided in package types, where they go in a file
// in package iofile. This package converts packed items and knows no files.
package reps

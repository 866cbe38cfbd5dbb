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
// A rank's memory has the sizes and alignments of its architecture. Go computes with its
// values, so they are there in the byte order of the host; where bytes of memory are to be
// seen, they are those of the architecture: in native files, and wherever Go memory of
// another type than byte is accessed as Byte or Packed, in messages, files and packing, each
// Go value is reversed on a machine of another byte order (see [types.ByteOrdered]). Memory
// that is bytes to Go, []byte and what types.Raw describes as Byte, is moved as it is, also
// if the program has made it from other memory with package unsafe. Packing units (comm.Pack),
// and so all []byte of datatype Packed in messages, are bytes of memory, too, where all ranks
// of a world have one byte order. In a world of both orders units have that of the host, so
// that all ranks unpack them and pass them on; there, Go values that are sent or received as
// Packed without Pack are still bytes of their machine, and are not units on one whose order
// is not the host's: pack them, or send them by their types. Values of other sizes (long of 8
// and of 4 bytes, long double) are never converted as bytes: receive a unit by the types of
// its items.
//
// A datatype laid out under Rep.Sizes describes the file, and laid out under the architecture
// it describes memory; both have the same items in the same order, and a conversion visits
// them together.
//
// # Borders
//
// Package types defines the items, package iofile their places in a file. This package
// converts packed items and knows no files.
package reps

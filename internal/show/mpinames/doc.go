// Package mpinames has the names by which C, Fortran and mpi4py know what this module calls by a Go name, so that
// reports about a program name the functions that the program calls.
//
// Start here: [Of] returns the language of a source file, [Language.Call] the name of a call, and [Language.Text]
// translates the text of a report. The names are in names.txt, which is made from doc comments by
// `go generate ./cmd/commworld/internal/explain`.
package mpinames

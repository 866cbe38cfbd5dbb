// Package iofile is MPI-IO: files that all ranks of a communicator open together and read
// and write through typed views.
//
// Start here: the five calls of a typical program.
//
//	fsys := iofile.NewMem()                             // or NewDir(path); it outlives the ranks
//	f, err := iofile.Open(c, fsys, "grid", iofile.Create|iofile.ReadWrite)
//	err = f.SetView(iofile.View{Disp: 12, Etype: types.Double, Filetype: ft, Rep: "external32"})
//	st, err := f.WriteAtAll(types.Of(xs), 0)
//	err = f.Close()
//
// Offsets ([Offset]) count etypes of the current view, displacements and sizes count bytes.
// Every rank that opened the file makes the collective calls, in the same order; if one
// fails on a rank, it fails on all.
//
// # Borders
//
// internal/image decides what a read returns, internal/race which accesses race; package
// reps defines how items are stored in the file, and package types where the items of a
// type are. This package must not import world.
package iofile

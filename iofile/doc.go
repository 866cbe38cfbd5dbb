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
// # Map
//
//   - open.go, mode.go: opening, closing, deleting, access modes
//   - view.go, checkview.go: which bytes of the file a rank sees; package internal/view has the rules of views
//   - access.go: the path of all data accesses
//   - explicit.go, individual.go, sharedpointer.go: the methods of data access, by file pointer
//   - bytes.go, slice.go: a view's bytes for package io, its values as slices
//   - scattered.go: accesses that are scattered in memory and in the file
//   - layoutsonly.go: accesses to files without bytes
//   - progress.go: the progress of long accesses
//   - stream.go: rules of Sequential files
//   - cachedplan.go: what the access path keeps of the last access
//   - started.go, split.go: accesses under way
//   - choices.go, exploredwrites.go: choices in exploring worlds
//   - listeners.go: the listeners to what a handle does (internal/journal), and the one place that notifies them;
//     each is beside its subject: races.go, provenance.go, observe.go, poll.go, progress.go
//   - calllog.go: calls in the log of the run
//   - carrier.go: what carries out the calls of a handle: this process (open.go, access.go and most others), or an
//     engine (far.go, farpath.go)
//   - option.go, datarep.go: options of Open, representations of the user's own
//   - lint.go, written.go, hint.go, hintlint.go: lints: calls that are legal, but probably not meant
//   - poll.go: ranks that read the same bytes in a loop
//   - carry.go, exchange.go: moving bytes by the plans of package strategy
//   - size.go, sync.go: sizes, consistency
//   - agree.go: how the ranks of a collective call agree on one result
//   - fs.go, fsoption.go, store.go: file systems, the files of them that are open; package iofile/store keeps the bytes
//   - copy.go, room.go: import, export, snapshots
//   - crash.go: the state of files after a crash
//   - fault.go: injecting the faults of package faults
//   - touched.go: memory that the program changes while an access is under way
//   - guard.go: panics of functions, stores, readers and writers of the user's own
//   - info.go, hints.go: hints
//   - errors.go: classes, and how an error gets its call, rank and file
//   - errhandler.go: error handlers
//
// # Borders
//
// internal/image decides what a read returns, internal/race which accesses race; package
// reps defines how items are stored in the file, and package types where the items of a
// type are. This package must not import world.
package iofile

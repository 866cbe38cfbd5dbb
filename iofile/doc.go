// Package iofile is MPI-IO: files that all ranks of a communicator open
// together and read and write through typed views.
//
//	f, err := iofile.Open(c, fsys, "grid", iofile.Create|iofile.ReadWrite)
//	err = f.SetView(iofile.View{Disp: 12, Etype: types.Double, Filetype: ft, Rep: "external32"})
//	st, err := f.WriteAtAll(types.Of(xs), 0)
//	err = f.Close()
//
// Offsets ([Offset]) count etypes of the current view, displacements and
// sizes count bytes. Collective calls are called by every rank that opened the
// file, in the same order; one that fails on a rank fails on all.
//
// # Map
//
//   - open.go, mode.go: opening, closing, deleting, access modes
//   - view.go, checkview.go, holes.go: which bytes of the file a rank sees, and the rules of views
//   - access.go: the one door that all data-access methods pass
//   - again.go: what it remembers of an access, and need not look at in the next
//   - explicit.go, individual.go, shared.go: those methods, by file pointer
//   - bytes.go, slice.go: a view's bytes for package io, its values as slices
//   - parts.go: accesses that are scattered in memory and in the file
//   - progress.go: how far long accesses have come
//   - stream.go: what is different on Sequential files
//   - started.go, split.go: accesses under way
//   - choices.go, past.go: what worlds that explore may choose
//   - races.go, provenance.go, observe.go, log.go: who is told of accesses
//   - far.go, farpath.go: files that another library carries out
//   - option.go, datarep.go: options of Open, representations of the user's own
//   - lint.go, written.go, hint.go, hintlint.go: lints: what is legal, but probably not what the program means
//   - poll.go: ranks that read the same bytes in a loop
//   - strategy.go, plan.go, twophase.go, carry.go, exchange.go: how bytes travel: strategies, their plans, carrying them out
//   - size.go, sync.go: sizes, consistency
//   - agree.go: how the ranks of a collective call come to one answer
//   - store.go, fs.go, mem.go, dir.go, dirlock_*.go, dirwrite_*.go, large_*.go, reserve_*.go: where the bytes are kept
//   - copy.go, room.go: files in and out, snapshots
//   - crash.go: what a crash leaves
//   - fault.go: what plans of package faults do to calls
//   - touched.go: memory that is written into while an access is under way
//   - guard.go: panics of functions, stores, readers and writers of the user's own
//   - info.go, hints.go: hints
//   - errors.go: classes, and how an error gets its call, rank and file
//   - errhandler.go: what happens to an error before the call returns it
//
// # Borders
//
// What a read may return is decided in package consistency, how bytes look
// in the file in package reps, where the items of a type lie in package types.
// This package must not import world.
package iofile

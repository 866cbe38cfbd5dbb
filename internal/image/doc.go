// Package image keeps the bytes of a file that several ranks have open, and decides what a
// read by one of them returns. By default a rank sees no write of another rank unless the
// standard says that it must, so a program that is correct only by luck fails here and not
// on the machine it was written for.
//
// Start here: the life of a write, from a handle's log to another rank.
//
//	im := image.NewImage(backing)
//	a, b := im.Open(), im.Open()       // one handle for each rank
//	err := a.Write(at, 0, packed)      // stays private to a
//	err = a.Publish()                  // now in the image, as a new version
//	b.Adopt()                          // and from here on b sees it
//	n, err := b.Read(at, 0, packed)
//
// A file is an [Image] of published bytes and, for each [Handle], a log of the handle's
// writes since it last published. A log record is packed bytes and the tiling that places
// them, so its cost does not depend on the number of fragments; a long run of bytes is one
// record for each page of the file. Publishing scatters the log into the image as a new
// version; overwritten bytes are kept only while some handle has adopted an older version. A
// handle that adopts at once ([Handle.Exchange]) does not need its log any more: whole pages
// of the log become pages of the image, and the memory of other records keeps the
// overwritten bytes. A read returns the bytes of the adopted version, plus the handle's own
// log. [Rules] make handles publish or adopt earlier.
//
// # Map
//
//   - backing.go, memory.go: where published bytes are kept; pages; memory
//   - image.go: the image, its size and everything that the handles of a file share
//   - rules.go: when a write becomes visible; chaos
//   - version.go: versions, which handle has adopted which, and when old bytes are dropped
//   - publish.go: how a log gets into the image
//   - stage.go: published bytes of all ranks, on their way to a backing without pages
//   - undo.go: overwritten bytes, by page
//   - load.go: bytes of the image as of a version
//   - handle.go, read.go: the operations of one rank on a file
//   - privatelog.go, records.go, arena.go, index.go: unpublished writes of one rank
//   - lay.go: long runs of them, in pages
//   - mix.go: two racing writes of which each leaves some bytes
//   - lock.go: locks on pages, and on ranges for atomic mode
//   - onepage.go: accesses to one page of the image itself
//   - copyonly.go: accesses that only copy
//   - scattered.go: accesses that are scattered in the program's memory
//   - errors.go: how an error of a backing becomes one of this package
//
// # Borders
//
// A state machine: no goroutines, no clock, and no waiting except for leaf locks that are
// held while bytes are copied. It knows offsets, not datatypes or ranks; package iofile
// translates those.
package image

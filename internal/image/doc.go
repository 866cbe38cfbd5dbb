// Package image keeps the bytes of a file that several ranks have open, and
// decides what a read of one of them returns. By default nothing another rank
// wrote is seen unless the standard says that it must be, so a program that
// relies on luck fails here and not on the machine it was written for.
//
//	im := image.NewImage(backing)
//	a, b := im.Open(), im.Open()       // one handle for each rank
//	err := a.Write(at, 0, packed)      // stays private to a
//	err = a.Publish()                  // now in the image, as a new version
//	b.Adopt()                          // and from here on b sees it
//	n, err := b.Read(at, 0, packed)
//
// A file is an [Image] of published bytes and, for each [Handle], a log of
// what that handle wrote since it last published. A log record is packed bytes
// and the tiling that places them, so it costs the same however many fragments
// a view scatters them to; a long run of bytes is one record for each page of the
// file. Publishing scatters the log into the image as a new version; the bytes that
// it overwrites are kept only while some handle has adopted an older one. A handle
// that adopts at once ([Handle.Exchange]) has no use for its log then, so a whole
// page becomes that of the image, and other records keep what they overwrote. A
// read is the image, minus what is newer than the adopted version, plus the
// handle's own log. [Rules] make handles publish or adopt earlier.
//
// # Map
//
//   - backing.go, memory.go: where published bytes are kept; pages; memory
//   - image.go: the image, its size and what all of a file's handles share
//   - rules.go: when a write becomes visible; chaos, crash images
//   - version.go: versions, who has adopted which, what may be forgotten
//   - publish.go: how a log gets into the image
//   - undo.go: overwritten bytes, by page
//   - load.go: bytes of the image as of a version
//   - handle.go, read.go: what one rank does with a file
//   - log.go, records.go, arena.go, index.go: what one rank wrote and has not published
//   - lay.go: long runs of it, in pages
//   - mix.go: two writes of which each leaves some bytes
//   - lock.go: locks on pages, and on ranges for atomic mode
//   - near.go: accesses to one page of the image itself
//   - again.go: accesses that take no more than copying
//   - parts.go: accesses that are scattered in the program's memory
//   - errors.go: how an error of a backing becomes one of this package
//
// # Borders
//
// A state machine: no goroutines, no clock, no waiting except for leaf locks
// that are held while bytes are copied. It knows offsets, not datatypes or
// ranks; which of those a view shows is settled in package iofile.
package image

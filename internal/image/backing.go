package image

import (
	"errors"
	"fmt"
	"io"
)

// A Backing keeps the published bytes of one file: offsets and sizes in bytes, ReadAt and
// WriteAt as in package io. Errors that wrap an error class keep it; all others count as
// input/output errors.
//
// Calls come from one [Image] and from many ranks at once. Two calls for the same page of
// [PageSize] bytes never overlap unless both only read; SetSize, when it cuts, excludes all
// other calls. Size and Sync may be called at any time.
type Backing interface {
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	Size() int64
	SetSize(n int64) error
	Sync() error // brings written bytes to the storage device
	Close() error
}

const (
	pageShift = 16
	// PageSize is the unit in which an image is locked and, in memory, kept.
	PageSize = 1 << pageShift
	// Stripes is the number of page locks of an image.
	Stripes = 64
	// Poison is the value of a byte that was never written, unless its backing is a
	// [Poisoner]. It is not 0, because a program must not rely on 0.
	Poison = 0xA5
)

// A Pager is a backing in memory that lends its pages. The image writes into the pages
// directly, and sets a greater size by Grow.
type Pager interface {
	Backing
	// Grow makes the size at least n. It may be called at any time.
	Grow(n int64)
	// Page returns the bytes of page i, nil if it was never made. They may be fewer than
	// PageSize if the last ones were never written.
	Page(i int64) []byte
	// Make returns page i with at least n bytes. If necessary it makes or lengthens the
	// page, and fills new bytes with poison unless whole says that all of the page will be
	// written at once.
	Make(i, n int64, whole bool) ([]byte, error)
	// Pages lists the existing pages in [lo, hi), in ascending order. No page is made or
	// dropped during the call.
	Pages(lo, hi int64) []int64
}

// A Renewer is a pager that accepts a new page in place of an old one, so that a page that
// is written as a whole need not be copied. Renew makes the given page the new page i. The
// new page has PageSize bytes and belongs to the store from then on. Renew returns the old
// page, which then belongs to the caller; nil if it was never made.
type Renewer interface {
	Renew(i int64, page []byte) (old []byte, err error)
}

// A Reserver is a backing that can reserve space for its first n bytes, even beyond its
// size. Reserve excludes all other calls but Size and Sync.
type Reserver interface{ Reserve(n int64) error }

// A Poisoner is a backing with its own poison byte.
type Poisoner interface{ Poison() byte }

// A Sparse backing can skip holes.
type Sparse interface {
	// NextData returns the offset of the first byte from off on that may have
	// been written.
	NextData(off int64) int64
}

// readFull reads p at off and fills bytes beyond the end with poison. It returns how many
// bytes of p it set, from the first.
func readFull(b Backing, p []byte, off int64, poison byte) (int64, error) {
	done := 0
	for done < len(p) {
		n, err := b.ReadAt(p[done:], off+int64(done))
		if n < 0 || n > len(p)-done {
			return int64(done), fmt.Errorf("reading %d bytes, the store says that it read %d", len(p)-done, n)
		}
		done += n
		switch {
		case err == io.EOF:
			fill(p[done:], poison)
			return int64(len(p)), nil
		case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
			return int64(done), err
		case n == 0:
			return int64(done), io.ErrNoProgress
		}
	}
	return int64(done), nil
}

// writeFull writes p at off, and continues after short writes. It returns how many bytes it
// wrote.
func writeFull(b Backing, p []byte, off int64) (int64, error) {
	done := 0
	for done < len(p) {
		n, err := b.WriteAt(p[done:], off+int64(done))
		if n < 0 || n > len(p)-done {
			return int64(done), fmt.Errorf("writing %d bytes, the store says that it wrote %d", len(p)-done, n)
		}
		done += n
		switch {
		case n > 0 && errors.Is(err, io.ErrShortWrite):
		case err != nil:
			return int64(done), err
		case n <= 0:
			return int64(done), io.ErrNoProgress
		}
	}
	return int64(done), nil
}

// fill sets all of p to b, doubling the part already set.
func fill(p []byte, b byte) {
	if len(p) == 0 {
		return
	}
	p[0] = b
	for n := 1; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
}

package image

import (
	"errors"
	"fmt"
	"io"
)

// A Backing keeps the published bytes of one file: offsets and sizes in bytes,
// ReadAt and WriteAt as in package io. Errors that wrap an error class keep it,
// all others count as input/output errors.
//
// Calls come from one [Image] and from many ranks at once. Calls that touch
// the same page of [PageSize] bytes are kept apart unless all of them only read;
// SetSize, when it cuts, excludes all other calls. Size and Sync may come at any
// time.
type Backing interface {
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	Size() int64
	SetSize(n int64) error
	Sync() error // what was written is on the storage device
	Close() error
}

const (
	pageShift = 16
	// PageSize is the unit in which an image is locked and, in memory, kept.
	PageSize = 1 << pageShift
	// Stripes is the number of page locks of an image.
	Stripes = 64
	// Poison is what a byte that was never written reads as, unless its backing
	// is a [Poisoner]. It is not 0, because a program must not rely on 0.
	Poison = 0xA5
)

// A Pager is a backing in memory that lends its pages. Writing through it is
// scattering into pages; a size that grows by it is set by Grow.
type Pager interface {
	Backing
	// Grow makes the size n at least. It may come at any time.
	Grow(n int64)
	// Page returns the PageSize bytes of page i, nil if it was never made. They are
	// fewer if those behind were never written.
	Page(i int64) []byte
	// Make returns page i with n bytes at least and makes it, or lengthens it, if
	// need be, by poison bytes unless whole says that all of the page will be
	// written at once.
	Make(i, n int64, whole bool) ([]byte, error)
	// Pages lists the pages made among [lo, hi), in ascending order. It is
	// called while no page is made or dropped.
	Pages(lo, hi int64) []int64
}

// A Renewer is a pager that can take another page in the place of one, so that
// nothing need be copied of a page that is written as a whole. Renew makes page,
// which has PageSize bytes and is the store's from then on, page i, and returns
// what that was before, which is the caller's: nil if it was never made.
type Renewer interface {
	Renew(i int64, page []byte) (old []byte, err error)
}

// A Reserver is a backing that can keep the place of its first n bytes free from
// others, whatever its size. Reserve excludes all other calls but Size and Sync.
type Reserver interface{ Reserve(n int64) error }

// A Poisoner is a backing with a poison byte of its own.
type Poisoner interface{ Poison() byte }

// A Sparse backing can skip holes.
type Sparse interface {
	// NextData returns the offset of the first byte from off on that may have
	// been written.
	NextData(off int64) int64
}

// readFull reads p at off; what lies beyond the end is filled with poison. It
// returns how many bytes of p it set, from the first.
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

// writeFull writes p at off, going on after short writes. It returns how many
// bytes it wrote.
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

// fill sets all of p to b, doubling what is already set.
func fill(p []byte, b byte) {
	if len(p) == 0 {
		return
	}
	p[0] = b
	for n := 1; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
}

package image_test

import (
	"maps"

	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/types"
)

// A second implementation of the model, directly by its definition: it keeps every version
// of the file whole, byte by byte.

// refVersion is the file as of one publication.
type refVersion struct {
	bytes map[int64]byte
	size  int64
}

type refFile struct{ versions []refVersion }

func newRefFile() *refFile { return &refFile{[]refVersion{{map[int64]byte{}, 0}}} }

func (f *refFile) newest() *refVersion { return &f.versions[len(f.versions)-1] }

// next makes a new version by change.
func (f *refFile) next(change func(v *refVersion)) {
	v := refVersion{maps.Clone(f.newest().bytes), f.newest().size}
	change(&v)
	f.versions = append(f.versions, v)
}

func (v *refVersion) put(bytes map[int64]byte) {
	for off, b := range bytes {
		v.bytes[off] = b
		v.size = max(v.size, off+1)
	}
}

func cut(bytes map[int64]byte, n int64) {
	maps.DeleteFunc(bytes, func(off int64, _ byte) bool { return off >= n })
}

// refHandle is a handle: the version that it adopted, all its writes since, and those of
// them that are not published.
type refHandle struct {
	f           *refFile
	version     int
	own, unpub  map[int64]byte
	base, visib int64
	atomic      bool

	early, fresh bool // as its model has it
}

func (f *refFile) open() *refHandle {
	h := &refHandle{f: f, unpub: map[int64]byte{}}
	h.adopt()
	return h
}

func (h *refHandle) adopt() {
	if h.atomic {
		return
	}
	h.version = len(h.f.versions) - 1
	h.base = h.f.newest().size
	h.visib = h.base
	h.own = maps.Clone(h.unpub)
	for off := range h.own {
		h.visib = max(h.visib, off+1)
	}
}

func (h *refHandle) publish() {
	if len(h.unpub) > 0 {
		h.f.next(func(v *refVersion) { v.put(h.unpub) })
	}
	clear(h.unpub)
}

func (h *refHandle) write(at types.Tiling, from int64, p []byte) {
	for i, b := range p {
		off := at.At(from + int64(i))
		h.own[off], h.unpub[off] = b, b
		h.visib = max(h.visib, off+1)
	}
	if h.atomic || h.early {
		h.publish()
	}
}

func (h *refHandle) size() int64 {
	if h.atomic || h.fresh {
		size := h.f.newest().size
		for off := range h.unpub {
			size = max(size, off+1)
		}
		return size
	}
	return h.visib
}

// byteAt is what h reads at off, which is inside its size.
func (h *refHandle) byteAt(off int64) byte {
	v, live := h.f.versions[h.version], h.atomic || h.fresh
	if live {
		v = *h.f.newest()
		if b, ok := h.unpub[off]; ok {
			return b
		}
	} else if b, ok := h.own[off]; ok {
		return b
	}
	if b, ok := v.bytes[off]; ok && (live || off < h.base) {
		return b
	}
	return image.Poison
}

func (h *refHandle) read(at types.Tiling, from int64, p []byte) int64 {
	for i := range p {
		off := at.At(from + int64(i))
		if off >= h.size() {
			return int64(i)
		}
		p[i] = h.byteAt(off)
	}
	return int64(len(p))
}

func (h *refHandle) resize(n int64) {
	cut(h.own, n)
	cut(h.unpub, n)
	h.base, h.visib = min(h.base, n), n
}

func (f *refFile) setSize(n int64) {
	f.next(func(v *refVersion) {
		cut(v.bytes, n)
		v.size = n
	})
}

func (h *refHandle) setAtomic(on bool) {
	if h.atomic == on {
		return
	}
	h.publish() // package iofile publishes before a change of mode
	h.atomic = on
	h.adopt()
}

package iofile

import (
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/types"
)

// manyBytes is the number of bytes up to which an access is better packed before it is
// moved.
const manyBytes = 128 << 10

// inParts reports whether an access has many bytes that are scattered in memory and need
// not be packed for another rank.
func (f *File) inParts(a *access) bool {
	if a.etypes*f.view.Unit.Size <= manyBytes || !f.view.plain || f.view.judged ||
		f.how.moves != nil || a.buf.Filled() || f.lintsValues(a.buf.Type()) || !a.write && f.watchesKinds() || f.wanted(journal.Part) || f.chooser.choosesReads() {
		return false
	}
	return len(a.mem) == 0 && !a.buf.Reordered(f.view.memory)
}

// getParts is [File.get] in parts.
func (f *File) getParts(a *access) (int64, error) {
	part, arch := f.view.part(a), f.view.memory
	n, err := f.bytes.ReadParts(part.At, part.From, part.N, func(src types.Place, pos, k int64) { a.buf.Take(src, pos, arch, k) })
	f.hasGot(a, n)
	return n, err
}

// putParts is [File.put] in parts. If ok is false it has done nothing.
func (f *File) putParts(a *access) (n int64, ok bool, err error) {
	part, arch := f.view.part(a), f.view.memory
	ok, err = f.bytes.WriteParts(part.At, part.From, part.N, func(dst types.Place, pos, k int64) { types.Zip(dst, a.buf.Place(pos, arch), k) })
	if !ok {
		return 0, false, nil
	}
	a.moved = f.bytes.Placed()
	n, err = f.hasPut(a, err)
	return n, true, err
}

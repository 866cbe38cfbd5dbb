package iofile

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// manyBytes are more than an access better packs before it moves them.
const manyBytes = 128 << 10

// inParts reports an access of many bytes that are scattered in memory, and that
// nobody has to see packed.
func (f *File) inParts(a *access) bool {
	if a.etypes*f.view.esize() <= manyBytes || !f.bytesOnly() || f.view.judged ||
		f.how.strategy != nil || f.how.progress != nil || f.thread.Exploring() {
		return false
	}
	_, ok := a.contiguous(f.c.Arch())
	return !ok
}

// getParts is [File.get] in parts.
func (f *File) getParts(a *access) (Status, error) {
	part, arch := f.part(a), f.c.Arch()
	f.recent = last{op: a.op, part: part}
	n, err := f.bytes.ReadParts(part.At, part.From, part.N, func(src types.Place, pos, k int64) { a.buf.Take(src, pos, arch, k) })
	f.hasGot(a, n)
	return comm.NewStatus(n, arch), err
}

// putParts is [File.put] in parts. If ok is false it has done nothing.
func (f *File) putParts(a *access) (st Status, ok bool, err error) {
	part, arch := f.part(a), f.c.Arch()
	ok, err = f.bytes.WriteParts(part.At, part.From, part.N, func(dst types.Place, pos, k int64) { types.Zip(dst, a.buf.Place(pos, arch), k) })
	if !ok {
		return st, false, nil
	}
	f.recent = last{op: a.op, write: true, part: part}
	if a.moved = part.N; err != nil {
		a.moved = f.bytes.Placed()
	}
	st, err = f.hasPut(a, err)
	return st, true, err
}

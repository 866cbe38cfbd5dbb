package iofile

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// A kindRecord records with which kind of the etype each byte of a file was written. It
// begins with the first open that asks for it: bytes written before, from outside, or through
// views of bytes have no kind. It grows with the number of stretches of equal kinds.
// (IO-TM-04)
type kindRecord struct {
	on atomic.Bool

	mu   sched.Mutex
	list []kindRange // disjoint and sorted
}

// A kindRange is bytes [lo, hi) of items of one kind, one of which begins at byte origin.
type kindRange struct {
	lo, hi, origin int64
	kind           types.Kind // KindNone: unknown
	size           int64      // of an item
}

// begins returns the first byte of the item that byte at belongs to.
func (r kindRange) begins(at int64) int64 {
	off := (at - r.origin) % r.size
	if off < 0 {
		off += r.size
	}
	return at - off
}

// continues reports whether o continues r as items of the same kind.
func (r kindRange) continues(o kindRange) bool {
	return r.hi == o.lo && r.kind == o.kind && (r.kind == types.KindNone || r.size == o.size && r.begins(o.lo) == o.begins(o.lo))
}

// at returns the index of the first range that ends after offset lo.
func (w *kindRecord) at(lo int64) int {
	i, _ := slices.BinarySearchFunc(w.list, lo, func(x kindRange, lo int64) int {
		if x.hi <= lo {
			return -1
		}
		return 1
	})
	return i
}

// put replaces the record of e's bytes. Called with w.mu held.
func (w *kindRecord) put(e kindRange) {
	i := w.at(e.lo)
	j := i
	with := make([]kindRange, 0, 3)
	if i < len(w.list) && w.list[i].lo < e.lo {
		before := w.list[i]
		before.hi = e.lo
		with = append(with, before)
	}
	with = append(with, e)
	for ; j < len(w.list) && w.list[j].lo < e.hi; j++ {
		if after := w.list[j]; after.hi > e.hi {
			after.lo = e.hi
			with = append(with, after)
		}
	}
	w.list = slices.Replace(w.list, i, j, with...)
	for k := min(i+len(with), len(w.list)-1); k > 0 && k >= i; k-- {
		if w.list[k-1].continues(w.list[k]) {
			w.list[k-1].hi = w.list[k].hi
			w.list = slices.Delete(w.list, k, k+1)
		}
	}
}

// cut forgets the bytes from size on.
func (w *kindRecord) cut(size int64) {
	if w.on.Load() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.put(kindRange{lo: size, hi: math.MaxInt64})
	}
}

// watchesKinds reports whether the kinds of the bytes are recorded.
func (f *local) watchesKinds() bool { return f.set != nil && f.set.file.written.kinds.on.Load() }

// beginKinds begins the record of the file if the open, or a careful world, asks for it.
func (f *local) beginKinds() {
	if f.how.typed || f.log.Careful() {
		f.set.file.written.kinds.on.Store(true)
	}
}

// kindsOf calls yield for the stretches of items of one kind among n packed bytes of the view
// from position from on, each with the file bytes it takes.
func (f *local) kindsOf(from, n int64, yield func(kindRange) bool) {
	sig, sizes := f.view.Etype.Signature(), f.view.rep.Sizes()
	pos := from
	for off, k := range f.view.Tiles.Runs(from, n) {
		if f.view.raw {
			if !yield(kindRange{lo: off, hi: off + k}) {
				return
			}
			pos += k
			continue
		}
		item, _ := sig.ItemsIn(pos, sizes)               // the run may begin inside it
		at := off - (pos - sig.BytesBefore(item, sizes)) // where the item began
		for kind, count := range sig.Items(item, k+1) {
			size := sizes.Sizeof(kind)
			r := kindRange{lo: max(at, off), hi: min(at+count*size, off+k), origin: at, kind: kind, size: size}
			if r.lo < r.hi && !yield(r) {
				return
			}
			if at += count * size; at >= off+k {
				break
			}
		}
		pos += k
	}
}

// noteKinds records the kinds of n bytes that a write has moved.
func (f *local) noteKinds(a *access, n int64) {
	w := &f.set.file.written.kinds
	w.mu.Lock()
	defer w.mu.Unlock()
	f.kindsOf(f.view.packed(a.off), n, func(r kindRange) bool {
		w.put(r)
		return true
	})
}

// otherKind returns what is wrong with reading n bytes as the etype: the first item that was
// written as another kind, or begins elsewhere; empty if nothing is known to be wrong.
func (f *local) otherKind(a *access, n int64) (text string) {
	w := &f.set.file.written.kinds
	w.mu.Lock()
	defer w.mu.Unlock()
	f.kindsOf(f.view.packed(a.off), n, func(r kindRange) bool {
		for i := w.at(r.lo); i < len(w.list) && w.list[i].lo < r.hi; i++ {
			x := w.list[i]
			at := max(r.lo, x.lo)
			switch {
			case x.kind == types.KindNone:
				continue
			case x.kind != r.kind:
				text = fmt.Sprintf("byte %d was written as %v and is read as %v; read it with the etype that it was written with, %#v", at, x.kind, r.kind, types.OfKind(x.kind))
			case x.size == r.size && x.begins(at) != r.begins(at):
				text = fmt.Sprintf("byte %d was written as part of the %v at byte %d, and is read as part of one at byte %d; let the view begin where items do", at, x.kind, x.begins(at), r.begins(at))
			default:
				continue
			}
			return false
		}
		return true
	})
	return text
}

// checkKinds returns an error, or records a lint once for each view, if a read of n bytes
// finds data that was written with another etype. Reads through views of bytes find anything.
func (f *local) checkKinds(a *access, n int64) error {
	if f.view.raw || !f.how.typed && f.kindNoted {
		return nil
	}
	text := f.otherKind(a, n)
	switch {
	case text == "":
	case f.how.typed:
		return broken(ErrType, "IO-TM-04", "%s", text)
	case f.log.Careful():
		f.kindNoted = true
		f.lint(a.op, "IO-TM-04", "%s", text)
	}
	return nil
}

package iofile

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// A kindRecord records with which kind of the etype each byte of a file was written. It
// begins with the first open that asks for it: bytes written before, from outside, or through
// views of bytes have no kind. It takes 50 to 100 bytes for each stretch of items of one kind,
// and a write adds a stretch in logarithmic time. (IO-TM-04)
type kindRecord struct {
	on atomic.Bool

	mu   sched.Mutex
	tree *btree.BTreeG[kindRange] // disjoint, by lo; nil: nothing is known
	over []kindRange              // scratch of put
}

// A kindRange is bytes [lo, hi) of items of one kind, one of which begins at byte origin.
type kindRange struct {
	lo, hi, origin int64
	kind           types.Kind // KindNone: unknown; not in the tree
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
	return r.hi == o.lo && r.kind == o.kind && r.size == o.size && r.begins(o.lo) == o.begins(o.lo)
}

// before reports whether r comes before o in the tree.
func (r kindRange) before(o kindRange) bool { return r.lo < o.lo }

// last returns the last range that begins before offset at or there.
func (w *kindRecord) last(at int64) (r kindRange, ok bool) {
	if w.tree != nil {
		w.tree.Descend(kindRange{lo: at}, func(x kindRange) bool {
			r, ok = x, true
			return false
		})
	}
	return r, ok
}

// overlaps calls yield for the ranges that have bytes of [lo, hi), in order.
func (w *kindRecord) overlaps(lo, hi int64, yield func(kindRange) bool) {
	if w.tree == nil {
		return
	}
	from := kindRange{lo: lo}
	if x, ok := w.last(lo); ok && x.hi > lo {
		from = x
	}
	w.tree.Ascend(from, func(x kindRange) bool { return x.lo < hi && yield(x) })
}

// put replaces the record of e's bytes. Called with w.mu held.
func (w *kindRecord) put(e kindRange) {
	w.over = w.over[:0]
	w.overlaps(e.lo, e.hi, func(x kindRange) bool {
		w.over = append(w.over, x)
		return true
	})
	for _, x := range w.over {
		w.tree.Delete(x)
		if head := x; x.lo < e.lo {
			head.hi = e.lo
			w.tree.Set(head)
		}
		if tail := x; x.hi > e.hi {
			tail.lo = e.hi
			w.tree.Set(tail)
		}
	}
	if e.kind == types.KindNone {
		return
	}
	if w.tree == nil {
		w.tree = btree.NewBTreeGOptions(kindRange.before, btree.Options{NoLocks: true})
	}
	if x, ok := w.last(e.lo); ok && x.continues(e) {
		e.lo, e.origin = x.lo, x.origin // replaces x
	}
	if x, ok := w.tree.Get(kindRange{lo: e.hi}); ok && e.continues(x) {
		w.tree.Delete(x)
		e.hi = x.hi
	}
	w.tree.Set(e)
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
func (f *File) watchesKinds() bool { return f.set != nil && f.set.file.written.kinds.on.Load() }

// beginKinds begins the record of the file if the open, or a careful world, asks for it.
func (f *File) beginKinds() {
	if f.how.typed || f.log.Careful() {
		f.set.file.written.kinds.on.Store(true)
	}
}

// kindsOf calls yield for the stretches of items of one kind among n packed bytes of the view
// from position from on, each with the file bytes it takes.
func (f *File) kindsOf(from, n int64, yield func(kindRange) bool) {
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
func (f *File) noteKinds(a *access, n int64) {
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
func (f *File) otherKind(a *access, n int64) (text string) {
	w := &f.set.file.written.kinds
	w.mu.Lock()
	defer w.mu.Unlock()
	f.kindsOf(f.view.packed(a.off), n, func(r kindRange) bool {
		w.overlaps(r.lo, r.hi, func(x kindRange) bool {
			at := max(r.lo, x.lo)
			switch {
			case x.kind != r.kind:
				text = fmt.Sprintf("byte %d was written as %v and is read as %v; read it with the etype that it was written with, %#v", at, x.kind, r.kind, types.OfKind(x.kind))
			case x.size == r.size && x.begins(at) != r.begins(at):
				text = fmt.Sprintf("byte %d was written as part of the %v at byte %d, and is read as part of one at byte %d; let the view begin where items do", at, x.kind, x.begins(at), r.begins(at))
			}
			return text == ""
		})
		return text == ""
	})
	return text
}

// checkKinds returns an error, or records a lint once for each view, if a read of n bytes
// finds data that was written with another etype. Reads through views of bytes find anything.
func (f *File) checkKinds(a *access, n int64) error {
	if f.view.raw || !f.how.typed && f.forms.kindNoted {
		return nil
	}
	text := f.otherKind(a, n)
	switch {
	case text == "":
	case f.how.typed:
		return broken(ErrType, "IO-TM-04", "%s", text)
	case f.log.Careful():
		f.forms.kindNoted = true
		f.lint(a.op, "IO-TM-04", "%s", text)
	}
	return nil
}

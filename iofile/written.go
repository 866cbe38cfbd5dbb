package iofile

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
)

// written records the representation in which each byte of a file was written, its form.
// Almost all files are written through typed views of one form; for them the cost is one
// comparison of pointers. Extents are listed only after a second form occurs: typed bytes
// outside the list have the first form. Bytes written through views of bytes are native
// and always in the list; they are added late and in long pieces, see [rawRun].
type written struct {
	first   atomic.Pointer[formTag]
	several atomic.Bool  // there are several forms, so there is a list
	hi      atomic.Int64 // end of the bytes of the first form
	above   atomic.Int64 // math.MaxInt64 minus their start; 0 if there are none

	listed atomic.Pointer[formTag] // the first form that was added to the list
	many   atomic.Bool             // another form was added, too

	mu    sched.Mutex
	kinds kindRecord

	tags []*formTag
	list []formRange // disjoint and sorted; of any form, once several is set
	full bool
}

// A formTag identifies one form of bytes in a file.
type formTag struct {
	rep  string
	arch *reps.Arch // for native files
}

func (t *formTag) String() string {
	if t.arch != nil {
		return fmt.Sprintf("%q of a machine %v", t.rep, t.arch)
	}
	return fmt.Sprintf("%q", t.rep)
}

// like reports whether two forms store the same bytes.
func (t *formTag) like(o *formTag) bool {
	if t.arch == nil || o.arch == nil {
		return t.rep == o.rep && t.arch == o.arch
	}
	return t.arch.Order() == o.arch.Order() && reps.SameMemory(t.arch, o.arch)
}

// cut records that the file lost its bytes from size on: bytes there have no form until
// they are written again.
func (w *written) cut(size int64) {
	w.kinds.cut(size)
	if w.first.Load() == nil && !w.several.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if size == 0 {
		w.list, w.full = nil, false
		w.first.Store(nil)
		w.several.Store(false)
		w.hi.Store(0)
		w.above.Store(0)
		w.listed.Store(nil)
		w.many.Store(false)
		return
	}
	if w.hi.Load() <= size && !w.lists(size, math.MaxInt64) {
		return
	}
	w.several.Store(true)
	w.put(formRange{size, math.MaxInt64, nil})
}

// A formRange is bytes [lo, hi) of a file; without a tag their form is unknown.
type formRange struct {
	lo, hi int64
	tag    *formTag
}

const mostExtents = 1 << 14

// tag returns the one tag of a form.
func (w *written) tag(rep string, a *reps.Arch) *formTag {
	w.mu.Lock()
	defer w.mu.Unlock()
	want := formTag{rep, a}
	for _, t := range w.tags {
		if t.like(&want) {
			return t
		}
	}
	w.tags = append(w.tags, &formTag{rep, a})
	return w.tags[len(w.tags)-1]
}

// write records that n packed bytes of a typed view from position from on were written.
func (w *written) write(v *fileView, from, n int64) {
	lo, hi := v.Tiles.Span(from, n)
	if first := w.first.Load(); !w.several.Load() && (first == v.tag || first == nil && w.first.CompareAndSwap(nil, v.tag)) {
		w.reach(lo, hi)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.first.CompareAndSwap(nil, v.tag)
	if w.first.Load() == v.tag {
		w.reach(lo, hi)
		if !w.lists(lo, hi) {
			return // bytes that are not in the list have this form
		}
	}
	w.several.Store(true)
	for off, k := range v.Tiles.Runs(from, n) {
		if w.full {
			return
		}
		w.put(formRange{off, off + k, v.tag})
	}
}

// reach records that bytes of the first form are in [lo, hi).
func (w *written) reach(lo, hi int64) {
	raise(&w.hi, hi)
	raise(&w.above, math.MaxInt64-lo)
}

// raise makes x at least n.
func raise(x *atomic.Int64, n int64) {
	for was := x.Load(); n > was && !x.CompareAndSwap(was, n); {
		was = x.Load()
	}
}

// lists reports whether the list contains bytes between lo and hi.
func (w *written) lists(lo, hi int64) bool {
	return len(w.list) > 0 && w.list[0].lo < hi && lo < w.list[len(w.list)-1].hi
}

// bytes records that bytes [lo, hi) were written in the form tag, that of the memory of the
// rank.
func (w *written) bytes(lo, hi int64, tag *formTag) {
	if w.first.Load() == tag && !w.several.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.full {
		w.several.Store(true)
		w.put(formRange{lo, hi, tag})
	}
}

// A rawRun is bytes that a handle has written through views of bytes and not yet recorded,
// so that writes which continue the last one cost two comparisons. Other ranks may see the
// bytes after the next Sync, which records their form.
type rawRun struct {
	lo, hi int64
	tag    *formTag // that of the memory of the rank
}

// A formLints is what a handle keeps for the lints about the bytes of its view.
type formLints struct {
	raw rawRun // bytes written whose form has not been recorded yet

	// The lint was recorded for this view.
	otherNoted   bool // about bytes of another form
	kindNoted    bool // about data of another etype
	illegalNoted bool // about bytes that are not values
}

// noteRaw records a write through a view of bytes. It leaves out writes that are scattered
// in more than a few pieces.
func (f *File) noteRaw(from, n int64) {
	pieces := 0
	for off, k := range f.view.Tiles.Runs(from, n) {
		if pieces++; pieces > 64 {
			return
		}
		if r := &f.forms.raw; off >= r.lo && off <= r.hi {
			r.hi, r.tag = max(r.hi, off+k), f.view.tag
			continue
		}
		f.publishRaw()
		f.forms.raw = rawRun{off, off + k, f.view.tag}
	}
}

// publishRaw adds the bytes of noteRaw to the record of the file.
func (f *File) publishRaw() {
	if f.traffic == nil {
		return
	}
	if f.forms.raw.lo < f.forms.raw.hi {
		f.set.file.written.bytes(f.forms.raw.lo, f.forms.raw.hi, f.forms.raw.tag)
	}
	f.forms.raw = rawRun{}
}

// put replaces the part of the list for e's bytes. Called with w.mu held.
func (w *written) put(e formRange) {
	if e.tag != nil && !w.listed.CompareAndSwap(nil, e.tag) && w.listed.Load() != e.tag {
		w.many.Store(true)
	}
	i := w.endsAfter(e.lo)
	if i < len(w.list) && w.list[i].lo <= e.lo && e.hi <= w.list[i].hi && w.list[i].tag == e.tag {
		return // programs often overwrite their own bytes
	}
	j := i
	with := make([]formRange, 0, 3) // e, and the parts of the old ranges before and after it
	if i < len(w.list) && w.list[i].lo < e.lo {
		with = append(with, formRange{w.list[i].lo, e.lo, w.list[i].tag})
	}
	with = append(with, e)
	for ; j < len(w.list) && w.list[j].lo < e.hi; j++ {
		if x := w.list[j]; x.hi > e.hi {
			with = append(with, formRange{e.hi, x.hi, x.tag})
		}
	}
	w.list = slices.Replace(w.list, i, j, with...)
	w.joinBefore(i + len(with) - 1)
	w.full = len(w.list) > mostExtents
}

// endsAfter returns the index of the first range that ends after offset lo.
func (w *written) endsAfter(lo int64) int {
	i, _ := slices.BinarySearchFunc(w.list, lo, func(x formRange, lo int64) int {
		if x.hi <= lo {
			return -1
		}
		return 1
	})
	return i
}

// joinBefore joins range k to the one before it, if it continues that one.
func (w *written) joinBefore(k int) {
	if k > 0 && w.list[k-1].tag == w.list[k].tag && w.list[k-1].hi == w.list[k].lo {
		w.list[k-1].hi = w.list[k].hi
		w.list = slices.Delete(w.list, k, k+1)
	}
}

// only reports whether nothing was written in another form than tag.
func (w *written) only(tag *formTag) bool {
	first := w.first.Load()
	if first != nil && first != tag || w.many.Load() {
		return false
	}
	listed := w.listed.Load()
	return listed == nil || listed == tag
}

// foreign returns the first of n packed bytes of a view from position from on that was
// written in another form than tag; nil if there is none. It checks only a bounded number
// of runs, and no files whose forms are mixed in more extents than are kept.
func (w *written) foreign(v *fileView, tag *formTag, from, n int64) (at int64, as *formTag) {
	if w.only(tag) {
		return 0, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	first, runs := w.first.Load(), 0
	for off, k := range v.Tiles.Runs(from, n) {
		if w.full || runs == 256 {
			return 0, nil
		}
		if at, as = w.find(off, off+k, tag, first); as != nil {
			return at, as
		}
		runs++
	}
	return 0, nil
}

// find returns the first byte of [lo, hi) that has another form than want.
func (w *written) find(lo, hi int64, want, first *formTag) (int64, *formTag) {
	i := w.endsAfter(lo)
	for ; lo < hi; i++ {
		if i == len(w.list) || w.list[i].lo > lo {
			at, end := max(lo, math.MaxInt64-w.above.Load()), min(hi, w.hi.Load())
			if i < len(w.list) {
				end = min(end, w.list[i].lo)
			}
			if first != nil && first != want && at < end {
				return at, first
			}
			if i == len(w.list) {
				return 0, nil
			}
		}
		if x := w.list[i]; x.lo < hi && x.tag != want && x.tag != nil {
			return max(lo, x.lo), x.tag
		}
		lo = w.list[i].hi
	}
	return 0, nil
}

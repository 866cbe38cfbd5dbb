package iofile

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
)

// written remembers in which representation the bytes of a file were written.
// Files written through typed views of one form only, which is nearly all, cost
// a look at one pointer; extents are kept once there is a second form. What was
// written through such views and is not in the list has the first form. What was
// written through views of bytes, as it stood in memory, is native; it is in the
// list, since much of a file may be left without it, but comes there late and in
// long pieces; see [rawRun].
type written struct {
	first atomic.Pointer[formTag]
	mixed atomic.Bool  // there is a list
	hi    atomic.Int64 // no byte of the first form lies at hi or beyond

	listed atomic.Pointer[formTag] // the form that came into the list first
	many   atomic.Bool             // another one did, too

	mu   sched.Mutex
	tags []*formTag
	list []formRange // disjoint and sorted; of any form, once mixed
	full bool
}

// A formTag is one form of bytes in a file.
type formTag struct {
	rep  string
	arch *reps.Arch // of native files
}

func (t *formTag) String() string {
	if t.arch != nil {
		return fmt.Sprintf("%q of a machine %v", t.rep, t.arch)
	}
	return fmt.Sprintf("%q", t.rep)
}

// like reports forms that hold the same bytes.
func (t *formTag) like(o *formTag) bool {
	if t.arch == nil || o.arch == nil {
		return t.rep == o.rep && t.arch == o.arch
	}
	return t.arch.Order() == o.arch.Order() && reps.SameMemory(t.arch, o.arch)
}

// cut notes that the file lost its bytes from size on: what comes there later
// has no form until it is written.
func (w *written) cut(size int64) {
	if w.first.Load() == nil && !w.mixed.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if size == 0 {
		w.list, w.full = nil, false
		w.first.Store(nil)
		w.mixed.Store(false)
		w.hi.Store(0)
		w.listed.Store(nil)
		w.many.Store(false)
		return
	}
	if w.hi.Load() <= size && !w.lists(size, math.MaxInt64) {
		return
	}
	w.mixed.Store(true)
	w.put(formRange{size, math.MaxInt64, nil})
}

// formRange is bytes [lo, hi) of a file; without a tag their form is not known.
type formRange struct {
	lo, hi int64
	tag    *formTag
}

const mostExtents = 1 << 14

// tag returns the one tag that stands for a form.
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

// write notes that n packed bytes of a typed view from position from on were
// written.
func (w *written) write(v *view, from, n int64) {
	lo, hi := v.tiles.Span(from, n)
	if first := w.first.Load(); !w.mixed.Load() && (first == v.tag || first == nil && w.first.CompareAndSwap(nil, v.tag)) {
		w.reach(hi)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.first.CompareAndSwap(nil, v.tag)
	if w.first.Load() == v.tag {
		w.reach(hi)
		if !w.lists(lo, hi) {
			return // it is known by not being there
		}
	}
	w.mixed.Store(true)
	for off, k := range v.tiles.Runs(from, n) {
		if w.full {
			return
		}
		w.put(formRange{off, off + k, v.tag})
	}
}

// reach notes that bytes of the first form end at hi.
func (w *written) reach(hi int64) {
	for was := w.hi.Load(); hi > was && !w.hi.CompareAndSwap(was, hi); {
		was = w.hi.Load()
	}
}

// lists reports whether the list says anything of bytes between lo and hi.
func (w *written) lists(lo, hi int64) bool {
	return len(w.list) > 0 && w.list[0].lo < hi && lo < w.list[len(w.list)-1].hi
}

// bytes notes that bytes [lo, hi) were written in the form tag, that of the
// memory of the rank.
func (w *written) bytes(lo, hi int64, tag *formTag) {
	if w.first.Load() == tag && !w.mixed.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.full {
		w.mixed.Store(true)
		w.put(formRange{lo, hi, tag})
	}
}

// A rawRun is bytes that a handle has written through views of bytes and not
// yet told of: writes that go on where the last one ended cost two comparisons.
// Others may see them after the next Sync, and hear of their form then.
type rawRun struct {
	lo, hi int64
	tag    *formTag // that of the memory of the rank
}

// noteRaw notes a write through a view of bytes. Views that scatter it in more
// than a few pieces are left out.
func (f *File) noteRaw(from, n int64) {
	pieces := 0
	for off, k := range f.view.tiles.Runs(from, n) {
		if pieces++; pieces > 64 {
			return
		}
		if r := &f.raw; off >= r.lo && off <= r.hi {
			r.hi, r.tag = max(r.hi, off+k), f.view.tag
			continue
		}
		f.tellRaw()
		f.raw = rawRun{off, off + k, f.view.tag}
	}
}

// tellRaw tells the file of what noteRaw has gathered.
func (f *File) tellRaw() {
	if f.traffic == nil {
		return
	}
	if f.raw.lo < f.raw.hi {
		f.set.file.written.bytes(f.raw.lo, f.raw.hi, f.raw.tag)
	}
	f.raw = rawRun{}
}

// put replaces what the list says of e's bytes. Called with w.mu held.
func (w *written) put(e formRange) {
	if e.tag != nil && !w.listed.CompareAndSwap(nil, e.tag) && w.listed.Load() != e.tag {
		w.many.Store(true)
	}
	i, _ := slices.BinarySearchFunc(w.list, e.lo, func(x formRange, lo int64) int {
		if x.hi <= lo {
			return -1
		}
		return 1
	})
	if i < len(w.list) && w.list[i].lo <= e.lo && e.hi <= w.list[i].hi && w.list[i].tag == e.tag {
		return // programs write over their own bytes
	}
	j := i
	with := make([]formRange, 0, 3) // what stays before it, itself, and what stays behind
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
	if k := i + len(with) - 1; k > 0 && w.list[k-1].tag == w.list[k].tag && w.list[k-1].hi == w.list[k].lo {
		w.list[k-1].hi = w.list[k].hi
		w.list = slices.Delete(w.list, k, k+1)
	}
	w.full = len(w.list) > mostExtents
}

// only reports that nothing was written in another form than tag.
func (w *written) only(tag *formTag) bool {
	first := w.first.Load()
	if first != nil && first != tag || w.many.Load() {
		return false
	}
	listed := w.listed.Load()
	return listed == nil || listed == tag
}

// foreign returns the first of n packed bytes of a view from position from on
// that was written in another form than tag; nil if there is none.
// More than a bounded number of runs are not looked at, nor files whose forms
// are mixed in more extents than are kept.
func (w *written) foreign(v *view, tag *formTag, from, n int64) (at int64, as *formTag) {
	if w.only(tag) {
		return 0, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	first, runs := w.first.Load(), 0
	for off, k := range v.tiles.Runs(from, n) {
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

// find looks for a byte of [lo, hi) that has another form than want.
func (w *written) find(lo, hi int64, want, first *formTag) (int64, *formTag) {
	i, _ := slices.BinarySearchFunc(w.list, lo, func(x formRange, lo int64) int {
		if x.hi <= lo {
			return -1
		}
		return 1
	})
	for ; lo < hi; i++ {
		if i == len(w.list) || w.list[i].lo > lo {
			if first != nil && first != want && lo < w.hi.Load() {
				return lo, first
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

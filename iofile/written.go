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
// Files written in one form only, which is nearly all, cost a look at one
// pointer; extents are kept once there is a second form. Bytes written through
// views of bytes do not count: their form is the program's own business. What
// was written and is not in the list has the first form.
type written struct {
	first atomic.Pointer[formTag]
	mixed atomic.Bool

	mu   sched.Mutex
	tags []*formTag
	list []extent // disjoint and sorted; of any form, once mixed
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
	if w.first.Load() == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if size == 0 {
		w.list, w.full = nil, false
		w.first.Store(nil)
		w.mixed.Store(false)
		return
	}
	w.mixed.Store(true)
	w.put(extent{size, math.MaxInt64, nil})
}

// extent is bytes [lo, hi) of a file; without a tag their form is not known.
type extent struct {
	lo, hi int64
	tag    *formTag
}

const mostExtents = 1 << 14

// tag returns the one tag that stands for a form.
func (w *written) tag(rep string, a *reps.Arch) *formTag {
	w.mu.Lock()
	defer w.mu.Unlock()
	want := &formTag{rep, a}
	for _, t := range w.tags {
		if t.like(want) {
			return t
		}
	}
	w.tags = append(w.tags, want)
	return want
}

// write notes that n packed bytes of a view from position from on were written.
func (w *written) write(v *view, from, n int64) {
	if v.tag == nil || w.first.Load() == v.tag && !w.mixed.Load() || w.first.CompareAndSwap(nil, v.tag) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mixed.Store(true)
	for off, k := range v.tiles.Runs(from, n) {
		if w.full {
			return
		}
		w.put(extent{off, off + k, v.tag})
	}
}

// put replaces what the list says of e's bytes.
func (w *written) put(e extent) {
	i, _ := slices.BinarySearchFunc(w.list, e.lo, func(x extent, lo int64) int {
		if x.hi <= lo {
			return -1
		}
		return 1
	})
	j := i
	var with []extent
	if i < len(w.list) && w.list[i].lo < e.lo {
		with = append(with, extent{w.list[i].lo, e.lo, w.list[i].tag})
	}
	with = append(with, e)
	for ; j < len(w.list) && w.list[j].lo < e.hi; j++ {
		if x := w.list[j]; x.hi > e.hi {
			with = append(with, extent{e.hi, x.hi, x.tag})
		}
	}
	w.list = slices.Replace(w.list, i, j, with...)
	if k := i + len(with) - 1; k > 0 && w.list[k-1].tag == w.list[k].tag && w.list[k-1].hi == w.list[k].lo {
		w.list[k-1].hi = w.list[k].hi
		w.list = slices.Delete(w.list, k, k+1)
	}
	w.full = len(w.list) > mostExtents
}

// foreign returns the first of n packed bytes of a view from position from on
// that was written in another form than the view has; nil if there is none.
// More than a bounded number of runs are not looked at, nor files whose forms
// are mixed in more extents than are kept.
func (w *written) foreign(v *view, from, n int64) (at int64, as *formTag) {
	first := w.first.Load()
	if v.tag == nil || first == nil || first == v.tag && !w.mixed.Load() {
		return 0, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	runs := 0
	for off, k := range v.tiles.Runs(from, n) {
		if w.full || runs == 256 {
			return 0, nil
		}
		if at, as = w.find(off, off+k, v.tag, first); as != nil {
			return at, as
		}
		runs++
	}
	return 0, nil
}

// find looks for a byte of [lo, hi) that has another form than want.
func (w *written) find(lo, hi int64, want, first *formTag) (int64, *formTag) {
	i, _ := slices.BinarySearchFunc(w.list, lo, func(x extent, lo int64) int {
		if x.hi <= lo {
			return -1
		}
		return 1
	})
	for ; lo < hi; i++ {
		if i == len(w.list) || w.list[i].lo > lo {
			if first != want {
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

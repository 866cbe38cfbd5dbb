package burst

import (
	"slices"
	"sort"
)

// An extent is a run of bytes [lo, hi) of a file and their place: in memory, or in a segment
// of the log, from byte at on.
type extent struct {
	lo, hi  int64
	data    []byte
	segment uint64
	at      int64
}

// cut returns the part of e within [lo, hi).
func (e extent) cut(lo, hi int64) extent {
	lo, hi = max(lo, e.lo), max(min(hi, e.hi), max(lo, e.lo))
	skip := lo - e.lo
	if e.data != nil {
		e.data = e.data[skip : hi-e.lo]
	}
	return extent{lo, hi, e.data, e.segment, e.at + skip}
}

// extents are sorted by offset and do not overlap: the newest bytes win.
type extents []extent

// from returns the index of the first extent that ends after off.
func (x extents) from(off int64) int {
	return sort.Search(len(x), func(i int) bool { return x[i].hi > off })
}

// add puts an extent on top of the existing ones.
func (x *extents) add(e extent) {
	if e.lo >= e.hi {
		return
	}
	i := x.from(e.lo)
	j := i
	put := []extent{e}
	for ; j < len(*x) && (*x)[j].lo < e.hi; j++ {
		old := (*x)[j]
		if old.lo < e.lo {
			put = slices.Insert(put, 0, old.cut(old.lo, e.lo))
		}
		if old.hi > e.hi {
			put = append(put, old.cut(e.hi, old.hi))
		}
	}
	*x = slices.Replace(*x, i, j, put...)
}

// truncate drops the bytes at n and beyond.
func (x *extents) truncate(n int64) {
	i := x.from(n)
	if i < len(*x) && (*x)[i].lo < n {
		(*x)[i] = (*x)[i].cut((*x)[i].lo, n)
		i++
	}
	*x = (*x)[:i]
}

// end returns the offset after the last byte.
func (x extents) end() int64 {
	if len(x) == 0 {
		return 0
	}
	return x[len(x)-1].hi
}

// within returns the parts within [lo, hi).
func (x extents) within(lo, hi int64) extents {
	var all extents
	for i := x.from(lo); i < len(x) && x[i].lo < hi; i++ {
		all = append(all, x[i].cut(lo, hi))
	}
	return all
}

package image

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tidwall/btree"
)

// A hit is a piece of a log that may have bytes in a range: bytes [lo, hi) of record rec.
type hit struct {
	rec    int
	lo, hi int64
}

// overlay copies the bytes of h over mem, which holds file bytes from lo on.
func (l *privateLog) overlay(h hit, mem []byte, lo int64) {
	r := *l.recs.at(h.rec)
	if r.flat() && (h.lo > r.lo || h.hi < r.hi) {
		r.data = r.data[h.lo-r.lo : h.hi-r.lo]
		r.from, r.lo, r.hi = r.from+h.lo-r.lo, h.lo, h.hi
	}
	r.overlay(mem, lo)
}

// An index finds the records of a log by offset. The first read that needs it makes it; a
// log that is only written and published needs none.
//
// Records of one run, the common case, are kept as disjoint extents, the newest on top, so
// that a file written over and over stays quick to read. All other records are kept by the
// interval around their bytes, in classes of similar width: within a class a search starts
// at most one width farther back.
type index struct {
	next    int // records from this one on are not yet in the index
	flats   *btree.BTreeG[hit]
	widths  uint64 // the classes in use
	classes [64]*btree.BTreeG[hit]
}

func byOffset(a, b hit) bool {
	if a.lo != b.lo {
		return a.lo < b.lo
	}
	return a.rec < b.rec
}

func newTree() *btree.BTreeG[hit] {
	return btree.NewBTreeGOptions(byOffset, btree.Options{NoLocks: true})
}

// search does the work of over for a long log.
func (l *privateLog) search(hits []hit, lo, hi int64) []hit {
	if l.index == nil {
		l.index = &index{flats: newTree()}
	}
	ix := l.index
	for ; ix.next < l.recs.n; ix.next++ {
		if r := l.recs.at(ix.next); r.flat() {
			ix.cover(hit{ix.next, r.lo, r.hi})
		} else {
			ix.addWide(l, hit{ix.next, r.lo, r.hi})
		}
	}
	hits = ix.extents(hits, lo, hi)
	for set := ix.widths; set != 0; set &= set - 1 {
		k := bits.TrailingZeros64(set)
		ix.classes[k].Ascend(hit{lo: lo - 1<<k}, func(h hit) bool {
			if h.hi > lo && h.lo < hi {
				hits = append(hits, h)
			}
			return h.lo < hi
		})
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(a.rec, b.rec) })
	return hits
}

// extents appends to hits the extents that have bytes in [lo, hi).
func (ix *index) extents(hits []hit, lo, hi int64) []hit {
	ix.flats.Descend(hit{rec: -1, lo: lo}, func(h hit) bool {
		if h.hi > lo {
			hits = append(hits, h)
		}
		return false
	})
	ix.flats.Ascend(hit{rec: -1, lo: lo}, func(h hit) bool {
		if h.lo < hi {
			hits = append(hits, h)
		}
		return h.lo < hi
	})
	return hits
}

// cover puts h on top of all extents.
func (ix *index) cover(h hit) {
	for _, old := range ix.extents(nil, h.lo, h.hi) {
		ix.flats.Delete(old)
		if old.lo < h.lo {
			ix.flats.Set(hit{old.rec, old.lo, h.lo})
		}
		if old.hi > h.hi {
			ix.flats.Set(hit{old.rec, h.hi, old.hi})
		}
	}
	ix.flats.Set(h)
}

// addWide adds a record of many runs. It replaces an older one that has exactly the same
// bytes, so a loop that rewrites its part of a file leaves one entry.
func (ix *index) addWide(l *privateLog, h hit) {
	k := bits.Len64(uint64(h.hi - h.lo))
	if ix.classes[k] == nil {
		ix.classes[k] = newTree()
		ix.widths |= 1 << k
	}
	c := ix.classes[k]
	a := l.recs.at(h.rec)
	var same hit
	found := false
	c.Ascend(hit{rec: -1, lo: h.lo}, func(o hit) bool {
		b := l.recs.at(o.rec)
		same, found = o, o.lo == h.lo && a.at == b.at && len(a.data) == len(b.data)
		return o.lo == h.lo && !found
	})
	if found {
		c.Delete(same)
	}
	c.Set(h)
}

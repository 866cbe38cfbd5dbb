package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/commworld/commworld/internal/show/views"
	"github.com/commworld/commworld/types"
)

// Limits of the search for bytes that occur twice.
const (
	mostRuns   = 1 << 16
	mostTried  = 64 // copies
	mostPlaces = 3  // that are named
)

// A byteSpan is bytes [lo, hi) of one copy.
type byteSpan struct{ lo, hi, copy int64 }

// A twice is bytes [lo, hi) that belong to two spans, of copies a and b.
type twice struct{ lo, hi, a, b int64 }

// moved returns the displacement of copy k; ok is false if it does not fit 64 bits.
func (l laid) moved(k int64) (d int64, ok bool) { return views.Laid{Layout: l.Layout}.Moved(k) }

// spans returns the first runs of copy k, at most most, and whether those are all.
func (l laid) spans(k int64, most int) (all []byteSpan, complete bool) {
	d, ok := l.moved(k)
	if !ok {
		return nil, false
	}
	for off, n := range (types.Tiling{L: l.Layout, Disp: d}).Runs(0, l.Size) {
		if len(all) == most {
			return all, false
		}
		all = append(all, byteSpan{off, off + n, k})
	}
	return all, true
}

// doubled returns the bytes that are in two spans; it sorts them.
func doubled(spans []byteSpan) []twice {
	slices.SortFunc(spans, func(a, b byteSpan) int { return cmp.Compare(a.lo, b.lo) })
	var found []twice
	var top byteSpan // of those visited, the one that ends last
	for i, s := range spans {
		if i > 0 && s.lo < top.hi {
			p := twice{s.lo, min(s.hi, top.hi), top.copy, s.copy}
			if k := len(found) - 1; k >= 0 && p.lo <= found[k].hi && p.a == found[k].a && p.b == found[k].b {
				found[k].hi = max(found[k].hi, p.hi)
			} else {
				found = append(found, p)
			}
		}
		if i == 0 || s.hi > top.hi {
			top = s
		}
	}
	return found
}

// union joins the spans of one copy that touch; it sorts them.
func union(spans []byteSpan) []byteSpan {
	slices.SortFunc(spans, func(a, b byteSpan) int { return cmp.Compare(a.lo, b.lo) })
	var all []byteSpan
	for _, s := range spans {
		if k := len(all) - 1; k >= 0 && s.lo <= all[k].hi {
			all[k].hi = max(all[k].hi, s.hi)
		} else {
			all = append(all, s)
		}
	}
	return all
}

// overlap returns lines that name bytes that occur twice in one copy.
func overlap(l laid) []string {
	spans, complete := l.spans(0, mostRuns)
	if found := doubled(spans); len(found) > 0 {
		return naming(found, complete, func(_ twice, where string) string { return where })
	}
	if complete || !l.Overlaps() {
		return []string{"none"}
	}
	return []string{fmt.Sprintf("none in %d runs", mostRuns)}
}

// meeting returns lines about the distance of copies, and about bytes that two copies
// share.
func meeting(l laid) []string {
	reach := l.TrueUB - l.TrueLB
	step := max(l.Extent, -max(l.Extent, -math.MaxInt64))
	switch {
	case l.Size == 0:
		return []string{"nothing to meet"}
	case step >= reach:
		return []string{"apart"}
	}
	n := int64(2) // the first copy that no longer reaches copy 0
	if step > 0 {
		n = min(mostTried, (reach-1)/step+1)
	}
	var all []byteSpan
	complete := step == 0 || n > (reach-1)/step
	for k := range n {
		spans, whole := l.spans(k, mostRuns/int(n))
		all, complete = append(all, union(spans)...), complete && whole
	}
	if found := doubled(all); len(found) > 0 {
		return naming(found, complete, func(p twice, where string) string {
			return fmt.Sprintf("%d and %d share %s", min(p.a, p.b), max(p.a, p.b), where)
		})
	}
	if complete {
		return []string{"interleave"}
	}
	return []string{"interleave, as far", "as looked at"}
}

// naming returns a line for each of the first places found.
func naming(found []twice, complete bool, line func(p twice, where string) string) []string {
	var lines []string
	for _, p := range found[:min(len(found), mostPlaces)] {
		text := fmt.Sprintf("bytes %d to %d", p.lo, p.hi-1)
		if p.hi-p.lo == 1 {
			text = fmt.Sprintf("byte %d", p.lo)
		}
		lines = append(lines, line(p, text))
	}
	switch {
	case len(found) > mostPlaces:
		lines = append(lines, "and so on")
	case !complete:
		lines = append(lines, "and perhaps more")
	}
	return lines
}

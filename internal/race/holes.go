package race

import (
	"slices"

	"github.com/commworld/commworld/consistency"
)

// Holes are bytes that no rank wrote, with bytes on both sides that were written or were in
// the file before the run.
type Holes struct {
	Lo, Hi int64 // the first range
	More   int   // number of further ranges
	Bytes  int64 // in all ranges

	// Below wrote the byte before Lo, Above the byte at Hi; nil if unknown.
	Below, Above *consistency.Party
}

// Ranks returns the number of ranks of the world, 0 if it is unknown.
func (d *Detector) Ranks() int { return d.ranks }

// Padded says that items of the file have holes of at most n bytes themselves, such as the
// padding of structures. Holes does not report these.
func (d *Detector) Padded(n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.forgotten != nil {
		d.forgotten.padding = max(d.forgotten.padding, n)
	}
}

// Holes returns the holes that the run left in the file. A program that set the size of the
// file, by SetSize or Preallocate, has none: it chose that size. Call Holes at the end of a
// run. It needs KeepForgotten in the options.
func (d *Detector) Holes() (h Holes, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.forgotten == nil || !d.sized || d.forgotten.resized {
		return h, false
	}
	d.endHolds()
	runs := d.coverage().runs
	for i := 1; i < len(runs); i++ {
		lo, hi := runs[i-1].Hi, runs[i].Lo
		if hi-lo <= d.forgotten.padding {
			continue
		}
		if h.Bytes += hi - lo; h.Bytes > hi-lo {
			h.More++
		} else {
			h.Lo, h.Hi = lo, hi
		}
	}
	if h.Bytes == 0 {
		return h, false
	}
	h.Below, h.Above = d.writerOf(h.Lo-1), d.writerOf(h.Hi)
	return h, true
}

// writerOf returns the lowest rank that is known to have written a byte, nil if there is
// none. Called with d.mu held.
func (d *Detector) writerOf(at int64) *consistency.Party {
	var all []*consistency.Party
	d.extents.each(func(e *footprint) {
		if !e.site.write || e.site.resize {
			return
		}
		if _, ok := e.Meets(at, at+1); ok {
			all = append(all, e.site.describe())
		}
	})
	if len(all) == 0 {
		return nil
	}
	return slices.MinFunc(all, func(a, b *consistency.Party) int { return a.Rank - b.Rank })
}

package image

import (
	"math/rand/v2"
	"slices"

	"github.com/commworld/commworld/internal/extent"
)

// If two writes race, the standard leaves the bytes that both wrote undefined, so under
// chaos they may mix: when a handle publishes, some bytes that others published since it
// adopted may stay in place of its own. Those writes race with its own, because neither
// handle has synced in between. Bytes that were written before, or through the same handle,
// never stay, and atomic accesses do not mix.

// A chaos is what a handle needs under chaos.
type chaos struct {
	dice *rand.Rand
	kept map[int64]bool // see Handle.Kept
}

// widestMix is the longest range of a file that is searched for bytes to mix, and mostMixed
// the longest log.
const (
	widestMix = 1 << 20
	mostMixed = 1 << 12
)

// putMixed does the work of put for a handle whose published bytes may mix with those of
// others.
func (p *publication) putMixed(r *record) error {
	for _, part := range p.h.mixed(r) {
		piece := r.part(part[0], part[1])
		if err := p.put(&piece); err != nil {
			return err
		}
		for off, n := range piece.at.Runs(piece.from, part[1]-part[0]) {
			for i := range n {
				delete(p.h.chaos.kept, off+i)
			}
		}
	}
	return nil
}

// mixed returns the ranges of packed bytes of r that are published, counted from the first
// byte of r. In the other ranges the bytes of another handle stay in the image.
func (h *Handle) mixed(r *record) (parts [][2]int64) {
	n := int64(len(r.data))
	from := int64(0)
	for _, s := range h.foreign(r) {
		a, b := s[0], s[1]
		switch h.chaos.dice.IntN(4) {
		case 0: // this write is on top
			continue
		case 1: // the other write is on top
		case 2:
			b = a + 1 + h.chaos.dice.Int64N(b-a)
		default:
			a += h.chaos.dice.Int64N(b - a)
		}
		if from < a {
			parts = append(parts, [2]int64{from, a})
		}
		part := r.part(a, b)
		for off, n := range part.at.Runs(part.from, b-a) {
			for i := range n {
				if h.chaos.kept == nil {
					h.chaos.kept = map[int64]bool{}
				}
				h.chaos.kept[off+i] = true
			}
		}
		from = b
	}
	if from < n {
		parts = append(parts, [2]int64{from, n})
	}
	return parts
}

// foreign returns the ranges of r in which the image has bytes that others published since h
// adopted. Ranges count packed bytes from the first byte of r.
func (h *Handle) foreign(r *record) (found [][2]int64) {
	if h.mark == nil || r.hi-r.lo > widestMix || h.log.recs.n > mostMixed {
		return nil
	}
	now, then := make([]byte, r.hi-r.lo), make([]byte, r.hi-r.lo)
	asOf, base := h.view()
	if _, err := h.im.load(h.via, now, r.lo, pending, extent.MaxSize); err != nil {
		return nil
	}
	if _, err := h.im.load(h.via, then, r.lo, asOf, base); err != nil {
		return nil
	}
	h.copyOwn(then, now, r)
	hole := h.im.poison[0] // a store without pages may read a hole that another write made
	if h.im.pager == nil {
		hole = 0
	}
	pos := int64(0)
	for off, n := range r.at.Runs(r.from, int64(len(r.data))) {
		for k := range n {
			if b := now[off+k-r.lo]; b == then[off+k-r.lo] || b == h.im.poison[0] || b == hole {
				continue
			}
			if i := len(found) - 1; i >= 0 && found[i][1] == pos+k {
				found[i][1]++
			} else {
				found = append(found, [2]int64{pos + k, pos + k + 1})
			}
		}
		pos += n
	}
	return found
}

// copyOwn copies to then the bytes of r that h itself brought into the image: they do not
// count as foreign.
func (h *Handle) copyOwn(then, now []byte, r *record) {
	for i := range h.log.recs.n {
		own := h.log.recs.at(i)
		if own.hi <= r.lo || r.hi <= own.lo {
			continue
		}
		pos := int64(0)
		for off, n := range own.at.Runs(own.from, int64(len(own.data))) {
			for k := max(off, r.lo); k < min(off+n, r.hi); k++ {
				if now[k-r.lo] == own.data[pos+k-off] {
					then[k-r.lo] = now[k-r.lo]
				}
			}
			pos += n
		}
	}
}

// Kept returns the bytes of the file that h wrote and published, but that are not in the
// image because, under chaos, bytes of another handle stayed in their place. A second call
// returns nothing.
func (h *Handle) Kept() (runs []extent.Run) {
	if h.chaos == nil {
		return nil
	}
	offs := make([]int64, 0, len(h.chaos.kept))
	for off := range h.chaos.kept {
		offs = append(offs, off)
	}
	slices.Sort(offs)
	for _, off := range offs {
		if k := len(runs) - 1; k >= 0 && runs[k].Off+runs[k].Len == off {
			runs[k].Len++
		} else {
			runs = append(runs, extent.Run{Off: off, Len: 1})
		}
	}
	h.chaos.kept = nil
	return runs
}

// Package overlay computes the possible contents of a file for a reader when whole writes to
// it are delayed, reordered or not seen. An exploration tries these results if accesses
// race.
//
// Start here: [Outcomes] lists what a read may return, [Positions] lists the places that a
// new write may take among earlier ones.
//
// The package keeps no state. A [Write] is a write or a change of size, a [Layer] is a
// write as a certain reader sees it.
package overlay

import (
	"slices"

	"github.com/commworld/commworld/internal/extent"
)

// The standard leaves the result of a race undefined: the bytes may be anything. This file
// defines the narrower set of results that is tried. It is what a file system does that
// delays, reorders and loses whole writes:
//
//   - A reader sees each write or change of size that races with the read
//     completely, or nothing of it; the choice is new for every read. Writes that do not
//     race with the read are seen according to the rules.
//   - If writes race with each other, the later one is placed on top of each
//     earlier one or below it: as a whole, for all readers, and permanently.
//
// Two accesses through one handle that overlap in time take place one after the other, in
// either order. No write is seen before it is called, but other ranks may see a write that
// is still under way. No write is seen in part: that is left to the model Chaos of package
// consistency.

// Hole is the value of a byte that no rank wrote.
const Hole = -1

// MostBytes bounds the bytes of a file that are compared one by one.
const MostBytes = 1 << 20

// A Kind is the effect of a [Write] on a file.
type Kind uint8

// The kinds.
const (
	Bytes  Kind = iota // writes Data to Runs
	Resize             // makes the file Size bytes long
	Grow               // makes it at least Size bytes long
)

// A Write is a write to a file, or a change of its size.
type Write struct {
	Kind Kind
	Runs []extent.Run
	Data []byte // as long as the runs together; empty: not yet known
	Size int64
}

// A State is a part of a file, to which writes are applied in order.
type State struct {
	lo   int64
	Mem  []int16 // bytes; Hole where no rank wrote
	Size int64   // of the file
}

// NewState returns bytes [lo, hi) of a file whose content is base.
func NewState(base []byte, lo, hi int64) *State {
	s := &State{lo, make([]int16, hi-lo), int64(len(base))}
	for i := range s.Mem {
		if off := lo + int64(i); off < s.Size {
			s.Mem[i] = int16(base[off])
		} else {
			s.Mem[i] = Hole
		}
	}
	return s
}

// Apply applies x to the state.
func (s *State) Apply(x *Write) {
	hi := s.lo + int64(len(s.Mem))
	switch x.Kind {
	case Bytes:
		data := x.Data
		for _, r := range x.Runs {
			if len(data) == 0 { // not known yet
				break
			}
			for off := max(r.Off, s.lo); off < min(r.Off+r.Len, hi); off++ {
				s.Mem[off-s.lo] = int16(data[off-r.Off])
			}
			data = data[r.Len:]
		}
		s.Size = max(s.Size, x.End())
	case Resize:
		s.Size = x.Size
		for off := max(s.Size, s.lo); off < hi; off++ {
			s.Mem[off-s.lo] = Hole
		}
	case Grow:
		s.Size = max(s.Size, x.Size)
	}
}

// Equal reports whether a file of state s has the same content as one of state o. Both are of the
// same part, with all bytes of the file.
func (s *State) Equal(o *State) bool {
	return s.Size == o.Size && slices.Equal(s.Mem[:s.Size-s.lo], o.Mem[:s.Size-s.lo])
}

// read returns the bytes of runs, up to the end of the file.
func (s *State) read(runs []extent.Run) []int16 {
	var found []int16
	for _, r := range runs {
		for off := r.Off; off < r.Off+r.Len; off++ {
			if off >= s.Size {
				return found
			}
			found = append(found, s.Mem[off-s.lo])
		}
	}
	return found
}

// An Outcome is one possible result of a read, or of a query of the size.
type Outcome struct {
	Bytes []int16
	Size  int64 // of the file, if it was queried
}

// Equal reports whether two results are the same.
func (o Outcome) Equal(p Outcome) bool { return o.Size == p.Size && slices.Equal(o.Bytes, p.Bytes) }

// A Layer is a write as one access sees it, in a list in which each write overlays the
// earlier ones.
type Layer struct {
	*Write
	Races bool // with the access
}

// mostRacing bounds the number of racing writes for which one read tries all combinations.
const mostRacing = 8

// Outcomes returns the possible results of a read of runs, or of a query of the size if
// there are none, each once. The first is the result if no racing write is seen. all is
// false if too many writes race: then only these combinations were tried: none of them, all
// of them, and all but one.
func Outcomes(base []byte, layers []Layer, runs []extent.Run) (found []Outcome, all bool) {
	lo, hi := Span(runs)
	racing := Matter(base, layers, runs)
	hidden := make([]bool, len(layers))
	look := func() {
		s := NewState(base, lo, hi)
		for i, l := range layers {
			if !hidden[i] {
				s.Apply(l.Write)
			}
		}
		seen := Outcome{Size: s.Size}
		if len(runs) > 0 {
			seen = Outcome{Bytes: s.read(runs)}
		}
		if !slices.ContainsFunc(found, seen.Equal) {
			found = append(found, seen)
		}
	}
	if all = len(racing) <= mostRacing; all {
		for some := range 1 << len(racing) {
			for k, i := range racing {
				hidden[i] = some>>k&1 == 0
			}
			look()
		}
		return found, all
	}
	for _, most := range []bool{true, false} {
		for _, i := range racing {
			hidden[i] = most
		}
		look()
		for _, i := range racing {
			hidden[i] = !most
			look()
			hidden[i] = most
		}
	}
	return found, all
}

// Matter lists the layers that race with a read of runs and change its result, or may
// change it if others are not seen.
func Matter(base []byte, layers []Layer, runs []extent.Run) (racing []int) {
	lo, hi := Span(runs)
	least := NewState(base, 0, 0)
	for _, l := range layers {
		if !l.Races {
			least.Apply(l.Write)
		}
	}
	for _, l := range layers {
		if l.Races && l.Kind == Resize {
			least.Size = min(least.Size, l.Size)
		}
	}
	for i, l := range layers {
		sized := len(runs) == 0 || hi > least.Size && l.End() > lo || l.Kind == Resize && hi > least.Size
		if l.Races && (sized || slices.ContainsFunc(runs, l.Hits)) {
			racing = append(racing, i)
		}
	}
	return racing
}

// Resizes reports whether x is a change of the file's size.
func (x *Write) Resizes() bool { return x.Kind != Bytes }

// Hits reports whether x writes a byte of r.
func (x *Write) Hits(r extent.Run) bool {
	return slices.ContainsFunc(x.Runs, func(q extent.Run) bool { return r.Off < q.Off+q.Len && q.Off < r.Off+r.Len })
}

// Span returns the range of bytes that contains all runs.
func Span(runs []extent.Run) (lo, hi int64) {
	for i, r := range runs {
		if i == 0 {
			lo = r.Off
		}
		lo, hi = min(lo, r.Off), max(hi, r.Off+r.Len)
	}
	return lo, hi
}

// Positions returns the positions that the new write x may take; in each, the layers on top
// of x are marked. In the first, x is on top of all. A layer that races with x may be on
// top of it, and then so is everything on top of that layer, unless x certainly covers it.
// all is false if so many layers race with x that only one of them and all of them were
// tried.
func Positions(layers []Layer, x *Write) (marked [][]bool, all bool) {
	var free [][]bool
	for i := range layers {
		if layers[i].Races && layers[i].touches(x) {
			if on := onto(layers, i); !slices.ContainsFunc(numbered(on), func(k int) bool { return !layers[k].Races && layers[k].touches(x) }) {
				free = append(free, on)
			}
		}
	}
	marked = [][]bool{make([]bool, len(layers))}
	add := func(some int) {
		m := make([]bool, len(layers))
		for k, on := range free {
			for i := range on {
				m[i] = m[i] || on[i] && some>>k&1 > 0
			}
		}
		if !slices.ContainsFunc(marked, func(o []bool) bool { return slices.Equal(o, m) }) {
			marked = append(marked, m)
		}
	}
	if all = len(free) <= mostRacing; all {
		for some := range 1 << len(free) {
			add(some)
		}
		return marked, all
	}
	add(-1)
	for k := range min(len(free), 32) {
		add(1 << k)
	}
	return marked, all
}

// onto marks layer i and the layers on top of it.
func onto(layers []Layer, i int) []bool {
	on := make([]bool, len(layers))
	on[i] = true
	for k := i + 1; k < len(layers); k++ {
		for j := i; j < k && !on[k]; j++ {
			on[k] = on[j] && layers[k].touches(layers[j].Write)
		}
	}
	return on
}

func numbered(marked []bool) (list []int) {
	for i, m := range marked {
		if m {
			list = append(list, i)
		}
	}
	return list
}

// InsertBelow inserts x into list below the marked elements.
func InsertBelow[T any](list []T, marked []bool, x T) []T {
	var low, high []T
	for i, y := range list {
		if marked[i] {
			high = append(high, y)
		} else {
			low = append(low, y)
		}
	}
	return append(append(low, x), high...)
}

// touches reports whether the order of two writes makes a difference.
func (x *Write) touches(o *Write) bool {
	switch {
	case x.Kind == Bytes && o.Kind == Bytes:
		return x.differs(o)
	case x.Kind == Resize && o.Kind == Resize:
		return x.Size != o.Size
	case x.Kind == Resize:
		return o.End() > x.Size
	case o.Kind == Resize:
		return x.End() > o.Size
	}
	return false
}

// differs reports whether two writes put different values at one place.
func (x *Write) differs(o *Write) bool {
	data := x.Data
	for _, r := range x.Runs {
		other := o.Data
		for _, q := range o.Runs {
			for off := max(r.Off, q.Off); off < min(r.Off+r.Len, q.Off+q.Len); off++ {
				if len(data) == 0 || len(other) == 0 || data[off-r.Off] != other[off-q.Off] {
					return true
				}
			}
			if len(other) > 0 {
				other = other[q.Len:]
			}
		}
		if len(data) > 0 {
			data = data[r.Len:]
		}
	}
	return false
}

// End returns the offset after the last byte.
func (x *Write) End() (n int64) {
	for _, r := range x.Runs {
		n = max(n, r.Off+r.Len)
	}
	return max(n, x.Size)
}

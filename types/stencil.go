package types

import (
	"math/bits"

	"github.com/commworld/commworld/internal/simd"
)

// windowSize is how many bytes a stencil covers.
const windowSize = 64

// A window costs about as much as moving four runs of a machine word, or two of another
// size, so a stencil is faster only with more runs than that. Finding a stencil costs about
// as much as moving fewest bytes in other ways.
const (
	fewest      = 512
	fewestRuns  = 3
	fewestWords = 5

	// If bytes are swapped, a table is made first, but then two runs of any size gain.
	fewestSwapped = 4 << 10
)

// setMask sets the mask of a new list or repetition.
func (nd *node) setMask() {
	if nd.lo != 0 || nd.hi > windowSize || nd.size > nd.hi {
		return
	}
	n, end, mask := nd.n, int64(0), uint64(0)
	if nd.op == opList {
		n = int64(len(nd.offs))
	}
	for i := range n {
		off, kid := i*nd.stride, nd.kid
		if nd.op == opList {
			off, kid = nd.offs[i], nd.entry(int(i))
		}
		if kid.mask == 0 || off < end {
			return
		}
		mask |= kid.mask << off
		end = off + kid.hi
	}
	nd.mask = mask
}

// comb moves n copies of kid, one every stride bytes, through a stencil, if that is
// worthwhile, and reports whether it did. kid may also be a repetition whose copies are
// windows.
func (m *mover) comb(kid *node, n, stride, off, at int64) bool {
	switch {
	case !simd.Fast || n*kid.size < fewest || m.swap != nil && n*kid.size < fewestSwapped:
		return false
	case kid.mask != 0:
		return m.windows(kid, steps{n, stride}, steps{1, 0}, off, at)
	case kid.op == opRep && kid.kid.mask != 0:
		return m.windows(kid.kid, steps{kid.n, kid.stride}, steps{n, stride}, off, at)
	}
	return false
}

// windows moves near.n copies of kid, far.n times, with as many copies in one window as
// fit.
func (m *mover) windows(kid *node, near, far steps, off, at int64) bool {
	per := int64(1)
	if near.stride >= kid.hi {
		per = min(near.n, (windowSize-kid.hi)/near.stride+1)
	}
	for m.swap != nil && far.n > 1 && near.n%per != 0 {
		per--
	}
	var mask uint64
	for i := range per {
		mask |= kid.mask << (i * near.stride)
	}
	whole := near.n / per
	rest := near.n - whole*per
	if bits.OnesCount64(mask&^(mask<<1)) < m.worth(kid) || (rest > 0 && far.n > 1) {
		return false
	}
	p := simd.Stencil{N: whole, Stride: per * near.stride, Count: far.n, Far: far.stride, Mask: mask}
	m.stencil(&p, off, at)
	if m.swap != nil && rest > 0 {
		done := whole * per
		if m.windows(kid, steps{rest, near.stride}, steps{1, 0}, off+done*near.stride, at+done*kid.size) {
			return true
		}
	}
	for i := whole * per; i < near.n; i++ {
		m.full(kid, off+i*near.stride, at+i*kid.size)
	}
	return true
}

// worth returns how many runs a window must have to be worthwhile.
func (m *mover) worth(kid *node) int {
	switch {
	case m.swap != nil && m.swap.Width > 0 && kid.op == opRun && kid.size == 16:
		return fewestRuns // there is a special loop for rows of 16 bytes
	case m.swap != nil && m.swap.Width > 0:
		return 2
	case m.swap != nil: // there is no other way to swap while moving
		return 1
	case kid.op == opRun && kid.size&(kid.size-1) == 0:
		return fewestWords
	}
	return fewestRuns
}

// steps are n steps of stride bytes.
type steps struct{ n, stride int64 }

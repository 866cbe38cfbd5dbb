package sched

import (
	"math/bits"
	"sync/atomic"

	"github.com/commworld/commworld/internal/callsite"
)

// QuickLines reports whether [Rank.NoteLine] of a short call costs only a few loads.
const QuickLines = callsite.Fast

// A lineCache holds lines that were noted lately, by the calls that led to them. All ranks
// share it, because they run one program: in a ring of a thousand ranks each line is looked
// up once. A line can be in any slot of its set, and is read without a lock.
type lineCache[C comparable] [1 << sets]lineSet[C]

type lineSet[C comparable] [slots]atomic.Pointer[cachedLine[C]]

// A cachedLine is a line, with what identifies the calls that led from it to the point where
// it was noted.
type cachedLine[C comparable] struct {
	calls C
	line  *Line
}

const (
	sets  = 10 // logarithm of the number of sets
	slots = 4
)

// set returns the set for calls with these return addresses, and the slot that a new line
// takes if all are taken.
func (c *lineCache[C]) set(calls ...uintptr) (_ *lineSet[C], slot uint64) {
	const factor = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio: it mixes all bits into the upper ones
	sum := uint64(0)
	for i, pc := range calls {
		sum ^= bits.RotateLeft64(uint64(pc), 9*i)
	}
	sum *= factor
	return &c[sum>>(64-sets)], sum >> (62 - sets) % slots
}

// keep puts a line into a free slot, or else into this one.
func (s *lineSet[C]) keep(slot uint64, n *cachedLine[C]) {
	for i := range s {
		if s[i].CompareAndSwap(nil, n) {
			return
		}
	}
	s[slot].Store(n)
}

// nearLines are the lines of short calls, by a few return addresses.
var nearLines lineCache[callsite.Near]

// AnyDepth is the near of [Rank.NoteLine] for a line at any depth of the stack.
const AnyDepth = 0

// NoteLine returns the line of the program that r is at. With near [AnyDepth] it costs a walk
// up a few frames, about 75 ns each, and an allocation, or at a place that was noted before
// a tenth of that. Only r's own goroutine may call it.
//
// In calls so short that even that would dominate them, near is the number of calls from the
// function that the line should be in to NoteLine: 1 if it is the caller, 2 for the caller's
// caller. Inlining cannot reduce it, and the line may be up to two calls further up. If it
// was noted before, it is then recognized by its return addresses. A line still further up
// is found as with AnyDepth, and so is any line where QuickLines is false.
//
//go:noinline
func (r *Rank) NoteLine(near int) *Line {
	var calls callsite.Near
	if near == AnyDepth || !QuickLines || r.at != nil || !calls.Look(near-1) {
		return r.note(1)
	}
	set, slot := nearLines.set(calls[0], calls[1], calls[2], calls[3], calls[4])
	for i := range set {
		if n := set[i].Load(); n != nil && n.calls.Same(&calls) {
			return n.line
		}
	}
	l := r.note(1)
	if near := l.near(&calls); near != nil {
		set.keep(slot, &cachedLine[callsite.Near]{calls, near})
		return near
	}
	return l
}

// near returns a copy of l for all calls with these return addresses, without the lines above
// it that the addresses do not determine. It returns nil if they do not determine l itself,
// because other calls are between them and the line.
func (l *Line) near(calls *callsite.Near) *Line {
	known := calls.Determines(l.PCs[:l.depth()])
	if callsite.Pick(l.PCs[:known], callsite.IsLibrary).Line == 0 {
		return nil
	}
	own := *l
	clear(own.PCs[known:])
	return &own
}

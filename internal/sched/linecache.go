package sched

import (
	"math/bits"
	"sync/atomic"

	"github.com/commworld/commworld/internal/callsite"
)

// QuickLines reports whether [Rank.NoteNear] costs only a few loads.
const QuickLines = callsite.Fast

// A nearby is a line, with the few return addresses that led from it to the point where it
// was noted.
type nearby struct {
	calls callsite.Near
	line  *Line
}

// cachedLines are the lines that recently sent messages. All ranks share them, because they
// run one program: in a ring of a thousand ranks each line is looked up once. A line can be
// in any slot of its set, and is read without a lock.
var cachedLines [1 << sets][slots]atomic.Pointer[nearby]

const (
	sets  = 8 // logarithm of the number of sets
	slots = 4
)

// NoteNear is [Rank.Note] for calls so short that a walk up the stack would dominate them.
// It recognizes a line that was noted before by its return addresses; if that is impossible
// (QuickLines is false), it calls Note. The line should be in the function that is skip
// calls above the caller, which inlining cannot reduce, or at most two calls above that. A
// line further up is found, but as slowly as by Note.
//
//go:noinline
func (r *Rank) NoteNear(skip int) *Line {
	var calls callsite.Near
	if r.at != nil || !calls.Look(skip) {
		return r.note(1)
	}
	set := setOf(&calls)
	for i := range set {
		if n := set[i].Load(); n != nil && n.calls.Same(&calls) {
			return n.line
		}
	}
	return r.note(1).keptIn(set, calls)
}

// setOf returns the set in which a line with these return addresses is remembered.
func setOf(calls *callsite.Near) *[slots]atomic.Pointer[nearby] {
	const factor = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio: it mixes all bits into the upper ones
	sum := uint64(calls[0]) ^ bits.RotateLeft64(uint64(calls[1]), 9) ^ bits.RotateLeft64(uint64(calls[2]), 18) ^
		bits.RotateLeft64(uint64(calls[3]), 27) ^ bits.RotateLeft64(uint64(calls[4]), 36)
	return &cachedLines[sum*factor>>(64-sets)]
}

// keptIn remembers a copy of l in set and returns it, if the return addresses determine it: no
// other calls are between them and the line. Lines above l that the addresses do not
// determine are left out. The copy goes into a free slot or replaces any other line. Otherwise
// it returns l.
func (l *Line) keptIn(set *[slots]atomic.Pointer[nearby], calls callsite.Near) *Line {
	known := calls.Determines(l.PCs[:l.depth()])
	f := callsite.Pick(l.PCs[:known], callsite.IsLibrary)
	if f.Line == 0 {
		return l
	}
	own := *l
	clear(own.PCs[known:])
	n := &nearby{calls, &own}
	for i := range set {
		if set[i].CompareAndSwap(nil, n) {
			return &own
		}
	}
	set[f.PC%slots].Store(n)
	return &own
}

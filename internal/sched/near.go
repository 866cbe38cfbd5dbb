package sched

import (
	"math/bits"
	"sync/atomic"

	"github.com/commworld/commworld/internal/callsite"
)

// QuickLines says that [Rank.NoteNear] costs no more than a few loads.
const QuickLines = callsite.Fast

// A nearby is a line by the few calls that led from it to where it was noted.
type nearby struct {
	calls callsite.Near
	line  *Line
}

// nearLines are the lines that messages were sent from lately. All ranks share
// them, because they run one program: in a ring of a thousand ranks each line is
// looked up once. A line can be in any lane of one set, and is read
// without a lock.
var nearLines [1 << sets][lanes]atomic.Pointer[nearby]

const (
	sets  = 8 // the logarithm of how many
	lanes = 4
)

// NoteNear is [Rank.Note] for calls so short that a walk up the stack would be
// most of them: where the line was noted before, as it nearly always was, it is
// recognized by the return addresses. Where that cannot be done (QuickLines is
// false), it is Note. The line should be that of the function skip calls above the
// caller, which no inlining makes fewer, or up to two above that; further up it is
// found, but as slowly as by Note.
//
// The window of nonblocking messages in comm's benchmarks takes up to 8 % longer for
// it (medians of interleaved runs: 0.98 and 1.085), messages there and back and rows
// of them no longer than they vary, and one that finds no receive 10 ns of 115:
// `go test ./comm -bench 'Window|PingPong|Stream|Unexpected'`.
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
	l := r.note(1)
	l.keepIn(set, calls)
	return l
}

// setOf returns where a line by these calls lies, if it is remembered.
func setOf(calls *callsite.Near) *[lanes]atomic.Pointer[nearby] {
	const factor = 0x9e3779b97f4a7c15 // 2^64 by the golden ratio: it mixes all bits into the upper ones
	sum := uint64(calls[0]) ^ bits.RotateLeft64(uint64(calls[1]), 9) ^ bits.RotateLeft64(uint64(calls[2]), 18) ^
		bits.RotateLeft64(uint64(calls[3]), 27) ^ bits.RotateLeft64(uint64(calls[4]), 36)
	return &nearLines[sum*factor>>(64-sets)]
}

// keepIn remembers l if the calls determine it: it is not so far up that others are
// between. What they do not determine of the lines that led to it is left out. It goes
// where there is room, or into the place of any other.
func (l *Line) keepIn(set *[lanes]atomic.Pointer[nearby], calls callsite.Near) {
	pcs := l.PCs[:l.depth()]
	known := calls.Determines(pcs)
	f := pick(pcs[:known], isLibrary)
	if f.Line == 0 {
		return
	}
	clear(pcs[known:])
	n := &nearby{calls, l}
	for i := range set {
		if set[i].CompareAndSwap(nil, n) {
			return
		}
	}
	set[f.PC%lanes].Store(n)
}

package sched

import (
	"runtime"

	"github.com/commworld/commworld/internal/callsite"
)

// mostLines bounds how many lines are remembered of each kind.
const mostLines = 1 << 12

// A memory holds lines that were noted before: runs of one program reach the same places
// again and again.
type memory[K comparable] struct {
	mu    Mutex
	lines map[K]*Line
}

// of returns the line of a place, nil if it is unknown.
func (m *memory[K]) of(place K) *Line {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lines[place]
}

func (m *memory[K]) keep(place K, l *Line) *Line {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lines == nil || len(m.lines) == mostLines {
		m.lines = map[K]*Line{}
	}
	m.lines[place] = l
	return l
}

// walked holds lines by the stacks that led to them, which mean the same in all runs.
var walked memory[stackKey]

// A stackKey is a stack, and the number of frames between it and the line.
type stackKey struct {
	stack callsite.Stack
	skip  int
}

// here returns the line of the caller, or of the function skip frames above. It is not
// inlined, so that the stack begins in the caller.
//
//go:noinline
func here(skip int) *Line {
	w := stackKey{skip: skip}
	known := w.stack.Look()
	if known {
		if l := walked.of(w); l != nil {
			return l
		}
	}
	l := new(Line)
	runtime.Callers(2+skip, l.PCs[:])
	if known {
		walked.keep(w, l)
	}
	return l
}

// Frames is runtime.Callers with a memory of lines that were noted before: skip is 1 for the
// caller. It returns at most as many frames as a [Line] holds.
//
//go:noinline
func (r *Rank) Frames(skip int, pcs []uintptr) {
	copy(pcs, here(skip).PCs[:])
}

// Sites returns the cache of the call sites of r, for r's own goroutine. In an exploration
// it is kept from run to run.
func (r *Rank) Sites() *callsite.Cache {
	if x := r.s.explorer(); x != nil {
		return &x.sites[r.id]
	}
	return new(callsite.Cache)
}

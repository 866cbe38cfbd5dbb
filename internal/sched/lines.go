package sched

import (
	"runtime"

	"github.com/commworld/commworld/internal/callsite"
)

// mostLines bounds how many lines are remembered of each kind.
const mostLines = 1 << 12

// A memory knows lines that were noted before: runs of one program come by the
// same places again and again.
type memory[K comparable] struct {
	mu    Mutex
	lines map[K]*Line
}

// of returns the line of a place, nil if it is not known.
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

// walked are lines by the stacks that led to them, which mean the same in all
// explorations.
var walked memory[way]

// A way is a stack, and how far up the line is.
type way struct {
	stack callsite.Stack
	skip  int
}

// here returns the line of the caller, or of who is skip frames above. It is not
// inlined, so that the stack begins with the place in the caller.
//
//go:noinline
func here(skip int) *Line {
	w := way{skip: skip}
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

// Frames is runtime.Callers, but for what an exploration remembers: skip is 1 for
// the caller. No more frames are given than a [Line] has.
//
//go:noinline
func (r *Rank) Frames(skip int, pcs []uintptr) {
	if r.lines == nil {
		runtime.Callers(skip+1, pcs)
		return
	}
	copy(pcs, here(skip).PCs[:])
}

// Sites returns a cache of the places from where something of r is called, for
// r's own goroutine: in an exploration that of the runs before.
func (r *Rank) Sites() *callsite.Cache {
	if x := r.s.explorer(); x != nil {
		return &x.sites[r.id]
	}
	return new(callsite.Cache)
}

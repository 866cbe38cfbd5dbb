package sched

import (
	"runtime"

	"github.com/commworld/commworld/internal/callsite"
)

// mostLines bounds the lines of a memory.
const mostLines = 1 << 12

// A memory holds lines of places that were noted before: runs of one program reach the same
// places again and again.
type memory struct {
	mu    Mutex
	lines map[*Place]*Line
}

// of returns the line of a place, nil if it is unknown.
func (m *memory) of(place *Place) *Line {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lines[place]
}

func (m *memory) keep(place *Place, l *Line) *Line {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lines == nil || len(m.lines) == mostLines {
		m.lines = map[*Place]*Line{}
	}
	m.lines[place] = l
	return l
}

// walked holds lines by the stacks that led to them.
var walked lineCache[stackKey]

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
	if !QuickLines || !w.stack.Look() {
		return walk(skip)
	}
	set, slot := walked.set(w.stack[:]...)
	for i := range set {
		if n := set[i].Load(); n != nil && n.calls.skip == skip && n.calls.stack.Same(&w.stack) {
			return n.line
		}
	}
	l := walk(skip)
	set.keep(slot, &cachedLine[stackKey]{w, l})
	return l
}

// walk looks the line up for here, which is its caller.
//
//go:noinline
func walk(skip int) *Line {
	l := new(Line)
	runtime.Callers(3+skip, l.PCs[:])
	return l
}

// Frames is runtime.Callers with a memory of lines that were noted before: skip is 1 for the
// caller. It returns at most as many frames as a [Line] holds.
//
//go:noinline
func Frames(skip int, pcs []uintptr) {
	copy(pcs, here(skip).PCs[:])
}

// CallSites returns a cache of the call sites of a rank, for the rank's own goroutine. In an
// exploration it is kept from run to run.
func (s *Sched) CallSites(rank int) *callsite.Cache {
	if x := s.explorer(); x != nil {
		return &x.sites[rank]
	}
	return new(callsite.Cache)
}

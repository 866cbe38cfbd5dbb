package sched

import (
	"runtime"

	"github.com/commworld/commworld/internal/callsite"
)

// lines are lines that were noted, by the stacks that led to them: runs of one
// program come by the same places again and again.
type lines struct {
	mu    Mutex
	known map[callsite.Stack]*Line
}

// mostLines bounds how many lines are remembered.
const mostLines = 1 << 12

// here returns the line of the caller, or of who is skip frames above. It is not
// inlined, so that the stack begins with the place in the caller.
//
//go:noinline
func (k *lines) here(skip int) *Line {
	var s callsite.Stack
	known := s.Look()
	if known {
		k.mu.Lock()
		l := k.known[s]
		k.mu.Unlock()
		if l != nil {
			return l
		}
	}
	l := new(Line)
	runtime.Callers(2+skip, l.PCs[:])
	if known {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.known == nil || len(k.known) == mostLines {
			k.known = map[callsite.Stack]*Line{}
		}
		k.known[s] = l
	}
	return l
}

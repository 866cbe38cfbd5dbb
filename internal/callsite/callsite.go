// Package callsite tells from where a call came, fast enough to be asked at
// every access to a file.
//
// The runtime's own answer, runtime.Callers, takes as long as all the rest of a
// small access. But programs call from few places over and over. So a [Cache]
// recognizes the place by the return addresses on the stack, which on amd64 are
// found by following frame pointers, and asks the runtime only about places that
// it does not know. Elsewhere, and with -tags purego, it always asks.
//
// A [Stack] tells whole paths through a program apart in the same way, and a
// [Near] their last steps.
//
// # Borders
//
// The assembly reads a few words of the stack and nothing else. What an address
// means is left to the runtime.
package callsite

import "runtime"

// depth is how many return addresses recognize a place: methods that are mere
// wrappers may lie between it and the one who asks, inlined or not. Where there
// are more of them than that, the addresses tell nothing, and the runtime is
// asked each time.
const depth = 3

// A Cache knows the places from which one caller was called lately. It is for
// one goroutine at a time.
type Cache struct {
	known  [4]place
	oldest int
}

type place struct {
	frames Near
	pc     uintptr // 0: the frames do not tell
}

// Caller returns what runtime.Callers(skip, pcs[:1]) says in the function that
// calls Caller. That function must not be inlined, and skip be at least 3 and the
// same each time.
//
//go:noinline
func (c *Cache) Caller(skip int) uintptr {
	var f Near
	if !walk(&f, 2) {
		return ask(skip)
	}
	for i := range c.known {
		if p := &c.known[i]; p.frames == f {
			if p.pc == 0 {
				return ask(skip)
			}
			return p.pc
		}
	}
	p := &c.known[c.oldest]
	c.oldest = (c.oldest + 1) % len(c.known)
	pc := ask(skip)
	*p = place{frames: f}
	if f.Has(entry(pc)) {
		p.pc = pc
	}
	return pc
}

// A Near is a few return addresses: what recognizes a place that is not further
// away.
type Near [depth]uintptr

// Look reads them, beginning with that of the function so many calls above the one
// that calls Look; neither it nor those between may be inlined. It returns false
// where it cannot.
func (n *Near) Look(up int) bool { return walk(n, up) }

// Has reports whether a place in the function that begins there is in one of
// the functions to which n returns, and not above all of them. Which of them are
// wrappers is seen from the addresses alone, so the answer is the same for all
// calls with these frames.
func (n *Near) Has(function uintptr) bool {
	for _, f := range n {
		if f != 0 && entry(f) == function {
			return true
		}
	}
	return false
}

// entry is where the function begins that has the call before a return address,
// the one it was inlined into, if it was.
func entry(pc uintptr) uintptr {
	if f := runtime.FuncForPC(pc - 1); f != nil {
		return f.Entry()
	}
	return 0
}

// ask asks the runtime for the place that is skip frames above the caller of
// the one who calls ask.
//
//go:noinline
func ask(skip int) uintptr {
	var pcs [1]uintptr
	runtime.Callers(skip+2, pcs[:])
	return pcs[0]
}

// A Stack is what recognizes the way that led to a place: the return addresses
// above it. Two equal ones mean the same to runtime.Callers, as far up as they
// go, inlined functions and wrappers included.
type Stack [12]uintptr

// Look reads the return addresses, beginning with that of the function that calls
// it, which must not be inlined. What lies above the first function of a goroutine
// is 0. It returns false where it cannot.
func (s *Stack) Look() bool { return look(s) }

// Package callsite finds the line that a call came from, fast enough for every access to a
// file.
//
// Start here: [Cache.Caller] returns the place of a handle's present call, and [Program] the
// lines of the program that led to an error.
//
// The runtime's own function, runtime.Callers, takes as long as the rest of a small access.
// But programs call from few places over and over. So a [Cache] recognizes the place by the
// return addresses on the stack, which on amd64 are found by following frame pointers, and
// asks the runtime only about places that it does not know. Elsewhere, and with -tags
// purego, it always asks.
//
// [Deferred] finds the defer statements of calls that are made where a function returns.
//
// A [Stack] distinguishes whole paths through a program in the same way, and a
// [Near] their last steps.
//
// # Borders
//
// The assembly only reads a few words of the stack. The runtime translates addresses.
package callsite

import (
	"runtime"
	"slices"
)

// depth is the number of return addresses that identify a place: three functions of the
// program, and up to two methods that are mere wrappers between them and the function that
// asks, inlined or not. Frames that the addresses do not determine are not returned.
const depth = 5

// PCs are program counters as runtime.Callers returns them, innermost first: a place and the
// calls that led to it.
type PCs [4]uintptr

// A Cache keeps the places from which one function was called lately. It is for one
// goroutine at a time.
type Cache struct {
	known  [3]place
	oldest int
	more   map[Near]PCs // older places
}

type place struct {
	frames Near
	pcs    PCs
}

// nearest is the smallest argument of [Cache.Caller].
const nearest = 3

// mostPlaces bounds the number of places in a Cache.
const mostPlaces = 1 << 10

// Caller returns the same as runtime.Callers(skip, pcs[:]) in the function that calls
// Caller, as far as a few return addresses determine it. That function must not be inlined,
// and skip must be at least 3 and the same each time.
//
//go:noinline
func (c *Cache) Caller(skip int) *PCs {
	var f Near
	if !walk(&f, 2) {
		pcs := new(PCs)
		ask(skip, pcs[:])
		return pcs
	}
	for i := range c.known {
		if p := &c.known[i]; p.frames.Same(&f) {
			return &p.pcs
		}
	}
	pcs, ok := c.more[f]
	if !ok {
		var all [len(pcs) + depth]uintptr
		ask(nearest, all[:]) // from the first of the addresses on
		known := f.Determines(all[:])
		copy(pcs[:], all[skip-nearest:max(known, skip-nearest)])
		if pcs[0] == 0 { // more wrappers than addresses are in between: not cached
			ask(skip, pcs[:])
			return &pcs
		}
	}
	p := &c.known[c.oldest]
	c.oldest = (c.oldest + 1) % len(c.known)
	c.keep(p)
	*p = place{f, pcs}
	return &p.pcs
}

// keep remembers a place that another one replaces in the list. Most callers have few places
// and need no map.
func (c *Cache) keep(p *place) {
	if p.frames == (Near{}) {
		return
	}
	if c.more == nil || len(c.more) == mostPlaces {
		c.more = map[Near]PCs{}
	}
	c.more[p.frames] = p.pcs
}

// A Near is a few return addresses, which identify a place that is not further away.
type Near [depth]uintptr

// Look reads the addresses, beginning with that of the function a number of calls above the
// caller of Look; none of these functions may be inlined. It returns false if it cannot.
func (n *Near) Look(up int) bool { return walk(n, up) }

// Same reports whether n and o are equal, faster than == for arrays.
func (n *Near) Same(o *Near) bool {
	return n[0] == o[0] && n[1] == o[1] && n[2] == o[2] && n[3] == o[3] && n[4] == o[4]
}

// Determines returns how many of the counters, given by runtime.Callers on the same
// stack, are the same in all calls with these return addresses.
func (n *Near) Determines(pcs []uintptr) (known int) {
	for _, f := range n {
		if f == 0 { // the goroutine begins here
			return len(pcs)
		}
		if i := slices.Index(pcs[known:], f); i >= 0 {
			known += i + 1
		}
	}
	return known
}

// ask gets the places from the runtime, from skip frames above the caller of ask's caller.
//
//go:noinline
func ask(skip int, pcs []uintptr) { runtime.Callers(skip+2, pcs) }

// A Stack identifies the calls that led to a place, by the return addresses above it. For
// two equal stacks runtime.Callers returns the same frames, as far up as they reach,
// including inlined functions and wrappers.
type Stack [12]uintptr

// Same reports whether s and o are equal. Right after Look it is faster than ==, which would
// wait until the addresses are in memory.
func (s *Stack) Same(o *Stack) bool {
	for i, pc := range s {
		if pc != o[i] {
			return false
		}
	}
	return true
}

// Look reads the return addresses, beginning with that of the function that calls it, which
// must not be inlined. Addresses above the first function of a goroutine are 0. It returns
// false if it cannot.
func (s *Stack) Look() bool { return look(s) }

// Package callsite finds the line that a call came from, fast enough to be asked at
// every access to a file.
//
// Start here: [Cache.Caller] is the place of a call that a handle is in, and
// [Program] the lines of the program that led to an error.
//
// The runtime's own answer, runtime.Callers, takes as long as all the rest of a
// small access. But programs call from few places over and over. So a [Cache]
// recognizes the place by the return addresses on the stack, which on amd64 are
// found by following frame pointers, and asks the runtime only about places that
// it does not know. Elsewhere, and with -tags purego, it always asks.
//
// A [Stack] distinguishes whole paths through a program in the same way, and a
// [Near] their last steps.
//
// # Borders
//
// The assembly reads a few words of the stack and nothing else. What an address
// means is left to the runtime.
package callsite

import (
	"runtime"
	"slices"
)

// depth is how many return addresses recognize a place: three functions of the
// program, and up to two methods that are mere wrappers between them and the
// function that asks, inlined or not. Of what the addresses do not determine nothing
// is returned.
const depth = 5

// PCs are program counters as of runtime.Callers, innermost first: a place and what led to it.
type PCs [4]uintptr

// A Cache knows the places from which one caller was called lately. It is for
// one goroutine at a time.
type Cache struct {
	known  [3]place
	oldest int
	more   map[Near]PCs // those that were known before
}

type place struct {
	frames Near
	pcs    PCs
}

// nearest is the smallest argument of [Cache.Caller].
const nearest = 3

// mostPlaces bounds how many places a Cache knows.
const mostPlaces = 1 << 10

// Caller returns what runtime.Callers(skip, pcs[:]) says in the function that
// calls Caller, as far as few return addresses determine it. That function must not
// be inlined, and skip be at least 3 and the same each time.
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
		ask(nearest, all[:]) // from where the addresses begin
		known := f.Determines(all[:])
		copy(pcs[:], all[skip-nearest:max(known, skip-nearest)])
		if pcs[0] == 0 { // more wrappers than addresses are between: asked for each time
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

// keep remembers a place that another one takes the room of. Most callers have few,
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

// A Near is a few return addresses: what recognizes a place that is not further
// away.
type Near [depth]uintptr

// Look reads them, beginning with that of the function so many calls above the one
// that calls Look; neither it nor those between may be inlined. It returns false
// where it cannot.
func (n *Near) Look(up int) bool { return walk(n, up) }

// Same reports whether n and o are equal, faster than == does for arrays.
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

// ask asks the runtime for the places from skip frames above the caller of
// the one who calls ask.
//
//go:noinline
func ask(skip int, pcs []uintptr) { runtime.Callers(skip+2, pcs) }

// A Stack identifies the calls that led to a place, by the return addresses above
// it. For two equal ones runtime.Callers returns the same, as far up as they go,
// inlined functions and wrappers included.
type Stack [12]uintptr

// Look reads the return addresses, beginning with that of the function that calls
// it, which must not be inlined. Addresses above the first function of a
// goroutine are 0. It returns false where it cannot.
func (s *Stack) Look() bool { return look(s) }

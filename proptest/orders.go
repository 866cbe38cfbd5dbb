package proptest

import (
	"slices"
	"sync/atomic"
)

// A readout is a range of bytes that an access read, or that the file has in the end: the
// writes that may be the last before it. All that it needs of the order of the accesses is that
// one of them is.
type readout struct {
	reader  int
	from    []int  // writes with the bytes that were read; atStart: the file had them before
	writers []int  // all writes of these bytes
	lo, hi  int64  // the first such range, for messages
	parts   []part // of it, if no write has all its bytes
}

// atStart stands for the bytes before the first access.
const atStart = -1

// A partial is a partial order of accesses that is closed under transitivity.
type partial [][]uint64 // by access: those after it, as bits

func newPartial(n int) partial {
	words := (n + 63) / 64
	all := make([]uint64, n*words)
	p := make(partial, n)
	for i := range p {
		p[i] = all[i*words : (i+1)*words : (i+1)*words]
	}
	return p
}

func (p partial) clone() partial {
	q := newPartial(len(p))
	for i := range p {
		copy(q[i], p[i])
	}
	return q
}

// has reports whether a is before b.
func (p partial) has(a, b int) bool { return p[a][b/64]>>(b%64)&1 != 0 }

// add puts a before b. It reports false if b is before a.
func (p partial) add(a, b int) bool {
	switch {
	case a == b || p.has(b, a):
		return false
	case p.has(a, b):
		return true
	}
	for x := range p {
		if x == a || p.has(x, a) {
			for w := range p[x] {
				p[x][w] |= p[b][w]
			}
			p[x][b/64] |= 1 << (b % 64)
		}
	}
	return true
}

// mostBranches bounds the search of explained for one history. Histories of random programs
// need a few hundredths of it.
const mostBranches = 10_000

// undecided counts the histories for which that was not enough: they pass.
var undecided atomic.Int64

// explained reports whether some order of the accesses contains a partial one and gives all
// readouts. The partial order is changed.
func explained(p partial, all []readout) bool {
	left := mostBranches
	ok := search(p, all, &left)
	if !ok && left <= 0 {
		undecided.Add(1)
		return true
	}
	return ok
}

func search(p partial, all []readout, left *int) bool {
	if !imply(p, all) {
		return false
	}
	for i := range all {
		if all[i].settled(p) {
			continue
		}
		if list := all[i].possible(p); len(list) > 1 {
			for _, w := range list {
				one := slices.Clone(all)
				one[i].from = []int{w}
				if *left--; *left > 0 && search(p.clone(), one, left) {
					return true
				}
			}
			return false
		}
		if w, o, open := all[i].open(p); open {
			for _, pair := range [][2]int{{o, w}, {all[i].reader, o}} {
				q := p.clone()
				if *left--; *left > 0 && q.add(pair[0], pair[1]) && search(q, all, left) {
					return true
				}
			}
			return false
		}
	}
	return true
}

// imply adds what all readouts require of every order. It reports false if there is none.
func imply(p partial, all []readout) bool {
	for {
		before := p.size()
		for i := range all {
			if !all[i].imply(p) {
				return false
			}
		}
		if p.size() == before {
			return true
		}
	}
}

// size returns a number that grows with each pair of the order.
func (p partial) size() (n int) {
	for _, row := range p {
		for _, w := range row {
			for ; w != 0; w &= w - 1 {
				n++
			}
		}
	}
	return n
}

// possible lists the writes that can still be the last before the readout.
func (r *readout) possible(p partial) []int {
	var list []int
	for _, w := range r.from {
		if r.mayBeLast(p, w) {
			list = append(list, w)
		}
	}
	return list
}

func (r *readout) mayBeLast(p partial, w int) bool {
	if w != atStart && p.has(r.reader, w) {
		return false
	}
	return !slices.ContainsFunc(r.writers, func(o int) bool {
		return o != w && p.has(o, r.reader) && (w == atStart || p.has(w, o))
	})
}

// settled reports whether any order gives the readout: one that every write gives, with one before it.
func (r *readout) settled(p partial) bool {
	return slices.Equal(r.from, r.writers) &&
		slices.ContainsFunc(r.writers, func(w int) bool { return p.has(w, r.reader) })
}

// imply adds what the readout requires, if only one write can be the last.
func (r *readout) imply(p partial) bool {
	list := r.possible(p)
	if len(list) != 1 {
		return len(list) > 0
	}
	w := list[0]
	if w != atStart && !p.add(w, r.reader) {
		return false
	}
	for _, o := range r.writers {
		ok := true
		switch {
		case o == w:
		case w == atStart || p.has(w, o):
			ok = p.add(r.reader, o)
		case p.has(o, r.reader):
			ok = p.add(o, w)
		}
		if !ok {
			return false
		}
	}
	return true
}

// open returns a write o that may be before w, which is the last before the readout, or after
// the readout.
func (r *readout) open(p partial) (w, o int, open bool) {
	w = r.possible(p)[0]
	for _, o := range r.writers {
		if o != w && w != atStart && !p.has(o, w) && !p.has(r.reader, o) {
			return w, o, true
		}
	}
	return w, 0, false
}

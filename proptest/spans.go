package proptest

import (
	"slices"
	"sort"
)

// A span is a value of bytes [lo, hi) of a file.
type span[T comparable] struct {
	lo, hi int64
	v      T
}

// A spans is a sparse list of values by byte: sorted, without overlaps and empty spans.
type spans[T comparable] []span[T]

// first returns the index of the first span that ends after a byte.
func (s spans[T]) first(at int64) int {
	return sort.Search(len(s), func(i int) bool { return s[i].hi > at })
}

// visit calls do for bytes [lo, hi) in order, in pieces with one value or none, until it
// returns false. It reports whether do returned true for all pieces.
func (s spans[T]) visit(lo, hi int64, do func(lo, hi int64, v T, has bool) bool) bool {
	var none T
	for i := s.first(lo); lo < hi; i++ {
		if i == len(s) || s[i].lo >= hi {
			return do(lo, hi, none, false)
		}
		if s[i].lo > lo && !do(lo, s[i].lo, none, false) {
			return false
		}
		lo = max(lo, s[i].lo)
		end := min(hi, s[i].hi)
		if !do(lo, end, s[i].v, true) {
			return false
		}
		lo = end
	}
	return true
}

// at returns the value of one byte.
func (s spans[T]) at(off int64) (v T, has bool) {
	if i := s.first(off); i < len(s) && s[i].lo <= off {
		return s[i].v, true
	}
	return v, false
}

// change gives bytes [lo, hi) new values: of returns the value for bytes with one value or
// none.
func (s *spans[T]) change(lo, hi int64, of func(v T, has bool) T) {
	s.changeAll([]piece{{off: lo, n: hi - lo}}, func(_ piece, v T, has bool) T { return of(v, has) })
}

// changeAll changes the bytes of several pieces, of which the ends grow, in one pass.
func (s *spans[T]) changeAll(list []piece, of func(p piece, v T, has bool) T) {
	if len(list) == 0 {
		return
	}
	lo, hi := list[0].off, list[len(list)-1].off+list[len(list)-1].n
	from := s.first(lo)
	to := from + sort.Search(len(*s)-from, func(i int) bool { return (*s)[from+i].lo >= hi })
	old := (*s)[from:to]
	var few [4]span[T]
	changed := few[:0]
	add := func(lo, hi int64, v T) {
		if n := len(changed); n > 0 && changed[n-1].hi == lo && changed[n-1].v == v {
			changed[n-1].hi = hi
			return
		}
		changed = append(changed, span[T]{lo, hi, v})
	}
	keep := func(lo, hi int64) {
		old.visit(lo, hi, func(lo, hi int64, v T, has bool) bool {
			if has {
				add(lo, hi, v)
			}
			return true
		})
	}
	if len(old) > 0 {
		keep(old[0].lo, lo)
	}
	at := lo
	for _, p := range list {
		keep(at, p.off)
		old.visit(p.off, p.off+p.n, func(lo, hi int64, v T, has bool) bool {
			add(lo, hi, of(p, v, has))
			return true
		})
		at = p.off + p.n
	}
	if len(old) > 0 {
		keep(hi, old[len(old)-1].hi)
	}
	*s = slices.Replace(*s, from, to, changed...)
}

// set gives bytes [lo, hi) one value.
func (s *spans[T]) set(lo, hi int64, v T) {
	s.change(lo, hi, func(T, bool) T { return v })
}

// cut removes the values of all bytes from n on.
func (s *spans[T]) cut(n int64) {
	i := s.first(n)
	if i < len(*s) && (*s)[i].lo < n {
		(*s)[i].hi = n
		i++
	}
	*s = (*s)[:i]
}

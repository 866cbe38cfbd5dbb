package proptest

import (
	"bytes"
	"slices"
)

// A content has what the reference knows of the bytes of a file: their values, and who
// wrote them since the last sync of all.
type content interface {
	// claim records that an access writes bytes: a byte that a second user writes belongs to
	// no user.
	claim(m *move)
	// unclaim makes the bytes that two accesses of one user write undetermined for all users.
	unclaim(a, b *move)
	// mixes records that the bytes of a write are undetermined for a read.
	mixes(m, w *move)
	// pass makes the claims of some handles known to others; both are sets of bits.
	pass(from, to uint8)
	// put adds the bytes of a write.
	put(m *move)
	// cut removes the bytes from n on.
	cut(n int64)
	// publish ends the claims: bytes with more than one writer have no determined value. With
	// none, no claimed byte has.
	publish(none bool)

	// compare compares bytes read with the determined ones. It returns the index of the first
	// that is wrong, or -1, and whether all are determined.
	compare(m *move, got []byte) (bad int64, all bool)
	// at returns the byte that a user must see now, if it is determined.
	at(off int64, user int) (cell, bool)
	// snapshot returns the values of all bytes, and the bytes with claims.
	snapshot() (values spans[written], claimed spans[bool])
	// lost returns the first determined byte that is not in the list, or differs from it. Index
	// returns the index of a byte, negative if the list does not have it.
	lost(stored []byte, index func(off int64) int64) (off int64, differs bool)
}

// A cell is a byte of the file.
type cell struct {
	b    byte
	rank int16 // the rank that wrote it, and the operation
	op   int32
}

// A written is the value of a range of bytes: the data of a write.
type written struct {
	m    *data
	from int64 // the byte of the file at which data[0] would be
}

// data is what one rank wrote in an operation.
type data struct {
	bytes []byte
	rank  int16
	op    int32
}

func (w written) slice(lo, hi int64) []byte { return w.m.bytes[lo-w.from : hi-w.from] }

// A claim is the user that wrote bytes since the sync of all, and the handles, as bits, to
// which the write has been made known.
type claim struct {
	who  int16
	sent uint8
}

// runs is the content of a file by ranges of bytes.
type runs struct {
	values spans[written]
	claims spans[claim]
	ranks  int // of the program: the handle of user u is u / ranks
}

func byRuns(ranks int) content { return &runs{ranks: ranks} }

// bit returns the handle of a user as a set.
func (c *runs) bit(user int) uint8 { return 1 << (user / c.ranks) }

// knows reports whether a user finds a determined value at bytes with a claim; then the user
// may also write them without a conflict.
func (c *runs) knows(user int, by claim) bool {
	return by.who == int16(user) || by.who >= 0 && user >= 0 && by.sent&c.bit(user) != 0
}

func (c *runs) claim(m *move) {
	inOrder(m.pieces(), func(list []piece) {
		c.claims.changeAll(list, func(_ piece, by claim, has bool) claim {
			if has && !c.knows(m.user, by) {
				return claim{who: many}
			}
			return claim{who: int16(m.user)}
		})
	})
}

// inOrder calls do for parts of a list, in which each piece begins behind the one before.
func inOrder(list []piece, do func([]piece)) {
	from := 0
	for i := 1; i <= len(list); i++ {
		if i == len(list) || list[i].off < list[i-1].off+list[i-1].n {
			do(list[from:i])
			from = i
		}
	}
}

func (c *runs) unclaim(a, b *move) {
	shared(a, b, func(lo, hi int64) { c.claims.set(lo, hi, claim{who: many}) })
}

func (c *runs) mixes(m, w *move) {
	shared(m, w, func(lo, hi int64) { m.amid.set(lo, hi, true) })
}

// shared calls do for the ranges of bytes that two accesses use.
func shared(a, b *move, do func(lo, hi int64)) {
	var of spans[bool]
	inOrder(b.pieces(), func(list []piece) {
		of.changeAll(list, func(piece, bool, bool) bool { return true })
	})
	for _, p := range a.pieces() {
		of.visit(p.off, p.off+p.n, func(lo, hi int64, _, both bool) bool {
			if both {
				do(lo, hi)
			}
			return true
		})
	}
}

func (c *runs) pass(from, to uint8) {
	for i := range c.claims {
		by := &c.claims[i].v
		if by.who >= 0 && (from&c.bit(int(by.who)) != 0 || by.sent != 0) {
			by.sent |= to
		}
	}
}

func (c *runs) put(m *move) {
	d := &data{m.file, int16(m.rank), int32(m.op)}
	inOrder(m.pieces(), func(list []piece) {
		c.values.changeAll(list, func(p piece, _ written, _ bool) written { return written{d, p.off - p.i} })
	})
}

func (c *runs) cut(n int64) { c.values.cut(n) }

func (c *runs) publish(none bool) {
	var unknown []piece
	for _, by := range c.claims {
		if none || by.v.who == many {
			unknown = append(unknown, piece{off: by.lo, n: by.hi - by.lo})
		}
	}
	c.values.changeAll(unknown, func(piece, written, bool) written { return written{} })
	c.claims = c.claims[:0]
}

func (c *runs) compare(m *move, got []byte) (bad int64, all bool) {
	bad, all = -1, true
	for _, p := range m.pieces() {
		if p.i >= int64(len(got)) {
			break
		}
		here := got[p.i:min(p.i+p.n, int64(len(got)))]
		ok := c.determined(m, p.off, p.off+int64(len(here)), func(lo, hi int64, w written, known bool) bool {
			all = all && known
			if known && !bytes.Equal(w.slice(lo, hi), here[lo-p.off:hi-p.off]) {
				i := lo
				for w.m.bytes[i-w.from] == here[i-p.off] {
					i++
				}
				bad = p.i + i - p.off
				return false
			}
			return true
		})
		if !ok {
			break
		}
	}
	return bad, all
}

// determined calls do for bytes [lo, hi) in order, in pieces that are determined for a read,
// or not.
func (c *runs) determined(m *move, lo, hi int64, do func(lo, hi int64, w written, known bool) bool) bool {
	return c.values.visit(lo, hi, func(lo, hi int64, w written, has bool) bool {
		if !has || w.m == nil {
			return do(lo, hi, w, false)
		}
		return c.claims.visit(lo, hi, func(lo, hi int64, by claim, has bool) bool {
			if has && !c.knows(m.user, by) {
				return do(lo, hi, w, false)
			}
			return m.amid.visit(lo, hi, func(lo, hi int64, _, amid bool) bool { return do(lo, hi, w, !amid) })
		})
	})
}

func (c *runs) at(off int64, user int) (cell, bool) {
	if by, has := c.claims.at(off); has && !c.knows(user, by) {
		return cell{}, false
	}
	w, has := c.values.at(off)
	if !has || w.m == nil {
		return cell{}, false
	}
	return cell{w.m.bytes[off-w.from], w.m.rank, w.m.op}, true
}

func (c *runs) snapshot() (values spans[written], claimed spans[bool]) {
	for _, by := range c.claims {
		claimed.set(by.lo, by.hi, true)
	}
	return slices.Clone(c.values), claimed
}

func (c *runs) lost(stored []byte, index func(off int64) int64) (off int64, differs bool) {
	for _, s := range c.values {
		if s.v.m == nil {
			continue
		}
		// A range is at consecutive indices; or a border of the list is in it.
		if i := index(s.lo); i >= 0 && index(s.hi-1) == i+s.hi-1-s.lo && i+s.hi-s.lo <= int64(len(stored)) &&
			bytes.Equal(s.v.slice(s.lo, s.hi), stored[i:i+s.hi-s.lo]) {
			continue
		}
		for off := s.lo; off < s.hi; off++ {
			switch i := index(off); {
			case i < 0:
			case i >= int64(len(stored)):
				return off, false
			case stored[i] != s.v.m.bytes[off-s.v.from]:
				return off, true
			}
		}
	}
	return -1, false
}

package sched

// A history is a set of decisions of an exploring world: those that were made before an
// event and that it depends on. It is immutable. It is nil when empty, as it always is in a
// world that does not explore.
type history struct{ bits []uint64 }

func (h *history) has(i int) bool {
	return h != nil && i/64 < len(h.bits) && h.bits[i/64]>>(i%64)&1 != 0
}

// with returns h with decision i added.
func (h *history) with(i int) *history {
	if h.has(i) {
		return h
	}
	bits := blank(max(i/64+1, h.words()))
	if h != nil {
		copy(bits.bits, h.bits)
	}
	bits.bits[i/64] |= 1 << (i % 64)
	return bits
}

// blank returns an empty history with capacity for the given number of words. Few runs make
// more choices than one word has bits.
func blank(words int) *history {
	if words > 1 {
		return &history{make([]uint64, words)}
	}
	x := new(struct {
		history
		word [1]uint64
	})
	x.bits = x.word[:]
	return &x.history
}

func (h *history) words() int {
	if h == nil {
		return 0
	}
	return len(h.bits)
}

// within reports whether o contains all of h.
func (h *history) within(o *history) bool {
	if h == nil || h == o {
		return true
	}
	for i, w := range h.bits {
		if i < o.words() {
			w &^= o.bits[i]
		}
		if w != 0 {
			return false
		}
	}
	return true
}

// union returns the union of h and o: h or o itself if it contains the other.
func (h *history) union(o *history) *history {
	switch {
	case o.within(h):
		return h
	case h.within(o):
		return o
	}
	both := blank(max(h.words(), o.words()))
	copy(both.bits, h.bits)
	for i, w := range o.bits {
		both.bits[i] |= w
	}
	return both
}

// meets reports whether h and o have a decision in common.
func (h *history) meets(o *history) bool {
	for i := range min(h.words(), o.words()) {
		if h.bits[i]&o.bits[i] != 0 {
			return true
		}
	}
	return false
}

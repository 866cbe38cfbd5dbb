package sched

// A history is a set of decisions of an exploring world: those that had to be
// made before something could happen. It is immutable and nil when empty, as
// it always is in a world that does not explore.
type history struct{ bits []uint64 }

func (h *history) has(i int) bool {
	return h != nil && i/64 < len(h.bits) && h.bits[i/64]>>(i%64)&1 != 0
}

// with returns h and decision i.
func (h *history) with(i int) *history {
	if h.has(i) {
		return h
	}
	bits := make([]uint64, max(i/64+1, h.words()))
	if h != nil {
		copy(bits, h.bits)
	}
	bits[i/64] |= 1 << (i % 64)
	return &history{bits}
}

func (h *history) words() int {
	if h == nil {
		return 0
	}
	return len(h.bits)
}

// within says whether o has all of h.
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

// union returns h and o, one of the two if it has all.
func (h *history) union(o *history) *history {
	switch {
	case o.within(h):
		return h
	case h.within(o):
		return o
	}
	bits := make([]uint64, max(h.words(), o.words()))
	copy(bits, h.bits)
	for i, w := range o.bits {
		bits[i] |= w
	}
	return &history{bits}
}

// meets says whether h and o have a decision in common.
func (h *history) meets(o *history) bool {
	for i := range min(h.words(), o.words()) {
		if h.bits[i]&o.bits[i] != 0 {
			return true
		}
	}
	return false
}

package comm

import (
	"math/bits"
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
)

// A stock is where a rank takes buffered messages from. Whoever receives one
// gives it back to the rank that sent it: in a steady stream nothing is
// allocated, and the two ranks touch a common word once for many messages. A
// pool for all ranks was slower, because it would have to carry every message
// back from the receiver's processor to the sender's.
type stock struct {
	free     [classes]*transfer       // linked by next
	returned atomic.Pointer[transfer] // by other ranks, of any size
}

// The sizes of buffers, as powers of two.
const (
	smallest = 64 // bytes, which lie in the message itself
	lowest   = 6  // its logarithm
	largest  = 16 // 64 KiB; longer messages get a buffer of their own
	classes  = largest - lowest + 1
	noClass  = -1
)

// keep bounds what a rank keeps after a flood: so many bytes of each size.
const (
	keep     = 64 << 20
	overhead = 384 // of a message, about
)

// buffered makes a message of t's data, which t's rank may then change.
func (t *transfer) buffered(size int64) *transfer {
	m := t.comm.proc.message(size)
	m.env, m.comm, m.eager, m.sent, m.room, m.number = t.env, t.comm, true, t.sent, t.room, t.number
	m.line, m.peer = t.line, t.peer
	m.data.packedAs(&t.data, m.bytes(size))
	if size > 0 {
		t.data.pack(m.data.flat)
	}
	return m
}

// bytes is the space of m, a message taken for so many bytes.
func (m *transfer) bytes(size int64) []byte {
	if m.class == 0 {
		return m.tiny[:size]
	}
	return m.space[:size]
}

// message takes an empty message with room for size bytes.
func (p *process) message(size int64) *transfer {
	if size > 1<<largest {
		return &transfer{space: make([]byte, size), class: noClass}
	}
	k := 0
	if size > smallest {
		k = bits.Len64(uint64(size-1)) - lowest
	}
	if p.stock == nil {
		p.stock = new(stock)
	}
	s := p.stock
	if s.free[k] == nil {
		s.collect()
	}
	m := s.free[k]
	if m == nil {
		m = &transfer{class: int8(k)}
		if k > 0 {
			m.space = make([]byte, 1<<(k+lowest))
		}
		return m
	}
	s.free[k], m.next = m.next, nil
	return m
}

// collect sorts what others have given back.
func (s *stock) collect() {
	var room [classes]int
	for k := range room {
		room[k] = keep / (1<<(k+lowest) + overhead)
	}
	m := s.returned.Swap(nil)
	for m != nil {
		next := m.next
		if k := m.class; room[k] > 0 {
			room[k]--
			m.next, s.free[k] = s.free[k], m
		}
		m = next
	}
}

// recycle gives a buffered message back to the rank that sent it.
func (t *transfer) recycle() {
	if !t.stocked() {
		t.clear()
		return
	}
	s := t.comm.proc.stock
	t.clear()
	s.put(t, t)
}

// stocked reports whether t, or nil, is a buffered message of a stock.
func (t *transfer) stocked() bool { return t != nil && t.eager && t.class != noClass }

// clear lets go of what a buffered message was about.
func (t *transfer) clear() {
	if t.room != nil {
		t.vacate()
	}
	t.comm, t.data.typ, t.sent = nil, nil, sched.Clock{}
}

// put gives messages back, linked by next. It takes any rank's word: only whole
// lists are ever taken out of returned, so a message cannot come and go while
// others are being put in front of it.
func (s *stock) put(first, last *transfer) {
	for {
		last.next = s.returned.Load()
		if s.returned.CompareAndSwap(last.next, first) {
			return
		}
	}
}

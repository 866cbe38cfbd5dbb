package comm

import (
	"math/bits"
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
)

// A pool is where a rank takes buffered messages from. The receiving rank gives a message
// back to the rank that sent it: in a steady stream nothing is allocated, and the two ranks
// write a common word only once for many messages. A pool for all ranks would have to carry
// every message back from the receiver's processor to the sender's.
type pool struct {
	free     [classes]*transfer       // linked by next
	returned atomic.Pointer[transfer] // given back by other ranks, of any size
}

// The sizes of buffers, as powers of two.
const (
	smallest = 64 // bytes; they are in the message itself
	lowest   = 6  // logarithm of smallest
	largest  = 16 // logarithm of 64 KiB; longer messages get a buffer of their own
	classes  = largest - lowest + 1
	noClass  = -1
)

// keep bounds the bytes of each size that a rank keeps after a burst of messages.
const (
	keep     = 64 << 20
	overhead = 384 // bytes of a message beside its data, about
)

// buffered returns a message with a copy of t's data, so that t's rank may change its
// buffer.
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

// bytes returns the first size bytes of m's space.
func (m *transfer) bytes(size int64) []byte {
	if m.class == 0 {
		return m.tiny[:size]
	}
	return m.space[:size]
}

// message returns an empty message with room for size bytes.
func (p *process) message(size int64) *transfer {
	if size > 1<<largest {
		return &transfer{space: make([]byte, size), class: noClass}
	}
	k := 0
	if size > smallest {
		k = bits.Len64(uint64(size-1)) - lowest
	}
	if p.pool == nil {
		p.pool = new(pool)
	}
	s := p.pool
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

// collect sorts the messages that other ranks have given back by size.
func (s *pool) collect() {
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
	if !t.pooled() {
		t.clear()
		return
	}
	s := t.comm.proc.pool
	t.clear()
	s.put(t, t)
}

// pooled reports whether t is a buffered message of a pool; t may be nil.
func (t *transfer) pooled() bool { return t != nil && t.eager && t.class != noClass }

// clear removes the references that a buffered message holds.
func (t *transfer) clear() {
	if t.room != nil {
		t.freeRoom()
	}
	t.comm, t.data.typ, t.sent = nil, nil, sched.Clock{}
}

// put gives back a list of messages, linked by next. Any rank may call it. The receiving
// end always takes the whole list, so comparing the first message is enough to detect a
// change.
func (s *pool) put(first, last *transfer) {
	for {
		last.next = s.returned.Load()
		if s.returned.CompareAndSwap(last.next, first) {
			return
		}
	}
}

package comm

import (
	"math/bits"
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// A rank takes its transfers from a list of idle ones. A buffered message leaves with the
// rank that receives it, which gives it back: in a steady stream nothing is allocated, and
// the two ranks write a common word only once for many messages. A pool for all ranks would
// have to carry every message back from the receiver's processor to the sender's.
type pool struct {
	returned atomic.Pointer[transfer] // given back by their receivers, linked by next
	spaces   [classes][][]byte        // for data of more than smallest bytes, by size
}

// The sizes of spaces, as powers of two.
const (
	smallest = 64 // bytes that have room in the message itself
	lowest   = 6  // logarithm of smallest
	largest  = 16 // logarithm of 64 KiB; longer messages get a space of their own
	classes  = largest - lowest
)

// Bounds of what a rank keeps: transfers of its own, enough for a window of messages each
// way, and bytes of transfers and of spaces of each size after a burst of messages.
const (
	mostSpare = 128
	keep      = 64 << 20
	overhead  = 512 // bytes of a transfer
)

// take returns an idle transfer or a new one.
func (p *process) take() *transfer {
	t := p.idle
	if t == nil {
		t = p.collect()
	}
	p.idle, t.next = t.next, nil
	p.spare--
	return t
}

// give puts t back and drops the user's memory.
func (p *process) give(t *transfer) {
	t.data.flat, t.rare = nil, rare{}
	if t.data.laid {
		t.data.drop()
	}
	if p.spare < mostSpare {
		t.next, p.idle = p.idle, t
		p.spare++
	}
}

// collect makes the messages that their receivers have given back idle transfers, and keeps
// their spaces for other messages. If there are none it makes a new transfer. It returns the
// first one.
func (p *process) collect() *transfer {
	var m *transfer
	if p.pool != nil {
		m = p.pool.returned.Swap(nil)
	}
	for m != nil {
		next := m.next
		if m.space != nil {
			if k := class(len(m.space)); k < classes && len(p.pool.spaces[k]) < keep/len(m.space) {
				p.pool.spaces[k] = append(p.pool.spaces[k], m.space)
			}
			m.space, m.data.flat = nil, nil
		}
		if p.spare < keep/overhead {
			m.next, p.idle = p.idle, m
			p.spare++
		}
		m = next
	}
	if p.idle == nil {
		p.idle, p.spare = new(transfer), 1
	}
	return p.idle
}

// class returns the number of the smallest spaces that hold size bytes.
func class(size int) int { return bits.Len(uint(size-1)) - lowest - 1 }

// bytes returns room for size bytes in t, a message of the calling rank.
func (t *transfer) bytes(size int) []byte {
	p := t.comm.proc
	if p.pool == nil {
		p.pool = new(pool)
	}
	if size <= smallest {
		return t.tiny[:size]
	}
	k := class(size)
	switch {
	case k >= classes:
		t.space = make([]byte, size)
	case len(p.pool.spaces[k]) > 0:
		list := p.pool.spaces[k]
		t.space, p.pool.spaces[k] = list[len(list)-1], list[:len(list)-1]
	default:
		t.space = make([]byte, smallest<<(k+1))
	}
	return t.space[:size]
}

// buffered makes t, a send, a message with its own copy of the data, so that the program may
// change its buffer: t leaves with the rank that receives it. It returns the transfer of
// the call from now on, which is complete; nil if the call waits and the run is plain: then
// there is nothing left to ask.
func (t *transfer) buffered() (call *transfer) {
	p := t.comm.proc
	size := t.data.size()
	var without *types.Buffer
	if t.data.filled() { // it needs no copy
		without, size = new(*t.data.buf), 0
	}
	mem := t.bytes(int(size))
	if without == nil {
		t.data.pack(mem)
	}
	if !t.waits || !p.plain {
		watched := t.watched
		if watched {
			p.pending.remove(t.used())
			t.watched = false
		}
		call = p.take()
		call.begin(t.comm, t.call, true, int(t.peer), int(t.tag))
		call.completion = completion{}
		call.line = t.line
		call.data, t.data.buf = t.data, call.data.buf
		if t.guard != nil {
			t.guard = nil
			call.guard = p.guard(&call.data, call.call, false)
		}
		if watched {
			call.watched = true
			p.pending.add(call.used())
		}
	} else if t.data.laid {
		*t.data.buf = types.Buffer{}
	}
	t.eager, t.data.flat, t.data.laid = true, mem, false
	if without != nil {
		t.data.laid, t.data.buf = true, without
	}
	return call
}

// recycle gives a buffered message back to the rank that sent it.
func (t *transfer) recycle() {
	s := t.comm.proc.pool
	t.clear()
	s.put(t, t)
}

// clear removes the references that a buffered message holds.
func (t *transfer) clear() {
	if t.room != nil {
		t.freeRoom()
	}
	if t.data.laid {
		t.data.drop()
	}
	if !t.data.plain {
		t.data.typ = nil
	}
	t.eager, t.comm, t.sent, t.rare = false, nil, sched.Clock{}, rare{}
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

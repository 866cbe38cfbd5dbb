package comm

import (
	"math/bits"
	"sync"
)

// Buffered messages come from pools by size, so that a steady stream of
// messages allocates nothing. A pool holds transfers that own a buffer.
var pools [largest - smallest + 1]sync.Pool

const (
	smallest = 6  // 64 bytes
	largest  = 16 // 64 KiB; longer messages get a buffer of their own
	noPool   = -1
)

// buffered makes a message of t's data, which t's rank may then change.
func (t *transfer) buffered(size int64) *transfer {
	m := messageOf(size)
	m.env, m.comm, m.eager = t.env, t.comm, true
	m.data.packedAs(&t.data, m.space[:size])
	if size > 0 {
		t.data.pack(m.data.flat)
	}
	return m
}

func messageOf(size int64) *transfer {
	if size > 1<<largest {
		return &transfer{space: make([]byte, size), pool: noPool}
	}
	k := max(bits.Len64(uint64(max(size, 1)-1))-smallest, 0)
	if m, ok := pools[k].Get().(*transfer); ok {
		return m
	}
	return &transfer{space: make([]byte, 1<<(k+smallest)), pool: int8(k)}
}

// recycle gives a buffered message back.
func (t *transfer) recycle() {
	if t.pool != noPool {
		t.comm, t.data.typ = nil, nil
		pools[t.pool].Put(t)
	}
}

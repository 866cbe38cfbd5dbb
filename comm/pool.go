package comm

import (
	"math/bits"
	"sync"

	"github.com/commworld/commworld/types"
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
	m.env, m.comm, m.call, m.peer, m.tag = t.env, t.comm, t.call, t.peer, t.tag
	m.buf = types.Raw(nil, t.buf.Count(), t.buf.Type())
	m.eager, m.packed = true, m.packed[:size]
	if size > 0 {
		if mem, ok := t.buf.Contiguous(t.comm.proc.arch); ok {
			copyBytes(m.packed, mem)
		} else {
			t.buf.Pack(m.packed, 0, t.comm.proc.arch)
		}
	}
	return m
}

func messageOf(size int64) *transfer {
	if size > 1<<largest {
		return &transfer{packed: make([]byte, size), pool: noPool}
	}
	k := max(bits.Len64(uint64(max(size, 1)-1))-smallest, 0)
	if m, ok := pools[k].Get().(*transfer); ok {
		return m
	}
	return &transfer{packed: make([]byte, 1<<(k+smallest)), pool: int8(k)}
}

// recycle gives a buffered message back.
func (t *transfer) recycle() {
	if t.pool != noPool {
		t.comm, t.buf = nil, types.Buffer{}
		pools[t.pool].Put(t)
	}
}

package commport

import (
	"bytes"

	"github.com/commworld/commworld/internal/sched"
)

// A Guard checks that the program does not write into the buffer of an operation under way.
// (P2P-02)
//
// A buffer that data arrive in can be concealed as well: the program then finds other bytes
// there until the operation is complete, so that a read that comes too early shows. The
// operation reveals the buffer before it moves data, and conceals it again if the program
// does not yet know of its completion.
type Guard struct {
	data Memory
	sum  uint64
	line *sched.Line // line that started the operation

	mu   sched.Mutex // for a receive, which the sender may carry out
	fill byte        // conceals the buffer
	kept []byte      // what is concealed; nil: nothing
	free bool        // the buffer is not concealed any more
}

// Concealment says behind which bytes the buffers of a world are concealed.
type Concealment int8

const (
	ConcealByOrder Concealment = iota // those of the order in which ranks take turns
	ConcealOther                      // those of the opposite order
	ConcealAlike                      // the same in both orders
)

// Memory is the contents of a buffer, packed.
type Memory interface {
	Sum() uint64 // a checksum
	Load() []byte
	Store([]byte)
}

// NewGuard begins to check data for the operation that line started.
func NewGuard(data Memory, line *sched.Line) *Guard {
	return &Guard{data: data, sum: data.Sum(), line: line, free: true}
}

// Concealing begins to conceal the data behind bytes of that value.
func (g *Guard) Concealing(fill byte) *Guard {
	g.fill, g.free = fill, false
	g.Conceal()
	return g
}

// Conceal conceals the present contents, if the guard has begun to.
func (g *Guard) Conceal() {
	if !g.free && g.kept == nil {
		g.kept = g.data.Load()
		g.data.Store(bytes.Repeat([]byte{g.fill}, len(g.kept)))
	}
	g.Renew()
}

// Reveal brings the concealed contents back. Bytes that the program has written since stay.
func (g *Guard) Reveal() {
	if g == nil || g.kept == nil {
		return
	}
	if !g.Intact() {
		for i, b := range g.data.Load() {
			if b != g.fill {
				g.kept[i] = b
			}
		}
	}
	g.data.Store(g.kept)
	g.kept = nil
	g.Renew()
}

// Release reveals the contents for good: the program may read the buffer, or cannot find
// out when it may.
func (g *Guard) Release() {
	if g != nil {
		g.mu.Lock()
		g.Reveal()
		g.free = true
		g.mu.Unlock()
	}
}

// Lock keeps Release away while another rank moves data into the buffer.
func (g *Guard) Lock() { g.mu.Lock() }

// Unlock ends [Guard.Lock].
func (g *Guard) Unlock() { g.mu.Unlock() }

// Intact reports whether the contents have not changed since NewGuard, Conceal or Renew.
func (g *Guard) Intact() bool { return g.data.Sum() == g.sum }

// Renew makes the present contents the expected contents.
func (g *Guard) Renew() { g.sum = g.data.Sum() }

// Place returns the line of the program that started the operation.
func (g *Guard) Place() sched.Place { return g.line.Place() }

package commport

import "github.com/commworld/commworld/internal/sched"

// A Guard checks that the program does not write into the buffer of an operation under way.
// It cannot find reads of a buffer that is being received into. (P2P-02)
type Guard struct {
	data Summer
	sum  uint64
	line *sched.Line // line that started the operation
}

// A Summer computes a checksum of a buffer's contents.
type Summer interface{ Sum() uint64 }

// NewGuard begins to check data for the operation that line started.
func NewGuard(data Summer, line *sched.Line) *Guard { return &Guard{data, data.Sum(), line} }

// Intact reports whether the contents have not changed since NewGuard or Renew.
func (g *Guard) Intact() bool { return g.data.Sum() == g.sum }

// Renew makes the present contents the expected contents.
func (g *Guard) Renew() { g.sum = g.data.Sum() }

// Place returns the line of the program that started the operation.
func (g *Guard) Place() sched.Place { return g.line.Place() }

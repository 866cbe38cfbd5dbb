package machine

import (
	"github.com/commworld/commworld/iofile/strategy"
)

// A Program returns the calls of each rank by number: the model asks for one call at a
// time, so a program of a million ranks needs no memory of its own. Its functions must
// return the same each time.
type Program struct {
	Ranks int
	Calls func(rank int) int     // number of calls of rank
	Call  func(rank, i int) Call // the i-th of them, from 0
	Name  string                 // for reports
}

// WithoutStrategies returns p without strategies of its own: [Options] choose how all its
// accesses move.
func (p Program) WithoutStrategies() Program {
	call := p.Call
	p.Call = func(rank, i int) Call {
		c := call(rank, i)
		c.Strategy = nil
		return c
	}
	return p
}

// WithoutStriping returns p without stripes of its own: the machine's settings cut all its
// files over servers.
func (p Program) WithoutStriping() Program {
	call := p.Call
	p.Call = func(rank, i int) Call {
		c := call(rank, i)
		c.StripeSize, c.StripeCount = 0, 0
		return c
	}
	return p
}

// An Op is the operation of a call.
type Op uint8

// The operations. Those of all ranks wait for all ranks.
const (
	Work    Op = iota // computes for Seconds
	Barrier           // of all ranks
	Open              // File; of all ranks if Together
	Write             // Part of File
	Read              // Part of File
	Sync              // of File: waits until the servers have all bytes that the rank has written
	Close             // File

	Send       // Bytes to rank To, as message Number
	Receive    // message Number
	Collective // a collective call of Kind
	Start      // begins a collective call of Kind
	Finish     // waits for the collective call that Start began
)

var opNames = [...]string{"compute", "barrier", "open", "write", "read", "sync", "close", "send", "receive", "collective", "start", "finish"}

// String returns the name of the call.
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return "unknown call"
}

// A Pointer says which file pointer gives an access its position.
type Pointer uint8

// The pointers of accesses.
const (
	Explicit Pointer = iota // an explicit offset, or the rank's own pointer: costs nothing
	Shared                  // write_shared: the ranks lock the shared pointer one after the other
	Ordered                 // write_ordered: each rank adds up the lengths of the ranks before it
)

// A Kind says which data a collective call moves.
type Kind uint8

// The kinds of collectives. Bytes are the bytes of each rank; for Scatter and Alltoall
// they are those for all ranks together. In a Broadcast and a Scatter the ranks wait for
// the root only, in a Gather and a Reduce the root waits for the ranks, and in the others
// all wait for all.
const (
	Synchronize Kind = iota // a barrier
	Broadcast
	Scatter
	Gather
	Reduce
	Allgather
	Alltoall
	Allreduce // and others that combine values, such as a scan
)

var kindNames = [...]string{"barrier", "bcast", "scatter", "gather", "reduce", "allgather", "alltoall", "allreduce"}

// String returns the name of the collective.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown collective"
}

// A Group has the ranks of a call that is not for all ranks. Calls of one group have the
// same pointer.
type Group struct {
	Ranks []int // none twice
}

// A Call is one call of a rank. Its Label, such as "IOR write", names it in reports.
type Call struct {
	Op       Op
	File     string
	Together bool              // a collective call of all ranks, or of all of Group
	Group    *Group            // of a collective call; nil: all ranks
	Pointer  Pointer           // of an access
	Part     strategy.Part     // of an access: the bytes of the file
	Strategy strategy.Strategy // of an access; nil: from Options
	Seconds  float64           // of Work
	Label    string

	// The stripes of the file that an Open makes, as far as the machine supports them; 0:
	// the machine's own.
	StripeSize  int64
	StripeCount int

	To     int   // rank of Send
	Number int64 // of Send, Receive, Collective, Start and Finish: matching calls have the same number, and no others
	Bytes  int64 // of Send, Collective and Start
	Kind   Kind  // of Collective, Start and Finish
	Root   int   // rank
}

func (c *Call) label() string {
	if c.Label != "" {
		return c.Label
	}
	switch {
	case c.Op == Write || c.Op == Read:
		name := c.Op.String() + [...]string{"", "_shared", "_ordered"}[c.Pointer]
		if c.Together && c.Pointer == Explicit {
			name += "_all"
		}
		return name
	case c.Op == Collective || c.Op == Start || c.Op == Finish:
		return c.Kind.String()
	}
	return c.Op.String()
}

// meets reports whether all ranks wait for all in the call.
func (c *Call) meets(two bool) bool {
	switch c.Op {
	case Barrier:
		return true
	case Open, Sync, Close:
		return c.Together
	case Write, Read:
		return c.Together && (two || c.Pointer == Ordered)
	}
	return false
}

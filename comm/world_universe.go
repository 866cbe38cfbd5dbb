package comm

import (
	"cmp"
	"sync/atomic"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// DefaultEager is the greatest standard send that is buffered, in bytes. The
// standard promises no buffering at all, and real libraries buffer about as
// much; larger messages move with one copy instead of two.
const DefaultEager = 64 << 10

// A universe holds everything that the ranks of one world share for message passing.
type universe struct {
	sched    *sched.Sched
	procs    []process
	world    *core
	contexts atomic.Uint32 // the last context assigned
	ended    atomic.Bool
	folding  sched.Visits // goroutines in functions of user operations

	gatherings   gatherings
	handshakes   gatherings
	clock        *wallClock
	eager        int64 // of commport.LaunchOptions, with the default filled in
	checkHandles bool
	libraryOrder bool
	lines        bool // messages and requests note their line; see sched.QuickLines
	guards       bool // buffers are checked
	samples      bool // samples of the buffers of messages are checked
	conceal      commport.Concealment
	bare         bool
	matchSizes   atomic.Bool // the types of a message and its receive need not match
	faults       *faults.Plan
	far          *far // nil: all ranks are in this process
}

// A process is one rank of the world. A million of them must be cheap, so fields that not
// every rank needs are created at their first use.
type process struct {
	univ        *universe
	thread      *sched.Rank
	arch        *reps.Arch
	engine      carrier
	log         *trace.Log              // nil: nothing is recorded
	inside      atomic.Pointer[routine] // the collective that the rank is in now; see world_threads.go
	world       *Comm
	self        *Comm
	idle        *transfer   // spare transfers, linked by next
	spare       int32       // their number
	blanks      int32       // how many requests the last allocation had
	net         *local      // nil: no message of the rank may take the fast path
	box         *mailbox    // its own; nil until it receives
	lastType    *types.Type // type of the last plain data; see types.Buffer.Again
	lastUnit    int64       // bytes of one packed copy of lastType
	placed      placement   // the last blocks of interleaved copies that were received into
	plain       bool        // the run is neither recorded nor explored, so answers are final
	blank       []Request   // allocated requests that are not yet used
	pool        *pool       // what receivers gave back, and spaces; made at the first buffered message
	open        commport.Leftovers
	spareMaking atomic.Pointer[communicator] // a spare one
	inOrder     bool                         // packed data have the byte order of arch, not that of the host
	endHookSet  bool                         // COMM_SELF has had attributes; see deleteAtEnd
	codes       *errclass.Codes              // added by the program
	pending     openBuffers                  // buffers of messages under way, if they are checked
	reqs        *record                      // open requests, newest first
	alone       []*external                  // freed by the program, not done
	wait        several                      // the present call on several requests
	standsIn    bool                         // collectives that it starts stand in for those that wait
	polls       int                          // polls in a row that found nothing; see polledInVain
	polledAt    uint64                       // the rank's time at the last of them
	reps        *reps.Registry
	kept        map[any]any // by packages above
	room        *attachment // for buffered sends
	owner       *owner      // nil: goroutines are not checked
	early       []*call     // calls that the rank left before all had come
}

// launch returns the universe for the ranks of s.
func launch(s *sched.Sched, o commport.LaunchOptions) *universe {
	n := s.Len()
	u := &universe{
		sched: s, procs: make([]process, n), clock: newClock(s.Controlled()), checkHandles: o.CheckHandles, libraryOrder: o.LibraryOrder,
		lines: sched.QuickLines && !o.Unchecked || s.Controlled() || o.CheckBuffers || o.CheckHandles, guards: o.CheckBuffers, samples: o.SampleBuffers && !o.CheckBuffers, conceal: o.Conceal, bare: o.Unchecked, faults: o.Faults, eager: cmp.Or(o.Eager, DefaultEager),
	}
	net := newLocal(u)
	engine := carrier(net)
	if s.Rank(0).Exploring() {
		engine = newExplorer(net)
	}
	for i := range u.procs {
		p := &u.procs[i]
		*p = process{univ: u, thread: s.Rank(i), arch: reps.LP64LE, engine: engine, log: o.Trace.Log(i)}
		if o.CheckThreads {
			p.owner = new(owner)
		}
		if p.plain = p.log == nil && !p.thread.Exploring(); p.plain && !u.guards {
			p.net = net
		}
		if o.Arch != nil {
			if a := o.Arch(i); a != nil {
				p.arch = a
			}
		}
	}
	if o.Engine != nil {
		u.join(o.Engine)
		return u
	}
	u.orderPacked()
	u.world = u.newCore(consecutive(0, 1, n), "COMM_WORLD")
	return u
}

// orderPacked sets the byte order of packed data: that of the ranks' machines if it is one,
// so that bytes of memory and packing units are the same there, else that of the host, which
// all ranks unpack. (PK-01)
func (u *universe) orderPacked() {
	for i := range u.procs {
		if u.procs[i].arch.Order() != u.procs[0].arch.Order() {
			return
		}
	}
	for i := range u.procs {
		p := &u.procs[i]
		p.inOrder = p.arch.InBytes() != types.Sizes(p.arch)
	}
}

// World returns the handle of a rank on the communicator of all ranks, nil if
// there is no such rank.
//
// MPI_COMM_WORLD
func (u *universe) World(rank int) *Comm {
	if u.far != nil {
		rank -= u.far.me
	}
	if rank < 0 || rank >= len(u.procs) {
		return nil
	}
	p := &u.procs[rank]
	if p.world == nil {
		p.world = p.handle(u.world, p.number())
	}
	return p.world
}

// handle returns p's handle on a communicator in which it has the given rank.
func (p *process) handle(k *core, rank int) *Comm {
	return &Comm{core: k, proc: p, rank: rank}
}

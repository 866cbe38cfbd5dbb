package comm

import (
	"cmp"
	"sync/atomic"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/faults"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// LaunchOptions say what the ranks of a world are like. The zero value is for
// equal ranks of the default architecture.
type LaunchOptions struct {
	// Arch tells the architecture of a rank of the world; nil means
	// [reps.LP64LE] for all. It is called once for each rank.
	Arch func(rank int) *reps.Arch

	// Eager is the size in bytes up to which a standard send that finds no
	// posted receive is buffered, so that it completes at once; a larger one
	// waits for its receive. 0 means [DefaultEager]; with a negative number
	// every standard send waits, which shows programs that rely on buffering.
	Eager int64

	// CheckHandles has communicators that a rank made and never freed reported at
	// the end of the world, each with the line that made it. The standard wants
	// them freed; here the garbage collector sees to it, so it is a choice.
	CheckHandles bool

	// LibraryOrder has calls that make communicators order all ranks before all, as
	// common libraries do, which agree on a context there. The standard does not
	// promise it. (CONS-D09)
	LibraryOrder bool

	// CheckBuffers has the contents of a buffer looked at when an operation on
	// it starts and when it ends: a program that writes into it meanwhile gets
	// an error. Costs a pass over the data at each end.
	CheckBuffers bool

	// CheckThreads has every call look whether another goroutine is in a call of
	// the same rank just now. Costs a microsecond a call, and much more when
	// another goroutine makes it than the last one.
	CheckThreads bool

	// Faults is what goes wrong in this world with what packages above make of
	// it; see [Comm.Faults].
	Faults *faults.Plan

	// Unchecked leaves requests and messages alone that are open at the end of
	// the world; otherwise each is told.
	Unchecked bool

	// Trace gets what the ranks do, if it is not nil.
	Trace *trace.World

	// Engine, if set, carries out what the one rank of this process does: the
	// world has its ranks, all others of which are processes of their own.
	Engine engine.World
}

// DefaultEager is the greatest standard send that is buffered, in bytes. The
// standard promises no buffering at all, and real libraries buffer about as
// much; larger messages move with one copy instead of two.
const DefaultEager = 64 << 10

// A Universe is all that the ranks of one world share for message passing.
type Universe struct {
	sched    *sched.Sched
	procs    []process
	world    *core
	contexts atomic.Uint32 // the last context given away
	ended    atomic.Bool
	folding  sched.Visits // those in functions of user operations

	gatherings   gatherings
	handshakes   gatherings
	clock        *wallClock
	eager        int64 // as of LaunchOptions, the default filled in
	checkHandles bool
	libraryOrder bool
	lines        bool // messages and requests note their line; see sched.QuickLines
	guards       bool
	bare         bool
	faults       *faults.Plan
	far          *far // nil: all ranks are in this process
}

// A process is one rank of the world. A million of them must be cheap, so
// whatever not every rank needs is made when it is needed.
type process struct {
	univ     *Universe
	thread   *sched.Rank
	arch     *reps.Arch
	engine   carrier
	log      *trace.Log              // nil: nobody wants to know
	inside   atomic.Pointer[routine] // the collective that the rank is in now; see inside.go
	world    *Comm
	self     *Comm
	idle     *transfer   // spare ones, linked by next
	spare    int         // how many
	net      *local      // nil: no message of the rank may go the short way
	usual    *types.Type // of the last plain data; see types.Buffer.Again
	unit     int64       // and its packed bytes
	placed   placement   // the last blocks of interleaved copies that were received into
	plain    bool        // nobody asks again what has been answered, and who it was
	records  *record     // spare ones, linked by next
	recorded int         // how many
	blank    []Request   // fresh ones
	blanks   int         // how many were made at a time
	stock    *stock      // of messages to be buffered
	open     []*Leftover
	founds   atomic.Pointer[communicator] // a spare one
	hooked   bool                         // COMM_SELF has had attributes; see deleteAtEnd
	codes    *errclass.Codes              // that the program added
	reqs     *record                      // open ones, newest first
	alone    []*external                  // given up by the program, not done
	wait     several                      // the present call on several requests
	polls    int                          // looks in vain in a row; see lookedInVain
	reps     *reps.Registry
	kept     map[any]any // by packages above
	room     *attachment // for buffered sends
	lodger   *lodger     // nil: nobody looks; see there
	early    []*call     // that the rank has left before all had come
}

// Launch makes the universe for the ranks of s. Package world calls it; ranks
// then take their handle with [Universe.World].
func Launch(s *sched.Sched, o LaunchOptions) *Universe {
	n := s.Len()
	u := &Universe{
		sched: s, procs: make([]process, n), clock: newClock(s.Controlled()), checkHandles: o.CheckHandles, libraryOrder: o.LibraryOrder,
		lines: sched.QuickLines && !o.Unchecked || s.Controlled() || o.CheckBuffers || o.CheckHandles, guards: o.CheckBuffers, bare: o.Unchecked, faults: o.Faults, eager: cmp.Or(o.Eager, DefaultEager),
	}
	net := newLocal(u)
	for i := range u.procs {
		p := &u.procs[i]
		*p = process{univ: u, thread: s.Rank(i), arch: reps.LP64LE, engine: net, log: o.Trace.Log(i)}
		if o.CheckThreads {
			p.lodger = new(lodger)
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
	u.world = u.newCore(consecutive(0, 1, n), "COMM_WORLD")
	return u
}

// World returns the handle of a rank on the communicator of all ranks. It is
// nil if there is no such rank.
//
// MPI_COMM_WORLD
func (u *Universe) World(rank int) *Comm {
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

// handle makes p's handle on a communicator in which it is rank.
func (p *process) handle(k *core, rank int) *Comm {
	return &Comm{core: k, proc: p, rank: rank}
}

// mostSpare bounds how many transfers a rank keeps, 384 bytes each: a
// window of messages each way.
const mostSpare = 128

// take returns an idle transfer; give returns it, without the user's memory.
func (p *process) take() *transfer {
	t := p.idle
	if t == nil {
		return new(transfer)
	}
	p.idle, t.next = t.next, nil
	p.spare--
	return t
}

func (p *process) give(t *transfer) {
	t.data.flat = nil
	if t.data.laid {
		t.data.drop()
	}
	if p.spare < mostSpare {
		t.next, p.idle = p.idle, t
		p.spare++
	}
}

// Package commport has the functions of package comm that are for packages of this module
// and not for programs.
//
// Start here: a package that imports comm asks it for the port,
//
//	var port = comm.Internal(commport.Key{})
//
// and then calls port.Thread(c), port.AtEnd(c, ...) and so on. The functions are fields
// because this package cannot import comm, whose types are the parameters.
//
// # Map
//
//   - port.go: the port; worlds of ranks as package world starts them
//   - leftover.go: objects that a rank has open at the end of the world
//   - guard.go: checks of buffers in use
package commport

import (
	"fmt"

	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A Key is the argument of comm.Internal. Only packages of this module can make one: others
// can neither import this package nor write a struct that is identical.
type Key struct{ _ struct{} }

// A Port has the functions of package comm for communicators C, requests R and statuses S.
// Each accepts a nil communicator, and then returns the zero value unless its comment says
// otherwise.
type Port[C, R, S any] struct {
	// Launch returns the message passing of a new world of ranks.
	Launch func(s *sched.Sched, o LaunchOptions) Universe[C]

	// Thread returns the calling rank's thread of control, with which packages
	// above comm wait.
	Thread func(c C) *sched.Rank

	// Rendezvous returns a meeting point of the communicator's ranks. It is not the one of
	// comm's collectives, so the two do not disturb each other.
	Rendezvous func(c C) *sched.Rendezvous

	// InWorld returns the rank in the world of a rank of c, -1 if there is none.
	InWorld func(c C, rank int) int

	// ArchOf returns the architecture of a rank of c.
	ArchOf func(c C, rank int) *reps.Arch

	// Log returns the calling rank's log, nil if nothing is recorded.
	Log func(c C) *trace.Log

	// Engine returns the engine's communicator if an engine carries out the calls on c, nil
	// if ranks share a process; EngineWorld returns the engine's world.
	Engine      func(c C) engine.Comm
	EngineWorld func(c C) engine.World

	// Bare reports whether the world leaves out costly checks, see LaunchOptions.Unchecked.
	Bare func(c C) bool

	// Faults returns the plan of injected faults, nil if there is none.
	Faults func(c C) *faults.Plan

	// Reps returns the data representations that the calling rank knows by name.
	// All communicators of a rank share them, and no two ranks do (REP-USR-01).
	Reps func(c C) *reps.Registry

	// Keep stores a value of the calling rank under a key until the world ends,
	// for all its communicators; a nil value removes it. Kept returns the value.
	// Each package has keys of a type of its own.
	Keep func(c C, key, value any)
	Kept func(c C, key any) any

	// AtEnd registers end to be called when all ranks of the world have ended, unless l is
	// closed before. No other code of the program runs meanwhile.
	AtEnd func(c C, l *Leftover, end Ender)

	// Handles reports whether the world checks handles, see LaunchOptions.CheckHandles. Overlook
	// has the end of the world not report that c was never freed.
	Handles  func(c C) bool
	Overlook func(c C)

	// Guards reports whether the world checks buffers, see LaunchOptions.CheckBuffers.
	// Guard begins to check buf for call op, and conceals it in a careful world if the call
	// reads into it; it returns nil in a world that does not check. Watches reports whether the
	// world checks buffers of collectives, see LaunchOptions.SampleBuffers.
	Guards  func(c C) bool
	Guard   func(c C, buf types.Buffer, op string, reads bool) *Guard
	Watches func(c C) bool

	// Dup is [comm.Comm.Dup] as a part of another collective call, such as the open of a
	// file; reports name that call. It makes the duplicate in d, a zero communicator,
	// without attributes and topology. A duplicate that is never freed is not reported.
	// Ranks that give different names are in different calls. Dup orders nothing between
	// ranks.
	//
	// Each rank passes its part of the other call, so that this need not meet again. When
	// all ranks have come to the same call, one of them calls join, unless it is nil, with
	// all parts in the order of ranks; join stores the results in the parts. It must not
	// wait. Under an engine no ranks meet here, and join is not called. Errors: as Dup,
	// ErrArg.
	Dup func(c, d C, call string, part any, join func(parts []any)) error

	// NewRequest returns the request of w, which has been started. It is completed like any
	// other request, also together with others. Without work or communicator it is nil, an
	// inactive request. Wake wakes the rank that waits for q, if one does, because the work
	// may be ready; any rank may call it, and it does nothing for other requests.
	NewRequest func(c C, w Work[S]) R
	Wake       func(q R)

	// StandIn says that the collectives which the calling rank starts stand in for those that
	// wait: other ranks may be in those, and reports name them.
	StandIn func(c C, on bool)

	// MatchSizes has messages of the world match receives whose items have other types, if they
	// are not longer, as they do in common libraries.
	MatchSizes func(c C)

	// AwaitAny waits until an operation of some, or all of one of the groups, may be complete.
	// The requests stay as they are.
	AwaitAny func(some []R, groups [][]R) error

	// Probing returns a request for AwaitAny that stands for a probe, which op names.
	Probing func(c C, op string, src, tag int) (R, error)

	// Conclude ends the part of a rank whose program has returned: in an exploring world it
	// waits for the collectives that the rank left early, and returns their errors. stop is
	// the cause of an abort.
	Conclude func(c C) (late []LateError, stop error)
}

// A Universe is the message passing of one world.
type Universe[C any] interface {
	// World returns the handle of a rank on the communicator of all ranks, the
	// zero value if there is no such rank.
	World(rank int) C

	// End ends the world: objects that ranks left open are given up, and later calls on its
	// communicators fail. It is called when all ranks have ended; report gets each finding:
	// files, requests and attached buffers that are open, and messages that were never
	// received.
	End(report func(rank int, err error))
}

// StrategyKey is the key under which world keeps the strategy of a rank's files, see
// Port.Keep.
type StrategyKey struct{}

// MatchKey is the key under which world keeps the [types.Policy] of opens that name none,
// see Port.Keep.
type MatchKey struct{}

// A Cluster describes the machine that ranks see. Package world keeps it for each rank
// under ClusterKey, see Port.Keep; without it, the world has one machine of unknown
// properties.
type Cluster struct {
	RanksPerNode int
	Stripe       int64 // bytes of a file on one server; 0: unknown
	Stripes      int   // servers that hold a file; 0: unknown
	Servers      int   // that can hold it; 0: unknown
	Driver       uint8 // a strategy.Driver
}

// ClusterKey is the key under which world keeps the [Cluster] of a rank.
type ClusterKey struct{}

// Nodes returns the number of nodes that these ranks of the world are on. each is the
// number of ranks per node if consecutive ranks fill the nodes equally, except perhaps the
// last node; else 0.
func (m *Cluster) Nodes(ranks int, world func(rank int) int) (nodes, each int) {
	seen, even := map[int]int{}, true
	for rank := range ranks {
		node := world(rank) / m.RanksPerNode
		i, known := seen[node]
		if !known {
			i = len(seen)
			seen[node] = i
			if i == 1 {
				each = rank
			}
		}
		even = even && (each == 0 || i == rank/each)
	}
	switch {
	case !even:
		return len(seen), 0
	case each == 0:
		return len(seen), ranks
	}
	return len(seen), each
}

// LaunchOptions configure the ranks of a world. The zero value means that all ranks have the
// default architecture.
type LaunchOptions struct {
	// Arch returns the architecture of a rank of the world; nil means [reps.LP64LE] for
	// all. It is called once for each rank.
	Arch func(rank int) *reps.Arch

	// Eager is the size in bytes up to which a standard send without a posted receive is
	// buffered, so that it completes at once; a larger send waits for its receive. 0 means
	// comm.DefaultEager; with a negative number every standard send waits, which shows
	// programs that rely on buffering.
	Eager int64

	// CheckHandles reports communicators that a rank made and never freed, at the end of
	// the world, with the line that made each. The standard wants them freed; here the
	// garbage collector frees them, so the check is optional.
	CheckHandles bool

	// LibraryOrder makes calls that create communicators act as barriers, as in common
	// libraries, which agree on a context there. The standard does not promise it.
	// (CONS-D09)
	LibraryOrder bool

	// CheckBuffers compares the contents of a buffer at the start and at the end of an
	// operation: a program that writes into it meanwhile gets an error. It costs a pass
	// over the data at each end.
	CheckBuffers bool

	// SampleBuffers does so for samples of the buffers of collectives, and compares where the
	// buffers of messages are.
	SampleBuffers bool

	Conceal Concealment

	// CheckThreads makes every call check whether another goroutine is in a call of the
	// same rank. It costs a microsecond a call, and much more when the calling goroutine
	// changes.
	CheckThreads bool

	// Faults are injected by packages above comm; see Port.Faults.
	Faults *faults.Plan

	// Unchecked ignores requests and messages that are open at the end of the
	// world; otherwise each is reported.
	Unchecked bool

	// Trace, if not nil, records the calls of the ranks.
	Trace *trace.World

	// Engine, if set, carries out the calls of the one rank in this process; all other
	// ranks of the world are other processes.
	Engine engine.World
}

// Work is a nonblocking operation of a package above comm, such as an access to a file; see
// Port.NewRequest. Its rank calls the methods, one at a time and without holding a lock;
// none of them may wait.
type Work[S any] interface {
	// String returns the name of the operation for reports: `IWriteAt 0 of "a.dat"`.
	fmt.Stringer

	// Ready makes the progress that the rank can make, and reports whether Finish can be
	// called. Work that its own rank can do at any time is always ready. If work becomes
	// ready because of another rank, that rank calls Port.Wake afterwards. If Ready has
	// side effects, the work may have methods CanComplete() bool and Since() sched.Clock
	// without any; an explorer calls them at any time.
	Ready() bool

	// Finish does the rest of the operation and returns its status. It is called once, when
	// Ready has returned true.
	Finish() (S, error)

	// Abandon is called in place of Finish if the operation cannot complete, because the
	// world was aborted, or ended before it was ready. Afterwards the operation's memory is
	// not touched.
	Abandon()
}

// A LateError is an error of a collective that the rank had already left.
type LateError struct {
	At  sched.Place // line of the call
	Err error
}

package comm

import (
	"cmp"
	"fmt"
	"sync/atomic"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
)

// A Comm is one rank's handle on a communicator: a group of ranks and a
// context of their own, in which messages match no others.
//
// MPI_Comm
type Comm struct {
	core  *core
	proc  *process
	rank  int
	freed bool
	call  *call // the present collective call; made at the first
	round int   // number of collective calls so far
	nth   int   // number of collective calls that the program made
	own   *extras
}

// A core is the part of a communicator that its handles share.
type core struct {
	univ    *universe
	name    string
	context uint32
	members members
	inter   *inter // nil in an intracommunicator
	meeting *sched.Meeting[*call]
	ways    atomic.Pointer[ways]             // pairs of ties between neighbours; made at the first use
	sharing atomic.Int32                     // ranks that touch buffers of others now
	guest   atomic.Pointer[sched.Rendezvous] // see Comm.Rendezvous
	native  engine.Comm                      // of an engine; nil in one process

	earlyMeetings map[visit]*earlyMeeting // see coll_early.go
}

func (u *universe) newCore(m members, name string) *core {
	return &core{
		univ: u, name: name, context: u.contexts.Add(1), members: m,
		meeting: sched.NewOrderly[*call](m.n),
	}
}

// null reports whether c is not a communicator: nil, or a Comm that was never made.
func (c *Comm) null() bool { return c == nil || c.core == nil }

// Rank returns the calling rank's number in the communicator, -1 on nil.
//
// MPI_Comm_rank
func (c *Comm) Rank() int {
	if c.null() {
		return errclass.NoRank
	}
	return c.rank
}

// Size returns the number of ranks of the communicator, of an intercommunicator
// those of the calling rank's group; 0 on nil.
//
// MPI_Comm_size
func (c *Comm) Size() int {
	if c.null() {
		return 0
	}
	return c.core.members.n
}

// Name returns the name that [Comm.SetName] gave the calling rank's handle, or
// the empty string. Without one, the predefined communicators have those of the
// standard, MPI_COMM_WORLD and MPI_COMM_SELF, and nil has MPI_COMM_NULL.
//
// MPI_Comm_get_name
func (c *Comm) Name() string {
	if c.null() {
		return "MPI_COMM_NULL"
	}
	return cmp.Or(c.more().name, standardNames[c.core.name])
}

// standardNames holds the standard's names of communicators, by label.
var standardNames = map[string]string{"COMM_WORLD": "MPI_COMM_WORLD", "COMM_SELF": "MPI_COMM_SELF"}

// label returns what errors and reports call c: its name, else its origin, such
// as COMM_WORLD or "dup of COMM_WORLD".
func (c *Comm) label() string {
	if c.null() {
		return "COMM_NULL"
	}
	return cmp.Or(c.more().name, c.core.name)
}

// MaxName is the longest name of a communicator in bytes. The standard's
// MPI_MAX_OBJECT_NAME counts one more, for the end of a string in C.
//
// MPI_MAX_OBJECT_NAME
const MaxName = 127

// SetName gives the calling rank's handle a name, which errors and reports use too; the empty name
// takes it away again. Local: other ranks and communicators made from this one keep their names.
// Errors: ErrComm, ErrArg for a name longer than [MaxName]. (COMM-01)
//
// MPI_Comm_set_name
func (c *Comm) SetName(name string) error {
	const op = "SetName"
	if err := c.alive(op); err != nil {
		return err
	}
	if len(name) > MaxName {
		return c.fail(op, broken(ErrArg, "COMM-01", "the name %s has %d bytes; at most %d are allowed", clip(name), len(name), MaxName))
	}
	if name != c.more().name {
		c.extras().name = name
	}
	return nil
}

// Arch returns the architecture of the calling rank: the sizes and alignments
// that buffers have in its memory.
func (c *Comm) Arch() *reps.Arch {
	if c.null() {
		return reps.LP64LE
	}
	return c.proc.arch
}

// Self returns the communicator of the calling rank alone, nil on nil.
//
// MPI_COMM_SELF
func (c *Comm) Self() *Comm {
	if c.null() {
		return nil
	}
	p := c.proc
	if p.self == nil {
		k := p.univ.newCore(consecutive(p.number(), 1, 1), "COMM_SELF")
		if u := p.univ; u.far != nil {
			k.native = u.far.world.Self()
		}
		p.self = p.handle(k, 0)
	}
	return p.self
}

// Free gives up the handle: later calls on it are errors, and operations under way
// complete. Every rank frees its handle, in any order; no rank waits, so error paths may
// free, too. First the delete functions of attributes are called, for the last attribute
// first. An attached buffer of the communicator is detached, see [Comm.AttachBuffer].
// COMM_WORLD and COMM_SELF cannot be freed. Errors: ErrComm, and ErrOther if a delete
// function fails, which keeps the handle alive. (COMM-01)
//
// MPI_Comm_free
func (c *Comm) Free() error {
	const op = "Free"
	if err := c.alive(op); err != nil {
		return err
	}
	if c == c.proc.world || c == c.proc.self {
		return c.fail(op, broken(ErrComm, "COMM-01", "%s is predefined and lives as long as the world", c.label()))
	}
	if err := c.forgetAll(op); err != nil {
		return err
	}
	c.more().tracked.Closed()
	if n := c.core.native; n != nil {
		if err := n.Free(); err != nil {
			return c.fail(op, refused(err))
		}
	}
	if a := c.more().room; a != nil {
		a.open.Closed()
	}
	c.freed = true
	return nil
}

// A Comparison says how two groups or communicators compare; its values are those of the
// ABI of MPI-5.0.
type Comparison int

// The results of comparing.
const (
	Ident     Comparison = iota + 201 // the same object: for groups, the same ranks in the same order
	Congruent                         // communicators: the same ranks in the same order, other contexts
	Similar                           // the same ranks in another order
	Unequal
)

// String returns the standard's name.
func (c Comparison) String() string {
	if c < Ident || c > Unequal {
		return fmt.Sprintf("Comparison(%d)", int(c))
	}
	return [...]string{"MPI_IDENT", "MPI_CONGRUENT", "MPI_SIMILAR", "MPI_UNEQUAL"}[c-Ident]
}

// Compare compares the groups and contexts of two communicators, of
// intercommunicators both groups. Local.
// Errors: ErrComm.
//
// MPI_Comm_compare
func (c *Comm) Compare(o *Comm) (Comparison, error) {
	const op = "Compare"
	if err := c.alive(op); err != nil {
		return Unequal, err
	}
	if err := o.alive(op); err != nil {
		return Unequal, err
	}
	if c.core == o.core {
		return Ident, nil
	}
	if c.core.univ != o.core.univ {
		return Unequal, c.fail(op, broken(ErrComm, "COMM-01", "the communicators belong to different worlds"))
	}
	if (c.core.inter == nil) != (o.core.inter == nil) {
		return Unequal, nil
	}
	how := max(Congruent, c.core.members.compare(o.core.members))
	if c.core.inter != nil {
		how = max(how, c.core.inter.far.compare(o.core.inter.far))
	}
	return how, nil
}

// Group returns the group of the communicator, of an intercommunicator the
// calling rank's. Local. Errors: ErrComm.
//
// MPI_Comm_group
func (c *Comm) Group() (*Group, error) {
	if err := c.alive("Group"); err != nil {
		return nil, err
	}
	return &Group{c.core.members, c.proc.number(), c.proc.univ}, nil
}

// extras holds what few handles have: a name, hints and the like. A world of a million
// ranks has millions of handles, so extras are kept apart.
type extras struct {
	name     string // by SetName
	info     *Info
	topo     topology
	attrs    []attribute
	copying  bool // copy functions of attributes are running
	handler  *Errhandler
	handling bool              // the handler is running, or errors are not to be handled
	tracked  commport.Leftover // see commport.LaunchOptions.CheckHandles
	room     *attachment       // the buffer for buffered sends on this communicator alone
}

// none is the extras of a handle without any. It is never written.
var none extras

// more returns the extras of c, for reading.
func (c *Comm) more() *extras {
	if c.null() || c.own == nil {
		return &none
	}
	return c.own
}

// extras returns the extras of c, for writing, and makes them if necessary. c is not nil.
func (c *Comm) extras() *extras {
	if c.own == nil {
		c.own = new(extras)
	}
	return c.own
}

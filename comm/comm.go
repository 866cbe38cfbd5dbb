package comm

import (
	"cmp"
	"fmt"
	"sync/atomic"

	"github.com/commworld/commworld/errclass"
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
	call  *call // the collective call under way; made at the first
	round int   // collective calls made so far
	nth   int   // those of them that the program counts
	own   *extras
}

// A core is what the handles of one communicator share.
type core struct {
	univ    *Universe
	name    string
	context uint32
	members members
	inter   *inter // nil with one group
	meeting *sched.Meeting[*call]
	ways    atomic.Pointer[ways]             // between neighbours, once they are asked for
	sharing atomic.Int32                     // ranks that touch others' buffers now
	guest   atomic.Pointer[sched.Rendezvous] // see Comm.Rendezvous
	native  engine.Comm                      // of an engine; nil in one process

	companies map[visit]*company // see early.go
}

func (u *Universe) newCore(m members, name string) *core {
	return &core{
		univ: u, name: name, context: u.contexts.Add(1), members: m,
		meeting: sched.NewOrderly[*call](m.n),
	}
}

// null says that c is no communicator: nil, or a Comm that nobody made.
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

// SetName gives the calling rank's handle a name, which errors and reports use
// too; the empty name takes it away again. Local: other ranks, and communicators made of this one,
// keep theirs. Errors: ErrComm, ErrArg for a name longer than [MaxName].
// (COMM-01)
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

// Sched returns the calling rank's thread of control, with which packages
// above this one wait. It is nil on a nil communicator.
func (c *Comm) Sched() *sched.Rank {
	if c.null() {
		return nil
	}
	return c.proc.thread
}

// Rendezvous returns a meeting point of the communicator's ranks for packages
// above this one. The collectives of this package meet elsewhere, so the two
// do not disturb each other. It is nil on a nil communicator.
func (c *Comm) Rendezvous() *sched.Rendezvous {
	if c.null() {
		return nil
	}
	if v := c.core.guest.Load(); v != nil {
		return v
	}
	c.core.guest.CompareAndSwap(nil, sched.NewRendezvous(c.core.members.n))
	return c.core.guest.Load()
}

// InWorld returns the rank in the world of a rank of c, -1 if there is none. For
// packages above this one.
func (c *Comm) InWorld(rank int) int {
	if rank < 0 || rank >= c.Size() {
		return errclass.NoRank
	}
	return c.core.members.world(rank)
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

// Free gives up the handle: later calls on it are errors, and what is under
// way completes. Every rank does so, in any order; nobody waits, so that error
// paths may free. The delete functions of attributes are called first, for the
// last attribute before the others. A buffer of its own is detached, see
// [Comm.AttachBuffer]. COMM_WORLD and COMM_SELF cannot be freed.
// Errors: ErrComm, and ErrOther for that of a delete function, which keeps the
// handle alive. (COMM-01)
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

// A Comparison says how like each other two groups or communicators are; its
// values are those of the ABI of MPI-5.0.
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
		return Unequal, c.fail(op, broken(ErrComm, "COMM-01", "the communicators are of different worlds"))
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

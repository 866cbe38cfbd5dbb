package engine

import (
	"fmt"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// Special values of ranks and tags, as package comm numbers them. A binding translates them
// to those of its library.
const (
	AnySource = -1
	AnyTag    = -2
	ProcNull  = -3
	Root      = -4
	Undefined = -32766
)

// A Driver joins this process to a job.
type Driver interface {
	// Start joins the job of the launcher that started this process, or starts a job of a
	// single rank.
	Start() (World, error)
}

// A World is this process's rank of a job.
type World interface {
	Rank() int
	Size() int

	// Library returns the name and version of the library, for errors.
	Library() string

	// All returns the communicator of all ranks, Self that of this rank alone.
	All() Comm
	Self() Comm

	// Abort prints text and ends all processes of the job with a code. It does
	// not return.
	Abort(code int, text string)

	// Room returns the buffer for buffered sends on communicators without their own.
	Room() Room

	// Delete deletes a file by its path.
	Delete(path string, hints []Hint) error

	// Register makes a data representation of the program known to the library; converts
	// says that it has conversion functions. The library cannot call those, because it
	// would pass numbers of its own datatypes, which cannot be read here; a call that would
	// need one fails.
	Register(name string, converts bool) error

	// End leaves the job, together with all ranks.
	End() error
}

// A Hint is a key of an info object and its value.
type Hint struct{ Key, Value string }

// A Status describes the message that an operation received. Bytes counts packed bytes of
// memory.
type Status struct {
	Source, Tag int
	Bytes       int64
	Cancelled   bool
}

// A Mode says when a send is complete.
type Mode uint8

// The modes of a send.
const (
	Standard Mode = iota
	Synchronous
	Buffered
	Ready
)

// A Request is an operation under way, whose buffers stay in place. It ends when Wait or
// Test reports its completion, and must not be used afterwards.
type Request interface {
	Wait() (Status, error)
	Test() (st Status, done bool, err error)
	Cancel() error
}

// A Message has been found by a matching probe and has not been received.
type Message interface {
	Receive(b types.Buffer) (Request, error)
}

// A Comm is a communicator of the job.
type Comm interface {
	Rank() int
	Members() []int // numbers in the world, in order of rank
	Remote() []int  // those of the other group; nil in an intracommunicator

	Send(m Mode, b types.Buffer, dst, tag int) error
	Recv(b types.Buffer, src, tag int) (Status, error)
	StartSend(m Mode, b types.Buffer, dst, tag int) (Request, error)
	StartRecv(b types.Buffer, src, tag int) (Request, error)

	// Probe looks for a message; with wait it waits until there is one. With claim only
	// Receive of the returned message can then receive it.
	Probe(src, tag int, wait, claim bool) (st Status, m Message, found bool, err error)

	// Collective takes part in a collective call. The request is nil if the call is
	// blocking.
	Collective(k *Call) (Request, error)

	// Make takes part in making a communicator; it returns nil to a rank that is not a
	// member. The request of a nonblocking call is complete when the communicator may be
	// used.
	Make(m *Making) (Comm, Request, error)

	// Neighbors returns the edges of a distributed graph.
	Neighbors() (in, out []Edge, err error)

	// Room returns the buffer for buffered sends on this communicator.
	Room() Room

	Open(path string, amode int, hints []Hint) (File, error)
	Free() error
}

// A Room is the attached buffer for buffered sends.
type Room interface {
	// Attach attaches a buffer of that many bytes, which include the overhead of each
	// message as package comm counts it, or [Automatic].
	Attach(bytes int64) error

	// Detach waits until the messages are delivered and detaches the buffer; Flush only
	// waits, and StartFlush starts to wait.
	Detach() error
	Flush() error
	StartFlush() (Request, error)
}

// Automatic attaches a buffer of any size that the messages need.
const Automatic = -1

// A Call is the part of one rank in a collective. Counts and displacements are in items of
// the buffer's type, and set for a V routine; a W routine has Sends and Recvs in place of
// Send and Recv.
type Call struct {
	Routine string // "AllGatherV"
	Starts  bool   // it is nonblocking
	Root    int
	InPlace bool

	Send, Recv                                     types.Buffer
	SendCounts, SendDispls, RecvCounts, RecvDispls []int64
	Sends, Recvs                                   []types.Buffer

	Op *Op
}

// An Op is the operation of a reduction: a predefined one, or a function of the program.
type Op struct {
	Name     string // "Sum", "MaxLoc"
	User     func(in, inout types.Buffer) error
	Commutes bool
}

// A Making is a call that makes a communicator, with its arguments.
type Making struct {
	Routine string // "Split"
	Starts  bool   // it is nonblocking

	Color, Key  int
	Members     []int // of Create and CreateGroup: numbers in the world
	Tag         int
	Hints       []Hint
	High        bool // of IntercommMerge
	LocalLeader int
	Peer        Comm // of IntercommCreate, on the leader
	Remote      int

	Dims    []Dim
	Remain  []bool
	Reorder bool
	Graph   [][]int // by rank
	In, Out []Edge  // of DistGraphCreateAdjacent: edges of this rank
	Edges   []Edge  // of DistGraphCreate
	Weighed bool
}

// A Dim is one dimension of a grid.
type Dim struct {
	Size     int
	Periodic bool
}

// An Edge is one of a distributed graph.
type Edge struct{ From, To, Weight int }

// A File is one rank's handle on a file.
type File interface {
	// Do does a data access, a cell of the standard's table: with the shared pointer, ranks
	// of a collective one come in their order. off counts etypes and is for explicit
	// offsets. The request is nil unless the access is nonblocking; the status is valid
	// only if the access is complete.
	Do(form Form, write bool, at Position, all bool, off int64, b types.Buffer) (Status, Request, error)

	SetView(disp int64, etype, filetype *types.Type, rep string, hints []Hint) error
	View() (disp int64, rep string, err error)
	Point(off int64, whence int, shared bool) error
	Position(shared bool) (int64, error)
	ByteOffset(off int64) (int64, error)
	TypeExtent(t *types.Type) (int64, error)
	Size() (int64, error)
	SetSize(n int64) error
	Preallocate(n int64) error
	SetAtomicity(on bool) error
	Atomicity() (bool, error)
	Sync() error
	SetInfo(hints []Hint) error
	Info() ([]Hint, error)
	Close() error
}

// A Position says where an access begins.
type Position uint8

// The positions.
const (
	Explicit Position = iota
	Individual
	Shared
)

// A Form says how much of an access a call does.
type Form uint8

// The forms. A split collective has two calls.
const (
	Blocking Form = iota
	Nonblocking
	SplitBegin
	SplitEnd
)

// An Error is an error that the library returned.
type Error struct {
	Library string // name and version
	Call    string // "MPI_File_open"
	Class   errclass.Class
	Code    int
	Text    string
}

// Error returns the text, with the library and the call.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.Library, e.Call, e.Text)
}

// Unwrap returns the class.
func (e *Error) Unwrap() error { return e.Class }

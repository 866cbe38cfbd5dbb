package engine

import (
	"fmt"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// Ranks, tags and roots that are none, as package comm numbers them. A binding
// turns them into its library's.
const (
	AnySource = -1
	AnyTag    = -2
	ProcNull  = -3
	Root      = -4
	Undefined = -32766
)

// A Driver joins this process to a job.
type Driver interface {
	// Start joins the job of the launcher that started this process, or makes
	// one of a single rank.
	Start() (World, error)
}

// A World is this process's rank of a job.
type World interface {
	Rank() int
	Size() int

	// Library is name and version: what an error says it comes from.
	Library() string

	// All is the communicator of all ranks, Self that of this one.
	All() Comm
	Self() Comm

	// Abort prints text and ends all processes of the job with a code. It does
	// not return.
	Abort(code int, text string)

	// Room is that of buffered sends on communicators which have none.
	Room() Room

	// Delete deletes a file by its path.
	Delete(path string, hints []Hint) error

	// Register makes a data representation of the program known to the library,
	// with conversion functions or without. The library's own functions would be
	// called by numbers of its datatypes, which nobody here could read: one that
	// comes to call a function is told that it fails.
	Register(name string, converts bool) error

	// End leaves the job, together with all ranks.
	End() error
}

// A Hint is a key of an info object and its value.
type Hint struct{ Key, Value string }

// A Status is what an operation received. Bytes are packed bytes of memory.
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

// A Request is an operation under way, whose buffers stay where they are. It is
// over when Wait or Test has reported its end, and is not used afterwards.
type Request interface {
	Wait() (Status, error)
	Test() (st Status, done bool, err error)
	Cancel() error
}

// A Message is one that a matching probe has found and that has not been
// received.
type Message interface {
	Receive(b types.Buffer) (Request, error)
}

// A Comm is a communicator of the job.
type Comm interface {
	Rank() int
	Members() []int // numbers in the world, in order of rank
	Remote() []int  // those of the other group; nil with one group

	Send(m Mode, b types.Buffer, dst, tag int) error
	Recv(b types.Buffer, src, tag int) (Status, error)
	StartSend(m Mode, b types.Buffer, dst, tag int) (Request, error)
	StartRecv(b types.Buffer, src, tag int) (Request, error)

	// Probe looks for a message, with wait until there is one. With claim it is
	// taken, to be received by Receive alone.
	Probe(src, tag int, wait, claim bool) (st Status, m Message, found bool, err error)

	// Collective takes part in a collective call. The request is nil if the call
	// waits.
	Collective(k *Call) (Request, error)

	// Make takes part in making a communicator; nil is that of a rank which is
	// in none. The request, of a call that does not wait, is complete when the
	// communicator may be used.
	Make(m *Making) (Comm, Request, error)

	// Neighbors returns the edges of a distributed graph.
	Neighbors() (in, out []Edge, err error)

	// Room is that of buffered sends on this communicator.
	Room() Room

	Open(path string, amode int, hints []Hint) (File, error)
	Free() error
}

// A Room is what buffered sends find their room in.
type Room interface {
	// Attach gives room for that many bytes of messages, the overhead of each
	// included as package comm counts it, or [Automatic].
	Attach(bytes int64) error

	// Detach waits until the messages are delivered and takes the room away;
	// Flush only waits, and StartFlush waits for nothing.
	Detach() error
	Flush() error
	StartFlush() (Request, error)
}

// Automatic is as much room as messages take.
const Automatic = -1

// A Call is what one rank brings to a collective. Counts and displacements are
// in items of the buffer's type, given for a V routine; a W routine has Sends
// and Recvs in place of Send and Recv.
type Call struct {
	Routine string // "AllGatherV"
	Starts  bool   // it does not wait
	Root    int
	InPlace bool

	Send, Recv                                     types.Buffer
	SendCounts, SendDispls, RecvCounts, RecvDispls []int64
	Sends, Recvs                                   []types.Buffer

	Op *Op
}

// An Op is the operation of a reduction: a predefined one by its name, or a
// function of the program.
type Op struct {
	Name     string // "Sum", "MaxLoc"
	User     func(in, inout types.Buffer) error
	Commutes bool
}

// A Making is a call that makes a communicator: what it takes, by routine.
type Making struct {
	Routine string // "Split"
	Starts  bool   // it does not wait

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
	// Do does a data access. The request is nil unless a.Starts; the status
	// counts only if the access is over.
	Do(a *Access) (Status, Request, error)

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

// An Access is one data access, a cell of the standard's table.
type Access struct {
	Write  bool
	At     Position
	All    bool // collective; with the shared pointer in the order of ranks
	Starts bool // it does not wait
	Phase  Phase
	Off    int64 // of an explicit one, in etypes
	Buf    types.Buffer
}

// A Position says where an access begins.
type Position uint8

// The positions.
const (
	Explicit Position = iota
	Individual
	Shared
)

// A Phase is a half of a split collective.
type Phase uint8

// The phases.
const (
	Whole Phase = iota
	Begin
	Finish
)

// An Error is one that the library gave back.
type Error struct {
	Library string // name and version
	Call    string // "MPI_File_open"
	Class   errclass.Class
	Code    int
	Text    string
}

// Error names the library and the call.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.Library, e.Call, e.Text)
}

// Unwrap gives the class.
func (e *Error) Unwrap() error { return e.Class }

package trace

import (
	"runtime"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// A Recorder gets the successful calls of all ranks, each in the goroutine of its rank.
// Only one rank of a world with a recorder runs at a time, so it needs no lock.
type Recorder interface {
	// Send and Receive get messages. Both ends give the same value for a message, which no
	// other message has.
	Send(rank, to int, bytes int64, message any, at sched.Place)
	Receive(rank int, message any, at sched.Place)

	Meet(rank int, m *Meeting, at sched.Place)
	File(rank int, c *FileCall, at sched.Place)
	Compute(rank int, seconds float64, at sched.Place)

	// Now returns the time of a rank in the model of a machine, and whether the world
	// has one.
	Now(r *sched.Rank) (seconds float64, ok bool)
}

// A Party is the group of ranks in a collective call; all of them give the same value for
// it.
type Party struct {
	Key   any
	Ranks func() []int // of the world
}

// A Meeting is a collective call without a file, or one half of it.
type Meeting struct {
	Party
	Half  Half
	Round any    // the same on all ranks for one call, and different for others
	Name  string // "AllReduce"
	Bytes int64  // bytes that the rank sends
	Root  int    // rank in the world

	Across bool // on an intercommunicator
}

// A Half is the part of a collective call that a record describes.
type Half uint8

// The halves.
const (
	Both Half = iota // of a blocking call
	Started
	Finished
)

// A FileCall is a call on a file.
type FileCall struct {
	Party          // the ranks of the file's handles
	Kind  FileKind //
	Name  string   // of the file
	Op    string   // "WriteAtAll"

	// For an access.
	Part     types.Part // requested bytes of the file
	Write    bool
	All      bool // collective
	Shared   bool // it uses the shared pointer
	Strategy any  // strategy.Strategy; nil: none chosen

	// For an open: the striping that hints ask for; 0: none.
	StripeSize  int64
	StripeCount int
}

// A FileKind is the kind of a call on a file.
type FileKind uint8

// The kinds of calls on files.
const (
	FileOpened FileKind = iota
	FileMoved
	FileSynced
	FileClosed
)

// Recorder returns the recorder of the world, nil if there is none.
func (l *Log) Recorder() Recorder {
	if l == nil {
		return nil
	}
	return l.w.opts.Recorder
}

// Rank returns the rank that the log is about.
func (l *Log) Rank() int { return l.thread.ID() }

// Place returns the line of the program that the rank is at, from any depth in the library.
// Only one rank of a world with a recorder runs at a time.
func (l *Log) Place() sched.Place {
	if p, ok := l.thread.Placed(); ok {
		return p
	}
	var way [mostFrames]uintptr
	runtime.Callers(2, way[:])
	p, ok := l.w.places[way]
	if !ok {
		if l.w.places == nil {
			l.w.places = map[[mostFrames]uintptr]sched.Place{}
		}
		p = sched.Caller()
		l.w.places[way] = p
	}
	return p
}

// mostFrames is how many frames distinguish calls.
const mostFrames = 24

package world

import (
	"encoding/json"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
)

// AbortError says which rank ended the world by Abort, and with which code.
type AbortError = comm.AbortError

// Place is a line of a program.
type Place = errclass.Place

// A RankError is the error that ended one rank.
type RankError struct {
	Rank int   // in the world
	Err  error // returned by the rank, or a *PanicError or *GoexitError

	raised *sched.RankError // the internal error with which the world ended, if it did
}

// Error returns the error with its rank.
func (e *RankError) Error() string { return e.internal().Error() }

// Unwrap returns the rank's own error.
func (e *RankError) Unwrap() error { return e.Err }

// MarshalJSON writes the rank and its error.
func (e *RankError) MarshalJSON() ([]byte, error) { return json.Marshal(e.internal()) }

func (e *RankError) internal() *sched.RankError { return &sched.RankError{Rank: e.Rank, Err: e.Err} }

// A PanicError says that a rank panicked.
type PanicError struct {
	Value any    // argument of panic
	Place Place  // the line of the program that panicked
	Stack []byte // the goroutine's stack at the time
}

// Error returns the value and the place, without the stack.
func (e *PanicError) Error() string { return (*sched.PanicError)(e).Error() }

// Unwrap returns the value if it is an error, such as a runtime.Error.
func (e *PanicError) Unwrap() error { return (*sched.PanicError)(e).Unwrap() }

// MarshalJSON writes the value, as text if it cannot be marshalled, the place and the
// stack.
func (e *PanicError) MarshalJSON() ([]byte, error) { return (*sched.PanicError)(e).MarshalJSON() }

// A GoexitError says that a rank ended by runtime.Goexit, without returning.
type GoexitError struct {
	Place Place // the line of the program that called runtime.Goexit, or the function that did
}

// Error names the usual cause.
func (e *GoexitError) Error() string { return (*sched.GoexitError)(e).Error() }

// MarshalJSON writes the text and the place.
func (e *GoexitError) MarshalJSON() ([]byte, error) { return (*sched.GoexitError)(e).MarshalJSON() }

// A DeadlockError reports that every rank which has not ended waits for another one. It
// ends the world at the moment of the deadlock.
type DeadlockError struct {
	Ranks []Waiting // one for every rank of the world, in order

	// Cycle is the shortest cycle of ranks in which each waits for the next, and the last
	// for the first; nil if there is none. It begins with its lowest rank.
	Cycle []int

	raised *sched.DeadlockError // the internal error with which the world ended, if it did
}

// Waiting is the state of one rank in a [DeadlockError].
type Waiting struct {
	Rank  int    `json:"rank"`
	Why   string `json:"why,omitempty"`   // the call it waits in, such as "Recv from 3 tag 7"; empty if it ended
	Place Place  `json:"place,omitzero"`  // the line of the program that made the call
	Ended bool   `json:"ended,omitempty"` // the rank had returned
	For   []int  `json:"for,omitempty"`   // ranks each of which could end the wait, if the call knows them
	Needs string `json:"needs,omitempty"` // the ranks that a collective call needs, such as "all ranks of COMM_WORLD"; For lists the missing ones
	Note  string `json:"note,omitempty"`  // why the call waits, if that is not obvious, or which other rank got the message it waits for
	Cure  string `json:"-"`               // what to change if all ranks of the cycle wait like this one

	// Unreceived are the messages that have arrived at a rank that waits for another
	// message; those that differ least from the expected one come first. No receive of the
	// rank matches them.
	Unreceived []Unreceived `json:"unreceived,omitempty"`
}

// Unreceived are messages of one sender, tag and communicator that no rank has received.
type Unreceived struct {
	Source int    `json:"source"` // the sender's rank in the communicator
	Tag    int    `json:"tag"`
	Comm   string `json:"comm"`
	Count  int    `json:"count"`          // number of messages
	Place  Place  `json:"place,omitzero"` // the line that sent the first of them, if it is known
}

// String describes the messages and says that no receive matches them.
func (u Unreceived) String() string { return sched.Unreceived(u).String() }

// Error lists what every rank waits for; ranks that wait for the same thing at
// the same place share a line.
func (e *DeadlockError) Error() string { return e.internal().Error() }

// MarshalJSON writes the text, what each rank does, and the cycle.
func (e *DeadlockError) MarshalJSON() ([]byte, error) { return e.internal().MarshalJSON() }

func (e *DeadlockError) internal() *sched.DeadlockError {
	d := &sched.DeadlockError{Ranks: make([]sched.Waiting, len(e.Ranks)), Cycle: e.Cycle}
	for i, w := range e.Ranks {
		d.Ranks[i] = sched.Waiting{
			Rank: w.Rank, Why: w.Why, Place: w.Place, Ended: w.Ended, For: w.For, Needs: w.Needs, Note: w.Note, Cure: w.Cure,
			Unreceived: convert[sched.Unreceived](w.Unreceived, func(u Unreceived) sched.Unreceived { return sched.Unreceived(u) }),
		}
	}
	return d
}

func deadlock(d *sched.DeadlockError) *DeadlockError {
	e := &DeadlockError{Ranks: make([]Waiting, len(d.Ranks)), Cycle: d.Cycle, raised: d}
	for i, w := range d.Ranks {
		e.Ranks[i] = Waiting{
			Rank: w.Rank, Why: w.Why, Place: w.Place, Ended: w.Ended, For: w.For, Needs: w.Needs, Note: w.Note, Cure: w.Cure,
			Unreceived: convert[Unreceived](w.Unreceived, func(u sched.Unreceived) Unreceived { return Unreceived(u) }),
		}
	}
	return e
}

// convert converts each element of list; it returns nil for nil.
func convert[T, S any](list []S, one func(S) T) []T {
	if list == nil {
		return nil
	}
	to := make([]T, len(list))
	for i, x := range list {
		to[i] = one(x)
	}
	return to
}

// An UncontrolledError reports that a program did not repeat its calls although all choices
// were the same: it depends on something that is not a choice, such as the time, the order
// of a map, or memory that ranks or runs share.
type UncontrolledError struct {
	Choice   int    // number of choices made before; -1 at the end of a run
	Rank     int    // the rank, in the world, that did not repeat; -1 if unknown
	Before   string // its call the first time, or the possible choices then
	BeforeAt Place  // the line of that call, if it was a call
	Now      string // the call or choices this time
	NowAt    Place

	// Reordered reports that the ranks ran in another order between choices: the program
	// may depend on memory that ranks share, or on one of the other causes.
	Reordered bool

	// Early names operations, with their lines, whose buffers the program uses too early: its
	// calls depend on the bytes there, and on nothing else. It is empty if there is another
	// cause. See [Careful].
	Early string
}

// Error returns both calls.
func (e *UncontrolledError) Error() string { return (*sched.UncontrolledError)(e).Error() }

// MarshalJSON writes the text and both calls.
func (e *UncontrolledError) MarshalJSON() ([]byte, error) {
	return (*sched.UncontrolledError)(e).MarshalJSON()
}

// init makes errors.As find errors that end a world as the types of this package: ranks get
// them as types of internal/sched, wrapped in the errors of calls.
func init() { sched.Public = public }

// public returns err as a type of this package if it is an error of internal/sched, and
// otherwise err itself.
func public(err error) error {
	switch e := err.(type) {
	case *sched.RankError:
		return publicRank(e)
	case *sched.PanicError:
		return (*PanicError)(e)
	case *sched.GoexitError:
		return (*GoexitError)(e)
	case *sched.DeadlockError:
		return deadlock(e)
	case *sched.UncontrolledError:
		return (*UncontrolledError)(e)
	}
	return err
}

func publicRank(e *sched.RankError) *RankError {
	return &RankError{Rank: e.Rank, Err: public(e.Err), raised: e}
}

// raised returns the internal error with which a world ended, given its public form err, to
// compare it with the errors of ranks.
func raised(err error) error {
	switch e := err.(type) {
	case *RankError:
		if e.raised != nil {
			return e.raised
		}
	case *DeadlockError:
		if e.raised != nil {
			return e.raised
		}
	case *UncontrolledError:
		return (*sched.UncontrolledError)(e)
	}
	return err
}

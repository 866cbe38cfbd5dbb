// Package journal reports each action of a file handle once to all listeners.
//
// # Start here
//
// A [Listener] names the kinds of events of a handle that it wants, and records them.
// Package iofile has the list of listeners and the one place that calls them: the race
// detector, provenance, the report of a run and callbacks of the program are listeners. An
// access without a listener costs one comparison.
package journal

import (
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/types"
)

// A Kind is a kind of event. Kinds are bits, so a set of them is one word.
type Kind uint32

// The kinds of events. A blocking access is Moved and then Done; another access is Begun,
// Moved and Ended. If an access fails before it has moved a byte, the only further event is
// Ended, and only if it was Begun.
const (
	Opened    Kind = 1 << iota // the handle is new
	Begun                      // an access is under way from now on
	Part                       // some or all bytes of a long access have moved
	Moved                      // the bytes of an access have moved; a listener may fail it by Err
	Done                       // a blocking access is complete: Bytes are those that moved
	Ended                      // an access that was under way is complete, or failed with Err
	Sized                      // the size of the file was changed or queried: Bytes are those concerned
	Found                      // the queried size is known: EndsAt
	Cut                        // the file now ends at EndsAt; bytes beyond are gone
	Pointer                    // a call at the shared pointer, without bytes
	Viewed                     // the handle has a new view
	Switched                   // the program sets the atomic mode, to Atomic
	Published                  // the handle's writes are in the file, but not synced
	Synced                     // the handle's writes are in the file, and it sees those of others
	Closed                     // the handle is closed; Err is set if not all its writes could be published
	Lost                       // the handle was never closed: its unpublished writes are lost
)

// An Event is an action of a handle. A handle reuses one event: listeners must not keep a
// pointer to it.
type Event struct {
	race.Access // the call, its line and time, and the bytes of the file

	Handle any // of package iofile

	Offset int64         // of an access, in etypes of the view
	Moved  int64         // bytes that have moved
	Buffer *types.Buffer // in memory; nil if no listener needs it
	Kind   Kind
	All    bool // a collective call
	Shared bool // it uses the shared pointer
	Moves  bool // and moves the pointer
	Begins bool // if All: it may move the pointer when this rank comes to it; see [race.PointerCall]
	Round  int  // number of collective moves of the shared pointer that the rank has made

	Result
}

// A Result has the results of listeners for an event. For the end of an access under way,
// the fields are set already.
type Result struct {
	Under *race.Pending // the race detector's record of an access under way
	Entry *race.Entry   // the entry of provenance for a write or a cut
	Err   error
}

// ListenerKey is the key under which a program of this module keeps a Listener to the handles
// that a rank opens from then on, see commport.Port.Keep.
type ListenerKey struct{}

// A Listener records actions of handles. One value serves all handles, and ranks call it
// concurrently.
type Listener interface {
	// Wants returns the kinds of events of a handle that the listener wants. It must return
	// the same every time, from when the handle is opened.
	Wants(handle any) Kind

	// Record receives an event, in the goroutine of the handle's rank and before the call
	// returns. The event is valid until Record returns.
	Record(e *Event)
}

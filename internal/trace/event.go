package trace

import (
	"iter"
	"strings"

	"github.com/commworld/commworld/internal/sched"
)

// A Kind is the kind of an [Event].
type Kind uint8

// The kinds of events.
const (
	Slice Kind = iota // a call, from Begin to End
	Out               // a message is sent, inside the call that sends it
	In                // a message has been received, inside the call that completes the receive
	Enter             // a collective begins; the call itself is a Slice
	Leave             // a collective is complete
)

// Ended is the failure of a call that was stopped by the end of the world.
const Ended = "the world was ended"

// None is the value of a number that an event does not have.
const None = -1 << 31

// An Event is an action of a rank.
type Event struct {
	Kind   Kind
	Name   string // of the call: "Recv"
	Group  string // of a call: "message", "wait", "collective", "file"
	Object string // the communicator or file
	Detail string // further text, for calls that need it
	Failed string // the class of its error
	Line   *sched.Line

	Begin, End int64 // nanoseconds
	Waits      int64 // number of waits during the call

	Peer    int // rank in the communicator, None if there is none
	Tag     int
	Root    int
	Bytes   int64
	Offset  int64 // in etypes
	Message int64 // the number of a message
	Far     int   // rank in the world at the other end, for messages of a library

	time  uint64 // the rank's own time; 0 if there is no clock
	clock sched.Clock
}

// Collective reports whether e is a collective call.
func (e *Event) Collective() bool {
	return e.Group == "collective" || e.Group == "file" && FileCollective(e.Name)
}

// FileCollective reports whether the call on a file with that name is collective.
func FileCollective(name string) bool {
	switch name {
	case "Open", "Close", "Sync", "SetView", "SetSize", "Preallocate", "SetAtomicity", "SeekShared", "SetInfo":
		return true
	}
	return strings.Contains(name, "All") || strings.Contains(name, "Ordered")
}

// A Mark is the moment at which a call began.
type Mark struct{ begin, waits int64 }

// Keeps reports whether l keeps events.
func (l *Log) Keeps() bool { return l != nil && l.w.opts.Events }

// Begin returns the mark for a call that begins now. It costs nothing if no events are
// kept.
func (l *Log) Begin() Mark {
	if !l.Keeps() {
		return Mark{}
	}
	return Mark{l.w.now(), l.Waits.Waits}
}

// Plain returns the event of a call without peer, tag, root and offset.
func Plain(group, name, object string) Event {
	return Event{Group: group, Name: name, Object: object, Peer: None, Tag: None, Root: None, Offset: None}
}

// End records the call that began at m and ends now. Only calls on files carry a clock:
// other calls have clocks in their messages and collectives.
func (l *Log) End(m Mark, e Event) {
	if !l.Keeps() {
		return
	}
	e.Kind, e.Begin, e.End, e.Waits, e.Line = Slice, m.begin, l.w.now(), l.Waits.Waits-m.waits, l.thread.NoteLine(sched.AnyDepth)
	l.keep(e, e.Group == "file")
	l.asks(e.Begin, e.End)
}

// Point records an event at a moment that comes before all later actions of the rank.
func (l *Log) Point(e Event) {
	if l.Keeps() {
		e.Begin = l.w.now()
		e.End = e.Begin
		l.keep(e, true)
	}
}

func (l *Log) keep(e Event, happens bool) {
	if happens && l.w.opts.Clocks {
		e.time, e.clock = l.thread.Tick(), l.thread.Publish(false)
	}
	n := len(l.events)
	if n == 0 || len(l.events[n-1]) == piece {
		l.events = append(l.events, make([]Event, 0, piece))
		n++
	}
	l.events[n-1] = append(l.events[n-1], e)
}

// piece is the number of events in one allocation.
const piece = 128

// all returns the events of the rank, in order.
func (l *Log) all() iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		for _, p := range l.events {
			for i := range p {
				if !yield(&p[i]) {
					return
				}
			}
		}
	}
}

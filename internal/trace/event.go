package trace

import (
	"iter"

	"github.com/commworld/commworld/internal/sched"
)

// A Kind says what an [Event] is.
type Kind uint8

// The kinds of events.
const (
	Slice Kind = iota // a call, from Begin to End
	Out               // a message leaves its sender, inside the call that sends it
	In                // a message has been received, inside the call that completes that
	Enter             // a collective begins; the call is a slice of its own
	Leave             // a collective is complete
)

// Ended is how a call failed that the end of the world ended.
const Ended = "the world was ended"

// None stands for a number that an event does not have.
const None = -1 << 31

// An Event is something that a rank did.
type Event struct {
	Kind   Kind
	Name   string // of the call: "Recv"
	Group  string // of calls: "message", "wait", "collective", "file"
	Object string // the communicator or file
	Detail string // in words, of calls that need them
	Failed string // the class of its error
	Line   *sched.Line

	Begin, End int64 // nanoseconds
	Waits      int64 // how often the rank parked meanwhile

	Peer    int // rank in the communicator, None if there is none
	Tag     int
	Root    int
	Bytes   int64
	Offset  int64 // in etypes
	Message int64 // the number of a message
	Far     int   // rank in the world at its other end, where a library has it

	time  uint64 // of the rank; 0 if no clock was kept
	clock sched.Clock
}

// A Mark is the moment at which a call began.
type Mark struct{ begin, waits int64 }

// Keeps reports whether l keeps events.
func (l *Log) Keeps() bool { return l != nil && l.w.opts.Events }

// Begin notes that a call begins. It costs nothing if no events are kept.
func (l *Log) Begin() Mark {
	if !l.Keeps() {
		return Mark{}
	}
	return Mark{l.w.now(), l.Waits.Waits}
}

// Plain is the event of a call without peer, tag, root and offset.
func Plain(group, name, object string) Event {
	return Event{Group: group, Name: name, Object: object, Peer: None, Tag: None, Root: None, Offset: None}
}

// End keeps the call that began at m and ends now. Only calls on files carry a
// clock: of the others it is messages and collectives that happen.
func (l *Log) End(m Mark, e Event) {
	if !l.Keeps() {
		return
	}
	e.Kind, e.Begin, e.End, e.Waits, e.Line = Slice, m.begin, l.w.now(), l.Waits.Waits-m.waits, l.thread.Note()
	l.keep(e, e.Group == "file")
}

// Point keeps an event of a moment that happens before whatever the rank does
// next.
func (l *Log) Point(e Event) {
	if l.Keeps() {
		e.Begin = l.w.now()
		e.End = e.Begin
		l.keep(e, true)
	}
}

func (l *Log) keep(e Event, happens bool) {
	if happens && l.w.opts.Clocks {
		e.time, e.clock = l.thread.Tick(), l.thread.Now()
	}
	n := len(l.events)
	if n == 0 || len(l.events[n-1]) == piece {
		l.events = append(l.events, make([]Event, 0, piece))
		n++
	}
	l.events[n-1] = append(l.events[n-1], e)
}

// piece is how many events are kept in one piece of memory.
const piece = 128

// all are the events of the rank, in order.
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

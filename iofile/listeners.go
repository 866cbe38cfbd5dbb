package iofile

import (
	"math/bits"
	"sync"

	"github.com/commworld/commworld/internal/journal"
)

// listeners are all listeners to handles, in the order in which they are notified. A new
// one is added here. Races come first: the cached access plan calls the detector itself if
// no other listener wants accesses.
var listeners = [...]journal.Listener{races{}, provenance{}, runReport{}, polls{}, observers{}, progress{}, recording{}, calls{}, kept{}}

// listen asks each listener what it wants of the handle.
func (f *File) listen() {
	for i, l := range listeners {
		if k := l.Wants(f); k != 0 {
			f.listening |= 1 << i
			f.wants |= k
		}
	}
	f.noteCall(journal.Opened, "Open", nil)
}

// wanted reports whether a listener wants events of these kinds.
func (f *File) wanted(k journal.Kind) bool { return f.wants&k != 0 }

// event returns an event of the handle, with only its kind and call set.
func (f *File) event(k journal.Kind, op string) *journal.Event {
	var e *journal.Event
	if f.traffic != nil && f.inside == "" { // else a listener may still be using it
		e = &f.latest
		*e = journal.Event{}
	} else {
		e = spare.Get().(*journal.Event)
	}
	e.Kind, e.Handle, e.Op = k, f, op
	return e
}

// spare holds empty events for handles that have had no access.
var spare = sync.Pool{New: func() any { return new(journal.Event) }}

// notify lets all listeners that want e record it, and returns their result. After an error
// the remaining listeners are not notified. The caller must not use the event afterwards.
func (f *File) notify(e *journal.Event) (r journal.Result) {
	before := e.Err
	alone := f.listening&(f.listening-1) == 0 // then f.wants is what it wants
	for listening := f.listening; listening != 0; listening &= listening - 1 {
		l := listeners[bits.TrailingZeros32(listening)]
		if !alone && l.Wants(f)&e.Kind == 0 {
			continue
		}
		if l.Record(e); e.Err != before {
			break
		}
	}
	r, e.Buffer = e.Result, nil // the program may use its memory again
	if f.traffic == nil || e != &f.latest {
		*e = journal.Event{}
		spare.Put(e)
	}
	return r
}

// kept is the listener that the handle's rank keeps under [journal.ListenerKey].
type kept struct{}

func (kept) listener(handle any) journal.Listener {
	l, _ := port.Kept(handle.(*File).c, journal.ListenerKey{}).(journal.Listener)
	return l
}

func (k kept) Wants(handle any) journal.Kind {
	if l := k.listener(handle); l != nil {
		return l.Wants(handle)
	}
	return 0
}

func (k kept) Record(e *journal.Event) {
	f := e.Handle.(*File)
	f.inside = inObserver
	defer func() { f.inside = "" }()
	k.listener(f).Record(e)
}

// runReport counts accesses for the report of a run.
type runReport struct{}

func (runReport) Wants(handle any) journal.Kind {
	if handle.(*File).log == nil {
		return 0
	}
	return journal.Moved
}

func (runReport) Record(e *journal.Event) {
	f := e.Handle.(*File)
	f.log.CountAccess(f.name, e.Write, e.Moved)
}

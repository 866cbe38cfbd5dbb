package trace

import (
	"errors"

	"github.com/commworld/commworld/internal/sched"
)

// A Failed is a line of the program whose calls returned errors.
type Failed struct {
	Place sched.Place
	First error
	Since uint64 // time of the rank at the first
	Count int
}

// failures holds the errors of a rank's calls, by line of the program.
type failures struct {
	mu   sched.Mutex // a call may be completed in the goroutine of another rank
	all  []*Failed
	over bool
}

// mostFailed bounds the lines that are kept.
const mostFailed = 1 << 10

// Careful reports whether this is a careful run, which checks for more mistakes.
func (l *Log) Careful() bool { return l != nil && l.w.opts.Careful }

// Failed records an error that a call of the rank returns. It leaves out an error that only
// repeats the end of the world.
func (l *Log) Failed(err error) {
	if !l.Careful() || err == nil {
		return
	}
	if cause := l.thread.Sched().Cause(); cause != nil && errors.Is(err, cause) {
		return
	}
	place, ok := l.thread.Placed()
	if !ok {
		place = sched.DeferringCaller()
	}
	if place.Line == 0 {
		return // the program made no call
	}
	l.failed.add(place, err, l.thread.Clock().Moment().Time)
}

func (f *failures) add(place sched.Place, err error, now uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return
	}
	var at *Failed
	for _, e := range f.all {
		if e.Place.File == place.File && e.Place.Chain() == place.Chain() {
			at = e
		}
	}
	if at == nil {
		if len(f.all) == mostFailed {
			return
		}
		at = &Failed{Place: place, First: err, Since: now}
		f.all = append(f.all, at)
	}
	at.Count++
}

// TakeFailed returns the recorded errors, by line in the order of the first errors, and
// stops recording.
func (l *Log) TakeFailed() []*Failed {
	if l == nil {
		return nil
	}
	f := &l.failed
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	all := f.all
	f.all = nil
	return all
}

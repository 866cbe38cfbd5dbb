package comm

import (
	"sync/atomic"
	"time"
)

// A wallClock is the source of time of the ranks of a world.
type wallClock struct {
	start   time.Time
	virtual bool
	reads   atomic.Int64
}

// tick is how far a virtual clock advances when it is read.
const tick = time.Microsecond

func newClock(virtual bool) *wallClock { return &wallClock{start: time.Now(), virtual: virtual} }

func (k *wallClock) now() time.Duration {
	if k.virtual {
		return time.Duration(k.reads.Add(1)) * tick
	}
	return time.Since(k.start)
}

// WTime returns the time since the world began, in seconds. It never decreases, and all
// ranks read one clock (MPI_WTIME_IS_GLOBAL). In a world whose schedule is controlled, as by
// a seed, the clock is virtual and advances by a microsecond whenever a rank reads it: so
// even a program that waits for time to pass runs the same way again, but time differences
// say nothing about speed. In a world on the model of a machine (world.On) it is the model's
// time. 0 on nil. (WORLD-02)
//
// MPI_Wtime
func (c *Comm) WTime() float64 {
	if c.null() {
		return 0
	}
	if r := c.proc.log.Recorder(); r != nil {
		if t, ok := r.Now(c.proc.thread); ok {
			return t
		}
	}
	return c.proc.univ.clock.now().Seconds()
}

// WTick returns the resolution of [Comm.WTime] in seconds. 0 on nil. (WORLD-02)
//
// MPI_Wtick
func (c *Comm) WTick() float64 {
	switch {
	case c.null():
		return 0
	case c.proc.univ.clock.virtual:
		return tick.Seconds()
	}
	return time.Nanosecond.Seconds()
}

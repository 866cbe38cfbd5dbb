package comm

import (
	"sync/atomic"
	"time"
)

// A wallClock is what the ranks of a world read the time from.
type wallClock struct {
	start   time.Time
	virtual bool
	reads   atomic.Int64
}

// tick is how far a virtual clock goes on when it is read.
const tick = time.Microsecond

func newClock(virtual bool) *wallClock { return &wallClock{start: time.Now(), virtual: virtual} }

func (k *wallClock) now() time.Duration {
	if k.virtual {
		return time.Duration(k.reads.Add(1)) * tick
	}
	return time.Since(k.start)
}

// WTime returns the time since the world began, in seconds; it never goes back,
// and all ranks read one clock (MPI_WTIME_IS_GLOBAL). In a world whose schedule
// is controlled, as by a seed, it is a virtual clock that goes on by a
// microsecond whenever a rank reads it: then runs repeat, also of a program that
// waits for time to pass, but differences say nothing about speed. 0 on nil.
// (WORLD-02)
//
// MPI_Wtime
func (c *Comm) WTime() float64 {
	if c.null() {
		return 0
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

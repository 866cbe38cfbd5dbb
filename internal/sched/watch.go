package sched

import (
	"fmt"
	"time"
)

// A Watch counts the waits of a rank.
type Watch struct {
	Waits  int64         // calls of Park, also those that found the rank woken
	Waited time.Duration // in them; only in free worlds, where time means something
}

// Watch has the waits of r counted from now on. It is called before the world
// runs.
func (r *Rank) Watch(w *Watch) { r.watch = w }

// parkWatched is Yield and ParkNow of a rank that is watched.
//
//go:noinline
func (r *Rank) parkWatched(why fmt.Stringer) error {
	r.watch.Waits++
	if r.s.Controlled() {
		return r.s.drv.park(r, why)
	}
	began := time.Now()
	r.s.drv.yield()
	err := r.s.drv.park(r, why)
	r.watch.Waited += time.Since(began)
	return err
}

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
func (r *Rank) Watch(w *Watch) {
	r.watch = w
	r.occupied()
}

// count is park of a driver, counted unless w is nil.
func (w *Watch) count(drv driver, r *Rank, why fmt.Stringer) error {
	if w == nil {
		return drv.park(r, why)
	}
	w.Waits++
	if r.s.Controlled() {
		return drv.park(r, why)
	}
	began := time.Now()
	err := drv.park(r, why)
	w.Waited += time.Since(began)
	return err
}

package sched

import (
	"fmt"
	"time"
)

// A Watch counts the waits of a rank.
type Watch struct {
	Waits  int64         // calls of Park, including those that found the rank woken
	Waited time.Duration // time in them; only in free worlds, where time is meaningful
}

// CountWaits makes the waits of a rank count into w from now on. It must be called before
// the world runs.
func (s *Sched) CountWaits(rank int, w *Watch) {
	r := &s.ranks[rank]
	r.watch = w
	r.chooseDriver()
}

// count calls park of a driver and counts it, unless w is nil.
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

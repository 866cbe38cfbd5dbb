package proptest

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
)

// A Mutex is a lock for memory that the ranks of a layer share. Lock is a scheduling point, so the
// suite tries the orders in which ranks get the lock. Ranks that wait for each other's locks
// are reported at once as a deadlock, with the line of each. What a rank did before Unlock
// happens before what the next one does. The zero value is not locked.
type Mutex struct {
	mu      sync.Mutex
	owner   *sched.Rank
	at      string // the line where the owner locked it
	waiting []*sched.Rank
	clock   sched.Clock // of the last owner
}

// Lock locks m for the calling rank, and waits until that is possible. It returns an error if
// the rank has locked m already, or if the world has ended.
func (m *Mutex) Lock(c *comm.Comm) error {
	if err := c.Yield(); err != nil {
		return err
	}
	r := port.Thread(c)
	line := lineOf()
	m.mu.Lock()
	if m.owner == r {
		defer m.mu.Unlock()
		return fmt.Errorf("proptest: rank %d locks a mutex that it has locked at %s", r.ID(), m.at)
	}
	why := &lockWait{m}
	if m.owner == nil {
		m.owner = r
	} else {
		m.waiting = append(m.waiting, r)
	}
	for m.owner != r {
		m.mu.Unlock()
		err := r.Park(why)
		m.mu.Lock()
		if err != nil {
			m.leave(r)
			m.mu.Unlock()
			return err
		}
	}
	m.at = line
	r.Join(m.clock)
	m.mu.Unlock()
	return nil
}

// lineOf returns the line that called Lock.
func lineOf() string {
	_, file, line, _ := runtime.Caller(2)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

// leave withdraws a rank that waits, or has got the lock while its world ended.
func (m *Mutex) leave(r *sched.Rank) {
	m.waiting = slices.DeleteFunc(m.waiting, func(w *sched.Rank) bool { return w == r })
	if m.owner == r {
		m.pass()
	}
}

// Unlock gives the lock to the rank that has waited longest. It panics if the calling rank has
// not locked m.
func (m *Mutex) Unlock(c *comm.Comm) {
	r := port.Thread(c)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.owner != r {
		panic(fmt.Sprintf("proptest: rank %d unlocks a mutex that it has not locked", r.ID()))
	}
	m.clock = r.Publish(false)
	m.pass()
}

// pass gives the lock to the next rank.
func (m *Mutex) pass() {
	m.owner = nil
	if len(m.waiting) > 0 {
		m.owner = m.waiting[0]
		m.waiting = slices.Delete(m.waiting, 0, 1)
		m.owner.Wake()
	}
}

// A lockWait is the state of a rank that waits for a lock, for reports.
type lockWait struct{ m *Mutex }

// String is called while no rank runs.
func (w *lockWait) String() string {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	if w.m.owner == nil {
		return "Lock of a free proptest.Mutex"
	}
	return fmt.Sprintf("Lock of a proptest.Mutex that rank %d locked at %s", w.m.owner.ID(), w.m.at)
}

package sched

import (
	"sync"
	"sync/atomic"
)

// A Mutex is a leaf lock: it is held for a bounded number of steps and never across Park,
// Step or a call of the user's code. A rank that holds it can always continue, so waiting
// for it does not count as waiting in this package. The zero value is unlocked.
type Mutex struct{ mu sync.Mutex }

// Lock locks m.
func (m *Mutex) Lock() { m.mu.Lock() }

// Unlock unlocks m.
func (m *Mutex) Unlock() { m.mu.Unlock() }

// An RWMutex is a leaf lock that any number of readers may hold at once. The rules of
// [Mutex] hold for readers and writers. A writer that finds the lock free takes one atomic
// step to lock and one to unlock: half as many as with [sync.RWMutex].
type RWMutex struct {
	state atomic.Uint32 // number of readers, and whether there is a writer, or a waiter
	queue atomic.Pointer[queue]
}

// The flags of the state beside the number of readers. While a goroutine waits, the state
// changes only under the lock of the queue.
const (
	writing = 1 << 31
	waiting = 1 << 30
)

// A queue holds the goroutines that wait for a lock.
type queue struct {
	mu   sync.Mutex
	cond sync.Cond
}

// Lock locks m for writing.
func (m *RWMutex) Lock() {
	if !m.state.CompareAndSwap(0, writing) {
		m.wait(func(now uint32, _ bool) (uint32, bool) { return writing, now&^waiting == 0 })
	}
}

// Unlock releases a lock taken by Lock.
func (m *RWMutex) Unlock() {
	if !m.state.CompareAndSwap(writing, 0) {
		m.free(writing)
	}
}

// RLock locks m for reading.
func (m *RWMutex) RLock() {
	for now := m.state.Load(); now < waiting; now = m.state.Load() {
		if m.state.CompareAndSwap(now, now+1) {
			return
		}
	}
	// A newcomer lets the waiting goroutines go first: otherwise readers could keep a
	// writer out for ever.
	m.wait(func(now uint32, waited bool) (uint32, bool) {
		return now&^waiting + 1, now&writing == 0 && (waited || now&waiting == 0)
	})
}

// RUnlock ends RLock.
func (m *RWMutex) RUnlock() {
	for now := m.state.Load(); now < waiting; now = m.state.Load() {
		if m.state.CompareAndSwap(now, now-1) {
			return
		}
	}
	m.free(1)
}

// wait returns when take accepts the state and gives the new one. take gets the state and
// whether the caller has waited. Other waiters stay announced in the state.
//
//go:noinline
func (m *RWMutex) wait(take func(now uint32, waited bool) (next uint32, ok bool)) {
	q := m.queue.Load()
	if q == nil {
		q = new(queue)
		q.cond.L = &q.mu
		if !m.queue.CompareAndSwap(nil, q) {
			q = m.queue.Load()
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for waited := false; ; {
		now := m.state.Load()
		if next, ok := take(now, waited); ok {
			if m.state.CompareAndSwap(now, next|now&waiting) {
				return
			}
			continue
		}
		if now&waiting == 0 && !m.state.CompareAndSwap(now, now|waiting) {
			continue
		}
		q.cond.Wait()
		waited = true
	}
}

// free releases the lock of a writer or of one reader while others wait. When the lock is
// free, all waiters try again.
//
//go:noinline
func (m *RWMutex) free(share uint32) {
	q := m.queue.Load()
	q.mu.Lock()
	defer q.mu.Unlock()
	if m.state.Add(-share) == waiting {
		m.state.Store(0)
		q.cond.Broadcast()
	}
}

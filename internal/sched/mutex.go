package sched

import "sync"

// A Mutex is a leaf lock: held for a bounded number of steps and never across
// Park, Step or a call of the user's code. So waiting for it is no waiting in
// the sense of this package, and a rank that holds it can always go on. The
// zero value is unlocked.
type Mutex struct{ mu sync.Mutex }

// Lock locks m.
func (m *Mutex) Lock() { m.mu.Lock() }

// Unlock unlocks m.
func (m *Mutex) Unlock() { m.mu.Unlock() }

// An RWMutex is a leaf lock that any number of readers may hold at once. The
// rules of [Mutex] hold for readers and writers.
type RWMutex struct{ mu sync.RWMutex }

// Lock locks m for writing.
func (m *RWMutex) Lock() { m.mu.Lock() }

// Unlock ends Lock.
func (m *RWMutex) Unlock() { m.mu.Unlock() }

// RLock locks m for reading.
func (m *RWMutex) RLock() { m.mu.RLock() }

// RUnlock ends RLock.
func (m *RWMutex) RUnlock() { m.mu.RUnlock() }

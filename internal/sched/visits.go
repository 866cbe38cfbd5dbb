package sched

import "sync/atomic"

// Visits are the goroutines that are in functions of the program which the library
// has called, and what these may not call. A function may have the handles of any
// rank, so only goroutines can be told apart. The zero value has none.
type Visits struct {
	n  atomic.Int32 // so that asking costs nothing while nobody is there
	mu Mutex
	in map[string]int
}

// Enter notes the calling goroutine until it calls leave. It takes a microsecond.
func (v *Visits) Enter() (leave func()) {
	me := Goroutine()
	v.n.Add(1)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.in == nil {
		v.in = map[string]int{}
	}
	v.in[me]++
	return func() {
		v.n.Add(-1)
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.in[me]--; v.in[me] == 0 {
			delete(v.in, me)
		}
	}
}

// Any reports whether some goroutine has entered. It is one load.
func (v *Visits) Any() bool { return v.n.Load() > 0 }

// Here reports whether the calling goroutine has.
func (v *Visits) Here() bool {
	if !v.Any() {
		return false
	}
	me := Goroutine()
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.in[me] > 0
}

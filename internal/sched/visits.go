package sched

import (
	"slices"
	"sync/atomic"
)

// Visits are the goroutines that are in functions of the program which the library
// has called, and what these may not call. A function may have the handles of any
// rank, so only goroutines can be told apart. The zero value has none.
type Visits struct {
	n  atomic.Int32 // so that asking costs nothing while no goroutine is there
	mu Mutex
	in map[string][]any // hosts, the innermost last
}

// Stores are the goroutines that are in methods of stores of the program's own. Files
// and pages are locked meanwhile, which may be those of any rank, so none may wait.
// A store has no world, so one variable serves all.
var Stores Visits

// Enter records that the calling goroutine is in a function of host until it calls
// leave. It takes a microsecond.
func (v *Visits) Enter(host any) (leave func()) {
	me := Goroutine()
	v.n.Add(1)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.in == nil {
		v.in = map[string][]any{}
	}
	v.in[me] = append(v.in[me], host)
	return func() {
		v.n.Add(-1)
		v.mu.Lock()
		defer v.mu.Unlock()
		if hosts := v.in[me]; len(hosts) > 1 {
			v.in[me] = hosts[:len(hosts)-1]
		} else {
			delete(v.in, me)
		}
	}
}

// Any reports whether some goroutine has entered. It is one load.
func (v *Visits) Any() bool { return v.n.Load() > 0 }

// Here reports whether the calling goroutine has entered.
func (v *Visits) Here() bool { return len(v.hosts()) > 0 }

// In reports whether the calling goroutine has entered a function of host.
func (v *Visits) In(host any) bool { return slices.Contains(v.hosts(), host) }

func (v *Visits) hosts() []any {
	if !v.Any() {
		return nil
	}
	me := Goroutine()
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.in[me] // only this goroutine changes them
}

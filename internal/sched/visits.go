package sched

import (
	"slices"
	"sync/atomic"
)

// Visits records which goroutines are in functions of the program that the library has
// called, and which calls these may not make. A function may have handles of any rank, so
// only goroutines distinguish the calls. The zero value has no goroutines.
type Visits struct {
	n  atomic.Int32 // so that the check costs nothing while there are none
	mu Mutex
	in map[string][]any // hosts of each goroutine, the innermost last
}

// Stores records the goroutines that are in methods of the program's own stores. Meanwhile
// files and pages are locked, possibly those of any rank, so these goroutines must not
// wait. A store belongs to no world, so one variable serves all.
var Stores Visits

// Enter records that the calling goroutine is in a function of host until it calls leave.
// It takes a microsecond.
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

// Any reports whether any goroutine has entered. It is one load.
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
	return v.in[me] // only this goroutine changes its entry
}

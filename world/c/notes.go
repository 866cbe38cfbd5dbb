//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"fmt"
	"slices"
	"time"
)

// conclude records what a rank has done that notes are about.
func (r *rank) conclude() {
	if r.owner.file_calls != nil {
		r.posixCalls()
	}
	r.unfreed()
	if r.readClock && r.world.WTick() > time.Nanosecond.Seconds() {
		r.program.clock.Store(true)
	}
}

// Notes returns remarks about the runs of the program so far that are not about mistakes,
// each a sentence: what a reader of its output has to know.
func (p *Program) Notes() []string {
	p.mu.Lock()
	all := slices.Sorted(slices.Values(p.heldBack))
	p.mu.Unlock()
	if p.clock.Load() {
		all = append(all, "MPI_Wtime counted its calls, a microsecond for each, so that the run can be repeated: times and bandwidths that the program printed mean nothing. With --free it returns real time")
	}
	if p.uses.overflowed() {
		all = append(all, fmt.Sprintf("the program made more than %d calls of POSIX and stdio between two calls of MPI, or on as many files: not all of them were compared with its calls of MPI", mostPaths))
	}
	return all
}

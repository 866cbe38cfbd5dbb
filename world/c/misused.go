//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include "process/mailbox.h"
*/
import "C"

import (
	"fmt"
	"os"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
)

// levels names the levels of threads.
var levels = map[int]string{threadSingle: "MPI_THREAD_SINGLE", threadFunneled: "MPI_THREAD_FUNNELED", threadSerialized: "MPI_THREAD_SERIALIZED", threadMultiple: "MPI_THREAD_MULTIPLE"}

// checkThread has the end of the world report a call that its thread must not make, or not at that
// time. (MPI 4.1, 11.6)
func (r *rank) checkThread(do *function) {
	box := r.process.box
	if r.phase == initialized && int32(box.thread) != r.mainThread {
		switch {
		case do.name == "MPI_Finalize":
			r.misuse(do.name, "it was called by another thread than MPI_Init: only the main thread may end MPI")
		case r.threads < threadSerialized && !do.anytime:
			r.misuse(do.name, "it was called by another thread than MPI_Init, and the level of threads is %s: only the main thread may call MPI; ask for MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE by MPI_Init_thread", levels[r.threads])
		}
	}
	f := &box.clash
	if f.what == C.CLASH_NONE || min(f.own, f.function) < 0 || int(max(f.own, f.function)) >= len(functions) {
		return
	}
	name, other := functions[f.own].name, functions[f.function].name
	if r.process.pythonPlace() == nil { // the addresses are of the program
		var at lines
		for i := range at {
			at[i] = C.uintptr_t(f.lines[i])
		}
		other = fmt.Sprintf("%s at %v", other, r.chain(at))
	}
	switch f.what {
	case C.CLASH_COLLECTIVES:
		r.misuse(name, "it began while another thread was in %s, on the same communicator: threads must make collective calls on a communicator one after the other; order them, or use a communicator for each thread", other)
	case C.CLASH_FREE:
		r.misuse(name, "it began while another thread was in %s, and one of them frees the communicator that the other uses; free it when all threads have used it", other)
	case C.CLASH_REQUEST:
		r.misuse(name, "it began while another thread was in %s, and both would complete the same request: only one thread may; use a request for each thread", other)
	case C.CLASH_CALLS:
		if r.threads == threadSerialized && !do.anytime && r.phase == initialized {
			r.misuse(name, "it began while another thread was in %s, and the level of threads is %s: one thread at a time may call MPI; order the calls, or ask for MPI_THREAD_MULTIPLE", other, levels[r.threads])
		}
	}
}

// checkThreads has a careful run report a process that has threads although it asked for none.
func (r *rank) checkThreads() {
	if r.process == nil || r.threads != threadSingle || !port.Guards(r.world) {
		return
	}
	if all, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", r.process.pid)); err == nil && len(all) > 1 {
		r.misuse("MPI_Finalize", "the process has %d threads, and the level of threads is MPI_THREAD_SINGLE: ask for MPI_THREAD_FUNNELED or more by MPI_Init_thread", len(all))
	}
}

// misuse has the end of the world report such a call, once for each line.
func (r *rank) misuse(op, format string, args ...any) {
	e := &errclass.Error{Pkg: "c", Op: op, Rank: r.world.Rank(), Class: errclass.Other, Place: *r.lastPlace, Err: fmt.Errorf(format, args...)}
	if r.misused[e.Error()] {
		return
	}
	if r.misused == nil {
		r.misused = map[string]bool{}
	}
	r.misused[e.Error()] = true
	port.AtEnd(r.world, new(commport.Leftover), commport.EndFunc(func() error { return e }))
}

//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include <stdlib.h>
#include "frame.h"
*/
import "C"

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"unsafe"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
)

// What differs between a rank whose code runs in this process and one that is a process.

// newProcessRank returns a rank whose code runs in a process.
func newProcessRank(ctx context.Context, p *Program, c *comm.Comm) (*rank, error) {
	child, err := p.take(c.Rank())
	if err != nil {
		return nil, fmt.Errorf("the process of rank %d cannot be started: %w", c.Rank(), err)
	}
	r := &rank{
		program: p, process: child, ctx: ctx, world: c, self: c.Self(), thread: port.Thread(c), sizes: c.Arch(),
		places: map[lines]*sched.Place{}, lastCalls: map[*sched.Place]uint64{},
	}
	if r.owner = C.commworld_owner(C.int(c.Rank()), 0, 0, 0, p.position(c.Rank())); r.owner == nil {
		return nil, errNoStack
	}
	child.owner = r.owner
	return r, r.join()
}

// take returns the process of a rank, which it starts if it was not.
func (p *Program) take(rank int) (*process, error) {
	p.mu.Lock()
	for i, c := range p.waiting {
		if c.rank == rank {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			p.mu.Unlock()
			return c, nil
		}
	}
	p.mu.Unlock()
	return p.start(rank)
}

// remote returns the memory of the rank's process, nil if its code runs in this process.
func (r *rank) remote() *view {
	if r.process == nil {
		return nil
	}
	return r.process.memory
}

// tagged returns an address that the program has computed, such as a displacement from
// MPI_BOTTOM, as one of the rank's memory.
func (r *rank) tagged(address int64) int64 { return r.remote().tagged(address) }

// cells returns memory for n bytes of arguments of a function of the program, until free is called.
func (r *rank) cells(n int64) (address int64, free func()) {
	if r.process == nil {
		cells := C.calloc(C.size_t(n), 1)
		return int64(uintptr(cells)), func() { C.free(cells) }
	}
	return r.process.cell(n)
}

// allocate returns n bytes of the program's heap, 0 if there is no memory.
func (r *rank) allocate(n int64) (address int64, err error) {
	if r.process == nil {
		return int64(uintptr(C.malloc(C.size_t(n)))), nil
	}
	address, err = r.run(pointer(int64(r.process.box.allocate)), n)
	return r.tagged(address), err
}

// deallocate frees memory that allocate has returned.
func (r *rank) deallocate(address int64) error {
	if r.process == nil {
		C.free(pointer(address))
		return nil
	}
	_, err := r.run(pointer(int64(r.process.box.release)), address)
	return err
}

// lend returns where the program has the bytes of b, until back is called; written says that
// the program has changed them.
func (r *rank) lend(b []byte) (address int64, back func(written bool) error, err error) {
	if r.process == nil {
		return int64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), func(bool) error { runtime.KeepAlive(b); return nil }, nil
	}
	if len(b) == 0 {
		return 0, func(bool) error { return nil }, nil
	}
	l, err := r.room(int64(len(b)))
	if err != nil {
		return 0, nil, err
	}
	p := r.process
	if err := p.put(l.address, b); err != nil {
		return 0, nil, err
	}
	return l.address, func(written bool) error {
		p.free = append(p.free, l)
		if written {
			return p.read(l.address, b)
		}
		return nil
	}, nil
}

// room returns memory of the process for n bytes.
func (r *rank) room(n int64) (lent, error) {
	p := r.process
	for i, l := range p.free {
		if l.size >= n {
			p.free = append(p.free[:i], p.free[i+1:]...)
			return l, nil
		}
	}
	address, err := r.allocate(n)
	if err == nil && address == 0 {
		err = fmt.Errorf("no memory for %d bytes", n)
	}
	return lent{plain(address), n}, err
}

// functionName returns a name of a function of the program that does not depend on the rank.
func (r *rank) functionName(function int64) string {
	table, address := r.program.lines, uint64(uintptr(function)-r.base)
	if r.process != nil {
		table, address = r.process.locate(uint64(function))
		if table == nil {
			return "operation of the program" // made as it runs, in each rank elsewhere
		}
	} else if low, high := table.code(); uint64(function) < uint64(r.base)+low || uint64(function) >= uint64(r.base)+high {
		return fmt.Sprintf("operation at %#x", function) // the name must not depend on the rank's copy of the program
	}
	if name := table.function(address); name != "" {
		return name
	}
	return fmt.Sprintf("operation at %#x", address)
}

// drops reports whether the program drops the result of the call that f has made.
func (r *rank) drops(f *frame, function string) bool {
	switch {
	case f.lines[0] == 0:
		return false
	case r.process == nil:
		return r.program.lines.drops(function, uint64(uintptr(f.lines[0])-r.base))
	}
	table, address := r.process.locate(uint64(f.lines[0]) - 1)
	return table != nil && table.drops(function, address+1)
}

// locate returns the directory of a file of the rank, without links, and the file's name in it.
func (r *rank) locate(name string) (dir, base string, err error) {
	if r.process != nil && r.program.Dir == "" && !filepath.IsAbs(name) {
		name = filepath.Join(r.process.dir(), name)
	}
	return r.program.locate(name)
}

// highestLevel returns the highest level of threads that MPI_Init_thread provides.
func (r *rank) highestLevel() int {
	if r.process != nil {
		return threadMultiple
	}
	return threadFunneled
}

// inMainThread reports whether the main thread of the program has made the call.
func (r *rank) inMainThread() bool { return r.process == nil || r.process.box.main_thread != 0 }

// watchFiles has all calls of POSIX and stdio on files noted, because one is open through MPI.
func (r *rank) watchFiles() {
	if r.process == nil {
		C.commworld_watch_files()
		return
	}
	r.process.box.watch = 1
}

// descriptor returns a number of an open file that no other file of any rank has.
func (r *rank) descriptor(fd int) int {
	if r.process == nil {
		return fd
	}
	return r.world.Rank()<<32 | fd
}

// link returns the name in /proc of an open file of the rank.
func (r *rank) link(fd int) string {
	process := "self"
	if r.process != nil {
		process = fmt.Sprint(r.process.pid)
	}
	return fmt.Sprintf("/proc/%s/fd/%d", process, fd)
}

// supported reports whether commworld has more of a function than its name.
func supported(function string) bool { return handlers[function] != nil }

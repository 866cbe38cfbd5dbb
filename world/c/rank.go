//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include "frame.h"
*/
import "C"

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

var port = comm.Internal(commport.Key{})

// A rank is one run of a program's main.
type rank struct {
	program *Program
	process *process // that runs the code; nil if this process does
	ctx     context.Context
	world   *comm.Comm
	self    *comm.Comm
	thread  *sched.Rank
	sizes   *reps.Arch
	ended   error // why the program must not continue

	start     unsafe.Pointer
	base      uintptr // of the program's copy
	owner     *C.struct_owner
	places    map[lines]*sched.Place
	recent    [recentPlaces]located // of places
	lastPlace *sched.Place
	phase     phase
	inside    string // a function of the program that is running and must not communicate; empty: none
	threads   int    // the level that MPI_Init_thread returned
	misused   map[string]bool
	// mainThread is the thread of the process that called MPI_Init.
	mainThread int32
	readClock  bool // by MPI_Wtime

	comms     handles[*comm.Comm]
	groups    handles[*comm.Group]
	datatypes handles[*datatype]
	files     handles[*file]
	infos     handles[*comm.Info]
	requests  handles[*request]
	messages  handles[*comm.Message]
	ops       handles[*comm.Op]
	errs      handles[*errhandler]
	keys      []*keyval
	commOf    map[*comm.Comm]int64
	unmade    map[*comm.Comm]*request // by the communicator that the request makes
	fileOf    map[*iofile.File]int64
	handlers  []*errhandler  // handlers that the program has made
	integers  []int64        // handles that the program has converted to integers, as far as they are in a list
	fortran   map[int64]bool // functions of the program that get handles as integers
	idle      []*call        // for reuse
	frames    []*frame       // for reuse

	lastType   *types.Type   // of a buffer
	lastLayout *types.Layout // of lastType
	forgiven   bool          // by the program's error handler, which returned MPI_SUCCESS
	handled    bool          // the program's error handler has seen the error of the call

	failures  []failure               // calls that returned errors
	lastCalls map[*sched.Place]uint64 // number of the last call from each line since the first failure
	codes     codes

	tools tools

	dups       map[int64]*types.Type // duplicates that hold the attributes of predefined datatypes
	attrHandle map[*types.Type]int64 // handles of datatypes with attributes
	named      map[string]int64      // parameterised datatypes, which are predefined
	ownNames   map[int64]string      // names that the program gave to predefined datatypes
	attrs      int64                 // address of the predefined attributes in C
	selfKeys   []*comm.Keyval        // of attributes of MPI_COMM_SELF
}

// A phase is where a rank is between MPI_Init and MPI_Finalize.
type phase int

const (
	beforeInit phase = iota
	initialized
	finalized
)

func (p phase) String() string {
	switch p {
	case beforeInit:
		return "before MPI_Init"
	case initialized:
		return "before MPI_Finalize"
	}
	return phaseDone
}

func newRank(ctx context.Context, p *Program, c *comm.Comm) (*rank, error) {
	main, base, err := p.load()
	if err != nil {
		return nil, err
	}
	r := &rank{
		program: p, ctx: ctx, world: c, self: c.Self(), thread: port.Thread(c), sizes: c.Arch(), start: main, base: base,
		places: map[lines]*sched.Place{}, lastCalls: map[*sched.Place]uint64{},
	}
	low, high := p.lines.code()
	if r.owner = C.commworld_owner(C.int(c.Rank()), C.uintptr_t(base), C.uintptr_t(low), C.uintptr_t(high), p.position(c.Rank())); r.owner == nil {
		return nil, errNoStack
	}
	if err := r.streams(); err != nil {
		return nil, err
	}
	return r, r.join()
}

// join makes the rank one of the program's.
func (r *rank) join() error {
	p := r.program
	p.mu.Lock()
	p.ranks = append(p.ranks, r)
	p.mu.Unlock()
	p.uses.join(r.world.Rank())
	if p.Tolerant {
		port.MatchSizes(r.world)
	}
	r.prepareTools()
	return r.prepare()
}

// streams sets up the output of the rank according to the program's options.
func (r *rank) streams() error {
	dir := r.program.Output
	switch {
	case dir != "":
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		name := filepath.Join(dir, fmt.Sprintf("rank.%d", r.world.Rank()))
		out, errs := C.CString(name+".out"), C.CString(name+".err")
		defer C.free(unsafe.Pointer(out))
		defer C.free(unsafe.Pointer(errs))
		if C.commworld_divert(r.owner, out, errs) == 0 {
			return fmt.Errorf("%s.out and %s.err cannot be written", name, name)
		}
	case r.program.Label:
		if C.commworld_label(r.owner, C.int(r.world.Rank())) == 0 {
			return errNoStack
		}
	}
	return nil
}

// How long code may run without calling MPI after its world has ended, after how many attempts
// it is stopped even inside a library, and after how many it seems to heed none.
const (
	patience = time.Second
	attempts = 10
	hopeless = 5 * attempts
)

// watch stops the code of the rank if it continues after its world has ended: it may
// never call MPI again. end stops the watch.
func (r *rank) watch() (end func()) {
	done := make(chan struct{})
	unwatch := context.AfterFunc(r.ctx, func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			case <-time.After(patience / attempts):
			}
			if i >= attempts {
				C.commworld_stop(r.owner, C.int(i/(2*attempts)))
			}
			if i == hopeless { // it blocks signals
				C.commworld_crashed()
			}
		}
	})
	return func() { unwatch(); close(done) }
}

// main runs the program.
func (r *rank) main() error {
	if r.process != nil {
		defer r.process.close()
		defer r.process.watch(r.ctx)()
		return r.mainFrame()
	}
	defer r.watch()()
	argc, argv := r.program.arguments()
	return r.mainFrame(argc, argv)
}

// mainFrame runs main until the rank has ended.
func (r *rank) mainFrame(args ...int64) error {
	defer r.freeFrames()
	defer C.commworld_forget_keys(r.owner)
	f, err := r.newFrame()
	if err != nil {
		return err
	}
	f.is_main = 1
	status, err := r.runFrame(f, r.start, args...)
	r.thread.SetPlace(nil)
	r.conclude()
	if err != nil {
		// An error of this rank is not wrapped; the error of another rank may be its cause.
		if exit, ok := err.(*ExitError); ok && exit.Code == 0 && r.phase != initialized {
			return nil
		}
		return err
	}
	if code := int(status & 0xff); code != 0 || r.phase == initialized {
		return &ExitError{Code: code, Phase: r.phase.String()}
	}
	return nil
}

// run calls a C function on a new stack and carries out its calls of MPI. An error says
// why the function will not return.
func (r *rank) run(function unsafe.Pointer, args ...int64) (int64, error) {
	f, err := r.newFrame()
	if err != nil {
		return 0, err
	}
	defer r.remote().suspend()()
	return r.runFrame(f, function, args...)
}

func (r *rank) runFrame(f *frame, function unsafe.Pointer, args ...int64) (int64, error) {
	defer func() { r.frames = append(r.frames, f) }()
	begin(f, function, args)
	for {
		state := r.resume(f)
		if r.process != nil && r.process.err != nil {
			r.ended = r.process.err
			return 0, r.ended
		}
		switch state {
		case C.FRAME_CALL:
			if f.result = C.int64_t(r.call(f)); r.ended != nil {
				return 0, r.ended
			}
		case C.FRAME_DONE:
			return int64(f.result), nil
		case C.FRAME_EXIT:
			r.ended = &ExitError{Code: int(f.result), Place: *r.place(f), Phase: r.phase.String()}
			return 0, r.ended
		case C.FRAME_EXEC:
			r.ended = &ExecError{Program: text(int64(f.address)), Place: *r.place(f)}
			return 0, r.ended
		case C.FRAME_JUMP:
			r.end(errJump)
			return 0, r.ended
		case C.FRAME_STOP:
			r.crash()
			r.ended = &StoppedError{Place: *r.place(f), Crash: r.program.signal.Load()}
			return 0, r.ended
		case C.FRAME_SIGNAL:
			r.crash()
			r.program.signal.Store(r.process == nil)
			e := &SignalError{Signal: unix.Signal(f.result), Place: *r.place(f), Address: uintptr(f.address)}
			if f.full != 0 {
				e.Stack = int64(f.size - f.guard)
			}
			r.ended = e
			return 0, r.ended
		default:
			return 0, fmt.Errorf("a frame is in state %d", f.state)
		}
	}
}

// enter records that the program runs a function which must not communicate, until end is
// called.
func (r *rank) enter(function string) (end func()) {
	outer := r.inside
	r.inside = function
	return func() { r.inside = outer }
}

// callback calls a function of the program during one of its calls of MPI.
func (r *rank) callback(function int64, args ...int64) (int64, error) {
	line := r.lastPlace
	defer func() { r.lastPlace = line; r.thread.SetPlace(line) }()
	return r.run(pointer(function), args...)
}

// call carries out a call that f has made.
func (r *rank) call(f *frame) int64 {
	do := &functions[f.function]
	k := r.newCall()
	k.name, k.large, k.writes, k.args = do.name, f.large != 0, do.writes, unsafe.Slice((*int64)(unsafe.Pointer(f.args)), f.n)
	k.next, k.result, k.comm, k.file = 0, 0, nil, nil
	if r.process != nil && r.process.box.multiple != 0 {
		port.StandIn(r.world, r.process.box.stands_in != 0)
	}
	r.thread.SetPlace(r.place(f))
	if r.process != nil {
		r.checkThread(do)
	}
	if r.owner.file_calls != nil {
		r.posixCalls()
	}
	r.forgiven, r.handled = false, false
	err := k.carryOut(do)
	result := k.result
	r.idle = append(r.idle, k)
	r.tools.calls++
	if len(r.failures) > 0 {
		r.lastCalls[r.lastPlace] = r.tools.calls
	}
	switch {
	case err == nil:
		return result
	}
	r.tools.errors++
	switch {
	case r.forgiven:
		return int64(errclass.Success)
	}
	code := r.codeOf(err)
	r.failed(f, k, err)
	return int64(code)
}

// newCall returns an empty call, if possible one that was used before.
func (r *rank) newCall() *call {
	n := len(r.idle)
	if n == 0 {
		return &call{r: r}
	}
	k := r.idle[n-1]
	r.idle = r.idle[:n-1]
	return k
}

// lines are the return addresses of a call, innermost first.
type lines = [C.FRAME_LINES]lineAddress

type lineAddress = C.uintptr_t

// A located is the line of a call.
type located struct {
	lines lines
	place *sched.Place
}

// recentPlaces is how many of a rank's lines are found faster than in a map: about as many
// as a loop has.
const recentPlaces = 64

// place returns the program's line in f.
func (r *rank) place(f *frame) *sched.Place {
	if r.process != nil {
		if p := r.process.pythonPlace(); p != nil {
			r.lastPlace = p
			return p
		}
	}
	at := &r.recent[(f.lines[0]^f.lines[0]>>6^f.lines[1]>>1)%recentPlaces]
	if at.place == nil || at.lines != f.lines {
		p := r.places[f.lines]
		if p == nil {
			p = r.lines(f)
			r.places[f.lines] = p
		}
		*at = located{f.lines, p}
	}
	r.lastPlace = at.place
	return at.place
}

// lines looks up the program's line in f.
func (r *rank) lines(f *frame) *sched.Place {
	return r.chain(f.lines)
}

// chain returns the line of the program that some return addresses lead to.
func (r *rank) chain(all lines) *sched.Place {
	var addresses []uint64
	for _, a := range all {
		if a == 0 {
			break
		}
		if r.process != nil {
			addresses = append(addresses, uint64(a))
			continue
		}
		addresses = append(addresses, uint64(uintptr(a)-r.base))
	}
	if r.process != nil {
		return r.process.chain(addresses)
	}
	return r.program.lines.chain(addresses)
}

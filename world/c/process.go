//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include <stdlib.h>
#include "frame.h"
#include "process/mailbox.h"
*/
import "C"

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/world/c/internal/table"
)

// A process runs the code of a rank outside of this process. Its library puts calls into the
// mailbox, which both have in memory; the goroutine of the rank carries them out.
type process struct {
	program *Program
	rank    int
	pid     int // that has loaded the library, 0 while none has
	box     *C.struct_mailbox
	fd      int
	cmd     *exec.Cmd
	output  []*os.File
	labels  []*labelled
	memory  *view

	spins, waits int   // of the next wait, and their number
	here         int64 // where it has the mailbox
	called       bool  // a function of MPI
	err          error // why the rank cannot go on

	stopped atomic.Bool // killed, because its world has ended

	gone   atomic.Bool   // the process has ended
	ended  chan struct{} // closed then
	status syscall.WaitStatus

	owner   *C.struct_owner         // of the rank
	objects []object                // what is mapped
	places  map[string]*sched.Place // of lines of Python
	free    []lent
	used    int64 // of the cells
}

// A lent is memory of the process that functions of the program may get.
type lent struct{ address, size int64 }

const boxSize = C.sizeof_struct_mailbox

// Command returns a program whose ranks are processes: any command that loads the library of MPI's
// standard ABI, or with a shared object that commworldcc made a process for each rank that runs it.
// Errors: those of finding the command.
func Command(name string, args ...string) (*Program, error) {
	path, err := exec.LookPath(name)
	if InProcess(name) {
		path, err = filepath.Abs(name)
	}
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return nil, err
	}
	if n, err := NeedsOf(path); err == nil { // else it is a script
		if err := n.Err(name); err != nil {
			return nil, err
		}
	}
	number()
	p := &Program{path: name, argv: append([]string{name}, args...), dirs: map[string]*iofile.FS{}}
	p.line = append([]string{path}, args...)
	if InProcess(path) {
		p.line = append([]string{""}, p.line...)
	}
	return p, nil
}

// InProcess reports whether a file is a shared object that commworldcc made, so that all ranks can
// run in one process.
func InProcess(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return f.Type == elf.ET_DYN && !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}

// starter starts processes in a thread of its own, with whose end the kernel would end them.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range work {
			do()
		}
	}()
	return work
})

// Start starts the processes of n ranks at once, which takes less time than one after the other.
// Each waits for its rank where it loads the library. Without Processes it does nothing.
func (p *Program) Start(n int) error {
	if p.line == nil {
		return nil
	}
	if err := limitsHere().enough(n); err != nil {
		return err
	}
	for rank := range n {
		child, err := p.start(rank)
		if err != nil {
			return fmt.Errorf("process %d of %d cannot be started: %w", rank+1, n, err)
		}
		p.mu.Lock()
		p.waiting = append(p.waiting, child)
		p.mu.Unlock()
	}
	return nil
}

// memoryOfProcess is the least memory that a process takes.
const memoryOfProcess = 1 << 20

// limits are what this machine has for processes.
type limits struct {
	files, tasks uint64 // that ulimit -n and ulimit -u allow
	memory       uint64 // that is available, in bytes
}

const unlimited = 1<<64 - 1

// limitsHere returns the limits of this process.
func limitsHere() limits {
	all := limits{unlimited, unlimited, unlimited}
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) == nil {
		all.files = l.Cur
	}
	if unix.Getrlimit(unix.RLIMIT_NPROC, &l) == nil && os.Getuid() != 0 {
		all.tasks = l.Cur
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		all.memory = available(string(text))
	}
	return all
}

// available returns the bytes of memory that are available, by the text of /proc/meminfo.
func available(meminfo string) uint64 {
	for line := range strings.Lines(meminfo) {
		var kilobytes uint64
		if _, err := fmt.Sscanf(line, "MemAvailable: %d kB", &kilobytes); err == nil {
			return kilobytes << 10
		}
	}
	return unlimited
}

// enough returns an error if n processes are more than the limits allow.
func (l limits) enough(n int) error {
	need := uint64(n)
	switch {
	case need*4+64 > l.files:
		return fmt.Errorf("%d processes need %d open files, and ulimit -n allows %d: raise it, or run the program in one process (commworldcc)", n, need*4+64, l.files)
	case need > l.tasks:
		return fmt.Errorf("%d processes are more than the %d that ulimit -u allows: raise it, or run the program in one process (commworldcc)", n, l.tasks)
	case need*memoryOfProcess > l.memory:
		return fmt.Errorf("%d processes need at least %d MiB of memory, and %d MiB are available: start fewer, or run the program in one process (commworldcc)", n, need*memoryOfProcess>>20, l.memory>>20)
	}
	return nil
}

// start starts the process of a rank.
func (p *Program) start(rank int) (*process, error) {
	fd, err := unix.MemfdCreate("commworld", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	if err := unix.Ftruncate(fd, boxSize); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	at, err := unix.MmapPtr(fd, 0, nil, boxSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	c := &process{program: p, rank: rank, box: (*C.struct_mailbox)(at), fd: fd, ended: make(chan struct{}), places: map[string]*sched.Place{}}
	c.box.magic, c.box.launcher, c.box.rank = C.BOX_MAGIC, C.int32_t(os.Getpid()), C.int32_t(rank)
	if c.memory, err = newView(c); err == nil {
		err = c.start()
	}
	if err != nil {
		c.discard()
		return nil, err
	}
	return c, nil
}

// start runs the program.
func (p *process) start() error {
	dir, err := Library()
	if err != nil {
		return err
	}
	line := slices.Clone(p.program.line)
	if line[0] == "" {
		line[0] = filepath.Join(dir, hostName)
	}
	p.cmd = exec.Command(line[0], line[1:]...)
	p.cmd.Env = append(os.Environ(),
		fmt.Sprintf("%s=%s:/proc/%d/fd/%d", C.BOX_VARIABLE, Version(), os.Getpid(), p.fd),
		"LD_LIBRARY_PATH="+strings.TrimSuffix(dir+":"+os.Getenv("LD_LIBRARY_PATH"), ":"))
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if p.rank == 0 {
		p.cmd.Stdin = os.Stdin
	}
	p.cmd.Stdout, p.cmd.Stderr = os.Stdout, os.Stderr
	if err := p.streams(); err != nil {
		return err
	}
	started := make(chan error)
	starter() <- func() { started <- p.cmd.Start() }
	if err := <-started; err != nil {
		return err
	}
	for _, f := range p.output {
		_ = f.Close() // the process has it
	}
	p.output = nil
	go p.reap()
	return nil
}

// streams sets up the output of the process according to the program's options.
func (p *process) streams() error {
	if dir := p.program.Output; dir != "" {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		name := filepath.Join(dir, fmt.Sprintf("rank.%d", p.rank))
		for _, suffix := range []string{".out", ".err"} {
			f, err := os.Create(name + suffix)
			if err != nil {
				return err
			}
			p.output = append(p.output, f)
		}
		p.cmd.Stdout, p.cmd.Stderr = p.output[0], p.output[1]
		return nil
	}
	if !p.program.Label {
		return nil
	}
	for fd := 1; fd <= 2; fd++ {
		l, w, err := newLabelled(fd, p.rank)
		if err != nil {
			return err
		}
		p.labels, p.output = append(p.labels, l), append(p.output, w)
	}
	p.cmd.Stdout, p.cmd.Stderr = p.output[0], p.output[1]
	return nil
}

// reap waits for the end of the process.
func (p *process) reap() {
	_ = p.cmd.Wait() // its status has what the error says
	p.status, _ = p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	p.gone.Store(true)
	if atomic.CompareAndSwapUint32(p.turn(), C.TURN_PROCESS, C.TURN_GONE) {
		p.futex(futexWake, 1)
	}
	close(p.ended)
}

func (p *process) turn() *uint32 { return (*uint32)(unsafe.Pointer(&p.box.turn)) }

func (p *process) sleeps(who int) *uint32 { return (*uint32)(unsafe.Pointer(&p.box.sleeps[who])) }

// Operations of the system call futex, on memory that processes share.
const (
	futexWait = 0
	futexWake = 1
)

func (p *process) futex(operation int, value uint32) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(p.turn())), uintptr(operation), uintptr(value), 0, 0, 0)
}

// mostSpins bounds the looks at whose turn it is before a wait. They become fewer while they are in
// vain, until the next of spinAgain waits.
const (
	mostSpins = 5000
	spinAgain = 64
)

// await waits for what the process says next; false: it has ended.
func (p *process) await() bool {
	i := 0
	if p.waits++; p.waits%spinAgain == 0 {
		p.spins = mostSpins
	}
	for i < p.spins && atomic.LoadUint32(p.turn()) == C.TURN_PROCESS {
		i++ // most programs call again before this thread would sleep
	}
	if i < p.spins {
		p.spins = mostSpins
	} else {
		p.spins = p.spins/2 + 1
	}
	for {
		switch turn := atomic.LoadUint32(p.turn()); {
		case turn == C.TURN_LAUNCHER:
			return true
		case turn > C.TURN_GONE:
			p.err = errDamaged
			return false
		case turn == C.TURN_GONE || p.gone.Load():
			return false
		}
		sleeps := p.sleeps(C.TURN_LAUNCHER)
		atomic.StoreUint32(sleeps, 1)
		if atomic.LoadUint32(p.turn()) == C.TURN_PROCESS {
			p.futex(futexWait, C.TURN_PROCESS)
		}
		atomic.StoreUint32(sleeps, 0)
	}
}

// answer lets the process go on.
func (p *process) answer(how C.int32_t) {
	p.memory.flush(how == C.ANSWER_CALL)
	p.box.answer = how
	atomic.StoreUint32(p.turn(), C.TURN_PROCESS)
	if atomic.LoadUint32(p.sleeps(C.TURN_PROCESS)) != 0 {
		p.futex(futexWake, 1)
	}
}

// newFrame returns a frame for a call of a function in the process, which has its stack there.
func (p *process) newFrame() *frame {
	size := C.size_t(unsafe.Sizeof(frame{}))
	f := (*frame)(C.calloc(1, size+C.BOX_ARGS*8))
	if f != nil {
		f.args = (*C.int64_t)(unsafe.Add(unsafe.Pointer(f), size))
	}
	return f
}

// resume continues f until it gives up control, as [resume] does for a frame of this process.
func (p *process) resume(f *frame) C.int {
	switch {
	case f.state == C.FRAME_CALL:
		p.box.result = f.result
		p.answer(C.ANSWER_RESULT)
		if p.err = p.memory.failed; p.err != nil {
			return f.state
		}
	case f.is_main == 0:
		p.box.entry = C.int64_t(uintptr(unsafe.Pointer(f.entry)))
		for i, a := range f.in {
			p.box.in[i] = C.int64_t(plain(int64(a)))
		}
		p.answer(C.ANSWER_CALL)
	}
	for {
		if !p.await() {
			if p.err == nil {
				p.over(f)
			}
			return f.state
		}
		p.print()
		p.takeFiles()
		switch p.box.event {
		case C.EVENT_FILES:
			p.answer(C.ANSWER_RESULT)
			continue
		case C.EVENT_HELLO:
			if p.err = p.hello(); p.err != nil {
				return f.state
			}
			continue
		case C.EVENT_CALL:
			p.take(f)
			f.state = C.FRAME_CALL
		case C.EVENT_DONE:
			f.result = p.box.result
			f.state = C.FRAME_DONE
		case C.EVENT_JUMP:
			p.take(f)
			f.state = C.FRAME_JUMP
		case C.EVENT_SIGNAL:
			f.result, f.address = p.box.result, p.box.address
			p.interrupted(f)
			f.state = C.FRAME_SIGNAL
		default:
			p.interrupted(f)
			f.state = C.FRAME_STOP
		}
		return f.state
	}
}

// hello lets the process go on that has loaded the library.
func (p *process) hello() error {
	if p.called {
		return errors.New("the rank replaced its program by another one that calls MPI: call exec before the first function of MPI")
	}
	p.pid, p.here, p.objects = int(p.box.process), int64(p.box.here), nil
	if err := p.read(p.here, make([]byte, 8)); err != nil {
		return fmt.Errorf("the memory of process %d cannot be read: this system forbids process_vm_readv and /proc/%d/mem (see kernel.yama.ptrace_scope, or a container's seccomp profile); "+
			"run the program in one process (commworldcc)", p.pid, p.pid)
	}
	if p.fd >= 0 {
		_ = unix.Close(p.fd)
		p.fd = -1
	}
	p.box.result = 0
	p.answer(C.ANSWER_RESULT)
	return nil
}

var errDamaged = errors.New("the rank has written to the memory by which it calls MPI: an address that the program computed is wrong")

// take reads a call from the mailbox.
func (p *process) take(f *frame) {
	b := p.box
	p.called = true
	if b.function < 0 || int(b.function) >= len(functions) || int(b.n) != len(argumentsOf(int(b.function), b.large != 0)) {
		p.err = errDamaged
		return
	}
	f.function, f.large, f.n = C.int(b.function), C.int(b.large), C.int(min(max(b.n, 0), C.BOX_ARGS))
	args := unsafe.Slice((*int64)(unsafe.Pointer(f.args)), C.BOX_ARGS)
	copy(args, unsafe.Slice((*int64)(unsafe.Pointer(&b.args)), C.BOX_ARGS))
	for i, a := range b.lines {
		f.lines[i] = C.uintptr_t(a)
	}
	kinds := argumentsOf(int(b.function), b.large != 0)
	var changed [C.BOX_ARGS]bool
	for i := range int(f.n) {
		if i < len(kinds) && kinds[i] != word {
			args[i] = p.memory.tagged(args[i])
			changed[i] = kinds[i] == result
		}
	}
	n := int(f.n)
	p.memory.writable = func(address int64) bool {
		constant := false
		for i := range n {
			if args[i] == address && i < len(kinds) && kinds[i] != word {
				if changed[i] {
					return true
				}
				constant = true
			}
		}
		return !constant
	}
}

// names has the names of functions as C has them, which are few.
var names sync.Map

func constantName(name string) *C.char {
	at, known := names.Load(name)
	if !known {
		at, _ = names.LoadOrStore(name, C.CString(name))
	}
	return at.(*C.char)
}

// mostFileCalls is how many calls the library notes between two events.
const mostFileCalls = 1 << 16

// takeFiles copies the calls of POSIX and stdio that the process has made since its last event.
func (p *process) takeFiles() {
	o := p.owner
	if p.box.lost_files != 0 {
		o.lost_file_calls = 1
	}
	for i, address := 0, int64(p.box.files); address != 0 && i < mostFileCalls; i++ {
		var there C.struct_file_call
		if p.read(address, unsafe.Slice((*byte)(unsafe.Pointer(&there)), unsafe.Sizeof(there))) != nil {
			break // it has ended
		}
		address = int64(uintptr(unsafe.Pointer(there.next)))
		c := (*C.struct_file_call)(C.calloc(1, C.size_t(unsafe.Sizeof(there))))
		c.kind, c.fd, c.lines = there.kind, there.fd, there.lines
		c.function = constantName(p.text(int64(uintptr(unsafe.Pointer(there.function)))))
		if there.path != nil {
			c.path = C.CString(p.text(int64(uintptr(unsafe.Pointer(there.path)))))
		}
		if o.last_file_call == nil || o.file_calls == nil {
			o.file_calls = c
		} else {
			o.last_file_call.next = c
		}
		o.last_file_call = c
	}
	p.box.files, p.box.lost_files = 0, 0
}

// over sets what the end of the process was to its rank.
func (p *process) over(f *frame) {
	<-p.ended
	p.print()
	if p.box.ends != 0 {
		for i, a := range p.box.end_lines {
			f.lines[i] = C.uintptr_t(a)
		}
	}
	switch {
	case p.pid == 0 && p.status.Exited() && p.status.ExitStatus() == 0:
		p.err = fmt.Errorf("%s ended and had not loaded "+libraryName+", the library of MPI's standard ABI: build it with commworldcc --processes, or for that ABI; "+
			"a program that is built for Open MPI or MPICH alone loads another library", p.program.path)
	case p.stopped.Load():
		f.state = C.FRAME_STOP
	case p.status.Signaled():
		f.state, f.result, f.address = C.FRAME_SIGNAL, C.int64_t(p.status.Signal()), 0
	case p.box.ends != 0 || f.is_main == 0:
		f.state, f.result = C.FRAME_EXIT, C.int64_t(p.status.ExitStatus())
	default:
		f.state, f.result = C.FRAME_DONE, C.int64_t(p.status.ExitStatus())
	}
}

// heldBack notes that a thread of the process waits until a call of another one returns.
func (p *process) heldBack() {
	waits := int(p.box.waits) - 1
	if atomic.LoadUint32(p.turn()) != C.TURN_LAUNCHER || waits < 0 || waits >= len(functions) || p.box.function < 0 || int(p.box.function) >= len(functions) {
		return
	}
	text := fmt.Sprintf("rank %d had a thread that waited to call %s until %s of another thread returned", p.rank, functions[waits].name, functions[p.box.function].name)
	if p.box.multiple == 0 {
		text += ": ask for MPI_THREAD_MULTIPLE, which lets threads make calls while one of them waits"
	} else {
		text += ": calls that make communicators, and calls on files, keep the other threads of their process waiting"
	}
	p.program.mu.Lock()
	p.program.heldBack = append(p.program.heldBack, text)
	p.program.mu.Unlock()
}

// close ends the process.
func (p *process) close() {
	p.heldBack()
	if !p.gone.Load() {
		if p.pid != 0 && atomic.LoadUint32(p.turn()) == C.TURN_LAUNCHER {
			how := C.int32_t(C.ANSWER_END)
			if p.box.event == C.EVENT_SIGNAL {
				how = C.ANSWER_RESULT // it ends by the signal
			}
			p.answer(how)
			select {
			case <-p.ended:
			case <-time.After(patience):
			}
		}
		p.kill()
		<-p.ended
	}
	p.print()
	p.discard()
}

// kill ends the process at once.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	if p.pid != 0 && p.pid != p.cmd.Process.Pid && !p.gone.Load() {
		_ = unix.Kill(p.pid, unix.SIGKILL)
	}
}

// discard gives up what the launcher has of a process that has ended, or was never started.
func (p *process) discard() {
	for _, f := range p.output {
		_ = f.Close()
	}
	for _, l := range p.labels {
		l.close()
	}
	if p.fd >= 0 {
		_ = unix.Close(p.fd)
		p.fd = -1
	}
	p.output, p.labels = nil, nil
	p.program.mu.Lock()
	defer p.program.mu.Unlock()
	p.program.processes = append(p.program.processes, p)
}

// forget unmaps the memory, which operations of other ranks may use until the world has ended.
func (p *process) forget() {
	if p.memory != nil {
		p.memory.close()
	}
	_ = unix.MunmapPtr(unsafe.Pointer(p.box), boxSize)
}

// closeProcesses ends processes that no rank has taken, and forgets all.
func (p *Program) closeProcesses() {
	p.mu.Lock()
	waiting := p.waiting
	p.waiting = nil
	p.mu.Unlock()
	for _, c := range waiting {
		c.kill()
		<-c.ended
		c.discard()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.processes {
		c.forget()
	}
	p.processes = nil
}

// watch ends the process if it continues after its world has ended.
func (p *process) watch(ctx context.Context) (end func()) {
	done := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			case <-p.ended:
				return
			case <-time.After(patience):
			}
			switch pid := p.pid; {
			case atomic.LoadUint32(p.turn()) != C.TURN_PROCESS: // its rank is in a call
			case pid > 0 && i == 0:
				_ = unix.Kill(pid, stopSignal)
			default:
				p.stopped.Store(true)
				p.kill()
			}
		}
	})
	return func() { unwatch(); close(done) }
}

// stopSignal has the library report where the program is: SIGRTMAX-1.
const stopSignal = syscall.Signal(63)

// shared returns memory of the mailbox by its address in the process, nil if it is not there.
func (p *process) shared(address, n int64) []byte {
	off := address - p.here
	if p.here == 0 || off < 0 || off+n > boxSize {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(p.box), off)), n)
}

// cells is where the cells of the mailbox begin in the process.
func (p *process) cells() int64 { return p.here + int64(unsafe.Offsetof(p.box.cells)) }

func (p *process) cellBytes() int64 { return int64(len(p.box.cells)) }

// What an argument of a function is.
type argument uint8

const (
	word     argument = iota // a value
	constant                 // the address of something that the call only reads
	result                   // another address
)

// values lists the parameters that are pointers of the program's own, which MPI only hands on.
var values = []string{"extra_state", "location", "base"}

var arguments = sync.OnceValue(func() (all [][2][]argument) {
	list, err := table.All()
	if err != nil {
		panic(err) // the generator has parsed the same text
	}
	kinds := func(f table.Function, params []table.Param) (all []argument) {
		for _, p := range params {
			kind := word
			switch set := strings.HasSuffix(f.Name, "_set_attr") || f.Name == "Attr_put"; {
			case slices.Contains(values, p.Name), strings.Contains(p.Type, "_function"), strings.HasSuffix(p.Type, "_fn"), set && p.Name == "attribute_val":
			case !strings.Contains(p.Type, "*") && p.Array == "":
			case strings.HasPrefix(p.Type, "const "):
				kind = constant
			default:
				kind = result
			}
			all = append(all, kind)
		}
		return all
	}
	for _, f := range list {
		all = append(all, [2][]argument{kinds(f, f.Params), kinds(f, f.Large)})
	}
	return all
})

func argumentsOf(function int, large bool) []argument {
	if large {
		return arguments()[function][1]
	}
	return arguments()[function][0]
}

// pythonPlace returns the line of Python that has made the call, nil if there is none.
func (p *process) pythonPlace() *sched.Place {
	text := unsafe.Slice((*byte)(unsafe.Pointer(&p.box.places)), C.BOX_TEXT)[:min(max(int(p.box.text), 0), C.BOX_TEXT)]
	if len(text) == 0 {
		return nil
	}
	if place := p.places[string(text)]; place != nil {
		return place
	}
	var frames []runtime.Frame
	for fields := bytes.Split(text, []byte{0}); len(fields) > 3; fields = fields[3:] {
		line, _ := strconv.Atoi(string(fields[2]))
		file := string(fields[0])
		if strings.HasPrefix(file, "<frozen ") {
			continue // of the interpreter itself
		}
		if !filepath.IsAbs(file) && !strings.HasPrefix(file, "<") {
			file = filepath.Join(p.dir(), file)
		}
		if rest, ok := strings.CutPrefix(file, p.program.Copy+"/"); ok && p.program.Copy != "" {
			file = filepath.Join(p.program.Original, rest)
		}
		frames = append(frames, runtime.Frame{File: file, Function: string(fields[1]), Line: line})
	}
	place := errclass.PlaceOf(frames)
	p.places[string(text)] = &place
	return &place
}

// dir returns the working directory of the process.
func (p *process) dir() string {
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", p.pid))
	if err != nil {
		return ""
	}
	return dir
}

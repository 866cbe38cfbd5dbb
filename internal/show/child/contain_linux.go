package child

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// exeSuffix is the suffix of the names of programs.
const exeSuffix = ""

// Contain makes cmd run in its own process group, which the end of its context ends as a
// whole.
func Contain(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = drain
}

// A family is a running program and its descendants, whether they are still in its process
// group or not. This process adopts those whose parent has ended, see
// PR_SET_CHILD_SUBREAPER of prctl(2).
type family struct {
	pid    int
	report string
}

// running has the programs that are running, by process.
var running struct {
	sync.Mutex
	all map[int]*family
}

var adopts = sync.OnceValue(func() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) })

// familyOf prepares a program in a session of its own: so an adopted descendant can be told
// from the processes that this one starts for other purposes.
func familyOf(cmd *exec.Cmd, report string) *family {
	_ = adopts() // since Linux 3.4
	Contain(cmd)
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Setsid = false, true
	return &family{report: report}
}

func (f *family) start(cmd *exec.Cmd) error {
	running.Lock()
	defer running.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	f.pid = cmd.Process.Pid
	if running.all == nil {
		running.all = map[int]*family{}
	}
	running.all[f.pid] = f
	return nil
}

// forget ends the watch over the family.
func (f *family) forget() {
	running.Lock()
	defer running.Unlock()
	delete(running.all, f.pid)
}

// guard ends the program when its family takes too much memory together, or is too large.
func (f *family) guard(memory int64, ended <-chan struct{}, kill context.CancelCauseFunc) {
	// If memory is allocated faster than this loop checks, the allocation fails in the
	// process.
	hard := uint64(memory) + 1<<30
	_ = unix.Prlimit(f.pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: hard, Max: hard}, nil)
	_ = unix.Prlimit(f.pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ended:
			_ = syscall.Kill(-f.pid, syscall.SIGKILL)
			return
		case <-tick.C:
		}
		switch used := memoryOf(f.pid); {
		case used > memory:
			kill(ErrMemory)
		case n%8 == 0:
			living := 1
			for _, p := range f.descendants() {
				if m := memoryOf(p.pid); m > 0 { // a dead one may be another program's: it has no environment either
					used += m
					living++
				}
			}
			if used > memory {
				kill(ErrMemory)
			}
			if living > mostProcesses {
				kill(ErrProcesses)
			}
		}
	}
}

// killDescendants kills the descendants of the program. When a process ends, its children are adopted, so
// that the next round finds them.
func (f *family) killDescendants() {
	for {
		all := f.descendants()
		for _, p := range all {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
		adopted := false
		for _, p := range all {
			if p.parent == os.Getpid() {
				adopted = true
				_, _ = syscall.Wait4(p.pid, nil, 0, nil)
			}
		}
		if !adopted { // what is left has a parent that is being ended elsewhere
			return
		}
	}
}

// A process is a line of /proc.
type process struct{ pid, parent, session int }

// descendants returns the descendants of the program: its children and theirs, and the
// adopted ones in other sessions than this process's, unless they have the environment of
// another running program. Under the lock the program has started: its end may be asked for
// before start has noted its process, and the children of process 0 are the machine's.
func (f *family) descendants() (found []process) {
	running.Lock()
	defer running.Unlock()
	self := os.Getpid()
	session, _ := unix.Getsid(0)
	children := map[int][]process{}
	for _, p := range processes() {
		children[p.parent] = append(children[p.parent], p)
	}
	var visit func(p process)
	visit = func(p process) {
		found = append(found, p)
		for _, c := range children[p.pid] {
			visit(c)
		}
	}
	for _, c := range children[f.pid] {
		visit(c)
	}
	for _, p := range children[self] {
		if p.session != session && running.all[p.pid] == nil && !f.foreign(p.pid) {
			visit(p)
		}
	}
	return found
}

// foreign reports whether a process has the environment of another program that is running.
func (f *family) foreign(pid int) bool {
	env, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	for _, other := range running.all {
		if other != f && bytes.Contains(env, []byte("report="+other.report)) {
			return true
		}
	}
	return false
}

// processes returns all processes.
func processes() (all []process) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // the name may have spaces
		if len(fields) < 4 {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[1]))
		session, _ := strconv.Atoi(string(fields[3]))
		all = append(all, process{pid, parent, session})
	}
	return all
}

// memoryOf returns the resident memory of a process.
func memoryOf(pid int) int64 {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

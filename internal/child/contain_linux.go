package child

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// guardProcess ends the program when its processes take too much memory together, or are too
// many. Its processes are those of its group, and those that left the group but have its
// environment.
func guardProcess(pid int, report string, memory int64, over <-chan struct{}, end context.CancelCauseFunc) {
	// If memory is allocated faster than this loop checks, the allocation fails in the
	// process.
	hard := uint64(memory) + 1<<30
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: hard, Max: hard}, nil)
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-over:
			_ = syscall.Kill(-pid, syscall.SIGKILL)
			return
		case <-tick.C:
		}
		switch used, count := memoryOf(pid), 1; {
		case used > memory:
			end(ErrMemory)
		case n%8 == 0:
			used = 0
			processes(func(p int, dir string) {
				if groupOf(dir) == pid || n%64 == 0 && marked(dir, report) {
					used += memoryOf(p)
					count++
				}
			})
			if used > memory {
				end(ErrMemory)
			}
			if count > mostProcesses {
				end(ErrProcesses)
			}
		}
	}
}

// endOthers ends the processes that the program started and that have left its group.
func endOthers(report string) {
	for range 100 { // they may be starting others
		found := false
		processes(func(pid int, dir string) {
			if marked(dir, report) {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
			}
		})
		if !found {
			return
		}
	}
}

func processes(f func(pid int, dir string)) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid != os.Getpid() {
			f(pid, filepath.Join("/proc", e.Name()))
		}
	}
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

// groupOf returns the process group of a process.
func groupOf(dir string) int {
	text, _ := os.ReadFile(filepath.Join(dir, "stat"))
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // the name may hold spaces
	if len(fields) < 3 {
		return 0
	}
	n, _ := strconv.Atoi(string(fields[2]))
	return n
}

// marked reports whether a process has the environment of the program.
func marked(dir, report string) bool {
	env, err := os.ReadFile(filepath.Join(dir, "environ"))
	return err == nil && bytes.Contains(env, []byte("report="+report))
}

//go:build unix && !linux

package child

import (
	"context"
	"os/exec"
	"syscall"
)

// exeSuffix is the suffix of the names of programs.
const exeSuffix = ""

// Contain makes cmd run in its own process group, which the end of its context ends as a
// whole.
func Contain(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = drain
}

// guardProcess ends the processes that the program started when the program ends. Only
// GOMEMLIMIT bounds its memory.
func guardProcess(pid int, _ string, _ int64, over <-chan struct{}, _ context.CancelCauseFunc) {
	<-over
	_ = syscall.Kill(-pid, syscall.SIGKILL)
}

func endOthers(string) {}

//go:build unix && !linux

package child

import (
	"context"
	"os/exec"
	"syscall"
)

// ExeSuffix ends the names of programs.
const ExeSuffix = ""

// Contain has cmd run in a process group of its own, which its context ends as a whole.
func Contain(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = drain
}

// guardProcess ends what the program started with it. Its memory is bounded by
// GOMEMLIMIT alone.
func guardProcess(pid int, _ string, _ int64, over <-chan struct{}, _ context.CancelCauseFunc) {
	<-over
	_ = syscall.Kill(-pid, syscall.SIGKILL)
}

func endOthers(string) {}

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

// A family is a running program with the processes of its group. Here those that have left
// the group are unknown.
type family struct{ pid int }

func familyOf(cmd *exec.Cmd, _ string) *family {
	Contain(cmd)
	return &family{}
}

func (f *family) start(cmd *exec.Cmd) error {
	err := cmd.Start()
	if err == nil {
		f.pid = cmd.Process.Pid
	}
	return err
}

// guard ends the processes that the program started when the program ends. Only GOMEMLIMIT
// bounds its memory.
func (f *family) guard(_ int64, ended <-chan struct{}, _ context.CancelCauseFunc) {
	<-ended
	_ = syscall.Kill(-f.pid, syscall.SIGKILL)
}

func (*family) killDescendants() {}

func (*family) forget() {}

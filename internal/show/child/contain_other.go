//go:build !unix

package child

import (
	"context"
	"os/exec"
)

// exeSuffix is the suffix of the names of programs.
const exeSuffix = ".exe"

// Contain makes the end of cmd's context end its process, but not the processes that this
// one has started.
func Contain(cmd *exec.Cmd) { cmd.WaitDelay = drain }

// A family is a running program. Here the processes that it has started are unknown.
type family struct{}

func familyOf(cmd *exec.Cmd, _ string) *family {
	Contain(cmd)
	return &family{}
}

func (*family) start(cmd *exec.Cmd) error { return cmd.Start() }

// guard only waits until ended is closed: GOMEMLIMIT alone bounds the memory of the program.
func (*family) guard(_ int64, ended <-chan struct{}, _ context.CancelCauseFunc) { <-ended }

func (*family) killDescendants() {}

func (*family) forget() {}

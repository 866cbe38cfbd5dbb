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

// guardProcess does nothing: the memory of the program is bounded by GOMEMLIMIT alone.
func guardProcess(_ int, _ string, _ int64, over <-chan struct{}, _ context.CancelCauseFunc) { <-over }

func endOthers(string) {}

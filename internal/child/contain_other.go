//go:build !unix

package child

import (
	"context"
	"os/exec"
)

// ExeSuffix ends the names of programs.
const ExeSuffix = ".exe"

// Contain has the context of cmd end its process; what that started goes on.
func Contain(cmd *exec.Cmd) { cmd.WaitDelay = drain }

// guardProcess does nothing: the memory of the program is bounded by GOMEMLIMIT alone.
func guardProcess(_ int, _ string, _ int64, over <-chan struct{}, _ context.CancelCauseFunc) { <-over }

func endOthers(string) {}

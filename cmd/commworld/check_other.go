//go:build !unix

package main

import (
	"context"
	"os/exec"
)

const exeSuffix = ".exe"

// contain has the context of cmd end its process; what that started goes on.
func contain(cmd *exec.Cmd) { cmd.WaitDelay = drain }

// guardProcess does nothing: the memory of the program is bounded by GOMEMLIMIT alone.
func guardProcess(_ int, _ string, _ int64, over <-chan struct{}, _ context.CancelCauseFunc) { <-over }

func endOthers(string) {}

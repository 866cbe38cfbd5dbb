//go:build !unix

package main

import (
	"context"
	"os/exec"
	"time"
)

const exeSuffix = ".exe"

// contain has the context of cmd end its process; what that started goes on.
func contain(cmd *exec.Cmd) { cmd.WaitDelay = 200 * time.Millisecond }

// guardProcess does nothing: the memory of the program is bounded by GOMEMLIMIT alone.
func guardProcess(_ int, _ string, _ int64, over <-chan struct{}, _ context.CancelCauseFunc) { <-over }

func endOthers(string) {}

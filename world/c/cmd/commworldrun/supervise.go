//go:build linux && cgo && (amd64 || arm64)

package main

/*
#include "supervise.h"
*/
import "C"

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// shared returns the memory that this process shares with the one that runs the ranks, nil
// if they are the same.
func shared() []byte {
	return unsafe.Slice((*byte)(C.supervise_memory), C.SUPERVISE_BYTES*min(1, uintptr(C.supervise_memory)))
}

// died returns how the process of the ranks ended without a report; empty if this is that
// process.
func died() string {
	switch s := syscall.Signal(C.supervise_died); C.supervise_died {
	case 0:
		return ""
	case C.SUPERVISE_LEFT:
		return fmt.Sprintf("exit status %d ended the process of all ranks without their report; code that is not a rank's, or a system call, did", int(C.supervise_status))
	case C.SUPERVISE_STUCK:
		return fmt.Sprintf("the process of all ranks stood still for %d seconds after a crash, or after a rank that had to stop did not, and was ended: the code may have damaged the heap, held a lock of the C library, or blocked all signals", int(C.SUPERVISE_PATIENCE))
	case C.int(syscall.SIGKILL):
		return fmt.Sprintf("signal %d (%v) ended the process of all ranks without their report; the kernel sends it when memory runs out, else a user or a batch system did", int(s), s)
	default:
		return fmt.Sprintf("signal %d (%v) ended the process of all ranks without their report", int(s), s)
	}
}

// child returns the number of the process of the ranks, which has ended.
func child() int { return int(C.supervise_child) }

// survived records that a run has ended in spite of the crashes in it.
func survived() { C.supervise_survived() }

// exit ends this process, which has reported what there was.
func exit(code int) {
	C.supervise_end()
	os.Exit(code)
}

//go:build linux && cgo && (amd64 || arm64)

package main

/*
#include "supervise.h"
*/
import "C"

import (
	"syscall"
	"unsafe"
)

// shared returns the memory that this process shares with the one that runs the ranks, nil
// if they are the same.
func shared() []byte {
	return unsafe.Slice((*byte)(C.supervise_memory), C.SUPERVISE_BYTES*min(1, uintptr(C.supervise_memory)))
}

// killed returns the signal that ended the process of the ranks; false if this is that
// process.
func killed() (syscall.Signal, bool) {
	return syscall.Signal(C.supervise_died), C.supervise_died != 0
}

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package fault

import "syscall"

// errTextBusy stands for the error of writing to a program that is running, which this
// system does not have.
const errTextBusy = syscall.EBUSY

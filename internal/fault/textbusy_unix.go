//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fault

import "syscall"

// errTextBusy is the error of writing to a program that is running.
const errTextBusy = syscall.ETXTBSY

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"errors"
	"os"
	"syscall"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/fault"
)

// lockName is the file that marks a directory as in use: here none is needed.
const lockName = ""

// lockDir locks a directory against other processes until unlock is called. The lock ends
// with the process, however that ends, and leaves nothing behind.
func lockDir(root *os.Root) (unlock func() error, err error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, fault.System(err, errclass.BadFile)
	}
	raw, err := d.SyscallConn()
	if err == nil {
		failed := raw.Control(func(fd uintptr) { err = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) })
		err = errors.Join(failed, err)
	}
	switch {
	case err == nil:
		return d.Close, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = fault.New(errclass.FileInUse, "IO-OPEN-07", "the directory is in use by another process or by another NewDir")
	default:
		err = fault.New(errclass.UnsupportedOperation, "IO-OPEN-07", "the directory cannot be locked (%w); set Unlocked of the DirSettings to use it without a lock", err)
	}
	d.Close()
	return nil, err
}

// isNoData reports whether err is the error of seeking data where there is none.
func isNoData(err error) bool { return errors.Is(err, syscall.ENXIO) }

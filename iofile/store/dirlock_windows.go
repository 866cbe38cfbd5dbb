package store

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/fault"
)

// lockName is the file that is locked while a directory is in use.
const lockName = ".commworld.lock"

// lockDir locks a directory against other processes until unlock is called. The lock ends
// with the process, however that ends; a file that a crash leaves behind is not locked.
func lockDir(root *os.Root) (unlock func() error, err error) {
	f, err := root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fault.System(err, errclass.IO)
	}
	raw, err := f.SyscallConn()
	if err == nil {
		failed := raw.Control(func(h uintptr) {
			err = windows.LockFileEx(windows.Handle(h), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
		})
		err = errors.Join(failed, err)
	}
	switch {
	case err == nil:
		return f.Close, nil // the file stays: another process may have opened it already
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		err = fault.New(errclass.FileInUse, "IO-OPEN-07", "the directory is in use by another process or by another NewDir")
	default:
		err = fault.New(errclass.UnsupportedOperation, "IO-OPEN-07", "the directory cannot be locked (%w); set Unlocked of the DirSettings to use it without a lock", err)
	}
	f.Close()
	return nil, err
}

func isNoData(error) bool { return false }

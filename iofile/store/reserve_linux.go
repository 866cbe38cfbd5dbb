package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// reserve makes the file system allocate the first n bytes of f, if it can; otherwise space
// is allocated, or missing, when the bytes are written. The size does not change.
func reserve(f *os.File, n int64) error {
	const keepSize = 1
	c, err := f.SyscallConn()
	if err != nil || n == 0 {
		return err
	}
	var failed error
	err = c.Control(func(fd uintptr) {
		for failed = syscall.EINTR; failed == syscall.EINTR; {
			failed = syscall.Fallocate(int(fd), keepSize, 0, n)
		}
	})
	if failed == nil || errors.Is(failed, errors.ErrUnsupported) {
		return err
	}
	return &fs.PathError{Op: "fallocate", Path: f.Name(), Err: failed}
}

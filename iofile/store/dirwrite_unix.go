//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// writeCounted writes p at off by its own system calls, because package os counts no byte
// of a call that failed halfway. It repeats a write that has failed, including the bytes
// that were already written.
func writeCounted(f *os.File, p []byte, off int64) (n int, err error) {
	c, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = c.Write(func(fd uintptr) bool {
		for n < len(p) && failed == nil {
			var k int
			switch k, failed = syscall.Pwrite(int(fd), p[n:], off+int64(n)); {
			case failed == syscall.EINTR:
				failed = nil
			case failed == nil && k == 0:
				failed = syscall.EIO
			case failed == nil:
				n += k
			}
		}
		return true
	})
	if failed != nil {
		err = &fs.PathError{Op: "write", Path: f.Name(), Err: failed}
	}
	return n, err
}

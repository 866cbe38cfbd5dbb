//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package store

import (
	"errors"
	"io/fs"
	"os"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/fault"
)

// lockName is the file that marks a directory as in use. Where an open file cannot be
// removed, a lock can be distinguished from one left by a crash.
const lockName = ".commworld.lock"

// lockDir locks a directory against other processes until unlock is called.
func lockDir(root *os.Root) (unlock func() error, err error) {
	root.Remove(lockName)
	f, err := root.OpenFile(lockName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fault.New(errclass.FileInUse, "IO-OPEN-07", "the directory is in use by another process or by another NewDir")
	}
	if err != nil {
		return nil, fault.System(err, errclass.IO)
	}
	return func() error { return errors.Join(f.Close(), root.Remove(lockName)) }, nil
}

func isNoData(error) bool { return false }

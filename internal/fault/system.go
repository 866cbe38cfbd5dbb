package fault

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
)

// A classed is an error with its class.
type classed struct {
	class errclass.Class
	err   error
}

func (e *classed) Error() string   { return e.err.Error() }
func (e *classed) Unwrap() []error { return []error{e.class, e.err} }

// WithClass returns an error with the text of err that wraps class and err.
func WithClass(class errclass.Class, err error) error { return &classed{class, err} }

// errnoClasses maps error numbers of an operating system to classes. Others count as
// [errclass.IO].
var errnoClasses = []struct {
	class errclass.Class
	nos   []syscall.Errno
}{
	{errclass.Access, []syscall.Errno{syscall.EACCES, syscall.EPERM}},
	{errclass.NoSuchFile, []syscall.Errno{syscall.ENOENT}},
	{errclass.FileExists, []syscall.Errno{syscall.EEXIST}},
	{errclass.ReadOnly, []syscall.Errno{syscall.EROFS}},
	{errclass.BadFile, []syscall.Errno{syscall.ENAMETOOLONG, syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP}},
	{errclass.NoSpace, []syscall.Errno{syscall.ENOSPC}},
	{errclass.Quota, []syscall.Errno{syscall.EDQUOT}},
	{errclass.FileInUse, []syscall.Errno{syscall.EBUSY, errTextBusy}},
	{errclass.File, []syscall.Errno{syscall.EBADF}},
}

// System gives an error of the operating system its class; other is the class of errors
// without a number.
func System(err error, other errclass.Class) error {
	if err == nil {
		return nil
	}
	switch e := err.(type) {
	case *fs.PathError:
		err = &fs.PathError{Op: e.Op, Path: brief.Name(e.Path), Err: e.Err}
	case *os.LinkError:
		err = &os.LinkError{Op: e.Op, Old: brief.Name(e.Old), New: brief.Name(e.New), Err: e.Err}
	}
	switch { // one class of Go may have several numbers; Windows calls a path that is not there ENOTDIR, too
	case errors.Is(err, fs.ErrNotExist):
		return WithClass(errclass.NoSuchFile, err)
	case errors.Is(err, fs.ErrExist):
		return WithClass(errclass.FileExists, err)
	case errors.Is(err, fs.ErrPermission):
		return WithClass(errclass.Access, err)
	case errors.Is(err, fs.ErrClosed):
		return WithClass(errclass.File, err)
	}
	var no syscall.Errno
	if errors.As(err, &no) {
		other = errclass.IO
		for _, c := range errnoClasses {
			if slices.Contains(c.nos, no) {
				return WithClass(c.class, err)
			}
		}
	}
	return WithClass(other, err)
}

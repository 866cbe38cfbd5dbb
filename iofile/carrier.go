package iofile

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
)

// A carrier carries out the calls on a handle. Each of its methods first calls alive, so
// the exported methods of File only choose the carrier. There are two: the handle itself for
// a file in this process, far for a file that an engine has opened.
type carrier interface {
	alive(op string) error // error of a call on a nil, closed or busy handle
	idle(rule string) error
	open(op string) error
	close() error

	run(c call) (Status, error)             // a blocking access
	initiate(c call) (*comm.Request, error) // a nonblocking access
	splitBegin(c call, end string) error
	splitEnd(c call) (Status, error)
	showsBytes() error // error if [File.Bytes] cannot be used

	setView(given View) error
	getView() (View, error)
	byteOffset(off Offset) (int64, error)
	typeExtent(t *types.Type) (int64, error)

	seek(off Offset, whence Whence) error
	position() (Offset, error)
	seekShared(off Offset, whence Whence) error
	positionShared() (Offset, error)

	size() (int64, error)
	setSize(size int64) error
	preallocate(size int64) error
	sync() error
	setAtomicity(on bool) error
	atomicity() (bool, error)
	setInfo(info *comm.Info) error
	info() (*comm.Info, error)

	plan() *strategy.Plan
	counts() strategy.Counts
}

var (
	_ carrier = (*File)(nil)
	_ carrier = (*far)(nil)
)

// noFile carries the calls on handles that no Open returned: its handle is not alive, so
// every call fails.
var noFile carrier = new(File)

// to returns the carrier of f.
func (f *File) to() carrier {
	switch {
	case f == nil:
		return noFile
	case f.far != nil:
		return f.far
	}
	return f
}

package proptest

import (
	"io"
	"io/fs"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
)

var port = comm.Internal(commport.Key{})

// A Disk has the methods of an *os.File that layers use.
type Disk interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
	Stat() (fs.FileInfo, error)
}

// A KeyValue has the methods of a key-value store that layers use. Get returns nil for a key
// without a value.
type KeyValue interface {
	Get(key []byte) ([]byte, error)
	Put(key, value []byte) error
	Delete(key []byte) error
}

// YieldingDisk returns d with a scheduling point, [comm.Comm.Yield], before each call:
// another rank may run first there. Without it a layer over plain files is atomic between
// two calls of its communicator, and the suite cannot interleave other ranks between its
// read and its write. c is the communicator of the rank that uses the result.
//
// Take a lock that is held over a call of d by [Lock].
func YieldingDisk(c *comm.Comm, d Disk) Disk {
	return &yieldingDisk{YieldingReaderAt(c, d), YieldingWriterAt(c, d), c, d}
}

type yieldingDisk struct {
	io.ReaderAt
	io.WriterAt
	c *comm.Comm
	d Disk
}

func (y *yieldingDisk) Close() error { return first(y.c, y.d.Close) }
func (y *yieldingDisk) Sync() error  { return first(y.c, y.d.Sync) }

func (y *yieldingDisk) Truncate(size int64) error {
	return first(y.c, func() error { return y.d.Truncate(size) })
}

func (y *yieldingDisk) Stat() (info fs.FileInfo, err error) {
	err = first(y.c, func() error { info, err = y.d.Stat(); return err })
	return info, err
}

// first runs call after a scheduling point.
func first(c *comm.Comm, call func() error) error {
	if err := c.Yield(); err != nil {
		return err
	}
	return call()
}

// YieldingReaderAt is [YieldingDisk] for an io.ReaderAt.
func YieldingReaderAt(c *comm.Comm, r io.ReaderAt) io.ReaderAt { return yieldingReader{c, r} }

type yieldingReader struct {
	c *comm.Comm
	r io.ReaderAt
}

func (y yieldingReader) ReadAt(p []byte, off int64) (int, error) {
	if err := y.c.Yield(); err != nil {
		return 0, err
	}
	return y.r.ReadAt(p, off)
}

// YieldingWriterAt is [YieldingDisk] for an io.WriterAt.
func YieldingWriterAt(c *comm.Comm, w io.WriterAt) io.WriterAt { return yieldingWriter{c, w} }

type yieldingWriter struct {
	c *comm.Comm
	w io.WriterAt
}

func (y yieldingWriter) WriteAt(p []byte, off int64) (int, error) {
	if err := y.c.Yield(); err != nil {
		return 0, err
	}
	return y.w.WriteAt(p, off)
}

// YieldingFS is [YieldingDisk] for a file system that is only read: a scheduling point
// before Open and before each call on an open file. Files that implement io.ReaderAt, and
// directories, still do.
func YieldingFS(c *comm.Comm, fsys fs.FS) fs.FS { return yieldingFS{c, fsys} }

type yieldingFS struct {
	c    *comm.Comm
	fsys fs.FS
}

func (y yieldingFS) Open(name string) (fs.File, error) {
	if err := y.c.Yield(); err != nil {
		return nil, err
	}
	f, err := y.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	one := yieldingFile{y.c, f}
	switch f := f.(type) {
	case fs.ReadDirFile:
		return yieldingDir{one, f}, nil
	case io.ReaderAt:
		return struct {
			yieldingFile
			io.ReaderAt
		}{one, YieldingReaderAt(y.c, f)}, nil
	}
	return one, nil
}

type yieldingFile struct {
	c *comm.Comm
	f fs.File
}

func (y yieldingFile) Close() error { return first(y.c, y.f.Close) }

func (y yieldingFile) Read(p []byte) (n int, err error) {
	err = first(y.c, func() error { n, err = y.f.Read(p); return err })
	return n, err
}

func (y yieldingFile) Stat() (info fs.FileInfo, err error) {
	err = first(y.c, func() error { info, err = y.f.Stat(); return err })
	return info, err
}

type yieldingDir struct {
	yieldingFile
	dir fs.ReadDirFile
}

func (y yieldingDir) ReadDir(n int) (list []fs.DirEntry, err error) {
	err = first(y.c, func() error { list, err = y.dir.ReadDir(n); return err })
	return list, err
}

// YieldingKeyValue is [YieldingDisk] for a key-value store.
func YieldingKeyValue(c *comm.Comm, s KeyValue) KeyValue { return yieldingStore{c, s} }

type yieldingStore struct {
	c *comm.Comm
	s KeyValue
}

func (y yieldingStore) Get(key []byte) ([]byte, error) {
	if err := y.c.Yield(); err != nil {
		return nil, err
	}
	return y.s.Get(key)
}

func (y yieldingStore) Put(key, value []byte) error {
	return first(y.c, func() error { return y.s.Put(key, value) })
}

func (y yieldingStore) Delete(key []byte) error {
	return first(y.c, func() error { return y.s.Delete(key) })
}

// Lock takes a lock, such as a *sync.Mutex, that a layer holds over scheduling points.
// The lock's own Lock method would block the only thread that ranks share under a seed,
// and so the rank that has to unlock it; Lock lets others run until the lock is free. Two
// ranks that wait for each other's locks wait forever, which the suite reports.
func Lock(c *comm.Comm, l interface{ TryLock() bool }) error {
	for !l.TryLock() {
		if err := c.Yield(); err != nil {
			return err
		}
		port.Thread(c).YieldTurn()
	}
	return nil
}

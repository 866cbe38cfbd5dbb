package burst_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/examples/burst"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

// If this fails, a file of the burst buffer does not behave like a file.
func TestConformance(t *testing.T) { proptest.Conformance(t, layers("")) }

func FuzzConformance(f *testing.F) { proptest.Fuzz(f, layers(""), "everything") }

// A layer is a database of its own for one program.
type layer struct {
	dir  string
	s    *burst.Store
	plan *faults.Plan
}

func layers(b burst.Bug) proptest.Maker {
	return func() (proptest.Layer, error) {
		dir, err := os.MkdirTemp("", "burst")
		if err != nil {
			return nil, err
		}
		l := &layer{dir: dir, plan: new(faults.Plan)}
		// Ranks hold so few bytes that they also publish in the middle of a program.
		l.s, err = burst.Open(filepath.Join(dir, "db"), burst.WithFaults(l.plan), burst.WithHold(64), burst.WithoutForce(), burst.WithBug(b))
		return l, err
	}
}

func (l *layer) Close() error { return errors.Join(l.s.Close(), os.RemoveAll(l.dir)) }

// Fail lets transactions fail by rules.
func (l *layer) Fail(rules ...faults.Rule) error { return l.plan.Set(rules...) }

// Stored returns the bytes that Drain copies.
func (l *layer) Stored(name string) ([]byte, error) {
	var m memory
	_, err := l.s.Drain(name, &m)
	return m, err
}

func (l *layer) Open(c *comm.Comm, name string) (proptest.File, error) {
	f, err := l.s.File(c, name)
	if err != nil {
		return nil, err
	}
	return &file{f}, nil
}

// A file has more methods than a *burst.File: those whose types are the suite's.
type file struct{ *burst.File }

// SyncAll is Sync, which promises as much.
func (f *file) SyncAll() error { return f.Sync() }

// SeekShared sets the shared pointer; the suite counts from the beginning only.
func (f *file) SeekShared(off iofile.Offset, _ iofile.Whence) error {
	return f.File.SeekShared(int64(off))
}

// Start starts a nonblocking or split access.
func (f *file) Start(a gen.Access, p []byte, off int64) (proptest.Request, error) {
	if a.At != gen.Explicit {
		return now(either(a, f.ReadShared, f.WriteShared)(p))
	}
	if a.Form == gen.Split {
		return wait(f.AtAllEnd), either(a, f.ReadAtAllBegin, f.WriteAtAllBegin)(p, off)
	}
	start := either(a, f.IReadAt, f.IWriteAt)
	if a.All {
		start = either(a, f.IReadAtAll, f.IWriteAtAll)
	}
	q, err := start(p, off)
	if err != nil {
		return nil, err
	}
	return q, nil
}

func either[F any](a gen.Access, read, write F) F {
	if a.Write {
		return write
	}
	return read
}

// now is a request that is complete from the beginning.
func now(n int, err error) (proptest.Request, error) {
	return wait(func() (int, error) { return n, err }), nil
}

type wait func() (int, error)

func (w wait) Wait() (int, error) { return w() }

// memory is the destination of a drained file.
type memory []byte

func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	if end := off + int64(len(p)); end > int64(len(*m)) {
		*m = append(*m, make([]byte, end-int64(len(*m)))...)
	}
	return copy((*m)[off:], p), nil
}

func (m *memory) Truncate(n int64) error {
	if n > int64(len(*m)) {
		*m = append(*m, make([]byte, n-int64(len(*m)))...)
	}
	*m = (*m)[:n]
	return nil
}

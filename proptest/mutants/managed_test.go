package mutants

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

// A managedLayer keeps writes until a sync, and has operations that MPI-IO has not.
type managedLayer struct {
	*folderLayer
	b bug
}

func newManaged(dir string, b bug) proptest.Maker {
	open := func(c *comm.Comm, d proptest.Disk, _ *shared) proptest.File {
		return &managed{behind: behind{c: c, d: d}, bug: b}
	}
	mk := folder(dir, open)
	return func() (proptest.Layer, error) {
		l, err := mk()
		return &managedLayer{l.(*folderLayer), b}, err
	}
}

func (l *managedLayer) Operations() []proptest.Operation {
	on := func(do func(*managed) error) func(*comm.Comm, proptest.File) error {
		return func(_ *comm.Comm, f proptest.File) error { return do(f.(*managed)) }
	}
	return []proptest.Operation{
		{Name: "refresh", Effect: gen.Syncs, Call: on((*managed).refresh)},
		{Name: "define", Effect: gen.ChangesNothing, Call: on((*managed).define)},
		{Name: "label", Effect: gen.ChangesNothing, Alone: true, Call: on((*managed).label)},
		{Name: "recreate", Effect: gen.Empties, Call: on((*managed).recreate)},
		{Name: "open_missing", Effect: gen.ChangesNothing, Call: func(c *comm.Comm, f proptest.File) error {
			if _, err := os.Open(filepath.Join(l.dir, "missing")); err == nil {
				return errors.New("a file that does not exist can be opened")
			}
			if l.b == "an open that fails drops writes of all handles" {
				f.(*managed).pending = nil
			}
			return c.Barrier()
		}},
	}
}

// A managed file is a behind file with operations of its own.
type managed struct {
	behind
	bug bug
}

var managedBugs = []bug{
	"a refresh does not wait for other ranks",
	"a refresh publishes on rank 0 only",
	"the define mode drops writes",
	"the define mode writes the newest first",
	"the define mode pads the file",
	"a label makes the file longer",
	"a label of a rank cuts its last write",
	"a file made again has the writes that were kept",
	"a file made again has the old bytes on the disk",
	"an open that fails drops writes of all handles",
}

// refresh publishes and fetches.
func (f *managed) refresh() error {
	if f.bug != "a refresh publishes on rank 0 only" || f.c.Rank() == 0 {
		if err := f.flush(); err != nil {
			return err
		}
	}
	if f.bug == "a refresh does not wait for other ranks" {
		return nil
	}
	return f.c.Barrier()
}

// define enters and leaves a mode in which a library would change its header.
func (f *managed) define() error {
	switch f.bug {
	case "the define mode drops writes":
		f.pending = nil
	case "the define mode writes the newest first":
		slices.Reverse(f.pending)
	case "the define mode pads the file":
		if size, err := sizeOf(f.d); err == nil && size%8 > 0 {
			_, _ = f.d.WriteAt([]byte{0}, size)
		}
	}
	return f.c.Barrier()
}

// label gives the file an attribute, which it keeps elsewhere.
func (f *managed) label() error {
	switch n := len(f.pending); {
	case f.bug == "a label makes the file longer":
		size, err := f.Size()
		f.pending = append(f.pending, part{size, []byte("label")})
		return err
	case f.bug == "a label of a rank cuts its last write" && n > 0:
		p := &f.pending[n-1].p
		*p = (*p)[:len(*p)-1]
	}
	return nil
}

// recreate removes all bytes.
func (f *managed) recreate() error {
	if f.bug == "a file made again has the writes that were kept" {
		f.pending = append(f.pending, part{0, []byte{1}})
	} else {
		f.pending = nil
	}
	if f.c.Rank() == 0 && f.bug != "a file made again has the old bytes on the disk" {
		if err := f.d.Truncate(0); err != nil {
			return err
		}
	}
	return f.c.Barrier()
}

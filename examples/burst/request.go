package burst

import (
	"errors"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/types"
)

// A Request is an access under way. Its bytes move when it is waited for; until then its
// memory is the library's.
type Request struct {
	f    *File
	move func([]byte, int64) (int, error)
	p    []byte
	off  int64
	n    int
	err  error
	done bool
	all  *together // of a collective one
}

// together lets the ranks of a collective access exchange whether their parts failed.
type together struct {
	mine, any []int32
	q         *comm.Request
}

// IReadAt begins to read, and IWriteAt to write.
func (f *File) IReadAt(p []byte, off int64) (*Request, error) { return f.start(f.read, p, off) }

// IWriteAt begins to write.
func (f *File) IWriteAt(p []byte, off int64) (*Request, error) { return f.start(f.write, p, off) }

func (f *File) start(move func([]byte, int64) (int, error), p []byte, off int64) (*Request, error) {
	if err := f.meet(faults.Event{Op: faults.Call}); err != nil {
		return nil, err
	}
	q := &Request{f: f, move: move, p: p, off: off}
	f.queue = append(f.queue, q)
	return q, nil
}

// IReadAtAll begins a collective read. A rank that waits for it does not wait for others
// to wait.
func (f *File) IReadAtAll(p []byte, off int64) (*Request, error) { return f.startAll(f.read, p, off) }

// IWriteAtAll begins a collective write.
func (f *File) IWriteAtAll(p []byte, off int64) (*Request, error) {
	return f.startAll(f.write, p, off)
}

// startAll moves the bytes at once, so that an error is known when ranks begin.
func (f *File) startAll(move func([]byte, int64) (int, error), p []byte, off int64) (*Request, error) {
	q := &Request{f: f, done: true, all: &together{mine: []int32{0}, any: []int32{0}}}
	if q.err = f.meet(faults.Event{Op: faults.Call}); q.err == nil {
		q.n, q.err = move(p, off)
	}
	if f.s.bug == ErrorAlone && q.err != nil {
		return nil, q.err
	}
	if q.err != nil {
		q.all.mine[0] = 1
	}
	var err error
	q.all.q, err = f.c.IAllReduce(types.Of(q.all.mine), types.Of(q.all.any), comm.Max)
	return q, err
}

// agreed waits for the results of the other ranks in a collective access.
func (q *Request) agreed() error {
	if q.all.q == nil {
		return q.err
	}
	if _, err := q.all.q.Wait(); err != nil {
		return errors.Join(q.err, err)
	}
	if q.all.q = nil; q.err == nil && q.all.any[0] != 0 {
		q.err = ErrElsewhere
	}
	return q.err
}

// Wait moves the bytes and returns their number.
func (q *Request) Wait() (int, error) {
	if q.all != nil {
		return q.n, q.agreed()
	}
	if q.done {
		return q.n, q.err
	}
	i := slices.Index(q.f.queue, q)
	if q.f.s.bug == OldestCount && i > 0 {
		_, err := q.finish()
		return len(q.f.queue[0].p), err
	}
	return q.finish()
}

func (q *Request) finish() (int, error) {
	q.n, q.err = q.move(q.p, q.off)
	q.f.queue = slices.DeleteFunc(q.f.queue, func(o *Request) bool { return o == q })
	q.done = true
	return q.n, q.err
}

// ReadAtAllBegin begins a split collective read, WriteAtAllBegin a write. A file has one
// at a time.
func (f *File) ReadAtAllBegin(p []byte, off int64) error { return f.begin(f.read, p, off) }

// WriteAtAllBegin begins a split collective write.
func (f *File) WriteAtAllBegin(p []byte, off int64) error { return f.begin(f.write, p, off) }

func (f *File) begin(move func([]byte, int64) (int, error), p []byte, off int64) error {
	if f.split != nil {
		return errors.New("burst: another split collective access is under way: end it first")
	}
	q, err := f.start(move, p, off)
	if err = f.agree(err); err == nil {
		f.split = q
	}
	return err
}

// AtAllEnd completes a split collective access.
func (f *File) AtAllEnd() (int, error) {
	q := f.split
	if q == nil {
		return 0, errors.New("burst: no split collective access is under way")
	}
	f.split = nil
	n, err := q.Wait()
	return n, f.agree(err)
}

func (f *File) pointerKey() []byte { return fmt.Appendf(nil, "pointer %d", f.pointer) }

// newPointer makes a shared pointer for an open.
func (f *File) newPointer(file *bolt.Bucket) (err error) {
	if f.pointer, err = file.NextSequence(); err != nil {
		return err
	}
	return file.Put(f.pointerKey(), bytesOf(0))
}

// sharePointer gives all ranks the same shared pointer.
func (f *File) sharePointer() error {
	which := []uint64{f.pointer}
	err := f.c.Bcast(types.Of(which), 0)
	f.pointer = which[0]
	return err
}

// take moves the shared pointer by n and returns its old position.
func (f *File) take(n int64) (at int64, err error) {
	if f.s.bug == PointerApart {
		return f.takeApart(n)
	}
	err = f.update(func(file *bolt.Bucket) error {
		at = number(file.Get(f.pointerKey()))
		return file.Put(f.pointerKey(), bytesOf(at+n))
	})
	return at, err
}

// ReadShared reads at the shared pointer, and moves it by the requested number of bytes.
func (f *File) ReadShared(p []byte) (int, error) {
	at, err := f.take(int64(len(p)))
	if err != nil {
		return 0, err
	}
	return f.ReadAt(p, at)
}

// WriteShared writes at the shared pointer, and moves it.
func (f *File) WriteShared(p []byte) (int, error) {
	at, err := f.take(int64(len(p)))
	if err != nil {
		return 0, err
	}
	return f.WriteAt(p, at)
}

// SeekShared sets the shared pointer. Collective.
func (f *File) SeekShared(off int64) error {
	err := f.c.Barrier()
	if err == nil && f.c.Rank() == 0 {
		err = f.update(func(file *bolt.Bucket) error { return file.Put(f.pointerKey(), bytesOf(off)) })
	}
	return f.agree(err)
}

// PositionShared returns the position of the shared pointer.
func (f *File) PositionShared() (at int64, err error) {
	err = f.view(func(file *bolt.Bucket) error {
		at = number(file.Get(f.pointerKey()))
		return nil
	})
	return at, err
}

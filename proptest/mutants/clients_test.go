package mutants

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/types"
)

// A clientsLayer is a layer over files of the operating system. Each rank opens a file
// there once, however many handles it has. A handle keeps its writes until a sync, and
// keeps pages that it has read until a sync finds that the file has changed.
//
// Its bugs keep state for each rank or file that belongs to each handle, or the other way
// round: a test that opens one file once sees none of them.
type clientsLayer struct {
	dir   string
	b     bug
	mu    sync.Mutex
	nodes map[string]*node
	pages []map[int64][]byte // of each rank for all files, for the bug of that name
}

// A node is the state of a file that its ranks share.
type node struct {
	pages   sync.Mutex    // held while a page is read and written back
	each    []*sync.Mutex // the same for each open, for the bug
	version atomic.Int64  // counts the writes
	clients map[int]*client
}

// A client is the state of a file on one rank, for all its handles.
type client struct {
	d       proptest.Disk
	opens   int        // in all
	handles int        // open now
	last    *viaClient // the handle opened last
	own     []*viaClient
	seen    int64 // version, for the bug
	pos     int64 // pointer, for the bug
}

const (
	onePointer   = "the handles of a rank share the individual pointer"
	oneVersion   = "what a sync has seen of others is kept for the rank"
	oneBuffer    = "the handle opened last keeps the writes of all handles of its rank, and is not asked at their syncs"
	oneCache     = "a rank keeps pages for all files, by numbers that two files have alike"
	oneClose     = "the first close of a rank closes the file for its other handles"
	closeDrops   = "a close forgets what other handles of the rank have not written"
	syncDrops    = "a sync forgets what other handles of the rank have not written"
	oneSize      = "a sync agrees about the size among handles of the same open"
	lockOfHandle = "pages are locked for each open, not for the file"
	reopenNew    = "a handle that is opened while the rank has another begins with an empty file"
)

var clientBugs = []bug{
	onePointer, oneVersion, oneBuffer, oneCache, oneClose, closeDrops, syncDrops, oneSize, lockOfHandle, reopenNew,
}

func newClients(dir string, b bug) proptest.Maker {
	return func() (proptest.Layer, error) {
		own, err := os.MkdirTemp(dir, "layer")
		return &clientsLayer{dir: own, b: b, nodes: map[string]*node{}}, err
	}
}

func (l *clientsLayer) Close() error { return os.RemoveAll(l.dir) }

// pageSize is the size of the pages that ranks keep and write back.
const pageSize = 64

// A viaClient is a handle.
type viaClient struct {
	c       *comm.Comm
	l       *clientsLayer
	n       *node
	k       *client
	lock    *sync.Mutex
	pages   map[int64][]byte
	key     int64 // added to the numbers of its pages
	pending []part
	seen    int64
	size    int64 // at the last sync
	pos     int64
}

func (l *clientsLayer) Open(c *comm.Comm, name string) (proptest.File, error) {
	k, err := l.client(c, name)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	n := l.nodes[name]
	f := &viaClient{c: c, l: l, n: n, k: k, lock: &n.pages, pages: map[int64][]byte{}, seen: n.version.Load()}
	k.opens++
	k.handles++
	k.own = append(k.own, f)
	k.last, k.seen, k.pos = f, f.seen, 0
	for len(n.each) < k.opens {
		n.each = append(n.each, new(sync.Mutex))
	}
	if l.b == lockOfHandle {
		f.lock = n.each[k.opens-1]
	}
	if l.b == oneCache {
		for len(l.pages) <= c.Rank() {
			l.pages = append(l.pages, map[int64][]byte{})
		}
		f.pages, f.key = l.pages[c.Rank()], int64(k.opens)<<48
	}
	l.mu.Unlock()
	if l.b == reopenNew && k.handles > 1 {
		return f, nil
	}
	f.size, err = sizeOf(k.d)
	return f, err
}

// client returns the rank's state of a file; it opens the file if it is not open.
func (l *clientsLayer) client(c *comm.Comm, name string) (*client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.nodes[name]
	if n == nil {
		n = &node{clients: map[int]*client{}}
		l.nodes[name] = n
	}
	k := n.clients[c.Rank()]
	if k == nil {
		k = &client{}
		n.clients[c.Rank()] = k
	}
	if k.handles == 0 {
		d, err := os.OpenFile(filepath.Join(l.dir, name), os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		k.d = proptest.YieldingDisk(c, d)
	}
	return k, nil
}

// load returns a page as it is in the file.
func (f *viaClient) load(i int64) ([]byte, error) {
	if p, ok := f.pages[f.key+i]; ok {
		return p, nil
	}
	p := make([]byte, pageSize)
	if _, err := untilEnd(f.k.d.ReadAt(p, i*pageSize)); err != nil {
		return nil, err
	}
	f.pages[f.key+i] = p
	return p, nil
}

func (f *viaClient) ReadAt(p []byte, off int64) (int, error) {
	size, err := f.Size()
	if err != nil {
		return 0, err
	}
	p = p[:max(0, min(int64(len(p)), size-off))]
	for n := 0; n < len(p); {
		page, err := f.load((off + int64(n)) / pageSize)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], page[(off+int64(n))%pageSize:])
	}
	for _, w := range f.pending {
		for i, b := range w.p {
			if at := w.off + int64(i) - off; at >= 0 && at < int64(len(p)) {
				p[at] = b
			}
		}
	}
	return len(p), nil
}

func (f *viaClient) WriteAt(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	f.pending = append(f.pending, part{off, slices.Clone(p)})
	return len(p), nil
}

// flush writes the writes that the handle has kept.
func (f *viaClient) flush() error {
	of := f
	if f.l.b == oneBuffer {
		of = f.k.last
	}
	pending := of.pending
	of.pending = nil
	for _, w := range pending {
		for n := 0; n < len(w.p); {
			at := w.off + int64(n)
			moved := min(len(w.p)-n, int(pageSize-at%pageSize))
			if err := f.change(at, w.p[n:n+moved]); err != nil {
				return err
			}
			n += moved
		}
	}
	return nil
}

// change writes a part of a page: it reads the page, changes it and writes it back.
func (f *viaClient) change(at int64, p []byte) error {
	if err := proptest.Lock(f.c, f.lock); err != nil {
		return err
	}
	defer f.lock.Unlock()
	page, first := make([]byte, pageSize), at/pageSize*pageSize
	n, err := untilEnd(f.k.d.ReadAt(page, first))
	if err != nil {
		return err
	}
	copy(page[at-first:], p)
	_, err = f.k.d.WriteAt(page[:max(n, int(at-first)+len(p))], first)
	f.n.version.Add(1) // afterwards: a rank that has read the page before must read it again
	return err
}

func (f *viaClient) Sync() error {
	known, err := f.Size()
	if err == nil {
		err = f.flush()
	}
	if err != nil {
		return err
	}
	if f.l.b == syncDrops {
		f.forget()
	}
	seen := &f.seen
	if f.l.b == oneVersion {
		seen = &f.k.seen
	}
	now := f.n.version.Load()
	if *seen != now {
		clear(f.pages)
	}
	*seen = now
	if f.l.b == oneSize {
		all := []int64{0}
		err = f.c.AllReduce(types.Of([]int64{known}), types.Of(all), comm.Max)
		f.size = all[0]
		return err
	}
	f.size, err = sizeOf(f.k.d)
	return err
}

// forget drops the writes that other handles of the rank have kept.
func (f *viaClient) forget() {
	for _, o := range f.k.own {
		if o != f {
			o.pending = nil
		}
	}
}

func (f *viaClient) Close() error {
	err := f.flush()
	if f.l.b == closeDrops {
		f.forget()
	}
	f.k.own = slices.DeleteFunc(f.k.own, func(o *viaClient) bool { return o == f })
	f.k.handles--
	if f.k.handles == 0 || f.l.b == oneClose {
		err = errors.Join(err, f.k.d.Close())
	}
	return err
}

func (f *viaClient) ReadAtAll(p []byte, off int64) (int, error)  { return f.ReadAt(p, off) }
func (f *viaClient) WriteAtAll(p []byte, off int64) (int, error) { return f.WriteAt(p, off) }

func (f *viaClient) pointer() *int64 {
	if f.l.b == onePointer {
		return &f.k.pos
	}
	return &f.pos
}

func (f *viaClient) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, *f.pointer())
	*f.pointer() += int64(n)
	return n, err
}

func (f *viaClient) Write(p []byte) (int, error) {
	n, err := f.WriteAt(p, *f.pointer())
	*f.pointer() += int64(n)
	return n, err
}

func (f *viaClient) ReadAll(p []byte) (int, error)  { return f.Read(p) }
func (f *viaClient) WriteAll(p []byte) (int, error) { return f.Write(p) }

func (f *viaClient) Seek(off iofile.Offset, whence iofile.Whence) error {
	to := int64(off)
	switch whence {
	case iofile.SeekCur:
		to += *f.pointer()
	case iofile.SeekEnd:
		size, err := f.Size()
		if err != nil {
			return err
		}
		to += size
	}
	if to < 0 {
		return fmt.Errorf("seek to %d", to)
	}
	*f.pointer() = to
	return nil
}

func (f *viaClient) Position() (int64, error) { return *f.pointer(), nil }

// Size returns the size that the handle knows.
func (f *viaClient) Size() (int64, error) {
	size := f.size
	for _, w := range f.pending {
		size = max(size, w.off+int64(len(w.p)))
	}
	return size, nil
}

func (f *viaClient) SetSize(n int64) error { return f.resize(n, true) }

func (f *viaClient) Preallocate(n int64) error { return f.resize(n, false) }

func (f *viaClient) resize(n int64, cut bool) error {
	if err := f.flush(); err != nil {
		return err
	}
	if err := f.c.Barrier(); err != nil {
		return err
	}
	var err error
	if f.c.Rank() == 0 {
		var size int64
		if size, err = sizeOf(f.k.d); err == nil && (cut || size < n) {
			err = f.k.d.Truncate(n)
		}
		f.n.version.Add(1)
	}
	err = errors.Join(err, f.c.Barrier())
	clear(f.pages)
	if err == nil {
		f.size, err = sizeOf(f.k.d)
	}
	return err
}

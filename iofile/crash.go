package iofile

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile/store"
	"github.com/commworld/commworld/types"
)

// Crash returns a new file system in memory, with a possible state of this one after a
// power cut now. Everything that a Sync or Close brought to the storage device is
// there, and no byte has changed that no rank has written since; a failed Sync or Close
// brought nothing there. Each write and each change of size that was not synced,
// published or not, may be there or not, completely or in part, in any order; a file
// that was never synced may be missing. Deleting, renaming and making directories have
// happened. seed decides: the same seed gives the same state.
//
// It may be called at any time, inside a world or after it, and any number of times: a
// program's recovery must handle every state. The file system must have been made with
// [WithTracking]([Crashes]); so is the new one, which has the same options except a capacity.
// Errors: ErrUnsupportedOperation without that option, ErrFile for a closed file system, those
// of the store. (CONS-SYNC-01)
func (s *FS) Crash(seed uint64) (*FS, error) {
	const op = "Crash"
	if err := s.lock(); err != nil {
		return nil, report(op, errclass.NoRank, "", err)
	}
	defer s.mu.Unlock()
	if !s.opts.tracks(Crashes) {
		return nil, report(op, errclass.NoRank, "", broken(ErrUnsupportedOperation, "CONS-SYNC-01",
			"unsynced writes are not tracked; make the file system with iofile.WithTracking(iofile.Crashes)"))
	}
	o := s.opts
	to := s.emptyCopy(&o)
	dice := rand.New(rand.NewPCG(seed, 0))
	err := s.copyDir(".", to, func(name string, to *store.Mem) error {
		v := s.unsafe[name]
		if f := s.open[name]; f != nil {
			v = f.cache
			_ = f.image.Drain() // what the store does not take does not survive
		} else if v == nil { // the file is closed, and all of it was synced
			return s.copyFile(name, to)
		}
		if v.backing == nil {
			b, err := s.store.Open(name, 0)
			if err != nil {
				return err
			}
			v.backing = b
			defer func() { v.backing = nil; b.Close() }() // nothing was written through it
		}
		left, err := to.Open(name, FlagWrite|FlagCreate)
		if err != nil {
			return err
		}
		defer left.Close()
		there, err := v.crashImage(left, dice)
		if err == nil && !there {
			err = to.Remove(name)
		}
		return err
	})
	if err != nil {
		return nil, report(op, errclass.NoRank, "", classified(err, ErrIO, "CONS-SYNC-01"))
	}
	return newFS(to, o), nil
}

// A writeBack is a backing that remembers what was done since its last sync. It lends no
// pages, so that every write goes through it.
type writeBack struct {
	backing Backing
	poison  byte

	mu      sched.Mutex
	fresh   bool // nothing of the file was ever synced
	done    []change
	private []unpublished // in the order of their first writes
}

// An unpublished is the unpublished writes of one handle.
type unpublished struct {
	f    *File
	list []change
}

// A change is a write, or a change of size.
type change struct {
	at     types.Tiling
	from   int64
	data   []byte // packed
	resize bool
	size   int64 // for a change of size: the new one

	was int64   // the size of the file before
	old []patch // the old bytes that it replaced
}

// A patch is adjacent bytes of a file.
type patch struct {
	off  int64
	data []byte
}

// newWriteBack returns a writeBack for b. made says that the file was just made.
func newWriteBack(b Backing, made bool) *writeBack {
	v := &writeBack{backing: b, poison: image.Poison, fresh: made}
	if p, ok := b.(image.Poisoner); ok {
		v.poison = p.Poison()
	}
	return v
}

func (v *writeBack) Poison() byte                            { return v.poison }
func (v *writeBack) ReadAt(p []byte, off int64) (int, error) { return v.backing.ReadAt(p, off) }
func (v *writeBack) Size() int64                             { return v.backing.Size() }
func (v *writeBack) Close() error                            { return v.backing.Close() }

func (v *writeBack) WriteAt(p []byte, off int64) (int, error) {
	return v.WritePieces(p, off, []image.Piece{{Off: off, Data: p}})
}

// WritePieces writes p, which consists of pieces: after a crash each of them may be there or
// not, and what is between them is as it was.
func (v *writeBack) WritePieces(p []byte, off int64, pieces []image.Piece) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	first := change{at: everyByte, from: off, was: v.backing.Size()}
	if n := min(int64(len(p)), first.was-off); n > 0 {
		old, err := v.saved(off, off+n)
		if err != nil {
			return 0, err
		}
		first.old = old
	}
	n, err := v.backing.WriteAt(p, off)
	v.done = append(v.done, first) // takes back all of p
	now := v.backing.Size()
	for _, q := range pieces { // a store may count no byte of a call that failed halfway
		v.done = append(v.done, change{at: everyByte, from: q.Off, data: bytes.Clone(q.Data), was: now})
	}
	return n, err
}

func (v *writeBack) SetSize(n int64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	c := change{resize: true, size: n, was: v.backing.Size()}
	if n < c.was {
		var err error
		if c.old, err = v.saved(n, c.was); err != nil {
			return err
		}
	}
	if err := v.backing.SetSize(n); err != nil {
		return err
	}
	v.done = append(v.done, c)
	return nil
}

// FillsGaps asks the backing.
func (v *writeBack) FillsGaps() bool {
	f, ok := v.backing.(interface{ FillsGaps() bool })
	return ok && f.FillsGaps()
}

// Reserve is not remembered: it changes no byte of the file.
func (v *writeBack) Reserve(n int64) error {
	if r, ok := v.backing.(image.Reserver); ok {
		return r.Reserve(n)
	}
	return nil
}

func (v *writeBack) Sync() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.backing.Sync(); err != nil {
		return err
	}
	v.done, v.fresh = nil, false
	return nil
}

// remember keeps what closing a file has not brought to the storage device, for a crash or
// for a later open. Called with s.mu held.
func (s *FS) remember(v *writeBack, names []string) {
	v.backing = nil
	for _, name := range names {
		switch {
		case len(v.done) == 0:
			delete(s.unsafe, name)
		case s.unsafe == nil:
			s.unsafe = map[string]*writeBack{}
			fallthrough
		default:
			s.unsafe[name] = v
		}
	}
}

// saved returns bytes [lo, hi) without holes. Called with v.mu held.
func (v *writeBack) saved(lo, hi int64) (list []patch, err error) {
	for lo = v.nextData(lo); lo < hi; lo = v.nextData(lo) {
		n := min(hi, lo&^(image.PageSize-1)+image.PageSize) - lo
		p := make([]byte, n)
		if k, err := v.backing.ReadAt(p, lo); err != nil && err != io.EOF || int64(k) < n {
			return nil, cmp.Or(err, io.ErrUnexpectedEOF)
		}
		list = append(list, patch{lo, p})
		lo += n
	}
	return list, nil
}

// NextData implements [image.Sparse].
func (v *writeBack) NextData(off int64) int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.nextData(off)
}

func (v *writeBack) nextData(off int64) int64 {
	switch b := v.backing.(type) {
	case image.Sparse:
		return b.NextData(off)
	case image.Pager:
		const page = image.PageSize
		if b.Page(off/page) != nil {
			return off
		}
		if list := b.Pages(off/page+1, math.MaxInt64); len(list) > 0 {
			return list[0] * page
		}
		return math.MaxInt64
	}
	return off
}

// SameFile asks the backing.
func (v *writeBack) SameFile(b Backing) bool {
	o, ok := b.(*writeBack)
	mine, knows := v.backing.(sameFiler)
	return ok && knows && mine.SameFile(o.backing)
}

// keep records a write that the handle f has not published.
func (v *writeBack) keep(f *File, at types.Tiling, from int64, data []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := slices.IndexFunc(v.private, func(s unpublished) bool { return s.f == f })
	if i < 0 {
		i = len(v.private)
		v.private = append(v.private, unpublished{f: f})
	}
	v.private[i].list = append(v.private[i].list, change{at: at, from: from, data: bytes.Clone(data)})
}

// published records that f has no unpublished writes any more.
func (v *writeBack) published(f *File) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.private = slices.DeleteFunc(v.private, func(s unpublished) bool { return s.f == f })
}

// crashImage gives left, an empty file, a possible content of the file after a crash, and
// reports whether the file exists then.
func (v *writeBack) crashImage(left Backing, dice *rand.Rand) (bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	size := v.backing.Size()
	all, err := v.saved(0, size)
	if err != nil {
		return false, err
	}
	if err := put(left, all); err != nil {
		return false, err
	}
	if err := left.SetSize(size); err != nil {
		return false, err
	}
	for i := len(v.done) - 1; i >= 0; i-- { // back to the synced content
		c := &v.done[i]
		err := left.SetSize(c.was)
		if err = cmp.Or(err, put(left, c.old)); err != nil {
			return false, err
		}
	}
	if v.fresh && dice.IntN(4) == 0 {
		return false, nil
	}
	changes := slices.Clone(v.done)
	for _, s := range v.private {
		changes = append(changes, s.list...)
	}
	dice.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
	for i := range changes {
		if err := changes[i].apply(left, dice); err != nil {
			return false, err
		}
	}
	return true, nil
}

// put writes patches. Patches behind the end of the file make it longer.
func put(to Backing, list []patch) error {
	for _, p := range list {
		if _, err := to.WriteAt(p.data, p.off); err != nil {
			return err
		}
	}
	return nil
}

// apply makes a random part of c happen to a file, or nothing.
func (c *change) apply(to Backing, dice *rand.Rand) error {
	n := int64(len(c.data))
	lo, hi := int64(0), n
	switch dice.IntN(4) {
	case 0: // lost
		return nil
	case 1: // torn at any place
		lo, hi = dice.Int64N(n+1), dice.Int64N(n+1)
		lo, hi = min(lo, hi), max(lo, hi)
	case 2: // torn at its end
		hi = dice.Int64N(n + 1)
	}
	if c.resize {
		return to.SetSize(c.size)
	}
	rest := c.data[lo:hi]
	for off, k := range c.at.Runs(c.from+lo, hi-lo) {
		if _, err := to.WriteAt(rest[:k], off); err != nil {
			return err
		}
		rest = rest[k:]
	}
	return nil
}

// published records that this rank has no unpublished bytes any more.
func (f *File) published() {
	if v := f.set.file.cache; v != nil {
		v.published(f)
	}
}

// give writes bytes through the handle, and returns how many of them are in the file or the
// log.
func (f *File) give(at types.Tiling, from int64, p []byte) (int64, error) {
	n := int64(len(p))
	if v := f.set.file.cache; v != nil && !f.bytes.Direct() {
		v.keep(f, at, from, p)
	}
	if err := f.bytes.Write(at, from, p); err != nil {
		return f.bytes.Placed(), err
	}
	return n, nil
}

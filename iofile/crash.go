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
	"github.com/commworld/commworld/types"
)

// WithCrashes makes a file system remember what has been written and not synced,
// for [FS.Crash]. Every write is copied twice more until it is synced, and those
// of one file wait for each other.
func WithCrashes() Option { return func(o *options) { o.crashes = true } }

// Crash returns a new file system in memory, as this one might be found after the
// machine has lost its power just now. All that a Sync or Close brought to the
// storage device is there, and no byte is changed that nobody wrote since; one that
// failed brought nothing there. Of what was not synced, whether ranks had published it or kept it to themselves, each
// write and each change of size may be there or not, wholly or in part, in any
// order; a file of which nothing was ever synced may be missing. Deleting,
// renaming and making directories have happened. seed decides: the same seed, the
// same ruin.
//
// It may be called at any time, from inside a world or after it, as often as one
// likes; what programs find there must not surprise their way to recover. The file
// system must have been made [WithCrashes]; the new one is, too, and has its
// options but for a capacity. Errors: ErrUnsupportedOperation without that option, ErrFile on a file
// system that is closed, those of the store. (CONS-SYNC-01)
func (s *FS) Crash(seed uint64) (*FS, error) {
	const op = "Crash"
	if err := s.lock(); err != nil {
		return nil, report(op, errclass.NoRank, "", err)
	}
	defer s.mu.Unlock()
	if !s.opts.crashes {
		return nil, report(op, errclass.NoRank, "", broken(ErrUnsupportedOperation, "CONS-SYNC-01",
			"nobody remembers what was not synced; make the file system with iofile.WithCrashes()"))
	}
	o := s.opts
	if m, mem := s.store.(*memStore); mem {
		o.poison = m.poison
	} else {
		o.poison = 0
	}
	to := newMemStore(o.poison)
	dice := rand.New(rand.NewPCG(seed, 0))
	err := s.copyDir(".", to, func(name string, to *memStore) error {
		v := s.unsafe[name]
		if f := s.open[name]; f != nil {
			v = f.volatile()
		} else if v == nil { // closed, and all of it was synced
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
		left, there, err := v.ruin(to.poison, dice)
		if err == nil && there {
			to.files[name] = &memFile{Memory: left, store: to}
		}
		return err
	})
	if err != nil {
		return nil, report(op, errclass.NoRank, "", classified(err, ErrIO, "CONS-SYNC-01"))
	}
	return newFS(to, o), nil
}

// A volatile is a backing that knows what was done since it last synced. It lends
// no pages, so that all writing passes it.
type volatile struct {
	backing image.Backing
	poison  byte

	mu      sched.Mutex
	fresh   bool // nothing of the file was ever synced
	done    []change
	private []secret // in the order of their first writes
}

// A secret is what one handle has written and not published.
type secret struct {
	f    *File
	list []change
}

// A change is a write, or a change of size.
type change struct {
	at     types.Tiling
	from   int64
	data   []byte // packed
	resize bool
	size   int64 // then: the new one

	was int64   // the size of the file before
	old []patch // what it had where something else was put
}

// A patch is adjacent bytes of a file.
type patch struct {
	off  int64
	data []byte
}

// newVolatile returns b as one that remembers. made says that the file was made
// just now.
func newVolatile(b image.Backing, made bool) *volatile {
	v := &volatile{backing: b, poison: image.Poison, fresh: made}
	if p, ok := b.(image.Poisoner); ok {
		v.poison = p.Poison()
	}
	return v
}

func (v *volatile) Poison() byte                            { return v.poison }
func (v *volatile) ReadAt(p []byte, off int64) (int, error) { return v.backing.ReadAt(p, off) }
func (v *volatile) Size() int64                             { return v.backing.Size() }
func (v *volatile) Close() error                            { return v.backing.Close() }

func (v *volatile) WriteAt(p []byte, off int64) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	c := change{at: everyByte, from: off, was: v.backing.Size()}
	if n := min(int64(len(p)), c.was-off); n > 0 {
		old, err := v.saved(off, off+n)
		if err != nil {
			return 0, err
		}
		c.old = old
	}
	n, err := v.backing.WriteAt(p, off)
	if err != nil { // a store may count no byte of a call that failed halfway
		c.data = bytes.Clone(p)
	} else {
		c.data = bytes.Clone(p[:n])
	}
	v.done = append(v.done, c)
	return n, err
}

func (v *volatile) SetSize(n int64) error {
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

// Reserve is not remembered: no byte of the file changes.
func (v *volatile) Reserve(n int64) error {
	if r, ok := v.backing.(image.Reserver); ok {
		return r.Reserve(n)
	}
	return nil
}

func (v *volatile) Sync() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.backing.Sync(); err != nil {
		return err
	}
	v.done, v.fresh = nil, false
	return nil
}

// remember keeps what closing a file has not brought to the storage device, for
// a crash or for those who open it again. Called with s.mu held.
func (s *FS) remember(v *volatile, names []string) {
	v.backing = nil
	for _, name := range names {
		switch {
		case len(v.done) == 0:
			delete(s.unsafe, name)
		case s.unsafe == nil:
			s.unsafe = map[string]*volatile{}
			fallthrough
		default:
			s.unsafe[name] = v
		}
	}
}

// saved returns bytes [lo, hi) but for holes. Called with v.mu held.
func (v *volatile) saved(lo, hi int64) (list []patch, err error) {
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

// NextData is as in [image.Sparse].
func (v *volatile) NextData(off int64) int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.nextData(off)
}

func (v *volatile) nextData(off int64) int64 {
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

func (v *volatile) sameFile(b image.Backing) bool {
	o, ok := b.(*volatile)
	mine, knows := v.backing.(sameFiler)
	return ok && knows && mine.sameFile(o.backing)
}

// keep notes a write that the handle f keeps to itself.
func (v *volatile) keep(f *File, at types.Tiling, from int64, data []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := slices.IndexFunc(v.private, func(s secret) bool { return s.f == f })
	if i < 0 {
		i = len(v.private)
		v.private = append(v.private, secret{f: f})
	}
	v.private[i].list = append(v.private[i].list, change{at: at, from: from, data: bytes.Clone(data)})
}

// published notes that f keeps nothing to itself any more.
func (v *volatile) published(f *File) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.private = slices.DeleteFunc(v.private, func(s secret) bool { return s.f == f })
}

// ruin returns what is left of the file, if there is anything.
func (v *volatile) ruin(poison byte, dice *rand.Rand) (*image.Memory, bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	left, size := image.NewMemory(poison), v.backing.Size()
	all, err := v.saved(0, size)
	if err != nil {
		return nil, false, err
	}
	if err := put(left, all); err != nil {
		return nil, false, err
	}
	if err := left.SetSize(size); err != nil {
		return nil, false, err
	}
	for i := len(v.done) - 1; i >= 0; i-- { // what was synced
		c := &v.done[i]
		err := left.SetSize(c.was)
		if err = cmp.Or(err, put(left, c.old)); err != nil {
			return nil, false, err
		}
	}
	if v.fresh && dice.IntN(4) == 0 {
		return nil, false, nil
	}
	changes := slices.Clone(v.done)
	for _, s := range v.private {
		changes = append(changes, s.list...)
	}
	dice.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
	for i := range changes {
		if err := changes[i].befall(left, dice); err != nil {
			return nil, false, err
		}
	}
	return left, true, nil
}

// put writes patches. Those that end behind the end of the file make it longer.
func put(to *image.Memory, list []patch) error {
	for _, p := range list {
		if _, err := to.WriteAt(p.data, p.off); err != nil {
			return err
		}
	}
	return nil
}

// befall makes some part of c happen to a file, or nothing.
func (c *change) befall(to *image.Memory, dice *rand.Rand) error {
	n := int64(len(c.data))
	lo, hi := int64(0), n
	switch dice.IntN(4) {
	case 0: // lost
		return nil
	case 1: // torn, anywhere
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

// volatile is the file's own record of what is not synced, nil if there is none.
func (f *inUse) volatile() *volatile {
	v, _ := f.backing.(*volatile)
	return v
}

// published notes that this rank keeps no byte to itself any more.
func (f *File) published() {
	if v := f.set.file.volatile(); v != nil {
		v.published(f)
	}
}

// give has the handle write bytes, and returns how many of them are there.
func (f *File) give(at types.Tiling, from int64, p []byte) (int64, error) {
	n := int64(len(p))
	if v := f.set.file.volatile(); v != nil && !f.bytes.Direct() {
		v.keep(f, at, from, p)
	}
	if err := f.bytes.Write(at, from, p); err != nil {
		return f.bytes.Placed(), err
	}
	return n, nil
}

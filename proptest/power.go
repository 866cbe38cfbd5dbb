package proptest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/commworld/commworld/comm"
)

// ErrPower is the error of calls of a storage whose power is off.
var ErrPower = errors.New("the power is off")

// A Power is the power supply of storages: of a [CrashingDisk], a [CrashingKeyValue] or
// several. The suite cuts it before some call of a storage, and switches it on again: then
// the storages have lost some of what was not synced, and handles from before are dead.
type Power struct {
	mu    sync.Mutex
	off   bool
	armed bool
	left  int // calls before the cut, if armed
	life  int // how often the power was switched on again
	all   []volatileStore
}

// A volatileStore is a storage that loses data when the power is cut.
type volatileStore interface{ lose(r *rand.Rand) }

// A Restarter is a Layer that survives power cuts.
type Restarter = RestarterOf[Layer]

// A RestarterOf is a layer of type L that survives power cuts: a [Layer], [KeyValueLayer] or
// [ArrayLayer]. Its storages must be made with one [Power]. The group "crashes" cuts the power
// at any call of a storage, restarts the layer, reads everything, goes on, and cuts again.
type RestarterOf[L any] interface {
	// Power returns the power supply of the storages.
	Power() *Power
	// Restart returns a new layer over what the storages have now, as after a reboot.
	Restart() (L, error)
}

// arm cuts the power before the call number n from now on, counted from 0.
func (p *Power) arm(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.left = true, n
}

// cut cuts the power now.
func (p *Power) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.off, p.armed = true, false
}

func (p *Power) isOff() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.off
}

// restore switches the power on. Each seed is one of many possible losses.
func (p *Power) restore(seed uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := rand.New(rand.NewPCG(seed, uint64(p.life)))
	for _, s := range p.all {
		s.lose(r)
	}
	p.off, p.armed = false, false
	p.life++
}

func (p *Power) add(s volatileStore) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, s)
}

// call performs a call of a storage by a rank, after a scheduling point; c may be nil, for
// calls that belong to no rank. If the power goes, the world ends as if all ranks had died;
// do then still runs with its argument false, to leave what a torn call may leave.
func (p *Power) call(c *comm.Comm, life int, do func(whole bool) error) error {
	if c != nil {
		if err := c.Yield(); err != nil {
			return err
		}
	}
	goes, err := p.perform(life, do)
	if goes && c != nil {
		err = errors.Join(err, c.Abort(powerCode))
	}
	return err
}

// perform is call without the end of the world: it reports whether the power goes.
func (p *Power) perform(life int, do func(whole bool) error) (goes bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.off || life != p.life:
		return false, ErrPower
	case p.armed && p.left == 0:
		p.off, p.armed = true, false
		_ = do(false)
		return true, ErrPower
	case p.armed:
		p.left--
	}
	return false, do(true)
}

// powerCode is the code with which a world ends whose power was cut.
const powerCode = 137

// A CrashingDisk is a folder of files in memory. Bytes that were written since the last Sync
// of a file may be lost at a power cut, in any combination, and one write may be torn. Names
// are never lost. Its calls are scheduling points.
type CrashingDisk struct {
	power *Power
	files map[string]*crashingFile
}

// NewCrashingDisk returns an empty folder.
func NewCrashingDisk(p *Power) *CrashingDisk {
	d := &CrashingDisk{power: p, files: map[string]*crashingFile{}}
	p.add(d)
	return d
}

// A crashingFile is a file with its state on the storage device.
type crashingFile struct {
	durable []byte
	now     []byte
	changes []change // since the last sync
}

// A change is a write, or a change of the size.
type change struct {
	off  int64 // negative: set the size to n
	n    int64
	data []byte
}

func (ch change) apply(p []byte) []byte {
	end := ch.n
	if ch.off >= 0 {
		end = max(int64(len(p)), ch.off+int64(len(ch.data)))
		if len(ch.data) == 0 {
			return p
		}
	}
	if end <= int64(len(p)) {
		p = p[:end]
	} else {
		p = append(p, make([]byte, end-int64(len(p)))...)
	}
	if ch.off >= 0 {
		copy(p[ch.off:], ch.data)
	}
	return p
}

// lose replaces the files by what a power cut leaves of them.
func (d *CrashingDisk) lose(r *rand.Rand) {
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		f := d.files[name]
		kept := keep(r, f.changes)
		if len(kept) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(kept))
			if n := len(kept[i].data); n > 0 {
				kept[i].data = kept[i].data[:r.IntN(n)]
			}
		}
		p := slices.Clone(f.durable)
		for _, ch := range kept {
			p = ch.apply(p)
		}
		d.files[name] = &crashingFile{durable: p, now: slices.Clone(p)}
	}
}

// keep draws which changes of a storage survive: none, all, the first ones, all but one, or
// any.
func keep[T any](r *rand.Rand, all []T) []T {
	kept := slices.Clone(all)
	switch r.IntN(5) {
	case 0:
		return nil
	case 1:
	case 2:
		kept = kept[:r.IntN(len(kept)+1)]
	case 3:
		if n := len(kept); n > 0 {
			i := r.IntN(n)
			kept = slices.Delete(kept, i, i+1)
		}
	default:
		kept = slices.DeleteFunc(kept, func(T) bool { return r.IntN(2) == 0 })
	}
	return kept
}

// Open opens a file for a rank, and makes it if there is none. c may be nil.
func (d *CrashingDisk) Open(c *comm.Comm, name string) (Disk, error) {
	life := d.power.now()
	h := &crashingHandle{c, d, name, life}
	return h, d.power.call(c, life, func(bool) error {
		if d.files[name] == nil {
			d.files[name] = new(crashingFile)
		}
		return nil
	})
}

func (p *Power) now() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.life
}

// Rename replaces file to by file from, if that exists. It is durable at once; the bytes of
// the file are what they are.
func (d *CrashingDisk) Rename(c *comm.Comm, from, to string) error {
	return d.power.call(c, d.power.now(), func(whole bool) error {
		f := d.files[from]
		if f == nil {
			return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
		}
		if whole {
			delete(d.files, from)
			d.files[to] = f
		}
		return nil
	})
}

// Remove removes a file, durably. Handles of it work on a file without a name.
func (d *CrashingDisk) Remove(c *comm.Comm, name string) error {
	return d.power.call(c, d.power.now(), func(whole bool) error {
		if d.files[name] == nil {
			return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
		}
		if whole {
			delete(d.files, name)
		}
		return nil
	})
}

// ReadFile returns the bytes of a file: what remains if all ranks die, but the power stays on.
// It is for [Storage].
func (d *CrashingDisk) ReadFile(name string) ([]byte, error) {
	d.power.mu.Lock()
	defer d.power.mu.Unlock()
	f := d.files[name]
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return slices.Clone(f.now), nil
}

// A crashingHandle is one rank's handle of a file of a CrashingDisk.
type crashingHandle struct {
	c    *comm.Comm
	d    *CrashingDisk
	name string
	life int
}

// on performs a call on the file; one without a name is lost.
func (h *crashingHandle) on(do func(f *crashingFile, whole bool) error) error {
	return h.d.power.call(h.c, h.life, func(whole bool) error {
		f := h.d.files[h.name]
		if f == nil {
			f = new(crashingFile)
		}
		return do(f, whole)
	})
}

func (h *crashingHandle) ReadAt(p []byte, off int64) (n int, err error) {
	err = h.on(func(f *crashingFile, _ bool) error {
		if off < 0 {
			return fs.ErrInvalid
		}
		if off < int64(len(f.now)) {
			n = copy(p, f.now[off:])
		}
		if n < len(p) {
			return io.EOF
		}
		return nil
	})
	return n, err
}

func (h *crashingHandle) WriteAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fs.ErrInvalid
	}
	return len(p), h.on(func(f *crashingFile, _ bool) error {
		f.change(change{off: off, data: bytes.Clone(p)})
		return nil
	})
}

func (f *crashingFile) change(ch change) {
	f.changes = append(f.changes, ch)
	f.now = ch.apply(f.now)
}

func (h *crashingHandle) Truncate(n int64) error {
	return h.on(func(f *crashingFile, _ bool) error {
		f.change(change{off: -1, n: n})
		return nil
	})
}

func (h *crashingHandle) Sync() error {
	return h.on(func(f *crashingFile, whole bool) error {
		if whole { // otherwise some changes may be durable: lose decides
			f.durable, f.changes = slices.Clone(f.now), nil
		}
		return nil
	})
}

func (h *crashingHandle) Close() error { return h.on(func(*crashingFile, bool) error { return nil }) }

func (h *crashingHandle) Stat() (info fs.FileInfo, err error) {
	err = h.on(func(f *crashingFile, _ bool) error {
		info = crashingInfo{h.name, int64(len(f.now))}
		return nil
	})
	return info, err
}

// A crashingInfo describes a file of a CrashingDisk.
type crashingInfo struct {
	name string
	size int64
}

func (i crashingInfo) Name() string     { return i.name }
func (i crashingInfo) Size() int64      { return i.size }
func (crashingInfo) Mode() fs.FileMode  { return 0o666 }
func (crashingInfo) ModTime() time.Time { return time.Time{} }
func (crashingInfo) IsDir() bool        { return false }
func (crashingInfo) Sys() any           { return nil }

// A CrashingKeyValue is a key-value store in memory. Each Put and Delete is whole. If the
// store writes back, those since the last Flush may be lost at a power cut, in any
// combination; otherwise each is durable when it returns.
type CrashingKeyValue struct {
	power     *Power
	writeBack bool
	durable   map[string][]byte
	now       map[string][]byte
	changes   []put
}

// A put is a change of a key; the value is nil if it is deleted.
type put struct {
	key   string
	value []byte
}

// NewCrashingKeyValue returns an empty store.
func NewCrashingKeyValue(p *Power, writeBack bool) *CrashingKeyValue {
	s := &CrashingKeyValue{power: p, writeBack: writeBack, durable: map[string][]byte{}, now: map[string][]byte{}}
	p.add(s)
	return s
}

func (s *CrashingKeyValue) lose(r *rand.Rand) {
	for _, x := range keep(r, s.changes) {
		x.apply(s.durable)
	}
	s.now, s.changes = maps.Clone(s.durable), nil
}

func (x put) apply(m map[string][]byte) {
	if x.value == nil {
		delete(m, x.key)
	} else {
		m[x.key] = x.value
	}
}

// For returns the store for one rank: its calls are scheduling points. c may be nil.
func (s *CrashingKeyValue) For(c *comm.Comm) CrashingStore {
	return CrashingStore{c, s, s.power.now()}
}

// Keys returns the keys, sorted, without a call that the power could fail at. It is for
// [Storage].
func (s *CrashingKeyValue) Keys() []string {
	s.power.mu.Lock()
	defer s.power.mu.Unlock()
	return slices.Sorted(maps.Keys(s.now))
}

// A CrashingStore is one rank's access to a [CrashingKeyValue].
type CrashingStore struct {
	c    *comm.Comm
	s    *CrashingKeyValue
	life int
}

// Get returns the value of a key, nil if it has none.
func (h CrashingStore) Get(key []byte) (value []byte, err error) {
	err = h.s.power.call(h.c, h.life, func(bool) error {
		value = bytes.Clone(h.s.now[string(key)])
		return nil
	})
	return value, err
}

// Put sets the value of a key.
func (h CrashingStore) Put(key, value []byte) error {
	return h.change(put{string(key), append([]byte{}, value...)})
}

// Delete removes a key.
func (h CrashingStore) Delete(key []byte) error { return h.change(put{key: string(key)}) }

func (h CrashingStore) change(x put) error {
	return h.s.power.call(h.c, h.life, func(whole bool) error {
		if whole {
			x.apply(h.s.now)
		}
		if h.s.writeBack || !whole { // a call that the power cuts may have done its work
			h.s.changes = append(h.s.changes, x)
		} else {
			x.apply(h.s.durable)
		}
		return nil
	})
}

// Flush makes all changes durable.
func (h CrashingStore) Flush() error {
	return h.s.power.call(h.c, h.life, func(whole bool) error {
		if whole {
			h.s.durable, h.s.changes = maps.Clone(h.s.now), nil
		}
		return nil
	})
}

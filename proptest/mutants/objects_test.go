package mutants

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
)

// A memory is a key-value store, each of whose calls is atomic.
type memory struct {
	mu     sync.Mutex
	values map[string][]byte
}

func (m *memory) Get(key []byte) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.Clone(m.values[string(key)]), nil
}

func (m *memory) Put(key, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[string(key)] = bytes.Clone(value)
	return nil
}

func (m *memory) Delete(key []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.values, string(key))
	return nil
}

// object is the number of bytes of a file in one value.
const object = 32

// An objectLayer stores a file as values of 32 bytes. The size is a value, too. A lock
// guards each read-modify-write.
type objectLayer struct {
	b     bug
	store *memory
	lock  sync.Mutex
}

func newObjects(b bug) proptest.Maker {
	return func() (proptest.Layer, error) {
		return &objectLayer{b: b, store: &memory{values: map[string][]byte{}}}, nil
	}
}

func (l *objectLayer) Open(c *comm.Comm, name string) (proptest.File, error) {
	return &objects{c: c, l: l, b: l.b, name: name, kv: proptest.YieldingKeyValue(c, coded{l.store, l.b}), cache: map[string][]byte{}}, nil
}

// A coded is a store that changes some values.
type coded struct {
	*memory
	b bug
}

func (s coded) Put(key, value []byte) error {
	if bytes.HasSuffix(key, []byte("/size")) {
		return s.memory.Put(key, value)
	}
	switch s.b {
	case "values of zeros are holes":
		if len(bytes.Trim(value, "\x00")) == 0 {
			return nil
		}
	case "values end at a NUL":
		value, _, _ = bytes.Cut(value, []byte{0})
	case "values end with their last byte that is not 0xff":
		value = bytes.TrimRight(value, "\xff")
	case "values are kept as UTF-8":
		value = bytes.ToValidUTF8(value, []byte("\ufffd"))
	case "values have 7 bits":
		value = bytes.Clone(value)
		for i := range value {
			value[i] &= 0x7f
		}
	case "CR before LF is dropped and added":
		value = bytes.ReplaceAll(bytes.ReplaceAll(value, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	return s.memory.Put(key, value)
}

type objects struct {
	c     *comm.Comm
	l     *objectLayer
	b     bug
	name  string
	kv    proptest.KeyValue
	cache map[string][]byte // for some bugs
	size  int64             // for a bug: the largest size that this rank knows
}

var objectBugs = []bug{
	"values are changed without a lock",
	"the size is changed without a lock",
	"the size is set to the end of the last write",
	"the size is stored at the sync",
	"the size is written and read in unlike byte orders",
	"keys hold 16 bits of the number",
	"keys are decimal and cut after one digit",
	"values that were read are kept over syncs",
	"values that were missing are kept as missing",
	"the second value of a write is not written",
	"a write behind the end of a value drops the bytes between",
	"a value is as long as the last write of it",
	"set_size leaves the size",
	"reads of values that are missing end there",
	"writes with a whole value are dropped",
	"a write in the last value of the file makes it full",
	"keys hold 43 bits of the number",
	"values of zeros are holes",
	"values end at a NUL",
	"values end with their last byte that is not 0xff",
	"values are kept as UTF-8",
	"values have 7 bits",
	"CR before LF is dropped and added",
}

func (f *objects) key(k int64) []byte {
	switch f.b {
	case "keys hold 16 bits of the number":
		k = int64(uint16(k))
	case "keys hold 43 bits of the number":
		k &= 1<<43 - 1
	case "keys are decimal and cut after one digit":
		k %= 10
	}
	return fmt.Appendf(nil, "%s/%d", f.name, k)
}

// kept is Get through the cache that some bugs need.
func (f *objects) kept(key []byte) ([]byte, error) {
	if v, ok := f.cache[string(key)]; ok {
		return v, nil
	}
	v, err := f.kv.Get(key)
	if f.b == "values that were read are kept over syncs" && v != nil || f.b == "values that were missing are kept as missing" && v == nil {
		f.cache[string(key)] = v
	}
	return v, err
}

func (f *objects) ReadAt(p []byte, off int64) (int, error) {
	size, err := f.Size()
	if err != nil {
		return 0, err
	}
	p = p[:max(0, min(int64(len(p)), size-off))]
	for n := 0; n < len(p); {
		k, at := (off+int64(n))/object, (off+int64(n))%object
		part := p[n : n+int(min(int64(len(p)-n), object-at))]
		v, err := f.kept(f.key(k))
		if err != nil {
			return n, err
		}
		if v == nil && f.b == "reads of values that are missing end there" {
			return n, nil
		}
		clear(part)
		copy(part, v[min(at, int64(len(v))):])
		n += len(part)
	}
	return len(p), nil
}

func (f *objects) locked(without bug, do func() error) error {
	if f.b == without {
		return do()
	}
	if err := proptest.Lock(f.c, &f.l.lock); err != nil {
		return err
	}
	defer f.l.lock.Unlock()
	return do()
}

func (f *objects) WriteAt(p []byte, off int64) (int, error) {
	for n, i := 0, 0; n < len(p); i++ {
		k, at := (off+int64(n))/object, (off+int64(n))%object
		part := p[n : n+int(min(int64(len(p)-n), object-at))]
		n += len(part)
		if i > 0 && f.b == "the second value of a write is not written" || len(part) == object && f.b == "writes with a whole value are dropped" {
			continue
		}
		if err := f.locked("values are changed without a lock", func() error { return f.change(f.key(k), at, part) }); err != nil {
			return 0, err
		}
	}
	if len(p) == 0 {
		return 0, nil
	}
	end := off + int64(len(p))
	if f.b == "a write in the last value of the file makes it full" {
		end = (end + object - 1) / object * object
	}
	return len(p), f.locked("the size is changed without a lock", func() error { return f.grow(end) })
}

// change writes a part of a value: it reads the value, changes it and writes it back.
func (f *objects) change(key []byte, at int64, part []byte) error {
	v, err := f.kv.Get(key)
	if err != nil {
		return err
	}
	switch {
	case f.b == "a write behind the end of a value drops the bytes between" && at > int64(len(v)):
		v = nil
	case f.b == "a value is as long as the last write of it":
		v = v[:min(int64(len(v)), at+int64(len(part)))]
	}
	for int64(len(v)) < at+int64(len(part)) {
		v = append(v, 0)
	}
	copy(v[at:], part)
	if _, ok := f.cache[string(key)]; ok {
		f.cache[string(key)] = v
	}
	return f.kv.Put(key, v)
}

func (f *objects) sizeKey() []byte { return []byte(f.name + "/size") }

// grow makes the file at least end bytes long.
func (f *objects) grow(end int64) error {
	f.size = max(f.size, end)
	if f.b == "the size is stored at the sync" {
		return nil
	}
	size, err := f.stored()
	if err != nil || size >= end && f.b != "the size is set to the end of the last write" {
		return err
	}
	return f.put(end)
}

func (f *objects) put(size int64) error {
	order := binary.AppendByteOrder(binary.BigEndian)
	if f.b == "the size is written and read in unlike byte orders" {
		order = binary.LittleEndian
	}
	return f.kv.Put(f.sizeKey(), order.AppendUint64(nil, uint64(size)))
}

func (f *objects) stored() (int64, error) {
	v, err := f.kv.Get(f.sizeKey())
	if err != nil || v == nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(v)), nil
}

func (f *objects) ReadAtAll(p []byte, off int64) (int, error)  { return f.ReadAt(p, off) }
func (f *objects) WriteAtAll(p []byte, off int64) (int, error) { return f.WriteAt(p, off) }

func (f *objects) Sync() error {
	if f.b == "values that were missing are kept as missing" || f.b == "values that were read are kept over syncs" {
		return nil
	}
	clear(f.cache)
	if f.b == "the size is stored at the sync" && f.size > 0 {
		return f.put(f.size)
	}
	return nil
}

func (f *objects) Close() error { return f.Sync() }

func (f *objects) Size() (int64, error) {
	size, err := f.stored()
	if f.b == "the size is stored at the sync" {
		size = max(size, f.size)
	}
	return size, err
}

// SetSize lets rank 0 set the size; the others wait until it is done.
func (f *objects) SetSize(n int64) error {
	var err error
	if f.c.Rank() == 0 && f.b != "set_size leaves the size" {
		err = f.cut(n)
	}
	f.size = n
	return errors.Join(err, f.c.Barrier())
}

// cut sets the size and removes the values after it.
func (f *objects) cut(n int64) error {
	f.l.store.mu.Lock()
	keys := maps.Clone(f.l.store.values)
	f.l.store.mu.Unlock()
	for key, v := range keys {
		var k int64
		if _, err := fmt.Sscanf(key, f.name+"/%d", &k); err != nil {
			continue
		}
		switch {
		case k*object >= n:
			if err := f.kv.Delete([]byte(key)); err != nil {
				return err
			}
		case k*object+int64(len(v)) > n:
			if err := f.kv.Put([]byte(key), v[:n-k*object]); err != nil {
				return err
			}
		}
	}
	return f.put(n)
}

func (f *objects) Preallocate(n int64) error {
	var err error
	if f.c.Rank() == 0 {
		err = f.locked("", func() error { return f.grow(n) })
	}
	return errors.Join(err, f.c.Barrier())
}

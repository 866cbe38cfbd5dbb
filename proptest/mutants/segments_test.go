package mutants

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
)

// A segmentLayer is a burst buffer: each rank appends its writes to its own log in a
// key-value store. At a sync the rank numbers the new writes and publishes them; readers
// merge all published logs, in the order of numbers.
type segmentLayer struct {
	b     bug
	store *memory
	lock  sync.Mutex
}

func newSegments(b bug) proptest.Maker {
	return func() (proptest.Layer, error) {
		return &segmentLayer{b: b, store: &memory{values: map[string][]byte{}}}, nil
	}
}

func (l *segmentLayer) Open(c *comm.Comm, name string) (proptest.File, error) {
	f := &segments{c: c, l: l, b: l.b, name: name, kv: proptest.YieldingKeyValue(c, l.store)}
	return f, f.fetch()
}

// Stored merges the logs of all ranks.
func (l *segmentLayer) Stored(name string) ([]byte, error) {
	f := &segments{l: l, b: l.b, name: name, kv: l.store}
	if err := f.fetch(); err != nil {
		return nil, err
	}
	const most = 1 << 26 // a longer file has far offsets; no test asks for its content
	p := make([]byte, 1<<16)
	for {
		n, err := f.ReadAt(p, 0)
		if err != nil || n < len(p) || len(p) >= most {
			return p[:n], err
		}
		p = make([]byte, 2*len(p))
	}
}

type segments struct {
	c     *comm.Comm
	l     *segmentLayer
	b     bug
	name  string
	kv    proptest.KeyValue
	index []part // published, as of the last sync, oldest first
	own   []part // not published
}

var segmentBugs = []bug{
	"numbers are given without a lock",
	"a sync publishes and does not fetch",
	"a sync fetches and does not publish",
	"a close does not publish",
	"logs are merged by rank, not by number",
	"logs are merged the newest first",
	"own writes are read before published ones",
	"own writes are not read before a sync",
	"a log loses its last entry",
	"a log loses writes of more than 255 bytes",
	"a log keeps offsets in 32 bits",
	"entries at the same offset are one",
	"publishing replaces what the rank published before",
	"the tenth log is sorted before the second",
	unseenLogs,
}

const unseenLogs = "logs of ranks that did not open the file this time are not read"

func (f *segments) counter() []byte { return []byte(f.name + "/next") }

// number takes the number of a log.
func (f *segments) number() (n int64, err error) {
	if f.b != "numbers are given without a lock" {
		if err := proptest.Lock(f.c, &f.l.lock); err != nil {
			return 0, err
		}
		defer f.l.lock.Unlock()
	}
	v, err := f.kv.Get(f.counter())
	if err != nil {
		return 0, err
	}
	if v != nil {
		n = int64(binary.BigEndian.Uint64(v))
	}
	return n, f.kv.Put(f.counter(), binary.BigEndian.AppendUint64(nil, uint64(n+1)))
}

func (f *segments) logKey(n int64) []byte {
	switch f.b {
	case "publishing replaces what the rank published before":
		n = int64(f.c.Rank())
	case "logs are merged by rank, not by number":
		return fmt.Appendf(nil, "%s/log/%03d/%06d", f.name, f.c.Rank(), n)
	case unseenLogs:
		return fmt.Appendf(nil, "%s/log/%06d/%d", f.name, n, f.c.Rank())
	case "the tenth log is sorted before the second":
		return fmt.Appendf(nil, "%s/log/%d", f.name, n)
	}
	return fmt.Appendf(nil, "%s/log/%06d", f.name, n)
}

func (f *segments) publish() error {
	if len(f.own) == 0 || f.b == "a sync fetches and does not publish" {
		return nil
	}
	n, err := f.number()
	if err != nil {
		return err
	}
	if f.b == "a log loses its last entry" {
		f.own = f.own[:len(f.own)-1]
	}
	var log []byte
	for _, w := range f.own {
		off, long := uint64(w.off), len(w.p)
		switch {
		case f.b == "a log keeps offsets in 32 bits":
			off = uint64(uint32(off))
		case f.b == "a log loses writes of more than 255 bytes" && long > 255:
			continue
		}
		log = binary.BigEndian.AppendUint64(log, off)
		log = binary.BigEndian.AppendUint64(log, uint64(long))
		log = append(log, w.p...)
	}
	f.own = nil
	return f.kv.Put(f.logKey(n), log)
}

// fetch reads all published logs.
func (f *segments) fetch() error {
	f.l.store.mu.Lock()
	var keys []string
	for key := range f.l.store.values {
		if len(key) > len(f.name)+5 && key[:len(f.name)+5] == f.name+"/log/" {
			keys = append(keys, key)
		}
	}
	f.l.store.mu.Unlock()
	slices.Sort(keys)
	if f.b == "logs are merged the newest first" {
		slices.Reverse(keys)
	}
	f.index = nil
	for _, key := range keys {
		if f.b == unseenLogs && f.c != nil {
			if rank, _ := strconv.Atoi(key[strings.LastIndex(key, "/")+1:]); rank >= f.c.Size() {
				continue
			}
		}
		log, err := f.kv.Get([]byte(key))
		if err != nil {
			return err
		}
		for len(log) > 0 {
			w := part{off: int64(binary.BigEndian.Uint64(log))}
			n := binary.BigEndian.Uint64(log[8:])
			w.p, log = log[16:16+n], log[16+n:]
			if f.b == "entries at the same offset are one" {
				f.index = slices.DeleteFunc(f.index, func(o part) bool { return o.off == w.off })
			}
			f.index = append(f.index, w)
		}
	}
	return nil
}

func (f *segments) ReadAt(p []byte, off int64) (int, error) {
	all := slices.Concat(f.index, f.own)
	switch f.b {
	case "own writes are read before published ones":
		all = slices.Concat(f.own, f.index)
	case "own writes are not read before a sync":
		all = f.index
	}
	n := 0
	for _, w := range all {
		n = max(n, int(min(int64(len(p)), w.off+int64(len(w.p))-off)))
	}
	clear(p[:n])
	for _, w := range all {
		lo, hi := max(off, w.off), min(off+int64(n), w.off+int64(len(w.p)))
		if lo < hi {
			copy(p[lo-off:hi-off], w.p[lo-w.off:])
		}
	}
	return n, nil
}

func (f *segments) WriteAt(p []byte, off int64) (int, error) {
	if len(p) > 0 {
		f.own = append(f.own, part{off, slices.Clone(p)})
	}
	return len(p), nil
}

func (f *segments) ReadAtAll(p []byte, off int64) (int, error)  { return f.ReadAt(p, off) }
func (f *segments) WriteAtAll(p []byte, off int64) (int, error) { return f.WriteAt(p, off) }

func (f *segments) Sync() error {
	err := f.publish()
	if f.b == "a sync publishes and does not fetch" {
		return err
	}
	return errors.Join(err, f.fetch())
}

func (f *segments) Close() error {
	if f.b == "a close does not publish" {
		return nil
	}
	return f.publish()
}

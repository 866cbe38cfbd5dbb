package burst

import (
	"encoding/binary"
	"errors"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/types"
)

// A File is one rank's handle.
type File struct {
	c    *comm.Comm
	s    *Store
	name string

	index  extents // of the segments that the last fetch found in the log
	size   int64   // of the file then
	seen   uint64  // number of the last segment in the index
	merged int64   // how often the log had been merged

	own  extents // written by this rank and not published
	held int64   // bytes of own
	sent extents // published by this rank since its last fetch

	pointer uint64     // the shared pointer of this open
	queue   []*Request // nonblocking accesses under way
	split   *Request   // the split access that has begun
}

// ErrElsewhere is the error of a collective call that failed only on another rank.
var ErrElsewhere = errors.New("burst: the call failed on another rank")

// agree makes an error of one rank an error of all. It also orders the ranks, as a barrier
// does.
func (f *File) agree(err error) error {
	if f.s.bug == ErrorAlone && err != nil {
		return err
	}
	mine, all := []int32{0}, []int32{0}
	if err != nil {
		mine[0] = 1
	}
	if e := f.c.AllReduce(types.Of(mine), types.Of(all), comm.Max); e != nil {
		return errors.Join(err, e)
	}
	if err == nil && all[0] != 0 {
		return ErrElsewhere
	}
	return err
}

// WriteAt writes bytes at an offset. Others see them after the next sync of all.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if err := f.meet(faults.Event{Op: faults.Call, Name: "WriteAt"}); err != nil {
		return 0, err
	}
	return f.write(p, off)
}

func (f *File) write(p []byte, off int64) (int, error) {
	if f.s.bug != NotCopied {
		p = slices.Clone(p)
	}
	f.own.add(extent{lo: off, hi: off + int64(len(p)), data: p})
	f.held += int64(len(p))
	if f.held < f.s.hold {
		return len(p), nil
	}
	return len(p), f.publish()
}

// ReadAt reads bytes at an offset. At the end of the file it reads fewer, which is not an error.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if err := f.meet(faults.Event{Op: faults.Call, Name: "ReadAt"}); err != nil {
		return 0, err
	}
	return f.read(p, off)
}

func (f *File) read(p []byte, off int64) (n int, err error) {
	if err := f.meet(faults.Event{Op: faults.Read, Off: off, N: int64(len(p))}); err != nil {
		return 0, err
	}
	err = f.view(func(file *bolt.Bucket) error {
		if err := f.follow(file); err != nil {
			return err
		}
		n = int(max(0, min(int64(len(p)), f.length()-off)))
		readBlocks(file, p[:n], off)
		layers := []extents{f.index, f.sent, f.own}
		if f.s.bug == OwnUnder {
			slices.Reverse(layers)
		}
		for _, x := range layers {
			if err := f.overlay(file, p[:n], off, x); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if f.s.bug == CountsAsked {
		n = len(p)
	}
	return n, nil
}

// overlay puts the bytes of extents over those of blocks.
func (f *File) overlay(file *bolt.Bucket, p []byte, off int64, x extents) error {
	for _, e := range x.within(off, off+int64(len(p))) {
		data := e.data
		if data == nil {
			v := file.Bucket(logKey).Get(segmentKey(e.segment, f.s.bug))
			if int64(len(v)) < e.at+e.hi-e.lo {
				return errSegment
			}
			data = v[e.at:]
		}
		copy(p[e.lo-off:e.hi-off], data)
	}
	return nil
}

// length returns the length of the file as this rank sees it.
func (f *File) length() int64 { return max(f.size, f.sent.end(), f.own.end()) }

// publish makes one segment of this rank's own writes.
func (f *File) publish() error {
	if len(f.own) == 0 || f.s.bug == NoPublish {
		return nil
	}
	err := f.append(segment{writes: f.own})
	if f.s.bug == DropsError {
		err = nil
	}
	if err == nil {
		for _, e := range f.own {
			f.sent.add(e)
		}
		f.own, f.held = nil, 0
	}
	return err
}

// append adds a segment to the log, in one transaction.
func (f *File) append(s segment) error {
	if err := f.meet(faults.Event{Op: faults.Write, N: f.held}); err != nil {
		return err
	}
	v := s.encode(f.s.bug)
	if f.s.bug == TwoTransactions {
		return f.appendApart(v)
	}
	return f.update(func(file *bolt.Bucket) error {
		n, err := file.Bucket(logKey).NextSequence()
		if err != nil {
			return err
		}
		if err := file.Bucket(logKey).Put(segmentKey(n, f.s.bug), v); err != nil {
			return err
		}
		if f.s.bug == MergeApart {
			return nil
		}
		return merge(file, f.s.bug)
	})
}

// follow drops segments from the index that are in blocks now, if a rank has merged the log.
func (f *File) follow(file *bolt.Bucket) error {
	if number(file.Get(mergedKey)) == f.merged || f.s.bug == MergeUnseen {
		return nil
	}
	return f.load(file)
}

// fetch adds to the index the segments that others have published.
func (f *File) fetch() error { return f.view(f.load) }

func (f *File) load(file *bolt.Bucket) error {
	if merged := number(file.Get(mergedKey)); merged != f.merged || f.seen == 0 {
		f.index, f.seen, f.merged = nil, 0, merged
		f.size = number(file.Get(sizeKey))
	}
	f.sent = nil
	return eachSegment(file, f.seen, f.s.bug, func(n uint64, s segment) error {
		f.seen = n
		if s.sets {
			f.index.truncate(s.size)
			f.size = s.size
			return nil
		}
		for _, w := range s.writes {
			w.segment, w.data = n, nil
			f.index.add(w)
			if f.size = max(f.size, w.hi); f.s.bug == SizeOfLast {
				f.size = w.hi
			}
		}
		return nil
	})
}

// Sync publishes this rank's writes, waits for those of the others, and fetches them.
// Collective.
func (f *File) Sync() error {
	err := f.meet(faults.Event{Op: faults.Sync})
	if err == nil {
		err = f.publish()
	}
	if err == nil && f.c.Rank() == 0 {
		err = f.s.force()
	}
	if f.s.bug != NoOrder {
		err = f.agree(err)
	}
	if err != nil || f.s.bug == NoFetch {
		return err
	}
	return f.refetch()
}

// Close publishes this rank's writes and gives the handle up. Collective.
func (f *File) Close() error {
	err := f.meet(faults.Event{Op: faults.Close})
	if err == nil && f.s.bug != LosesOwn {
		err = f.publish()
	}
	if err == nil && f.c.Rank() == 0 {
		err = f.s.force()
	}
	return f.agree(err)
}

// Size returns the length of the file as this rank sees it.
func (f *File) Size() (int64, error) { return f.length(), nil }

// SetSize cuts the file, or makes it longer. Collective.
func (f *File) SetSize(n int64) error {
	return f.resize(func() (int64, bool) { return n, true })
}

// Preallocate makes the file at least n bytes long. Collective.
func (f *File) Preallocate(n int64) error {
	return f.resize(func() (int64, bool) { return n, n > f.size })
}

func (f *File) resize(to func() (int64, bool)) error {
	err := f.Sync()
	if err != nil {
		return err
	}
	if n, needed := to(); needed && f.c.Rank() == 0 {
		err = f.append(segment{sets: true, size: n})
	}
	if err = f.agree(err); err != nil {
		return err
	}
	return f.fetch()
}

// ReadAtAll is ReadAt by all ranks together.
func (f *File) ReadAtAll(p []byte, off int64) (int, error) {
	n, err := f.ReadAt(p, off)
	return n, f.agree(err)
}

// WriteAtAll is WriteAt by all ranks together.
func (f *File) WriteAtAll(p []byte, off int64) (int, error) {
	n, err := f.WriteAt(p, off)
	return n, f.agree(err)
}

func sizeBytes(n int64, b Bug) []byte {
	if b == SizeSwapped {
		return binary.LittleEndian.AppendUint64(nil, uint64(n))
	}
	return bytesOf(n)
}

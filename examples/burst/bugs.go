package burst

import bolt "go.etcd.io/bbolt"

// A Bug is a deliberate mistake of a store, given to [WithBug]. It is here to measure which
// tool finds it.
type Bug string

// The bugs.
const (
	StaleIndex       Bug = "a sync fetches nothing if the file has not grown"
	StaleSize        Bug = "a sync does not fetch the size"
	LosesOwn         Bug = "a close does not publish"
	NoPublish        Bug = "a sync does not publish"
	NoOrder          Bug = "a sync has no barrier"
	NoFetch          Bug = "a sync does not fetch"
	TwoTransactions  Bug = "a segment gets its number in a transaction of its own"
	MergeApart       Bug = "the log is read and emptied in two transactions"
	MergeUnseen      Bug = "other ranks do not notice that the log was merged"
	MergeCutsTail    Bug = "merging cuts a block at the end of the last write"
	MergeOverwrites  Bug = "merging fills the rest of a block with zeros"
	MergeKeepsSize   Bug = "merging leaves the old size"
	Offset32         Bug = "the log keeps 32 bits of offsets"
	SizeSwapped      Bug = "the size is written little-endian"
	LittleEndianKeys Bug = "numbers of segments are little-endian"
	DropsError       Bug = "an error of publishing is dropped"
	ErrorAlone       Bug = "a rank with an error leaves a collective call"
	CountsAsked      Bug = "a read at the end counts the requested bytes"
	SizeOfLast       Bug = "the size is the end of the last write"
	NotCopied        Bug = "writes keep the memory of the caller"
	OwnUnder         Bug = "own writes are read under published ones"
	PointerApart     Bug = "the shared pointer is read and moved in two transactions"
	OldestCount      Bug = "a wait returns the count of the oldest request"
	DrainsBlocks     Bug = "draining copies merged blocks only"
	DrainKeepsLength Bug = "draining ignores sizes that were set"
)

// Bugs lists all bugs.
func Bugs() []Bug {
	return []Bug{
		StaleIndex, StaleSize, LosesOwn, NoPublish, NoOrder, NoFetch, TwoTransactions, MergeApart, MergeUnseen, MergeCutsTail,
		MergeOverwrites, MergeKeepsSize, Offset32, SizeSwapped, LittleEndianKeys, DropsError, ErrorAlone, CountsAsked, SizeOfLast,
		NotCopied, OwnUnder, PointerApart, OldestCount, DrainsBlocks, DrainKeepsLength,
	}
}

// refetch is fetch, unless a bug changes it.
func (f *File) refetch() error {
	size := f.size
	index, seen, merged, sent := f.index, f.seen, f.merged, f.sent
	if f.s.bug == StaleIndex {
		f.index = append(extents(nil), index...)
	}
	err := f.fetch()
	switch {
	case f.s.bug == StaleSize:
		f.size = size
	case f.s.bug == StaleIndex && f.size == size && f.merged == merged:
		f.index, f.seen, f.sent = index, seen, sent
	case f.s.bug == MergeApart && err == nil && f.c.Rank() == 0:
		err = f.mergeApart()
	}
	return err
}

// appendApart takes the number of a segment in one transaction and adds the segment in a
// later one.
func (f *File) appendApart(v []byte) error {
	var last int64
	err := f.view(func(file *bolt.Bucket) error {
		last = number(file.Get([]byte("last")))
		return nil
	})
	if err != nil {
		return err
	}
	return f.update(func(file *bolt.Bucket) error {
		if err := file.Put([]byte("last"), bytesOf(last+1)); err != nil {
			return err
		}
		if err := file.Bucket(logKey).Put(segmentKey(uint64(last+1), f.s.bug), v); err != nil {
			return err
		}
		return merge(file, f.s.bug)
	})
}

// mergeApart merges the log in one transaction and empties it in a later one.
func (f *File) mergeApart() error {
	var all []segment
	err := f.view(func(file *bolt.Bucket) error {
		return eachSegment(file, 0, f.s.bug, func(_ uint64, s segment) error {
			for i := range s.writes {
				s.writes[i].data = append([]byte(nil), s.writes[i].data...)
			}
			all = append(all, s)
			return nil
		})
	})
	if err != nil || len(all) < 2 {
		return err
	}
	return f.update(func(file *bolt.Bucket) error {
		m := merger{bucket: file.Bucket(blockKey), size: number(file.Get(sizeKey))}
		for _, s := range all {
			if err := m.add(s); err != nil {
				return err
			}
		}
		for _, key := range keysOf(file.Bucket(logKey), nil) {
			if err := file.Bucket(logKey).Delete(key); err != nil {
				return err
			}
		}
		if err := file.Put(sizeKey, bytesOf(m.size)); err != nil {
			return err
		}
		return file.Put(mergedKey, bytesOf(number(file.Get(mergedKey))+1))
	})
}

// takeApart reads the shared pointer in one transaction and moves it in a later one.
func (f *File) takeApart(n int64) (at int64, err error) {
	if at, err = f.PositionShared(); err != nil {
		return 0, err
	}
	return at, f.update(func(file *bolt.Bucket) error { return file.Put(f.pointerKey(), bytesOf(at+n)) })
}

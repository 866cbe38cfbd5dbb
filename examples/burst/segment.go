package burst

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// block is how many bytes of a file are one value of the database once they are merged.
const block = 4096

// A segment is an entry that one transaction adds to the log of a file: writes that do not
// overlap, or a size.
type segment struct {
	writes extents
	sets   bool
	size   int64
}

// head is the number of bytes in front of each write of a segment.
const head = 8 + 4

// encode returns a segment as a value of the database: for each write its offset, its
// length and its bytes, or the size; then a checksum.
func (s segment) encode(b Bug) []byte {
	var v []byte
	if s.sets {
		v = bytesOf(s.size)
	}
	for _, w := range s.writes {
		off := uint64(w.lo)
		if b == Offset32 {
			off = uint64(uint32(off))
		}
		v = binary.BigEndian.AppendUint64(v, off)
		v = binary.BigEndian.AppendUint32(v, uint32(len(w.data)))
		v = append(v, w.data...)
	}
	kind := byte(0)
	if s.sets {
		kind = 1
	}
	v = append(v, kind)
	return binary.BigEndian.AppendUint32(v, crc32.ChecksumIEEE(v))
}

var errSegment = errors.New("burst: a segment of the log is damaged")

// decode is the inverse of encode. The segment's memory is that of v.
func decode(v []byte) (segment, error) {
	const foot = 1 + 4
	if len(v) < foot || crc32.ChecksumIEEE(v[:len(v)-4]) != binary.BigEndian.Uint32(v[len(v)-4:]) {
		return segment{}, errSegment
	}
	kind, v := v[len(v)-foot], v[:len(v)-foot]
	if kind == 1 {
		return segment{sets: true, size: number(v)}, nil
	}
	var s segment
	for at := int64(0); at < int64(len(v)); {
		lo, n := number(v[at:at+8]), int64(binary.BigEndian.Uint32(v[at+8:]))
		at += head
		s.writes = append(s.writes, extent{lo: lo, hi: lo + n, data: v[at : at+n], at: at})
		at += n
	}
	return s, nil
}

// segmentKey returns the key of a segment in the log.
func segmentKey(n uint64, b Bug) []byte {
	if b == LittleEndianKeys {
		return binary.LittleEndian.AppendUint64(nil, n)
	}
	return binary.BigEndian.AppendUint64(nil, n)
}

// eachSegment calls do for the segments with numbers above after, in their order.
func eachSegment(file *bolt.Bucket, after uint64, b Bug, do func(n uint64, s segment) error) error {
	cur := file.Bucket(logKey).Cursor()
	for key, v := cur.Seek(segmentKey(after+1, b)); key != nil; key, v = cur.Next() {
		n := binary.BigEndian.Uint64(key)
		if b == LittleEndianKeys {
			n = binary.LittleEndian.Uint64(key)
		}
		s, err := decode(v)
		if err == nil {
			err = do(n, s)
		}
		if err != nil {
			return fmt.Errorf("segment %d: %w", n, err)
		}
	}
	return nil
}

// most is the number of segments from which on a log is merged into blocks.
const most = 6

// merge moves the log of a file into its blocks, if it is long.
func merge(file *bolt.Bucket, b Bug) error {
	keys := keysOf(file.Bucket(logKey), nil)
	if len(keys) <= most {
		return nil
	}
	m := merger{bucket: file.Bucket(blockKey), size: number(file.Get(sizeKey)), bug: b}
	if err := eachSegment(file, 0, b, func(_ uint64, s segment) error { return m.add(s) }); err != nil {
		return err
	}
	for _, key := range keys {
		if err := file.Bucket(logKey).Delete(key); err != nil {
			return err
		}
	}
	if b != MergeKeepsSize {
		if err := file.Put(sizeKey, sizeBytes(m.size, b)); err != nil {
			return err
		}
	}
	return file.Put(mergedKey, bytesOf(number(file.Get(mergedKey))+1))
}

// keysOf lists the keys of a bucket from one on.
func keysOf(b *bolt.Bucket, from []byte) [][]byte {
	var keys [][]byte
	cur := b.Cursor()
	for key, _ := cur.Seek(from); key != nil; key, _ = cur.Next() {
		keys = append(keys, slices.Clone(key))
	}
	return keys
}

// A merger writes segments into blocks.
type merger struct {
	bucket *bolt.Bucket
	size   int64
	bug    Bug
}

func (m *merger) add(s segment) error {
	if s.sets {
		m.size = s.size
		return m.truncate()
	}
	for _, w := range s.writes {
		if err := m.write(w); err != nil {
			return err
		}
		m.size = max(m.size, w.hi)
	}
	return nil
}

func (m *merger) write(w extent) error {
	for at := w.lo; at < w.hi; {
		n := at / block
		end := min(w.hi, (n+1)*block)
		part := w.cut(at, end).data
		old := m.bucket.Get(bytesOf(n))
		v := make([]byte, max(int64(len(old)), end-n*block))
		if m.bug == MergeCutsTail {
			v = make([]byte, end-n*block)
		}
		if m.bug != MergeOverwrites {
			copy(v, old)
		}
		copy(v[at-n*block:], part)
		if err := m.bucket.Put(bytesOf(n), v); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// truncate drops blocks beyond the size, and the end of the last one.
func (m *merger) truncate() error {
	last, rest := bytesOf(m.size/block), m.size%block
	if v := m.bucket.Get(last); int64(len(v)) > rest {
		if err := m.bucket.Put(last, slices.Clone(v[:rest])); err != nil {
			return err
		}
	}
	for _, key := range keysOf(m.bucket, bytesOf((m.size+block-1)/block)) {
		if err := m.bucket.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// readBlocks reads bytes [off, off+len(p)) of the blocks; missing bytes are zeros.
func readBlocks(file *bolt.Bucket, p []byte, off int64) {
	clear(p)
	blocks := file.Bucket(blockKey)
	end := off + int64(len(p))
	for at := off; at < end; {
		n := at / block
		if v := blocks.Get(bytesOf(n)); int64(len(v)) > at-n*block {
			copy(p[at-off:min(end, (n+1)*block)-off], v[at-n*block:])
		}
		at = (n + 1) * block
	}
}

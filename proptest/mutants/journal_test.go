package mutants

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
)

// A journalLayer keeps writes in memory until a sync, which appends them to a log and makes
// that durable before it changes the file. The first open after a restart replays the log.
// A lock guards log and file.
type journalLayer struct {
	b     bug
	power *proptest.Power
	disk  *proptest.CrashingDisk
	lock  sync.Mutex
	ready bool  // the log was replayed
	end   int64 // of the log
}

func newJournal(b bug) proptest.Maker {
	return func() (proptest.Layer, error) {
		power := new(proptest.Power)
		return &journalLayer{b: b, power: power, disk: proptest.NewCrashingDisk(power)}, nil
	}
}

func (l *journalLayer) Power() *proptest.Power { return l.power }

func (l *journalLayer) Restart() (proptest.Layer, error) {
	return &journalLayer{b: l.b, power: l.power, disk: l.disk}, nil
}

var journalBugs = []bug{
	"the log is not durable before the file changes",
	"a checkpoint cuts the log before the file is durable",
	"recovery ends at the first record",
	"recovery skips records that are not longer than the file",
	"recovery keeps the log, and new records go to its begin",
	"recovery keeps the log, and new records go behind a torn one",
	"recovery makes the file a multiple of 8 long",
	"recovery does not make the file durable before it cuts the log",
	"a sync logs only the last write",
	"a sync does not log writes of one byte",
	"a close does not log",
}

// recover replays the log and empties it.
func (l *journalLayer) recover(c *comm.Comm, name string) error {
	if err := proptest.Lock(c, &l.lock); err != nil {
		return err
	}
	defer l.lock.Unlock()
	if l.ready {
		return nil
	}
	log, err := l.disk.Open(c, name+".log")
	if err != nil {
		return err
	}
	data, err := l.disk.Open(c, name)
	if err != nil {
		return err
	}
	parts, end, err := l.records(log)
	if err != nil {
		return err
	}
	size, err := sizeOf(data)
	if err != nil {
		return err
	}
	for i, x := range parts {
		if l.b == "recovery ends at the first record" && i > 0 || l.b == "recovery skips records that are not longer than the file" && x.off+int64(len(x.p)) <= size {
			continue
		}
		if _, err := data.WriteAt(x.p, x.off); err != nil {
			return err
		}
	}
	if size, err := sizeOf(data); l.b == "recovery makes the file a multiple of 8 long" && len(parts) > 0 && err == nil {
		if err := data.Truncate((size + 7) / 8 * 8); err != nil {
			return err
		}
	}
	l.ready = true
	switch l.b {
	case "recovery keeps the log, and new records go to its begin":
		return data.Sync()
	case "recovery keeps the log, and new records go behind a torn one":
		l.end = end
		return data.Sync()
	case "recovery does not make the file durable before it cuts the log":
	default:
		if err := data.Sync(); err != nil {
			return err
		}
	}
	return l.cut(log)
}

// head is the length of a record before its bytes: offset, length, sum.
const head = 20

// records returns the records of a log, and the end of the bytes that are there.
func (l *journalLayer) records(log proptest.Disk) (all []part, end int64, err error) {
	size, err := sizeOf(log)
	if err != nil {
		return nil, 0, err
	}
	text := make([]byte, size)
	if _, err := untilEnd(log.ReadAt(text, 0)); err != nil {
		return nil, 0, err
	}
	for len(text) >= head {
		off, n := int64(binary.LittleEndian.Uint64(text)), int64(binary.LittleEndian.Uint64(text[8:]))
		if n <= 0 || n > int64(len(text)) || off < 0 {
			break
		}
		if n > int64(len(text)-head) || binary.LittleEndian.Uint32(text[16:]) != sum(text[:16], text[head:head+n]) {
			break
		}
		all = append(all, part{off, text[head : head+n]})
		text = text[head+n:]
	}
	return all, size, nil
}

func sum(head, p []byte) uint32 {
	return crc32.ChecksumIEEE(slices.Concat([]byte("record"), head, p))
}

// cut empties the log, durably.
func (l *journalLayer) cut(log proptest.Disk) error {
	l.end = 0
	return errors.Join(log.Truncate(0), log.Sync())
}

func (l *journalLayer) Open(c *comm.Comm, name string) (proptest.File, error) {
	if err := l.recover(c, name); err != nil {
		return nil, err
	}
	data, err := l.disk.Open(c, name)
	if err != nil {
		return nil, err
	}
	log, err := l.disk.Open(c, name+".log")
	return &journal{behind{c: c, d: data}, l, log}, err
}

// A journal is a behind file whose syncs go through the log.
type journal struct {
	behind
	l   *journalLayer
	log proptest.Disk
}

// fullLog is the length of a log that a sync makes empty.
const fullLog = 96

func (f *journal) Sync() error {
	if err := proptest.Lock(f.c, &f.l.lock); err != nil {
		return err
	}
	defer f.l.lock.Unlock()
	var text []byte
	for i, w := range f.pending {
		if f.l.b == "a sync logs only the last write" && i < len(f.pending)-1 || f.l.b == "a sync does not log writes of one byte" && len(w.p) == 1 {
			continue
		}
		h := binary.LittleEndian.AppendUint64(nil, uint64(w.off))
		h = binary.LittleEndian.AppendUint64(h, uint64(len(w.p)))
		text = slices.Concat(text, h, binary.LittleEndian.AppendUint32(nil, sum(h, w.p)), w.p)
	}
	if len(text) > 0 {
		if _, err := f.log.WriteAt(text, f.l.end); err != nil {
			return err
		}
		f.l.end += int64(len(text))
		if f.l.b != "the log is not durable before the file changes" {
			if err := f.log.Sync(); err != nil {
				return err
			}
		}
	}
	if err := f.flush(); err != nil {
		return err
	}
	if f.l.end < fullLog {
		return nil
	}
	if f.l.b == "a checkpoint cuts the log before the file is durable" {
		return errors.Join(f.l.cut(f.log), f.d.Sync())
	}
	if err := f.d.Sync(); err != nil {
		return err
	}
	return f.l.cut(f.log)
}

func (f *journal) Close() error {
	var err error
	if f.l.b == "a close does not log" {
		err = f.flush()
	} else {
		err = f.Sync()
	}
	return errors.Join(err, f.log.Close(), f.d.Close())
}

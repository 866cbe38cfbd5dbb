package burst

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile/faults"
)

// A Store is a database of files.
type Store struct {
	db   *bolt.DB
	plan *faults.Plan
	hold int64 // bytes that a rank keeps in memory
	lazy bool  // writes are not forced to the device
	bug  Bug
}

// An Option changes how a database is opened.
type Option func(*Store)

// WithFaults injects the faults of a plan into transactions. Target write is a transaction
// that adds a segment to the log, read one that reads bytes; sync, open and close are those
// calls, call is the start of an access.
func WithFaults(plan *faults.Plan) Option { return func(s *Store) { s.plan = plan } }

// WithHold makes ranks publish when they hold n bytes, instead of a mebibyte.
func WithHold(bytes int64) Option { return func(s *Store) { s.hold = bytes } }

// WithoutForce does not force syncs to the device: the operating system decides when the
// bytes get there. It is for tests, and for bytes that need not survive a power cut.
func WithoutForce() Option { return func(s *Store) { s.lazy = true } }

// WithBug switches a bug on.
func WithBug(b Bug) Option { return func(s *Store) { s.bug = b } }

// Open opens the database in a file, and makes it if there is none.
func Open(path string, opts ...Option) (*Store, error) {
	// Commits are forced to the device by Sync and Close, not one by one.
	db, err := bolt.Open(path, 0o666, &bolt.Options{NoSync: true, NoFreelistSync: true, Timeout: time.Second})
	if err != nil {
		return nil, fmt.Errorf("burst: %w", err)
	}
	s := &Store{db: db, hold: 1 << 20}
	for _, o := range opts {
		o(s)
	}
	return s, nil
}

// Close closes the database. Its files have to be closed before.
func (s *Store) Close() error { return errors.Join(s.force(), s.db.Close()) }

// force writes commits to the device.
func (s *Store) force() error {
	if s.lazy {
		return nil
	}
	return s.db.Sync()
}

// File opens a file on all ranks, and makes it if there is none. Collective.
func (s *Store) File(c *comm.Comm, name string) (*File, error) {
	f := &File{c: c, s: s, name: name}
	err := f.meet(faults.Event{Op: faults.Open})
	if err == nil {
		err = f.update(func(file *bolt.Bucket) error { return nil })
	}
	if err == nil && c.Rank() == 0 {
		err = f.update(f.newPointer)
	}
	if err == nil {
		err = f.fetch()
	}
	if err = f.agree(err); err != nil {
		return nil, err
	}
	return f, f.sharePointer()
}

// A Drained is the destination of [Store.Drain], such as an *os.File.
type Drained interface {
	io.WriterAt
	Truncate(size int64) error
}

// Drain copies the published bytes of a file, and returns their number. It is not a collective
// call: any goroutine may call it, even while ranks write.
func (s *Store) Drain(name string, to Drained) (size int64, err error) {
	err = s.db.View(func(tx *bolt.Tx) error {
		file := tx.Bucket([]byte(name))
		if file == nil {
			return fmt.Errorf("burst: there is no file %q", name)
		}
		size, err = s.drain(file, to)
		return err
	})
	return size, err
}

func (s *Store) drain(file *bolt.Bucket, to Drained) (size int64, err error) {
	if err := to.Truncate(0); err != nil {
		return 0, err
	}
	if size, err = s.drainBlocks(file, to); err != nil {
		return 0, err
	}
	if s.bug == DrainsBlocks {
		return size, to.Truncate(size)
	}
	err = eachSegment(file, 0, s.bug, func(_ uint64, seg segment) error {
		if seg.sets {
			if s.bug == DrainKeepsLength {
				return nil
			}
			size = seg.size
			return to.Truncate(size)
		}
		for _, w := range seg.writes {
			if _, err := to.WriteAt(w.data, w.lo); err != nil {
				return err
			}
			size = max(size, w.hi)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return size, to.Truncate(size)
}

func (s *Store) drainBlocks(file *bolt.Bucket, to io.WriterAt) (size int64, err error) {
	size = number(file.Get(sizeKey))
	cur := file.Bucket(blockKey).Cursor()
	for key, data := cur.First(); key != nil; key, data = cur.Next() {
		at := int64(binary.BigEndian.Uint64(key)) * block
		if _, err := to.WriteAt(data, at); err != nil {
			return 0, err
		}
	}
	return size, nil
}

// update runs a transaction that changes the file's bucket. Another rank may go first.
func (f *File) update(change func(file *bolt.Bucket) error) error {
	if err := f.c.Yield(); err != nil {
		return err
	}
	return f.s.db.Update(func(tx *bolt.Tx) error {
		file, err := bucket(tx, f.name)
		if err != nil {
			return err
		}
		return change(file)
	})
}

// view runs a transaction that reads the file's bucket. Another rank may go first.
func (f *File) view(look func(file *bolt.Bucket) error) error {
	if err := f.c.Yield(); err != nil {
		return err
	}
	return f.s.db.View(func(tx *bolt.Tx) error { return look(tx.Bucket([]byte(f.name))) })
}

// The keys of a file's bucket.
var (
	logKey    = []byte("log")    // segments by number
	blockKey  = []byte("block")  // blocks by number
	sizeKey   = []byte("size")   // of the part of the file that is in blocks
	mergedKey = []byte("merged") // how often the log was merged into blocks
)

func bucket(tx *bolt.Tx, name string) (*bolt.Bucket, error) {
	file, err := tx.CreateBucketIfNotExists([]byte(name))
	if err != nil {
		return nil, err
	}
	for _, key := range [][]byte{logKey, blockKey} {
		if _, err := file.CreateBucketIfNotExists(key); err != nil {
			return nil, err
		}
	}
	return file, nil
}

// number decodes a value of eight bytes; an empty value is 0.
func number(v []byte) int64 {
	if v == nil {
		return 0
	}
	return int64(binary.BigEndian.Uint64(v))
}

func bytesOf(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// meet applies the plan of faults to an event of this rank, and ends the world if the plan
// kills the rank.
func (f *File) meet(e faults.Event) error {
	if f.s.plan == nil {
		return nil
	}
	e.Rank, e.File = f.c.Rank(), f.name
	err := f.s.plan.Meet(e).Err
	if errors.Is(err, faults.ErrKilled) {
		const code = 137 // the exit code of a killed process
		err = errors.Join(err, f.c.Abort(code))
	}
	return err
}

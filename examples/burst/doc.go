// Package burst is a small log-structured burst buffer over a key-value store, bbolt:
// ranks append what they write to a log in a database on a fast device, read it back
// through an index, and copy it to an ordinary file later.
//
//	s, err := burst.Open("burst.db")
//	err = world.Run(ctx, 4, func(ctx context.Context, c *comm.Comm) error {
//		f, err := s.File(c, "grid")
//		if err != nil {
//			return err
//		}
//		_, err = f.WriteAt(mine, 100*int64(c.Rank()))
//		return errors.Join(err, f.Sync(), f.Close())
//	})
//	size, err := s.Drain("grid", out) // an *os.File
//
// It is an example of testing a layer that is not built over this module's files: README.md
// lists bugs that can be switched on, and the tools that find them.
//
// # How files are kept
//
// A file is a bucket. A rank's writes wait in its memory until a sync, a close, or a
// mebibyte of them; then they become one segment of the file's log, in one transaction,
// which also gives it the next number. A rank sees the segments up to the last one that
// its last sync found, and its own writes over them. When the log has many segments, the
// rank that adds one merges all of them into blocks of 4 KiB, in the same transaction.
//
// [File.Sync] and [File.Close] are collective, publish, order and fetch: one call of all
// ranks is enough between a write of one and a read of another. Collective calls return an
// error on all ranks if they fail on one.
//
// It does not have datatypes and views (offsets are bytes), an individual file pointer, an
// atomic mode, or several processes, because a bbolt database belongs to one.
//
// # Map
//
//   - store.go: the database, transactions, faults, drain
//   - segment.go: logs and blocks, merging
//   - extent.go: the index of segments by offset
//   - file.go: a rank's handle: access, sync, sizes
//   - request.go: nonblocking and split accesses, the shared pointer
//   - bugs.go: deliberate bugs, for tests of the tools
package burst

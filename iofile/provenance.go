package iofile

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
)

// WithProvenance makes a file system remember who wrote every byte of its
// files, from their first open on; see [File.Provenance]. It costs an entry for
// each write, or for a row of writes that continue each other.
func WithProvenance() Option { return func(o *options) { o.provenance = true } }

// ledgerOf returns the ledger of a file, nil if nobody wants one.
func (s *FS) ledgerOf(file *openFile) *consistency.Ledger {
	if !s.opts.provenance {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := file.names[0]
	l := s.whos[name]
	if l == nil {
		l = consistency.NewLedger(file.image.Size())
		if s.whos == nil {
			s.whos = map[string]*consistency.Ledger{}
		}
		s.whos[name] = l
	}
	return l
}

// enter puts a write into the ledger.
func (f *File) enter(a *consistency.Access) {
	if f.set.ledger != nil && a.Write {
		f.set.ledger.Write(f, f.thread.ID(), a, f.view.Etype.Brief(), f.view.Rep, f.bytes.Direct())
	}
}

// Provenance tells where bytes [lo, hi) of the file come from: a write with its
// rank, call, line, type, representation and whether it was synced; a hole; or
// what was there before the file was first opened. Writes that nobody has
// published are told of, too. The file system must have been made with
// [WithProvenance]. Local. Errors: ErrFile, ErrArg, ErrUnsupportedOperation.
func (f *File) Provenance(lo, hi int64) ([]consistency.Origin, error) {
	const op = "Provenance"
	if err := f.alive(op); err != nil {
		return nil, err
	}
	if f.set.ledger == nil {
		return nil, f.fail(op, noLedger())
	}
	all, err := f.set.ledger.Origins(lo, hi)
	if err != nil {
		return nil, f.fail(op, classified(err, ErrArg, "IO-DA-03"))
	}
	return all, nil
}

// Provenance is [File.Provenance] of the file called name, open or not.
// Errors: ErrNoSuchFile if nobody has opened it, ErrArg,
// ErrUnsupportedOperation.
func (s *FS) Provenance(name string, lo, hi int64) ([]consistency.Origin, error) {
	const op = "Provenance"
	if err := s.lock(); err != nil {
		return nil, report(op, -1, name, err)
	}
	l := s.whos[clean(name)]
	s.mu.Unlock()
	switch {
	case !s.opts.provenance:
		return nil, report(op, -1, name, noLedger())
	case l == nil:
		return nil, report(op, -1, name, broken(ErrNoSuchFile, "IO-NAME-01", "no file %q was opened in this file system", short(name)))
	}
	all, err := l.Origins(lo, hi)
	if err != nil {
		return nil, report(op, -1, name, classified(err, ErrArg, "IO-DA-03"))
	}
	return all, nil
}

// ProvenanceHead is the first line of what [FS.ExportProvenance] writes.
type ProvenanceHead struct {
	File   string `json:"file"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // of the bytes, so that a file that has changed since is known
}

// ExportProvenance writes to w where each published byte of the file called
// name comes from, as lines of JSON: a [ProvenanceHead], then an
// [consistency.Origin] for each stretch, in order. A file on disk does not know
// who wrote it; what is written here, kept beside the file under its name and
// ".who", is what commworld dump --who shows. No rank may be using the file.
// Errors: ErrNoSuchFile, ErrFileInUse, ErrUnsupportedOperation without
// [WithProvenance], those of the store and of w.
func (s *FS) ExportProvenance(name string, w io.Writer) error {
	const op = "ExportProvenance"
	name = clean(name)
	err := s.lock()
	if err == nil {
		err = s.unused(name)
		s.mu.Unlock()
	}
	if err == nil && w == nil {
		err = broken(ErrArg, "REP-INT-02", "the writer is nil")
	}
	if err == nil {
		err = s.giveProvenance(name, w)
	}
	if err != nil {
		return report(op, errclass.NoRank, name, classified(err, ErrIO, "REP-INT-02"))
	}
	return nil
}

func (s *FS) giveProvenance(name string, w io.Writer) error {
	sum := sha256.New()
	size, err := s.give(name, sum)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(guardedWriter{w})
	lines := json.NewEncoder(out)
	if err := lines.Encode(ProvenanceHead{name, size, fmt.Sprintf("%x", sum.Sum(nil))}); err != nil {
		return err
	}
	const window = 1 << 24
	var all []consistency.Origin
	for lo := int64(0); lo < size; lo += window {
		some, err := s.Provenance(name, lo, min(lo+window, size))
		if err != nil {
			return err
		}
		for _, o := range some {
			all = consistency.Join(all, o, o.Lo, o.Hi)
		}
	}
	for _, o := range all {
		if err := lines.Encode(o); err != nil {
			return err
		}
	}
	return out.Flush()
}

func noLedger() error {
	return broken(ErrUnsupportedOperation, "REP-INT-02", "nobody remembers who wrote; make the file system with iofile.WithProvenance()")
}

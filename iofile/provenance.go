package iofile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/race"
)

// ledgerOf returns the ledger of a file, nil if neither the file system wants one nor, if wanted
// is set, the world.
func (s *FS) ledgerOf(file *openFile, wanted bool) *race.Ledger {
	if !s.opts.tracks(Provenance) && !wanted {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := file.names[0]
	l := s.whos[name]
	if l == nil {
		l = race.NewLedger(file.image.Size())
		if s.whos == nil {
			s.whos = map[string]*race.Ledger{}
		}
		s.whos[name] = l
	}
	return l
}

// provenance is the listener that enters writes into the ledger of their file.
type provenance struct{}

func (provenance) Wants(handle any) journal.Kind {
	if handle.(*File).set.ledger == nil {
		return 0
	}
	return journal.Begun | journal.Done | journal.Cut | journal.Published | journal.Synced | journal.Closed | journal.Lost
}

func (provenance) Record(e *journal.Event) {
	f := e.Handle.(*File)
	l := f.set.ledger
	switch e.Kind {
	case journal.Begun, journal.Done:
		if e.Write {
			e.Entry = l.Write(f, f.thread.ID(), &e.Access, f.view.Etype.Brief(), f.view.Rep, f.bytes.Direct())
		}
	case journal.Cut:
		e.Entry = l.Resize(e.EndsAt, func(handle any) bool { return handle.(*File).set == f.set })
	case journal.Lost:
		l.Lose(f)
	case journal.Published:
		l.Publish(f, f.bytes.Kept()...)
	case journal.Synced:
		l.Sync(f, f.bytes.Kept()...)
	case journal.Closed:
		if e.Err == nil {
			l.Sync(f, f.bytes.Kept()...)
		} else { // part of it may be in the file
			l.Publish(f, f.bytes.Kept()...)
		}
	}
}

// Provenance returns where bytes [lo, hi) of the file come from: a write, with its rank,
// call, line, type, representation and whether it was synced; a hole; or the content of the
// file before it was first opened. Unpublished writes are included. The file system must
// have been made with [WithTracking]([Provenance]). Local. Errors: ErrFile, ErrArg,
// ErrUnsupportedOperation.
func (f *File) Provenance(lo, hi int64) ([]consistency.Origin, error) {
	const op = "Provenance"
	if err := f.to().alive(op); err != nil {
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
// Errors: ErrNoSuchFile if no rank has opened it, ErrArg,
// ErrUnsupportedOperation.
func (s *FS) Provenance(name string, lo, hi int64) ([]consistency.Origin, error) {
	const op = "Provenance"
	if err := s.lock(); err != nil {
		return nil, report(op, errclass.NoRank, name, err)
	}
	l := s.whos[clean(name)]
	s.mu.Unlock()
	switch {
	case !s.opts.tracks(Provenance):
		return nil, report(op, errclass.NoRank, name, noLedger())
	case l == nil:
		return nil, report(op, errclass.NoRank, name, broken(ErrNoSuchFile, "IO-NAME-01", "no file %q was opened in this file system", brief.Name(name)))
	}
	all, err := l.Origins(lo, hi)
	if err != nil {
		return nil, report(op, errclass.NoRank, name, classified(err, ErrArg, "IO-DA-03"))
	}
	return all, nil
}

// ProvenanceHead is the first line of the output of [FS.ExportProvenance].
type ProvenanceHead struct {
	File   string `json:"file"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // of the bytes, to find out whether the file has changed since
}

// ExportProvenance writes to w where each published byte of the file called name comes
// from, as lines of JSON: a [ProvenanceHead], then a [consistency.Origin] for each range,
// in order. A file on disk has no provenance; stored beside the file under its name and
// ".who", this output is what commworld dump --who shows. No rank may be using the file.
// Errors: ErrNoSuchFile, ErrFileInUse, ErrUnsupportedOperation without [WithTracking]([Provenance]),
// those of the store and of w.
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
	sum, err := newDigest()
	if err != nil {
		return err
	}
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
	return broken(ErrUnsupportedOperation, "REP-INT-02", "the writers of bytes are not tracked; make the file system with iofile.WithTracking(iofile.Provenance)")
}

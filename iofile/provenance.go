package iofile

import "github.com/commworld/commworld/consistency"

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
		f.set.ledger.Write(f, f.thread.ID(), a, f.view.Etype.String(), f.view.Rep, f.bytes.Direct())
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

func noLedger() error {
	return broken(ErrUnsupportedOperation, "", "nobody remembers who wrote; make the file system with iofile.WithProvenance()")
}

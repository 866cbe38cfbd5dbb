package iofile

import "github.com/commworld/commworld/iofile/store"

// A file system made [WithoutBytes] has files without bytes. An access passes all checks
// and meetings; its plan is made and counted, listeners are notified, and the file grows.
// Only the moving of bytes is left out.

// layoutsOnly reports whether the file has no bytes.
func (f *File) layoutsOnly() bool { return f.fsys != nil && f.fsys.opts.layoutsOnly }

// noBytes returns the error of something that needs the bytes of files without bytes.
func (s *FS) noBytes(what string) error {
	return broken(ErrUnsupportedOperation, "", "files made iofile.WithoutBytes cannot be %s", what)
}

// checkLayoutsOnly returns an error for a call that needs the bytes of the file.
func (f *File) checkLayoutsOnly() error {
	s := f.fsys
	switch _, mem := s.store.(*store.Mem); {
	case !mem:
		return s.noBytes("in a store; use iofile.NewMem")
	case s.opts.tracking != 0:
		return s.noBytes("made WithTracking")
	case f.amode.has(Sequential):
		return s.noBytes("opened Sequential")
	case f.thread.Exploring():
		return s.noBytes("used in a world that explores")
	}
	return nil
}

// checkKept returns an error for a read into memory of a file without bytes.
func (f *File) checkKept(a *access) error {
	if a.write || a.buf.Count() == 0 || !f.layoutsOnly() {
		return nil
	}
	return f.fsys.noBytes("read into memory; read into types.Fill")
}

// checkFilled checks a buffer without memory. Converting its bytes is not possible.
func (f *File) checkFilled(a *access) error {
	if err := a.buf.CheckFilled(f.c.Arch()); err != nil {
		return a.unfit(err)
	}
	if a.write && !f.view.plain && !f.layoutsOnly() {
		return broken(ErrUnsupportedOperation, "IO-DA-02", "types.Fill is not converted to representation %v; use one without conversion, or a file system made iofile.WithoutBytes", f.view.rep)
	}
	return nil
}

// moveLayout carries out an access to a file without bytes. If alone is true this rank plans
// it by itself.
func (f *File) moveLayout(a *access, alone bool) (int64, error) {
	part := f.view.part(a)
	switch {
	case !alone:
	case f.how.moves == nil:
		f.countDirect(&part, a.write)
	default:
		if _, err := f.planned(); err != nil && a.write {
			return f.hasPut(a, err)
		} else if err != nil {
			return 0, err
		}
	}
	if a.write {
		_, hi := part.At.Span(part.From, part.N)
		f.bytes.Reach(hi)
		a.moved = part.N
		return f.hasPut(a, nil)
	}
	n := part.At.Until(f.bytes.Size(), part.From, part.N)
	f.hasGot(a, n)
	if f.view.plain {
		return n, nil
	}
	_, size, _ := f.items(a, n)
	return size, nil
}

package iofile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/iofile/store"
)

// Import makes the bytes of r the file called name: byte 102 of r is byte 102 of the
// file. It replaces a file of that name when all bytes have been read and are on the
// storage device; after an error nothing has changed. To import a slice use
// bytes.NewReader. Not collective. Errors: ErrFileInUse if the file is open,
// ErrBadFile, ErrUnsupportedOperation if the store is not a [Renamer], those of the
// store and of r. (REP-INT-02)
func (s *FS) Import(name string, r io.Reader) error {
	name = clean(name)
	if err := s.take(name, r); err != nil {
		return report("Import", errclass.NoRank, name, classified(err, ErrIO, "REP-INT-02"))
	}
	return nil
}

func (s *FS) take(name string, r io.Reader) error {
	if err := s.lock(); err != nil {
		return err
	}
	err := nameError(name)
	if err == nil {
		err = s.unused(name)
	}
	s.imports++
	// Reading r may take any time, so no lock is held.
	temp := path.Join(path.Dir(name), fmt.Sprintf(".import-%d", s.imports))
	s.mu.Unlock()
	renamer, ok := s.store.(Renamer)
	switch {
	case err != nil:
		return err
	case r == nil:
		return broken(ErrArg, "REP-INT-02", "the reader is nil")
	case !ok:
		return broken(ErrUnsupportedOperation, "REP-INT-02", "the store, a %T, cannot rename files", unguarded(s.store))
	}
	if err := s.fill(temp, r); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err = s.unused(name); err == nil {
		err = renamer.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, s.store.Remove(temp))
	}
	s.forgetPast(name)
	return nil
}

// unused returns an error if the file is open. Called with s.mu held.
func (s *FS) unused(name string) error {
	if s.closed {
		return broken(ErrFile, "IO-NAME-01", "the file system is closed")
	}
	if s.open[name] != nil {
		return broken(ErrFileInUse, "REP-INT-02", "file %q is open; close it first", brief.Name(name))
	}
	return nil
}

// fill makes a file of the bytes of r; after an error there is no file.
func (s *FS) fill(name string, r io.Reader) error {
	const flags = FlagWrite | FlagCreate | FlagExcl
	b, err := s.store.Open(name, flags)
	if err != nil {
		if _, none := s.store.Stat(name); none == nil { // left by a process that was killed
			if err = s.store.Remove(name); err == nil {
				b, err = s.store.Open(name, flags)
			}
		}
	}
	if err != nil {
		return err
	}
	if _, err = io.CopyBuffer(io.NewOffsetWriter(b, 0), guardedReader{r}, make([]byte, pieceOf(r))); err == nil {
		err = b.Sync()
	}
	if err = errors.Join(err, b.Close()); err != nil {
		return errors.Join(err, s.store.Remove(name))
	}
	return nil
}

// pieceOf returns how many bytes of r to read at a time: not more than there are, if r has
// a length.
func pieceOf(r io.Reader) int {
	const most = 1 << 20
	return min(max(guardedReader{r}.length(most), 1), most)
}

// Export writes the published bytes of the file called name to w, as they are when Export
// is called, and returns how many there were. Bytes that no rank wrote are exported as they
// read. Not collective. Errors: ErrNoSuchFile, those of the store and of w. (REP-INT-02)
func (s *FS) Export(name string, w io.Writer) (int64, error) {
	name = clean(name)
	n, err := s.give(name, w)
	if err != nil {
		return n, report("Export", errclass.NoRank, name, classified(err, ErrIO, "REP-INT-02"))
	}
	return n, nil
}

func (s *FS) give(name string, w io.Writer) (n int64, err error) {
	if w == nil {
		return 0, broken(ErrArg, "REP-INT-02", "the writer is nil")
	}
	f, err := s.reader("export", name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := f.image.Open() // the version it has adopted does not change
	defer h.Abandon()
	for buf := make([]byte, 1<<20); ; {
		k, err := h.Read(everyByte, n, buf)
		if err == nil && k > 0 {
			var put int
			put, err = guardedWriter{w}.Write(buf[:k])
			k = int64(put)
		}
		if n += k; err != nil || k == 0 {
			return n, err
		}
	}
}

// ExportFile exports a file to a path of the operating system and replaces a file there in
// one step: whatever happens, either the old or the new file exists, and the new one is on
// the storage device when ExportFile returns. Bytes that no rank wrote become a hole and
// read as 0. Not collective. Errors: ErrNoSuchFile, those of the store and of the operating
// system. (REP-INT-02)
func (s *FS) ExportFile(name, to string) error {
	name = clean(name)
	if err := s.giveFile(name, to); err != nil {
		return report("ExportFile", errclass.NoRank, name, classified(systemOnly(err), ErrIO, "REP-INT-02"))
	}
	return nil
}

// systemOnly adds a class to errors of the operating system.
func systemOnly(err error) error {
	var c errclass.Class
	if errors.As(err, &c) {
		return err
	}
	return fault.System(err, ErrIO)
}

func (s *FS) giveFile(name, to string) (err error) {
	f, err := s.reader("export", name)
	if err != nil {
		return err
	}
	defer func() { err = fault.Join(err, f.Close()) }()
	temp, err := os.CreateTemp(filepath.Dir(to), ".export-*")
	if err != nil {
		return err
	}
	size, err := f.image.Walk(func(p []byte, off int64) error {
		_, err := temp.WriteAt(p, off)
		return err
	})
	for _, next := range []func() error{
		func() error { return temp.Truncate(size) },
		func() error { return temp.Chmod(0o644) },
		temp.Sync,
	} {
		if err == nil {
			err = next()
		}
	}
	if err = fault.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), to)
	}
	if err != nil {
		return fault.Join(err, os.Remove(temp.Name()))
	}
	dir, err := os.Open(filepath.Dir(to)) // to bring the name to the storage device
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Snapshot returns a new file system in memory with everything that has been published so
// far; later changes of one do not affect the other. Each file is copied at one moment, but
// two files may be copied at different moments if ranks publish meanwhile. It copies the
// pages that contain data; opening a file waits until it is done. Errors: those of the
// store, ErrFile for a closed file system.
func (s *FS) Snapshot() (*FS, error) {
	if err := s.lock(); err != nil {
		return nil, report("Snapshot", errclass.NoRank, "", err)
	}
	defer s.mu.Unlock()
	o := s.opts
	to := s.emptyCopy(&o)
	if err := s.copyDir(".", to, s.copyFile); err != nil {
		return nil, report("Snapshot", errclass.NoRank, "", classified(err, ErrIO, "REP-INT-02"))
	}
	return newFS(to, o), nil
}

// emptyCopy returns an empty store in memory whose holes read as those of s, and puts that into
// the options.
func (s *FS) emptyCopy(o *options) *store.Mem {
	o.mem = store.MemSettings{}
	if m, mem := s.store.(*store.Mem); mem {
		o.mem.Poison = m.Poison()
	}
	return store.NewMem(o.mem)
}

// copyDir copies a directory and its content; file copies one file. Called with s.mu held.
func (s *FS) copyDir(dir string, to *store.Mem, file func(name string, to *store.Mem) error) error {
	list, err := s.store.List(dir)
	if err != nil {
		return err
	}
	for _, info := range list {
		name := path.Join(dir, info.Name())
		switch {
		case info.IsDir():
			if err = to.Mkdir(name); err == nil {
				err = s.copyDir(name, to, file)
			}
		case info.Mode()&fs.ModeType == 0:
			err = file(name, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *FS) copyFile(name string, to *store.Mem) (err error) {
	f, err := s.attach(name, ReadOnly, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.letGo(f)) }()
	b, err := to.Open(name, FlagWrite|FlagCreate)
	if err != nil {
		return err
	}
	defer b.Close()
	size, err := f.image.Walk(func(p []byte, off int64) error {
		_, err := b.WriteAt(p, off)
		return err
	})
	if err != nil {
		return err
	}
	return b.SetSize(size)
}

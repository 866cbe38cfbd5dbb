package iofile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/careenv"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile/store"
)

// An FS is a file system: a store, and the files of it that are open. It outlives the
// worlds that use it. As a file system of package io/fs it shows published bytes; files
// opened that way do not count as open in MPI.
type FS struct {
	store Store
	opts  options

	mu      sched.Mutex
	open    map[string]*inUse
	forms   map[string]*written // by name: the forms of files, in use or not
	watch   map[watched]*race.Detector
	whos    map[string]*race.Ledger
	unsafe  map[string]*writeBack  // by name: changes that closing a file did not bring to the storage device
	deleted map[string]sched.Place // by name: where a Close deleted the file because of DeleteOnClose
	closed  bool
	imports int // number of imports so far
}

// NewFS returns the file system of the files in s. s must not be nil: then all calls would
// fail with ErrArg.
func NewFS(s Store, opts ...Option) *FS { return newFS(s, optionsOf(opts)) }

func newFS(s Store, o options) *FS {
	f := &FS{store: guarded(s), opts: o, open: make(map[string]*inUse), forms: make(map[string]*written)}
	if careenv.Sealed() && f.visits() != nil {
		careenv.Unchecked("iofile.NewFS with a store of the program")
	}
	return f
}

// made returns an error for a file system that no function of this package made.
func (s *FS) made() error {
	if s == nil || s.store == nil {
		return broken(ErrArg, "IO-OPEN-03", "the file system has no store; make it with iofile.NewMem, NewDir or NewFS")
	}
	return nil
}

// usable is made, and also returns an error for a call that the store of s makes.
func (s *FS) usable() error {
	if err := s.made(); err != nil {
		return err
	}
	return s.visits().refuse()
}

// visits returns the visits of a store of the user's own, nil for a store of this package.
func (s *FS) visits() *visits {
	switch g := s.store.(type) {
	case *guardedStore:
		return g.visits
	case *guardedRenamer:
		return g.visits
	}
	return nil
}

// lock takes s.mu, unless files of s cannot be used.
func (s *FS) lock() error {
	if err := s.usable(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return broken(ErrFile, "IO-NAME-01", "the file system is closed")
	}
	return nil
}

// An openFile is one collective open of a file.
type openFile struct {
	*inUse
	name string
}

// An inUse is a file that is in use: one image, however often it is opened.
type inUse struct {
	fsys     *FS
	image    *image.Image
	written  *written
	backing  Backing
	cache    *writeBack // the backing, if unsynced changes are recorded; else nil
	fallible bool       // accesses may fail because of the store
	readOnly error      // why it cannot be written, or nil

	// Guarded by fsys.mu.
	names   []string // names under which it was opened
	opens   int      // number of collective opens
	readers int      // number of users of package io/fs
	unique  bool     // opened with UniqueOpen

	// For worlds that explore, in which one rank runs at a time.
	writes       *race.WriteHistory
	strong, weak bool         // it was opened under another model than the weakest; under the weakest
	serial       *File        // one of the handles that have accessed it, while [File.serial] is true for all accesses; nil: none has
	mixed        bool         // it was false for an access
	sized        []string     // calls that moved an individual pointer when they began, by a size that may have been another one
	looked       map[int]look // by rank of the world
	stayed       string       // a collective call in which ranks stay, and before which one looked at the file that others did not know of
}

// A sameFiler is a backing that knows whether another one is the same file under a
// second name.
type sameFiler interface {
	SameFile(b Backing) bool
}

// openFile opens the file called name for one collective open.
func (s *FS) openFile(name string, amode Mode, perm fs.FileMode) (*openFile, error) {
	if err := s.lock(); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	f, err := s.attach(name, amode, perm)
	if err != nil {
		return nil, err
	}
	switch {
	case f.opens > 0 && f.unique:
		err = broken(ErrFileInUse, "IO-AMODE-07", "file %q is open with UniqueOpen", brief.Name(name))
	case f.opens > 0 && amode.has(UniqueOpen):
		err = broken(ErrFileInUse, "IO-AMODE-07", "file %q is open already, so it cannot be opened with UniqueOpen", brief.Name(name))
	case amode.writes() && f.readOnly != nil:
		err = f.readOnly
	}
	if err != nil {
		return nil, errors.Join(err, s.letGo(f))
	}
	f.opens++
	f.unique = amode.has(UniqueOpen)
	return &openFile{f, name}, nil
}

// attach returns the file called name, which it opens if it is not in use. Called with s.mu
// held; the caller must count itself as a user or call letGo.
func (s *FS) attach(name string, amode Mode, perm fs.FileMode) (*inUse, error) {
	if err := nameError(name); err != nil {
		return nil, err
	}
	if f := s.open[name]; f != nil {
		if amode.has(Create) && amode.has(Excl) {
			return nil, broken(ErrFileExists, "IO-AMODE-05", "file %q exists, and with Excl each open must make a new one: open it once, with the communicator of all its ranks, or leave Excl out", brief.Name(name))
		}
		return f, nil
	}
	f := &inUse{fsys: s}
	_, mem := s.store.(*store.Mem)
	f.fallible = !mem
	var err error
	made := s.opts.tracks(Crashes) && !s.exists(name)
	if f.backing, err = s.store.Open(name, flagsOf(amode)|FlagWrite|FlagPerm(perm)); err != nil && !amode.writes() {
		if c, _ := fault.ClassOf(err); c == ErrAccess || c == ErrReadOnly || c == ErrFileInUse { // the file may be a program that is running
			f.readOnly = err
			f.backing, err = s.store.Open(name, 0)
		}
	}
	if err != nil {
		return nil, s.whyMissing(name, err)
	}
	delete(s.deleted, name)
	if s.opts.tracks(Crashes) {
		f.cache = newWriteBack(f.backing, made)
		f.backing = f.cache
	}
	return s.enter(name, f), nil
}

// deletedAt notes the line of the Close that deleted a file because of DeleteOnClose.
func (s *FS) deletedAt(name string, at sched.Place) {
	const most = 1024
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deleted == nil {
		s.deleted = map[string]sched.Place{}
	}
	if len(s.deleted) < most {
		s.deleted[name] = at
	}
}

// whyMissing returns err, or if a Close has deleted the file because of DeleteOnClose, an
// error that says so. Called with s.mu held.
func (s *FS) whyMissing(name string, err error) error {
	at, ok := s.deleted[name]
	if c, _ := fault.ClassOf(err); !ok || c != ErrNoSuchFile {
		return err
	}
	return broken(ErrNoSuchFile, "IO-AMODE-06", "file %q was deleted when it was closed at %v, because it was opened with DeleteOnClose; leave DeleteOnClose out to keep the file",
		brief.Name(name), at)
}

// exists reports whether something is called name.
func (s *FS) exists(name string) bool {
	_, err := s.store.Stat(name)
	return err == nil
}

// enter adds f to the files in use, unless its file is there already by another name, and
// returns that one or f.
func (s *FS) enter(name string, f *inUse) *inUse {
	if b, ok := f.backing.(sameFiler); ok {
		for _, other := range s.open {
			if b.SameFile(other.backing) {
				f.backing.Close() // nothing was written through it
				f = other
				break
			}
		}
	}
	if f.image == nil {
		if v := s.unsafe[name]; v != nil {
			v.backing = f.cache.backing
			f.backing, f.cache = v, v
		}
		f.image = image.NewImage(f.backing)
	}
	if f.written == nil {
		if f.written = s.forms[name]; f.written == nil {
			f.written = new(written)
			s.forms[name] = f.written
		}
	}
	f.names = append(f.names, name)
	s.open[name] = f
	return f
}

func flagsOf(amode Mode) OpenFlag {
	var flag OpenFlag
	if amode.has(Create) {
		flag |= FlagCreate
	}
	if amode.has(Excl) {
		flag |= FlagExcl
	}
	return flag
}

// release ends one collective open; with remove, the file is first deleted as [Delete]
// would, unless its name is already gone. The open ends whatever release returns.
func (f *openFile) release(remove bool) error {
	s := f.fsys
	s.mu.Lock()
	defer s.mu.Unlock()
	f.opens-- // before the deletion, which this open must not prevent
	f.unique = false
	var err error
	if remove && s.open[f.name] == f.inUse {
		err = s.unlink(f.name, "IO-AMODE-06")
		if c, _ := fault.ClassOf(err); err != nil && c == ErrNoSuchFile {
			err = nil // another open has deleted it
			delete(s.open, f.name)
		}
	}
	return fault.Join(err, s.letGo(f.inUse))
}

// unlink removes the name of a file, unless the file is open and strict deletion forbids
// it. Called with s.mu held.
func (s *FS) unlink(name, rule string) error {
	if f := s.open[name]; f != nil && f.opens > 0 && s.opts.strictDelete {
		return broken(ErrFileInUse, rule, "file %q is open", brief.Name(name))
	}
	if err := s.store.Remove(name); err != nil {
		return err
	}
	delete(s.open, name)
	s.forgetPast(name)
	return nil
}

// forgetPast removes everything remembered about the file that was called name until now.
// Called with s.mu held.
func (s *FS) forgetPast(name string) {
	delete(s.forms, name)
	s.forgetWatch(name)
	delete(s.whos, name)
	delete(s.unsafe, name)
}

// letGo closes f if it is not in use. Called with s.mu held, also while closing syncs the
// store: otherwise the file could be opened meanwhile, which stores need not allow, and two
// images would be two files.
func (s *FS) letGo(f *inUse) error {
	if f.opens > 0 || f.readers > 0 {
		return nil
	}
	names := slices.DeleteFunc(f.names, func(name string) bool { return s.open[name] != f }) // names that were not deleted since
	for _, name := range names {
		delete(s.open, name)
	}
	if v := f.cache; v != nil {
		defer s.remember(v, names) // runs even if the store ends the goroutine
	}
	var err error
	if f.writes != nil {
		err = f.writes.Apply(f.image, s.whos[f.names[0]])
	}
	if closed := f.image.Close(); closed != nil {
		err = closed
	}
	return err
}

// contents returns how many contents f may have when the present open closes it: the order of racing
// writes may be open.
func (f *inUse) contents() int {
	f.fsys.mu.Lock()
	defer f.fsys.mu.Unlock()
	if f.writes == nil || f.opens > 1 || !slices.ContainsFunc(f.names, func(name string) bool { return f.fsys.open[name] == f }) {
		return 1
	}
	return f.writes.Endings()
}

// remove deletes the file called name. If it is open its bytes remain until the last close.
func (s *FS) remove(name string) error {
	if err := s.lock(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if err := nameError(name); err != nil {
		return err
	}
	return s.unlink(name, "IO-DEL-02")
}

// Mkdir makes a directory; its parent must exist. Errors: ErrFileExists, ErrNoSuchFile,
// ErrBadFile, ErrFile after Close, those of the store.
func (s *FS) Mkdir(name string) error {
	if err := s.lock(); err != nil {
		return pathError("mkdir", name, err)
	}
	defer s.mu.Unlock()
	name = clean(name)
	err := nameError(name)
	if err == nil {
		err = s.store.Mkdir(name)
	}
	return pathError("mkdir", name, err)
}

// Close gives the file system up; other processes may then use the directory. Closing it
// again does nothing. Errors: ErrFileInUse while files are open.
func (s *FS) Close() error {
	if err := s.usable(); err != nil {
		return report("Close", errclass.NoRank, "", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	for name, f := range s.open {
		return report("Close", errclass.NoRank, name, broken(ErrFileInUse, "IO-OPEN-08",
			"the file is still open (%d collective opens, %d readers); close it first", f.opens, f.readers))
	}
	s.closed = true
	if err := s.store.Close(); err != nil {
		return report("Close", errclass.NoRank, "", classified(err, ErrIO, "IO-NAME-01"))
	}
	return nil
}

// nameError returns an error for a name that no store can have.
func nameError(name string) error {
	const longest, longestPart = 4095, 255
	switch {
	case name == "":
		return broken(ErrBadFile, "IO-NAME-01", "name \"\" is empty; give the path of a file inside the file system")
	case name == ".":
		return broken(ErrBadFile, "IO-NAME-01", "name %q is the directory itself", name)
	case path.IsAbs(name):
		return broken(ErrBadFile, "IO-NAME-01", "name %q is absolute; names are relative to the file system given to Open", brief.Name(name))
	case !validPath(name):
		return broken(ErrBadFile, "IO-NAME-01", "name %q is not a path inside the file system, with / between its parts", brief.Name(name))
	case len(name) > longest:
		return broken(ErrBadFile, "IO-NAME-01", "the name has %d bytes, more than %d", len(name), longest)
	}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > longestPart {
			return broken(ErrBadFile, "IO-NAME-01", "part %.20q... of the name has %d bytes, more than %d", part, len(part), longestPart)
		}
	}
	return nil
}

// validPath is [fs.ValidPath] without names that a file of this system cannot have, such as
// those with a backslash on Windows.
func validPath(name string) bool {
	_, err := filepath.Localize(name)
	return err == nil
}

// pathError returns err as an error of package io/fs, which still wraps its class.
func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	class, _ := fault.ClassOf(err)
	return &fs.PathError{Op: op, Path: name, Err: fault.WithClass(class, err)}
}

// Open opens a file or directory to read its published bytes.
func (s *FS) Open(name string) (fs.File, error) {
	if !validPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	info, err := s.Stat(name)
	if err != nil {
		return nil, pathError("open", name, errors.Unwrap(err))
	}
	if info.IsDir() {
		return &fsDir{fsys: s, name: name}, nil
	}
	return s.reader("open", name)
}

func (s *FS) reader(op, name string) (*fsFile, error) {
	if err := s.lock(); err != nil {
		return nil, pathError(op, name, err)
	}
	defer s.mu.Unlock()
	if s.opts.layoutsOnly {
		return nil, pathError(op, name, s.noBytes("read outside of MPI"))
	}
	f, err := s.attach(name, ReadOnly, 0)
	if err != nil {
		return nil, pathError(op, name, err)
	}
	f.readers++
	return &fsFile{inUse: f, name: name}, nil
}

// Stat describes the file or directory called name.
func (s *FS) Stat(name string) (fs.FileInfo, error) {
	if err := s.lockValid("stat", name); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	info, err := s.store.Stat(name)
	if err != nil {
		return nil, pathError("stat", name, s.whyMissing(name, err))
	}
	return s.describe(name, info), nil
}

// lockValid is lock for a call of package io/fs, if name is valid.
func (s *FS) lockValid(op, name string) error {
	if !validPath(name) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return pathError(op, name, s.lock())
}

// describe puts the published size of a file in use into info.
func (s *FS) describe(name string, info fs.FileInfo) fs.FileInfo {
	size := info.Size()
	if f := s.open[name]; f != nil {
		size = f.image.Size()
	}
	return store.Info(path.Base(name), size, info.Mode(), info.ModTime())
}

// ReadDir lists a directory, sorted by name.
func (s *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := s.lockValid("readdir", name); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	infos, err := s.store.List(name)
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	list := make([]fs.DirEntry, len(infos))
	for i, info := range infos {
		list[i] = fs.FileInfoToDirEntry(s.describe(path.Join(name, info.Name()), info))
	}
	return list, nil
}

// ReadFile returns all published bytes of a file. Errors: as Open, ErrNoMem for
// a file too large to hold.
func (s *FS) ReadFile(name string) ([]byte, error) {
	if !validPath(name) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	f, err := s.reader("read", name)
	if err != nil {
		return nil, err
	}
	p, err := roomFor(f.image.Size())
	if err != nil {
		return nil, errors.Join(pathError("read", name, err), f.Close())
	}
	n, err := f.ReadAt(p, 0)
	if err == io.EOF {
		err = nil
	}
	return p[:n], errors.Join(err, f.Close())
}

// An fsFile is a file open for reading through package io/fs.
type fsFile struct {
	*inUse
	name   string
	off    int64
	closed bool
}

func (f *fsFile) Stat() (fs.FileInfo, error) { return f.fsys.Stat(f.name) }

func (f *fsFile) ReadAt(p []byte, off int64) (int, error) {
	if f.closed {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrClosed}
	}
	if err := f.fsys.usable(); err != nil {
		return 0, pathError("read", f.name, err)
	}
	n, err := f.image.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = pathError("read", f.name, err)
	}
	return n, err
}

func (f *fsFile) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.off)
	f.off += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (f *fsFile) Seek(off int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		off += f.off
	case io.SeekEnd:
		off += f.image.Size()
	}
	if off < 0 || whence < io.SeekStart || whence > io.SeekEnd {
		return f.off, &fs.PathError{Op: "seek", Path: f.name, Err: fs.ErrInvalid}
	}
	f.off = off
	return off, nil
}

func (f *fsFile) Close() error {
	s := f.fsys
	if err := s.usable(); err != nil {
		return pathError("close", f.name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.closed {
		return &fs.PathError{Op: "close", Path: f.name, Err: fs.ErrClosed}
	}
	f.closed = true
	f.readers--
	return pathError("close", f.name, s.letGo(f.inUse))
}

// An fsDir is a directory open for listing.
type fsDir struct {
	fsys *FS
	name string
	rest []fs.DirEntry
	read bool
}

func (d *fsDir) Stat() (fs.FileInfo, error) { return d.fsys.Stat(d.name) }
func (d *fsDir) Close() error               { return nil }

func (d *fsDir) Read([]byte) (int, error) {
	return 0, pathError("read", d.name, broken(ErrBadFile, "IO-NAME-01", "%q is a directory", brief.Name(d.name)))
}

// ReadDir implements [fs.ReadDirFile].
func (d *fsDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if !d.read {
		list, err := d.fsys.ReadDir(d.name)
		if err != nil {
			return nil, err
		}
		d.rest, d.read = list, true
	}
	if n <= 0 {
		n = len(d.rest)
	} else if len(d.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.rest))
	list := d.rest[:n:n]
	d.rest = d.rest[n:]
	return list, nil
}

// String returns the name of the file system for messages.
func (s *FS) String() string {
	if s.made() != nil {
		return "no file system"
	}
	return fmt.Sprintf("%T", unguarded(s.store)) + s.faultText()
}

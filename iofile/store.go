package iofile

import (
	"io/fs"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile/store"
)

// A Store keeps files by name: slash-separated paths as [fs.ValidPath] defines. [store.Store]
// has its contract. During a call of its methods the [FS], and the bytes of a file, are
// locked: if a method uses its FS, a [File] of any FS, or a communicator or request of package
// comm, it gets ErrOther. (REP-USR-10)
type Store = store.Store

// A Backing keeps the published bytes of one file: offsets and sizes in bytes, ReadAt and
// WriteAt as in package io; [store.Backing] has its contract.
type Backing = store.Backing

// A Renamer is a [Store] that can rename a file, replacing the file that had the new name,
// in one step. [FS.Import] needs it.
type Renamer = store.Renamer

// DirSettings says how [NewDir] uses its directory; see [WithDir].
type DirSettings = store.DirSettings

// OpenFlag says how [Store].Open opens a file, and the permissions of a file that it makes;
// see [FlagPerm].
type OpenFlag = store.OpenFlag

// Flags of [Store].Open.
const (
	FlagWrite  = store.FlagWrite  // for writing, too
	FlagCreate = store.FlagCreate // make the file, empty, if it does not exist
	FlagExcl   = store.FlagExcl   // with FlagCreate: the file must not exist
)

// FlagPerm returns the flag for a file's permissions; with 0 the store chooses them.
func FlagPerm(perm fs.FileMode) OpenFlag { return store.FlagPerm(perm) }

// NewMem returns an empty file system in memory. Files are sparse: they may be as long as
// [extent.MaxSize], and hold memory only where something was written.
func NewMem(opts ...Option) *FS {
	o := optionsOf(opts)
	return newFS(store.NewMem(o.mem), o)
}

// NewMemStore returns the store of [NewMem], to be wrapped by another one.
func NewMemStore(opts ...Option) Store { return store.NewMem(optionsOf(opts).mem) }

// NewDir returns the file system of the real files below the directory path, which must
// exist. No name, and no symbolic link, leads out of it. Bytes of a handle that synced
// or closed are on the storage device, and so are the names of the file and of the
// directories above it. The directory is locked against other processes, and against a
// second NewDir, until [FS.Close]. The lock covers that directory alone: you must make
// sure yourself that no other process uses a directory below it. Published bytes that
// no rank wrote read as the system has them, which is 0. Errors: ErrNoSuchFile,
// ErrBadFile if path is not a directory, ErrAccess, ErrFileInUse if it is locked,
// ErrUnsupportedOperation if it cannot be locked; [WithDir] can turn off the lock, and
// the waiting for the device. On Windows directories cannot be synced, so that names
// last when its file system says so; a file .commworld.lock stays behind; and a path
// through a file is ErrNoSuchFile.
func NewDir(path string, opts ...Option) (*FS, error) {
	o := optionsOf(opts)
	s, err := store.NewDir(path, o.dir)
	if err != nil {
		return nil, report("NewDir", errclass.NoRank, path, err)
	}
	return newFS(s, o), nil
}

// NewDirStore returns the store of [NewDir], to be wrapped by another one. Errors: as NewDir.
func NewDirStore(path string, opts ...Option) (Store, error) {
	s, err := store.NewDir(path, optionsOf(opts).dir)
	if err != nil {
		return nil, report("NewDirStore", errclass.NoRank, path, err)
	}
	return s, nil
}

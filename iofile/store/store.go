package store

import (
	"io/fs"
	"time"
)

// A Store keeps files by name: slash-separated paths as [fs.ValidPath] defines. A file system
// makes one call at a time and opens a file once however many ranks use it, so a store need
// not know about MPI, and one store can wrap another, for logging or for failing. During a
// call the file system, and the bytes of a file, are locked: a method that uses a file system,
// a file handle, a communicator or a request gets an error of class OTHER. (REP-USR-10)
//
// Errors wrap the class that MPI_File_open and the other calls report: [errclass.NoSuchFile],
// FileExists, BadFile for a name that is a directory or impossible, Access, ReadOnly, NoSpace,
// Quota, FileInUse. Errors without a class count as [errclass.IO].
type Store interface {
	// Open opens the file called name. It is closed before it is opened again.
	Open(name string, flag OpenFlag) (Backing, error)
	// Remove removes the name. The bytes of an open file stay until it is closed.
	Remove(name string) error
	// Stat describes the file or directory called name; "." is the root.
	Stat(name string) (fs.FileInfo, error)
	// List describes the entries of a directory, sorted by name.
	List(dir string) ([]fs.FileInfo, error)
	// Mkdir makes a directory; its parent must exist.
	Mkdir(name string) error
	// Close gives the store up. No file is open then.
	Close() error
}

// A Backing keeps the published bytes of one file: offsets and sizes in bytes, ReadAt and
// WriteAt as in package io. Errors that wrap an error class keep it; all others count as
// input/output errors. A backing may also have a method Poison() byte: the value of bytes
// that were never written.
//
// Calls come from many ranks at once. Two calls for the same 64 KiB of the file never
// overlap unless both only read; SetSize, when it cuts, excludes all other calls. Size and
// Sync may be called at any time.
type Backing interface {
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	Size() int64
	SetSize(n int64) error
	Sync() error // brings written bytes to the storage device
	Close() error
}

// OpenFlag says how [Store].Open opens a file, and the permissions of a file that it makes;
// see [FlagPerm].
type OpenFlag uint32

// Flags of [Store].Open.
const (
	FlagWrite  OpenFlag = 1 << iota // for writing, too
	FlagCreate                      // make the file, empty, if it does not exist
	FlagExcl                        // with FlagCreate: the file must not exist
)

// A Renamer is a [Store] that can rename a file, replacing the file that had the new name,
// in one step. Neither file is open.
type Renamer interface{ Rename(from, to string) error }

const permShift = 16 // of permissions in an OpenFlag

// FlagPerm returns the flag for a file's permissions; with 0 the store chooses them.
func FlagPerm(perm fs.FileMode) OpenFlag { return OpenFlag(perm.Perm()) << permShift }

// Perm returns the permissions of [FlagPerm], 0 if the store chooses them.
func (f OpenFlag) Perm() fs.FileMode { return fs.FileMode(f >> permShift) }

// info describes a file of a store.
type info struct {
	name string
	size int64
	mode fs.FileMode
	time time.Time
}

// Info describes a file or directory of a store, for [Store].Stat and [Store].List.
func Info(name string, size int64, mode fs.FileMode, modTime time.Time) fs.FileInfo {
	return info{name, size, mode, modTime}
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.time }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }

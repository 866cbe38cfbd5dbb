// Package storetest tests that an [iofile.Store] keeps its promises, as
// testing/fstest does for io/fs: a program that works on one store then works on
// all of them.
//
// Start here: one call in a test of your store.
//
//	storetest.Run(t, func(tb testing.TB) iofile.Store { return newStore(tb.TempDir()) })
//
// # Borders
//
// Calls of ranks on files are not tested here: package iofile makes one image of each file
// and never makes two calls of a store at the same time.
package storetest

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/iofile"
)

const (
	write  = iofile.FlagWrite
	create = iofile.FlagWrite | iofile.FlagCreate
	excl   = create | iofile.FlagExcl
)

// Run runs subtests, each on a store that mk makes, empty and new.
func Run(t *testing.T, mk func(testing.TB) iofile.Store) {
	for _, test := range []struct {
		name string
		run  func(s *subject)
	}{
		{"opening", (*subject).opening},
		{"bytes", (*subject).bytes},
		{"far apart", (*subject).far},
		{"removing", (*subject).removing},
		{"renaming", (*subject).renaming},
		{"directories", (*subject).directories},
		{"closing", (*subject).closing},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(&subject{t, mk(t)}) })
	}
}

// A subject is a store under test.
type subject struct {
	*testing.T
	iofile.Store
}

// fine ends the test at an error after which the rest makes no sense.
func (s *subject) fine(err error, what string) {
	s.Helper()
	if err != nil {
		s.Fatalf("%s: %v", what, err)
	}
}

// refused checks that err is an error of a class.
func (s *subject) refused(err error, want errclass.Class, what string) {
	s.Helper()
	if err == nil {
		s.Errorf("%s succeeds; want an error of class %s", what, want.Name())
	} else if got := iofile.ClassOf(err); got != want {
		s.Errorf("%s fails with class %s, want %s: %v", what, got.Name(), want.Name(), err)
	}
}

func (s *subject) is(got, want any, what string) {
	s.Helper()
	if got != want {
		s.Errorf("%s: %v, want %v", what, got, want)
	}
}

func (s *subject) open(name string, flag iofile.OpenFlag) iofile.Backing {
	s.Helper()
	b, err := s.Store.Open(name, flag)
	s.fine(err, "open "+name)
	return b
}

func (s *subject) put(b iofile.Backing, text string, off int64) {
	s.Helper()
	n, err := b.WriteAt([]byte(text), off)
	s.fine(err, "write")
	s.is(n, len(text), "bytes written")
}

// text is all bytes of a small file.
func (s *subject) text(b iofile.Backing) string {
	s.Helper()
	p := make([]byte, b.Size()+1)
	n, err := b.ReadAt(p, 0)
	if err != io.EOF {
		s.Errorf("reading beyond the end: %v, want io.EOF", err)
	}
	return string(p[:n])
}

func second[T any](_ T, err error) error { return err }

func (s *subject) opening() {
	s.refused(second(s.Open("f", write)), iofile.ErrNoSuchFile, "opening a missing file")
	s.refused(second(s.Open("f", write|iofile.FlagExcl)), iofile.ErrNoSuchFile, "FlagExcl alone makes nothing, so opening")
	b := s.open("f", excl)
	s.is(b.Size(), int64(0), "size of a new file")
	s.put(b, "kept", 0)
	s.fine(b.Sync(), "sync")
	s.fine(b.Close(), "close")
	s.refused(second(s.Open("f", excl)), iofile.ErrFileExists, "opening an existing file with FlagExcl")
	b = s.open("f", create)
	s.is(s.text(b), "kept", "FlagCreate on an existing file")
	s.fine(b.Close(), "close")
	b = s.open("f", 0)
	s.is(s.text(b), "kept", "opened for reading")
	s.fine(b.Close(), "close")
}

func (s *subject) bytes() {
	b := s.open("f", create)
	const far = 3*image.PageSize - 2
	s.put(b, "abcdef", 0)
	s.put(b, "across", far)
	s.put(b, "XY", 2)
	s.is(b.Size(), int64(far+6), "size")
	p := make([]byte, 6)
	n, err := b.ReadAt(p, far)
	s.is(string(p[:n]), "across", "bytes in two pages")
	if err != nil && err != io.EOF {
		s.Errorf("reading up to the end: %v", err)
	}
	for _, c := range []struct {
		off  int64
		want string
	}{{far + 4, "ss"}, {far + 6, ""}, {far + 400, ""}} {
		n, err = b.ReadAt(p, c.off)
		s.is(string(p[:n]), c.want, fmt.Sprint("bytes from ", c.off))
		s.is(err, io.EOF, "and beyond the end")
	}
	s.fine(b.SetSize(4), "cut")
	s.is(s.text(b), "abXY", "after the cut")
	s.fine(b.SetSize(6), "grow")
	s.is(b.Size(), int64(6), "size")
	text := s.text(b)
	s.is(text[:4], "abXY", "after growing")
	if text[4:] == "ef" {
		s.Errorf("bytes that were cut off come back")
	}
	s.fine(b.Close(), "close")
}

// far asks for a file larger than any disk.
func (s *subject) far() {
	const off = 1 << 40
	b := s.open("f", create)
	s.put(b, "near", 0)
	s.put(b, "far", off)
	s.is(b.Size(), int64(off+3), "size")
	p := make([]byte, 3)
	_, err := b.ReadAt(p, off)
	if err != nil && err != io.EOF {
		s.Errorf("read: %v", err)
	}
	s.is(string(p), "far", "bytes")
	if sparse, ok := b.(image.Sparse); ok {
		if next := sparse.NextData(image.PageSize * 100); next > off {
			s.Errorf("NextData says that nothing was written before %d; something was at %d", next, int64(off))
		}
	}
	s.fine(b.SetSize(0), "cut")
	s.fine(b.Close(), "close")
}

func (s *subject) removing() {
	s.refused(s.Remove("f"), iofile.ErrNoSuchFile, "removing a missing file")
	b := s.open("f", create)
	s.put(b, "old", 0)
	s.fine(s.Remove("f"), "remove")
	s.refused(second(s.Stat("f")), iofile.ErrNoSuchFile, "looking at a removed file")
	s.is(s.text(b), "old", "bytes of a removed file that is open")
	next := s.open("f", create)
	s.is(next.Size(), int64(0), "size of a new file of that name")
	s.put(next, "new", 0)
	s.is(s.text(b), "old", "bytes of the removed file")
	s.fine(b.Close(), "close")
	s.is(s.text(next), "new", "bytes of the new file")
	s.fine(next.Close(), "close")
}

// renaming tests stores that can rename files.
func (s *subject) renaming() {
	r, ok := s.Store.(iofile.Renamer)
	if !ok {
		s.Skip("the store is no Renamer, so FS.Import will not work")
	}
	s.fine(s.Mkdir("d"), "mkdir")
	for _, name := range []string{"a", "b"} {
		b := s.open(name, create)
		s.put(b, "bytes of "+name, 0)
		s.fine(b.Close(), "close")
	}
	s.refused(r.Rename("x", "y"), iofile.ErrNoSuchFile, "renaming a missing file")
	s.refused(r.Rename("a", "d"), iofile.ErrBadFile, "taking the place of a directory")
	s.fine(r.Rename("a", "b"), "rename")
	s.fine(r.Rename("b", "d/c"), "rename into a directory")
	for _, name := range []string{"a", "b"} {
		s.refused(second(s.Stat(name)), iofile.ErrNoSuchFile, "looking at "+name)
	}
	b := s.open("d/c", 0)
	s.is(s.text(b), "bytes of a", "after two renames")
	s.fine(b.Close(), "close")
}

func (s *subject) directories() {
	s.refused(second(s.Open("d/f", create)), iofile.ErrNoSuchFile, "making a file in no directory")
	s.fine(s.Mkdir("d"), "mkdir")
	s.refused(s.Mkdir("d"), iofile.ErrFileExists, "making an existing directory")
	s.refused(s.Mkdir("x/y"), iofile.ErrNoSuchFile, "making a directory in none")
	for _, name := range []string{"d/g", "d/f", "b", "e"} {
		s.fine(s.open(name, create).Close(), "close")
	}
	s.refused(second(s.Open("d", write)), iofile.ErrBadFile, "opening a directory")
	if runtime.GOOS != "windows" { // it says the same of a file and of a directory that is not there
		s.refused(second(s.Open("b/f", create)), iofile.ErrBadFile, "making a file in a file")
	}
	s.refused(s.Remove("d"), iofile.ErrBadFile, "removing a directory")
	for dir, want := range map[string]string{".": "b d/ e", "d": "f g"} {
		list, err := s.List(dir)
		s.fine(err, "list")
		var names []string
		for _, i := range list {
			name := i.Name()
			if i.IsDir() {
				name += "/"
			}
			names = append(names, name)
		}
		s.is(strings.Join(names, " "), want, "the names in "+dir)
	}
	s.refused(second(s.List("nowhere")), iofile.ErrNoSuchFile, "listing a missing directory")
	for _, dir := range []string{"d", "."} {
		info, err := s.Stat(dir)
		s.fine(err, "stat")
		s.is(info.IsDir(), true, dir+" is a directory")
	}
	b := s.open("e", create)
	s.put(b, "12345", 0)
	s.fine(b.Close(), "close")
	info, err := s.Stat("e")
	s.fine(err, "stat")
	s.is(info.Size(), int64(5), "size of e")
}

func (s *subject) closing() {
	b := s.open("f", create)
	s.put(b, "x", 0)
	s.fine(errors.Join(b.Sync(), b.Close()), "sync and close")
	s.fine(s.Close(), "closing the store")
}

//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include <stdlib.h>
#include "frame.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/world/c/internal/table"
)

// A Program is a C program that commworldcc made.
type Program struct {
	Options

	path       string
	image      []byte // the shared object
	argv       []string
	lines      *lineTable
	ownThreads bool // each rank has a thread of its own

	line []string // the command of a process; nil if the ranks run in this process

	mu      sync.Mutex
	dirs    map[string]*iofile.FS // by directory
	copies  []loaded
	ranks   []*rank        // of the runs so far
	deleted map[string]int // the rank that has deleted a file last
	crashed atomic.Bool    // a rank was interrupted in C code, by a signal or because it was stopped
	signal  atomic.Bool    // one of them by a signal
	uses    fileUses
	clock   atomic.Bool // a rank has read a clock that counts its readings

	heldBack  []string              // notes about threads that waited for others of their process
	waiting   []*process            // started, and not yet a rank's
	processes []*process            // that have ended
	tables    map[string]*lineTable // of files that processes have mapped
}

// functions lists the functions in the order of their numbers in stubs.c, each with its
// handler; number fills in the handlers.
var functions []function

var number = sync.OnceFunc(func() {
	list, err := table.All()
	if err != nil {
		panic(err) // the generator has parsed the same text
	}
	for _, f := range list {
		h := function{name: "MPI_" + f.Name, do: handlers[f.Name], anytime: anytime[f.Name] || integerCalls[f.Name] != nil}
		h.writes = strings.HasPrefix(f.Name, "File_") && (strings.Contains(f.Name, "write") || f.Name == "File_set_size" || f.Name == "File_preallocate")
		h.communicates = messageCalls[f.Name] != nil || collectiveCalls[f.Name] != nil || fileCalls[f.Name] != nil
		if h.do == nil {
			h.do, h.anytime = unsupported, true
		}
		functions = append(functions, h)
	}
})

var signals = sync.OnceFunc(func() { C.commworld_signals() })

// Open reads the shared object of a program, which gets args after its name. Errors:
// those of reading the file, and one for a file that commworldcc did not make.
func Open(path string, args ...string) (*Program, error) {
	image, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines, err := newLineTable(path)
	if err != nil {
		return nil, fmt.Errorf("%s is not a shared object (%w): make it by commworldcc prog.c -o prog.so", path, err)
	}
	number()
	signals()
	return &Program{path: path, image: image, argv: append([]string{path}, args...), lines: lines, ownThreads: seesThreads(image), dirs: map[string]*iofile.FS{}}, nil
}

// Again returns the program for one more run: its variables are as the file has them, and it
// knows nothing of earlier runs. It has the same options.
func (p *Program) Again() *Program {
	return &Program{Options: p.Options, path: p.path, image: p.image, argv: p.argv, line: p.line, lines: p.lines, ownThreads: p.ownThreads, tables: p.tables, dirs: map[string]*iofile.FS{}}
}

// Rank is the body of a rank that runs the program's main. It returns nil if main
// returned 0, or the rank called exit(0) after MPI_Finalize. Errors: *[ExitError],
// *[SignalError], those of calls that ended the world, and that of loading the program.
func (p *Program) Rank(ctx context.Context, c *comm.Comm) error {
	if p.ownThreads {
		return sched.OnThread(port.Thread(c), func() error { return p.rank(ctx, c) })
	}
	return p.rank(ctx, c)
}

func (p *Program) rank(ctx context.Context, c *comm.Comm) error {
	debug.SetPanicOnFault(true) // a bad address that a program passes to MPI is an error of that rank
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	newRank := newRank
	if p.line != nil {
		newRank = newProcessRank
	}
	r, err := newRank(ctx, p, c)
	if err != nil {
		return err
	}
	return r.main()
}

// A loaded is a private copy of a program.
type loaded struct {
	file   *os.File // kept open, because the loader takes two copies for one if their names are equal
	handle unsafe.Pointer
}

// load makes a private copy of the program, which lasts until the program is closed.
func (p *Program) load() (main unsafe.Pointer, base uintptr, err error) {
	fd, err := unix.MemfdCreate(filepath.Base(p.path), unix.MFD_CLOEXEC)
	if err != nil {
		return nil, 0, fmt.Errorf("memfd_create: %w", err)
	}
	file := os.NewFile(uintptr(fd), p.path)
	var message *C.char
	if _, err := file.Write(p.image); err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	strangers.Store(p)
	handle := C.commworld_load(C.int(fd), &message)
	if handle == nil {
		defer C.free(unsafe.Pointer(message))
		return nil, 0, errors.Join(fmt.Errorf("%s: %s", p.path, C.GoString(message)), file.Close())
	}
	p.mu.Lock()
	p.copies = append(p.copies, loaded{file, handle})
	p.mu.Unlock()
	name := C.CString("main")
	defer C.free(unsafe.Pointer(name))
	main = C.commworld_symbol(handle, name)
	base = uintptr(C.commworld_base(main))
	if main == nil || base == 0 {
		return nil, 0, fmt.Errorf("%s has no main", p.path)
	}
	return main, base, nil
}

// strangers is the program whose line a report names if a thread that is not a rank calls
// MPI.
var strangers atomic.Pointer[Program]

// commworldStranger prints, with the line, that a thread which is not a rank called MPI.
//
//export commworldStranger
func commworldStranger(address, base uintptr) {
	at := ""
	if p := strangers.Load(); p != nil {
		if place := p.lines.chain([]uint64{uint64(address - base)}); !place.IsZero() {
			at = place.Chain() + ": "
		}
	}
	fmt.Fprintf(os.Stderr, "commworld: %sa function of MPI was called outside of a rank: by a thread that the program started, or a constructor or destructor; only main and functions that it calls may call MPI\n", at)
}

// arguments returns argc and argv in C's memory, which lasts as long as the process.
func (p *Program) arguments() (argc, argv int64) {
	n := len(p.argv)
	list := at[int64](int64(uintptr(C.calloc(C.size_t(n+1), 8))), int64(n+1))
	for i, a := range p.argv {
		list[i] = int64(uintptr(unsafe.Pointer(C.CString(a))))
	}
	return int64(n), int64(uintptr(unsafe.Pointer(&list[0])))
}

// FS returns the file system for a file name of the program, and the file's name in it.
// All files of a directory use the same file system, so that races between them are
// found. Go ranks use it to open the files of C ranks. Errors: those of [iofile.NewDir].
func (p *Program) FS(name string) (*iofile.FS, string, error) {
	dir, base, err := p.locate(name)
	if err != nil {
		return nil, "", err
	}
	fsys, err := p.fsOf(dir)
	if err != nil {
		return nil, "", err
	}
	return fsys, base, nil
}

// locate returns the directory of a file of the program, without links, and the file's name in
// it.
func (p *Program) locate(name string) (dir, base string, err error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.Dir, name)
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return "", "", err
	}
	dir, base = filepath.Split(full)
	for {
		if found, err := filepath.EvalSymlinks(dir); err == nil {
			return found, base, nil
		}
		up := filepath.Dir(filepath.Clean(dir))
		base = filepath.Join(filepath.Base(dir), base)
		dir = up
	}
}

// fsOf returns the file system of a directory.
func (p *Program) fsOf(dir string) (*iofile.FS, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if fsys := p.dirs[dir]; fsys != nil {
		return fsys, nil
	}
	fsys, err := iofile.NewDir(dir, append([]iofile.Option{iofile.WithDir(iofile.DirSettings{Unlocked: true})}, p.Files...)...)
	if err != nil {
		return nil, err
	}
	p.dirs[dir] = fsys
	return fsys, nil
}

// anyCrashed reports whether crashed is true for some program of this process.
var anyCrashed atomic.Bool

func (p *Program) crash() {
	p.crashed.Store(true)
	anyCrashed.Store(true)
}

// Close closes the file systems of the program's files, and unloads the copies of the
// program. No world that runs the program may still be running.
func (p *Program) Close() error {
	p.closeProcesses()
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, fsys := range p.dirs {
		errs = append(errs, fsys.Close())
	}
	for _, l := range p.copies {
		if p.crashed.Load() {
			break // destructors would run in the state that the crash has left
		}
		C.commworld_unload(l.handle)
		errs = append(errs, l.file.Close())
	}
	clear(p.dirs)
	p.copies = nil
	return errors.Join(errs...)
}

// Flush writes the buffered output of the ranks.
func (p *Program) Flush() {
	locked := C.int(0)
	if anyCrashed.Load() {
		locked = 1
	}
	C.commworld_flush(locked)
}

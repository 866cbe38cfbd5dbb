package iofile

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/iofile/store"
	"github.com/commworld/commworld/types"
)

// A lent is a file in memory that is stored in a directory of all ranks while an engine has
// it open. Its bytes come from rank 0, and go back to all ranks.
type lent struct {
	store *store.Mem
	name  string
	dir   string
	path  string
	owner bool // this rank removes the directory
}

// locate returns the path by which an engine opens the file.
func (f *far) locate() (string, *lent, error) {
	if f.fsys == nil {
		return "", nil, broken(ErrArg, "IO-OPEN-03", "the file system is nil; give iofile.NewMem() or iofile.NewDir(path)")
	}
	if err := f.fsys.made(); err != nil {
		return "", nil, err
	}
	if err := nameError(f.name); err != nil {
		return "", nil, err
	}
	switch s := f.fsys.store.(type) {
	case *store.Dir:
		p, err := s.Path(f.name)
		return p, nil, err
	case *store.Mem:
		l, err := f.lend(s)
		if err != nil {
			return "", nil, err
		}
		return l.path, l, nil
	}
	return "", nil, broken(ErrUnsupportedOperation, "IO-OPEN-03",
		"the files of %v have no path that %s can open; use iofile.NewDir", f.fsys, port.EngineWorld(f.c).Library())
}

// lend stores a file in memory in a directory. Every rank takes part, whatever the result
// on rank 0.
func (f *far) lend(s *store.Mem) (*lent, error) {
	l := &lent{store: s, name: f.name, owner: f.rank == 0}
	room := make([]byte, 4<<10)
	var err error
	if l.owner {
		if l.dir, err = l.write(); err == nil {
			copy(room, l.dir)
		}
	}
	if e := f.together(&engine.Call{Routine: "Bcast", Send: types.Of(room), Recv: types.Of(room)}); e != nil {
		return nil, e
	}
	n := 0
	for n < len(room) && room[n] != 0 {
		n++
	}
	switch l.dir = string(room[:n]); {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, broken(ErrIO, "IO-OPEN-03", "rank 0 could not put the file in memory into a temporary directory")
	}
	l.path = filepath.Join(l.dir, filepath.Base(filepath.FromSlash(f.name)))
	return l, nil
}

// write makes the directory, with the file in it if rank 0 has one in memory.
func (l *lent) write() (string, error) {
	if err := l.store.CheckName(l.name); err != nil {
		return "", err
	}
	sweepLent()
	prefix, _ := lentPrefix()
	dir, err := os.MkdirTemp("", prefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", fault.System(err, ErrIO)
	}
	data, err := l.read()
	if missing(err) {
		return dir, nil
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, filepath.Base(filepath.FromSlash(l.name))), data, 0o644)
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return "", fault.System(err, ErrIO)
	}
	return dir, nil
}

// lentPrefix returns the beginning of the names of directories made by processes of this
// machine since its start that have their ids from the same place: machines and containers
// may share a file system of temporary files, and even a name. No prefix is the beginning
// of another one. certain reports whether a process whose id is not in use here has
// certainly ended.
func lentPrefix() (prefix string, certain bool) {
	host, _ := os.Hostname()
	start, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	ids, err2 := os.Readlink("/proc/self/ns/pid")
	sum := fnv.New128a()
	fmt.Fprintf(sum, "%q %q %q", host, start, ids)
	return fmt.Sprintf("commworld-%x-", sum.Sum(nil)), err == nil && err2 == nil
}

// sweepLent removes directories of processes that were killed before they could do so. If
// that is not certain it removes nothing.
func sweepLent() {
	prefix, certain := lentPrefix()
	if !certain {
		return
	}
	made, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	for _, dir := range made {
		text, rest, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		pid, err := strconv.ParseInt(text, 10, 32)
		if _, random := strconv.ParseUint(rest, 10, 64); err != nil || random != nil || pid <= 0 || text != strconv.FormatInt(pid, 10) {
			continue
		}
		p, err := os.FindProcess(int(pid))
		if err == nil && errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			_ = os.RemoveAll(dir)
		}
	}
}

func missing(err error) bool {
	class, _ := fault.ClassOf(err)
	return err != nil && class == ErrNoSuchFile
}

// read returns the bytes in the memory of this process.
func (l *lent) read() ([]byte, error) {
	b, err := l.store.Open(l.name, 0)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	size := b.Size()
	if size > math.MaxInt {
		return nil, broken(ErrNoMem, "IO-OPEN-03", "%d bytes do not fit into memory", size)
	}
	data := make([]byte, size)
	if _, err = io.ReadFull(io.NewSectionReader(b, 0, size), data); err != nil {
		return nil, err
	}
	return data, nil
}

// together makes a collective call of the library that the program did not make: no report
// counts it.
func (f *far) together(k *engine.Call) error {
	_, err := port.Engine(f.c).Collective(k)
	return refused(err)
}

// giveBack copies the bytes back to the memory of this process, when all ranks have closed
// the file, and removes the directory. For a nil l it does nothing.
func (l *lent) giveBack(f *far, keep bool) error {
	if l == nil {
		return nil
	}
	err := f.together(&engine.Call{Routine: "Barrier"}) // a rank may still be closing
	if keep {
		if e := l.take(); err == nil {
			err = e
		}
	}
	if e := f.together(&engine.Call{Routine: "Barrier"}); err == nil {
		err = e
	}
	if l.owner {
		if e := os.RemoveAll(l.dir); err == nil && e != nil {
			err = fault.System(e, ErrIO)
		}
	}
	return err
}

// take makes the file in the directory the file in memory.
func (l *lent) take() error {
	data, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) { // deleted on close
		if err = l.store.Remove(l.name); missing(err) {
			err = nil
		}
		return err
	}
	if err != nil {
		return fault.System(err, ErrIO)
	}
	b, err := l.store.Open(l.name, FlagWrite|FlagCreate)
	if err != nil {
		return err
	}
	defer b.Close()
	if err := b.SetSize(int64(len(data))); err != nil {
		return err
	}
	_, err = b.WriteAt(data, 0)
	return err
}

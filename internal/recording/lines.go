package recording

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/elflines"
)

// linesFile is the file of a recording with the lines of return addresses; linesHead is its first
// line.
const (
	linesFile = "lines"
	linesHead = "cwlines 1"
)

// An address is an address in the file of a module.
type address struct {
	module string
	at     uint64
}

// lines has the lines of addresses: those that the recording has, and else those of executables
// and libraries that are on this machine and are the same files.
type lines struct {
	mu     sync.Mutex
	known  map[address]runtime.Frame // without a line: it has none
	tables map[Module]*elflines.Table
}

// readLines reads the file with lines, if there is one.
func readLines(name string) (*lines, error) {
	l := &lines{known: map[address]runtime.Frame{}, tables: map[Module]*elflines.Table{}}
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		if n == 1 {
			if in.Text() != linesHead {
				return nil, fmt.Errorf("%s: line 1: it is not %q", name, linesHead)
			}
			continue
		}
		if err := l.parse(in.Text()); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, n, err)
		}
	}
	return l, in.Err()
}

// parse reads the line of an address: module, address, file, number, function.
func (l *lines) parse(text string) error {
	words := strings.Split(text, "\t")
	if len(words) != 5 {
		return fmt.Errorf("%d words of 5", len(words))
	}
	at, err := strconv.ParseUint(words[1], 16, 64)
	if err != nil {
		return err
	}
	f := runtime.Frame{}
	if f.Line, err = strconv.Atoi(words[3]); err != nil {
		return err
	}
	module := ""
	for i, to := range map[int]*string{0: &module, 2: &f.File, 4: &f.Function} {
		if *to, err = strconv.Unquote(words[i]); err != nil {
			return fmt.Errorf("word %d: %w", i+1, err)
		}
	}
	l.known[address{module, at}] = f
	return nil
}

// frame returns the line of an address; false if it is unknown.
func (l *lines) frame(m Module, at uint64) (runtime.Frame, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.known[address{m.Path, at}]
	if !ok {
		if f, ok = l.table(m).Frame(at); !ok { // the line is less than 0: the offset in the function
			name, offset := l.table(m).Offset(at)
			f = runtime.Frame{Function: name, Line: -int(offset) - 1}
		}
		l.known[address{m.Path, at}] = f
	}
	return f, f.Line > 0
}

// function returns the function with an address and the offset of the address in it; without a
// function, the offset in the file.
func (l *lines) function(m Module, at uint64) (name string, offset uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.known[address{m.Path, at}]; f.Function != "" && f.Line < 0 {
		return f.Function, uint64(-f.Line) - 1
	}
	return l.table(m).Offset(at)
}

// table returns the lines of a module, none if its file is not there or is another one.
func (l *lines) table(m Module) *elflines.Table {
	if t := l.tables[m]; t != nil {
		return t
	}
	t := &elflines.Table{}
	l.tables[m] = t
	f, err := elf.Open(m.Path)
	if err != nil {
		return t
	}
	defer f.Close()
	if id, err := elflines.BuildID(f); err != nil && m.BuildID == "" || id == m.BuildID {
		t = elflines.Read(f)
		l.tables[m] = t
	}
	return t
}

// Place returns the line of the program that calls from a site, with the lines that led to it.
// Libraries without lines between the program and MPI are left out. If no address has a line, it
// is the function and the offset in it, such as main@prog:42, or the module and the address.
func (t *Trace) Place(r *Reader, site int) errclass.Place {
	var frames []runtime.Frame
	for _, a := range r.Frames(site) {
		f, ok := runtime.Frame{}, false
		if a.Module >= 0 && a.Address > 0 {
			f, ok = t.lines.frame(r.Module(a.Module), a.Address-1)
		}
		if !ok {
			if len(frames) == 0 {
				continue
			}
			break
		}
		if n := len(frames); n > 0 && frames[n-1].Function == "MAIN__" {
			break // the main that the compiler of a Fortran program makes
		}
		frames = append(frames, f)
	}
	if len(frames) == 0 {
		return t.withoutLine(r, site)
	}
	return errclass.PlaceOf(frames)
}

// HasLine reports whether a place is a line, and not an offset.
func HasLine(p errclass.Place) bool {
	return p.Line > 0 && (strings.Contains(p.File, "/") || !strings.Contains(p.File, atModule))
}

// atModule is what the File of a place without a line has between function and module.
const atModule = "@"

// withoutLine returns the place of a site whose addresses have no lines: that in the program, or
// the innermost.
func (t *Trace) withoutLine(r *Reader, site int) (p errclass.Place) {
	for _, a := range r.Frames(site) {
		if a.Module < 0 || a.Address == 0 {
			continue
		}
		m := r.Module(a.Module)
		library := strings.Contains(filepath.Base(m.Path), ".so")
		if p.Line > 0 && library {
			continue
		}
		name, offset := t.lines.function(m, a.Address-1)
		p = errclass.Place{File: name + atModule + filepath.Base(m.Path), Line: int(offset) + 1, Func: name}
		if !library {
			break
		}
	}
	if p.Line == 0 {
		p = errclass.Place{File: "call" + atModule + "unknown", Line: site + 1}
	}
	return p
}

// WriteLines reads the recording and writes the lines of all its addresses into it, so that it
// needs the program no longer. It returns how many addresses have a line, and how many there are.
// Of a rank that is not whole, or still writes, it takes what can be read, and returns an error besides.
func (t *Trace) WriteLines() (found, all int, err error) {
	seen := map[address]bool{}
	for rank, size := range t.sizes {
		if size == 0 {
			continue
		}
		r, e := t.Rank(rank)
		if e != nil {
			err = errors.Join(err, e)
			continue
		}
		err = errors.Join(err, r.All())
		for site := range r.model.sites {
			for _, a := range r.Frames(site) {
				if a.Module >= 0 && a.Address > 0 {
					m := r.Module(a.Module)
					t.lines.frame(m, a.Address-1)
					seen[address{m.Path, a.Address - 1}] = true
				}
			}
		}
	}
	var b strings.Builder
	fmt.Fprintln(&b, linesHead)
	list := slices.SortedFunc(maps.Keys(seen), func(a, b address) int {
		if a.module != b.module {
			return strings.Compare(a.module, b.module)
		}
		return int(int64(a.at - b.at))
	})
	for _, a := range list {
		f := t.lines.known[a]
		if f.Line > 0 {
			found++
		}
		fmt.Fprintf(&b, "%q\t%x\t%q\t%d\t%q\n", a.module, a.at, f.File, f.Line, f.Function)
	}
	return found, len(list), errors.Join(err, writeFile(filepath.Join(t.Dir, linesFile), b.String()))
}

// writeFile replaces a file in one step.
func writeFile(name, text string) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = io.WriteString(f, text); err == nil {
		err = f.Chmod(0o644)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

package c

import (
	"debug/elf"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/elflines"
	"github.com/commworld/commworld/world/c/internal/dropped"
)

// A lineTable finds the lines of a program by addresses in its file.
type lineTable struct {
	path      string
	low, high uint64 // where code is
	parts     []elf.ProgHeader
	once      sync.Once
	table     *elflines.Table         // empty if the file cannot be read
	dropped   map[line][]dropped.Call // calls whose results the program drops
}

// A line is a line of a source.
type line struct {
	file   string
	number int
}

// newLineTable checks whether path is a shared object; it reads the table only when a
// line is asked for.
func newLineTable(path string) (*lineTable, error) {
	path, err := filepath.Abs(path) // it is read when a report needs it, maybe in another directory
	if err != nil {
		return nil, err
	}
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	t := &lineTable{path: path, parts: partsOf(f)}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			if t.high == 0 {
				t.low = p.Vaddr
			}
			t.high = p.Vaddr + p.Memsz
		}
	}
	return t, f.Close()
}

// code returns the range of addresses of the program's code.
func (t *lineTable) code() (low, high uint64) { return t.low, t.high }

// read fills the table as far as the file has the data.
func (t *lineTable) read() {
	t.table = &elflines.Table{}
	f, err := elf.Open(t.path)
	if err != nil {
		return
	}
	defer f.Close()
	t.table = elflines.Read(f)
	if s := f.Section(dropped.Section); s != nil {
		if text, err := s.Data(); err == nil {
			t.dropped = map[line][]dropped.Call{}
			for _, c := range dropped.Parse(text) {
				at := line{c.File, c.Line}
				t.dropped[at] = append(t.dropped[at], c)
			}
		}
	}
}

// drops reports whether the program drops the result of its call of a function that returns to
// an address.
func (t *lineTable) drops(function string, address uint64) bool {
	t.once.Do(t.read)
	e := t.table.Entry(address - 1)
	if e == nil {
		return false
	}
	return slices.ContainsFunc(t.dropped[line{e.File, e.Line}], func(c dropped.Call) bool {
		return (c.Function == "" || strings.TrimPrefix(c.Function, "P") == function) && (c.Column == 0 || e.Column == 0 || c.Column == e.Column)
	})
}

// frame returns the function and line of an address; false if unknown.
func (t *lineTable) frame(address uint64) (f runtime.Frame, ok bool) { return t.table.Frame(address) }

// function returns the name of the function at an address, "" if unknown.
func (t *lineTable) function(address uint64) string {
	t.once.Do(t.read)
	return t.table.Function(address)
}

// chain returns the line of the innermost of some return addresses, relative to the
// beginning of the program, with the lines that led to it, up to the first that is not in
// the program.
func (t *lineTable) chain(addresses []uint64) *errclass.Place {
	t.once.Do(t.read)
	var frames []runtime.Frame
	for _, a := range addresses {
		f, ok := t.frame(a - 1)
		if !ok {
			if len(frames) == 0 {
				continue // a C library between MPI and the program
			}
			break
		}
		if n := len(frames); n > 0 && frames[n-1].Function == "MAIN__" {
			break // a Fortran program, which the main that its compiler makes has called
		}
		frames = append(frames, f)
	}
	p := errclass.PlaceOf(frames)
	return &p
}

// addressOf returns the address of a part of the file.
func (t *lineTable) addressOf(offset uint64) uint64 {
	for _, s := range t.parts {
		if offset >= s.Off && offset < s.Off+s.Filesz {
			return offset - s.Off + s.Vaddr
		}
	}
	return offset
}

// partsOf returns the parts of a file that are loaded.
func partsOf(f *elf.File) (parts []elf.ProgHeader) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			parts = append(parts, p.ProgHeader)
		}
	}
	return parts
}

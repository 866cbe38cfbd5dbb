package c

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/world/c/internal/dropped"
)

// A lineTable finds the lines of a program by addresses in its file.
type lineTable struct {
	path      string
	low, high uint64 // where code is
	parts     []elf.ProgHeader
	once      sync.Once
	lines     []lineEntry
	functions []elf.Symbol
	dropped   map[line][]dropped.Call // calls whose results the program drops
}

// A line is a line of a source.
type line struct {
	file   string
	number int
}

type lineEntry struct {
	address uint64
	file    string // its full path; empty: no code from here on
	line    int
	column  int // 0: unknown
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
	f, err := elf.Open(t.path)
	if err != nil {
		return
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil { // stripped
		symbols, _ = f.DynamicSymbols()
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			t.functions = append(t.functions, s)
		}
	}
	if s := f.Section(dropped.Section); s != nil {
		if text, err := s.Data(); err == nil {
			t.dropped = map[line][]dropped.Call{}
			for _, c := range dropped.Parse(text) {
				at := line{c.File, c.Line}
				t.dropped[at] = append(t.dropped[at], c)
			}
		}
	}
	slices.SortFunc(t.functions, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	data, err := f.DWARF()
	if err != nil {
		return
	}
	for units := data.Reader(); ; {
		unit, err := units.Next()
		if unit == nil || err != nil {
			break
		}
		if unit.Tag == dwarf.TagCompileUnit {
			t.unit(data, unit)
		}
		units.SkipChildren()
	}
	slices.SortStableFunc(t.lines, func(a, b lineEntry) int { return cmp.Compare(a.address, b.address) })
}

func (t *lineTable) unit(data *dwarf.Data, unit *dwarf.Entry) {
	lines, err := data.LineReader(unit)
	if lines == nil || err != nil {
		return
	}
	dir, _ := unit.Val(dwarf.AttrCompDir).(string)
	names := map[*dwarf.LineFile]string{}
	var e dwarf.LineEntry
	for lines.Next(&e) == nil {
		if e.File != nil && names[e.File] == "" {
			names[e.File] = fullPath(dir, e.File.Name)
		}
		entry := lineEntry{e.Address, names[e.File], e.Line, e.Column}
		if e.EndSequence {
			entry.file = ""
		}
		t.lines = append(t.lines, entry)
	}
}

// fullPath returns the path of a file of a unit that was compiled in dir.
func fullPath(dir, name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return filepath.Clean(name)
}

// entry returns the entry of an address, nil if it has none.
func (t *lineTable) entry(address uint64) *lineEntry {
	i := sort.Search(len(t.lines), func(i int) bool { return t.lines[i].address > address }) - 1
	if i < 0 || t.lines[i].file == "" {
		return nil
	}
	return &t.lines[i]
}

// drops reports whether the program drops the result of its call of a function that returns to
// an address.
func (t *lineTable) drops(function string, address uint64) bool {
	t.once.Do(t.read)
	e := t.entry(address - 1)
	if e == nil {
		return false
	}
	return slices.ContainsFunc(t.dropped[line{e.file, e.line}], func(c dropped.Call) bool {
		return (c.Function == "" || strings.TrimPrefix(c.Function, "P") == function) && (c.Column == 0 || e.column == 0 || c.Column == e.column)
	})
}

// frame returns the function and line of an address; false if unknown.
func (t *lineTable) frame(address uint64) (f runtime.Frame, ok bool) {
	e := t.entry(address)
	if e == nil {
		return f, false
	}
	return runtime.Frame{File: e.file, Line: e.line, Function: t.function(address)}, true
}

// function returns the name of the function at an address, "" if unknown.
func (t *lineTable) function(address uint64) string {
	t.once.Do(t.read)
	i := sort.Search(len(t.functions), func(i int) bool { return t.functions[i].Value > address }) - 1
	if i < 0 || address >= t.functions[i].Value+t.functions[i].Size {
		return ""
	}
	return t.functions[i].Name
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

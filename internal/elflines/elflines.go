// Package elflines finds the lines of programs by addresses in their executables and libraries.
//
// Start here: [Read] reads a file's table, and [Table.Frame] looks an address up.
package elflines

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"encoding/hex"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
)

// A Table has the lines and the functions of a file, as far as it has debugging information.
type Table struct {
	lines     []Entry
	functions []elf.Symbol
}

// An Entry is a line from an address on.
type Entry struct {
	Address uint64
	File    string // its full path; empty: no code from here on
	Line    int
	Column  int // 0: unknown
}

// Read reads the table of a file. A stripped file has an empty one.
func Read(f *elf.File) *Table {
	t := &Table{}
	symbols, err := f.Symbols()
	if err != nil { // stripped
		symbols, _ = f.DynamicSymbols()
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			t.functions = append(t.functions, s)
		}
	}
	slices.SortFunc(t.functions, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	data, err := f.DWARF()
	if err != nil {
		return t
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
	slices.SortStableFunc(t.lines, func(a, b Entry) int { return cmp.Compare(a.Address, b.Address) })
	return t
}

func (t *Table) unit(data *dwarf.Data, unit *dwarf.Entry) {
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
		entry := Entry{e.Address, names[e.File], e.Line, e.Column}
		if e.EndSequence {
			entry.File = ""
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

// Entry returns the entry of an address, nil if it has none.
func (t *Table) Entry(address uint64) *Entry {
	i := sort.Search(len(t.lines), func(i int) bool { return t.lines[i].Address > address }) - 1
	if i < 0 || t.lines[i].File == "" {
		return nil
	}
	return &t.lines[i]
}

// Frame returns the function and line of an address; false if unknown.
func (t *Table) Frame(address uint64) (f runtime.Frame, ok bool) {
	e := t.Entry(address)
	if e == nil {
		return f, false
	}
	return runtime.Frame{File: e.File, Line: e.Line, Function: t.Function(address)}, true
}

// Function returns the name of the function at an address, "" if unknown.
func (t *Table) Function(address uint64) string {
	name, _ := t.Offset(address)
	return name
}

// Offset returns the function at an address and the offset of the address in it; "" and the
// address if unknown.
func (t *Table) Offset(address uint64) (name string, offset uint64) {
	i := sort.Search(len(t.functions), func(i int) bool { return t.functions[i].Value > address }) - 1
	if i < 0 || address >= t.functions[i].Value+t.functions[i].Size {
		return "", address
	}
	return t.functions[i].Name, address - t.functions[i].Value
}

// BuildID returns the build id of a file in hexadecimal.
func BuildID(f *elf.File) (string, error) {
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return "", errors.New("no build id")
	}
	data, err := s.Data()
	if err != nil {
		return "", err
	}
	const head = 16 // three sizes, and the name GNU
	if len(data) <= head {
		return "", errors.New("no build id")
	}
	return hex.EncodeToString(data[head:]), nil
}

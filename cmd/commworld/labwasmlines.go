package main

import (
	"bytes"
	"encoding/binary"
)

// A Go program has tables that say for each instruction in which function, file and line
// it was written, for stack traces. The page shows none, and they are a tenth of the site.

// The header of the tables: a number that says their form, then pointers as offsets from the
// header. Go 1.20 and later write this form.
const (
	tablesMagic  = "\xf1\xff\xff\xff\x00\x00\x01\x08" // for 64-bit addresses, instructions of one byte
	tablesHeader = 8 + 8*8
)

// Offsets in the record of a function.
const (
	funcName  = 4  // where its name is
	funcSP    = 16 // table of the stack's depth
	funcFile  = 20 // table of files
	funcLine  = 24 // table of lines
	funcCount = 28 // number of other tables
	funcUnit  = 32 // where the names of its files begin
	funcStart = 36 // its first line
	funcSize  = 44 // then the other tables, then the data
)

// A lineTables finds its way through the tables of a program.
type lineTables struct {
	all                        []byte // from the header on
	funcs, names, pcs, records uint64 // names are followed by files
}

// dropLines clears the names, files and lines of the functions of a Go program in its memory.
// It changes nothing if the tables are not in the form that it knows.
func dropLines(memory []byte) {
	for rest := memory; ; {
		at := bytes.Index(rest, []byte(tablesMagic))
		if at < 0 {
			return
		}
		t := &lineTables{all: rest[at:]}
		if used, ok := t.used(); ok {
			t.clear(used)
			return
		}
		rest = rest[at+len(tablesMagic):]
	}
}

func (t *lineTables) word(at uint64) (uint64, bool) {
	if at > uint64(len(t.all)) || uint64(len(t.all))-at < 4 {
		return 0, false
	}
	return uint64(binary.LittleEndian.Uint32(t.all[at:])), true
}

// used marks the bytes of the tables that the program needs while it runs.
func (t *lineTables) used() (used []bool, ok bool) {
	if len(t.all) < tablesHeader {
		return nil, false
	}
	field := func(i int) uint64 { return binary.LittleEndian.Uint64(t.all[8+8*i:]) }
	t.funcs, t.names, t.pcs, t.records = field(0), field(3), field(6), field(7)
	if n := uint64(len(t.all)); t.names > t.pcs || t.pcs > t.records || t.records > n || t.funcs > n/8 {
		return nil, false
	}
	used = make([]bool, t.records-t.pcs)
	for i := range t.funcs {
		f, ok := t.record(i)
		if !ok {
			return nil, false
		}
		tables, _ := t.word(f + funcCount)
		if !t.mark(used, f+funcSP) {
			return nil, false
		}
		for k := range tables {
			if !t.mark(used, f+funcSize+4*k) {
				return nil, false
			}
		}
	}
	return used, true
}

// record returns the offset of a function's record.
func (t *lineTables) record(i uint64) (uint64, bool) {
	f, ok := t.word(t.records + 8*i + 4)
	f += t.records
	_, whole := t.word(f + funcSize - 4)
	return f, ok && whole
}

// mark marks as used the table whose offset is stored at a place. A table is pairs of
// numbers up to a zero.
func (t *lineTables) mark(used []bool, at uint64) bool {
	table, ok := t.word(at)
	if !ok || table == 0 {
		return ok
	}
	for first := true; ; first = false {
		if table < uint64(len(used)) && !first && t.all[t.pcs+table] == 0 {
			used[table] = true
			return true
		}
		for range 2 {
			if table >= uint64(len(used)) {
				return false
			}
			_, n := binary.Uvarint(t.all[t.pcs+table : t.records])
			if n <= 0 {
				return false
			}
			for range n {
				used[table] = true
				table++
			}
		}
	}
}

// clear clears the data that only stack traces need.
func (t *lineTables) clear(used []bool) {
	for i := range t.funcs {
		f, _ := t.record(i)
		clear(t.all[f+funcName : f+funcName+4])
		clear(t.all[f+funcFile : f+funcCount])
		clear(t.all[f+funcUnit : f+funcStart+4])
	}
	clear(t.all[t.names:t.pcs])
	for i, u := range used {
		if !u {
			t.all[t.pcs+uint64(i)] = 0
		}
	}
}

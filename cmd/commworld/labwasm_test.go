package main

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// module returns a WebAssembly module of a custom section and pieces of memory.
func module(pieces ...piece) []byte {
	data := binary.AppendUvarint(nil, uint64(len(pieces)))
	for _, p := range pieces {
		data = append(appendSigned(append(data, 0, opConst), int64(p.at)), opEnd)
		data = append(binary.AppendUvarint(data, uint64(len(p.data))), p.data...)
	}
	all := append([]byte("\x00asm\x01\x00\x00\x00"), 0, 3, 1, 'x', 9)
	return append(binary.AppendUvarint(append(all, wasmData), uint64(len(data))), data...)
}

func TestJoinData(t *testing.T) {
	for _, at := range []uint64{0, 63, 64, 8191, 8192, 1 << 20} {
		got, err := joinData(module(piece{at, []byte{1, 2}}, piece{at + 2, []byte{3}}, piece{at + 5, []byte{4}},
			piece{at + 6 + joinedGap, []byte{5}}, piece{at + 8 + 2*joinedGap, []byte{6}}, piece{at + 4, []byte{7}}))
		require.NoError(t, err)
		first := append([]byte{1, 2, 3, 0, 7, 4}, make([]byte, joinedGap)...)
		want := module(piece{at, append(first, 5)}, piece{at + 8 + 2*joinedGap, []byte{6}})
		assert.Equal(t, want, got, "at %d: near pieces are one, far ones stay", at)
	}
	t.Run("memory that no page has", func(t *testing.T) {
		_, err := joinData(module(piece{maxMemory - 1, []byte{1, 2}}))
		assert.ErrorIs(t, err, errWasm)
	})
	t.Run("another kind of file", func(t *testing.T) {
		whole := module(piece{100, []byte{1, 2, 3}})
		for n := range len(whole) {
			if n == 8 || n == 13 { // whole sections
				continue
			}
			_, err := joinData(whole[:n])
			assert.Error(t, err, n)
		}
		passive := module(piece{100, []byte{1}})
		passive[len(passive)-7] = 1
		_, err := joinData(passive)
		assert.ErrorIs(t, err, errWasm)
	})
}

// goTables returns the tables of a program of one function, named f: at depth 2, on
// line 3 of file x.
func goTables() []byte {
	word := func(b []byte, n ...uint32) []byte {
		for _, x := range n {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		return b
	}
	names, files := []byte("\x00f\x00"), []byte("\x01\x02x\x00")
	pcs := []byte{0, 0, 4, 9, 0, 6, 9, 0, 8, 9, 0} // depth at 2 (its first value may be 0), line at 5, stack map at 8
	pcs = append([]byte{0, 0}, pcs...)
	at := uint64(tablesHeader)
	all := []byte(tablesMagic)
	for _, n := range []uint64{1, 1, 0, at, at + 3, at + 3, at + 7, at + 7 + uint64(len(pcs))} {
		all = binary.LittleEndian.AppendUint64(all, n)
	}
	all = append(append(append(all, names...), files...), pcs...)
	all = word(all, 0, 12, 99)                           // offsets of the function and of its record; the end
	all = word(all, 0, 1, 0, 0, 2, 7, 7, 1, 5, 3, 1<<24) // the record: its depth table is at 2, files and lines at 7; one other table, one data word
	return word(all, 10, 77)
}

func TestDropLines(t *testing.T) {
	tables := goTables()
	memory := append(append([]byte(tablesMagic+"no tables, but their mark"), tables...), "the end"...)
	before := slices.Clone(memory)
	dropLines(memory)
	assert.NotContains(t, string(memory), "f\x00")
	assert.NotContains(t, string(memory), "x\x00")
	var changed []int
	start := len(memory) - len(tables) - len("the end")
	for i := range memory {
		if memory[i] != before[i] {
			changed = append(changed, i-start)
		}
	}
	record := tablesHeader + 3 + 4 + 13 + 12
	assert.Equal(t, []int{
		tablesHeader + 1, tablesHeader + 3, tablesHeader + 4, tablesHeader + 5, // names, files
		tablesHeader + 7 + 7, tablesHeader + 7 + 8, // lines
		record + funcName, record + funcFile, record + funcLine, record + funcUnit, record + funcStart,
	}, changed)
	t.Run("tables of another form stay", func(t *testing.T) {
		for n := range len(tables) - 4 { // the data word is not an offset of a table
			cut := slices.Clone(tables[:n])
			dropLines(cut)
			assert.Equal(t, tables[:n], cut, n)
		}
		for i := range len(tables) {
			wrong := slices.Clone(tables)
			wrong[i] ^= 0xff
			dropLines(wrong) // never panics
		}
	})
}

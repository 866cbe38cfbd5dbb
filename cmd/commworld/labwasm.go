package main

import (
	"encoding/binary"
	"errors"
	"slices"
)

// The Go linker writes the memory of a WebAssembly module in up to 100,000 pieces, to leave
// out runs of zeros. Compression does that better: with its pieces joined a module is a
// tenth larger, but a twentieth smaller after compression.

// joinedGap is the greatest number of zeros between two pieces that are joined.
const joinedGap = 96

// maxMemory bounds the initial memory of a module.
const maxMemory = 1 << 28

// wasmData is the id of the section that contains the memory.
const wasmData = 11

var errWasm = errors.New("the Go toolchain wrote a WebAssembly module of an unknown form")

// joinData returns a WebAssembly module with its pieces of memory joined and its tables of
// lines cleared.
func joinData(module []byte) ([]byte, error) {
	const header = 8 // length of the magic number and the version
	if len(module) < header {
		return nil, errWasm
	}
	out := slices.Clone(module[:header])
	for r := (&wasmReader{left: module[header:]}); len(r.left) > 0; {
		id := r.bytes(1)
		section := r.bytes(r.number())
		if r.failed {
			return nil, errWasm
		}
		if id[0] == wasmData {
			var err error
			if section, err = joinPieces(section); err != nil {
				return nil, err
			}
		}
		out = append(out, id[0])
		out = append(binary.AppendUvarint(out, uint64(len(section))), section...)
	}
	return out, nil
}

// A piece is the content of memory from an offset on.
type piece struct {
	at   uint64
	data []byte
}

func joinPieces(section []byte) ([]byte, error) {
	r := &wasmReader{left: section}
	var memory []byte
	for range r.number() {
		p := r.piece()
		end := p.at + uint64(len(p.data))
		if r.failed || end > maxMemory {
			return nil, errWasm
		}
		if n := uint64(len(memory)); end > n {
			memory = append(memory, make([]byte, end-n)...)
		}
		copy(memory[p.at:], p.data)
	}
	if len(r.left) > 0 {
		return nil, errWasm
	}
	dropLines(memory)
	all := pieces(memory)
	out := binary.AppendUvarint(nil, uint64(len(all)))
	for _, p := range all {
		out = append(out, 0, opConst)
		out = append(appendSigned(out, int64(p.at)), opEnd)
		out = append(binary.AppendUvarint(out, uint64(len(p.data))), p.data...)
	}
	return out, nil
}

// pieces returns the stretches of memory that are not zero; more than joinedGap zeros
// separate two stretches.
func pieces(memory []byte) (all []piece) {
	from, zeros := -1, 0
	for i, b := range memory {
		switch {
		case b != 0 && from < 0:
			from, zeros = i, 0
		case b != 0:
			zeros = 0
		case from >= 0:
			if zeros++; zeros > joinedGap {
				all = append(all, piece{uint64(from), memory[from : i+1-zeros]})
				from = -1
			}
		}
	}
	if from >= 0 {
		all = append(all, piece{uint64(from), memory[from : len(memory)-zeros]})
	}
	return all
}

// Instructions that give the offset of a piece: a 32-bit number, and the end of the
// expression.
const (
	opConst = 0x41
	opEnd   = 0x0b
)

// A wasmReader reads parts of a module; failed is set at an unexpected end.
type wasmReader struct {
	left   []byte
	failed bool
}

func (r *wasmReader) bytes(n uint64) []byte {
	if n > uint64(len(r.left)) {
		r.failed, r.left = true, nil
		return []byte{0}
	}
	b := r.left[:n]
	r.left = r.left[n:]
	return b
}

func (r *wasmReader) number() uint64 {
	n, size := binary.Uvarint(r.left)
	if size <= 0 {
		r.failed = true
		return 0
	}
	r.left = r.left[size:]
	return n
}

// piece reads a piece of memory whose offset is a constant.
func (r *wasmReader) piece() piece {
	if start := r.bytes(2); len(start) < 2 || start[0] != 0 || start[1] != opConst {
		r.failed = true
	}
	at := r.number() // the offset is signed, but below 2^31, so its bits are those of the unsigned value
	if at >= 1<<31 || r.bytes(1)[0] != opEnd {
		r.failed = true
	}
	return piece{at, r.bytes(r.number())}
}

// appendSigned appends a number in WebAssembly's signed encoding.
func appendSigned(b []byte, n int64) []byte {
	for {
		low := byte(n & 0x7f)
		n >>= 7
		if n == 0 && low&0x40 == 0 || n == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}

package main

import (
	"bytes"
	"encoding/binary"
)

// An ownership says which elements each of p ranks owns, in row-major order. It
// is made by asking a decomposition's owner about every element; that many
// stretches of the array look alike is only found out afterwards, so that the
// memory is that of a few stretches, not of the array.
type ownership struct {
	ranks    int64
	bands    []int32 // which pattern each stretch of the array follows
	patterns []pattern
	counts   []int64 // elements by rank
}

// A pattern is who owns what in one stretch of the array.
type pattern struct {
	length int64
	runs   [][]span // by rank
}

// A span is n elements from element at of the stretch on.
type span struct{ at, n int32 }

// stretch is about how many elements a band has: whole rows if they are short,
// a piece of a row if it is long.
const stretch = 2048

// own asks d who owns each element of s.
func own(d *decomposition, s shape, p int64) *ownership {
	o := &ownership{ranks: p, counts: make([]int64, p)}
	known := map[string]int32{}
	rows := max(1, stretch/s.width)
	for row := int64(0); row < s.rows; row += rows {
		below := min(row+rows, s.rows)
		for col := int64(0); col < s.width; col += stretch {
			o.add(known, encode(d, s, p, row, below, col, min(col+stretch, s.width)))
		}
	}
	return o
}

// encode writes who owns the elements of a rectangle as (rank, length) pairs.
func encode(d *decomposition, s shape, p, top, bottom, left, right int64) []byte {
	var code []byte
	last, n := int64(-1), uint32(0)
	put := func() {
		if n > 0 {
			code = binary.NativeEndian.AppendUint32(code, uint32(last))
			code = binary.NativeEndian.AppendUint32(code, n)
		}
	}
	for row := top; row < bottom; row++ {
		for col := left; col < right; col++ {
			if owner := d.owner(s, p, row, col); owner != last {
				put()
				last, n = owner, 0
			}
			n++
		}
	}
	put()
	return code
}

// add appends a band that is owned as code says.
func (o *ownership) add(known map[string]int32, code []byte) {
	k, ok := known[string(code)]
	if !ok {
		k = int32(len(o.patterns))
		known[string(code)] = k
		o.patterns = append(o.patterns, decode(code, o.ranks))
	}
	o.bands = append(o.bands, k)
	for r, runs := range o.patterns[k].runs {
		for _, w := range runs {
			o.counts[r] += int64(w.n)
		}
	}
}

func decode(code []byte, ranks int64) pattern {
	p := pattern{runs: make([][]span, ranks)}
	for ; len(code) > 0; code = code[8:] {
		r, n := binary.NativeEndian.Uint32(code), binary.NativeEndian.Uint32(code[4:])
		p.runs[r] = append(p.runs[r], span{int32(p.length), int32(n)})
		p.length += int64(n)
	}
	return p
}

// fill copies what rank owns of the array, whose elements are size bytes, to
// local.
func (o *ownership) fill(local, array []byte, rank int, size int64) {
	base := int64(0)
	for _, k := range o.bands {
		p := &o.patterns[k]
		band := array[base : base+p.length*size]
		for _, w := range p.runs[rank] {
			from := int64(w.at) * size
			n := copy(local, band[from:from+int64(w.n)*size])
			local = local[n:]
		}
		base += p.length * size
	}
}

// check compares local with what rank owns of the array in place. It returns
// the byte of the array and the byte of local where they first differ.
func (o *ownership) check(local, array []byte, rank int, size int64) (at, in int64, same bool) {
	base, pos := int64(0), int64(0)
	for _, k := range o.bands {
		p := &o.patterns[k]
		band := array[base : base+p.length*size]
		for _, w := range p.runs[rank] {
			from, n := int64(w.at)*size, int64(w.n)*size
			if !equal(local[pos:pos+n], band[from:from+n]) {
				d := mismatch(local[pos:pos+n], band[from:from+n])
				return base + from + d, pos + d, false
			}
			pos += n
		}
		base += p.length * size
	}
	return 0, 0, true
}

// equal is bytes.Equal with the length of one large element done at once.
func equal(a, b []byte) bool {
	if len(a) == 8 && len(b) == 8 {
		return binary.NativeEndian.Uint64(a) == binary.NativeEndian.Uint64(b)
	}
	return bytes.Equal(a, b)
}

// mismatch returns the first index in which a and b differ, the length of the
// shorter if none does.
func mismatch(a, b []byte) int64 {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return int64(i)
		}
	}
	return int64(n)
}

// ownerOf returns who owns byte at of an array with elements of size bytes.
func ownerOf(d *decomposition, s shape, p, at, size int64) int {
	e := at / size
	return int(d.owner(s, p, e/s.width, e%s.width))
}

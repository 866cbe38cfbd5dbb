package main

import (
	"bytes"
	"encoding/binary"
)

// An ownership says which elements each of p ranks owns, in row-major order. It is computed
// by calling a decomposition's owner for every element. Equal bands of the array are stored
// once, so its memory is that of a few bands, not of the array.
type ownership struct {
	ranks    int64
	bands    []int32 // the pattern of each band of the array
	patterns []bandOwners
	counts   []int64 // number of elements by rank
}

// A bandOwners holds the owners of the elements in one band of the array.
type bandOwners struct {
	length int64
	chunks [][]chunk // by rank
}

// A chunk is n elements from element at of the band on.
type chunk struct{ at, n int32 }

// bandLength is the approximate number of elements in a band: whole rows if they are short,
// a piece of a row if it is long.
const bandLength = 2048

// own calls d for the owner of each element of s.
func own(d *decomposition, s shape, p int64) *ownership {
	o := &ownership{ranks: p, counts: make([]int64, p)}
	known := map[string]int32{}
	rows := max(1, bandLength/s.width)
	for row := int64(0); row < s.rows; row += rows {
		below := min(row+rows, s.rows)
		for col := int64(0); col < s.width; col += bandLength {
			o.add(known, encode(d, s, p, row, below, col, min(col+bandLength, s.width)))
		}
	}
	return o
}

// encode returns the owners of the elements of a rectangle as (rank, length) pairs.
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

// add appends a band with the owners that code describes.
func (o *ownership) add(known map[string]int32, code []byte) {
	k, ok := known[string(code)]
	if !ok {
		k = int32(len(o.patterns))
		known[string(code)] = k
		o.patterns = append(o.patterns, decode(code, o.ranks))
	}
	o.bands = append(o.bands, k)
	for r, chunks := range o.patterns[k].chunks {
		for _, w := range chunks {
			o.counts[r] += int64(w.n)
		}
	}
}

func decode(code []byte, ranks int64) bandOwners {
	p := bandOwners{chunks: make([][]chunk, ranks)}
	for ; len(code) > 0; code = code[8:] {
		r, n := binary.NativeEndian.Uint32(code), binary.NativeEndian.Uint32(code[4:])
		p.chunks[r] = append(p.chunks[r], chunk{int32(p.length), int32(n)})
		p.length += int64(n)
	}
	return p
}

// A cursor visits the elements of an array that one rank owns, in row-major order, from
// call to call.
type cursor struct {
	o    *ownership
	rank int
	size int64 // bytes of an element

	band int   // index of the band
	base int64 // bytes before the band
	next int   // index of the chunk in the band
	used int64 // bytes of that chunk already visited
}

func (o *ownership) cursor(rank int, size int64) *cursor {
	return &cursor{o: o, rank: rank, size: size}
}

// chunks returns the remaining chunks of the present band, or of the next one that has any.
func (c *cursor) chunks() []chunk {
	for {
		p := &c.o.patterns[c.o.bands[c.band]]
		if chunks := p.chunks[c.rank]; c.next < len(chunks) {
			return chunks[c.next:]
		}
		c.base += p.length * c.size
		c.band, c.next = c.band+1, 0
	}
}

// pass moves over n bytes of chunk w, of which c.used were visited before.
func (c *cursor) pass(w chunk, n int64) {
	if c.used += n; c.used == int64(w.n)*c.size {
		c.used = 0
		c.next++
	}
}

// fill copies the next elements of the array that the rank owns to local, which holds a
// whole number of elements, not more than remain.
func (c *cursor) fill(local, array []byte) {
	for len(local) > 0 {
		for _, w := range c.chunks() {
			from := c.base + int64(w.at)*c.size + c.used
			n := min(int64(w.n)*c.size-c.used, int64(len(local)))
			copy(local, array[from:from+n])
			c.pass(w, n)
			if local = local[n:]; len(local) == 0 {
				return
			}
		}
	}
}

// check compares local with the next elements of the array that the rank owns, in place. If
// they differ it returns the byte of the array and the index in local of the first
// difference; the cursor cannot be used then.
func (c *cursor) check(local, array []byte) (at, in int64, same bool) {
	pos, end := int64(0), int64(len(local))
	for pos < end {
		for _, w := range c.chunks() {
			from := c.base + int64(w.at)*c.size + c.used
			n := min(int64(w.n)*c.size-c.used, end-pos)
			if mine, right := local[pos:pos+n], array[from:from+n]; !equal(mine, right) {
				d := mismatch(mine, right)
				return from + d, pos + d, false
			}
			c.pass(w, n)
			if pos += n; pos == end {
				break
			}
		}
	}
	return 0, 0, true
}

// equal is bytes.Equal, with a shortcut for the length of one large element.
func equal(a, b []byte) bool {
	if len(a) == 8 && len(b) == 8 {
		return binary.NativeEndian.Uint64(a) == binary.NativeEndian.Uint64(b)
	}
	return bytes.Equal(a, b)
}

// mismatch returns the first index at which a and b differ, or the length of the shorter
// one.
func mismatch(a, b []byte) int64 {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return int64(i)
		}
	}
	return int64(n)
}

// ownerOf returns the rank that owns byte at of an array with elements of size bytes.
func ownerOf(d *decomposition, s shape, p, at, size int64) int {
	e := at / size
	return int(d.owner(s, p, e/s.width, e%s.width))
}

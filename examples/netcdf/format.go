package main

import (
	"encoding/binary"

	"github.com/commworld/commworld/types"
)

// A version of the classic format: how wide its numbers are.
type version byte

const (
	cdf1 version = 1 // offsets of 4 bytes
	cdf2 version = 2 // offsets of 8 bytes
	cdf5 version = 5 // all counts of 8 bytes, and more types
)

// A dim is a dimension; that of length 0 is the record dimension.
type dim struct {
	name string
	n    int64
}

// A variable is an array; its dims are numbers of dimensions. Only the first
// may be the record dimension.
type variable struct {
	name  string
	typ   *types.Type
	dims  []int
	units string

	begin int64 // byte of the file at which it begins
	size  int64 // bytes of the whole, or of one record, padded to 4
}

// A dataset has the content of a file's header.
type dataset struct {
	version version
	records int64
	title   string
	dims    []dim
	vars    []*variable
	record  int64 // bytes of one record of all variables
}

// ncType returns the format's number of a type; numbers from 7 on are only in CDF-5.
var ncType = map[*types.Type]int64{
	types.Char: 2, types.Short: 3, types.Int: 4, types.Float: 5, types.Double: 6, types.LongLong: 10,
}

var itemSize = map[*types.Type]int64{
	types.Char: 1, types.Short: 2, types.Int: 4, types.Float: 4, types.Double: 8, types.LongLong: 8,
}

func pad(n int64) int64 { return (n + 3) &^ 3 }

// isRecord reports whether a variable grows.
func (d *dataset) isRecord(v *variable) bool { return len(v.dims) > 0 && d.dims[v.dims[0]].n == 0 }

// items returns the number of items of v, or of one record of it.
func (d *dataset) items(v *variable) int64 {
	n := int64(1)
	for _, i := range v.dims {
		if d.dims[i].n > 0 {
			n *= d.dims[i].n
		}
	}
	return n
}

// layOut gives every variable its place: first those of fixed size, then the
// records, in which the variables take turns.
func (d *dataset) layOut() {
	at := int64(len(d.header()))
	for _, records := range []bool{false, true} {
		for _, v := range d.vars {
			if d.isRecord(v) != records {
				continue
			}
			v.begin, v.size = at, pad(d.items(v)*itemSize[v.typ])
			at += v.size
			if records {
				d.record += v.size
			}
		}
	}
}

// header returns the bytes before the data. Their number does not depend on the layout,
// which needs that number.
func (d *dataset) header() []byte {
	w := &writer{v: d.version, p: []byte{'C', 'D', 'F', byte(d.version)}}
	w.count(d.records)
	w.list(0x0a, len(d.dims))
	for _, x := range d.dims {
		w.name(x.name)
		w.count(x.n)
	}
	w.attribute("title", d.title)
	w.list(0x0b, len(d.vars))
	for _, x := range d.vars {
		w.name(x.name)
		w.count(int64(len(x.dims)))
		for _, i := range x.dims {
			w.count(int64(i))
		}
		w.attribute("units", x.units)
		w.four(ncType[x.typ])
		w.count(x.size)
		if d.version == cdf1 {
			w.four(x.begin)
		} else {
			w.eight(x.begin)
		}
	}
	return w.p
}

// A writer appends the elements of a header.
type writer struct {
	v version
	p []byte
}

func (w *writer) four(n int64)  { w.p = binary.BigEndian.AppendUint32(w.p, uint32(n)) }
func (w *writer) eight(n int64) { w.p = binary.BigEndian.AppendUint64(w.p, uint64(n)) }

// count writes a number that is wide in CDF-5.
func (w *writer) count(n int64) {
	if w.v == cdf5 {
		w.eight(n)
	} else {
		w.four(n)
	}
}

// list begins a list of n entries; one without entries has no tag.
func (w *writer) list(tag int64, n int) {
	if n == 0 {
		tag = 0
	}
	w.four(tag)
	w.count(int64(n))
}

func (w *writer) name(s string) {
	w.count(int64(len(s)))
	w.p = append(w.p, s...)
	w.p = append(w.p, make([]byte, pad(int64(len(s)))-int64(len(s)))...)
}

// attribute writes a list of one attribute of characters.
func (w *writer) attribute(name, text string) {
	w.list(0x0c, 1)
	w.name(name)
	w.four(ncType[types.Char])
	w.name(text)
}

package proptest

import (
	"fmt"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
)

// A refView is a view as a list of bytes, repeated as tiles.
type refView struct {
	given  iofile.View
	disp   int64
	tile   []int64 // the bytes of a tile in the order of the data
	runs   []piece // the same as ranges
	extent int64
	unit   unit
}

// A piece is a range of bytes of a file, and of the data of an access.
type piece struct {
	off int64 // in the file
	i   int64 // in the data
	n   int64
}

func newView(v iofile.View) *refView {
	m := naive.Of(v.Filetype, gen.SizesOf(v.Rep))
	r := &refView{given: v, disp: v.Disp, tile: m.Bytes(1), extent: m.Extent(), unit: etypeOf(v.Etype, v.Rep)}
	for i, at := range r.tile {
		r.runs = appendPiece(r.runs, piece{at, int64(i), 1})
	}
	return r
}

// appendPiece appends a piece of data that follows those of list.
func appendPiece(list []piece, p piece) []piece {
	if k := len(list) - 1; k >= 0 && list[k].off+list[k].n == p.off {
		list[k].n += p.n
		return list
	}
	return append(list, p)
}

var flat = &refView{
	given: iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: "native"},
	tile:  []int64{0}, runs: []piece{{0, 0, 1}}, extent: 1, unit: bytewise,
}

// String returns the view in the form of a program text.
func (v *refView) String() string {
	return fmt.Sprintf("%d %v %v %s", v.disp, v.given.Etype, v.given.Filetype, v.given.Rep)
}

// byteAt returns the offset in the file of byte i of the view.
func (v *refView) byteAt(i int64) int64 {
	n := int64(len(v.tile))
	return v.disp + i/n*v.extent + v.tile[i%n]
}

// whole reports whether the view has no holes: all of it is one range.
func (v *refView) whole() bool {
	return len(v.runs) == 1 && v.runs[0].off == 0 && v.runs[0].n == v.extent
}

// pieces returns n bytes of the view from byte i on, as ranges in the order of the data.
func (v *refView) pieces(i, n int64) []piece {
	if n <= 0 {
		return nil
	}
	if v.whole() {
		return []piece{{v.disp + i, 0, n}}
	}
	size := int64(len(v.tile))
	var list []piece
	for done := int64(0); done < n; {
		base := v.disp + (i+done)/size*v.extent
		in := (i + done) % size
		for _, r := range v.runs {
			if skip := in - r.i; skip < r.n && done < n {
				skip = max(0, skip)
				p := piece{base + r.off + skip, done, min(r.n-skip, n-done)}
				list = appendPiece(list, p)
				done += p.n
			}
		}
	}
	return list
}

// end returns the number of etypes up to the first that begins after the last byte.
func (v *refView) end(size int64) int64 {
	last := int64(0)
	for _, at := range v.tile {
		last = max(last, at)
	}
	k := int64(0)
	if tiles := (size - 1 - v.disp - last) / max(1, v.extent); tiles > 0 { // all before the end
		k = tiles * int64(len(v.tile)) / v.unit.file
	}
	for v.byteAt(k*v.unit.file) < size {
		k++
	}
	return k
}

// pieces returns the bytes of the file that m uses, in the order of the data.
func (m *move) pieces() []piece {
	if m.list == nil && m.n > 0 {
		m.list = m.v.pieces(m.at*m.v.unit.file, m.bytes())
	}
	return m.list
}

// end returns 1 + the last byte of the file that m uses, 0 if it uses none.
func (m *move) end() int64 {
	list := m.pieces()
	if len(list) == 0 {
		return 0
	}
	p := list[len(list)-1]
	return p.off + p.n
}

func (m *move) byteAt(i int64) int64 { return m.v.byteAt(m.at*m.v.unit.file + i) }

// bytes returns the number of bytes to move.
func (m *move) bytes() int64 { return m.n * m.v.unit.file }

// readable returns how many bytes of m come before the first that is beyond a file of
// this size.
func (m *move) readable(size int64) int64 {
	for _, p := range m.pieces() {
		if p.off+p.n > size {
			return p.i + max(0, size-p.off)
		}
	}
	return max(0, m.bytes())
}

package export

import (
	"slices"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// host is the architecture of scripts: little-endian, with 8-byte longs.
var host = reps.LP64LE

// A memory is a buffer in the form of an array: copies of a datatype whose items all have
// one kind and lie at multiples of its size, or else plain bytes.
type memory struct {
	typ    *types.Type
	count  int64
	kind   types.Kind // of the elements; KindNone: bytes of unlike items
	size   int64      // bytes of an element
	len    int64      // elements, holes between items included
	origin int64      // element that is the buffer's address
	items  int64      // basic items of all copies
	packed bool       // item i is element i, and there are no other elements
}

// memoryOf returns the memory of count copies of t.
func memoryOf(t *types.Type, count int64) (memory, error) {
	l, err := t.Layout(host)
	if err != nil {
		return memory{}, err
	}
	sig := t.Signature()
	m := memory{typ: t, count: count, size: 1, items: sig.Len() * count}
	if count == 0 || l.Size == 0 {
		m.kind, m.packed = oneKind(sig), true
		if m.kind != types.KindNone {
			m.size = host.Sizeof(m.kind)
		}
		return m, nil
	}
	last := l.Extent * (count - 1)
	lo, hi := min(0, l.TrueLB, l.TrueLB+last), max(l.TrueUB, l.TrueUB+last)
	m.len, m.origin = hi-lo, -lo
	if k := oneKind(sig); k != types.KindNone && aligned(t, l, host.Sizeof(k), lo, hi, count) {
		m.kind, m.size = k, host.Sizeof(k)
		m.len, m.origin = m.len/m.size, m.origin/m.size
	}
	data, contiguous := types.Raw(make([]byte, hi-lo), count, t).At(-lo).Contiguous(host)
	m.packed = contiguous && m.kind != types.KindNone && m.origin == 0 && int64(len(data)) == hi-lo
	return m, nil
}

// oneKind returns the kind of all items of a signature, KindNone if they differ.
func oneKind(sig types.Signature) types.Kind {
	kind := types.KindNone
	for k := range sig.Runs() {
		if kind != types.KindNone && k != kind {
			return types.KindNone
		}
		kind = k
	}
	return kind
}

// aligned reports whether all items of all copies lie at multiples of their size.
func aligned(t *types.Type, l *types.Layout, size, lo, hi, count int64) bool {
	if lo%size != 0 || hi%size != 0 || count > 1 && l.Extent%size != 0 {
		return false
	}
	for _, at := range t.Typemap(host) {
		if at%size != 0 {
			return false
		}
	}
	return true
}

// fill returns the memory with packed data in it.
func (m *memory) fill(packed []byte) []byte {
	mem := make([]byte, m.len*m.size)
	types.Raw(mem, m.count, m.typ).At(m.origin*m.size).Unpack(packed, 0, host)
	return mem
}

// places returns the element of each item, in the order of the typemap.
func (m *memory) places() []int64 {
	var at []int64
	l, _ := m.typ.Layout(host)
	for c := range m.count {
		for k, off := range m.typ.Typemap(host) {
			from := (c*l.Extent + off) / m.size
			if m.kind != types.KindNone {
				at = append(at, from+m.origin)
				continue
			}
			for i := range host.Sizeof(k) {
				at = append(at, from+i+m.origin)
			}
		}
	}
	return at
}

// A stretch is equal elements that follow each other.
type stretch struct {
	bytes []byte
	n     int64
}

// stretches splits memory into runs of equal elements.
func stretches(mem []byte, size int64) []stretch {
	var all []stretch
	for chunk := range slices.Chunk(mem, int(size)) {
		if n := len(all); n > 0 && string(all[n-1].bytes) == string(chunk) {
			all[n-1].n++
			continue
		}
		all = append(all, stretch{chunk, 1})
	}
	return all
}

// A wanted is the data that an equation wants: packed bytes, and the items that are open.
type wanted struct {
	packed []byte
	items  int64
	open   []bool // by item, nil: none
}

// unknown is the text for a value with a byte that no rank wrote.
const unknown = "?"

// wantedOf reads the values of an equation as items of t.
func wantedOf(vs []script.Value, t *types.Type) (wanted, error) {
	w := wanted{}
	known := slices.Clone(vs)
	for i, v := range vs {
		n := v.Repeat
		if v.Quoted {
			n *= int64(len(v.Text))
		}
		open := !v.Quoted && v.Text == unknown
		if open {
			known[i].Text = "0"
		}
		for range n {
			w.open = append(w.open, open)
		}
	}
	w.items = int64(len(w.open))
	if !slices.Contains(w.open, true) {
		w.open = nil
	}
	var err error
	w.packed, err = (&script.Data{Type: t, Values: known}).Encode(host)
	return w, err
}

// A piece is a run of elements of a buffer, to be compared with elements of the wanted
// data.
type piece struct{ at, from, n int64 }

// pieces returns the runs of elements of m to compare.
func (m *memory) pieces(w wanted) []piece {
	var all []piece
	add := func(at, from int64) {
		if k := len(all) - 1; k >= 0 && all[k].at+all[k].n == at && all[k].from+all[k].n == from {
			all[k].n++
			return
		}
		all = append(all, piece{at, from, 1})
	}
	if m.packed && w.open == nil {
		if w.items == 0 {
			return nil
		}
		return []piece{{0, 0, w.items}}
	}
	places := m.places()
	if m.kind != types.KindNone {
		for i := range w.items {
			if w.open == nil || !w.open[i] {
				add(places[i], i)
			}
		}
		return all
	}
	sig, at := m.typ.Signature(), int64(0)
	for i := range w.items {
		for range host.Sizeof(sig.At(i % sig.Len())) {
			if w.open == nil || !w.open[i] {
				add(places[at], at)
			}
			at++
		}
	}
	return all
}

package script

import (
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/readable"
	"github.com/commworld/commworld/types"
)

// Item returns where the item ends that begins at byte off of the file, as the file is shown.
// line is that of the write that left the bytes, 0 if none did. Bytes whose type is not known
// are items of their own.
func (c Content) Item(off int64, line int) (hi int64) {
	for _, f := range []readable.Form{c.writes[line], c.form} {
		if f.HasItems() {
			if size := f.Arch.Sizeof(f.Kind); size > 0 && (off-f.Base)%size == 0 {
				return off + size
			}
		}
	}
	return off + 1
}

// A MemoryItem is an item of the buffer of a statement.
type MemoryItem struct {
	Lo, Hi int64  // bytes of the buffer; the data of its datatype begin at 0
	Text   string // the value; "?" for one with bytes that no rank wrote
}

// A Memory is the buffer of a statement.
type Memory struct {
	Type  *types.Type
	Items []MemoryItem // in the order of the buffer
	More  bool         // there are other items
}

// Memory returns the buffer of the event's statement, with at most most items: the data that
// it writes or sends, or those that it has read or received. ok is false if it has no data.
func (e *Event) Memory(most int) (m Memory, ok bool) {
	res, ok := e.Result()
	switch d := e.Stmt.Data; {
	case ok && res.IsData:
		m.Type = e.Stmt.datatype()
	case e.Err == nil && d != nil:
		m.Type = d.Type
		packed, err := d.Encode(host)
		if err != nil {
			return m, false
		}
		quoted := slices.ContainsFunc(d.Values, func(v Value) bool { return v.Quoted })
		res = Result{Data: packed, quoted: quoted}
	default:
		return m, false
	}
	m.Items, m.More = res.items(m.Type, most)
	return m, true
}

// items returns at most most items of the data, with their places in a buffer of a type.
func (r *Result) items(t *types.Type, most int) (items []MemoryItem, more bool) {
	l, err := t.Layout(host)
	if err != nil {
		return nil, true
	}
	sig := t.Signature()
	var places []int64 // of bytes, in the order of the data
	for off, n := range (types.Tiling{L: l}).Runs(0, int64(len(r.Data))) {
		for i := range n {
			places = append(places, off+i)
		}
		if len(places) > 16*most {
			break
		}
	}
	for at, pos := int64(0), 0; pos < len(r.Data); at++ {
		kind := sig.At(at % sig.Len())
		n := min(int(host.Sizeof(kind)), len(r.Data)-pos)
		if len(items) == most || pos+n > len(places) {
			more = true
			break
		}
		bs := r.Data[pos : pos+n]
		x := MemoryItem{Lo: places[pos], Hi: places[pos] + int64(n)}
		switch {
		case !r.zero && r.Blank != nil && slices.Contains(r.Blank[pos:pos+n], true):
			x.Text = unknown
		case r.quoted && n == 1 && readable.Printable(bs[0]) && kind.Family() != types.FamilyBool:
			x.Text = readable.Quote(string(bs))
		default:
			x.Text = readable.ValueText(bs, kind, host)
		}
		items, pos = append(items, x), pos+n
	}
	slices.SortStableFunc(items, func(a, b MemoryItem) int { return int(a.Lo - b.Lo) })
	return items, more
}

// Runs returns the bytes of the file that the event's statement read or wrote, in the order of
// its data. There are none if it moved no bytes.
func (e *Event) Runs() (runs []consistency.Run, write bool) {
	for _, s := range e.did {
		if s.access != nil && (s.Do == consistency.DoRead || s.Do == consistency.DoWrite) {
			runs, write = append(runs, s.access.Runs...), s.Do == consistency.DoWrite
		}
	}
	return runs, write
}

package reps

import "sync"

// piece is the number of packed bytes that are gathered and then swapped, where package
// types cannot do both in one pass. It is small enough for the first-level cache, so that
// the second pass costs little more than its instructions.
const piece = 16 << 10

var pieces = sync.Pool{New: func() any { return new([piece]byte) }}

// between converts all items of m by a swap: into packed if packs is true, otherwise from
// there.
func between(t *swap, m Memory, packed []byte, packs bool) {
	if t.width == 1 { // nothing to swap
		if packs {
			m.Buffer.Pack(packed, 0, m.Arch)
		} else {
			m.Buffer.Unpack(packed, 0, m.Arch)
		}
		return
	}
	size, at := int64(len(packed)), int64(0)
	if byTheWay := t.typesSwap(); packs {
		at = m.Buffer.PackSwapped(packed, &byTheWay, m.Arch)
	} else {
		at = m.Buffer.UnpackSwapped(packed, &byTheWay, m.Arch)
	}
	if at == size {
		return
	}
	step := piece - piece%t.size
	room := pieces.Get().(*[piece]byte)
	defer pieces.Put(room)
	for at < size {
		p := room[:min(step, size-at)]
		q := packed[at : at+int64(len(p))]
		if packs {
			m.Buffer.Pack(p, at, m.Arch)
			t.run(q, p)
		} else {
			t.run(p, q)
			m.Buffer.Unpack(p, at, m.Arch)
		}
		at += int64(len(p))
	}
}

// pack converts the first n items of m from form g into form f.
func pack(dst []byte, m Memory, f, g form, n int64) error {
	sig := m.Type().Signature()
	size := sig.BytesBefore(n, g.sizes)
	var turn swap
	ok := turn.of(sig, f, g)
	switch p, direct := m.Contiguous(m.Arch); {
	case direct && ok:
		turn.run(dst, p[:size])
		return nil
	case direct:
		return convert(dst, p[:size], f, g, sig, 0, n)
	case !ok:
		room := takeRoom(size)
		defer rooms.Put(room)
		m.Buffer.Pack(*room, 0, m.Arch)
		return convert(dst, *room, f, g, sig, 0, n)
	}
	between(&turn, m, dst[:size], true)
	return nil
}

// unpack converts n items from form g into form f, that of m. If the conversion may fail,
// all items are converted before m is changed.
func unpack(m Memory, src []byte, f, g form, n int64) error {
	sig := m.Type().Signature()
	size := sig.BytesBefore(n, f.sizes)
	var turn swap
	ok := turn.of(sig, f, g)
	if p, direct := m.Contiguous(m.Arch); direct && ok {
		turn.run(p[:size], src)
		return nil
	}
	if !ok {
		room := takeRoom(size)
		defer rooms.Put(room)
		if err := convert(*room, src, f, g, sig, 0, n); err != nil {
			return err
		}
		m.Buffer.Unpack(*room, 0, m.Arch)
		return nil
	}
	between(&turn, m, src[:size], false)
	return nil
}

// rooms holds buffers for items that cannot be converted piece by piece.
var rooms sync.Pool

func takeRoom(n int64) *[]byte {
	p, _ := rooms.Get().(*[]byte)
	if p == nil || int64(cap(*p)) < n {
		p = new([]byte)
		*p = make([]byte, n)
	}
	*p = (*p)[:n]
	return p
}

package reps

import "sync"

// piece is how many packed bytes are gathered and then turned round: few enough
// to stay in a near cache in between, so that the second step costs little more
// than the instructions, and enough for the columns of a matrix, which are
// gathered by tiles. With 16 KiB those took twice the time.
const piece = 64 << 10

var pieces = sync.Pool{New: func() any { return new([piece]byte) }}

// pack converts the first n items of m from form g into form f.
func pack(dst []byte, m Memory, f, g form, n int64) error {
	sig := m.Type().Signature()
	size := sig.BytesBefore(n, g.sizes)
	var turn turn
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
	room := pieces.Get().(*[piece]byte)
	defer pieces.Put(room)
	step := turn.step()
	for at := int64(0); at < size; at += step {
		p := room[:min(step, size-at)]
		m.Buffer.Pack(p, at, m.Arch)
		turn.run(dst[at:at+int64(len(p))], p)
	}
	return nil
}

// unpack converts n items from form g into form f, that of m. What may fail is
// converted as a whole before m is touched.
func unpack(m Memory, src []byte, f, g form, n int64) error {
	sig := m.Type().Signature()
	size := sig.BytesBefore(n, f.sizes)
	var turn turn
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
	room := pieces.Get().(*[piece]byte)
	defer pieces.Put(room)
	step := turn.step()
	for at := int64(0); at < size; at += step {
		p := room[:min(step, size-at)]
		turn.run(p, src[at:at+int64(len(p))])
		m.Buffer.Unpack(p, at, m.Arch)
	}
	return nil
}

// rooms are buffers for what cannot be converted piece by piece.
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

package reps

import "sync"

// How many packed bytes are gathered and then turned round: few enough to stay
// in the nearest cache in between, so that the second step costs little more
// than the instructions. The columns of a matrix are gathered by tiles across
// them, which must be wide: there a few more misses cost less. Measured in pairs
// with 4 to 128 KiB, each is the best, or beside it, for its shapes.
const (
	piece       = 16 << 10
	columnPiece = 64 << 10
)

// Runs of longRun bytes are turned on their way instead: without a second step,
// at the cost of finding each, which shorter runs do not bring in again.
const longRun = 1 << 10

var pieces = sync.Pool{New: func() any { return new([columnPiece]byte) }}

// look looks at the first runs of m, all of size packed bytes: whether they are
// long, and if not, how many bytes to gather at a time.
func look(m Memory, size int64) (long bool, step int64) {
	p := m.Place(0, m.Arch)
	c := p.At.Cursor(0)
	a, n := c.Next(size)
	b, _ := c.Next(size)
	if d := max(a-b, b-a); n <= 16 && d >= longRun/2 {
		return false, columnPiece
	}
	return n >= longRun, piece
}

// between converts all items of m by a turn: into packed, or from there.
func between(t *turn, m Memory, packed []byte, packs bool) {
	size := int64(len(packed))
	if t.width == 1 { // nothing to turn
		if packs {
			m.Buffer.Pack(packed, 0, m.Arch)
		} else {
			m.Buffer.Unpack(packed, 0, m.Arch)
		}
		return
	}
	long, step := look(m, size)
	step -= step % t.size
	room := pieces.Get().(*[columnPiece]byte)
	defer pieces.Put(room)
	for at := int64(0); at < size; {
		if long && t.width > 0 {
			if at = t.rows(m, packed, at, packs); at == size {
				return
			}
		}
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

// rows turns long runs of m from packed byte at on, and returns where a short
// one begins. A run begins and ends between items, so it is turned by itself.
func (t *turn) rows(m Memory, packed []byte, at int64, packs bool) int64 {
	p := m.Place(at, m.Arch)
	c := p.At.Cursor(at)
	size := int64(len(packed))
	for at < size {
		off, n := c.Next(size - at)
		if n < longRun && at+n < size {
			return at
		}
		run, q := p.Mem[off-p.Base:][:n], packed[at:at+n]
		if packs {
			t.run(q, run)
		} else {
			t.run(run, q)
		}
		at += n
	}
	return at
}

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
	between(&turn, m, dst[:size], true)
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
	between(&turn, m, src[:size], false)
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
